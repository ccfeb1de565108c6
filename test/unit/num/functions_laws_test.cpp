// What the elementary functions are known to do whatever their values are: symmetries, order, exact points,
// ties.
#include <gtest/gtest.h>

#include "functions_opinions.h"
#include "opinions.h"
#include "oracle.h"

VYRE_ORACLE(Law, "identities of the functions, which rounding to nearest keeps");

namespace vyre::num::test {
namespace {

using Function = uint32_t (*)(FloatFormat, uint32_t);

/// All values of the types of 16 bits, and many of F32.
template <class Body>
void for_values(Body body) {
  for (const FloatFormat f : {spec::kBinary16, spec::kBFloat16}) {
    for (uint32_t a = 0; a < 1u << 16; ++a) body(f, a);
  }
  RandomStream random(11, 1);
  for (uint32_t i = 0; i < 200000; ++i) body(spec::kBinary32, random_operand(spec::kBinary32, random));
}

TEST(FunctionLaws, OddAndEvenFunctionsAreThat) {
  // f(-a) = -f(a) and f(-a) = f(a), of NaN the one NaN; rounding to nearest keeps both.
  Differences differences("symmetry");
  for_values([&](FloatFormat f, uint32_t a) {
    for (const Function odd : std::initializer_list<Function>{sin, tan, asin, atan}) {
      const uint32_t value = odd(f, a);
      differences.expect(odd(f, a ^ f.sign_bit()), f.is_nan(value) ? f.nan() : value ^ f.sign_bit(), a);
    }
    differences.expect(cos(f, a ^ f.sign_bit()), cos(f, a), a);
    const uint32_t up = atan2(f, a, f.one()), back = atan2(f, a, f.one() | f.sign_bit());
    differences.expect(up, atan(f, a), a);
    differences.expect(atan2(f, a ^ f.sign_bit(), f.one() | f.sign_bit()),
                       f.is_nan(back) ? f.nan() : back ^ f.sign_bit(), a);
    const uint32_t square = pow(f, a, f.one() + f.least_normal());
    differences.expect(square, mul(f, a, a), a);
    differences.expect(pow(f, a ^ f.sign_bit(), f.one() + f.least_normal()), square, a);
    differences.expect(pow(f, a, f.one()), f.is_nan(a) ? f.nan() : a, a);
    differences.expect(pow(f, a, f.one() | f.sign_bit()), div(f, f.one(), a), a);
  });
}

TEST(FunctionLaws, MonotoneFunctionsKeepTheOrderOfNeighbours) {
  // a <= b implies f(a) <= f(b), of the arccosine f(b) <= f(a); rounding to nearest keeps order.
  Differences differences("order");
  for_values([&](FloatFormat f, uint32_t a) {
    const uint32_t b = next_up(f, a);
    if (f.is_nan(a)) return;
    for (const Function rising :
         std::initializer_list<Function>{asin, atan, exp, exp2, exp10, log, log2, log10}) {
      const uint32_t low = rising(f, a), high = rising(f, b);
      differences.expect(less(f, high, low), 0, a);
    }
    differences.expect(less(f, acos(f, a), acos(f, b)), 0, a);
  });
}

TEST(FunctionLaws, ExactPointsAreExact) {
  // 2^k, 10^k and their logarithms; n^k and its roots, in integers, and ties as from_integer rounds.
  const FloatFormat f = spec::kBinary32;
  Differences differences("exact points");
  const auto number = [&](int64_t n) { return from_integer(f, n < 0, uint64_t(n < 0 ? -n : n)); };
  const auto power_of_two = [&](int32_t k) {
    return k >= f.min_exponent() ? uint32_t(k + f.bias()) << 23 : 1u << (k + 149);
  };
  for (int32_t k = -149; k <= 127; ++k) {
    differences.expect(exp2(f, number(k)), power_of_two(k), uint32_t(k));
    differences.expect(log2(f, power_of_two(k)), number(k), uint32_t(k));
    differences.expect(pow(f, number(2), number(k)), power_of_two(k), uint32_t(k));
    if (k % 2 == 0)
      differences.expect(pow(f, power_of_two(k), power_of_two(-1)), power_of_two(k / 2), uint32_t(k));
  }
  differences.expect(exp2(f, number(-150)), 0, 150);  // half of the least number: a tie
  for (int64_t k = 0, ten = 1; k <= 10; ++k, ten *= 10) {
    differences.expect(exp10(f, number(k)), number(ten), uint32_t(k));
    differences.expect(log10(f, number(ten)), number(k), uint32_t(k));
  }
  // Integers whose powers have up to 64 bits: exact ones, ties and others.
  uint32_t ties = 0;
  for (int64_t n = 3; n < 8000; n += 2) {
    uint64_t power = uint64_t(n);
    for (int64_t k = 2; power < (uint64_t{1} << 63) / uint64_t(n); ++k) {
      power *= uint64_t(n);
      differences.expect(pow(f, number(n), number(k)), number(int64_t(power)), uint32_t(n), uint32_t(k));
      ties += power >> 24 == 1 ? 1 : 0;  // odd and of 25 bits
      if (power >> 24 == 0 && k == 2)
        differences.expect(pow(f, number(int64_t(power)), power_of_two(-1)), number(n), uint32_t(n));
    }
  }
  EXPECT_GT(ties, 800u);
}

}  // namespace
}  // namespace vyre::num::test
