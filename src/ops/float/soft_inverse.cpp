// Arc sine, arc cosine and arc tangent.
//
// An angle is one of a few that are known, which is near, and a small one, whose series is short. Tangents
// give the small one by division, t = (n - k/8 d) / (d + k/8 n), sines by a rotation, sin(a - b) = sin a cos
// b - cos a sin b, with k/8 the tangent or the sine of the known one. Near zero there is no known one, and
// the series keeps all digits.
#include "ops/float/soft_angle.h"

namespace vyre::ops {
namespace {

// atan(v) for |v| < 0.07 with a relative error below 2^-68.6, asin(v) for |v| < 0.091 with one below 2^-65.5.
// docs/evidence/functions/inverse.sollya
constexpr OddSeries kArctangent = {
    {12297829382473034394u, 115292150460680917u, 1286742750536887u, 15637496796182u},
    {3123428887, 40775818},
    true};
constexpr OddSeries kArcsine = {{6148914691236517122u, 43234556422768047u, 402107109338640u, 4275880545573u},
                                {768588489, 9504929},
                                false};

// In Q64, to nearest: atan(k/8), asin(k/8) and cos(asin(k/8)), of which 1 is less 2^-64.
// docs/evidence/functions/angles.py
constexpr std::array<uint64_t, 9> kAngleOfTangent = {0,
                                                     2293944758691655110u,
                                                     4519058702220769989u,
                                                     6618150735634481722u,
                                                     8552788783625223587u,
                                                     10304338609892073371u,
                                                     11870500265058044196u,
                                                     13260073035524841076u,
                                                     14488038916154245685u};
constexpr std::array<uint64_t, 7> kAngleOfSine = {0,
                                                  2311890426870381592u,
                                                  4661127999085556857u,
                                                  7090868921880497172u,
                                                  9658692610769497123u,
                                                  12453978604180633491u,
                                                  15643984129589436481u};
constexpr std::array<uint64_t, 7> kCosine = {
    ~uint64_t{0},          18302061494208754843u, 17860983147306864012u, 17100589436410707888u,
    15975348984942515102u, 14399984977160458002u, 12201374329472503228u};

/// k of k/8 next to q in Q31, halves upwards.
Ex eighths(Composer& c, Ex q) { return c.let("k", (q + (1u << 27)) >> 28); }

/// numerator / denominator in Q29. Domain: below 8.
constexpr uint32_t q29(uint64_t numerator, uint64_t denominator) {
  return uint32_t((numerator << 29) / denominator);
}

}  // namespace

// The parabola is the first estimate of division, whose error is at most 1/99 (soft_divide.cpp); so 1/64 goes
// off.
Ex rough_quotient(Composer& c, Ex a, Ex b) {
  const Ex line = c.let("line", q29(64, 11) - c.high(b, c.word(q29(256, 99))));
  const Ex q = c.let("q", c.high(a, (q29(140, 33) - c.high(b, line)) << 2));
  return c.let("rough", q - (q >> 6));
}

Ex odd_series(Composer& c, const OddSeries& series, Ex eightfold, Ex v) {
  const auto step = [&](Ex coefficient, Ex product) {
    return c.let("sum", series.alternating ? coefficient - product : coefficient + product);
  };
  const Ex square = c.let("square", high64(c, eightfold, eightfold));
  const Ex high = c.let("high", high_word(c, square));
  const Ex word = step(c.word(series.last[0]), c.high(high, c.word(series.last[1])));
  Ex sum = step(wide(c, series.first[3]), shift_right(c, product(c, high, word), 65 + 32 - 71));
  for (uint32_t k = 3; k-- > 0;) sum = step(wide(c, series.first[k]), high64(c, square, sum));
  const Ex tail = c.let("tail", high64(c, square, sum));  // Q71
  return step(v, shift_right(c, high64(c, v, tail), 71 - 64));
}

// k = 0 for t below 0.0642 at most, else t >= 1/16; so shift is then at most 4, and n is exact. |n - k/8 d|
// is at most 0.067 (d + k/8 n).
Angle arctangent(Composer& c, Ex numerator, Ex denominator, Ex shift, Ex relative) {
  const Ex k = eighths(c, rough_quotient(c, numerator >> c.min(shift, c.word(31)), denominator));
  const Ex first = c.let("first", k == 0);

  // eight times n - k/8 d and d + k/8 n, exactly
  const Ex n = c.let("n", (numerator >> 4) >> c.select(first, c.word(0), shift)),
           d = c.let("d", denominator >> 4);
  const Ex difference = c.let("difference", (n << 3) - k * d), sum = c.let("sum", (d << 3) + k * n);
  const Ex negative = c.let("negative", difference >> 31);
  const Ex size = c.let("size", c.select(negative, 0 - difference, difference));
  const Ex n_zeros = c.let("n_zeros", c.leading_zeros(size)),
           d_zeros = c.let("d_zeros", c.leading_zeros(sum));
  const Quotient v = quotient(c, join(c, size << n_zeros, c.word(0)), join(c, sum << d_zeros, c.word(0)));
  const Ex zeros = c.let("zeros", n_zeros - d_zeros - v.more + c.select(first, shift, c.word(0)));

  const Ex eightfold = c.let("eightfold", v.digits >> c.min(zeros - 3, c.word(63)));
  const Ex direct = c.let("direct", first & relative);
  const Ex small = odd_series(c, kArctangent, eightfold,
                              c.let("v", c.select(direct, v.digits, shift_right(c, eightfold, 3))));
  const Ex angle = add_signed(c, pick(c, k, kAngleOfTangent), negative, small);
  return {angle, c.let("zeros", c.select(direct, zeros, c.word(0)))};
}

// Beyond one, atan(x) = pi/2 - atan(1 / x). Infinity is as good as any great number.
Ex soft_atan(Composer& c, std::span<const Ex> x) {
  const FloatFormat f = c.format;
  const Ex magnitude = c.magnitude(x[0]);
  const auto [scale, significand] = c.normalise(c.unpack(magnitude, 31));
  const Ex above = c.let("above", scale - uint32_t(f.bias() - 1));  // x = significand / 2^31 2^above
  const Ex small = c.let("small", c.is_negative(above)), infinite = magnitude == f.infinity();
  const Ex one = c.word(1u << 31);
  const Angle angle = arctangent(c, c.let("numerator", c.select(small, significand, one)),
                                 c.let("denominator", c.select(small, one, significand)),
                                 c.let("shift", c.select(small, 0 - above, above) + (infinite << 6)), small);
  const Ex beyond = wide(c, kQuarterTurn) - shift_right(c, angle.digits, 1);  // Q63
  const Ex rounded = round_inexact(c, c.let("digits", c.select(small, angle.digits, beyond)),
                                   c.select(small, 0 - angle.zeros, c.word(1)));
  const Ex number = c.select(magnitude == 0, c.word(0), rounded);
  return c.select(magnitude > f.infinity(), c.word(f.nan()), (x[0] & f.sign_bit()) | number);
}

namespace {

/// The angle with the sine |x| or, where that is smaller, with the cosine |x|.
struct Nearest {
  Ex of_cosine;  // 0 or 1
  Ex digits;     // digits 2^(-63 - zeros); zeros is 0 except where it has all digits
  Ex zeros;
};

// 1 - x^2 is exact for |x| >= 1/2, so its root, too, has all its digits. Of sines at most 0.7072 the known
// one is at most 6/8, and what is left has a sine of at most 0.0902.
//
// `wanted`: 0 or 1, whether an angle of the kind (of a cosine or not) that `wants_cosine` says is to have all
// digits.
Nearest nearest_angle(Composer& c, Ex magnitude, Ex wanted, bool wants_cosine) {
  const auto [scale, significand] = c.normalise(c.unpack(magnitude, 31));
  const Ex shift = c.let("shift", uint32_t(c.format.bias() - 1) - scale);  // x = significand 2^(-31 - shift)
  const Ex x = c.let("x", join(c, significand, c.word(0)) >> c.min(shift, c.word(63)));   // Q63
  const Ex square = c.let("square", wide(c, uint64_t{1} << 62) - high64_exact(c, x, x));  // 1 - x^2, Q62
  const Ex up = c.let("up", c.leading_zeros(high_word(c, square))), zeros = c.let("zeros", up >> 1);
  const Ex whole = root(c, shift_left(c, square, up & 30));  // sqrt(1 - x^2) 2^(63 + zeros)
  const Ex y = shift_right(c, whole, zeros);                 // Q63

  const Ex of_cosine = c.let("of_cosine", high_word(c, x) > high_word(c, y));
  const Ex sine = c.let("sine", c.select(of_cosine, y, x)),
           cosine = c.let("cosine", c.select(of_cosine, x, y));
  const Ex k = eighths(c, high_word(c, sine));
  const Ex turned = shift_right_product(c, cosine, k, 3);
  const Ex difference = c.let("difference", high64_exact(c, sine, pick(c, k, kCosine)) - turned);
  const Ex negative = c.let("negative", high_word(c, difference) >> 31);
  const Ex size = negate_if(c, negative, difference);  // Q63

  const Ex direct = c.let("direct", (k == 0) & wanted & (wants_cosine ? of_cosine : of_cosine ^ 1));
  const Ex all = c.select(of_cosine, shift_right(c, whole, 1), join(c, significand >> 1, c.word(0)));
  const Ex small =
      odd_series(c, kArcsine, c.let("eightfold", size << 4), c.let("v", c.select(direct, all, size)));
  const Ex angle = add_signed(c, shift_right(c, pick(c, k, kAngleOfSine), 1), negative, small);
  const Ex exponent = c.select(direct, c.select(of_cosine, zeros, shift) - 1, c.word(0));
  return {of_cosine, angle, c.let("exponent", exponent)};
}

}  // namespace

Ex soft_asin(Composer& c, std::span<const Ex> x) {
  const FloatFormat f = c.format;
  const Ex magnitude = c.magnitude(x[0]);
  const Nearest angle = nearest_angle(c, magnitude, c.word(1), false);
  const Ex digits = c.select(angle.of_cosine, wide(c, kQuarterTurn) - angle.digits, angle.digits);
  const Ex rounded = round_inexact(c, digits, 1 - angle.zeros);
  const Ex number = c.select(magnitude == 0, c.word(0), rounded);
  return c.select(magnitude > f.one(), c.word(f.nan()), (x[0] & f.sign_bit()) | number);
}

// Near 1 the angle itself; otherwise pi/2 - it or, of negative x, pi/2 + it and near -1 pi - it.
Ex soft_acos(Composer& c, std::span<const Ex> x) {
  const FloatFormat f = c.format;
  const Ex magnitude = c.magnitude(x[0]);
  const Ex negative = c.let("negative", x[0] >> (f.width() - 1)), positive = c.let("positive", negative ^ 1);
  const Nearest angle = nearest_angle(c, magnitude, positive, true);
  const Ex base = c.select(angle.of_cosine, wide(c, kQuarterTurn), wide(c, kQuarterTurn >> 1));  // Q62
  const Ex other = add_signed(c, base, negative ^ angle.of_cosine ^ 1, shift_right(c, angle.digits, 1));
  const Ex itself = c.let("itself", angle.of_cosine & positive);
  const Ex digits = c.select(itself, angle.digits, other);
  const Ex rounded = round_inexact(c, digits, c.select(itself, 1 - angle.zeros, c.word(2)));
  const Ex number = c.select(x[0] == f.one(), c.word(0), rounded);
  return c.select(magnitude > f.one(), c.word(f.nan()), number);
}

}  // namespace vyre::ops
