// The numbers by which people know the values of a kernel: %n of print(), and what printers call them.
#pragma once

#include <vector>

#include "lower/kernel.h"

namespace vyre::lower {

/// Whether such an instruction's result has a number. Constants have none: they stand where they are used.
bool has_number(InstKind kind);

inline constexpr uint32_t kUnnumbered = UINT32_MAX;

/// By Value, in the order of the text; kUnnumbered for what has none and for what no block holds. So they do
/// not depend on the order of Kernel::insts. Cost: linear.
std::vector<uint32_t> value_numbers(const Kernel& kernel);

}  // namespace vyre::lower
