// Graphs on the wire: byte by byte, there and back, and every small edit of them.
#include <sstream>

#include "corpus.h"
#include "ir/graph.h"
#include "oracle.h"
#include "wire/seal.h"
#include "wire/tags.h"
#include "wire/wire.h"

VYRE_ORACLE(SpecificationTable, "docs/wire-format.md, \"Graphs\" and \"Canonical\", byte by byte");

namespace vyre::wire {
namespace {

using Body = std::vector<uint8_t>;

Bytes module_of(const Body& body) { return seal(std::as_bytes(std::span(body)), kModuleVersion); }

/// The texts of test/unit/text/graphs.txt.
std::vector<std::string> graph_texts() {
  std::vector<std::string> out;
  std::istringstream in(read_text(std::filesystem::path(VYRE_SOURCE_DIR) / "test/unit/text/graphs.txt"));
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("===")) {
      out.emplace_back();
    } else if (!out.empty()) {
      out.back() += line + "\n";
    }
  }
  EXPECT_GE(out.size(), 30u);
  return out;
}

// graph g(x: f32[n, 4]) -> (y: f32[n, 1]) { let s = x * x; y = reduce(fadd, tree, sort(s, 1), 1); }
const Body kGraph = {
    0,    0, 0,    1, 1,                                             // no other items; one graph
    6,    1, 'g',  1, 'x',  1, 'n', 1,    'y', 1, 's', 2, '#', '1',  // strings
    9,    3, 1,                                                      // expressions, steps, version
    1,    1, 0x0b, 2, 2,    2, 1,   0x01, 4,                         // one parameter: x, f32, two sizes: n, 4
    1,    3, 0x0b, 2, 2,    2, 1,   0x01, 1,                         // one output: y, f32, n, 1
    0x01, 0, 4,    8, 0x2b, 2, 1,   2,    1,                         // one name: s; FMul of x and x
    0x0f, 5, 2,    4, 1,                                             // sort: #1, of s, axis 1
    0x0b, 3, 0x29, 2, 2,    5, 1,                                    // reduce: y, FAdd, tree, #1, axis 1
};
constexpr size_t kStringsAt = 5, kCountsAt = 19;

TEST(Graphs, AreWhatTheDocumentSays) {
  const ir::Module module = parse_module(
      "graph g(x: f32[n, 4]) -> (y: f32[n, 1]) {\n  let s = x * x;\n  y = reduce(fadd, tree, sort(s, 1), "
      "1);\n}\n");
  EXPECT_EQ(encode(module), module_of(kGraph));
  const auto decoded = decode_module(module_of(kGraph));
  ASSERT_TRUE(decoded) << render(decoded.error(), nullptr);
  EXPECT_TRUE(ir::equal(*decoded, module));
}

TEST(Graphs, GoThereAndBack) {
  for (const std::string& text : graph_texts()) {
    const ir::Module module = parse_module(text);
    const Bytes file = encode(module);
    const auto decoded = decode_module(file);
    ASSERT_TRUE(decoded) << text << render(decoded.error(), nullptr);
    EXPECT_TRUE(ir::equal(*decoded, module)) << text;
    EXPECT_EQ(encode(*decoded), file) << text;
    EXPECT_EQ(text::print(*decoded), text);
  }
}

TEST(Graphs, AModuleWithoutThemHasItsOldBytes) {
  EXPECT_EQ(encode(parse_module("pipeline p(read_write a: u32 @0) { }")),
            module_of({0, 0, 1, 2, 1, 'p', 1, 'a', 1, 1, 2, 1, 0, 0, 0, 0, 0}));
}

/// That this body is refused with the code, at this byte of the file.
void expect_refused(const Body& body, DiagCode code, size_t at) {
  SCOPED_TRACE(testing::PrintToString(body));
  const auto module = decode_module(module_of(body));
  ASSERT_FALSE(module);
  EXPECT_EQ(diag_info(module.error().code).name, diag_info(code).name) << module.error().message;
  EXPECT_TRUE(module.error().message.starts_with("at byte " + std::to_string(at) + ": "))
      << module.error().message;
}
Body with_byte(size_t at, uint8_t value) {
  Body body = kGraph;
  body[at] = value;
  return body;
}

