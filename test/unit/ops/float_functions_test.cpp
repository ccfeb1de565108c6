// The reference functions of the elementary functions, which are Arb's, beside MPFR and the interpreter's
// oracle (num/functions.h): three computations of one value that share no step but the host's numbers.
#include <fmt/format.h>

#include <string>

#include "../num/functions_opinions.h"
#include "../num/opinions.h"
#include "ops/float_reference.h"
#include "ops/registry.h"
#include "oracle.h"

VYRE_ORACLE(CpuReference, "MPFR, and the interpreter's oracle; the reference functions are Arb's");

namespace vyre::ops {
namespace {

using num::test::Differences;
using num::test::Exact;
using num::test::Mpfr;
using spec::DataType;

/// The reference function of float.<type>.<name>, and what MPFR and num/ say.
class Opinions {
 public:
  Opinions(DataType type, std::string_view name)
      : format_(spec::float_format(type)),
        mpfr_(format_),
        operation_(*find_operation(fmt::format("float.{}.{}", spec::text(type), name))),
        by_mpfr_(std::string(operation_.id) + " beside MPFR"),
        by_num_(std::string(operation_.id) + " beside num/") {}

  void expect(const num::test::UnaryFunction& function, uint32_t a) {
    x_.set(format_, a);
    const uint32_t got = operation_.reference(&a);
    by_mpfr_.expect(got, mpfr_.apply(function.mpfr, x_), a);
    by_num_.expect(got, function.num(format_, a), a);
  }
  void expect(const num::test::BinaryFunction& function, uint32_t a, uint32_t b) {
    x_.set(format_, a);
    y_.set(format_, b);
    const uint32_t operands[] = {a, b};
    const uint32_t got = operation_.reference(operands);
    by_mpfr_.expect(got, mpfr_.apply(function.mpfr, x_, y_), a, b);
    by_num_.expect(got, function.num(format_, a, b), a, b);
  }

 private:
  spec::FloatFormat format_;
  Mpfr mpfr_;
  const Operation& operation_;
  Exact x_, y_;
  Differences by_mpfr_, by_num_;
};

constexpr int kDrawn = 100'000;

TEST(FloatFunctions, OfShortFormatsAgreeWithMpfrOnAllValues) {
  for (const DataType type : {DataType::F16, DataType::BF16}) {
    for (const num::test::UnaryFunction& function : num::test::kUnaryFunctions) {
      Opinions opinions(type, function.name);
      for (uint32_t a = 0; a <= 0xffff; ++a) opinions.expect(function, a);
    }
  }
}

TEST(FloatFunctions, OfOneOperandAgreeWithMpfrWhereTheyAreHard) {
  RandomStream random(23, 1);
  for (const num::test::UnaryFunction& function : num::test::kUnaryFunctions) {
    Opinions opinions(DataType::F32, function.name);
    for (const uint32_t a : num::test::directed(spec::kBinary32)) opinions.expect(function, a);
    for (int i = 0; i < kDrawn; ++i)
      opinions.expect(function, num::test::random_operand(spec::kBinary32, random));
  }
}

TEST(FloatFunctions, OfTwoOperandsAgreeWithMpfrWhereTheyAreHard) {
  RandomStream random(23, 2);
  for (const DataType type : {DataType::F16, DataType::BF16, DataType::F32}) {
    const spec::FloatFormat f = spec::float_format(type);
    for (const num::test::BinaryFunction& function : num::test::kBinaryFunctions) {
      Opinions opinions(type, function.name);
      const std::vector<uint32_t> values = num::test::directed(f);
      for (const uint32_t a : values) {
        for (const uint32_t b : values) opinions.expect(function, a, b);
      }
      for (int i = 0; i < kDrawn; ++i) {
        const auto [a, b] = num::test::random_pair(f, random);
        opinions.expect(function, a, b);
      }
    }
  }
}

// Where the value is exact, and where a ball of any precision has two answers: a loop that only makes the
// ball smaller would not end there.
TEST(FloatFunctions, EndWhereTheValueIsExact) {
  VYRE_ORACLE(SpecificationTable, "powers and roots worked out by hand");
  struct Row {
    std::string_view name;
    float a, b, expected;
  };
  const Row rows[] = {
      {"pow", 0x1.8p0f, 2, 0x1.2p1f},
      {"pow", 5764801, 0.125f, 7},                // 7^8
      {"pow", 5764801, 0.625f, 16807},            // 7^5
      {"pow", 5764801, -0.125f, 1 / 7.0f},        // no sum of powers of two
      {"pow", 0x1p-149f, 0.5f, 0x1.6a09e6p-75f},  // an odd exponent has no root
      {"pow", 0x1p-148f, 0.25f, 0x1p-37f},
      {"pow", 0x1p-75f, 2, 0},            // half of the least number: a tie, and zero is even
      {"pow", 0x1.8p-75f, 2, 0x1p-149f},  // 9/8 of the least number
      {"pow", 4097, 2, 16785408},         // 2^24 + 2^13 + 1: a tie
      {"pow", -3, 33, -0x1.3bfefap52f},   // 5559060566555523
      {"pow", 0x1p-149f, 0x1p-149f, 1},
      {"exp2", 0.5f, 0, 0x1.6a09e6p0f},
      {"exp2", -150, 0, 0},  // a tie, and zero is even
      {"exp10", 10, 0, 1e10f},
      {"exp10", -1, 0, 0.1f},
      {"log2", 0x1p-149f, 0, -149},
      {"log10", 1e10f, 0, 10},
      {"log10", 0.1f, 0, -1},  // 0.1 is no float, and this no exact case
  };
  for (const Row& row : rows) {
    const uint32_t operands[] = {std::bit_cast<uint32_t>(row.a), std::bit_cast<uint32_t>(row.b)};
    EXPECT_EQ(find_operation(fmt::format("float.f32.{}", row.name))->reference(operands),
              std::bit_cast<uint32_t>(row.expected))
        << row.name << " " << row.a << " " << row.b;
  }
}

}  // namespace
}  // namespace vyre::ops
