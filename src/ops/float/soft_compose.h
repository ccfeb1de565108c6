// What the integer compositions have in common: taking patterns apart, normalising, rounding.
//
// Three conventions make them short.
//  - The scale of a finite number is x, its biased exponent less one, and 0 for subnormals and zeros too. Its
//    significand has its leading bit at bit `top` of a word when the number is normal, lower otherwise, and
//    the number is significand / 2^top * 2^(x + 1 - bias). Nothing else is special about subnormals.
//  - A result before rounding is a word whose bit 31 weighs what the leading bit of a number of scale x does,
//    and the pattern is (x << fraction_bits) + the word's upper bits: a leading bit that is there adds the
//    one that x lacks, a leading bit that is missing (x = 0) makes the number subnormal, and a carry out of
//    rounding is a carry into the exponent.
//  - What is shifted out on the right is remembered in the lowest bit ("sticky"): it can only matter as "a
//    little more".
#pragma once

#include <span>
#include <string_view>

#include "ir/builder.h"
#include "spec/float_format.h"
#include "spec/ops.h"

namespace vyre::ops {

using ir::Ex;
using spec::FloatFormat;

class Composer {
 public:
  Composer(ir::FunctionBuilder& builder, FloatFormat format) : format(format), f_(builder) {}

  const FloatFormat format;
  /// Bits of a word below a significand whose leading bit is bit 31.
  uint32_t spare() const { return 32 - format.precision(); }

  ir::FunctionBuilder& builder() { return f_; }
  Ex word(uint32_t bits) { return f_.u32(bits); }
  /// A variable that no other has the name of; of a variable, itself.
  Ex let(std::string_view name, Ex value);
  Ex select(Ex condition, Ex then, Ex otherwise) { return f_.select(condition, then, otherwise); }

  // Words. Operands that are used twice are bound here.
  Ex min(Ex a, Ex b);
  Ex max(Ex a, Ex b);
  /// Of two's complement: whether it is below zero.
  Ex is_negative(Ex a) { return a > 0x7fffffffu; }
  /// Leading zeros; of zero, 31. A word that is never zero needs no guard, and shifts by the count no mask.
  Ex leading_zeros(Ex a) { return f_.apply(ir::Op::Clz, {a | 1}); }
  /// The high word of the product.
  Ex high(Ex a, Ex b);
  /// a >> by, with a bit for what went out. Domain: by below 32.
  Ex right_sticky(Ex a, Ex by);

  // Patterns.
  Ex magnitude(Ex a) { return let("magnitude", a & (format.sign_bit() - 1)); }
  struct Unpacked {
    Ex scale;
    Ex significand;
  };
  /// Of a finite number's magnitude.
  Unpacked unpack(Ex magnitude, uint32_t top);
  /// With the leading bit at bit 31, whatever number it is but zero: the scale of a subnormal number goes
  /// below zero, in two's complement.
  Unpacked normalise(Unpacked u);
  /// A word whose bit 31 has this scale, which may be negative: what has scale 0 then.
  Unpacked denormalise(Unpacked u);
  /// Rounded to a magnitude; infinity beyond the greatest.
  Ex round(Unpacked u, bool may_overflow = true);

 private:
  ir::FunctionBuilder& f_;
};

/// A composition, from handles to variables.
using Compose = Ex (*)(Composer& c, std::span<const Ex> operands);

#define VYRE_COMPOSITION(Name, function) Ex function(Composer& c, std::span<const Ex> x);
#define VYRE_COMPOSITION_IN_STEPS(Name, first, second) \
  Ex first(Composer& c, std::span<const Ex> x);        \
  Ex second(Composer& c, std::span<const Ex> x);
#include "ops/float/compositions.def"
#undef VYRE_COMPOSITION
#undef VYRE_COMPOSITION_IN_STEPS

// Casts; the composer has the format of the float, of the result where both are floats.
Ex soft_convert(Composer& c, FloatFormat from, Ex a);
/// word: magnitude bits of an integer in [0, 2^32), with a sign (0 or 1).
Ex soft_from_word(Composer& c, Ex negative, Ex magnitude);
Ex soft_from_u64(Composer& c, Ex high, Ex low);
Ex soft_to_u32(Composer& c, spec::RoundingMode mode, Ex a);
Ex soft_to_i32(Composer& c, spec::RoundingMode mode, Ex a);

}  // namespace vyre::ops
