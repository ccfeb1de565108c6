#include "tensor/small.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "spec/float_format.h"

namespace vyre::tensor {
namespace {

using check::NodeOp;
using check::SizedNode;
using spec::DataType;
using spec::Op;

using Shape = std::vector<uint32_t>;
using Node = uint32_t;  // its number

constexpr uint32_t kSign = 0x8000'0000, kInfinity = 0x7f80'0000, kNan = 0x7fc0'0000;  // of f32
constexpr uint32_t kFraction = 23, kBias = 127;

class Rewriting {
 public:
  explicit Rewriting(const check::SizedGraph& graph) : graph_(graph) {}

  check::SizedGraph run() {
    out_.name = graph_.name;
    for (const SizedNode& node : graph_.nodes) known_.push_back(rewritten(node));
    for (const auto& parameter : graph_.parameters)
      out_.parameters.push_back({parameter.name, parameters_.at(graph_.nodes[parameter.node].number)});
    for (const auto& output : graph_.outputs) {
      const SizedNode& node = graph_.nodes[output.node];
      span_ = node.span;
      const Node made = known_[output.node];
      out_.outputs.push_back({output.name, spec::is_small(node.type) ? packed(made, node) : made});
    }
    return std::move(out_);
  }

 private:
  Node add(SizedNode node) {
    node.span = span_;
    out_.nodes.push_back(std::move(node));
    return Node(out_.nodes.size() - 1);
  }
  const Shape& shape(Node node) const { return out_.nodes[node].shape; }
  DataType type(Node node) const { return out_.nodes[node].type; }

  /// A number in the shape of another node.
  Node number(uint32_t bits, Node like, DataType type = DataType::U32) {
    Node made = add({.op = NodeOp::Literal, .type = type, .bits = {bits}});
    if (shape(like).empty()) return made;
    const Shape wanted = shape(like);
    return add({.op = NodeOp::Broadcast, .type = type, .shape = wanted, .operands = {made}});
  }
  Node apply(Op op, DataType type, std::vector<Node> operands, spec::RoundingMode mode = {}) {
    const Shape wanted = shape(operands[0]);
    return add({.op = NodeOp::Apply,
                .type = type,
                .shape = wanted,
                .operands = std::move(operands),
                .scalar = op,
                .mode = mode});
  }
  /// Of a and a number, in the type of a.
  Node with(Op op, Node a, uint32_t bits) { return apply(op, type(a), {a, number(bits, a, type(a))}); }
  Node is(Op op, Node a, uint32_t bits) { return apply(op, DataType::U32, {a, number(bits, a, type(a))}); }
  Node select(Node condition, Node a, Node b) { return apply(Op::Select, type(a), {condition, a, b}); }
  Node bitcast(DataType to, Node a) { return type(a) == to ? a : apply(Op::Bitcast, to, {a}); }
  Node reshaped(Node a, Shape wanted) {
    return add({.op = NodeOp::Reshape, .type = type(a), .shape = std::move(wanted), .operands = {a}});
  }

  Node rewritten(const SizedNode& node) {
    span_ = node.span;
    SizedNode copied = node;
    for (Node& operand : copied.operands) operand = known_[operand];
    if (node.op == NodeOp::Parameter) {
      if (!spec::is_small(node.type)) return parameters_[node.number] = add(std::move(copied));
      copied.type = DataType::U32;
      copied.shape = {words(node)};
      return unpacked(parameters_[node.number] = add(std::move(copied)), node);
    }
    if (node.op == NodeOp::Apply && node.scalar == Op::Cast) {
      const DataType from = graph_.nodes[node.operands[0]].type;
      if (spec::is_small(from)) return widened(from, copied.operands[0]);
      if (spec::is_small(node.type)) return narrowed(node.type, copied.operands[0], node.mode);
    }
    if (spec::is_small(node.type)) copied.type = DataType::U32;  // it moves
    return add(std::move(copied));
  }

