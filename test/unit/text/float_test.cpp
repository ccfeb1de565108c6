// Floats: decimal and hexadecimal text to bits and back.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/random.h"
#include "oracle.h"
#include "text/float_text.h"
#include "text/text.h"

VYRE_ORACLE(SpecificationTable,
            "IEEE 754, 4.3.1: the exact midpoints of all neighbours, ties to even; values by hand, with "
            "Python's integers");

namespace vyre::text {
namespace {

using spec::DataType;

constexpr DataType kHalves[] = {DataType::F16, DataType::BF16};

/// The value of a finite pattern without its sign, from the layout of the format (IEEE 754-2019, 3.4). A
/// double holds it exactly, and the midpoint of two neighbours too. The pattern of infinity counts as what
/// would follow the largest.
double value_of(DataType type, uint32_t bits) {
  const int stored = type == DataType::F16 ? 10 : type == DataType::BF16 ? 7 : 23;
  const int bias = type == DataType::F16 ? 15 : 127;
  const int exponent = int(bits >> stored);
  const double fraction = std::ldexp(double(bits & ((1u << stored) - 1)), -stored);
  return exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias);
}

/// All digits of a double: the C library's conversion, which is exact for any number of digits.
std::string exact_text(double value) {
  std::string text(200, '\0');
  text.resize(size_t(std::snprintf(text.data(), text.size(), "%.160e", value)));
  return text;
}

/// A decimal that is larger, or smaller, by far less than any float can show. Domain: exact_text of a
/// positive value.
std::string nudged(const std::string& exact, bool up) {
  const size_t e = exact.find('e');
  std::string digits = exact.substr(0, e);
  if (up) return digits + "1" + exact.substr(e);
  const size_t last = digits.find_last_not_of("0.");
  --digits[last];
  for (size_t i = last + 1; i < digits.size(); ++i) digits[i] = digits[i] == '.' ? '.' : '9';
  return digits + exact.substr(e);
}

/// Around the midpoint of a pattern and the next: below it rounds down, above it up, and on it to the even
/// one.
void expect_rounds_once(DataType type, uint32_t bits, uint32_t infinity) {
  const double midpoint = (value_of(type, bits) + value_of(type, bits + 1)) / 2;
  const std::string exact = exact_text(midpoint);
  const auto next = bits + 1 == infinity ? std::nullopt : std::optional(bits + 1);
  ASSERT_EQ(float_from_decimal(exact, type), bits % 2 == 0 ? std::optional(bits) : next) << exact;
  ASSERT_EQ(float_from_decimal(nudged(exact, false), type), bits) << exact;
  ASSERT_EQ(float_from_decimal(nudged(exact, true), type), next) << exact;
  ASSERT_EQ(float_from_decimal(exact_text(value_of(type, bits)), type), bits) << bits;
}

TEST(Floats, EveryTieOfSixteenBits) {
  for (uint32_t bits = 0; bits < 0x7c00; ++bits)
    ASSERT_NO_FATAL_FAILURE(expect_rounds_once(DataType::F16, bits, 0x7c00));
  for (uint32_t bits = 0; bits < 0x7f80; ++bits)
    ASSERT_NO_FATAL_FAILURE(expect_rounds_once(DataType::BF16, bits, 0x7f80));
}

TEST(Floats, TiesOfThirtyTwoBits) {
  for (const uint32_t bits : {0u, 1u, 2u, 0x7ffffeu, 0x7fffffu, 0x800000u, 0x800001u, 0x3f7fffffu,
                              0x3f800000u, 0x4b7fffffu, 0x4b800000u, 0x7f7ffffeu, 0x7f7fffffu}) {
    ASSERT_NO_FATAL_FAILURE(expect_rounds_once(DataType::F32, bits, 0x7f800000));
  }
  RandomStream random(11, 0);
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_NO_FATAL_FAILURE(expect_rounds_once(DataType::F32, random.below(0x7f800000), 0x7f800000));
  }
}

struct Case {
  std::string_view text;
  DataType type;
  std::array<uint32_t, 4> bits;
};

/// The literals of a program `let r = ...;` a case.
void expect_literals(std::span<const Case> cases) {
  std::string text = "program p() workgroup(1, 1, 1) {\n";
  for (const Case& c : cases) text += "let r = " + std::string(c.text) + ";\n";
  const auto program = parse(text + "}\n");
  ASSERT_TRUE(program.has_value()) << program.error().message;
  ASSERT_EQ(program->code.exprs.size(), cases.size());
  for (size_t i = 0; i < cases.size(); ++i) {
    const ir::Expr& e = program->code.exprs[i];
    EXPECT_EQ(e.kind, ir::ExprKind::Literal) << cases[i].text;
    EXPECT_EQ(e.type, cases[i].type) << cases[i].text;
    EXPECT_EQ(program->code.literal_bits(e), cases[i].bits) << cases[i].text;
  }
}

