// An evaluator for kernels, semantic or legal: the judge of legalization.
//
// Operators mean what ref/eval says. All else, from control flow to memory, it does in its own way and shares
// no code with ref/'s evaluator of programs, so that the two check each other. Raw operators outside their
// domain are an error even where the result is not used (L001).
// What a raw load finds beyond the elements, and what a raw float operator gives within its promise
// (Kernel::floats), is chosen adversarially from the seed; one of which nothing is promised is an error as
// well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "layout/dispatch.h"
#include "lower/kernel.h"

namespace vyre::lower {

struct EvaluateOptions {
  uint64_t seed = 0;           // of the adversary
  uint64_t max_steps = 0;      // 0: no limit; else B003
  uint32_t subgroup_size = 0;  // a power of two up to 128; 0: a kernel with an intrinsic is refused (B002)
};

/// Shape   buffers: one binding a bound buffer, in the order of KernelBuffer::argument, those of tensors with
/// their
///         dimensions and strides, as layout::bind makes them; written in place.
/// Errors  L001; B003; B002 and B008 for subgroups.
Result<void> evaluate(const Kernel& kernel, std::span<const layout::Binding> buffers, layout::Groups groups,
                      const EvaluateOptions& options = {});

}  // namespace vyre::lower
