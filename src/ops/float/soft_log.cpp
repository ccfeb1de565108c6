// Logarithms: log2(x) = e + log2(m) with m in [sqrt(1/2), sqrt(2)), times a constant for other bases.
//
// Near 1 the result is as small as m - 1 is, so everything there is relative: m - 1 is exact, s = (m - 1) /
// (m + 1) is a quotient of 64 digits, and log2(m) = 2 log2(e) artanh(s) = 2 log2(e) s (1 + s^2/3 + s^4/5 +
// ...), of which twelve terms are taken: s^2 is below 0.0295, so what is left out is below 2^-69. Elsewhere e
// + log2(m) is at least 1/2 and a sum in fixed point. The result is within 2^-58.9 of itself
// (docs/evidence/functions/exponentials.md has the sum), and exact for powers of two to the base 2. Powers of
// ten come out of log10 because their logarithms are numbers of the format, nearer to themselves than to a
// middle.
#include <array>

#include "ops/float/soft_wide.h"

namespace vyre::ops {
namespace {

/// log_b(2) in Q(63 + up), or none for b = 2.
struct Factor {
  uint64_t value;
  uint32_t up;
};
constexpr Factor kNatural = {12786308645202655660u, 1}, kTwo = {0, 0}, kTen = {11106046577046714265u, 2};

/// 2 log2(e) / 4 in Q64.
constexpr uint64_t kTwiceLogarithmOfE = 13306513097844322492u;

// 1 / ((2 k + 1) 16^k) in Q69, rounded to nearest: k = 1 to 8, and 9 to 12.
constexpr std::array<uint64_t, 8> kFirst = {12297829382473034411u, 461168601842738790u, 20587884010836553u,
                                            1000799917193444u,     51177268492847u,     2706490160679u,
                                            146601550370u,         8084644322u};
constexpr std::array<uint32_t, 4> kLast = {452101821u, 25565282u, 1458888u, 83886u};

/// artanh(s) / s - 1 in Q69, of w = 16 s^2 in Q64 below 0.472.
Ex artanh_series(Composer& c, Ex w) { return series(c, kFirst, kLast, w); }

/// A positive number: digits, whose leading bit is bit 63, times 2^(exponent - 64); all zero for zero.
struct Number {
  Ex digits, exponent;
};

/// |log2(m)| of m = (1 + n / 2^31) where above is 0, (1 - n / 2^32) where it is 1, of the part r that the
/// denominator has over 2^32.
Number fraction_of(Composer& c, Ex n, Ex r) {
  const Ex zeros = c.let("zeros", c.leading_zeros(n));
  const Ex denominator = join(c, 0x80000000u + (r >> 1), r << 31);
  const auto [digits, more] = quotient(c, join(c, n << zeros, c.word(0)), denominator);
  const Ex s = c.let("s", digits);                      // s 2^down in Q64, s at most 0.1716
  const Ex down = c.let("down", zeros + 1 - more);      // at least 2
  const Ex moved = c.min((down << 1) - 4, c.word(62));  // 16 s^2
  const Ex square = c.let("square", high64(c, s, s));
  const Halves halved = halves(c, square);
  const Ex far = c.let("far", moved > 31);
  const Ex upper = c.select(far, c.word(0), halved.high), lower = c.select(far, halved.high, halved.low);
  const Ex w = shift_right(c, join(c, upper, lower), moved & 31);

  const Ex sum = c.let("sum", s + shift_right(c, high64(c, s, artanh_series(c, w)), 5));
  const Ex carry = c.let("carry", sum < s);
  const Halves words = halves(c, sum);
  const Ex artanh =
      join(c, (words.high >> carry) | (carry << 31), (words.low >> carry) | ((words.high & carry) << 31));
  const Normal result = normalise_by_one(c, c.let("product", high64(c, artanh, wide(c, kTwiceLogarithmOfE))));
  return {result.value, c.let("exponent", carry + 2 - down - result.zeros)};
}

/// |e + f|, where `opposite` f has the other sign. Domain: |f| is at most 1/2.
Number with_whole(Composer& c, Ex whole, const Number& f, Ex opposite) {
  const Ex moved = shift_right(c, f.digits, c.min(0 - f.exponent, c.word(31)));
  const Ex low = c.let("low", negate_if(c, opposite, moved));
  const Halves l = halves(c, low);
  const Ex high = c.let("high", whole - (opposite & ((l.high | l.low) != 0)));
  const Ex zeros = c.let("zeros", c.leading_zeros(high)), other = c.let("other", zeros ^ 31);
  const Ex digits =
      join(c, (high << zeros) | ((l.high >> 1) >> other), (l.high << zeros) | ((l.low >> 1) >> other));
  const Ex is_whole = c.let("is_whole", high != 0);
  const Ex exponent = c.select(is_whole, 32 - zeros, c.word(0));
  const Ex is_fraction = c.let("is_fraction", whole == 0);
  return {c.let("digits", c.select(is_fraction, f.digits, c.select(is_whole, digits, low))),
          c.let("exponent", c.select(is_fraction, f.exponent, exponent))};
}

Ex logarithm(Composer& c, const Factor& factor, Ex a) {
  const FloatFormat f = c.format;
  const Ex size = c.magnitude(a);
  const auto [scale, significand] = c.normalise(c.unpack(size, 31));
  // m is halved from sqrt(2) on, and below 1 then.
  const Ex below = c.let("below", significand > 0xb504f333u);
  const Ex over = c.let("over", significand - 0x80000000u);
  const Ex n = c.let("n", c.select(below, 0 - significand, over));
  const Number fraction = fraction_of(c, n, c.let("r", c.select(below, significand, over)));

  const Ex e = c.let("e", scale + uint32_t(1 - f.bias()) + below);
  const Ex minus = c.let("minus", c.is_negative(e));
  const Ex whole = c.let("whole", c.select(minus, 0 - e, e));
  Number result = with_whole(c, whole, fraction, c.let("opposite", below ^ minus));
  const Ex negative = c.select(whole == 0, below, minus);
  if (factor.up != 0) {
    const Normal product =
        normalise_by_one(c, c.let("product", high64(c, result.digits, wide(c, factor.value))));
    result = {product.value, result.exponent + 1 - factor.up - product.zeros};
  }

  const Halves digits = halves(c, result.digits);
  Composer::Unpacked unpacked = {result.exponent + uint32_t(f.bias() - 2), digits.high | (digits.low != 0)};
  // The least result is about 2^-precision.
  if (f.bias() <= int32_t(f.precision()) + 2) unpacked = c.denormalise(unpacked);
  const Ex rounded = c.round(unpacked, false) | c.select(negative, c.word(f.sign_bit()), c.word(0));
  const Ex finite = c.select((n | whole) == 0, c.word(0), rounded);
  const Ex positive = c.select(a == f.infinity(), a, finite);
  const Ex is_nan = a > f.infinity();  // the negative ones, too
  const Ex number = c.select(is_nan, c.word(f.nan()), positive);
  return c.select(size == 0, c.word(f.infinity() | f.sign_bit()), number);
}

}  // namespace

Ex soft_log(Composer& c, std::span<const Ex> x) { return logarithm(c, kNatural, x[0]); }
Ex soft_log2(Composer& c, std::span<const Ex> x) { return logarithm(c, kTwo, x[0]); }
Ex soft_log10(Composer& c, std::span<const Ex> x) { return logarithm(c, kTen, x[0]); }

}  // namespace vyre::ops
