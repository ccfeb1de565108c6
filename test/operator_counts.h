// How many operators the ledger (src/spec/ops.def) has for a type, for tests that go over all of them and
// must have met each. So adding an operator edits no test.
#pragma once

#include <algorithm>
#include <optional>

#include "spec/ops.h"

namespace vyre::operator_counts {

/// Scalar operators of this type of operand; with this many operands, where that is given.
inline size_t scalar(spec::DataType type, std::optional<uint32_t> operands = std::nullopt) {
  return size_t(std::ranges::count_if(spec::kOps, [&](const spec::OpInfo& info) {
    return spec::is_scalar(info.op) && info.types.contains(type) &&
           (!operands || spec::operand_count(info.op) == operands);
  }));
}

/// The sum over several types.
template <typename Types>
size_t scalar_of(const Types& types) {
  size_t sum = 0;
  for (const spec::DataType type : types) sum += scalar(type);
  return sum;
}

}  // namespace vyre::operator_counts
