// Folds along an axis: what reductions, scans and scattered sums share.
//
// A line is the elements of a tensor along one axis; it is named by the coordinates of all other axes. So a
// tensor is outer * inner lines of `size` elements, where neighbours of a line are `inner` elements apart.
// A Fold is an operator that folds them. Its neutral element is what changes nothing on either side but makes
// any NaN the one NaN, so a line may be filled up with it behind its end: the canonical tree of floats
// (docs/spec/floats.md) of n elements is the complete tree of the next power of two.
#pragma once

#include <array>
#include <span>

#include "ir/graph.h"
#include "spec/ops.h"
#include "tensor/assembly.h"
#include "tensor/kernels.h"

namespace vyre::tensor {

/// Integers have no operator of their own for the lesser and the greater of two: those of floats, and of
/// atomics, stand for them.
constexpr bool is_least(spec::Op op) { return op == spec::Op::FMin || op == spec::Op::AtomicMin; }
constexpr bool is_greatest(spec::Op op) { return op == spec::Op::FMax || op == spec::Op::AtomicMax; }

struct Fold {
  spec::Op op{};
  spec::DataType type{};

  /// Variables or literals where the operator is made of several: its operands may be used twice.
  ir::Ex operator()(Body& body, ir::Ex a, ir::Ex b) const;
  ir::Ex neutral(Body& body) const;
  /// What no elements are folded to.
  ir::Ex identity(Body& body) const;
  /// Whether another order has other results: sums and products of floats.
  bool has_order() const { return op == spec::Op::FAdd || op == spec::Op::FMul; }
};

struct Lines {
  Lines(std::span<const uint32_t> of, uint32_t along);

  std::vector<uint32_t> shape;
  uint32_t axis;
  uint32_t outer = 1, size = 1, inner = 1;

  uint32_t count() const { return outer * inner; }
  /// The coordinates of the element 0 of a line, lines counted in row-major order.
  Coordinates first(Body& body, ir::Ex line) const;
  /// The coordinates of another element of it.
  Coordinates at(Coordinates first, ir::Ex k) const {
    first[axis] = k;
    return first;
  }
  /// The shape with another size along the axis.
  std::vector<uint32_t> with(uint32_t size_along) const;
};

/// Element k of a line.
using OfLine = std::function<ir::Ex(ir::Ex k)>;

/// The canonical tree of elements from .. from + count - 1, as nested applications.
ir::Ex small_tree(Body& body, const Fold& fold, uint32_t count,
                  const std::function<ir::Ex(uint32_t)>& element);

/// The canonical tree of the first `count` elements by one invocation: a loop over trees of `leaves`, whose
/// results are kept, as carries are in counting, until what they are folded with is there. All levels are
/// computed in each turn, so that invocations side by side have no branches. Domain: count > 0, leaves a
/// power of two.
ir::Ex tree_of(Body& body, const Fold& fold, uint32_t count, uint32_t leaves, const OfLine& element);

/// So many neighbouring lines make accesses contiguous if invocations side by side have a line each.
inline constexpr uint32_t kSideBySide = 16;

/// An invocation for each of `blocks` blocks of each line: `write` gets the line's element 0 and the block.
/// Neighbours have neighbouring lines.
void for_each_line(Assembly& assembly, std::string_view what, const Lines& lines, uint32_t blocks,
                   const std::function<void(Body&, const Coordinates& first, ir::Ex block)>& write);

/// A value of each line that its elements change one after the other.
struct Chain {
  std::string_view what;
  std::span<const Element> inputs;
  std::span<const spec::DataType> types;  // of the inputs
  spec::DataType type{};                  // of the value
  std::function<ir::Ex(Body&, const Coordinates& first)> start;
  /// The next value from the last one, a variable, and the inputs' elements.
  std::function<ir::Ex(Body&, ir::Ex value, std::span<const ir::Ex> elements)> next;
  bool each = false;  // whether the sink gets the values behind all elements, or the last one
  const Sink& sink;
  Device device = Device::Gpu;
};
/// An invocation a line. A workgroup moves tiles of lines between arrays and its own memory, so that accesses
/// of neighbours are contiguous: on a GPU wherever lines are long, and with the next tile on its way while
/// one is folded; on a CPU (lines_cpu.h) there is none. Domain: lines of some elements.
void write_chain(Assembly& assembly, const Lines& lines, const Chain& chain);

/// The nodes of the first `blocks` blocks of `block` elements of each line: the coordinate along the axis is
/// the block's number. Lines are along the last axis, or nearly. Domain: a power of two from 16 to 2,048;
/// behind the end of a line nothing is folded.
void block_nodes(Assembly& assembly, const Fold& fold, const Lines& lines, uint32_t block, uint32_t blocks,
                 const Element& element, const Sink& keep);

/// As Assembly::for_each of workgroups: `write` gets the number of each, at most 2^32 - 1, with uniform
/// control.
void for_each_group(Assembly& assembly, std::string_view what, std::array<uint32_t, 3> workgroup,
                    uint32_t groups, const std::function<void(Body&, ir::Ex group)>& write);

}  // namespace vyre::tensor
