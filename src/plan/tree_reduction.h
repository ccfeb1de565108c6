// A reduction as a plan of dispatches: FReduceTreeBinary in parallel.
//
// As an expression, freduce_tree_binary is evaluated by each invocation for itself. Over a large buffer one
// wants all of a device to work on one tree, and the tree must not depend on how many workers there were: it
// is the one that the specification defines for n elements, cut into blocks. A block of a power of two
// elements that begins at a multiple of its size is a subtree whatever n is, and what is left over at the end
// is one too; so a workgroup reduces a block, and the same program reduces the results of the blocks, until
// one is left. Which block sizes are used, and so the workgroup size, changes who adds what and no byte of
// the sum. Source: vyre-conform-spec, "Reduction operations"; semantics, "Floats".
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "ir/ir.h"

namespace vyre::plan {

/// How a tree is cut and run; none of it changes a byte of the result.
struct TreeOptions {
  uint32_t workgroup_size =
      256;  // a power of two from 1 to 1024; a workgroup reduces 8 times as many elements
};

/// The program of one pass over a buffer `data` of a float type: block b of 8 * workgroup_size elements
/// becomes element b of the buffer `out`; no elements become the fold's identity in element 0. Domain:
/// is_fold(fold), a float type, the options' domain.
ir::Program tree_pass(spec::Op fold, spec::DataType type, const TreeOptions& options = {});

class TreeReduction {
 public:
  /// The backend must outlive it. Errors: B003 where workgroups of this size do not fit; what compile()
  /// answers.
  static Result<TreeReduction> make(backend::Backend& backend, spec::Op fold, spec::DataType type,
                                    const TreeOptions& options = {});

  /// Reduces the elements of `data`, which stay as they are, into the first element of `result`: a range of
  /// at least one element that does not overlap them. Passes: ceil(log(n) / log(8 * workgroup size)), at
  /// least one; memory for partial results, at most n / 4 elements, is kept for the next call. Errors  B012
  /// for a range that does not fit; B003; what a dispatch answers. Thread  one call at a time.
  Result<void> run(const backend::DeviceRange& data, const backend::DeviceRange& result);

  /// The same over memory of the host: the bits of the result.
  Result<uint32_t> run(std::span<const std::byte> data);

 private:
  TreeReduction(backend::Backend& backend, spec::DataType type, uint32_t block,
                std::unique_ptr<backend::Pipeline> pipeline)
      : backend_(&backend), type_(type), block_(block), pipeline_(std::move(pipeline)) {}
  Result<backend::DeviceRange> partials(size_t which, uint64_t elements);

  backend::Backend* backend_;
  spec::DataType type_;
  uint32_t block_;  // elements that a workgroup reduces
  std::unique_ptr<backend::Pipeline> pipeline_;
  std::vector<std::unique_ptr<backend::DeviceBuffer>> partials_;  // two, which take turns
};

}  // namespace vyre::plan
