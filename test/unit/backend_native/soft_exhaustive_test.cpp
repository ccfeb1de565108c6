// The integer compositions on every input of small formats, and every value of 16-bit ones: against num/,
// which was written from the standard by itself.
#include "oracle.h"
#include "soft.h"

VYRE_ORACLE(CpuReference, "num/");

namespace vyre::test {
namespace {

Words every(FloatFormat f) {
  Words out(size_t{1} << f.width());
  for (uint32_t i = 0; i < out.size(); ++i) out[i] = i;
  return out;
}

/// All pairs (or triples) of patterns, the last operand fastest.
std::vector<Words> all_tuples(FloatFormat f, size_t arity) {
  std::vector<Words> out(arity, Words(size_t{1} << (f.width() * arity)));
  for (size_t i = 0; i < out[0].size(); ++i) {
    for (size_t k = 0; k < arity; ++k) out[k][i] = uint32_t(i >> (f.width() * (arity - 1 - k))) & f.mask();
  }
  return out;
}

class SmallFormat : public testing::TestWithParam<FloatFormat> {
 protected:
  void exhaust(size_t arity) const {
    const std::vector<Words> operands = all_tuples(GetParam(), arity);
    for (const Op op : soft_operators(arity)) {
      Columns composition(ops::soft_operator(op, GetParam()));
      expect_columns(composition, operands, [&](const Operands& x) { return oracle(op, GetParam(), x); });
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Soft, SmallFormat, testing::ValuesIn(kSmall), name_format);

TEST_P(SmallFormat, UnaryOperatorsOfEveryValue) { exhaust(1); }
TEST_P(SmallFormat, BinaryOperatorsOfEveryPair) { exhaust(2); }
TEST_P(SmallFormat, MultiplyAddOfEveryTriple) { exhaust(3); }

class HalfWord : public testing::TestWithParam<FloatFormat> {};
INSTANTIATE_TEST_SUITE_P(Soft, HalfWord, testing::Values(spec::kBinary16, spec::kBFloat16), name_format);

TEST_P(HalfWord, UnaryOperatorsOfEveryValue) {
  for (const Op op : soft_operators(1)) {
    Columns composition(ops::soft_operator(op, GetParam()));
    expect_columns(composition, {every(GetParam())},
                   [&](const Operands& x) { return oracle(op, GetParam(), x); });
  }
}

constexpr RoundingMode kModes[] = {RoundingMode::Trunc, RoundingMode::Nearest, RoundingMode::Floor,
                                   RoundingMode::Ceil};

void expect_to_integers(FloatFormat f, const Words& patterns) {
  for (const RoundingMode mode : kModes) {
    Columns to_u32(ops::soft_to_integer(f, DataType::U32, mode));
    expect_columns(to_u32, {patterns}, [&](const Operands& x) { return num::to_u32(f, mode, x[0]); });
    Columns to_i32(ops::soft_to_integer(f, DataType::I32, mode));
    expect_columns(to_i32, {patterns}, [&](const Operands& x) { return num::to_i32(f, mode, x[0]); });
  }
}

TEST(SoftCasts, BetweenFormatsOfEveryValue) {
  std::vector<FloatFormat> formats(std::begin(kSmall), std::end(kSmall));
  formats.insert(formats.end(), std::begin(kLanguage), std::end(kLanguage));
  for (const FloatFormat from : formats) {
    if (from.width() > 16) continue;  // soft_random_test.cpp
    for (const FloatFormat to : formats) {
      Columns composition(ops::soft_convert(from, to));
      expect_columns(composition, {every(from)},
                     [&](const Operands& x) { return num::convert(from, to, x[0]); });
    }
  }
}

TEST(SoftCasts, ToIntegersOfEveryValue) {
  for (const FloatFormat f : kSmall) expect_to_integers(f, every(f));
  expect_to_integers(spec::kBinary16, every(spec::kBinary16));
  expect_to_integers(spec::kBFloat16, every(spec::kBFloat16));
}

}  // namespace
}  // namespace vyre::test
