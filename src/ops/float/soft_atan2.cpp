// The angle of a point, in two steps.
//
// A point is reflected until its angle is at most an eighth of a turn, has the tangent n / d, and is the
// arctangent of that (soft_inverse.cpp); the result is this angle or differs from it by a quarter or half
// turn. There are too many pairs of patterns to go through them all. So the first step, of 64 bits, says
// where its digits lie so near to the middle between two numbers that they do not decide, and the second, of
// 128 bits, is for those.
//
// A quotient can be such a middle, or a number of the format, and the angle is then a little less. How much
// less it is, a third of n^2 / d^2 of it, both steps see as long as that counts; below that they take some
// units off and are sure: a quotient that is no middle itself is further from all of them.
//
// Edges (IEEE 754-2019, 9.2.1) need no cases of their own but NaN: a zero or an infinity gives a quotient
// that is as good as zero, or one.
#include <array>

#include "ops/float/soft_angle.h"
#include "ops/float/soft_words.h"
#include "spec/ops.h"

namespace vyre::ops {
namespace {

/// The point (x, y), turned and reflected so that its angle is at most pi/4: that with the tangent
/// numerator / denominator 2^-shift.
struct Octant {
  Ex numerator, denominator;  // leading bits at bit 31
  Ex shift;
  Ex beyond;  // 0 or 1: |y| is greater than |x|
  Ex behind;  // 0 or 1: x has a minus
  Ex itself;  // 0 or 1: neither, so the angle is the result, with all its digits
  /// 0 or 1: it is, and so small that it and the tangent lie on the same side of all middles between two
  /// numbers.
  Ex tangent;
  Ex sign, is_nan;
};

// Where the lesser one is zero or the greater one alone is infinite the tangent is zero, for which a shift
// beyond all numbers stands. Two infinities are equal numbers.
Octant octant(Composer& c, Ex y, Ex x) {
  const FloatFormat f = c.format;
  const Ex y_magnitude = c.magnitude(y), x_magnitude = c.magnitude(x);
  const Ex beyond = c.let("beyond", y_magnitude > x_magnitude);
  const Ex least = c.let("least", c.select(beyond, x_magnitude, y_magnitude));
  const Ex greatest = c.let("greatest", c.select(beyond, y_magnitude, x_magnitude));
  const auto [scale, numerator] = c.normalise(c.unpack(least, 31));
  const auto [greater_scale, denominator] = c.normalise(c.unpack(greatest, 31));
  const Ex zero = (least == 0) | ((greatest == f.infinity()) & (least != f.infinity()));
  const Ex shift = c.let("shift", greater_scale - scale + (zero << 9));
  const Ex behind = c.let("behind", x >> (f.width() - 1));
  const Ex itself = c.let("itself", (beyond | behind) ^ 1);
  return {numerator,
          denominator,
          shift,
          beyond,
          behind,
          itself,
          c.let("tangent", itself & (shift > f.precision() + 6)),
          c.let("sign", y & f.sign_bit()),
          c.let("nan", greatest > f.infinity())};
}

struct Rounded {
  Ex magnitude;
  Ex undecided;  // 0 or 1
};

// What follows the last place that stays is looked at as a word, of which a half is 2^31.
Rounded round_if_sure(Composer& c, Ex digits, Ex exponent) {
  const FloatFormat f = c.format;
  const Halves d = halves(c, digits);
  const Ex zeros = c.let("zeros", c.leading_zeros(d.high)), rest = c.let("rest", zeros ^ 31);
  const Ex high = c.let("high", (d.high << zeros) | ((d.low >> 1) >> rest)),
           low = c.let("low", d.low << zeros);
  const Ex scale = c.let("scale", exponent - zeros + uint32_t(f.bias() - 2));
  const Ex rounded = c.round(c.denormalise({scale, high | 1}));

  const Ex lost = c.let("lost", c.select(c.is_negative(scale), c.min(0 - scale, c.word(31)), c.word(0)));
  const Ex kept = c.let("kept", high >> lost);
  const Ex more = (low >> lost) | ((high << 1) << (lost ^ 31));
  const Ex after = (kept << f.precision()) | (more >> c.spare());
  return {rounded, c.let("undecided", after - 0x7ffffffeu < 4)};
}

Ex with_edges(Composer& c, const Octant& o, const Rounded& r) {
  const Ex result = c.select(o.is_nan, c.word(c.format.nan()), o.sign | r.magnitude);
  return c.builder().vec2u32(result, r.undecided & ((o.is_nan | o.tangent) ^ 1));
}

// The second step.

/// Numbers of 128 bits in two halves.
template <size_t n>
struct Table {
  std::array<uint64_t, n> high, low;
};
// In Q128, to nearest: atan(k/8), and atan(j/64). docs/evidence/functions/angles.py
constexpr Table<9> kEighths = {
    {0, 0x1fd5ba9aac2f6dc6, 0x3eb6ebf25901bac5, 0x5bd86507937bc239, 0x76b19c1586ed3da2, 0x8f005d5ef7f59f9b,
     0xa4bc7d1934f70924, 0xb8053e2bc2319e73, 0xc90fdaa22168c234},
    {0, 0x5912f313e7d111df, 0x5b71e7bd7de885f9, 0xc55190916e7f2242, 0xb7f222f65e1d4682, 0x5c835e1665c43748,
     0x19a87f2a457dac9f, 0xcb2da55210a4443d, 0xc4c6628b80dc1cd1}};
constexpr Table<5> kSixtyFourths = {
    {0, 0x03ffeaab776e5356, 0x07ff556eea5d892a, 0x0bfdc0c2186d14fc, 0x0ffaaddb967ef4e3},
    {0, 0xef9e31590057dd81, 0x13bcebbb6ed46311, 0xf220e10d61df56ec, 0x6cb2792dc0e2e0d5}};
/// pi/2 and pi in Q126.
constexpr Table<2> kTurns = {{0x6487ed5110b4611a, 0xc90fdaa22168c234},
                             {0x62633145c06e0e69, 0xc4c6628b80dc1cd1}};

/// 1 / ((2 k + 1) 64^(2 k)) in Q128, to nearest, for k = 1 to 8.
constexpr std::array<std::array<uint32_t, 4>, 8> kCoefficients = {
    {{0x00055555, 0x55555555, 0x55555555, 0x55555555},
     {0x00000033, 0x33333333, 0x33333333, 0x33333333},
     {0x00000000, 0x02492492, 0x49249249, 0x24924925},
     {0x00000000, 0x00001c71, 0xc71c71c7, 0x1c71c71c},
     {0x00000000, 0x00000001, 0x745d1745, 0xd1745d17},
     {0x00000000, 0x00000000, 0x0013b13b, 0x13b13b14},
     {0x00000000, 0x00000000, 0x00000111, 0x11111111},
     {0x00000000, 0x00000000, 0x00000000, 0x0f0f0f0f}}};

Words words_of(Composer& c, Ex high, Ex low) {
  const Halves h = halves(c, high), l = halves(c, low);
  return {h.high, h.low, l.high, l.low};
}
template <size_t n>
Words pick(Composer& c, Ex index, const Table<n>& table) {
  return words_of(c, pick(c, index, table.high), pick(c, index, table.low));
}

/// a - b where `negative` is set, else a + b.
Words add_signed(Composer& c, const Words& a, Ex negative, const Words& b) {
  return select(c, negative, subtract(c, a, b), add(c, a, b).words);
}

/// A fraction of exact integers, and the sign of the number that it is the magnitude of.
struct Fraction {
  Ex numerator, denominator, negative;
};

/// (n - k / steps d) / (d + k / steps n), both times 2^log_steps: the tangent of the difference of two
/// angles.
Fraction turned(Composer& c, Ex n, Ex d, Ex k, uint32_t log_steps) {
  const Ex wide_k = c.let("k", c.builder().cast(ir::DataType::U64, k));
  const Ex difference = c.let("difference", (n << log_steps) - wide_k * d);
  const Ex negative = c.let("negative", high_word(c, difference) >> 31);
  return {negate_if(c, negative, difference), c.let("sum", (d << log_steps) + wide_k * n), negative};
}

/// words 2^(-128 - zeros), with the leading bit at bit 127, 126 or, where a digit was lost, next to it.
struct Long {
  Words words;
  Ex zeros;
};

// A quotient of 64 digits, its remainder and the quotient of that. Bits below the upper 44 of the normalised
// denominator are zero, and so are those of the remainder, which is less than 4 denominators: it fits without
// them.
//
// Domain: the numerator is below 2^43, the denominator in [2^40, 2^43).
Long long_quotient(Composer& c, Ex numerator, Ex denominator) {
  const auto zeros_of = [&](Ex a) { return c.let("zeros", c.builder().apply(ir::Op::Clz, {a})); };
  const Ex n_zeros = zeros_of(numerator), d_zeros = zeros_of(denominator);
  const Ex n = c.let("n", numerator << n_zeros), d = c.let("d", denominator << d_zeros);
  const Quotient first = quotient(c, n, d);
  const Ex rest = c.let("rest", wide(c, 0) - first.digits * shift_right(c, d, 20));
  const Ex rest_zeros = zeros_of(rest);
  const Quotient second = quotient(c, rest << rest_zeros, d);
  const Words more = shift_right(c, words_of(c, second.digits, wide(c, 0)), rest_zeros - second.more + 44);
  return {add(c, words_of(c, first.digits, wide(c, 0)), more).words,
          c.let("zeros", n_zeros - d_zeros - first.more)};
}

// atan(v) = v - v t, with Taylor's series for t of w = (64 v)^2 < 0.38. Its terms from the ninth on are below
// 2^-125. The smaller a coefficient the fewer words it has, and its product with w.
Words arctangent(Composer& c, const Words& sixty_fourfold, const Words& v) {
  const Words w = multiply(c, sixty_fourfold, sixty_fourfold);
  Words sum;
  for (size_t k = kCoefficients.size(); k-- > 0;) {
    std::span<const uint32_t> words = kCoefficients[k];
    while (words.front() == 0) words = words.subspan(1);
    const Words coefficient = literal(c, words);
    sum = sum.empty() ? coefficient
                      : subtract(c, coefficient,
                                 multiply(c, Words(w.begin(), w.begin() + ptrdiff_t(sum.size())), sum));
  }
  return subtract(c, v, multiply(c, v, multiply(c, w, sum)));
}

/// The angle of an octant's tangent in Q128, times 2^zeros where it is to have all digits.
Long wide_angle(Composer& c, const Octant& o) {
  const auto extended = [&](Ex word) { return c.let("wide", c.builder().cast(ir::DataType::U64, word)); };
  const Ex n = c.let("n", o.numerator >> c.min(o.shift, c.word(31)));
  const Ex k = c.let("k", (rough_quotient(c, n, o.denominator) + (1u << 27)) >> 28);
  const Fraction eighth = turned(c, extended(n), extended(o.denominator), k, 3);
  const Ex upper = c.let("upper", low_word(c, shift_right(c, eighth.denominator, 4)));
  const Ex one = c.let("one", (upper >> 31) ^ 1);
  const Ex rough = rough_quotient(c, low_word(c, shift_right(c, eighth.numerator, 4)) << one, upper << one);
  const Ex j = c.let("j", (rough + (1u << 24)) >> 25);

  // Near zero the fraction as it was, of which nothing was shifted out.
  const Ex first = c.let("first", (k | j) == 0);
  const Ex whole = c.let("whole", c.select(first, extended(o.numerator) << 3, eighth.numerator));
  const Fraction last = turned(c, whole, eighth.denominator, j, 6);
  const Long v = long_quotient(c, last.numerator, last.denominator);
  const Ex zeros = c.let("zeros", v.zeros + c.select(first, o.shift, c.word(0)));
  const Ex direct = c.let("direct", first & o.itself);
  const Words sixty_fourfold = shift_right(c, v.words, c.min(zeros - 6, c.word(127)));
  const Words small =
      arctangent(c, sixty_fourfold, select(c, direct, v.words, shift_right(c, sixty_fourfold, 6)));
  const Words nearer = add_signed(c, pick(c, j, kSixtyFourths), last.negative, small);
  return {add_signed(c, pick(c, k, kEighths), eighth.negative, nearer),
          c.let("zeros", c.select(direct, zeros, c.word(0)))};
}

// Results are right to 2^-117; those nearer than 2^-115 to a half are left open.
Rounded round_if_sure(Composer& c, const Words& digits, Ex exponent) {
  const FloatFormat f = c.format;
  const Ex zeros = c.let("zeros", c.leading_zeros(digits[0]));
  const Words normal = shift_left(c, digits, zeros);
  const Ex scale = c.let("scale", exponent - zeros + uint32_t(f.bias() - 2));
  const Ex rounded = c.round(c.denormalise({scale, normal[0] | 1}));
  const Ex lost = c.select(c.is_negative(scale), c.min(0 - scale, c.word(31)), c.word(0));
  Words after = shift_left(c, shift_right(c, normal, lost), f.precision());
  after.pop_back();
  const Words above = add(c, after, {c.word(32)}).words;
  return {rounded, c.let("undecided", (above[0] == 0x80000000u) & (above[1] == 0) & (above[2] < 64))};
}

}  // namespace

Ex soft_atan2_wide(Composer& c, std::span<const Ex> x) {
  const Octant o = octant(c, x[0], x[1]);
  const Long angle = wide_angle(c, o);
  const Words base = pick(c, o.beyond ^ 1, kTurns);
  const Words other = add_signed(c, base, (o.beyond & o.behind) ^ 1, shift_right(c, angle.words, 2));
  const Words itself = subtract(c, angle.words, {c.let("less", o.tangent << 4), c.word(0), c.word(0)});
  return with_edges(
      c, o,
      round_if_sure(c, select(c, o.itself, itself, other), c.select(o.itself, 0 - angle.zeros, c.word(2))));
}

Ex soft_atan2(Composer& c, std::span<const Ex> x) {
  const Octant o = octant(c, x[0], x[1]);
  const Angle angle = arctangent(c, o.numerator, o.denominator, o.shift, o.itself);
  // In Q62: pi/2 - angle, pi/2 + angle, pi - angle.
  const Ex base = c.select(o.beyond, wide(c, kQuarterTurn >> 1), wide(c, kQuarterTurn));
  const Ex other = add_signed(c, base, (o.beyond & o.behind) ^ 1, shift_right(c, angle.digits, 2));
  const Ex itself = c.let("angle", angle.digits - c.builder().cast(ir::DataType::U64, o.tangent << 4));
  return with_edges(
      c, o,
      round_if_sure(c, c.select(o.itself, itself, other), c.select(o.itself, 0 - angle.zeros, c.word(2))));
}

}  // namespace vyre::ops
