// Raw operators and atomics as WGSL: one row an operator. Internal to lower/wgsl.
//
// A raw operator is partial and means what WGSL's expression means on its domain. A row is a pattern in which
// {0}, {1} and {2} are the operands: names, so nothing in it is a constant expression. Source: WGSL,
// "Expressions", "Numeric Built-in Functions", "Atomic Read-modify-write".
#pragma once

#include <string_view>

#include "lower/kernel.h"

namespace vyre::lower {

/// What a pattern gives: a word, or a bool, which becomes a word only where one is wanted.
enum class WgslMade : uint8_t { Word, Truth };

struct WgslRaw {
  std::string_view pattern;
  WgslMade made = WgslMade::Word;
};
/// Domain  an operator that kWgslTarget has. Of a select the first operand is a bool.
const WgslRaw& wgsl_raw(RawOp op);

/// The function of an atomic operator of two operands: every one but compare-exchange.
std::string_view wgsl_atomic(spec::Op op);

}  // namespace vyre::lower
