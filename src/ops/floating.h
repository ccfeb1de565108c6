// Operations on floats: a text of floating/ is one operation at each float type.
//
// src/ops/floating/add.vyre is float.f16.add, float.bf16.add and float.f32.add: the text has `$T` where the
// type stands, and values are named by what they are, which every format has its own pattern for:
//
//   $one        the value as a literal, f16(0x3c00): of rows, witnesses and classes
//   #one        its bits alone, 0x3c00: of laws and boundaries
//   $-one       the same with the other sign
//   $one+1      the next pattern, and $one-1 the one before
//   $(0x4170, 0x402e, 0x402df854)   a value of its own for f16, bf16 and f32
//   // let last = 0x498b, 0x42b1, 0x42b17217: why      and such a value with a name, for this text
//
// A row that hangs on the precision says so by such a value; it is worked out by hand all the same. What is
// judged, and read as any text of the library is, is the text at a type. Source: semantics, "Floats";
// vyre-conform-spec, "Float semantics".
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "ops/float_reference.h"
#include "ops/operation.h"
#include "spec/types.h"

namespace vyre::ops {

/// The float types, in the order in which texts give values for them.
inline constexpr std::array kFloatTypes = {spec::DataType::F16, spec::DataType::BF16, spec::DataType::F32};

/// What judges an operation at each of kFloatTypes.
using FloatReferences = std::array<Reference, kFloatTypes.size()>;
/// of.operator()<Float>() of each of them.
template <typename Of>
FloatReferences at_each_float(Of of) {
  return {
    Reference(of.template operator()<host_float::F16>()),
    Reference(of.template operator()<host_float::BF16>()),
    Reference(of.template operator()<host_float::F32>())
  };
}

/// The text at one type, line for line. What is no value of the list above is left as it stands, and reading
/// the text then refuses it there.
std::string at_type(std::string_view text, spec::DataType type);

/// Of operands of a float type: each is one of five kinds of values, and the first that is among them
/// decides.
std::vector<EquivalenceClass> operand_classes(spec::DataType type, size_t arity);
/// Values of one or two operands that are hard on any operator; of three there are none.
std::vector<BoundaryValue> operand_boundaries(spec::DataType type, size_t arity);
/// Adds the rows of an operator (spec/rows.h), published hard cases among them, but for operands that the
/// operation has a row for.
void add_operator_rows(Operation& o, spec::Op op);
/// The approximate operator as an operation beside a strict one, of which it has reference, classes, boundary
/// values and those rows that leave nothing to approximate: where an operand is a zero, an infinity or NaN.
/// It claims no law: a bound on errors keeps none. Domain: is_approximate(op); `id` and `summary` live for
/// ever.
Operation approximation(Operation strict, spec::Op op, std::string_view id, std::string_view summary);

}  // namespace vyre::ops
