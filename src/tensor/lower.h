// A graph becomes a pipeline.
//
// The plan says which tensors are written and by which group (plan.h); here groups become programs. An
// expression is written into a program at a position: a place of some tensor, given by its coordinates or by
// its linear index, whichever is at hand, and what is computed of one position twice is a variable. Views are
// other positions, so nothing is left of them but index arithmetic, and where only the linear index of the
// whole is wanted there is none of that either. Source: docs/spec/graphs.md.
#pragma once

#include <span>

#include "ir/module.h"
#include "tensor/kernels.h"
#include "tensor/plan.h"

namespace vyre::tensor {

struct Options {
  PlanOptions plan;
  Device device = Device::Gpu;
};

/// A module with one pipeline, named as the graph (points become `_`), over its parameters and then its
/// outputs, flat and row-major, and with those of the operations that the graph calls.
/// No result depends on an element of scratch that was not written before, so that scratch may begin with
/// anything. operations: of the module that the graph stands in; those of the library need not be there.
ir::Module lower(const check::SizedGraph& graph, std::span<const ir::Operation> operations,
                 const Options& options = {});

}  // namespace vyre::tensor