TEST(Floats, ByHand) {
  // Worked out by hand from the formats; the digits of the traps are midpoints, or one part in 10^30 beside
  // them.
  using enum DataType;
  expect_literals(std::array<Case, 59>{{
      {"0.0", F32, {0}},
      {"-0.0", F32, {0x80000000}},
      {"1.0", F32, {0x3f800000}},
      {"1.5", F32, {0x3fc00000}},
      {"-1.5", F32, {0xbfc00000}},
      {"1e3", F32, {0x447a0000}},
      {"1E+3", F32, {0x447a0000}},
      {"1000e-3", F32, {0x3f800000}},
      {"1_0.5_0", F32, {0x41280000}},
      {"2f32", F32, {0x40000000}},
      {"1.5f32", F32, {0x3fc00000}},
      {"-2f32", F32, {0xc0000000}},
      {"0.1", F32, {0x3dcccccd}},
      {"16777216.0", F32, {0x4b800000}},
      {"16777217.0", F32, {0x4b800000}},  // 2^24 + 1 is a tie, down to even
      {"16777219.0", F32, {0x4b800002}},  // 2^24 + 3 is a tie, up to even
      {"16777217.00000000000000000000000000001", F32, {0x4b800001}},
      {"3.4028235e38", F32, {0x7f7fffff}},
      {"1.1754944e-38", F32, {0x00800000}},
      {"1e-45", F32, {1}},
      {"7.1e-46", F32, {1}},
      {"7e-46", F32, {0}},
      {"1e-999999999999999999999", F32, {0}},
      {"-1e-60", F32, {0x80000000}},
      {"0e999999999999999999999", F32, {0}},
      {"0x1.8p3", F32, {0x41400000}},
      {"0x1P-1", F32, {0x3f000000}},
      {"0xap0", F32, {0x41200000}},
      {"0x0.8p1", F32, {0x3f800000}},
      {"0x1.000001p0", F32, {0x3f800000}},  // a tie, down to even
      {"0x1.000003p0", F32, {0x3f800002}},  // a tie, up to even
      {"0x1.0000010000000000000000000000001p0", F32, {0x3f800001}},
      {"0x1000001p0", F32, {0x4b800000}},
      {"0x1000001.00000000000000000001p0", F32, {0x4b800001}},
      {"0x1.fffffep127", F32, {0x7f7fffff}},
      {"0x1p-149", F32, {1}},
      {"0x1p-150", F32, {0}},
      {"0x1.8p-150", F32, {1}},
      {"0x1p-99999999999999999999", F32, {0}},
      {"0x0p99999999999999999999", F32, {0}},
      {"f32(0x7fc00001)", F32, {0x7fc00001}},
      {"f32(0b1)", F32, {1}},
      {"f32(0xff80_0000)", F32, {0xff800000}},
      {"1.5f16", F16, {0x3e00}},
      {"0x1.8p3f16", F16, {0x4a00}},
      {"65504f16", F16, {0x7bff}},
      {"65519.99f16", F16, {0x7bff}},
      {"1.00048828125f16", F16, {0x3c00}},  // 1 + 2^-11
      {"1.000488281250000000000000000001f16", F16, {0x3c01}},
      {"2.98023223876953125e-8f16", F16, {0}},  // 2^-25
      {"2.980232238769531250000000000001e-8f16", F16, {1}},
      {"-0f16", F16, {0x8000}},
      {"f16(0x7e01)", F16, {0x7e01}},
      {"1.5bf16", BF16, {0x3fc0}},
      {"1.00390625bf16", BF16, {0x3f80}},  // 1 + 2^-8
      {"1.003906250000000000000000000001bf16", BF16, {0x3f81}},
      {"0bf16", BF16, {0}},
      {"0x1.fep127bf16", BF16, {0x7f7f}},
      {"bf16(0x7fc1)", BF16, {0x7fc1}},
  }});
}

TEST(Floats, WideIntegers) {
  using enum DataType;
  expect_literals(std::array<Case, 9>{{
      {"0u64", U64, {0}},
      {"7u64", U64, {7}},
      {"0x1_0000_0002u64", U64, {2, 1}},
      {"18446744073709551615u64", U64, {~0u, ~0u}},
      {"0b1u128", U128, {1}},
      {"18446744073709551616u128", U128, {0, 0, 1}},
      {"340282366920938463463374607431768211455u128", U128, {~0u, ~0u, ~0u, ~0u}},
      {"0x123456789abcdef0fedcba9876543210u128", U128, {0x76543210, 0xfedcba98, 0x9abcdef0, 0x12345678}},
      {"100000000000000000000000000000u128", U128, {0xa0000000, 0x6d7217ca, 0x431e0fae, 1}},
  }});
}

