// Sweeps that take minutes: disabled in ordinary runs, which say how many they leave out. To run one:
//   test_num --gtest_also_run_disabled_tests --gtest_filter='Sweep.*MulAdd*'
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "cases.h"
#include "host.h"
#include "num/arithmetic.h"
#include "opinions.h"
#include "oracle.h"

VYRE_ORACLE(CpuReference, "MPFR, or the host");

namespace vyre::num::test {
namespace {

// Ordinary runs hold the same triples to the definition.
TEST(Sweep, DISABLED_MulAddOnAllTriplesOfEightBits) {
  // MPFR. 2^25 cases, about 10 s.
  for (const FloatFormat f : {FloatFormat{4, 3}, FloatFormat{5, 2}}) {
    Mpfr mpfr(f);
    Differences differences(describe(f) + " mul_add");
    for (uint32_t row = 0; row < 1u << 24; ++row) {
      const uint32_t a = row & 255;
      const uint32_t b = (row >> 8) & 255;
      const uint32_t c = row >> 16;
      differences.expect(mul_add(f, a, b, c), mpfr.mul_add(a, b, c), a, b, c);
    }
    RecordProperty(describe(f), std::to_string(differences.cases()));
  }
}

template <class Num, class Host>
void all_pairs_of_f16(const char* name, Num num, Host host) {
  Differences differences(name);
  std::vector<float> value(1u << 16);
  for (uint32_t a = 0; a < 1u << 16; ++a) value[a] = half_as_float(a);
  for (uint32_t a = 0; a < 1u << 16; ++a) {
    for (uint32_t b = 0; b < 1u << 16; ++b) {
      differences.expect(num(spec::kBinary16, a, b), half_of_float(host(value[a], value[b])), a, b);
    }
  }
  EXPECT_EQ(differences.cases(), uint64_t{1} << 32);
}

TEST(Sweep, DISABLED_AddOnAllPairsOfF16) {
  // The host. 2^32 cases each, one to three minutes.
  all_pairs_of_f16("add", arithmetic::add, [](float a, float b) { return a + b; });
}
TEST(Sweep, DISABLED_SubOnAllPairsOfF16) {
  all_pairs_of_f16("sub", arithmetic::sub, [](float a, float b) { return a - b; });
}
TEST(Sweep, DISABLED_MulOnAllPairsOfF16) {
  all_pairs_of_f16("mul", arithmetic::mul, [](float a, float b) { return a * b; });
}
TEST(Sweep, DISABLED_DivOnAllPairsOfF16) {
  all_pairs_of_f16("div", arithmetic::div, [](float a, float b) { return a / b; });
}

template <class Num, class Host>
void all_values_of_f32(const char* name, Num num, Host host) {
  Differences differences(name);
  for (uint64_t a = 0; a <= 0xffffffffu; ++a) {
    differences.expect(num(uint32_t(a)), host(as_float(uint32_t(a))), uint32_t(a));
  }
}

TEST(Sweep, DISABLED_SqrtOnAllValuesOfF32) {
  // The host. 2^32 cases each, about a minute.
  all_values_of_f32(
      "sqrt", [](uint32_t a) { return arithmetic::sqrt(spec::kBinary32, a); },
      [](float x) { return of_float(std::sqrt(x)); });
}
TEST(Sweep, DISABLED_ConvertToF16OnAllValuesOfF32) {
  all_values_of_f32(
      "convert", [](uint32_t a) { return arithmetic::convert(spec::kBinary32, spec::kBinary16, a); },
      half_of_float);
}

}  // namespace
}  // namespace vyre::num::test
