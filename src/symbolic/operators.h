// Operators as formulas: what each integer operator of the IR means, for a solver.
//
// Written from the specification, not from ref/: the two are held against each other on all 8-bit inputs
// before any verdict counts (symbolic/encodings.h). An encoding is parametric in the width of a word, since a
// proof that is beyond a solver at 32 bits may be within its reach at 8. A word has `width` bits, 32 in
// programs; u32, i32 and bool are one word, u64 two and u128 four, as one bit vector. A bool, and what a
// comparison gives, is the word 0 or 1; a shift amount is a word, taken modulo the width of what is shifted.
// Source: semantics, "Operators" and "Casts"; binary-operations.
#pragma once

#include <span>
#include <vector>

#include "smt/term.h"
#include "spec/ops.h"
#include "spec/types.h"

namespace vyre::symbolic {

/// Whether values of the type are bit vectors here: integers and bool.
constexpr bool is_encoded(spec::DataType type) {
  return (spec::kIntegers | spec::kTruth).contains(type) && spec::is_available(type);
}
/// Whether encode() knows the operator, at some type: the scalar integer operators and Select.
constexpr bool is_encoded(spec::Op op) {
  return op == spec::Op::Select ||
         (spec::is_scalar(op) && (spec::info(op).types.bits & spec::kIntegers.bits) != 0);
}
constexpr bool is_encoded(spec::Op op, spec::DataType type) {
  return is_encoded(op) && is_encoded(type) && spec::info(op).types.contains(type);
}
/// Bits of a value of the type when a word has `word` of them.
constexpr uint32_t width_of(spec::DataType type, uint32_t word = 32) {
  return spec::value_words(type) * word;
}

/// What encode() takes: as spec::operand_type says; the condition of Select is a word, non-zero being true.
/// Domain  is_encoded(op, type).
std::vector<spec::DataType> operand_types(spec::Op op, spec::DataType type);

/// A scalar operator, or Select, applied at T = type.
///
/// Shape   the operands as operand_types() says, of width_of() each. The result as spec::result_type says: of
///         a comparison or a count, a word.
/// Domain  is_encoded(op, type); the width of a word is a power of two, 8 or more, so that counts fit.
smt::Term encode(smt::Pool& pool, spec::Op op, spec::DataType type, std::span<const smt::Term> operands);

/// That a word is not zero; of a word that was made from a truth value, that value, so that conditions stay
/// readable, for people and for solvers.
smt::Term truth_of(smt::Pool& pool, smt::Term word);

/// cast<to>(value of type from). Domain: both encoded, spec::can_cast.
smt::Term encode_cast(smt::Pool& pool, spec::DataType from, spec::DataType to, smt::Term value);
/// bitcast<to>(value of type from). Domain: both encoded, spec::can_bitcast: the same bits.
smt::Term encode_bitcast(smt::Pool& pool, spec::DataType from, spec::DataType to, smt::Term value);

}  // namespace vyre::symbolic