  // Memory.

  static uint32_t lanes(DataType type) { return 32 / spec::packed_bits(type); }
  static uint32_t words(const SizedNode& node) { return uint32_t((check::memory_bytes(node) + 3) / 4); }

  /// What a parameter's words hold, in the shape and with the elements of the node.
  Node unpacked(Node memory, const SizedNode& node) {
    const uint32_t rows = words(node), columns = lanes(node.type), bits = spec::packed_bits(node.type);
    const Shape grid = {rows, columns};
    const Node word = add({.op = NodeOp::Broadcast,
                           .type = DataType::U32,
                           .shape = grid,
                           .operands = {reshaped(memory, {rows, 1})}});
    const Node lane = add({.op = NodeOp::Index, .type = DataType::U32, .shape = grid, .axis = 1});
    const Node moved = apply(Op::Shr, DataType::U32, {word, with(Op::Mul, lane, bits)});
    Node flat = reshaped(with(Op::BitAnd, moved, (1u << bits) - 1), {rows * columns});
    const uint32_t count = check::elements(node.shape);
    flat = add({.op = NodeOp::Slice,
                .type = DataType::U32,
                .shape = {count},
                .operands = {flat},
                .sizes = {0, count, 1}});
    return reshaped(flat, node.shape);
  }

  /// The words of an output, of which each has its first element in its low bits; what is behind the last one
  /// is 0.
  Node packed(Node elements, const SizedNode& node) {
    const uint32_t rows = words(node), columns = lanes(node.type), bits = spec::packed_bits(node.type);
    const uint32_t count = check::elements(node.shape);
    const Node nothing = add({.op = NodeOp::Literal, .type = DataType::U32});
    Node grid = add({.op = NodeOp::Pad,
                     .type = DataType::U32,
                     .shape = {rows * columns},
                     .operands = {reshaped(elements, {count}), nothing},
                     .sizes = {0, rows * columns - count}});
    grid = reshaped(grid, {rows, columns});
    // A fold of a line is computed by one invocation, whatever computes its elements, each once.
    const Node lane = add({.op = NodeOp::Index, .type = DataType::U32, .shape = {rows, columns}, .axis = 1});
    const Node moved = apply(Op::Shl, DataType::U32, {grid, with(Op::Mul, lane, bits)});
    const Node folded = add({.op = NodeOp::Reduce,
                             .type = DataType::U32,
                             .shape = {rows, 1},
                             .operands = {moved},
                             .scalar = Op::BitOr,
                             .axis = 1});
    return reshaped(folded, {rows});
  }

  // Casts. What is small is a u32 below 2^8 or 2^4.

  Node widened(DataType from, Node a) {
    if (from == DataType::U8) return a;
    if (from == DataType::I8) return bitcast(DataType::I32, with(Op::Sub, with(Op::BitXor, a, 0x80), 0x80));
    // An e5m2 is the upper half of an f16.
    if (from == DataType::FP8E5M2) {
      const Node half = apply(Op::Bitcast, DataType::F16, {with(Op::Shl, a, 8)});
      return apply(Op::Cast, DataType::F32, {half});
    }
    const spec::SmallFloat f = spec::small_float(from);
    const Node magnitude = with(Op::BitAnd, a, f.sign() - 1);
    const Node normal = with(Op::Add, with(Op::Shl, magnitude, kFraction - f.fraction_bits),
                             (kBias - uint32_t(f.bias())) << kFraction);
    // Below the least normal number: so many times the least one.
    const uint32_t least = uint32_t(1 - f.bias() - int32_t(f.fraction_bits) + int32_t(kBias)) << kFraction;
    const Node subnormal =
        bitcast(DataType::U32, with(Op::FMul, apply(Op::Cast, DataType::F32, {magnitude}), least));
    const Node value = select(is(Op::Lt, magnitude, 1u << f.fraction_bits), subnormal, normal);
    const Node sign = with(Op::Shl, with(Op::BitAnd, a, f.sign()), 31 - f.exponent_bits - f.fraction_bits);
    Node out = apply(Op::BitOr, DataType::U32, {value, sign});
    if (f.has_nan()) out = select(is(Op::Eq, magnitude, f.nan), number(kNan, out), out);
    return bitcast(DataType::F32, out);
  }

