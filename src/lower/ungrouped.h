// Kernels that see nothing of their workgroups, and which kernels have the same code.
//
// Most kernels know their invocation_id and nothing else: no id or memory of a workgroup, no barrier. How
// invocations are divided into workgroups then decides nothing but how many there are, and a CPU, which runs
// them one after the other, needs no code for each size: that of workgroups of one invocation, over as many
// times the groups, does the same.
#pragma once

#include "base/digest.h"
#include "lower/kernel.h"

namespace vyre::lower {

/// How many workgroups of ungrouped() a workgroup of the kernel is: all invocations of it, or 1 where the
/// kernel can see workgroups or has several rows of them. Domain: legal kernels.
uint32_t ungrouped_width(const Kernel& kernel);

/// The kernel with workgroups of one invocation where ungrouped_width() is not 1, else the kernel. A dispatch
/// of x groups of the one is a dispatch of x * ungrouped_width() groups of the other.
Kernel ungrouped(Kernel kernel);

/// Of all in a legal kernel that code can depend on: not of names, or where in a text it came from.
Digest code_digest(const Kernel& kernel);

}  // namespace vyre::lower
