// Lowerings of graphs that are wrong in one thing each: what kernels written by hand are known to do.
//
// A fault is planted in what is lowered (graph_edit.h: another graph, which computes what the wrong kernel
// would), in the programs that come of it (shape_change.h) or in the pipeline that dispatches them. What runs
// is a right backend, so a fault is the same in every run of the same case. Each has the subject that must
// refuse it; others may as well.
#pragma once

#include <span>
#include <string_view>

#include "verify/tensor_check.h"

namespace vyre::faults {

struct WrongLowering {
  std::string_view name;     // "MatmulSplitsK"
  std::string_view subject;  // "tensor.matmul@1"
  verify::Track track;       // on which it must
  std::string_view meaning;  // for people
  verify::Lowering lower;
};

std::span<const WrongLowering> wrong_lowerings();

/// Right: every node, expression and command is taken apart and put together as those of a fault are.
verify::Lowering right_lowering();

}  // namespace vyre::faults
