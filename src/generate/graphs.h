// Random graphs of tensors that every way of computing them must agree on.
//
// Graph (seed, index) is valid at the shapes that come with it, uses every operation on tensors, every type
// of elements and every operator of scalars, and is small: a million of them are better than a large one. Its
// dimensions are those at which kernels go wrong: 0, 1, odd, prime, and next to the edges of tiles; its views
// are views of views; its inputs are the odd bit patterns of floats, numbers that cancel, and indices of
// which some are out of range. Names of dimensions and numbers both stand as sizes, so that what the checker
// knows of shapes is tested as well. Certificates name them, so the sequences stay. Source: docs/generate.md,
// "Random graphs".
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "ir/module.h"
#include "spec/operation.h"

namespace vyre::generate {

struct GraphOptions {
  uint32_t max_commands = 30;      // operations on tensors and named expressions; at least 1
  uint32_t max_elements = 60'000;  // of all tensors that have names
  uint32_t max_of_one = 4'000;     // of one tensor
  uint32_t max_axes = 4;
  bool calls = true;  // of a second graph, and of operations
  bool floats = true;
  bool only_views = false;  // operators, operations of scalars, and views of tensors
};

/// A module whose first graph is run, and what it is run on.
struct GraphCase {
  ir::Module module;
  std::vector<std::vector<uint32_t>> shapes;  // of its parameters
  std::vector<Bytes> inputs;                  // row-major
};

/// Graph `index` of the sequence `seed`.
GraphCase random_graph(uint64_t seed, uint64_t index, const GraphOptions& options = {});

/// Makes a failing case smaller while `fails` says that it still fails: fewest commands, then simplest
/// expressions, then smallest sizes, then simplest values. Every candidate is one that check and sized()
/// accept. Deterministic. Cost  at most max_evaluations calls of `fails`.
using GraphFails = std::function<bool(const GraphCase&)>;
GraphCase shrink_graph(GraphCase failing, const spec::OpTable& ops, const GraphFails& fails,
                       size_t max_evaluations = 3'000);

/// The module as text, and its inputs as values of each parameter, for people: at most some hundred values.
std::string describe(const GraphCase& c);

}  // namespace vyre::generate
