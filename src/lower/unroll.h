// What becomes of `unroll for`, which is a hint to lowering and nothing else.
//
// Emitters pass the hint on to the compiler behind them, where its code has a word for it: that compiler
// counts the rounds. Here stands what `vyre lower` says of hints that nothing can follow.
#pragma once

#include <vector>

#include "base/diag.h"
#include "lower/kernel.h"

namespace vyre::lower {

/// L004 for each loop with the hint that cannot be followed: a bound that is not known, or none can be since
/// the target's code has no such word. Domain  a kernel of build(). Cost: linear.
std::vector<Diag> unfollowed_hints(const Kernel& kernel, bool target_has_hint);

}  // namespace vyre::lower
