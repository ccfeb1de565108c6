// Operations in text: what read_operations() makes of a text, and what it refuses at which place.
#include "ops/text_operation.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "ops/floating.h"
#include "ops/registry.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable,
            "ops/text_operation.h, ops/floating.h and IEEE 754-2019, 3.4; by hand, from the text above");

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

TEST(FloatText, HasThePatternsOfEachType) {
  const std::string_view text =
      "// let last = 0x1234, 22, 0x33333333: why\n"
      "$T $one #one $-zero #tiny+2 $least_normal-1 #-last+1 $(1, 2, 3) #nan $payload #signalling #tie\n";
  const std::string head(text.substr(0, text.find('\n') + 1));
  EXPECT_EQ(at_type(text, spec::DataType::F16),
            head +
                "f16 f16(0x3c00) 0x3c00 f16(0x8000) 0x3 f16(0x3ff) 0x9235 f16(0x1) 0x7e00 f16(0xfe01) "
                "0x7c01 0x1000\n");
  EXPECT_EQ(at_type(text, spec::DataType::BF16),
            head +
                "bf16 bf16(0x3f80) 0x3f80 bf16(0x8000) 0x3 bf16(0x7f) 0x8017 bf16(0x2) 0x7fc0 "
                "bf16(0xffc1) 0x7f81 0x3b80\n");
  EXPECT_EQ(at_type(text, spec::DataType::F32),
            head +
                "f32 f32(0x3f800000) 0x3f800000 f32(0x80000000) 0x3 f32(0x7fffff) 0xb3333334 f32(0x3) "
                "0x7fc00000 f32(0xffc00001) 0x7f800001 0x33800000\n");
}

TEST(FloatText, WhatIsNoValueStaysAsItStands) {
  for (const std::string_view text :
       {"$", "#", "$-", "$ten", "$(1, 2)", "$(1, 2, 3, 4)", "$(1, 2, x)", "$(1", "$()"})
    EXPECT_EQ(at_type(text, spec::DataType::F16), text);
}

constexpr std::string_view kFloatText = R"(// Sines.
//
// summary: the sine
// source: the page
// rows: fsin
// approximation: float.$T.sin_approx: nearly the sine
// class: a > $one, such as (#two): above one
// boundary: (#-one): the last one
operation float.$T.sin(a: $T) -> $T
    rows
        ($zero) => $zero,  // nothing
        ($one) => $half {  // wrong, and only read here
  return fsin(a);
}
)";

TEST(FloatText, HasWhatItsKindsOfOperandsGive) {
  const std::string text = at_type(kFloatText, spec::DataType::F16);
  const auto all = read_operations(text, {});
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 2u);
  const Operation &strict = (*all)[0], &approximate = (*all)[1];
  EXPECT_EQ(strict.id, "float.f16.sin");
  ASSERT_EQ(strict.classes.size(), 6u);
  const uint32_t operands[] = {0xfe01, 0x7c00, 0x8000, 0x03ff, 0x3c00};  // NaN to a normal number
  for (size_t i = 0; i < 5; ++i) {
    for (size_t k = 0; k < 5; ++k) EXPECT_EQ(strict.classes[k].contains(&operands[i]), i == k);
    EXPECT_EQ(strict.classes[5].contains(&operands[i]), i == 1);  // infinity is above one
  }
  ASSERT_EQ(strict.boundaries.size(), 11u);
  EXPECT_EQ(strict.boundaries.back().operands, std::vector<uint32_t>{0xbc00});
  ASSERT_GT(strict.rows.size(), 2u);  // those of the operator besides
  EXPECT_EQ(strict.rows[1].expected, 0x3800u);
  EXPECT_EQ(strict.bound, 0u);
  EXPECT_EQ(approximate.id, "float.f16.sin_approx");
  EXPECT_EQ(approximate.summary, "nearly the sine");
  EXPECT_GT(approximate.bound, 0u);
  for (const SpecRow& row : approximate.rows) EXPECT_NE(row.operands[0], 0x3c00u);  // one is nothing special
}

TEST(FloatText, WhatIsNoneIsRefusedWhereItStands) {
  const struct {
    std::string_view old, fresh, at;
  } kCases[] = {
      {"rows: fsin", "rows: sine", "sine"},
      {".sin_approx:", ".sin:", "float.f16.sin"},
      {"(#-one): the", "(#ten): the", "#ten"},
      {"a > $one", "a > $ten", "a > $ten"},
  };
  for (const auto& [old, fresh, at] : kCases) {
    std::string text(kFloatText);
    text.replace(text.find(old), old.size(), fresh);
    text = at_type(text, spec::DataType::F16);
    const auto o = read_operations(text, {});
    ASSERT_FALSE(o) << fresh;
    EXPECT_EQ(text.substr(o.error().span.begin, o.error().span.end - o.error().span.begin), at)
        << o.error().message;
  }
}

}  // namespace
}  // namespace vyre::ops