  Node narrowed(DataType to, Node a, spec::RoundingMode mode) {
    if (to != DataType::I8 && to != DataType::U8) return rounded(to, a);
    if (type(a) != DataType::F32) return with(Op::BitAnd, bitcast(DataType::U32, a), 0xff);
    const DataType wide = spec::wide_type(to);
    const uint32_t greatest = to == DataType::I8 ? 127 : 255, least = uint32_t(-128);
    Node whole = apply(Op::Cast, wide, {a}, mode);
    whole = select(is(Op::Lt, whole, greatest), whole, number(greatest, whole, wide));
    if (to == DataType::U8) return whole;
    whole = select(is(Op::Lt, whole, least), number(least, whole, wide), whole);
    return with(Op::BitAnd, bitcast(DataType::U32, whole), 0xff);
  }

  /// An f32 to the nearest small float, to even between two.
  Node rounded(DataType to, Node a) {
    const spec::SmallFloat f = spec::small_float(to);
    const uint32_t dropped = kFraction - f.fraction_bits;
    const Node bits = bitcast(DataType::U32, a);
    const Node magnitude = with(Op::BitAnd, bits, kSign - 1);
    // Half a place less one, and one more where the place is odd, carries into it as rounding does.
    const Node odd = with(Op::BitAnd, with(Op::Shr, magnitude, dropped), 1);
    const Node raised =
        apply(Op::Add, DataType::U32, {with(Op::Add, magnitude, (1u << (dropped - 1)) - 1), odd});
    const Node normal =
        with(Op::Sub, with(Op::Shr, raised, dropped), (kBias - uint32_t(f.bias())) << f.fraction_bits);
    // Below the least normal number: the sum with a number whose last place is the least one's.
    const uint32_t exponent = uint32_t(1 - f.bias() - int32_t(f.fraction_bits) + int32_t(kFraction + kBias));
    const uint32_t anchor = exponent << kFraction;
    const Node sum = with(Op::FAdd, bitcast(DataType::F32, magnitude), anchor);
    const Node subnormal = with(Op::Sub, bitcast(DataType::U32, sum), anchor);
    const uint32_t least_normal = uint32_t(1 - f.bias() + int32_t(kBias)) << kFraction;
    const Node pattern = select(is(Op::Lt, magnitude, least_normal), subnormal, normal);
    const Node is_beyond = is(Op::Gt, pattern, f.greatest);
    const Node sign = with(Op::Shl, with(Op::Shr, bits, 31), f.exponent_bits + f.fraction_bits);
    const Node held =
        f.beyond == f.nan && f.has_nan() ? pattern : select(is_beyond, number(f.beyond, pattern), pattern);
    const Node out = apply(Op::BitOr, DataType::U32, {held, sign});
    // Where there is no infinity, what is beyond is a NaN as well.
    const Node is_nan = f.beyond == f.nan && f.has_nan() ? is_beyond : is(Op::Gt, magnitude, kInfinity);
    return select(is_nan, number(f.nan, out), out);
  }

  const check::SizedGraph& graph_;
  check::SizedGraph out_;
  std::vector<Node> known_;              // by node of the graph
  std::map<uint32_t, Node> parameters_;  // by number
  Span span_;
};

}  // namespace

check::SizedGraph without_small_types(const check::SizedGraph& graph) {
  if (std::ranges::none_of(graph.nodes, [](const SizedNode& n) { return spec::is_small(n.type); }))
    return graph;
  return Rewriting(graph).run();
}

}  // namespace vyre::tensor
