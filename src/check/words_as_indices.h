// A warning that is no error: an element of a `bytes` buffer used as an index as it is, though the words of
// such a buffer may be anything.
#pragma once

#include "check/checked.h"

namespace vyre::check {

/// V044 for each index that is an element of a `bytes` buffer as it is, or a variable that was never anything
/// else. Cost: linear, and nothing without such a buffer.
Diagnostics find_words_as_indices(const ir::Program& program, const Resolution& names);

}  // namespace vyre::check
