// The plan of a graph: which of its tensors are written to memory, and by which dispatch.
//
// A node is an expression of coordinates, or it is written. What is written are outputs, the results of
// kernels (reductions, products and the like), and expressions that would be computed so often that a store
// and a load cost less. Everything else is computed where it is used: views of tensors are other coordinates,
// and chains of operators are one expression.
//
// A group is what one kernel writes. Without a core it is a loop over elements, which writes all nodes of its
// size that can be written at that time. With a core, a node that has a kernel of its own, its other nodes
// are computed of that kernel's result as it comes about. Groups along the same lines may become one, which
// has several reductions. A plan decides how much is done twice and how much
// goes through memory, and changes no bit.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "check/tensors.h"

namespace vyre::tensor {

/// How a graph is planned; for tests, since the defaults are what is good. None of it changes a bit.
struct PlanOptions {
  bool fuse = true;     // else every node is written by a dispatch of its own, however many arrays that wants
  bool share = true;    // equal nodes are one
  bool always = false;  // whatever it costs, expressions are computed where they are used
  bool rows = true;     // lines that fit a workgroup are kept in it
  bool operator==(const PlanOptions&) const = default;
};

struct Group {
  std::optional<uint32_t> core;
  std::vector<uint32_t> rows;  // ascending: in the place of a core, reductions of lines (row_groups.h)
  std::vector<uint32_t>
      members;             // the nodes that it writes, ascending; the core is one of them if others read it
  uint32_t count = 0;      // elements of each
  uint32_t operators = 0;  // about how many it has
};

struct Plan {
  std::vector<check::SizedNode> nodes;
  std::vector<uint32_t> outputs;  // by output of the graph: its node
  std::vector<Group> groups;      // in the order in which they run
  std::vector<bool> written;      // by node: whether readers find it in memory; parameters are no such nodes
  std::vector<uint32_t> uses;     // by node: how often nodes and groups name it

  /// Whether each use of its value is worth a variable.
  bool shared(uint32_t node) const { return uses[node] > 1; }
};

inline constexpr uint32_t kMostArrays = 8;  // of a program

/// Cost: about n log n in the nodes, times the number of groups of one size.
Plan plan(const check::SizedGraph& graph, const PlanOptions& options = {});

}  // namespace vyre::tensor
