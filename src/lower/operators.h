// What the kernel evaluator takes operators to mean, on words and on arrays of them.
//
// Semantic operators, casts and atomics mean what ref/eval says: there is one definition, and legalization is
// judged against it. Raw operators are defined here, and operations of subgroups once more, apart from ref/.
// A raw operator has a domain, and its result is asked for only inside.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "lower/kernel.h"
#include "spec/intrinsics.h"

namespace vyre::lower {

using Word = uint32_t;

/// A value of any type: its spec::value_words words, least significant (of a vector: first) first, and zeros.
using Bits = std::array<Word, 4>;

/// The result of a semantic operator (Apply).
Bits apply_semantic(const Inst& apply, const Bits* operands);

/// One lane's result of an intrinsic.
///
/// Shape   first: operand 0 of each lane of the subgroup, so its size is the subgroup's (zeros where there is
/// none);
///         second: operand 1 of this lane.
Bits apply_intrinsic(spec::Intrinsic intrinsic, std::span<const Word> first, uint32_t lane, Word second);

/// Whether the operands are where the raw operator promises an answer. Source: raw_ops.def. Domain: one of
/// words.
bool in_domain(RawOp op, const Word* operands);

/// Domain: in_domain(op, operands).
Word apply_raw(RawOp op, const Word* operands);
/// The same two, for many operands of one operator; in_domain is null where every operand is in it.
struct RawFunctions {
  bool (*in_domain)(const Word* operands);
  Word (*apply)(const Word* operands);
};
RawFunctions functions_of(RawOp op);
/// A wide operator; wide operands and results are patterns of f64, others are words. Exact: IEEE 754, with
/// the host's arithmetic in its default mode.
///
/// Domain: is_wide(op); a select's condition is 0 or 1.
uint64_t apply_wide(RawOp op, const uint64_t* operands);
/// The same two of a long operator. Domain: is_long(op); in_long_domain(op, operands).
bool in_long_domain(RawOp op, const uint64_t* operands);
uint64_t apply_long(RawOp op, const uint64_t* operands);

/// What an atomic leaves in memory; `expected` is used by compare-exchange alone.
Word apply_atomic(spec::Op op, Word before, Word expected, Word value);

}  // namespace vyre::lower
