#include "ops/float/soft_wide.h"

#include <vector>

namespace vyre::ops {

using ir::DataType;

Ex wide(Composer& c, uint64_t value) { return c.builder().u64(value); }
Ex join(Composer& c, Ex high, Ex low) {
  return c.builder().bitcast(DataType::U64, c.builder().vec2u32(low, high));
}
Ex high_word(Composer& c, Ex a) { return c.builder().bitcast(DataType::Vec2U32, a).y(); }
Ex low_word(Composer& c, Ex a) { return c.builder().bitcast(DataType::Vec2U32, a).x(); }
Halves halves(Composer& c, Ex a) {
  const Ex words = c.let("words", c.builder().bitcast(DataType::Vec2U32, a));
  return {c.let("high", words.y()), c.let("low", words.x())};
}

Ex product(Composer& c, Ex a, Ex b) {
  const auto extended = [&](Ex word) { return c.builder().cast(DataType::U64, word); };
  return c.let("product", extended(a) * extended(b));
}

Ex add_word(Composer& c, Ex a, Ex b) {
  const Halves x = halves(c, a);
  const Ex y = c.let("y", b);
  const Ex low = c.let("low", x.low + y);
  return c.let("sum", join(c, x.high + (low < y), low));
}

Ex high64(Composer& c, Ex a, Ex b) {
  const Halves x = halves(c, a), y = halves(c, b);
  const Ex upper = add_word(c, product(c, x.high, y.high), c.high(x.high, y.low));
  return add_word(c, upper, c.high(x.low, y.high));
}

// No sum of a product of two words and a word leaves 64 bits.
Ex high64_exact(Composer& c, Ex a, Ex b) {
  const Halves x = halves(c, a), y = halves(c, b);
  const Halves middle = halves(c, add_word(c, product(c, x.high, y.low), c.high(x.low, y.low)));
  const Ex cross = add_word(c, product(c, x.low, y.high), middle.low);
  return add_word(c, add_word(c, product(c, x.high, y.high), middle.high), high_word(c, cross));
}

Ex high_by_word(Composer& c, Ex a, Ex b) {
  const Halves x = halves(c, a);
  const Ex y = c.let("y", b);
  return add_word(c, product(c, x.high, y), c.high(x.low, y));
}

Ex shift_right(Composer& c, Ex a, uint32_t by) {
  const Halves x = halves(c, a);
  return c.let("shifted", join(c, x.high >> by, (x.low >> by) | (x.high << (32 - by))));
}

Ex shift_right(Composer& c, Ex a, Ex by) {
  const Halves x = halves(c, a);
  const Ex amount = c.let("amount", by);
  return c.let("shifted", join(c, x.high >> amount, (x.low >> amount) | ((x.high << 1) << (amount ^ 31))));
}

Ex shift_left(Composer& c, Ex a, Ex by) {
  const Halves x = halves(c, a);
  const Ex amount = c.let("amount", by);
  return c.let("shifted", join(c, (x.high << amount) | ((x.low >> 1) >> (amount ^ 31)), x.low << amount));
}

Ex negate_if(Composer& c, Ex negative, Ex a) {
  const Ex x = c.let("x", a);
  return c.let("signed", c.select(negative, wide(c, 0) - x, x));
}

Ex add_signed(Composer& c, Ex a, Ex negative, Ex b) {
  const Ex x = c.let("x", a), y = c.let("y", b);
  return c.let("sum", c.select(negative, x - y, x + y));
}

Normal normalise_by_one(Composer& c, Ex a) {
  const Halves x = halves(c, a);
  const Ex zeros = c.let("zeros", (x.high >> 31) ^ 1);
  return {c.let("normal", join(c, (x.high << zeros) | ((x.low >> 31) & zeros), x.low << zeros)), zeros};
}

namespace {

/// numerator / denominator in Q29. Domain: below 8.
constexpr uint32_t q29(uint64_t numerator, uint64_t denominator) {
  return uint32_t((numerator << 29) / denominator);
}

// 1 / b in Q31 of b in [1/2, 1], from below, for any b whose upper word is d: b r = 1 - e with 2^-34.1 < e <
// 2^-26.2 (docs/evidence/functions/estimates.cpp goes through all d).
//
// The estimate and the step are those of division (soft_divide.cpp). Two units are taken off for the bits of
// b that d lacks.
Ex reciprocal(Composer& c, Ex d) {
  const Ex line = c.let("line", q29(64, 11) - c.high(d, c.word(q29(256, 99))));
  const Ex first = c.let("estimate", (q29(140, 33) - c.high(d, line)) << 2);
  const Ex second = c.let("estimate", c.high(first, ~c.high(d, first)) << 1);
  return c.let("estimate", (c.high(second, ~c.high(d, second)) << 1) - 2);
}

// 1 / sqrt(a) in Q31 of a in [1/4, 1), from below, for any a whose upper word is d: a r^2 = 1 - h with
// 2^-29.1 < h < 2^-25.3 (shown like the reciprocal's bounds).
//
// The estimate and the step are those of the square root in soft_divide.cpp, with one step more.
Ex reciprocal_root(Composer& c, Ex d) {
  const Ex inner = c.let("inner", 3344674922u - c.high(d, c.word(1309134479u)));
  const Ex line = c.let("line", 3173392633u - c.high(d, inner));
  const Ex first = c.let("estimate", (1670943177u - c.high(d, line)) << 1);                            // Q30
  const Ex square = c.let("square", c.high(first, first));                                             // Q28
  const Ex second = c.let("estimate", c.high(first, ((3u << 28) - 2 - c.high(d, square)) << 2) << 2);  // Q31
  const Ex again = c.let("square", c.high(second, second));                                            // Q30
  return c.let("estimate", (c.high(second, (3u << 30) - 2 - c.high(d, again)) << 1) - 4);
}

/// A product of a u64 and a word: 96 bits.
struct Long {
  Ex high, middle, low;
};
Long long_product(Composer& c, const Halves& a, Ex b) {
  const Halves lower = halves(c, product(c, a.low, b));
  const Halves upper = halves(c, add_word(c, product(c, a.high, b), lower.high));
  return {upper.high, upper.low, lower.low};
}

/// The upper 64 of 96 bits once they are moved to the left. Domain: 0 < by < 32.
Ex upper_bits(Composer& c, const Long& a, uint32_t by) {
  return join(c, (a.high << by) | (a.middle >> (32 - by)), (a.middle << by) | (a.low >> (32 - by)));
}

}  // namespace

// With b r = 1 - e, a / b = a r (1 + e + e^2 + ...), and e^3 < 2^-78 is left out. Units of the last place are
// lost in a r, once in the correction (less than 2^-23 before its shift) and by the shift. Halving a where it
// is not below b may cut its last bit.
Quotient quotient(Composer& c, Ex a, Ex b) {
  const Ex dividend = c.let("dividend", a), divisor = c.let("divisor", b);
  const Ex more = c.let("more", dividend >= divisor);
  const Halves d = halves(c, divisor);
  const Ex r = reciprocal(c, d.high);
  const Ex rest =
      c.let("rest", ~upper_bits(c, long_product(c, d, r), 26));     // e in Q89, whose leading bits are gone
  const Ex upper = c.let("upper", high_word(c, rest));              // Q57
  const Ex square = c.let("square", c.high(upper, upper));          // e^2 in Q82
  const Ex correction = rest + join(c, square >> 25, square << 7);  // Q89
  const Long estimate = long_product(c, halves(c, dividend), r);    // Q95
  const Ex by = c.let("by", more ^ 1);
  const Ex first = c.let("first", join(c, (estimate.high << by) | ((estimate.middle >> 31) & by),
                                       (estimate.middle << by) | ((estimate.low >> 31) & by)));
  return {c.let("quotient", first + shift_right(c, high64(c, first, correction), 89 - 64)), more};
}

// With t = a r = sqrt(a) (1 - h)^(1/2) and t r = 1 - h, sqrt(a) = t (1 + h/2 + 3/8 h^2 + ...); 5/16 h^3 <
// 2^-76 is left out.
Ex root(Composer& c, Ex a) {
  const Halves x = halves(c, a);
  const Ex r = reciprocal_root(c, x.high);
  const Long t = long_product(c, x, r);  // Q95
  const Halves lower = halves(c, add_word(c, product(c, t.middle, r), c.high(t.low, r)));
  const Halves upper = halves(c, add_word(c, product(c, t.high, r), lower.high));
  const Ex rest = c.let("rest", ~upper_bits(c, {upper.high, upper.low, lower.low}, 27));  // h in Q89
  const Ex high = c.let("high", high_word(c, rest));                                      // Q57
  const Ex square = c.let("square", c.high(high, high));                                  // h^2 in Q82
  const Ex correction = rest + product(c, square, c.word(96));  // h/2 + 3/8 h^2 in Q90
  const Ex first = c.let("first", upper_bits(c, t, 1));         // Q64
  return c.let("root", first + shift_right(c, high64(c, first, correction), 90 - 64));
}

Ex shift_right_product(Composer& c, Ex a, Ex b, uint32_t by) {
  return upper_bits(c, long_product(c, halves(c, a), c.let("b", b)), 32 - by);
}

Ex series(Composer& c, std::span<const uint64_t> first, std::span<const uint32_t> last, Ex v) {
  const Ex upper = c.let("upper", high_word(c, v));
  Ex tail = c.word(last.back());
  for (size_t k = last.size() - 1; k-- > 0;) tail = c.let("last", last[k] + c.high(tail, upper));
  Ex sum = c.let("sum", add_word(c, wide(c, first.back()), c.high(tail, upper)));
  for (size_t k = first.size() - 1; k-- > 0;) sum = c.let("sum", wide(c, first[k]) + high64(c, sum, v));
  return high64(c, sum, v);
}

Ex pick(Composer& c, Ex index, std::span<const uint64_t> table) {
  std::vector<Ex> values;
  for (const uint64_t value : table) values.push_back(wide(c, value));
  for (uint32_t bit = 1; values.size() > 1; bit *= 2) {
    const Ex set = c.let("set", (index & bit) != 0);
    std::vector<Ex> chosen;
    for (size_t i = 0; i < values.size(); i += 2) {
      const bool pair = i + 1 < values.size();
      chosen.push_back(pair ? c.let("chosen", c.select(set, values[i + 1], values[i])) : values[i]);
    }
    values = std::move(chosen);
  }
  return values.front();
}

// The sticky bit is always set: what is inexact is a little more than its digits say.
Ex round_inexact(Composer& c, Ex digits, Ex exponent) {
  const Halves d = halves(c, digits);
  const Ex zeros = c.let("zeros", c.leading_zeros(d.high));
  const Ex significand = (d.high << zeros) | ((d.low >> 1) >> (zeros ^ 31)) | 1;
  return c.round(c.denormalise({exponent - zeros + uint32_t(c.format.bias() - 2), significand}));
}

}  // namespace vyre::ops
