// How large a kernel becomes when it is legalized: known before it is spent.
//
// A target without floats, or without the functions of floats, gets thousands of integer instructions for one
// operator, and a program may hold a million of them. So the size is added up beforehand, from what each
// operator takes by itself, and a kernel beyond the limit is refused while it is still small.
#pragma once

#include "lower/kernel.h"

namespace vyre::lower {

/// Instructions that the operators of one kernel may come to, and besides that as many for each instruction
/// of the kernel as plain integer code needs: a program that is large by itself is not refused.
inline constexpr uint64_t kMaxExpansion = 2'097'152;
inline constexpr uint64_t kPlainExpansion = 8;

/// No operator takes more on any target; so small kernels need not be counted.
inline constexpr uint64_t kMaxOperatorSize = 16'384;

/// What the operators of a semantic kernel come to. Each operator is counted as if nothing were shared
/// between two of them. Cost: linear, and one legalization of each operator that is in it.
uint64_t expansion(const Kernel& kernel, const Target& target);

/// What one invocation runs, as far as the text says: every If taken, loops with literal bounds as often as
/// these say and others sixteen times.
uint64_t steps_of_invocation(const Kernel& kernel);

/// legalize(), for kernels of any size. Errors: B003.
Result<Kernel> legalize_bounded(const Kernel& kernel, const Target& target);

}  // namespace vyre::lower