/// Prints the literals, reads them as one program, and compares the bits.
void expect_round_trip(DataType type, std::span<const uint32_t> patterns) {
  std::string text = "program p() workgroup(1, 1, 1) {\n";
  for (const uint32_t bits : patterns) text += "let r = " + print_literal(type, {bits}) + ";\n";
  const auto program = parse(text + "}\n");
  ASSERT_TRUE(program.has_value()) << program.error().message;
  ASSERT_EQ(program->code.exprs.size(), patterns.size());
  for (size_t i = 0; i < patterns.size(); ++i) {
    const ir::Expr& e = program->code.exprs[i];
    ASSERT_TRUE(e.kind == ir::ExprKind::Literal && e.type == type);
    ASSERT_EQ(e.immediate, patterns[i]) << print_literal(type, {patterns[i]});
  }
}

TEST(Floats, EveryPatternOfSixteenBitsReadsBack) {
  VYRE_ORACLE(Property, "the property itself");
  std::vector<uint32_t> patterns(65536);
  for (uint32_t i = 0; i < patterns.size(); ++i) patterns[i] = i;
  for (const DataType type : kHalves) expect_round_trip(type, patterns);
}
TEST(Floats, AMillionPatternsReadBack) {
  VYRE_ORACLE(Property, "every pattern that is printed reads back");
  RandomStream random(12, 0);
  for (int part = 0; part < 4; ++part) {
    std::vector<uint32_t> patterns = {0,          0x80000000, 1,          0x80000001, 0x7fffff,   0x7f800000,
                                      0xff800000, 0x7f800001, 0x7fc00000, 0xffffffff, 0x7f7fffff, 0xff7fffff};
    while (patterns.size() < 250'000) {
      const uint32_t bits = random.next();
      const uint32_t kind = random.below(8);  // subnormals and NaN are rare among all patterns
      patterns.push_back(kind == 0 ? bits & 0x807fffff : kind == 1 ? bits | 0x7f800000 : bits);
    }
    expect_round_trip(DataType::F32, patterns);
  }
}

TEST(Floats, SixteenBitsAreShort) {
  VYRE_ORACLE(CpuReference,
              "the C library's strtod: no decimal of fewer digits lies strictly between the midpoints around "
              "the float");
  for (const DataType type : kHalves) {
    const uint32_t infinity = type == DataType::F16 ? 0x7c00 : 0x7f80;
    for (uint32_t bits = 1; bits < infinity; ++bits) {
      const std::string text = shortest_decimal(type, bits);
      if (text.find_first_of(".e") ==
          std::string::npos) {  // a whole number is exact: zeros take as much room
        ASSERT_EQ(std::strtod(text.c_str(), nullptr), value_of(type, bits)) << text;
        continue;
      }
      std::string digits;
      for (const char c : text.substr(0, text.find('e'))) {
        if (c != '.' && (c != '0' || !digits.empty())) digits += c;
      }
      const size_t count = digits.find_last_not_of('0') + 1;
      if (count < 2) continue;
      const double value = value_of(type, bits);
      const double low = (value_of(type, bits - 1) + value) / 2,
                   high = (value + value_of(type, bits + 1)) / 2;
      const int exponent = int(std::floor(std::log10(value))) - int(count) + 2;
      const long long middle = std::llround(value / std::pow(10.0, exponent));
      for (long long n = middle - 2; n <= middle + 2; ++n) {
        const double shorter =
            std::strtod((std::to_string(n) + "e" + std::to_string(exponent)).c_str(), nullptr);
        ASSERT_FALSE(shorter > low && shorter < high) << text << " could be " << n << "e" << exponent;
      }
    }
  }
}

// The form is that of std::to_chars: without an exponent unless that is shorter.
TEST(Floats, ShortestDecimals) {
  EXPECT_EQ(shortest_decimal(DataType::F32, 0), "0");
  EXPECT_EQ(shortest_decimal(DataType::F32, 0x80000000), "-0");
  EXPECT_EQ(shortest_decimal(DataType::F32, 0x3f800000), "1");
  EXPECT_EQ(shortest_decimal(DataType::F32, 0xbf000000), "-0.5");
  EXPECT_EQ(shortest_decimal(DataType::F32, 0x7149f2ca), "1e+30");
  EXPECT_EQ(shortest_decimal(DataType::F32, 0x3dcccccd), "0.1");
  EXPECT_EQ(shortest_decimal(DataType::F16, 0x3c00), "1");
  EXPECT_EQ(shortest_decimal(DataType::F16, 0x8000), "-0");
  EXPECT_EQ(shortest_decimal(DataType::F16, 0x7bff), "65504");
  EXPECT_EQ(shortest_decimal(DataType::F16, 0x0001), "6e-08");
  EXPECT_EQ(shortest_decimal(DataType::F16, 0x2e66), "0.1");
  EXPECT_EQ(shortest_decimal(DataType::F16, 0x1419), "0.001");
  EXPECT_EQ(shortest_decimal(DataType::BF16, 0x3dcd), "0.1");
  EXPECT_EQ(shortest_decimal(DataType::BF16, 0x7f7f), "3.39e+38");
  EXPECT_EQ(shortest_decimal(DataType::BF16, 0xc2c8), "-100");
  EXPECT_EQ(shortest_decimal(DataType::BF16, 0x0001), "9e-41");
}

}  // namespace
}  // namespace vyre::text
