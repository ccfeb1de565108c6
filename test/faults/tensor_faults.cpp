#include "tensor_faults.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>
#include <vector>

#include "check/module.h"
#include "graph_edit.h"
#include "ops/operation.h"
#include "shape_change.h"
#include "spec/ops.h"

namespace vyre::faults {
namespace {

using ir::Ex;
using ir::ExprId;
using ir::ExprKind;
using spec::DataType;
using spec::Op;
using Edit = GraphEdit;
using Node = SizedNode;
using Other = std::optional<NodeId>;
using verify::Lowering;

// How faults are planted.

using OfNode = std::function<Other(Edit&, const Node&)>;

Lowering of_graph(Edit::OfNode of_node, Edit::OfNode of_output = {}) {
  return [=](const SizedGraph& graph, std::span<const ir::Operation> operations,
             const tensor::Options& options) {
    return tensor::lower(Edit::changed(graph, of_node, of_output), operations, options);
  };
}
/// A fault of one operation.
Lowering of(NodeOp op, std::function<Other(Edit&, const Node&)> f) {
  return of_graph([=](Edit& g, const Node& n) -> Other { return n.op == op ? f(g, n) : std::nullopt; });
}
/// The right result, and then f of it; nothing where `when` does not hold.
Lowering behind(NodeOp op, std::function<NodeId(Edit&, NodeId)> f,
                std::function<bool(const Edit&, const Node&)> when = {}) {
  return of(op,
            [=](Edit& g, const Node& n) -> Other { return when && !when(g, n) ? Other() : f(g, g.add(n)); });
}
/// The operation of f of one of its operands.
Lowering operand(NodeOp op, size_t which, std::function<Other(Edit&, const Node&, NodeId)> f) {
  return of(op, [=](Edit& g, const Node& n) -> Other {
    const Other other = f(g, n, n.operands[which]);
    if (!other) return std::nullopt;
    std::vector<NodeId> operands = n.operands;
    operands[which] = *other;
    return g.with(n, operands);
  });
}

/// Programs as the change has them.
Lowering of_programs(Change change) {
  return [=](const SizedGraph& graph, std::span<const ir::Operation> operations,
             const tensor::Options& options) {
    ir::Module module = tensor::lower(graph, operations, options);
    const auto checked = check::check(module, ops::op_table());
    if (!checked) return module;  // the judge says so
    const auto programs = (*checked)->own_programs();
    for (size_t i = 0; i < programs.size(); ++i) module.programs[i] = Copy(*programs[i], change).run();
    return module;
  };
}
using OfOperator = std::function<std::optional<Ex>(Copy&, const ir::Expr&, DataType)>;
/// An operator in programs, by the type of its first operand.
Lowering of_operator(Op op, OfOperator f) {
  return of_programs({.expression = [=](Copy& c, ExprId id) -> std::optional<Ex> {
    const ir::Expr& e = c.code()[id];
    if (e.kind != ExprKind::Apply || e.op != op) return std::nullopt;
    return f(c, e, c.resolution().type(c.code().arg(e, 0)));
  }});
}
std::vector<Ex> operands(Copy& c, const ir::Expr& e) { return c.operands(c.code().args(e)); }
/// The same, of operands that may be used several times.
std::vector<Ex> shared(Copy& c, const ir::Expr& e) {
  std::vector<Ex> out = operands(c, e);
  for (Ex& one : out) one = c.shared(one);
  return out;
}

Lowering of_pipeline(std::function<void(ir::Pipeline&)> f) {
  return [=](const SizedGraph& graph, std::span<const ir::Operation> operations,
             const tensor::Options& options) {
    ir::Module module = tensor::lower(graph, operations, options);
    f(module.pipelines.at(0));
    return module;
  };
}
/// Numbers of the dispatches that stand in no loop.
std::vector<size_t> dispatches(const ir::Pipeline& pipeline) {
  std::vector<size_t> out;
  for (size_t i = 0; i < pipeline.commands.size(); ++i) {
    const ir::Command& command = pipeline.commands[i];
    if (ir::has_body(command.kind)) i = command.end - 1;
    if (command.kind == ir::CommandKind::Dispatch) out.push_back(i);
  }
  return out;
}

// What is said of nodes.

bool is_float(DataType type) { return spec::kFloats.contains(type); }
uint32_t one(DataType type) {
  return type == DataType::F32    ? 0x3f800000
         : type == DataType::F16  ? 0x3c00
         : type == DataType::BF16 ? 0x3f80
                                  : 1;
}
uint32_t sign_bit(DataType type) { return type == DataType::F32 ? 0x80000000 : 0x8000; }
uint32_t infinity(DataType type) {
  return type == DataType::F32 ? 0x7f800000 : type == DataType::F16 ? 0x7c00 : 0x7f80;
}
uint32_t size_along(const Edit& g, const Node& n) { return g[n.operands[0]].shape[n.axis]; }
bool adds(const Node& n) { return n.scalar == Op::FAdd || n.scalar == Op::Add; }
Op addition(DataType type) { return is_float(type) ? Op::FAdd : Op::Add; }
/// x with zeros from `kept` on along an axis.
NodeId cut(Edit& g, NodeId x, uint32_t axis, uint32_t kept) {
  return g.pad(g.slice(x, axis, 0, kept), axis, 0, g[x].shape[axis] - kept);
}
NodeId plus(Edit& g, NodeId x, uint32_t bits) {
  return g.apply(addition(g[x].type), {x, g.filled(g[x].type, bits, g[x].shape)});
}
/// min(x, most) of u32.
NodeId at_most(Edit& g, NodeId x, uint32_t most) {
  const NodeId limit = g.filled(DataType::U32, most, g[x].shape);
  return g.select(g.apply(Op::Lt, {x, limit}), x, limit);
}
NodeId one_nan(Edit& g, NodeId x) { return plus(g, x, sign_bit(g[x].type)); }
NodeId where_nan(Edit& g, NodeId x, uint32_t bits) {
  return g.select(g.apply(Op::FIsNaN, {x}), g.filled(g[x].type, bits, g[x].shape), x);
}
/// f32 through the bits of another type.
NodeId masked(Edit& g, NodeId x, uint32_t mask) {
  const NodeId bits = g.bitcast(x, DataType::U32);
  return g.bitcast(g.apply(Op::BitAnd, {bits, g.filled(DataType::U32, mask, g[x].shape)}), g[x].type);
}
NodeId through(Edit& g, NodeId x, DataType type) { return g.cast(g.cast(x, type), g[x].type); }
NodeId flushed(Edit& g, NodeId x) {
  const NodeId size = g.apply(Op::FAbs, {x});
  const NodeId tiny = g.apply(Op::FLt, {size, g.filled(DataType::F32, 0x00800000, g[x].shape)});
  return g.select(tiny, g.filled(DataType::F32, 0, g[x].shape), x);
}

// Products. Rows are the last axis but one of the result, columns the last.

struct Product {
  Product(const Edit& g, const Node& n)
      : axes(uint32_t(n.shape.size())), left(n.operands[0]), right(n.operands[1]), k(g[left].shape.back()) {}
  uint32_t axes;
  NodeId left, right;
  uint32_t k;
  NodeId of(Edit& g, const Node& n, uint32_t from, uint32_t to, uint32_t step = 1) const {
    return g.with(n, {g.slice(left, axes - 1, from, to, step), g.slice(right, axes - 2, from, to, step)});
  }
};
Lowering of_product(std::function<Other(Edit&, const Node&, const Product&)> f) {
  return of(NodeOp::Matmul, [=](Edit& g, const Node& n) { return f(g, n, Product(g, n)); });
}
/// Both operands are f of themselves.
Lowering of_factors(DataType type, std::function<NodeId(Edit&, NodeId)> f) {
  return of_product([=](Edit& g, const Node& n, const Product& p) -> Other {
    if (g[p.left].type != type) return std::nullopt;
    return g.with(n, {f(g, p.left), f(g, p.right)});
  });
}
/// Computed with another accumulator, and given as the right one.
Lowering accumulated_in(DataType operands, DataType result, DataType type) {
  return of_product([=](Edit& g, const Node& n, const Product& p) -> Other {
    if (g[p.left].type != operands || n.type != result) return std::nullopt;
    Node other = n;
    other.type = type;
    return g.cast(g.with(other, {g.cast(p.left, type), g.cast(p.right, type)}), result);
  });
}
/// The last rows or columns of a tile that is not whole are not computed.
Lowering edge_lost(uint32_t from_behind, uint32_t tile) {
  return behind(
      NodeOp::Matmul,
      [=](Edit& g, NodeId c) {
        const uint32_t axis = uint32_t(g[c].shape.size()) - from_behind;
        return cut(g, c, axis, g[c].shape[axis] / tile * tile);
      },
      [=](const Edit&, const Node& n) { return n.shape[n.shape.size() - from_behind] % tile != 0; });
}

// Reductions and scans.

NodeId sum_of(Edit& g, NodeId a, NodeId b, const Node& n) { return g.apply(n.scalar, {a, b}); }
/// Folds of floats, whose order matters, in this order.
Lowering of_order(NodeOp op, ir::Order order, std::function<Other(Edit&, const Node&, uint32_t size)> f) {
  return of(op, [=](Edit& g, const Node& n) -> Other {
    const uint32_t size = size_along(g, n);
    return n.order == order && size > 0 ? f(g, n, size) : std::nullopt;
  });
}
Lowering in_order(NodeOp op, ir::Order right, ir::Order wrong) {
  return of_order(op, right, [=](Edit& g, const Node& n, uint32_t) -> Other {
    Node other = n;
    other.order = wrong;
    return g.add(other);
  });
}
/// The tree that halves its elements.
NodeId halves(Edit& g, const Node& n, NodeId x, uint32_t from, uint32_t to) {
  if (to - from == 1) return g.slice(x, n.axis, from, to);
  const uint32_t middle = from + (to - from) / 2;
  const NodeId left = halves(g, n, x, from, middle);
  return sum_of(g, left, halves(g, n, x, middle, to), n);
}
/// The fold of parts, which is folded again.
Other in_parts(Edit& g, const Node& n, const std::vector<NodeId>& parts, ir::Order inner) {
  Node part = n;
  if (n.order != ir::Order::None) part.order = inner;
  std::vector<NodeId> sums;
  for (const NodeId one : parts) sums.push_back(g.with(part, {one}));
  return g.with(n, {g.concat(n.axis, sums)});
}
/// Blocks of a line of which each is scanned by itself; `join` has those before, and the scan of the next.
Lowering scanned_in_blocks(uint32_t block, std::function<NodeId(Edit&, const Node&, NodeId, NodeId)> join) {
  return of(NodeOp::Scan, [=](Edit& g, const Node& n) -> Other {
    const uint32_t size = size_along(g, n);
    if (size <= block) return std::nullopt;
    std::vector<NodeId> parts;
    for (uint32_t from = 0; from < size; from += block) {
      const uint32_t to = std::min(size, from + block);
      const NodeId part = g.with(n, {g.slice(n.operands[0], n.axis, from, to)}, to - from);
      parts.push_back(parts.empty() ? part : join(g, n, parts.back(), part));
    }
    return g.concat(n.axis, parts);
  });
}

// Sorting.

bool sorts(NodeOp op) {
  return op == NodeOp::Sort || op == NodeOp::Argsort || op == NodeOp::TopK || op == NodeOp::ArgTopK;
}
/// Sorted as if the keys were f of them.
Lowering by_keys(std::function<Other(Edit&, NodeId)> f) {
  return of_graph([=](Edit& g, const Node& n) -> Other {
    if (!sorts(n.op)) return std::nullopt;
    const Other keys = f(g, n.operands[0]);
    return keys ? g.with(n, {*keys}) : Other();
  });
}
Other from_behind(Edit& g, const Node& n) {
  const uint32_t size = size_along(g, n);
  if (size == 0) return std::nullopt;
  const NodeId places = g.with(n, {g.reversed(n.operands[0], n.axis)});
  return g.apply(Op::Sub, {g.filled(DataType::U32, size - 1, n.shape), places});
}
/// In the order of the bits as another type.
Lowering sorted_as(DataType type, DataType other) {
  return of_graph([=](Edit& g, const Node& n) -> Other {
    if (!sorts(n.op) || g[n.operands[0]].type != type) return std::nullopt;
    Node sorted = n;
    if (n.type == type) sorted.type = other;
    const NodeId found = g.with(sorted, {g.bitcast(n.operands[0], other)});
    return n.op == NodeOp::Argsort || n.op == NodeOp::ArgTopK ? found : g.bitcast(found, type);
  });
}

// Indices of gather and scatter_add.

Lowering of_indices(NodeOp op, std::function<NodeId(Edit&, NodeId, uint32_t size)> f) {
  return operand(op, 1, [=](Edit& g, const Node& n, NodeId indices) -> Other {
    const uint32_t size = g[n.operands[0]].shape[n.axis];
    return size == 0 ? Other() : f(g, indices, size);
  });
}
/// Indices of one axis, and the updates that belong to them.
std::pair<NodeId, NodeId> flat_updates(Edit& g, const Node& n) {
  const uint32_t count = check::elements(g[n.operands[1]].shape);
  Shape shape = n.shape;
  shape[n.axis] = count;
  return {g.reshape(n.operands[1], {count}), g.reshape(n.operands[2], shape)};
}

std::vector<WrongLowering> make() {
  using enum NodeOp;
  using enum verify::Track;
  const auto strict = ir::Order::Strict, tree = ir::Order::Tree;
  std::vector<WrongLowering> all;
  std::string_view subject;
  const auto plant = [&](std::string_view name, verify::Track track, std::string_view meaning,
                         Lowering lower) {
    all.push_back({name, subject, track, meaning, std::move(lower)});
  };

  subject = "tensor.matmul@1";
  plant("MatmulLastRowsLost", Float, "rows behind the last whole tile of 4 are zeros", edge_lost(2, 4));
  plant("MatmulLastColumnsLost", Integer, "columns behind the last whole tile of 16 are zeros",
        edge_lost(1, 16));
  plant("MatmulLastOfKLost", Float, "what k has behind the last four is left out",
        of_product([](Edit& g, const Node& n, const Product& p) -> Other {
          return p.k % 4 == 0 ? Other() : p.of(g, n, 0, p.k / 4 * 4);
        }));
  plant("MatmulOneOfKTooMany", Float, "a product of zeros behind the last, which takes the sign of -0",
        of_product([](Edit& g, const Node& n, const Product& p) -> Other {
          return g.with(n, {g.pad(p.left, p.axes - 1, 0, 1), g.pad(p.right, p.axes - 2, 0, 1)});
        }));
  plant("MatmulSplitsK", Float, "two chains of half of k each are added",
        of_product([](Edit& g, const Node& n, const Product& p) -> Other {
          if (p.k < 2) return std::nullopt;
          const NodeId first = p.of(g, n, 0, p.k / 2);
          return g.apply(addition(n.type), {first, p.of(g, n, p.k / 2, p.k)});
        }));
  plant("MatmulInterleavesK", Float, "a chain of the even k and one of the odd are added",
        of_product([](Edit& g, const Node& n, const Product& p) -> Other {
          if (p.k < 2) return std::nullopt;
          const NodeId even = p.of(g, n, 0, p.k, 2);
          return g.apply(addition(n.type), {even, p.of(g, n, 1, p.k, 2)});
        }));
  plant("MatmulFromBehind", Float, "chains go over descending k",
        of_product([](Edit& g, const Node& n, const Product& p) -> Other {
          if (p.k == 0) return std::nullopt;
          return g.with(n, {g.reversed(p.left, p.axes - 1), g.reversed(p.right, p.axes - 2)});
        }));
  plant("MatmulUnfused", Float, "the product is rounded before the sum",
        of_operator(Op::FMulAdd, [](Copy& c, const ir::Expr& e, DataType) -> std::optional<Ex> {
          const std::vector<Ex> x = operands(c, e);
          return c.apply(Op::FAdd, {c.apply(Op::FMul, {x[0], x[1]}), x[2]});
        }));
  plant("MatmulInF16", Float, "f16 are accumulated in f16",
        accumulated_in(DataType::F16, DataType::F32, DataType::F16));
  plant("MatmulInBF16", Float, "bf16 are accumulated in bf16",
        accumulated_in(DataType::BF16, DataType::F32, DataType::BF16));
  plant("MatmulRoundedAtTheEnd", Float, "an accumulator of f16 is one of f32, rounded once",
        accumulated_in(DataType::F16, DataType::F16, DataType::F32));
  plant("MatmulInTF32", Float, "factors of f32 have ten bits",
        of_factors(DataType::F32, [](Edit& g, NodeId x) { return masked(g, x, 0xffffe000); }));
  plant("MatmulInOneBF16", Float, "factors of f32 are rounded to bf16",
        of_factors(DataType::F32, [](Edit& g, NodeId x) { return through(g, x, DataType::BF16); }));
  plant("MatmulFlushes", Float, "subnormal factors are zeros", of_factors(DataType::F32, flushed));
  plant("MatmulFlushesResults", Float, "subnormal results are zeros",
        behind(Matmul, flushed, [](const Edit&, const Node& n) { return n.type == DataType::F32; }));
  plant("MatmulIgnoresBlocks", Float, "one chain for all of k where the graph says blocks",
        of_product([](Edit& g, const Node& n, const Product&) -> Other {
          Node other = n;
          other.block = ir::kWholeBlock;
          return g.add(other);
        }));
  plant("MatmulBlocksOfAnotherSize", Float, "blocks of twice the size",
        of_product([](Edit& g, const Node& n, const Product&) -> Other {
          Node other = n;
          other.block = n.block > ir::kWholeBlock / 2 ? n.block : n.block * 2;
          return g.add(other);
        }));
  plant("MatmulInBlocksOf8", Float, "blocks of 8 where the graph says none",
        of_product([](Edit& g, const Node& n, const Product&) -> Other {
          Node other = n;
          other.block = std::min(n.block, 8u);
          return g.add(other);
        }));
  plant("MatmulBlocksAscending", Float, "the results of blocks are added one after the other",
        of_product([](Edit& g, const Node& n, const Product& p) -> Other {
          if (!is_float(n.type) || n.block >= p.k) return std::nullopt;
          NodeId sum = p.of(g, n, 0, n.block);
          for (uint32_t from = n.block; from < p.k; from += std::min(n.block, p.k - from))
            sum = g.apply(Op::FAdd, {sum, p.of(g, n, from, from + std::min(n.block, p.k - from))});
          return sum;
        }));
  plant("MatmulOfNothing", Float, "where k is 0 the result is -0",
        of_product([](Edit& g, const Node& n, const Product& p) -> Other {
          return p.k != 0 || !is_float(n.type) ? Other() : g.filled(n.type, sign_bit(n.type), n.shape);
        }));
  plant("MatmulAddsZero", Float, "a -0 becomes +0, as where a result is added to a buffer of zeros",
        behind(
            Matmul, [](Edit& g, NodeId c) { return plus(g, c, 0); },
            [](const Edit&, const Node& n) { return is_float(n.type); }));
  plant("MatmulMachineNaN", Float, "a NaN is the one that x86 makes",
        behind(
            Matmul, [](Edit& g, NodeId c) { return where_nan(g, c, 0xffc00000); },
            [](const Edit&, const Node& n) { return n.type == DataType::F32; }));
  plant("MatmulSaturates", Float, "an overflow is the greatest number",
        behind(
            Matmul,
            [](Edit& g, NodeId c) {
              const DataType type = g[c].type;
              const NodeId most = g.filled(type, infinity(type) - 1, g[c].shape);
              return g.select(g.apply(Op::FGt, {c, most}), most, c);
            },
            [](const Edit&, const Node& n) { return is_float(n.type); }));
  plant("MatmulStaleStrides", Float, "a transposed operand is read by the strides of the tensor below it",
        of_product([](Edit& g, const Node& n, const Product& p) -> Other {
          std::vector<NodeId> both = {p.left, p.right};
          for (NodeId& one : both) {
            if (g[one].op == Transpose) one = g.reshape(g[one].operands[0], g[one].shape);
          }
          return both == n.operands ? Other() : g.with(n, both);
        }));
  plant("MatmulBatchStale", Float, "the right operand of the first of a batch serves all of it",
        operand(Matmul, 1, [](Edit& g, const Node& n, NodeId x) -> Other {
          if (n.shape.size() < 3 || g[x].shape[0] < 2) return std::nullopt;
          return g.broadcast(g.slice(x, 0, 0, 1), g[x].shape);
        }));
  plant("MatmulSaturatesIntegers", Integer, "a sum of u32 that does not fit is the greatest number",
        of_product([](Edit& g, const Node& n, const Product& p) -> Other {
          if (n.type != DataType::U32) return std::nullopt;
          Node wide = n;
          wide.type = DataType::U64;
          const NodeId sum = g.with(wide, {g.cast(p.left, DataType::U64), g.cast(p.right, DataType::U64)});
          const NodeId most = g.cast(g.filled(DataType::U32, UINT32_MAX, n.shape), DataType::U64);
          return g.cast(g.select(g.apply(Op::Lt, {sum, most}), sum, most), DataType::U32);
        }));
  plant("MatmulLowWordAlone", Integer, "the high word of a product of u64 is lost",
        behind(
            Matmul, [](Edit& g, NodeId c) { return through(g, c, DataType::U32); },
            [](const Edit&, const Node& n) { return n.type == DataType::U64; }));
  plant("MatmulOfIntegersInF32", Integer, "u32 are multiplied as f32",
        of_product([](Edit& g, const Node& n, const Product& p) -> Other {
          if (n.type != DataType::U32) return std::nullopt;
          Node other = n;
          other.type = DataType::F32;
          return g.cast(g.with(other, {g.cast(p.left, DataType::F32), g.cast(p.right, DataType::F32)}),
                        DataType::U32, spec::RoundingMode::Trunc);
        }));
  plant("CarryLost", Integer, "the sum of two u64 has no carry into its high word",
        of_operator(Op::Add, [](Copy& c, const ir::Expr& e, DataType type) -> std::optional<Ex> {
          if (type != DataType::U64) return std::nullopt;
          const std::vector<Ex> x = shared(c, e);
          const auto low = [&](Ex one) { return c.cast(DataType::U32, one); };
          const auto high = [&](Ex one) { return c.cast(DataType::U32, c.apply(Op::Shr, {one, c.u32(32)})); };
          const Ex above = c.cast(DataType::U64, high(x[0]) + high(x[1]));
          return c.apply(Op::BitOr, {c.apply(Op::Shl, {above, c.u32(32)}),
                                     c.cast(DataType::U64, low(x[0]) + low(x[1]))});
        }));

  subject = "tensor.reduce@1";
  plant("ReduceTreeAscending", Float, "a tree is a chain", in_order(Reduce, tree, strict));
  plant("ReduceChainAsTree", Float, "a strict sum is a tree", in_order(Reduce, strict, tree));
  plant("ReduceTreeFromTheRight", Float, "the tree is split from the other end",
        of_order(Reduce, tree, [](Edit& g, const Node& n, uint32_t) -> Other {
          return g.with(n, {g.reversed(n.operands[0], n.axis)});
        }));
  plant("ReduceTreeByHalves", Float, "a tree splits its elements in the middle",
        of_order(Reduce, tree, [](Edit& g, const Node& n, uint32_t size) -> Other {
          return size > 140 ? Other() : halves(g, n, n.operands[0], 0, size);
        }));
  plant("ReduceBlocksOf8", Float, "chains of 8, and a tree of them",
        of_order(Reduce, tree, [](Edit& g, const Node& n, uint32_t size) -> Other {
          std::vector<NodeId> parts;
          for (uint32_t from = 0; from < size; from += 8)
            parts.push_back(g.slice(n.operands[0], n.axis, from, std::min(size, from + 8)));
          return in_parts(g, n, parts, ir::Order::Strict);
        }));
  plant("ReduceByLanes", Float, "4 lanes have every fourth element each, and are added",
        of_order(Reduce, tree, [](Edit& g, const Node& n, uint32_t size) -> Other {
          std::vector<NodeId> parts;
          for (uint32_t lane = 0; lane < std::min(size, 4u); ++lane)
            parts.push_back(g.slice(n.operands[0], n.axis, lane, size, 4));
          return in_parts(g, n, parts, ir::Order::Strict);
        }));
  plant("ReduceTreePadded", Float, "a tree of sums is filled up with +0",
        of_order(Reduce, tree, [](Edit& g, const Node& n, uint32_t size) -> Other {
          if (!adds(n)) return std::nullopt;
          return g.with(n, {g.pad(n.operands[0], n.axis, 0, std::bit_ceil(size) - size)});
        }));
  plant("ReduceStartsFromZero", Float, "a strict sum begins with +0",
        of_order(Reduce, strict, [](Edit& g, const Node& n, uint32_t) -> Other {
          if (!adds(n)) return std::nullopt;
          return g.with(n, {g.pad(n.operands[0], n.axis, 1, 0)});
        }));
  plant("ReduceKeepsNaN", Float, "a line of one element is that element, with the bits of its NaN",
        of(Reduce, [](Edit& g, const Node& n) -> Other {
          return size_along(g, n) == 1 ? Other(n.operands[0]) : Other();
        }));
  plant("ReduceOfNothing", Float, "every fold of no element is 0",
        of(Reduce, [](Edit& g, const Node& n) -> Other {
          return size_along(g, n) == 0 ? g.filled(n.type, 0, n.shape) : Other();
        }));
  plant("ReduceOfNoIntegers", Integer, "every fold of no element is 0",
        of(Reduce, [](Edit& g, const Node& n) -> Other {
          return size_along(g, n) == 0 ? g.filled(n.type, 0, n.shape) : Other();
        }));
  plant("ReduceLastOddLost", Integer, "the last element of an odd line is left out",
        operand(Reduce, 0, [](Edit& g, const Node& n, NodeId x) -> Other {
          const uint32_t size = size_along(g, n);
          return size % 2 == 0 ? Other() : g.slice(x, n.axis, 0, size - 1);
        }));
  plant("ReduceMinOfZeros", Float,
        "the lesser of +0 and -0 is the second, and so is that of a NaN and a number",
        of_operator(Op::FMin, [](Copy& c, const ir::Expr& e, DataType) -> std::optional<Ex> {
          const std::vector<Ex> x = shared(c, e);
          return c.select(c.apply(Op::FLt, {x[0], x[1]}), x[0], x[1]);
        }));
  plant("ReduceMaxOfZeros", Float,
        "the greater of +0 and -0 is the second, and so is that of a NaN and a number",
        of_operator(Op::FMax, [](Copy& c, const ir::Expr& e, DataType) -> std::optional<Ex> {
          const std::vector<Ex> x = shared(c, e);
          return c.select(c.apply(Op::FGt, {x[0], x[1]}), x[0], x[1]);
        }));
  plant("ReduceUnsigned", Integer, "the least and the greatest of i32 are those of u32",
        of(Reduce, [](Edit& g, const Node& n) -> Other {
          if (n.type != DataType::I32 || (n.scalar != Op::AtomicMin && n.scalar != Op::AtomicMax))
            return std::nullopt;
          Node other = n;
          other.type = DataType::U32;
          return g.bitcast(g.with(other, {g.bitcast(n.operands[0], DataType::U32)}), DataType::I32);
        }));
  plant("ReduceStale", Integer, "a line is read as if the tensor lay in column-major order",
        operand(Reduce, 0, [](Edit& g, const Node&, NodeId x) -> Other {
          const Shape shape = g[x].shape;
          if (shape.size() < 2) return std::nullopt;
          std::vector<uint32_t> axes(shape.size());
          std::iota(axes.rbegin(), axes.rend(), 0u);
          return g.reshape(g.transpose(x, axes), shape);
        }));
  subject = "tensor.scan@1";
  plant("ScanExclusive", Integer, "element i is the sum of those before it",
        of(Scan, [](Edit& g, const Node& n) -> Other {
          const uint32_t size = size_along(g, n);
          if (size == 0 || !adds(n)) return std::nullopt;
          return g.pad(g.slice(g.add(n), n.axis, 0, size - 1), n.axis, 1, 0);
        }));
  plant("ScanCarryLost", Integer, "each block of 16 begins anew",
        scanned_in_blocks(16, [](Edit&, const Node&, NodeId, NodeId next) { return next; }));
  plant("ScanByCarries", Float, "blocks of 4, to which what stands before them is added",
        scanned_in_blocks(4, [](Edit& g, const Node& n, NodeId before, NodeId next) {
          const uint32_t last = g[before].shape[n.axis] - 1;
          const NodeId carry = g.slice(before, n.axis, last, last + 1);
          const NodeId all = g.broadcast(carry, g[next].shape);
          if (n.scalar == Op::AtomicMin) return g.select(g.apply(Op::Lt, {all, next}), all, next);
          if (n.scalar == Op::AtomicMax) return g.select(g.apply(Op::Gt, {all, next}), all, next);
          return sum_of(g, all, next, n);
        }));
  plant("ScanTreeAscending", Float, "a tree of each prefix is a running sum", in_order(Scan, tree, strict));
  plant("ScanChainAsTree", Float, "a running sum is a tree of each prefix", in_order(Scan, strict, tree));
  plant("ScanFromBehind", Integer, "element i is the fold of those from i on",
        of(Scan, [](Edit& g, const Node& n) -> Other {
          if (size_along(g, n) == 0) return std::nullopt;
          return g.reversed(g.with(n, {g.reversed(n.operands[0], n.axis)}), n.axis);
        }));
  plant("ScanKeepsNaN", Float, "the first element keeps the bits of its NaN",
        of(Scan, [](Edit& g, const Node& n) -> Other {
          const uint32_t size = size_along(g, n);
          if (size == 0 || !is_float(n.type)) return std::nullopt;
          const NodeId first = g.slice(n.operands[0], n.axis, 0, 1);
          return g.concat(n.axis, {first, g.slice(g.add(n), n.axis, 1, size)});
        }));

  subject = "tensor.recur@1";
  plant("RecurBeginsWithInit", Float, "element 0 is init itself",
        of(Recur, [](Edit& g, const Node& n) -> Other {
          const uint32_t size = n.shape[n.axis];
          if (size == 0) return std::nullopt;
          Shape one = n.shape;
          one[n.axis] = 1;
          return g.concat(n.axis, {g.reshape(n.operands[0], one), g.slice(g.add(n), n.axis, 0, size - 1)});
        }));
  plant("RecurForgets", Float, "the state is lost between blocks of 8",
        of(Recur, [](Edit& g, const Node& n) -> Other {
          const uint32_t size = n.shape[n.axis];
          if (size <= 8) return std::nullopt;
          std::vector<NodeId> parts;
          for (uint32_t from = 0; from < size; from += 8) {
            const uint32_t to = std::min(size, from + 8);
            std::vector<NodeId> some = {n.operands[0]};
            for (size_t i = 1; i < n.operands.size(); ++i)
              some.push_back(g.slice(n.operands[i], n.axis, from, to));
            parts.push_back(g.with(n, some, to - from));
          }
          return g.concat(n.axis, parts);
        }));
  plant("RecurOneInit", Float, "all lines begin with the init of the first",
        operand(Recur, 0, [](Edit& g, const Node&, NodeId init) -> Other {
          const Shape shape = g[init].shape;
          if (check::elements(shape) < 2) return std::nullopt;
          NodeId first = init;
          for (uint32_t axis = 0; axis < shape.size(); ++axis) first = g.slice(first, axis, 0, 1);
          return g.broadcast(first, shape);
        }));
  plant("RecurShifted", Float, "step i takes element i - 1 of the last tensor",
        of(Recur, [](Edit& g, const Node& n) -> Other {
          const uint32_t size = n.shape[n.axis];
          if (size < 2) return std::nullopt;
          std::vector<NodeId> some = n.operands;
          const NodeId x = some.back();
          some.back() = g.concat(n.axis, {g.slice(x, n.axis, 0, 1), g.slice(x, n.axis, 0, size - 1)});
          return g.with(n, some);
        }));

  subject = "tensor.scatter_add@1";
  plant("ScatterFromBehind", Float, "updates are added in descending order",
        of(ScatterAdd, [](Edit& g, const Node& n) -> Other {
          if (check::elements(g[n.operands[1]].shape) == 0) return std::nullopt;
          const auto [indices, updates] = flat_updates(g, n);
          return g.with(n, {n.operands[0], g.reversed(indices, 0), g.reversed(updates, n.axis)});
        }));
  plant("ScatterSumsFirst", Float, "updates are added up from zero, and then to the old value",
        of(ScatterAdd, [](Edit& g, const Node& n) -> Other {
          const NodeId sums = g.with(n, {g.filled(n.type, 0, n.shape), n.operands[1], n.operands[2]});
          return g.apply(addition(n.type), {n.operands[0], sums});
        }));
  plant("ScatterInHalves", Float, "the first half of the updates, and the sum of the second",
        of(ScatterAdd, [](Edit& g, const Node& n) -> Other {
          const auto [indices, updates] = flat_updates(g, n);
          const uint32_t count = g[indices].shape[0], half = count / 2;
          const auto part = [&](NodeId to, uint32_t from, uint32_t end) {
            return g.with(n, {to, g.slice(indices, 0, from, end), g.slice(updates, n.axis, from, end)});
          };
          const NodeId first = part(n.operands[0], 0, half);
          return g.apply(
              addition(n.type),
              {first, part(g.filled(n.type, is_float(n.type) ? sign_bit(n.type) : 0, n.shape), half, count)});
        }));
  plant("ScatterClamps", Integer, "an index out of range is the last place",
        of_indices(ScatterAdd, [](Edit& g, NodeId i, uint32_t size) { return at_most(g, i, size - 1); }));
  plant("ScatterAddsZero", Float,
        "what nothing is added to loses the sign of its -0, and the bits of its NaN",
        behind(
            ScatterAdd, [](Edit& g, NodeId y) { return plus(g, y, 0); },
            [](const Edit&, const Node& n) { return is_float(n.type); }));
  plant("ScatterLastWins", Integer, "the last of several updates of one place is the only one",
        of(ScatterAdd, [](Edit& g, const Node& n) -> Other {
          // Indices of one axis: all that a later one equals go out of range.
          const auto [indices, updates] = flat_updates(g, n);
          const uint32_t count = g[indices].shape[0];
          if (count < 2 || count > 400) return std::nullopt;
          const NodeId row = g.broadcast(g.reshape(indices, {1, count}), {count, count});
          const NodeId column = g.broadcast(g.reshape(indices, {count, 1}), {count, count});
          const NodeId later = g.apply(Op::Lt, {g.index({count, count}, 0), g.index({count, count}, 1)});
          const NodeId same = g.apply(Op::BitAnd, {later, g.apply(Op::Eq, {row, column})});
          const NodeId gone = g.add({.op = Reduce,
                                     .type = DataType::U32,
                                     .shape = {count, 1},
                                     .operands = {same},
                                     .scalar = Op::BitOr,
                                     .axis = 1});
          const NodeId nowhere = g.filled(DataType::U32, UINT32_MAX, {count});
          return g.with(n, {n.operands[0], g.select(g.reshape(gone, {count}), nowhere, indices), updates});
        }));

  subject = "tensor.gather@1";
  plant("GatherClamps", Integer, "an index out of range is the last place",
        of_indices(Gather, [](Edit& g, NodeId i, uint32_t size) { return at_most(g, i, size - 1); }));
  plant("GatherWraps", Float, "an index out of range counts from the beginning again",
        of_indices(Gather, [](Edit& g, NodeId i, uint32_t size) {
          return g.apply(Op::Mod, {i, g.filled(DataType::U32, size, g[i].shape)});
        }));
  plant("GatherCanonicalNaN", Float, "NaNs that are moved become the one NaN",
        behind(Gather, one_nan, [](const Edit&, const Node& n) { return is_float(n.type); }));
  plant("GatherStale", Float, "indices of two axes are read in column-major order",
        operand(Gather, 1, [](Edit& g, const Node&, NodeId i) -> Other {
          const Shape shape = g[i].shape;
          if (shape.size() != 2) return std::nullopt;
          return g.reshape(g.transpose(i, {1, 0}), shape);
        }));

  subject = "tensor.transpose@1";
  plant("TransposeStale", Integer, "the strides are those of the tensor below",
        of(Transpose, [](Edit& g, const Node& n) -> Other { return g.reshape(n.operands[0], n.shape); }));
  plant("TransposeInverse", Integer, "axis axes[k] of the result is axis k of the tensor",
        of(Transpose, [](Edit& g, const Node& n) -> Other {
          std::vector<uint32_t> inverse(n.axes.size());
          for (uint32_t k = 0; k < n.axes.size(); ++k) inverse[n.axes[k]] = k;
          return g.reshape(g.transpose(n.operands[0], inverse), n.shape);
        }));
  plant("TransposeCanonicalNaN", Float, "NaNs that are moved become the one NaN",
        behind(Transpose, one_nan, [](const Edit&, const Node& n) { return is_float(n.type); }));

  subject = "tensor.slice@1";
  plant("SliceStepStale", Integer, "every element where every second is asked for",
        of(Slice, [](Edit& g, const Node& n) -> Other {
          Node other = n;
          for (size_t k = 0; k < n.shape.size(); ++k) {
            other.sizes[3 * k + 1] = other.sizes[3 * k] + n.shape[k];
            other.sizes[3 * k + 2] = 1;
          }
          return g.add(other);
        }));
  plant("SliceFromTheStart", Float, "ranges begin at 0", of(Slice, [](Edit& g, const Node& n) -> Other {
          Node other = n;
          for (size_t k = 0; k < n.shape.size(); ++k) {
            other.sizes[3 * k + 1] -= other.sizes[3 * k];
            other.sizes[3 * k] = 0;
          }
          return g.add(other);
        }));
  plant("SliceRowsStale", Integer, "rows have the length of the slice and not of the tensor",
        of(Slice, [](Edit& g, const Node& n) -> Other {
          const NodeId x = n.operands[0];
          const uint32_t count = check::elements(g[x].shape), some = check::elements(n.shape);
          return g.reshape(g.slice(g.reshape(x, {count}), 0, 0, some), n.shape);
        }));

  subject = "tensor.broadcast@1";
  plant("BroadcastRepeatsRows", Float, "a column is repeated as a row would be",
        of(Broadcast, [](Edit& g, const Node& n) -> Other {
          const NodeId x = n.operands[0];
          const uint32_t count = check::elements(g[x].shape), all = check::elements(n.shape);
          if (count < 2) return std::nullopt;
          const NodeId place = g.apply(Op::Mod, {g.index({all}, 0), g.filled(DataType::U32, count, {all})});
          return g.reshape(g.gather(g.reshape(x, {count}), place, 0), n.shape);
        }));
  plant("BroadcastOnce", Float, "only the first of what is repeated is there",
        of(Broadcast, [](Edit& g, const Node& n) -> Other {
          const size_t more = n.shape.size() - g[n.operands[0]].shape.size();
          for (uint32_t axis = 0; axis < n.shape.size(); ++axis) {
            const uint32_t before = axis < more ? 1 : g[n.operands[0]].shape[axis - more];
            if (before == 1 && n.shape[axis] > 1) return cut(g, g.add(n), axis, 1);
          }
          return std::nullopt;
        }));

  subject = "tensor.reshape@1";
  plant("ReshapeColumnMajor", Integer, "elements are counted down the columns",
        of(Reshape, [](Edit& g, const Node& n) -> Other {
          const auto turned = [&](NodeId x) {
            std::vector<uint32_t> axes(g[x].shape.size());
            std::iota(axes.rbegin(), axes.rend(), 0u);
            return g.transpose(x, axes);
          };
          Shape shape = n.shape;
          std::ranges::reverse(shape);
          return turned(g.reshape(turned(n.operands[0]), shape));
        }));
  plant("ReshapeCanonicalNaN", Float, "NaNs that are moved become the one NaN",
        behind(Reshape, one_nan, [](const Edit&, const Node& n) { return is_float(n.type); }));

  subject = "tensor.concat@1";
  plant("ConcatFromBehind", Integer, "the last tensor comes first",
        of(Concat, [](Edit& g, const Node& n) -> Other {
          std::vector<NodeId> parts = n.operands;
          std::ranges::reverse(parts);
          return g.with(n, parts);
        }));
  plant("ConcatLastElementLost", Float, "what the last tensor has at its end is zero",
        behind(
            Concat, [](Edit& g, NodeId y) { return cut(g, y, 0, g[y].shape[0] - 1); },
            [](const Edit&, const Node& n) { return n.shape[0] > 0; }));

  subject = "tensor.pad@1";
  plant("PadOfZeros", Integer, "the value is 0, whatever is asked for",
        operand(Pad, 1, [](Edit& g, const Node& n, NodeId) -> Other { return g.filled(n.type, 0, {}); }));
  plant("PadSwapped", Integer, "as much before as there should be behind",
        of(Pad, [](Edit& g, const Node& n) -> Other {
          Node other = n;
          for (size_t k = 0; k < n.shape.size(); ++k) std::swap(other.sizes[2 * k], other.sizes[2 * k + 1]);
          return g.add(other);
        }));
  plant("PadCanonicalNaN", Float, "a NaN that is the value becomes the one NaN",
        operand(Pad, 1, [](Edit& g, const Node& n, NodeId value) -> Other {
          return is_float(n.type) ? one_nan(g, value) : Other();
        }));

  subject = "tensor.index@1";
  plant("IndexOtherAxis", Integer, "the coordinate along the first axis",
        of(Index, [](Edit& g, const Node& n) -> Other {
          Node other = n;
          other.axis = 0;
          return g.add(other);
        }));
  plant("IndexLinear", Integer, "the number of the element in the whole tensor",
        of(Index, [](Edit& g, const Node& n) -> Other {
          const uint32_t count = check::elements(n.shape);
          return g.reshape(g.index({count}, 0), n.shape);
        }));

  subject = "tensor.sort@1";
  plant("SortNaNFirst", Float, "NaNs are less than all numbers", by_keys([](Edit& g, NodeId x) -> Other {
          return is_float(g[x].type) ? where_nan(g, x, infinity(g[x].type) | sign_bit(g[x].type)) : Other();
        }));
  plant("SortByBits", Float, "f32 as the integers of their bits, so that negative ones descend",
        sorted_as(DataType::F32, DataType::I32));
  plant("SortUnsigned", Integer, "i32 as u32", sorted_as(DataType::I32, DataType::U32));
  plant("SortCanonicalNaN", Float, "NaNs that are moved become the one NaN",
        behind(Sort, one_nan, [](const Edit&, const Node& n) { return is_float(n.type); }));
  plant("SortOfTilesAlone", Integer, "tiles of 32 are sorted, and not merged",
        of(Sort, [](Edit& g, const Node& n) -> Other {
          const uint32_t size = size_along(g, n);
          if (size <= 32) return std::nullopt;
          std::vector<NodeId> tiles;
          for (uint32_t from = 0; from < size; from += 32) {
            const uint32_t to = std::min(size, from + 32);
            tiles.push_back(g.with(n, {g.slice(n.operands[0], n.axis, from, to)}, to - from));
          }
          return g.concat(n.axis, tiles);
        }));

  subject = "tensor.argsort@1";
  plant("ArgsortUnstable", Integer, "of equal elements the last one comes first", of(Argsort, from_behind));
  plant("ArgsortOneZero", Float, "-0 and +0 are equal",
        by_keys([](Edit& g, NodeId x) -> Other { return is_float(g[x].type) ? plus(g, x, 0) : Other(); }));

  subject = "tensor.top_k@1";
  plant("TopKAscending", Integer, "the least ones", of(TopK, [](Edit& g, const Node& n) -> Other {
          Node sort = n;
          sort.op = Sort;
          return g.slice(g.with(sort, n.operands, size_along(g, n)), n.axis, 0, n.shape[n.axis]);
        }));
  plant("TopKNaNFirst", Float, "NaNs are greater than all numbers", by_keys([](Edit& g, NodeId x) -> Other {
          return is_float(g[x].type) ? where_nan(g, x, infinity(g[x].type)) : Other();
        }));

  subject = "tensor.arg_top_k@1";
  plant("ArgTopKTies", Integer, "of equal elements the last one comes first", of(ArgTopK, from_behind));

  subject = "tensor.elementwise@1";
  plant("VectorTailLost", Integer, "what stands behind the last four elements of a result is not written",
        of_graph({}, [](Edit& g, const Node& n) -> Other {
          const uint32_t count = check::elements(n.shape);
          if (count % 4 == 0) return std::nullopt;
          return g.reshape(cut(g, g.reshape(g.last(), {count}), 0, count / 4 * 4), n.shape);
        }));
  plant("Contracted", Float, "a product and a sum are one fmul_add",
        of(Apply, [](Edit& g, const Node& n) -> Other {
          if (n.scalar != Op::FAdd) return std::nullopt;
          const Node product = g[n.operands[0]];
          if (product.op != Apply || product.scalar != Op::FMul) return std::nullopt;
          return g.apply(Op::FMulAdd, {product.operands[0], product.operands[1], n.operands[1]});
        }));
  plant("FlushedProducts", Float, "subnormal products of f32 are zeros",
        of_operator(Op::FMul, [](Copy& c, const ir::Expr& e, DataType type) -> std::optional<Ex> {
          if (type != DataType::F32) return std::nullopt;
          const Ex x = c.shared(c.apply(Op::FMul, operands(c, e)));
          return c.select(c.apply(Op::FLt, {c.apply(Op::FAbs, {x}), c.f32_bits(0x00800000)}), c.f32_bits(0),
                          x);
        }));
  plant("DividesByReciprocal", Float, "a / b is a * (1 / b)",
        of_operator(Op::FDiv, [](Copy& c, const ir::Expr& e, DataType type) -> std::optional<Ex> {
          const std::vector<Ex> x = operands(c, e);
          return c.apply(Op::FMul, {x[0], c.apply(Op::FDiv, {c.literal(type, one(type)), x[1]})});
        }));
  plant("NarrowingTruncates", Float, "f32 loses its low bits where it becomes bf16",
        of_operator(Op::Cast, [](Copy& c, const ir::Expr& e, DataType type) -> std::optional<Ex> {
          if (type != DataType::F32 || e.type != DataType::BF16) return std::nullopt;
          const Ex bits = c.bitcast(DataType::U32, operands(c, e)[0]);
          return c.cast(e.type, c.bitcast(type, bits & 0xffff0000), e.mode);
        }));
  plant("CastRounds", Float, "a cast to integers that truncates goes to the nearest",
        of_operator(Op::Cast, [](Copy& c, const ir::Expr& e, DataType type) -> std::optional<Ex> {
          if (!is_float(type) || e.mode != spec::RoundingMode::Trunc) return std::nullopt;
          return c.cast(e.type, operands(c, e)[0], spec::RoundingMode::Nearest);
        }));
  plant("ProductOfLowWords", Integer, "a product of u64 is that of the low words",
        of_operator(Op::Mul, [](Copy& c, const ir::Expr& e, DataType type) -> std::optional<Ex> {
          if (type != DataType::U64) return std::nullopt;
          const std::vector<Ex> x = operands(c, e);
          return c.cast(type, c.cast(DataType::U32, x[0]) * c.cast(DataType::U32, x[1]));
        }));
  plant(
      "OutputsSwapped", Integer, "two outputs of one form change places",
      [](const SizedGraph& graph, std::span<const ir::Operation> operations, const tensor::Options& options) {
        SizedGraph other = graph;
        for (size_t i = 0; i < other.outputs.size(); ++i) {
          for (size_t k = i + 1; k < other.outputs.size(); ++k) {
            const Node &a = graph.nodes[other.outputs[i].node], &b = graph.nodes[other.outputs[k].node];
            if (a.type != b.type || a.shape != b.shape) continue;
            std::swap(other.outputs[i].node, other.outputs[k].node);
            return tensor::lower(other, operations, options);
          }
        }
        return tensor::lower(other, operations, options);
      });

  subject = "tensor.generated@1";
  plant("DispatchSkipped", Integer, "the last but one of several dispatches is not made",
        of_pipeline([](ir::Pipeline& p) {
          const std::vector<size_t> all = dispatches(p);
          if (all.size() < 2 || all.back() + 1 != p.commands.size()) return;
          if (all[all.size() - 2] + 1 == all.back())
            p.commands.erase(p.commands.begin() + ptrdiff_t(all[all.size() - 2]));
        }));
  plant("DispatchesSwapped", Float, "the last two dispatches change places", of_pipeline([](ir::Pipeline& p) {
          const std::vector<size_t> all = dispatches(p);
          if (all.size() >= 2 && all[all.size() - 2] + 1 == all.back())
            std::swap(p.commands[all[all.size() - 2]], p.commands[all.back()]);
        }));
  plant("ArenaReusedEarly", Float, "two arrays that are both needed are one",
        of_pipeline([](ir::Pipeline& p) {
          std::vector<const ir::Command*> scratch;
          for (const ir::Command& command : p.commands)
            if (command.kind == ir::CommandKind::Scratch) scratch.push_back(&command);
          const auto together = [&](ir::Symbol a, ir::Symbol b) {
            return std::ranges::any_of(p.commands, [&](const ir::Command& command) {
              const auto has = [&](ir::Symbol s) {
                return std::ranges::any_of(p.of(command.arguments),
                                           [&](const ir::Argument& x) { return x.buffer == s; });
              };
              return has(a) && has(b);
            });
          };
          for (size_t i = 0; i < scratch.size(); ++i) {
            for (size_t k = i + 1; k < scratch.size(); ++k) {
              if (scratch[i]->type != scratch[k]->type || together(scratch[i]->symbol, scratch[k]->symbol))
                continue;
              for (ir::Argument& argument : p.arguments)
                if (argument.buffer == scratch[k]->symbol) argument.buffer = scratch[i]->symbol;
              return;
            }
          }
        }));
  plant("LastGroupLost", Integer, "of several workgroups the last one does not run",
        of_pipeline([](ir::Pipeline& p) {
          for (const size_t at : dispatches(p)) {
            ir::Expr& x = p.code.exprs[ir::index(p.exprs(p.commands[at].exprs)[0])];
            if (x.kind == ExprKind::Literal && x.immediate > 1) --x.immediate;
          }
        }));
  plant("BarriersLost", Integer, "no barrier is waited at",
        of_programs({.statement = [](Copy& c, ir::NodeId id) {
          return c.code()[id].kind == ir::NodeKind::Barrier;
        }}));
  return all;
}

}  // namespace

std::span<const WrongLowering> wrong_lowerings() {
  static const std::vector<WrongLowering> all = make();
  return all;
}

Lowering right_lowering() {
  const Lowering lower = of_programs({});
  return [=](const SizedGraph& graph, std::span<const ir::Operation> operations,
             const tensor::Options& options) { return lower(Edit::changed(graph, {}), operations, options); };
}

}  // namespace vyre::faults
