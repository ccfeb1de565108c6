// Reductions along an axis.
//
// Sums and products of floats from left to right are one chain an output. All else is the canonical tree, as
// good an order as any other for what has none: nodes of aligned blocks are folded by as many invocations as
// there are, and passes over scratch fold those, until one is left.
#include <algorithm>
#include <bit>

#include "tensor/fold.h"
#include "tensor/kernels.h"
#include "tensor/lines_cpu.h"

namespace vyre::tensor {
namespace {

class Reducer {
 public:
  Reducer(Assembly& assembly, const Fold& fold, Device device)
      : assembly_(assembly), fold_(fold), device_(device) {}

  void chain(const Lines& lines, const Element& element, const Sink& sink) {
    const auto next = [&](Body& body, ir::Ex sum, std::span<const ir::Ex> x) {
      return fold_(body, sum, x[0]);
    };
    write_chain(assembly_, lines,
                {"reduce_chain",
                 {&element, 1},
                 {&fold_.type, 1},
                 fold_.type,
                 [&](Body& body, const Coordinates&) { return fold_.neutral(body); },
                 next,
                 false,
                 sink,
                 device_});
  }

  void tree(const Lines& lines, const Element& element, const Sink& sink) {
    const bool columns = lines.inner >= kSideBySide;
    if (lines.size <= (columns ? kShortColumn : kShortLine)) return whole_lines(lines, element, sink);
    const uint32_t most = device_ == Device::Cpu ? kPairsBlock : kLanes * kEach;
    const uint32_t block = columns ? kColumn : std::bit_ceil(std::min(most, lines.size));
    const uint32_t blocks = ceil_div(lines.size, block);
    const auto fold_rows = [&](const Sink& keep) {
      if (device_ == Device::Cpu) return fold_pairs(assembly_, fold_, lines, block, element, keep);
      rows(lines, block, blocks, element, keep);
    };
    if (blocks == 1) return columns ? whole_lines(lines, element, sink) : fold_rows(sink);
    const std::vector<uint32_t> shape = lines.with(blocks);
    const Array nodes = assembly_.scratch(fold_.type, check::elements(shape));
    const Sink keep = [&](Body& body, const Coordinates& at, ir::Ex value) {
      body.store(nodes, linear(body, shape, at), value);
    };
    columns ? column_blocks(lines, block, element, keep) : fold_rows(keep);
    tree(
        Lines(shape, lines.axis),
        [&](Body& body, const Coordinates& at) { return body.load(nodes, linear(body, shape, at)); }, sink);
  }

  /// A workgroup folds a block of a line, or of several lines one each. An invocation has neighbouring
  /// elements, so that they are loaded together; `block` is a power of two of at least 2 * kEach.
  void rows(const Lines& lines, uint32_t block, uint32_t blocks, const Element& element, const Sink& keep) {
    const uint32_t across = block / kEach;
    const uint32_t some = across < kLeastLanes ? kLeastLanes / across : 1, lanes = across * some;
    // Blocks of a line follow each other.
    const uint32_t all = lines.count() * blocks;
    for_each_group(
        assembly_, "reduce_rows", {across, some, 1}, ceil_div(all, some), [&](Body& body, ir::Ex group) {
          ir::ProgramBuilder& p = body.program();
          const ir::BufferRef nodes = p.workgroup("nodes", fold_.type, 2 * lanes);
          const ir::Ex place = body.let(p.local_id(0));
          const ir::Ex which = some == 1 ? group : body.let(group * some + p.local_id(1));
          // What is behind the end of a line, or of all lines, is loaded as well, and is not used:
          // invocations side by side have no branches.
          const Coordinates first = lines.first(body, blocks == 1 ? which : body.let(which / blocks));
          const ir::Ex own_from =
              body.let(blocks == 1 ? place * kEach : (which % blocks) * block + place * kEach);
          const bool check = lines.size % kEach != 0;
          const ir::Ex own = small_tree(body, fold_, kEach, [&](uint32_t j) {
            return or_neutral(body, lines, first, j == 0 ? own_from : own_from + j, check, element);
          });
          const bool whole = lines.size % block == 0 || check;
          const ir::Ex node =
              body.let(whole ? own : p.select(own_from < lines.size, own, fold_.neutral(body)));
          const ir::Ex lane = some == 1 ? place : body.let(p.local_id(1) * across + place);
          p.store(nodes, lane, node);
          // Nodes of a step lie behind those of the one before, so that a step wants one barrier.
          uint32_t from = 0, have = lanes;
          while (have > some) {
            p.barrier();
            const uint32_t parts_each = have >= 4 * some ? 4 : 2, to = from + have;
            have /= parts_each;
            p.if_(lane < have, [&] {
              const ir::Ex base = body.let(plus(lane * parts_each, from));
              p.store(nodes, plus(lane, to), small_tree(body, fold_, parts_each, [&](uint32_t j) {
                        return p.load(nodes, j == 0 ? base : base + j);
                      }));
            });
            from = to;
          }
          p.barrier();
          const ir::Ex done = body.let(group * some + lane);
          p.if_(some == 1 ? lane == 0 : (lane < some) & (done < all), [&] {
            const Coordinates first = lines.first(body, blocks == 1 ? done : body.let(done / blocks));
            keep(body, blocks == 1 ? first : lines.at(first, body.let(done % blocks)),
                 body.let(p.load(nodes, plus(lane, from))));
          });
        });
  }

