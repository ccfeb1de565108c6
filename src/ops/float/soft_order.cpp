// Signs, tests, comparisons, least and greatest.
#include "ops/float/soft_compose.h"

namespace vyre::ops {
namespace {

/// The comparison of two operands, each a word, 0 or 1.
struct Order {
  Ex is_nan;  // one of them is
  Ex equal;   // zeros of both signs are
  Ex before;  // a < b, where they are not equal (and not NaN)
};

/// Patterns as unsigned words are in the order of their numbers, but backwards once a sign is set: then the
/// one that has the sign, or the greater magnitude, is the greater word and the lesser number.
Ex before(Composer& c, Ex a, Ex b) { return ((a | b) >> (c.format.width() - 1)) ^ (a < b); }

Order order(Composer& c, Ex a, Ex b) {
  const Ex a_magnitude = c.magnitude(a), b_magnitude = c.magnitude(b);
  return {c.max(a_magnitude, b_magnitude) > c.format.infinity(),
          (a == b) | ((a_magnitude | b_magnitude) == 0), before(c, a, b)};
}

/// One of two numbers, `first` or `second` by the value of `take_first`; the number of a number and NaN.
Ex number_of(Composer& c, Ex take_first, Ex a, Ex b) {
  const uint32_t infinity = c.format.infinity();
  const Ex a_nan = c.let("a_nan", c.magnitude(a) > infinity);
  const Ex b_nan = c.let("b_nan", c.magnitude(b) > infinity);
  const Ex take = (take_first & (a_nan ^ 1)) | b_nan;
  return c.select(a_nan & b_nan, c.word(c.format.nan()), c.select(take, a, b));
}

}  // namespace

Ex soft_neg(Composer& c, std::span<const Ex> x) { return x[0] ^ c.format.sign_bit(); }
Ex soft_abs(Composer& c, std::span<const Ex> x) { return x[0] & (c.format.sign_bit() - 1); }
Ex soft_is_nan(Composer& c, std::span<const Ex> x) { return c.magnitude(x[0]) > c.format.infinity(); }
Ex soft_is_inf(Composer& c, std::span<const Ex> x) { return c.magnitude(x[0]) == c.format.infinity(); }

Ex soft_eq(Composer& c, std::span<const Ex> x) {
  const Order o = order(c, x[0], x[1]);
  return o.equal & (o.is_nan ^ 1);
}
Ex soft_lt(Composer& c, std::span<const Ex> x) {
  const Order o = order(c, x[0], x[1]);
  return o.before & ((o.equal | o.is_nan) ^ 1);
}
Ex soft_le(Composer& c, std::span<const Ex> x) {
  const Order o = order(c, x[0], x[1]);
  return (o.before | o.equal) & (o.is_nan ^ 1);
}
Ex soft_gt(Composer& c, std::span<const Ex> x) {
  const Ex swapped[] = {x[1], x[0]};
  return soft_lt(c, swapped);
}
Ex soft_ge(Composer& c, std::span<const Ex> x) {
  const Ex swapped[] = {x[1], x[0]};
  return soft_le(c, swapped);
}

Ex soft_min(Composer& c, std::span<const Ex> x) { return number_of(c, before(c, x[0], x[1]), x[0], x[1]); }
Ex soft_max(Composer& c, std::span<const Ex> x) {
  return number_of(c, before(c, x[0], x[1]) ^ 1, x[0], x[1]);
}

}  // namespace vyre::ops
