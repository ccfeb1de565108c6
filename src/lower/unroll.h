// What becomes of `unroll for`, which is a hint to lowering and nothing else.
//
// Emitters pass the hint on to the compiler behind them, where its code has a word for it: that compiler
// counts the rounds. Where legalization itself gains by it, as a line of float operators does that goes on
// over rounds (lower/speculation.h), the loop is written out before. Here stands too what `vyre lower` says
// of hints that nothing can follow.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/diag.h"
#include "lower/kernel.h"

namespace vyre::lower {

/// L004 for each loop with the hint that cannot be followed: a bound that is not known, or none can be since
/// the target's code has no such word. Domain  a kernel of build(). Cost: linear.
std::vector<Diag> unfollowed_hints(const Kernel& kernel, bool target_has_hint);

/// Loops that are written in two forms, of which one runs.
struct DoubledLoops {
  /// By Value; none at all if it is empty. Where one stands, an If of kInDoubt has both.
  std::vector<bool> loops;
  /// By Value: of a loop around such that is divided, where the barrier stands behind which a workgroup sees
  /// whether what it stored is in doubt; 0 of others. It is run quickly until it is in doubt, and from there
  /// on again by another loop: so the two forms do not stand side by side in a turn, where a compiler would
  /// keep registers for both.
  std::vector<uint32_t> barriers;
};

/// The kernel with those loops written out that ask for it, have literals for bounds and hold an instruction
/// of which `gains` is true; the others stay. Inner loops come first, and the kernel grows by at most `most`
/// instructions. None where no loop is. Domain  a kernel of build(). Cost: linear in both.
std::optional<Kernel> written_out(const Kernel& kernel, const std::function<bool(const Inst&)>& gains,
                                  const DoubledLoops& doubled, uint64_t most);

}  // namespace vyre::lower
