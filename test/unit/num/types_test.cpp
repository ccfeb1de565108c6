// F32, F16 and BF16 against MPFR: where arithmetic goes wrong, all pairs and triples of such values; at
// random; all values of the 16-bit types where there is one operand.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "cases.h"
#include "opinions.h"
#include "oracle.h"

VYRE_ORACLE(CpuReference, "MPFR");

namespace vyre::num::test {
namespace {

constexpr uint32_t kRandom = 150'000;

TEST(Types, BinaryOperatorsAgreeWithMpfrOnDirectedPairs) {
  for (const FloatFormat f : kTypes) {
    Mpfr mpfr(f);
    const auto values = directed(f);
    ASSERT_GT(values.size(), 120u);
    for (const Binary& op : kBinary) {
      Differences differences(describe(f) + " " + op.name);
      for (const uint32_t a : values) {
        for (const uint32_t b : values) differences.expect(op.num(f, a, b), op.mpfr(mpfr, a, b), a, b);
      }
    }
  }
}

TEST(Types, BinaryOperatorsAgreeWithMpfrAtRandom) {
  for (const FloatFormat f : kTypes) {
    Mpfr mpfr(f);
    for (const Binary& op : kBinary) {
      Differences differences(describe(f) + " " + op.name);
      RandomStream random(1, f.width() * 100 + f.exponent_bits);
      for (uint32_t i = 0; i < kRandom; ++i) {
        const auto [a, b, c] = random_row(f, random);
        differences.expect(op.num(f, a, b), op.mpfr(mpfr, a, b), a, b);
      }
    }
  }
}

// Every directed value meets every other as factor; addends are every third of them, another third for each
// pair, and what cancels the product and its neighbours.
TEST(Types, MulAddAgreesWithMpfrOnDirectedTriples) {
  for (const FloatFormat f : kTypes) {
    Mpfr mpfr(f);
    const auto values = directed(f);
    Differences differences(describe(f) + " mul_add");
    size_t turn = 0;
    const auto check = [&](uint32_t a, uint32_t b, uint32_t c) {
      differences.expect(mul_add(f, a, b, c), mpfr.mul_add(a, b, c), a, b, c);
    };
    for (const uint32_t a : values) {
      for (const uint32_t b : values) {
        for (size_t i = turn++ % 3; i < values.size(); i += 3) check(a, b, values[i]);
        const uint32_t cancelling = mpfr.binary(mpfr_mul, a, b) ^ f.sign_bit();
        for (const uint32_t c : {cancelling - 1, cancelling, cancelling + 1}) check(a, b, c & f.mask());
      }
    }
  }
}

TEST(Types, MulAddAgreesWithMpfrAtRandom) {
  for (const FloatFormat f : kTypes) {
    Mpfr mpfr(f);
    Differences differences(describe(f) + " mul_add");
    RandomStream random(2, f.width() * 100 + f.exponent_bits);
    for (uint32_t i = 0; i < 4 * kRandom; ++i) {
      const auto [a, b, c] = random_row(f, random);
      differences.expect(mul_add(f, a, b, c), mpfr.mul_add(a, b, c), a, b, c);
    }
  }
}

/// All values of a 16-bit type; directed and random ones of F32.
std::vector<uint32_t> values_of(FloatFormat f) {
  std::vector<uint32_t> values;
  if (f.width() <= 16) {
    for (uint32_t a = 0; a <= f.mask(); ++a) values.push_back(a);
    return values;
  }
  values = directed(f);
  // Where integers of 32 bits end, with neighbours.
  for (const uint32_t end : {0x4e800000u, 0x4f000000u, 0x4f800000u}) {
    for (const uint32_t x : {end - 2, end - 1, end, end + 1})
      values.insert(values.end(), {x, x | f.sign_bit()});
  }
  // Halves between integers, and what is just above and below.
  for (uint32_t i = 1; i < 200; ++i) {
    const uint32_t half = uint32_t(Mpfr(f).from_integer(false, i)) - (1u << f.fraction_bits);
    for (const uint32_t x : {half - 1, half, half + 1}) values.insert(values.end(), {x, x | f.sign_bit()});
  }
  RandomStream random(3, 0);
  for (uint32_t i = 0; i < kRandom; ++i) values.push_back(random.next());
  for (uint32_t i = 0; i < kRandom; ++i) {  // between 2^-2 and 2^34, where integers are
    values.push_back((random.next() & 0x807fffffu) | (125 + random.below(36)) << 23);
  }
  return values;
}

TEST(Types, UnaryOperatorsAgreeWithMpfr) {
  for (const FloatFormat f : kTypes) {
    Mpfr mpfr(f);
    const auto values = values_of(f);
    for (const Unary& op : kUnary) {
      Differences differences(describe(f) + " " + op.name);
      for (const uint32_t a : values) differences.expect(op.num(f, a), op.mpfr(mpfr, a), a);
    }
    for (const RoundingMode mode : kModes) {
      Differences integral(describe(f) + " to integral " + std::string(text(mode)));
      Differences u32(describe(f) + " to u32 " + std::string(text(mode)));
      Differences i32(describe(f) + " to i32 " + std::string(text(mode)));
      for (const uint32_t a : values) {
        integral.expect(round_to_integral(f, mode, a), mpfr.round_to_integral(mode, a), a);
        u32.expect(to_u32(f, mode, a), uint32_t(mpfr.to_integer(mode, a, 0, UINT32_MAX)), a);
        i32.expect(to_i32(f, mode, a), uint32_t(mpfr.to_integer(mode, a, INT32_MIN, INT32_MAX)), a);
      }
    }
  }
}

TEST(Types, ConversionsAgreeWithMpfr) {
  std::vector<FloatFormat> all(std::begin(kTypes), std::end(kTypes));
  all.insert(all.end(), std::begin(kSmall), std::end(kSmall));
  for (const FloatFormat from : kTypes) {
    const auto values = values_of(from);
    for (const FloatFormat to : all) {
      Mpfr mpfr(to);
      Differences differences(describe(from) + " to " + describe(to));
      for (const uint32_t a : values) differences.expect(convert(from, to, a), mpfr.convert(from, a), a);
    }
  }
}

// Integers with a leading bit, a bit at, below and above each last place, and all bits.
TEST(Types, IntegersAgreeWithMpfr) {
  std::vector<uint64_t> integers = {0, UINT32_MAX, UINT64_MAX};
  for (uint32_t top = 0; top < 64; ++top) {
    const uint64_t leading = uint64_t{1} << top;
    integers.insert(integers.end(), {leading, leading - 1, leading + 1});
    for (uint32_t low = 0; low < top; ++low) {
      const uint64_t bit = uint64_t{1} << low;
      for (const uint64_t x : {leading | bit, leading | 3 * bit}) {
        integers.insert(integers.end(), {x - 1, x, x + 1});
      }
    }
  }
  RandomStream random(4, 0);
  for (uint32_t i = 0; i < kRandom; ++i) integers.push_back(random.next64() >> random.below(64));

  std::vector<FloatFormat> all(std::begin(kTypes), std::end(kTypes));
  all.insert(all.end(), std::begin(kSmall), std::end(kSmall));
  for (const FloatFormat f : all) {
    Mpfr mpfr(f);
    Differences differences("integer to " + describe(f));
    for (const uint64_t x : integers) {
      for (const bool negative : {false, true}) {
        differences.expect(from_integer(f, negative, x), mpfr.from_integer(negative, x), negative, x);
      }
    }
  }
}

TEST(Types, BitsAboveAPatternAreIgnored) {
  // MPFR on the clean pattern. float.h: the bits above a pattern are ignored in operands and zero in results.
  for (const FloatFormat f : {spec::kBinary16, spec::kBFloat16, FloatFormat{4, 3}}) {
    Mpfr mpfr(f);
    const uint32_t above = 0xa5a5a5a5u & ~f.mask();
    Differences differences(describe(f));
    RandomStream random(5, f.width());
    auto rows = std::vector<std::array<uint32_t, 3>>(2000);
    for (auto& row : rows) row = random_row(f, random);
    const auto values = directed(f);
    for (size_t i = 0; i + 2 < values.size(); ++i) rows.push_back({values[i], values[i + 1], values[i + 2]});
    for (const auto& [a, b, c] : rows) {
      const uint32_t x = a | above;
      const uint32_t y = b | above;
      for (const Binary& op : kBinary) {
        differences.expect(op.num(f, x, b), op.mpfr(mpfr, a, b), a, b);
        differences.expect(op.num(f, a, y), op.mpfr(mpfr, a, b), a, b);
      }
      differences.expect(mul_add(f, x, y, c | above), mpfr.mul_add(a, b, c), a, b, c);
      differences.expect(sqrt(f, x), mpfr.unary(mpfr_sqrt, a), a);
      differences.expect(negate(f, x), a ^ f.sign_bit(), a);
      differences.expect(abs(f, x), a & ~f.sign_bit(), a);
      differences.expect(convert(f, spec::kBinary32, x), Mpfr(spec::kBinary32).convert(f, a), a);
      differences.expect(round_to_integral(f, RoundingMode::Floor, x),
                         mpfr.round_to_integral(RoundingMode::Floor, a), a);
      differences.expect(to_i32(f, RoundingMode::Nearest, x),
                         uint32_t(mpfr.to_integer(RoundingMode::Nearest, a, INT32_MIN, INT32_MAX)), a);
    }
  }
}

}  // namespace
}  // namespace vyre::num::test
