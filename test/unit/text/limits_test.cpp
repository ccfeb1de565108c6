// Depth, size and hostile bytes.
#include <gtest/gtest.h>

#include <ctime>

#include "ir/ir.h"
#include "oracle.h"
#include "spec/limits.h"
#include "text/directives.h"
#include "text/text.h"

VYRE_ORACLE(Property, "whatever the bytes are, they are read or refused, in linear time");

namespace vyre::text {
namespace {

std::string repeat(std::string_view piece, size_t count) {
  std::string out;
  out.reserve(piece.size() * count);
  for (size_t i = 0; i < count; ++i) out += piece;
  return out;
}

std::string program(const std::string& body) {
  return "program p(read a: u32 @0, read_write o: u32 @1) workgroup(1, 1, 1) {" + body + "}";
}

/// Parses, prints, parses again, formats.
void expect_round_trip(const std::string& text, size_t nodes) {
  const auto parsed = parse(text);
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  EXPECT_EQ(parsed->code.node_count(), nodes);
  const auto again = parse(print(*parsed));
  ASSERT_TRUE(again && ir::equal(*parsed, *again));
  const auto formatted = format(text);
  ASSERT_TRUE(formatted.has_value());
  const auto kept = parse(*formatted);
  ASSERT_TRUE(kept && ir::equal(*parsed, *kept));
}

TEST(Limits, Depth) {
  VYRE_ORACLE(SpecificationTable,
              "the number of nodes, counted by hand; a walker that recursed would run out of stack");
  constexpr size_t kDeep = 100'000;
  expect_round_trip(program("let x = " + repeat("(", kDeep) + "1" + repeat(")", kDeep) + ";"), 2);
  expect_round_trip(program("let x = " + repeat("~", kDeep) + "y;"), kDeep + 2);
  expect_round_trip(program("let x = " + repeat("a[", kDeep) + "y" + repeat("]", kDeep) + ";"), kDeep + 2);
  expect_round_trip(program("let x = " + repeat("add(1,", kDeep) + "y" + repeat(")", kDeep) + ";"),
                    2 * kDeep + 2);
  expect_round_trip(program("let x = " + repeat("(1 + ", kDeep) + "y" + repeat(")", kDeep) + ";"),
                    2 * kDeep + 2);
  expect_round_trip(program("let x = y" + repeat(" + 1", kDeep) + ";"), 2 * kDeep + 2);
  expect_round_trip(program("a[" + repeat("a[", kDeep) + "y" + repeat("]", kDeep) + "] = 1;"), kDeep + 3);
  expect_round_trip(program("let x = " + repeat("atomic_add(o[", kDeep) + "y" + repeat("], 1)", kDeep) + ";"),
                    2 * kDeep + 2);
  expect_round_trip(program(repeat("{", kDeep) + repeat("}", kDeep)), kDeep);
  expect_round_trip(program(repeat("if (1) {", kDeep) + repeat("}", kDeep)), 2 * kDeep);
  expect_round_trip(program(repeat("if (1) { } else ", kDeep) + "{ }"), 2 * kDeep);
  expect_round_trip(program(repeat("if (1) { } else {", kDeep) + repeat("}", kDeep)), 2 * kDeep);
}

/// Processor time, so that other work on the machine does not count.
double seconds_for(const std::string& text, size_t nodes) {
  const std::clock_t begin = std::clock();
  const auto parsed = parse(text);
  EXPECT_TRUE(parsed.has_value());
  if (!parsed) return 0;
  EXPECT_EQ(parsed->code.node_count(), nodes);
  const std::string printed = print(*parsed);
  EXPECT_GT(printed.size(), nodes);
  EXPECT_TRUE(format(text).has_value());
  return double(std::clock() - begin) / CLOCKS_PER_SEC;
}

TEST(Limits, FourMillionNodes) {
  // Linear time: eight times the nodes may take at most some thirty times as long (the machine is shared),
  // and a quadratic algorithm would take 64 times as long and hours in absolute terms.
  const auto chain = [](size_t terms) { return program("let x = y" + repeat(" + a[1]", terms) + ";"); };
  const auto list = [](size_t statements) { return program(repeat("x = 1;", statements)); };
  const size_t most = spec::kMaxNodes;
  // Each term is three nodes: the sum, the load and its index.
  const size_t terms = (most - 2) / 3;
  const double chain_small = seconds_for(chain(terms / 8), terms / 8 * 3 + 2);
  const double chain_large = seconds_for(chain(terms), terms * 3 + 2);
  EXPECT_LT(chain_large, chain_small * 30);
  const double list_small = seconds_for(list(most / 16), most / 8);
  const double list_large = seconds_for(list(most / 2), most);
  EXPECT_LT(list_large, list_small * 30);
}

TEST(Limits, OneNodeTooMany) {
  VYRE_ORACLE(SpecificationTable, "SEMANTICS: 4,194,304 nodes and not one more");
  const auto result = parse(program(repeat("x = 1;", spec::kMaxNodes / 2) + "barrier;"));
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, DiagCode::V024);
}

/// Whatever the bytes are, there is a program or a diagnostic that points into the text.
void expect_total(const std::string& text) {
  const auto parsed = parse(text);
  if (parsed) {
    EXPECT_TRUE(ir::equal(*parsed, *parse(print(*parsed)))) << text;
    EXPECT_TRUE(format(text).has_value());
  } else {
    const Span span = parsed.error().span;
    EXPECT_TRUE(span.known() && span.begin <= span.end && span.end <= text.size()) << text;
    const Source source("x.vyre", text);
    EXPECT_FALSE(render(parsed.error(), &source).empty());
  }
  static_cast<void>(parse_directives(text));
}

TEST(Limits, EveryTextOfOneAndTwoBytes) {
  for (int first = 0; first < 256; ++first) {
    expect_total({char(first)});
    for (int second = 0; second < 256; ++second) expect_total({char(first), char(second)});
  }
}

constexpr std::string_view kCorpus = R"(// all of the grammar
program all(read r: bytes @7, read_write w: u32 @0x0, uniform u: bool @0b1_0, workgroup s: i32[2_56]) // a
    workgroup(4, 2, 3) {
  let x = r[invocation_id.x] + len(w) * -7i32 - - 7i32; x = (x << 2) + select(x <= 1 && !x || ~x != 2, 3, 4); // b
  if (x) { return; } else if (x & 1 == 0) { barrier; } else { w[x] = atomic_add(w[0], cast<u32, trunc>(x)); }
  for k in 0..x % 3 { { s[k] = bitcast<i32>(a.b.let@2(k, atomic_compare_exchange(w[1], 2, true))); } }
} // run: a=[1] => b=[2]
)";

TEST(Limits, EveryTruncationAndEveryChangedByte) {
  const std::string text(kCorpus);
  ASSERT_TRUE(parse(text).has_value()) << parse(text).error().message;
  const std::string bytes("\0\n/({[)}];:@.,-=<\"aZ0_\x80\xFF", 24);
  for (size_t at = 0; at <= text.size(); ++at) {
    expect_total(text.substr(0, at));
    expect_total(text.substr(at));
    if (at == text.size()) continue;
    expect_total(text.substr(0, at) + text.substr(at + 1));
    for (const char byte : bytes) {
      std::string changed = text;
      changed[at] = byte;
      expect_total(changed);
      expect_total(text.substr(0, at) + byte + text.substr(at));
    }
  }
}

}  // namespace
}  // namespace vyre::text
