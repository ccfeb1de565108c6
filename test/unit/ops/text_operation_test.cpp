// Operations in text: what read_operations() makes of a text, and what it refuses at which place.
#include "ops/text_operation.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "ops/registry.h"
#include "oracle.h"

namespace vyre::ops {
namespace {

constexpr std::string_view kText = R"(// Sums of halves.
//
// summary: a / 2 + b / 2
// source: the page
// class: a % 2 == 0 && b > 0x7fffffff, such as (2, 0x80000000): even: and high
// class: cast<u64>(a) * cast<u64>(b) > 0xffffffffu64, such as (0x10000, 0x10000): the product is wide
// class: select(a < b, b - a, a - b) >= 3, such as (1, 4): three apart
// boundary: (0, 0xffffffff): the least and the greatest
// identity: (x, 0) => 0: wrong, and only read here [another page]
// identity: (1, x) => x: as wrong
operation my.half(a: u32, b: u32) -> u32
    claims Commutative, Bounded(0, 7)
    denies Complement(my.other@2, 9) by (1, 2)
    rows
        (4, 6) => 5,  // two even words
        (0xffffffff, 0) => 0x7fffffff {  // rounded down [a table]
  let half = a / 2;
  return half + b / 2;
}
)";

Result<Operation> read(std::string text, std::string_view old = "", std::string_view fresh = "") {
  // What is read points into its text.
  static std::deque<std::string> kept;
  if (!old.empty()) text.replace(text.find(old), old.size(), fresh);
  auto read = read_operations(kept.emplace_back(std::move(text)), {});
  if (!read) return std::unexpected(read.error());
  return std::move(read->front());
}

TEST(TextOperation, HasWhatTheTextSays) {
  VYRE_ORACLE(SpecificationTable, "by hand, from the text above");
  const auto o = read(std::string(kText));
  ASSERT_TRUE(o) << o.error().message;
  EXPECT_EQ(o->id, "my.half");
  EXPECT_EQ(o->version, 1u);
  EXPECT_EQ(o->summary, "a / 2 + b / 2");
  EXPECT_EQ(o->parameter_names, (std::vector<std::string_view>{"a", "b"}));
  EXPECT_EQ(o->signature, words(2));
  EXPECT_EQ(o->laws, (std::vector<spec::Law>{laws::commutative(), laws::bounded(0, 7)}));
  ASSERT_EQ(o->denied.size(), 1u);
  EXPECT_EQ(o->denied[0].law, laws::complement("my.other@2", 9));
  EXPECT_EQ(o->denied[0].witness, (std::vector<uint32_t>{1, 2}));
  ASSERT_EQ(o->rows.size(), 2u);
  EXPECT_EQ(o->rows[0].rationale, "two even words");
  EXPECT_EQ(o->rows[0].source, "the page");
  EXPECT_EQ(o->rows[1].operands, (std::vector<uint32_t>{0xffffffff, 0}));
  EXPECT_EQ(o->rows[1].expected, 0x7fffffffu);
  EXPECT_EQ(o->rows[1].rationale, "rounded down");
  EXPECT_EQ(o->rows[1].source, "a table");
  ASSERT_EQ(o->boundaries.size(), 1u);
  EXPECT_EQ(o->boundaries[0].operands, (std::vector<uint32_t>{0, 0xffffffff}));
  EXPECT_EQ(o->boundaries[0].reason, "the least and the greatest");
  ASSERT_EQ(o->identities.size(), 2u);
  EXPECT_EQ(o->identities[0].operands, (std::vector<std::optional<uint32_t>>{std::nullopt, 0}));
  EXPECT_EQ(o->identities[0].expected, 0u);
  EXPECT_EQ(o->identities[0].source, "another page");
  EXPECT_EQ(o->identities[1].expected, std::nullopt);
  EXPECT_EQ(o->identities[1].source, "the page");
}

TEST(TextOperation, ClassesHoldWhereTheirExpressionIsNotZero) {
  VYRE_ORACLE(SpecificationTable, "by hand, from the text above");
  const auto o = read(std::string(kText));
  ASSERT_TRUE(o) << o.error().message;
  ASSERT_EQ(o->classes.size(), 3u);
  const auto in = [&](size_t which, uint32_t a, uint32_t b) {
    const uint32_t operands[] = {a, b};
    return o->classes[which].contains(operands);
  };
  EXPECT_EQ(o->classes[0].name, "even: and high");
  EXPECT_EQ(o->classes[0].representative, (std::vector<uint32_t>{2, 0x80000000}));
  EXPECT_TRUE(in(0, 2, 0x80000000));
  EXPECT_FALSE(in(0, 3, 0x80000000));
  EXPECT_FALSE(in(0, 2, 0x7fffffff));
  EXPECT_TRUE(in(1, 0x10000, 0x10000));
  EXPECT_FALSE(in(1, 0xffff, 0x10001));  // 0xffffffff
  EXPECT_TRUE(in(2, 1, 4));
  EXPECT_TRUE(in(2, 4, 1));
  EXPECT_FALSE(in(2, 4, 2));
}

TEST(TextOperation, WhatIsNoneIsRefusedWhereItStands) {
  VYRE_ORACLE(SpecificationTable, "ops/text_operation.h: the lines that there are");
  const struct {
    std::string_view old, fresh, at;
  } kCases[] = {
      {"// summary: a / 2 + b / 2\n", "", "// Sums of halves."},
      {"// source: the page\n", "", "// Sums of halves."},
      {"  // two even words", "", "(4, 6) => 5"},
      {"b > 0x7fffffff", "c > 0x7fffffff", "a % 2 == 0 && c > 0x7fffffff"},
      {"b > 0x7fffffff", "b >", "a % 2 == 0 && b >"},
      {"a % 2 == 0", "sin(a) == 0", "sin(a) == 0 && b > 0x7fffffff"},
      {", such as (2, 0x80000000)", "", "a % 2 == 0 && b > 0x7fffffff: even: and high"},
      {"(2, 0x80000000): even", "(2, x): even", "(2, x): even: and high"},
      {"boundary: (0, 0xffffffff): the", "boundary: (0, zero): the", "zero"},
      {"(x, 0) => 0: wrong", "(x, 0): wrong", ": wrong, and only read here [another page]"},
      {"Bounded(0, 7)", "Narrow(0, 7)", "Narrow(0, 7)"},
      {"half + b / 2", "half + local_id.x", "local_id.x"},
      {"cast<u64>(b) >", "b >", "cast<u64>(a) * b > 0xffffffffu64"},
  };
  for (const auto& [old, fresh, at] : kCases) {
    std::string text(kText);
    text.replace(text.find(old), old.size(), fresh);
    const auto o = read(text);
    ASSERT_FALSE(o) << fresh;
    EXPECT_EQ(text.substr(o.error().span.begin, o.error().span.end - o.error().span.begin), at)
        << o.error().message;
  }
  EXPECT_FALSE(read(std::string(kText) + "operation my.other(a: u32) -> u32 { return a; }\n"));
  EXPECT_FALSE(read("// nothing\n"));
}

}  // namespace
}  // namespace vyre::ops