TEST(Graphs, WhatIsRefused) {
  constexpr size_t kSteps = kCountsAt + 3 + 9 + 9, kSort = kSteps + 9, kReduce = kSort + 5;
  ASSERT_EQ(kGraph.size(), kReduce + 7);
  expect_refused(with_byte(3, 2), DiagCode::W008, kBodyAt + 3);  // something else follows pipelines
  expect_refused({0, 0, 0, 1, 0}, DiagCode::W006, kBodyAt + 4);  // graphs that are none
  expect_refused({0, 0, 0, 1}, DiagCode::W003, kBodyAt + 4);
  expect_refused(with_byte(kSteps, 0), DiagCode::W005, kBodyAt + kSteps);  // steps of no kind
  expect_refused(with_byte(kSteps, 0x13), DiagCode::W005, kBodyAt + kSteps);
  expect_refused(with_byte(kReduce + 2, 0x2a), DiagCode::W005, kBodyAt + kReduce + 2);  // FSub folds nothing
  expect_refused(with_byte(kReduce + 3, 0), DiagCode::W005, kBodyAt + kReduce + 3);  // floats have an order
  expect_refused(with_byte(kReduce + 3, 3), DiagCode::W005, kBodyAt + kReduce + 3);
  expect_refused(with_byte(kCountsAt, 10), DiagCode::W006,
                 kBodyAt + kCountsAt);  // more expressions than there are
  expect_refused(with_byte(kCountsAt, 8), DiagCode::W006, kBodyAt + kCountsAt);
  expect_refused(with_byte(kStringsAt + 13, '0'), DiagCode::W006,
                 kBodyAt + kCountsAt);  // the number of another step
  expect_refused(with_byte(kReduce + 5, 4), DiagCode::W006,
                 kBodyAt + kCountsAt);  // s, so that #1 is used nowhere
  expect_refused(with_byte(kSort + 3, 5), DiagCode::W006, kBodyAt + kCountsAt);  // used before it is there
  // s = x * f16(0x10000), whose type does not fit either, but that is not the decoder's business.
  Body beyond = kGraph;
  beyond.erase(beyond.begin() + kSteps + 7, beyond.begin() + kSteps + 9);
  const Body literal = {1, 0x09, 0x80, 0x80, 0x04};
  beyond.insert(beyond.begin() + kSteps + 7, literal.begin(), literal.end());
  expect_refused(beyond, DiagCode::W006, kBodyAt + kSteps + 9);
  beyond[kSteps + 11] = 0x03;  // below 2^16
  EXPECT_TRUE(decode_module(module_of(beyond)));
  Body longer = kGraph;
  longer.push_back(0);
  expect_refused(longer, DiagCode::W008, kBodyAt + kGraph.size());
}

TEST(Graphs, StepsStandWhereTextsHaveThem) {
  // y = #1 + #0, whose text would have them the other way round; y = #0 alone; and a value in a value.
  const Body head = {0, 0, 0, 1, 1};
  const auto graph = [&](Body strings, uint8_t expressions, uint8_t steps, const Body& rest) {
    Body out = head;
    out.insert(out.end(), strings.begin(), strings.end());
    out.insert(out.end(), {expressions, steps, 1, 0, 1, 1, 0x0b, 0});
    out.insert(out.end(), rest.begin(), rest.end());
    return out;
  };
  const Body two = {4, 1, 'g', 1, 'y', 2, '#', '0', 2, '#', '1'};
  const Body right =
      graph(two, 5, 3, {0x0f, 2, 1, 0x0b, 0, 0, 0x0f, 3, 1, 0x0b, 0, 0, 1, 0, 1, 8, 0x29, 2, 2, 2, 3});
  EXPECT_TRUE(decode_module(module_of(right)));
  expect_refused(
      graph(two, 5, 3, {0x0f, 2, 1, 0x0b, 0, 0, 0x0f, 3, 1, 0x0b, 0, 0, 1, 0, 1, 8, 0x29, 2, 3, 2, 2}),
      DiagCode::W006, kBodyAt + head.size() + two.size());
  const Body one = {3, 1, 'g', 1, 'y', 2, '#', '0'};
  expect_refused(graph(one, 2, 2, {0x0f, 2, 1, 0x0b, 0, 0, 1, 0, 1, 2, 2}), DiagCode::W006,
                 kBodyAt + head.size() + one.size());
  expect_refused(graph(one, 3, 2, {1, 0, 2, 1, 0x0b, 0, 0x0f, 1, 8, 0x31, 2, 2, 0}), DiagCode::W006,
                 kBodyAt + head.size() + one.size());
}

TEST(Graphs, EveryEditIsRefusedOrCanonical) {
  VYRE_ORACLE(
      Property,
      "with a digest that fits, an edited body is a diagnostic or the only encoding of another module");
  size_t accepted = 0, refused = 0;
  const auto count = [&](std::span<const std::byte> body) {
    const Bytes file = seal(body, kModuleVersion);
    const auto module = decode_module(file);
    if (!module) {
      ++refused;
      EXPECT_EQ(diag_info(module.error().code).name[0], 'W');
      return;
    }
    ++accepted;
    ASSERT_EQ(encode(*module), file);
  };
  for (const std::string& text : graph_texts()) {
    const Bytes file = encode(parse_module(text));
    Bytes body(file.begin() + kBodyAt, file.end());
    for (size_t at = 0; at < body.size(); ++at) {
      const std::byte before = body[at];
      for (int flip = 1; flip < 256; flip <<= 1) {
        body[at] = before ^ std::byte(flip);
        count(body);
      }
      body[at] = before;
      count(std::span(body).first(at));
      Bytes other = body;
      other.insert(other.begin() + std::ptrdiff_t(at), before);
      count(other);
      other.erase(other.begin() + std::ptrdiff_t(at), other.begin() + std::ptrdiff_t(at) + 2);
      count(other);
    }
  }
  EXPECT_GT(accepted, 1000u);
  EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace vyre::wire
