// What the kernel evaluator takes operators to mean, on words.
//
// Written apart from ref/eval, so that a slip in either shows as a difference. Semantic operators are total;
// a raw operator has a domain, and its result is asked for only inside.
#pragma once

#include <cstdint>

#include "lower/kernel.h"

namespace vyre::lower {

using Word = uint32_t;

/// A scalar operator, Select, Cast or Bitcast at T = type (of the source for casts), giving `result`.
Word apply_semantic(spec::Op op, spec::DataType type, spec::DataType result, const Word* operands);

/// Whether the operands are where the raw operator promises an answer. Source: raw_ops.def.
bool in_domain(RawOp op, const Word* operands);

/// Domain: in_domain(op, operands).
Word apply_raw(RawOp op, const Word* operands);

/// What an atomic leaves in memory; `expected` is used by compare-exchange alone.
Word apply_atomic(spec::Op op, Word before, Word expected, Word value);

}  // namespace vyre::lower
