// Rounding to integral values.
#include "ops/float/soft_compose.h"

namespace vyre::ops {
namespace {

/// What is added to a magnitude before the bits below one are cleared, from those bits (a mask) and the
/// number's sign (0 or 1); and whether a magnitude below one becomes one.
struct Rounding {
  Ex (*add)(Composer& c, Ex magnitude, Ex fraction, Ex sign);
  Ex (*below_one)(Composer& c, Ex magnitude, Ex sign);
};

/// Where a number is 1 or more, the bits of its pattern below the binary point are its fraction, and a carry
/// out of them ends in the exponent, as it should. Smaller ones become 0 or 1.
Ex to_integral(Composer& c, Ex a, const Rounding& how) {
  const FloatFormat f = c.format;
  const Ex magnitude = c.magnitude(a);
  const Ex sign = c.let("sign", a >> (f.width() - 1));
  const uint32_t integral = uint32_t(f.bias()) + f.fraction_bits;  // the exponent from which all are
  const Ex exponent = c.min(magnitude >> f.fraction_bits, c.word(integral));
  const Ex fraction = c.let("fraction", (c.word(1) << (integral - exponent)) - 1);
  const Ex rounded = (magnitude + how.add(c, magnitude, fraction, sign)) & ~fraction;
  const Ex one = c.select(how.below_one(c, magnitude, sign), c.word(f.one()), c.word(0));
  const Ex result = c.select(magnitude < f.one(), one, rounded);
  const Ex with_sign = (a & f.sign_bit()) | result;
  return c.select(magnitude > f.infinity(), c.word(f.nan()), with_sign);
}

/// Away from zero where `away` (0 or 1), else towards it.
Ex directed(Ex fraction, Ex away) { return fraction & (0 - away); }

}  // namespace

Ex soft_trunc(Composer& c, std::span<const Ex> x) {
  return to_integral(
      c, x[0],
      {[](Composer& k, Ex, Ex, Ex) { return k.word(0); }, [](Composer& k, Ex, Ex) { return k.word(0); }});
}
Ex soft_floor(Composer& c, std::span<const Ex> x) {
  return to_integral(c, x[0],
                     {[](Composer&, Ex, Ex fraction, Ex sign) { return directed(fraction, sign); },
                      [](Composer&, Ex magnitude, Ex sign) { return (magnitude != 0) & sign; }});
}
Ex soft_ceil(Composer& c, std::span<const Ex> x) {
  return to_integral(c, x[0],
                     {[](Composer&, Ex, Ex fraction, Ex sign) { return directed(fraction, sign ^ 1); },
                      [](Composer&, Ex magnitude, Ex sign) { return (magnitude != 0) & (sign ^ 1); }});
}
// Just below a half, and one more where the unit's digit is odd: a half then carries exactly when it is.
// Where the unit's digit is the leading one, which patterns do not have, the lowest bit of the exponent is in
// its place: that of the bias, which is odd. Nothing is added where there is no fraction.
Ex soft_round(Composer& c, std::span<const Ex> x) {
  return to_integral(c, x[0],
                     {[](Composer&, Ex magnitude, Ex fraction, Ex) {
                        const Ex odd = (magnitude & (fraction + 1)) != 0;
                        return ((fraction >> 1) + odd) & fraction;
                      },
                      [](Composer& k, Ex magnitude, Ex) {
                        return magnitude > k.format.one() - (1u << k.format.fraction_bits);
                      }});
}

}  // namespace vyre::ops
