#include "ops/float/soft_compose.h"

#include <string>

namespace vyre::ops {

using ir::DataType;

Ex Composer::let(std::string_view name, Ex value) {
  const ir::ExprKind kind = f_.code()[value.id()].kind;
  if (kind == ir::ExprKind::Var || kind == ir::ExprKind::Literal) return value;
  return f_.let(std::string(name) + "_" + std::to_string(f_.code().nodes.size()), value);
}

Ex Composer::min(Ex a, Ex b) {
  const Ex first = let("first", a), second = let("second", b);
  return let("least", select(first < second, first, second));
}
Ex Composer::max(Ex a, Ex b) {
  const Ex first = let("first", a), second = let("second", b);
  return let("greatest", select(first < second, second, first));
}

Ex Composer::high(Ex a, Ex b) {
  const Ex product = f_.cast(DataType::U64, a) * f_.cast(DataType::U64, b);
  return f_.bitcast(DataType::Vec2U32, product).y();
}

Ex Composer::right_sticky(Ex a, Ex by) {
  const Ex word = let("word", a), amount = let("amount", by);
  const Ex kept = let("kept", word >> amount);
  return kept | ((kept << amount) != word);
}

Composer::Unpacked Composer::unpack(Ex magnitude, uint32_t top) {
  const Ex exponent = let("exponent", magnitude >> format.fraction_bits);
  const Ex scale = let("scale", exponent - (exponent != 0));
  const Ex significand = (magnitude - (scale << format.fraction_bits)) << (top - format.fraction_bits);
  return {scale, let("significand", significand)};
}

Composer::Unpacked Composer::normalise(Unpacked u) {
  const Ex zeros = let("zeros", leading_zeros(u.significand));
  return {let("scale", u.scale - zeros), let("normal", u.significand << zeros)};
}

Composer::Unpacked Composer::denormalise(Unpacked u) {
  const Ex raw = let("raw", u.scale);
  const Ex scale = let("scale", select(is_negative(raw), word(0), raw));
  return {scale, let("shifted", right_sticky(u.significand, min(scale - raw, word(31))))};
}

// Half a unit and no more goes to the even neighbour: or-ing the last bit that stays to the bits that go
// makes them more than a half when they are a half and it is odd, and changes nothing else. There are 8 or
// more bits that go, so it never hits the half's own bit.
Ex Composer::round(Unpacked u, bool may_overflow) {
  const Ex significand = let("unrounded", u.significand);
  const Ex kept = let("kept", significand >> spare());
  const Ex rest = (significand & ((1u << spare()) - 1)) | (kept & 1);
  const Ex up = rest > (1u << (spare() - 1));
  const Ex rounded = (u.scale << format.fraction_bits) + kept + up;
  if (!may_overflow) return let("rounded", rounded);
  return min(rounded, word(format.infinity()));
}

}  // namespace vyre::ops
