// The integer compositions at 16 and 32 bits, on inputs drawn to be hard: against num/, and at 32 bits
// against the host's arithmetic, which knows neither.
#include <bit>
#include <cmath>

#include "oracle.h"
#include "soft.h"
#include "spec/ops.h"

VYRE_ORACLE(
    CpuReference,
    "num/, and the host's arithmetic (IEEE 754, nearest even; this program is compiled without contraction)");

namespace vyre::test {
namespace {

constexpr size_t kRandomRows = size_t{1} << 18;

/// Operands that meet: the second is near the first, and the third near the negated product of both.
std::vector<Words> drawn(FloatFormat f, size_t arity, uint64_t stream) {
  Draw draw(f, stream);
  std::vector<Words> out(arity, Words(kRandomRows));
  for (size_t i = 0; i < kRandomRows; ++i) {
    out[0][i] = draw.any();
    if (arity > 1) out[1][i] = draw.random().chance(2) ? draw.any() : draw.near(out[0][i]);
    if (arity > 2) {
      const uint32_t product = num::mul(f, out[0][i], out[1][i]);
      out[2][i] = draw.random().chance(3) ? draw.any() : draw.near(product ^ f.sign_bit());
    }
  }
  return out;
}

class LanguageFormat : public testing::TestWithParam<FloatFormat> {
 protected:
  void compare(size_t arity) const {
    const std::vector<Words> operands = drawn(GetParam(), arity, arity);
    for (const Op op : soft_operators(arity)) {
      Columns composition(ops::soft_operator(op, GetParam()));
      expect_columns(composition, operands, [&](const Operands& x) { return oracle(op, GetParam(), x); });
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Soft, LanguageFormat, testing::ValuesIn(kLanguage), name_format);
// Corners of soft_format(): the fewest exponents for the longest fraction of one word, and products of one
// word with sums of two.
constexpr FloatFormat kCorners[] = {{3, 10}, {6, 15}};
static_assert(ops::soft_format(kCorners[0]) && ops::soft_format(kCorners[1]));
INSTANTIATE_TEST_SUITE_P(SoftCorners, LanguageFormat, testing::ValuesIn(kCorners), name_format);

TEST_P(LanguageFormat, UnaryOperators) { compare(1); }
TEST_P(LanguageFormat, BinaryOperators) { compare(2); }
TEST_P(LanguageFormat, MultiplyAdd) { compare(3); }

float number(uint32_t bits) { return std::bit_cast<float>(bits); }
uint32_t pattern(float x) { return std::isnan(x) ? spec::kBinary32.nan() : std::bit_cast<uint32_t>(x); }

TEST(SoftBinary32, ArithmeticIsTheHosts) {
  struct Case {
    Op op;
    uint32_t (*host)(const Operands& x);
  };
  const Case cases[] = {
      {Op::FAdd, [](const Operands& x) { return pattern(number(x[0]) + number(x[1])); }},
      {Op::FSub, [](const Operands& x) { return pattern(number(x[0]) - number(x[1])); }},
      {Op::FMul, [](const Operands& x) { return pattern(number(x[0]) * number(x[1])); }},
      {Op::FDiv, [](const Operands& x) { return pattern(number(x[0]) / number(x[1])); }},
      {Op::FSqrt, [](const Operands& x) { return pattern(std::sqrt(number(x[0]))); }},
      {Op::FMulAdd,
       [](const Operands& x) { return pattern(std::fma(number(x[0]), number(x[1]), number(x[2]))); }},
      {Op::FLt, [](const Operands& x) { return uint32_t(number(x[0]) < number(x[1])); }},
      {Op::FGe, [](const Operands& x) { return uint32_t(number(x[0]) >= number(x[1])); }},
      {Op::FEq, [](const Operands& x) { return uint32_t(number(x[0]) == number(x[1])); }},
      {Op::FRound, [](const Operands& x) { return pattern(std::nearbyint(number(x[0]))); }},
      {Op::FFloor, [](const Operands& x) { return pattern(std::floor(number(x[0]))); }},
  };
  for (const Case& c : cases) {
    const size_t arity = *spec::operand_count(c.op);
    Columns composition(ops::soft_operator(c.op, spec::kBinary32));
    expect_columns(composition, drawn(spec::kBinary32, arity, 16 + arity), c.host);
  }
}

// Every significand once as a divisor: the reciprocal's error depends on nothing else.
TEST(SoftBinary32, DivisionByEverySignificand) {
  Columns composition(ops::soft_operator(Op::FDiv, spec::kBinary32));
  constexpr uint32_t kBlock = 1u << 20;
  RandomStream random(0x736f6674, 40);
  for (uint32_t first = 0; first < 1u << 23; first += kBlock) {
    std::vector<Words> operands(2, Words(kBlock));
    for (uint32_t i = 0; i < kBlock; ++i) {
      // The greatest quotients show the error of the estimate most: dividends just below the divisor and just
      // below 2.
      const uint32_t divisor = first + i, draw = random.next();
      const uint32_t below = (draw & 1) != 0 ? divisor - 1 - (draw >> 8 & 3) : 0x7fffff - (draw >> 8 & 0xff);
      operands[0][i] = 0x3f800000 | (below & 0x7fffff);
      operands[1][i] = 0x3f800000 | divisor;
    }
    expect_columns(composition, operands,
                   [](const Operands& x) { return pattern(number(x[0]) / number(x[1])); });
  }
}

// Every significand with both parities of the exponent.
TEST(SoftBinary32, RootOfEverySignificand) {
  Columns composition(ops::soft_operator(Op::FSqrt, spec::kBinary32));
  constexpr uint32_t kBlock = 1u << 20;
  for (uint32_t first = 0x3f800000; first < 0x40800000; first += kBlock) {
    Words operand(kBlock);
    for (uint32_t i = 0; i < kBlock; ++i) operand[i] = first + i;
    expect_columns(composition, {operand},
                   [](const Operands& x) { return pattern(std::sqrt(number(x[0]))); });
  }
}

TEST(SoftCasts, FromBinary32) {
  const FloatFormat f = spec::kBinary32;
  const std::vector<Words> patterns = drawn(f, 1, 7);
  for (const FloatFormat to : {kLanguage[0], kLanguage[1], kLanguage[2], kSmall[0], kSmall[1], kSmall[2]}) {
    Columns composition(ops::soft_convert(f, to));
    expect_columns(composition, patterns, [&](const Operands& x) { return num::convert(f, to, x[0]); });
  }
  // Most of what integers hold, and its edges: exponents from 2^-3 to 2^34.
  Words near_integers = patterns[0];
  for (size_t i = 0; i < near_integers.size(); i += 2) {
    near_integers[i] = (near_integers[i] & 0x807fffff) | uint32_t(124 + i / 2 % 38) << 23;
  }
  for (const RoundingMode mode :
       {RoundingMode::Trunc, RoundingMode::Nearest, RoundingMode::Floor, RoundingMode::Ceil}) {
    Columns to_u32(ops::soft_to_integer(f, DataType::U32, mode));
    expect_columns(to_u32, {near_integers}, [&](const Operands& x) { return num::to_u32(f, mode, x[0]); });
    Columns to_i32(ops::soft_to_integer(f, DataType::I32, mode));
    expect_columns(to_i32, {near_integers}, [&](const Operands& x) { return num::to_i32(f, mode, x[0]); });
  }
}

/// Integers of every size, few bits set or few clear below the leading one, so that ties come up.
uint64_t draw_integer(RandomStream& random) {
  uint64_t x = uint64_t{random.next()} << 32 | random.next();
  if (random.chance(2)) {
    x = 0;
    for (uint32_t i = 1 + random.below(4); i > 0; --i) x |= uint64_t{1} << random.below(64);
    if (random.chance(2)) x = ~x;
  }
  return x >> random.below(64);
}

TEST(SoftCasts, FromIntegers) {
  RandomStream random(0x736f6674, 8);
  Words words(kRandomRows), pairs;
  for (uint32_t& word : words) word = uint32_t(draw_integer(random));
  std::vector<uint64_t> wide(kRandomRows);
  for (uint64_t& x : wide) x = draw_integer(random);
  wide[0] = 0, wide[1] = UINT64_MAX, words[0] = 0, words[1] = UINT32_MAX, words[2] = 0x80000000;
  for (const uint64_t x : wide) pairs.push_back(uint32_t(x)), pairs.push_back(uint32_t(x >> 32));
  for (const FloatFormat f : {kLanguage[0], kLanguage[1], kLanguage[2], kSmall[0], kSmall[1], kSmall[2]}) {
    Columns from_u32(ops::soft_from_integer(DataType::U32, f));
    expect_columns(from_u32, {words}, [&](const Operands& x) { return num::from_integer(f, false, x[0]); });
    Columns from_i32(ops::soft_from_integer(DataType::I32, f));
    expect_columns(from_i32, {words}, [&](const Operands& x) {
      const bool negative = x[0] >> 31 != 0;
      return num::from_integer(f, negative, negative ? 0u - x[0] : x[0]);
    });
    Columns from_u64(ops::soft_from_integer(DataType::U64, f));
    const Words results = from_u64.apply({pairs}, wide.size());
    size_t wrong = 0;
    for (size_t i = 0; i < wide.size(); ++i) wrong += results[i] != num::from_integer(f, false, wide[i]);
    EXPECT_EQ(wrong, 0u) << from_u64.name();
  }
}

// The checked compositions are those of the table.
TEST(SoftTable, HasEveryOperatorAndCastOfTheLanguage) {
  VYRE_ORACLE(Property, "their signatures, and one value of each");
  for (const DataType type : {DataType::F16, DataType::BF16, DataType::F32}) {
    for (const spec::OpInfo& op : spec::kOps) {
      if (!ops::has_soft(op.op)) continue;
      const check::CheckedFunction& function = ops::soft(op.op, type);
      EXPECT_EQ(&function, &ops::soft(op.op, type));
      EXPECT_EQ(function.function->parameters.size(), *spec::operand_count(op.op));
      const DataType result = ops::has_second_step(op.op) ? DataType::Vec2U32 : DataType::U32;
      EXPECT_EQ(function.function->result_type, result);
      if (result == DataType::U32) continue;
      const check::CheckedFunction& second = ops::soft_second(op.op, type);
      EXPECT_EQ(&second, &ops::soft_second(op.op, type));
      EXPECT_EQ(second.function->result_type, result);
    }
    for (const DataType from : {DataType::U32, DataType::I32, DataType::U64, DataType::F16, DataType::BF16}) {
      if (from == type) continue;
      const check::CheckedFunction& function = ops::soft_cast(from, type, RoundingMode::None);
      EXPECT_EQ(function.function->parameters[0].type, from == DataType::U64 ? DataType::U64 : DataType::U32);
    }
    const check::CheckedFunction& floor = ops::soft_cast(type, DataType::I32, RoundingMode::Floor);
    EXPECT_NE(&floor, &ops::soft_cast(type, DataType::I32, RoundingMode::Ceil));
    EXPECT_NE(&floor, &ops::soft_cast(type, DataType::U32, RoundingMode::Floor));
  }
}

}  // namespace
}  // namespace vyre::test
