// The operators: one small total function each, on bit patterns.
//
// This is the definition of every pure scalar operator for every type that is available, written to be read
// beside the specification. eval() looks a function up in a table that is total over the ledger at compile
// time. Values travel as 128 bits, of which a type uses the low ones; a bool is 0 or 1. Source:
// binary-operations; semantics, "Operators" and "Casts".
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "spec/op.h"
#include "spec/types.h"

namespace vyre::ref {

/// The bits of a value of any type: its low bits, the rest zero. Component i of a vector is the i-th 32 bits.
__extension__ using Bits = unsigned __int128;

/// A scalar operator or Select at T = type. Domain: spec::is_scalar(op) or Select, and T in its type set and
/// available. operands.size() is the operator's operand count; for Select they are condition, then, otherwise
/// and the condition's type does not matter, non-zero being true.
Bits eval(spec::Op op, spec::DataType type, std::span<const Bits> operands);

/// The same at u32, operand words in, a word out, for loops over many: a pointer a caller looks up once. A
/// bool is 0 or 1 in its word, of which these operators make what they make of a bool. None of an operator
/// that does not take u32.
using WordOperator = uint32_t (*)(const uint32_t* operands);
WordOperator word_operator(spec::Op op);
/// Of columns: out[i] is that of operands[0][i], operands[1][i], ... for i < n. `out` is none of the
/// operands.
using WordOperatorOnColumns = void (*)(const uint32_t* const* operands, uint32_t* out, size_t n);
WordOperatorOnColumns word_operator_on_columns(spec::Op op);

/// vec2u32(x, y) and vec4u32(x, y, z, w) from words, and one component of a vector.
Bits eval_make(std::span<const Bits> components);
Bits eval_component(Bits vector, uint32_t component);

/// bitcast<to>(value of type from). Domain: a pair that can_bitcast allows. Zero-extends a 16-bit float to
/// u32, takes the low half of a u32 for one, and else keeps the bits.
Bits eval_bitcast(spec::DataType from, spec::DataType to, Bits value);

/// cast<to>(value of type from). Domain: a pair that can_cast allows.
Bits eval_cast(spec::DataType from, spec::DataType to, spec::RoundingMode mode, Bits value);

/// A reduction of elements from .. to - 1, which `load` gives; an approximate one rounded once. Domain:
/// is_reduction(op), is_fold(fold), a float type, from <= to. Cost: linear in to - from; the depth of the
/// tree is at most 32.
Bits eval_reduction(spec::Op op, spec::Op fold, spec::DataType type, uint32_t from, uint32_t to,
                    const std::function<Bits(uint32_t)>& load);

/// The value an atomic leaves in memory, given what was there. `expected` is used by compare-exchange alone.
Bits eval_atomic(spec::Op op, Bits before, Bits expected, Bits value);

}  // namespace vyre::ref
