// A graph becomes a pipeline.
//
// The plan says which tensors are written and by which group (plan.h); here groups become programs. An
// expression is written into a program at a position: a place of some tensor, given by its coordinates or by
// its linear index, whichever is at hand, and what is computed of one position twice is a variable. Views are
// other positions, so nothing is left of them but index arithmetic, and where only the linear index of the
// whole is wanted there is none of that either. Source: docs/spec/graphs.md.
#pragma once

#include <span>
#include <string>

#include "ir/module.h"
#include "tensor/kernels.h"
#include "tensor/plan.h"

namespace vyre::tensor {

struct Options {
  PlanOptions plan;
  Device device = Device::Gpu;
  const MatmulTile* tile = nullptr;  // of all products that it fits; null: by cost
  Tuned tuned = {};
  bool operator==(const Options&) const = default;
};

/// Different texts for options that may give different modules: for what is kept of them.
std::string key_of(const Options& options);

/// L005 for an operation whose kernels cannot count the elements that it takes or gives.
Result<void> check_countable(const check::SizedGraph& graph);

/// A module with one pipeline, named as the graph (points become `_`), over its parameters and then its
/// outputs, flat and row-major, those of small types as words of u32 (tensor/small.h), and with those of the
/// operations that the graph calls. No result depends on an element of scratch that was not written before,
/// so that scratch may begin with anything. operations: of the module that the graph stands in; those of the
/// library need not be there. Domain: a graph that check_countable() lets pass.
ir::Module lower(const check::SizedGraph& graph, std::span<const ir::Operation> operations,
                 const Options& options = {});

}  // namespace vyre::tensor
