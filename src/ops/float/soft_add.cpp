// Addition and subtraction.
#include "ops/float/soft_compose.h"

namespace vyre::ops {

// The operand of the smaller magnitude is shifted to the scale of the greater one, both with their leading
// bit at bit 30 at most, so that a sum fits. Spare bits below: at least 7, of which two and the sticky one
// are enough: when more than one bit is shifted out, a difference loses at most one leading bit. Sums of
// subnormals are exact: the shift to the left ends at scale 0.
Ex soft_add(Composer& c, std::span<const Ex> x) {
  const FloatFormat f = c.format;
  const Ex a = x[0], b = x[1];
  const Ex swap = c.let("swap", c.magnitude(a) < c.magnitude(b));
  const Ex big = c.let("big", c.select(swap, b, a)), small = c.let("small", c.select(swap, a, b));
  const Ex big_magnitude = c.magnitude(big), small_magnitude = c.magnitude(small);
  const auto [big_scale, big_significand] = c.unpack(big_magnitude, 30);
  const auto [small_scale, small_significand] = c.unpack(small_magnitude, 30);

  const Ex distance = c.min(big_scale - small_scale, c.word(31));
  const Ex aligned = c.let("aligned", c.right_sticky(small_significand, distance));
  const Ex differ = c.let("differ", (a ^ b) >> (f.width() - 1));
  const Ex sum = c.let("sum", c.select(differ, big_significand - aligned, big_significand + aligned));

  const Ex room = c.let("room", big_scale + 1);
  const Ex up = c.min(c.leading_zeros(sum), room);
  const Ex rounded = c.round({room - up, sum << up});

  // x - x = +0, and zeros of one sign keep it.
  const Ex finite = c.select(big_magnitude >= f.infinity(), c.word(f.infinity()), rounded);
  const Ex sign_of_zero = a & b & f.sign_bit();
  const Ex result = c.select(sum == 0, sign_of_zero, (big & f.sign_bit()) | finite);
  const Ex opposite_infinities = differ & (small_magnitude == f.infinity());
  return c.select((big_magnitude > f.infinity()) | opposite_infinities, c.word(f.nan()), result);
}

Ex soft_sub(Composer& c, std::span<const Ex> x) {
  const Ex operands[] = {x[0], c.let("negated", x[1] ^ c.format.sign_bit())};
  return soft_add(c, operands);
}

}  // namespace vyre::ops