 private:
  void whole_lines(const Lines& lines, const Element& element, const Sink& sink) {
    for_each_line(assembly_, "reduce_lines", lines, 1, [&](Body& body, const Coordinates& first, ir::Ex) {
      sink(body, first, body.let(tree_of(body, fold_, lines.size, kShortColumn, [&](ir::Ex k) {
        return element(body, lines.at(first, k));
      })));
    });
  }

  /// An element, or what changes nothing behind the end; `check` says whether it could be behind it.
  ir::Ex or_neutral(Body& body, const Lines& lines, const Coordinates& first, ir::Ex k, bool check,
                    const Element& element) {
    const ir::Ex value = element(body, lines.at(first, k));
    return check ? body.program().select(k < lines.size, value, fold_.neutral(body)) : value;
  }

  /// An invocation folds a block; neighbours have neighbouring lines.
  void column_blocks(const Lines& lines, uint32_t block, const Element& element, const Sink& keep) {
    const uint32_t blocks = ceil_div(lines.size, block);
    for_each_line(
        assembly_, "reduce_columns", lines, blocks, [&](Body& body, const Coordinates& first, ir::Ex number) {
          const ir::Ex from = body.let(times(number, block));
          keep(body, lines.at(first, number), body.let(tree_of(body, fold_, block, kLeaves, [&](ir::Ex k) {
            return or_neutral(body, lines, first, from + k, lines.size % block != 0, element);
          })));
        });
  }

  static constexpr uint32_t kLanes = 256, kLeastLanes = 32;  // of a workgroup that folds lines
  static constexpr uint32_t kEach = 8;                       // elements of an invocation of it
  static constexpr uint32_t kShortLine = 16;    // at most so many elements: an invocation folds a line
  static constexpr uint32_t kShortColumn = 32;  // and so many where neighbours have lines side by side
  static constexpr uint32_t kColumn = 16;       // elements of a block that an invocation folds
  static constexpr uint32_t kLeaves = 16;       // of the trees that it loops over

  Assembly& assembly_;
  Fold fold_;
  Device device_;
};

}  // namespace

void block_nodes(Assembly& assembly, const Fold& fold, const Lines& lines, uint32_t block, uint32_t blocks,
                 const Element& element, const Sink& keep) {
  Reducer(assembly, fold, Device::Gpu).rows(lines, block, blocks, element, keep);
}

void write_reduce(Assembly& assembly, const KernelWork& work) {
  const Fold fold{work.node.scalar, work.node.type};
  const Lines lines(work.operands[0]->shape, work.node.axis);
  if (lines.size == 0) {
    return assembly.for_each("reduce_nothing", lines.count(), [&](Body& body, ir::Ex line) {
      work.sink(body, lines.first(body, line), fold.identity(body));
    });
  }
  Reducer reducer(assembly, fold, work.device);
  if (fold.has_order() && work.node.order == ir::Order::Strict)
    reducer.chain(lines, work.elements[0], work.sink);
  else
    reducer.tree(lines, work.elements[0], work.sink);
}

}  // namespace vyre::tensor
