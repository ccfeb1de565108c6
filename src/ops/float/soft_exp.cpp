// Exponentials: b^x = 2^(n + F), an integer n and a fraction F in [0, 1), where n + F = x log2(b).
//
// The product is exact but for the digits of log2(b) from 2^-73 on: x is moved so that F has 64 digits, of
// which the last may be two too small. Then 2^F = 2^(j/16) 2^u/16, a table of 16 and the first ten terms of
// the series of e^(u ln 2 / 16), of which the next is below 2^-71. Together the result is within 2^-61.4 of
// itself, and never exact unless F is 0; docs/evidence/functions/exponentials.md has the sum. Results that
// are numbers of the format, as powers of ten are, are nearer to themselves than to a middle, so they come
// out whichever side they are on.
#include <array>

#include "ops/float/soft_wide.h"

namespace vyre::ops {
namespace {

/// log2 of the base in Q72, least significant word first.
using Scale = std::array<uint32_t, 3>;
constexpr Scale kE = {0x2fe1777d, 0x547652b8, 0x171};
constexpr Scale kTwo = {0, 0, 0x100};
constexpr Scale kTen = {0x6e2bf924, 0x69e12f34, 0x352};

/// 2^(j/16) in Q63, rounded to nearest.
constexpr std::array<uint64_t, 16> kRoots = {
    0x8000000000000000, 0x85aac367cc487b15, 0x8b95c1e3ea8bd6e7, 0x91c3d373ab11c336,
    0x9837f0518db8a96f, 0x9ef5326091a111ae, 0xa5fed6a9b15138ea, 0xad583eea42a14ac6,
    0xb504f333f9de6484, 0xbd08a39f580c36bf, 0xc5672a115506dadd, 0xce248c151f8480e4,
    0xd744fccad69d6af4, 0xe0ccdeec2a94e111, 0xeac0c6e7dd24392f, 0xf5257d152486cc2c};

// (ln 2 / 16)^k / k! in Q68, rounded to nearest: k = 1 to 5, and 6 to 9.
constexpr std::array<uint64_t, 5> kFirst = {12786308645202655660u, 276962305849733589u, 3999492529606752u,
                                            43316202665117u, 375306296874u};
constexpr std::array<uint32_t, 4> kLast = {2709817724u, 16770558u, 90816u, 437u};

/// 2^(u / 16) - 1 in Q68 of u in Q64; at most 20 units too small.
Ex power_of_less_than_a_sixteenth(Composer& c, Ex u) { return series(c, kFirst, kLast, u); }

/// 2^fraction in Q63, of a fraction in Q64.
Ex power_of_two(Composer& c, Ex fraction) {
  const Halves f = halves(c, fraction);
  const Ex u = c.let("u", join(c, (f.high << 4) | (f.low >> 28), f.low << 4));
  const Ex table = c.let("root", pick(c, c.let("index", f.high >> 28), kRoots));
  return c.let("power", table + shift_right(c, high64(c, table, power_of_less_than_a_sixteenth(c, u)), 4));
}

/// A product of a normalised significand and the scale, and three words of it: below 2^10, then Q64.
struct Words {
  Ex high, middle, low;
};
Words scaled(Composer& c, Ex significand, const Scale& scale) {
  Ex sum = product(c, significand, c.word(scale[2]));
  if (scale[0] != 0) {
    const Ex lowest = product(c, significand, c.word(scale[0]));
    const Ex lower =
        c.let("lower", add_word(c, product(c, significand, c.word(scale[1])), high_word(c, lowest)));
    const Halves upper = halves(c, add_word(c, sum, high_word(c, lower)));
    return {upper.high, upper.low, c.let("low", low_word(c, lower))};
  }
  const Halves upper = halves(c, sum);
  return {upper.high, upper.low, c.word(0)};
}

// With x = significand / 2^31 * 2^(7 - right), the words are x log2(b) moved to the left by `right`. From 63
// on the result rounds to 1 whatever it is.
Ex exponential(Composer& c, const Scale& scale, Ex a) {
  const FloatFormat f = c.format;
  const Ex size = c.magnitude(a);
  const Ex negative = c.let("negative", a > f.sign_bit() - 1);
  const auto [exponent, significand] = c.normalise(c.unpack(size, 31));
  const Ex right = c.let("right", uint32_t(6 + f.bias()) - exponent);
  const Ex large = c.let("large", c.is_negative(right));  // |x| >= 2^8
  const Ex by = c.min(right, c.word(63));

  const Words words = scaled(c, significand, scale);
  const Ex far = c.let("far", by > 31);
  const Ex near = c.let("near", by & 31), opposite = c.let("opposite", near ^ 31);
  const Ex high = c.let("high", c.select(far, c.word(0), words.high));
  const Ex middle = c.let("middle", c.select(far, words.high, words.middle));
  const Ex low = c.let("low", c.select(far, words.middle, words.low));
  const Ex whole = c.let("whole", high >> near);
  const Ex fraction = c.let("fraction", join(c, (middle >> near) | ((high << 1) << opposite),
                                             (low >> near) | ((middle << 1) << opposite)));
  const Ex below = c.let("below", negate_if(c, negative, fraction));
  const Ex borrow = (high_word(c, below) | low_word(c, below)) != 0;
  const Ex n = c.select(negative, 0 - whole - borrow, c.min(whole, c.word(255)));

  const Halves power = halves(c, power_of_two(c, below));
  const Ex rounded = c.round(c.denormalise({n + uint32_t(f.bias() - 1), power.high | (power.low != 0)}));
  const Ex limit = c.select(negative, c.word(0), c.word(f.infinity()));
  return c.select(size > f.infinity(), c.word(f.nan()), c.select(large, limit, rounded));
}

}  // namespace

Ex soft_exp(Composer& c, std::span<const Ex> x) { return exponential(c, kE, x[0]); }
Ex soft_exp2(Composer& c, std::span<const Ex> x) { return exponential(c, kTwo, x[0]); }
Ex soft_exp10(Composer& c, std::span<const Ex> x) { return exponential(c, kTen, x[0]); }

}  // namespace vyre::ops
