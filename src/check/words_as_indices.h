#pragma once

#include "check/checked.h"

namespace vyre::check {

/// V044 for each index that is an element of a `bytes` buffer as it is, or a variable that was never anything
/// else. Cost: linear, and nothing without such a buffer.
Diagnostics find_words_as_indices(const ir::Program& program, const Resolution& names);

}  // namespace vyre::check
