// The operators of the IR on words, for checkers of laws.
//
// A statement may compare and combine results: `a = 0`, `this or that`. That is no application of an
// operation under test, so it is done here, by functions on u32 that nothing else shares. A bool is 0 or 1 in
// its word, of which these operators make what they make of a bool. Source: semantics, "Operators".
#pragma once

#include <cstdint>

#include "spec/ops.h"

namespace vyre::algebra {

/// Pure operators at u32: words in, a word out.
constexpr bool is_word_operator(spec::Op op) {
  const bool fits = spec::is_scalar(op) || op == spec::Op::Select;
  return fits && spec::info(op).types.contains(spec::DataType::U32);
}

using WordOperator = uint32_t (*)(const uint32_t* operands);
/// Domain: is_word_operator(op). Thread: any.
WordOperator word_operator(spec::Op op);

}  // namespace vyre::algebra
