// The arithmetic of float.h, inline: the same functions for callers that know the format and have many cases.
//
// The plan is the standard's: a pattern is taken apart into a Number, an integer times a power of two; the
// operation is done on Numbers, exactly; and round() makes a pattern of the result, the only place where
// anything is lost. A result with too many bits to hold (a quotient, a root, the sum of distant numbers)
// keeps some bits more than the format and its lowest bit is set if anything nonzero was left out ("sticky").
// That rounds like the exact result: the lowest bit is below half of the last place kept, so it can only tell
// ties and exact results from others, which is what it knows.
//
// Every function is forced inline: with a constant format nothing of the format is left in the code (columns
// in float.h are that already; float.cpp says why they call a function for each row). Formats have 2 to 8
// bits of exponent and 1 to 23 of fraction. Source: IEEE 754-2019, 3.4, 4.3.1, 5.3 to 5.11, 6.3, 7.4.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "spec/float_format.h"
#include "spec/types.h"

#define VYRE_NUM_INLINE [[gnu::always_inline]] constexpr

namespace vyre::num::arithmetic {

using spec::FloatFormat;
using spec::RoundingMode;

/// (-1)^negative * magnitude * 2^exponent; a zero has a sign too.
template <class Word>
struct Number {
  bool negative = false;
  int32_t exponent = 0;
  Word magnitude = 0;
};
__extension__ using Wide = unsigned __int128;

template <class Word>
inline constexpr int32_t kWidth = int32_t(sizeof(Word) * 8);

VYRE_NUM_INLINE int32_t leading_zeros(uint64_t x) { return std::countl_zero(x); }
VYRE_NUM_INLINE int32_t leading_zeros(Wide x) {
  const auto high = uint64_t(x >> 64);
  return high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(uint64_t(x));
}

/// x * 2^-distance, the lowest bit set if anything was shifted out. Domain: distance >= 0.
template <class Word>
VYRE_NUM_INLINE Word shift_sticky(Word x, int32_t distance) {
  // A longer shift leaves the sticky bit alone, and so does this one.
  if (distance >= kWidth<Word>) distance = kWidth<Word> - 1;
  const Word kept = x >> distance;
  return kept | Word((kept << distance) != x);
}

VYRE_NUM_INLINE uint32_t magnitude_bits(FloatFormat f, uint32_t a) { return a & f.mask() & ~f.sign_bit(); }
VYRE_NUM_INLINE bool is_negative(FloatFormat f, uint32_t a) { return (a & f.sign_bit()) != 0; }
VYRE_NUM_INLINE bool is_zero(FloatFormat f, uint32_t a) { return magnitude_bits(f, a) == 0; }
/// An infinity or NaN.
VYRE_NUM_INLINE bool is_special(FloatFormat f, uint32_t a) { return magnitude_bits(f, a) >= f.infinity(); }
VYRE_NUM_INLINE uint32_t with_sign(FloatFormat f, bool negative, uint32_t magnitude) {
  return magnitude | uint32_t(negative) << (f.width() - 1);
}

/// The number a finite pattern stands for. Subnormals have the exponent of the least normal numbers.
VYRE_NUM_INLINE Number<uint64_t> unpack(FloatFormat f, uint32_t a) {
  const uint32_t field = magnitude_bits(f, a) >> f.fraction_bits;
  const uint32_t normal = field != 0;
  return {.negative = is_negative(f, a),
          .exponent = int32_t(field) + int32_t(1 - normal) - f.bias() - int32_t(f.fraction_bits),
          .magnitude = (a & f.fraction_mask()) | normal << f.fraction_bits};
}

/// The same number with the magnitude's highest bit set. Domain: not zero.
VYRE_NUM_INLINE Number<uint64_t> normalized(Number<uint64_t> x) {
  const int32_t shift = leading_zeros(x.magnitude);
  return {x.negative, x.exponent - shift, x.magnitude << shift};
}

/// x * 2^-distance as an integer, as `mode` says. Domain: 1 <= distance; a mode, not None.
VYRE_NUM_INLINE uint64_t round_off(RoundingMode mode, bool negative, uint64_t x, int32_t distance) {
  if (distance > 63) {  // two bits and the sticky one say all that any mode asks
    x = shift_sticky(x, distance - 2);
    distance = 2;
  }
  const uint64_t kept = x >> distance;
  const uint64_t rest = x - (kept << distance);
  const uint64_t half = uint64_t{1} << (distance - 1);
  switch (mode) {
    case RoundingMode::None:
    case RoundingMode::Trunc: return kept;
    case RoundingMode::Nearest: return kept + uint64_t(rest + (kept & 1) > half);
    case RoundingMode::Floor: return kept + uint64_t(negative && rest != 0);
    case RoundingMode::Ceil: return kept + uint64_t(!negative && rest != 0);
  }
  return kept;
}

/// The one rounding: the pattern nearest to x, ties to even. Gradual underflow; a magnitude of half a unit
/// above the greatest number, or more, is infinite. Domain: x exact, or with a sticky lowest bit and at
/// least precision + 2 bits.
VYRE_NUM_INLINE uint32_t round(FloatFormat f, Number<uint64_t> x) {
  if (x.magnitude == 0) return with_sign(f, x.negative, 0);
  const int32_t top = 63 - leading_zeros(x.magnitude) + x.exponent;  // 2^top <= |x| < 2^(top + 1)
  if (top > f.max_exponent()) return with_sign(f, x.negative, f.infinity());
  // The place of the last bit kept: below the least normal number it no longer moves.
  const int32_t field = top > f.min_exponent() ? top - f.min_exponent() : 0;
  const int32_t distance = field + f.min_exponent() - int32_t(f.fraction_bits) - x.exponent;
  const uint64_t kept = distance <= 0 ? x.magnitude << -distance
                                      : round_off(RoundingMode::Nearest, x.negative, x.magnitude, distance);
  // The leading bit of a normal number adds the missing one to the field, and so does a carry out of the
  // fraction: from subnormal to normal, to the next binade, and from the greatest number to infinity.
  const uint32_t pattern = (uint32_t(field) << f.fraction_bits) + uint32_t(kept);
  return with_sign(f, x.negative, pattern);
}

/// x + y, sticky. Domain: |x| >= |y|; the two highest bits of Word are free in x, and its lowest
/// precision + 4 bits are zeros, so that bits of y are lost only where they are far below. An exact zero is
/// +0 but for the sum of two -0.
template <class Word>
VYRE_NUM_INLINE Number<Word> add_smaller(Number<Word> x, Number<Word> y) {
  const Word aligned = shift_sticky(y.magnitude, x.exponent - y.exponent);
  const Word sum = x.magnitude + aligned;
  const Word difference = x.magnitude - aligned;
  const Word magnitude = x.negative == y.negative ? sum : difference;
  const bool negative = magnitude == 0 ? x.negative && y.negative : x.negative;
  return {negative, x.exponent, magnitude};
}

VYRE_NUM_INLINE uint32_t add(FloatFormat f, uint32_t a, uint32_t b) {
  if (is_special(f, a) || is_special(f, b)) [[unlikely]] {
    if (f.is_nan(a) || f.is_nan(b)) return f.nan();
    if (!f.is_infinite(b)) return a & f.mask();
    if (!f.is_infinite(a)) return b & f.mask();
    return is_negative(f, a) == is_negative(f, b) ? a & f.mask() : f.nan();
  }
  const bool ordered = magnitude_bits(f, a) >= magnitude_bits(f, b);  // patterns are ordered like magnitudes
  auto x = unpack(f, ordered ? a : b);
  auto y = unpack(f, ordered ? b : a);
  // Room below for what the smaller number has there.
  const auto room = int32_t(62 - f.precision());
  x.magnitude <<= room;
  y.magnitude <<= room;
  x.exponent -= room;
  y.exponent -= room;
  return round(f, add_smaller(x, y));
}

VYRE_NUM_INLINE uint32_t sub(FloatFormat f, uint32_t a, uint32_t b) { return add(f, a, b ^ f.sign_bit()); }

/// Exact: 48 bits at most.
VYRE_NUM_INLINE Number<uint64_t> multiply(Number<uint64_t> x, Number<uint64_t> y) {
  return {x.negative != y.negative, x.exponent + y.exponent, x.magnitude * y.magnitude};
}

VYRE_NUM_INLINE uint32_t mul(FloatFormat f, uint32_t a, uint32_t b) {
  if (is_special(f, a) || is_special(f, b)) [[unlikely]] {
    if (f.is_nan(a) || f.is_nan(b) || is_zero(f, a) || is_zero(f, b)) return f.nan();
    return with_sign(f, is_negative(f, a) != is_negative(f, b), f.infinity());
  }
  return round(f, multiply(unpack(f, a), unpack(f, b)));
}

VYRE_NUM_INLINE uint32_t div(FloatFormat f, uint32_t a, uint32_t b) {
  if (is_special(f, a) || is_special(f, b) || is_zero(f, a) || is_zero(f, b)) [[unlikely]] {
    const bool negative = is_negative(f, a) != is_negative(f, b);
    if (f.is_nan(a) || f.is_nan(b)) return f.nan();
    if (f.is_infinite(a)) return f.is_infinite(b) ? f.nan() : with_sign(f, negative, f.infinity());
    if (f.is_infinite(b)) return with_sign(f, negative, 0);
    if (is_zero(f, b)) return is_zero(f, a) ? f.nan() : with_sign(f, negative, f.infinity());
    return with_sign(f, negative, 0);
  }
  const auto x = normalized(unpack(f, a));
  const auto y = normalized(unpack(f, b));
  // The divisor as short as it can be and the dividend as long: a quotient of at least 64 - precision bits.
  const int32_t shift = 64 - int32_t(f.precision());
  const uint64_t divisor = y.magnitude >> shift;
  const uint64_t quotient = x.magnitude / divisor;
  const uint64_t sticky = quotient * divisor != x.magnitude;
  return round(f, {x.negative != y.negative, x.exponent - y.exponent - shift, quotient | sticky});
}

/// a * b + c, the sum of exact numbers.
VYRE_NUM_INLINE uint32_t mul_add(FloatFormat f, uint32_t a, uint32_t b, uint32_t c) {
  const bool negative = is_negative(f, a) != is_negative(f, b);
  if (is_special(f, a) || is_special(f, b) || is_special(f, c)) [[unlikely]] {
    const bool invalid = (f.is_infinite(a) && is_zero(f, b)) || (is_zero(f, a) && f.is_infinite(b));
    if (f.is_nan(a) || f.is_nan(b) || f.is_nan(c) || invalid) return f.nan();
    if (!is_special(f, a) && !is_special(f, b)) return c & f.mask();
    return f.is_infinite(c) && is_negative(f, c) != negative ? f.nan() : with_sign(f, negative, f.infinity());
  }
  const auto product = multiply(unpack(f, a), unpack(f, b));
  const auto addend = unpack(f, c);
  if (product.magnitude == 0) [[unlikely]] {
    if (addend.magnitude != 0) return c & f.mask();
    return with_sign(f, negative && addend.negative, 0);
  }
  if (addend.magnitude == 0) return round(f, product);
  const auto p = normalized(product);
  const auto q = normalized(addend);
  const bool ordered = p.exponent != q.exponent ? p.exponent > q.exponent : p.magnitude >= q.magnitude;
  const auto place = [](Number<uint64_t> x) {
    return Number<Wide>{x.negative, x.exponent - 62, Wide(x.magnitude) << 62};
  };
  const auto sum = add_smaller(place(ordered ? p : q), place(ordered ? q : p));
  const int32_t excess = 64 - leading_zeros(sum.magnitude);
  if (excess <= 0) return round(f, {sum.negative, sum.exponent, uint64_t(sum.magnitude)});
  return round(f, {sum.negative, sum.exponent + excess, uint64_t(shift_sticky(sum.magnitude, excess))});
}

/// The least integer whose square is at least i * 2^54, by trial of every bit.
constexpr uint64_t root_above(uint64_t i) {
  uint64_t below = 0;  // the greatest integer whose square is less
  for (uint64_t bit = uint64_t{1} << 32; bit != 0; bit >>= 1) {
    if (Wide(below | bit) * (below | bit) < Wide(i) << 54) below |= bit;
  }
  return below + 1;
}
/// For the ten leading bits of a number, a first guess at its root, from above.
inline constexpr auto kRoots = [] {
  std::array<uint64_t, 1024> roots{};
  for (uint64_t i = 256; i < 1024; ++i) roots[i] = root_above(i + 1);
  return roots;
}();

/// The greatest integer whose square is not above n. Domain: n >= 2^62.
VYRE_NUM_INLINE uint64_t integer_root(uint64_t n) {
  // Newton's steps from above stay above, and square the error: 2^-9, 2^-19, 2^-39, less than the last place.
  uint64_t root = kRoots[n >> 54];
  root = (root + n / root) / 2;
  root = (root + n / root) / 2;
  while (root * root > n) --root;
  return root;
}

VYRE_NUM_INLINE uint32_t sqrt(FloatFormat f, uint32_t a) {
  if (f.is_nan(a)) [[unlikely]]
    return f.nan();
  if (is_zero(f, a)) [[unlikely]]
    return a & f.mask();
  if (is_negative(f, a)) return f.nan();
  if (f.is_infinite(a)) [[unlikely]]
    return f.infinity();
  auto x = normalized(unpack(f, a));
  const int32_t odd = x.exponent & 1;
  x.magnitude >>= odd;  // no bit is lost: the magnitude is short
  const uint64_t root = integer_root(x.magnitude);
  const uint64_t sticky = root * root != x.magnitude;
  return round(f, {false, (x.exponent + odd) / 2, root | sticky});
}

VYRE_NUM_INLINE uint32_t negate(FloatFormat f, uint32_t a) { return (a ^ f.sign_bit()) & f.mask(); }
VYRE_NUM_INLINE uint32_t abs(FloatFormat f, uint32_t a) { return magnitude_bits(f, a); }

/// An integer in the order of the numbers, -0 just below +0. Domain: not NaN.
VYRE_NUM_INLINE int64_t order(FloatFormat f, uint32_t a) {
  const int64_t magnitude = magnitude_bits(f, a);
  return is_negative(f, a) ? -magnitude - 1 : magnitude;
}
VYRE_NUM_INLINE uint32_t min(FloatFormat f, uint32_t a, uint32_t b) {
  if (f.is_nan(a)) return f.is_nan(b) ? f.nan() : b & f.mask();
  if (f.is_nan(b)) return a & f.mask();
  return (order(f, a) < order(f, b) ? a : b) & f.mask();
}
VYRE_NUM_INLINE uint32_t max(FloatFormat f, uint32_t a, uint32_t b) {
  if (f.is_nan(a)) return f.is_nan(b) ? f.nan() : b & f.mask();
  if (f.is_nan(b)) return a & f.mask();
  return (order(f, a) < order(f, b) ? b : a) & f.mask();
}

VYRE_NUM_INLINE bool equal(FloatFormat f, uint32_t a, uint32_t b) {
  if (f.is_nan(a) || f.is_nan(b)) return false;
  return (is_zero(f, a) && is_zero(f, b)) || order(f, a) == order(f, b);
}
VYRE_NUM_INLINE bool less(FloatFormat f, uint32_t a, uint32_t b) {
  if (f.is_nan(a) || f.is_nan(b) || (is_zero(f, a) && is_zero(f, b))) return false;
  return order(f, a) < order(f, b);
}
VYRE_NUM_INLINE bool less_equal(FloatFormat f, uint32_t a, uint32_t b) {
  return less(f, a, b) || equal(f, a, b);
}

/// The magnitude of x as an integer; 2^63 for what is larger. Domain: x from unpack().
VYRE_NUM_INLINE uint64_t integer(RoundingMode mode, Number<uint64_t> x) {
  if (x.exponent < 0) return round_off(mode, x.negative, x.magnitude, -x.exponent);
  return x.exponent < 40 ? x.magnitude << x.exponent : uint64_t{1} << 63;
}

VYRE_NUM_INLINE uint32_t round_to_integral(FloatFormat f, RoundingMode mode, uint32_t a) {
  if (f.is_nan(a)) [[unlikely]]
    return f.nan();
  const auto x = unpack(f, a);
  if (f.is_infinite(a) || x.exponent >= 0) return a & f.mask();
  return round(f, {x.negative, 0, integer(mode, x)});
}

VYRE_NUM_INLINE uint32_t convert(FloatFormat from, FloatFormat to, uint32_t a) {
  if (is_special(from, a)) [[unlikely]] {
    return from.is_nan(a) ? to.nan() : with_sign(to, is_negative(from, a), to.infinity());
  }
  return round(to, unpack(from, a));
}
VYRE_NUM_INLINE uint32_t from_integer(FloatFormat f, bool negative, uint64_t magnitude) {
  return round(f, {negative && magnitude != 0, 0, magnitude});
}

/// Rounded and saturated at `greatest` above and -`least` below.
VYRE_NUM_INLINE uint32_t to_integer(FloatFormat f, RoundingMode mode, uint32_t a, uint64_t greatest,
                                    uint64_t least) {
  if (f.is_nan(a)) [[unlikely]]
    return 0;
  const uint64_t bound = is_negative(f, a) ? least : greatest;
  uint64_t magnitude = bound;
  if (!f.is_infinite(a)) magnitude = integer(mode, unpack(f, a));
  if (magnitude > bound) magnitude = bound;
  return uint32_t(is_negative(f, a) ? 0 - magnitude : magnitude);
}
VYRE_NUM_INLINE uint32_t to_u32(FloatFormat f, RoundingMode mode, uint32_t a) {
  return to_integer(f, mode, a, 0xffffffffu, 0);
}
VYRE_NUM_INLINE uint32_t to_i32(FloatFormat f, RoundingMode mode, uint32_t a) {
  return to_integer(f, mode, a, 0x7fffffffu, 0x80000000u);
}

VYRE_NUM_INLINE uint32_t next_up(FloatFormat f, uint32_t a) {
  if (f.is_nan(a)) return f.nan();
  if (is_zero(f, a)) return 1;
  if (is_negative(f, a)) return (a & f.mask()) - 1;
  return f.is_infinite(a) ? f.infinity() : (a & f.mask()) + 1;
}
VYRE_NUM_INLINE uint32_t next_down(FloatFormat f, uint32_t a) {
  if (f.is_nan(a)) return f.nan();
  return negate(f, next_up(f, negate(f, a)));
}
VYRE_NUM_INLINE uint32_t flush(FloatFormat f, uint32_t a) {
  return f.is_subnormal(a) ? a & f.sign_bit() : a & f.mask();
}

/// Calls body with f, as a constant where it is one of the three types' formats.
template <class Body>
constexpr decltype(auto) with_format(FloatFormat f, Body&& body) {
  if (f == spec::kBinary32) return body(std::integral_constant<FloatFormat, spec::kBinary32>());
  if (f == spec::kBinary16) return body(std::integral_constant<FloatFormat, spec::kBinary16>());
  if (f == spec::kBFloat16) return body(std::integral_constant<FloatFormat, spec::kBFloat16>());
  return body(f);
}

}  // namespace vyre::num::arithmetic

#undef VYRE_NUM_INLINE
