#include "ref/graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>

#include "num/float.h"
#include "ref/eval.h"
#include "ref/rows.h"
#include "ref/small.h"
#include "spec/limits.h"
#include "spec/ops.h"
#include "spec/reduction.h"
#include "spec/table.h"

namespace vyre::ref {
namespace {

using check::NodeOp;
using check::SizedNode;
using spec::DataType;
using spec::Op;

using Shape = std::span<const uint32_t>;
using Coordinates = std::vector<uint32_t>;  // one an axis

/// The place of an element in a row-major tensor.
uint32_t linear(Shape shape, const Coordinates& at) {
  uint32_t out = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis) out = out * shape[axis] + at[axis];
  return out;
}

/// All coordinates of a shape, the last axis fastest, each with its place.
template <typename F>
void for_each(Shape shape, const F& body) {
  Coordinates at(shape.size());
  const uint32_t count = check::elements(shape);
  for (uint32_t i = 0; i < count; ++i) {
    body(i, std::as_const(at));
    for (size_t axis = shape.size(); axis-- > 0 && ++at[axis] == shape[axis];) at[axis] = 0;
  }
}

/// The elements of a node, row-major, as they are in a buffer.
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(const SizedNode& node)
      : type(node.type), shape(node.shape), bytes_(size_t(check::memory_bytes(node))) {}

  uint32_t count() const { return check::elements(shape); }
  Bits operator[](uint32_t i) const {
    if (is_nibble()) return Bits(bytes_[i / 2] >> (i % 2 * 4)) & 0xf;
    Bits bits = 0;
    std::memcpy(&bits, bytes_.data() + i * size(), size());
    return type == DataType::Bool && bits != 0 ? 1 : bits;  // a bool is 0 or 1, whatever the word
  }
  Bits at(const Coordinates& coordinates) const { return (*this)[linear(shape, coordinates)]; }
  void set(uint32_t i, Bits bits) {
    if (!is_nibble()) {
      std::memcpy(bytes_.data() + i * size(), &bits, size());
      return;
    }
    const uint32_t shift = i % 2 * 4;
    bytes_[i / 2] = (bytes_[i / 2] & ~(std::byte{0xf} << shift)) | std::byte(bits << shift);
  }

  void assign(std::span<const std::byte> bytes) { std::ranges::copy(bytes, bytes_.begin()); }
  const Bytes& bytes() const { return bytes_; }

  DataType type{};
  Shape shape;

 private:
  bool is_nibble() const { return spec::packed_bits(type) == 4; }
  size_t size() const { return spec::info(type).bytes; }
  Bytes bytes_;
};

/// The lines of a shape along an axis. Element i of line (before, behind) is at (before * length + i) *
/// behinds + behind.
struct Lines {
  Lines(Shape shape, uint32_t axis)
      : befores(check::elements(shape.first(axis))),
        length(shape[axis]),
        behinds(check::elements(shape.subspan(axis + 1))) {}
  uint32_t at(uint32_t before, uint32_t i, uint32_t behind) const {
    return (before * length + i) * behinds + behind;
  }
  template <typename F>
  void for_each(const F& body) const {
    for (uint32_t before = 0; before < befores; ++before)
      for (uint32_t behind = 0; behind < behinds; ++behind) body(before, behind);
  }
  uint32_t befores, length, behinds;
};

/// An operation that nodes call, counted down to a limit of steps.
class Callee {
 public:
  Callee(const check::CheckedModule& module, const SizedNode& node, uint64_t max_steps)
      : applied_(module, *node.operation), max_steps_(max_steps == 0 ? UINT64_MAX : max_steps) {}
  Bits operator()(std::span<const Bits> operands) {
    const auto result = applied_(operands, max_steps_);
    out_of_steps |= !result;
    return result.value_or(0);
  }
  bool out_of_steps = false;

 private:
  Applied applied_;
  uint64_t max_steps_;
};

/// What computes a node: it writes every element of `out`, which is zeros.
struct Work {
  const SizedNode& node;
  std::span<const Tensor* const> operands;
  Callee* callee = nullptr;  // Call, Recur
  Tensor& out;
  const Tensor& operator[](size_t i) const { return *operands[i]; }
};

Bits eval(Op op, DataType type, Bits a, Bits b) { return ref::eval(op, type, std::array{a, b}); }
bool is_nan(DataType type, Bits x) {
  return spec::kFloats.contains(type) && spec::float_format(type).is_nan(uint32_t(x));
}
/// As arithmetic gives it: a NaN is the one NaN.
Bits with_one_nan(DataType type, Bits x) { return is_nan(type, x) ? spec::float_format(type).nan() : x; }

// Leaves.

void run_Parameter(const Work&) {}  // its bytes are there

void run_Literal(const Work& work) {
  Bits value = 0;
  for (size_t i = 4; i-- > 0;) value = value << 32 | work.node.bits[i];
  work.out.set(0, value);
}

void run_Index(const Work& work) {
  for_each(work.out.shape, [&](uint32_t i, const Coordinates& at) { work.out.set(i, at[work.node.axis]); });
}

// Element by element: operands have the shape of the result.

Bits apply(const SizedNode& node, DataType type, std::span<const Bits> operands) {
  if (spec::is_small(type) || spec::is_small(node.type))
    return cast_small(type, node.type, node.mode, operands[0]);
  if (node.scalar == Op::Cast) return eval_cast(type, node.type, node.mode, operands[0]);
  if (node.scalar == Op::Bitcast) return eval_bitcast(type, node.type, operands[0]);
  // Operators are of the type of their first operand; that of a selection is a condition.
  return ref::eval(node.scalar, node.scalar == Op::Select ? node.type : type, operands);
}

template <typename F>
void run_elements(const Work& work, const F& element) {
  std::vector<Bits> operands(work.operands.size());
  for (uint32_t i = 0; i < work.out.count(); ++i) {
    for (size_t k = 0; k < operands.size(); ++k) operands[k] = work[k][i];
    work.out.set(i, element(operands));
  }
}
void run_Apply(const Work& work) {
  run_elements(work,
               [&](std::span<const Bits> operands) { return apply(work.node, work[0].type, operands); });
}
void run_Call(const Work& work) {
  run_elements(work, [&](std::span<const Bits> operands) { return (*work.callee)(operands); });
}

// Elements at other places, with every bit as it was.

void run_Transpose(const Work& work) {
  Coordinates from(work.out.shape.size());
  for_each(work.out.shape, [&](uint32_t i, const Coordinates& at) {
    for (size_t axis = 0; axis < at.size(); ++axis) from[work.node.axes[axis]] = at[axis];
    work.out.set(i, work[0].at(from));
  });
}

void run_Slice(const Work& work) {
  Coordinates from(work.out.shape.size());
  for_each(work.out.shape, [&](uint32_t i, const Coordinates& at) {
    for (size_t axis = 0; axis < at.size(); ++axis)
      from[axis] = work.node.sizes[3 * axis] + at[axis] * work.node.sizes[3 * axis + 2];
    work.out.set(i, work[0].at(from));
  });
}

void run_Broadcast(const Work& work) {
  const Shape shape = work[0].shape;
  const size_t more = work.out.shape.size() - shape.size();
  Coordinates from(shape.size());
  for_each(work.out.shape, [&](uint32_t i, const Coordinates& at) {
    for (size_t axis = 0; axis < shape.size(); ++axis) from[axis] = shape[axis] == 1 ? 0 : at[more + axis];
    work.out.set(i, work[0].at(from));
  });
}

void run_Reshape(const Work& work) {
  for (uint32_t i = 0; i < work.out.count(); ++i) work.out.set(i, work[0][i]);
}

void run_Concat(const Work& work) {
  const Lines to(work.out.shape, work.node.axis);
  uint32_t begin = 0;
  for (const Tensor* const part : work.operands) {
    const Lines from(part->shape, work.node.axis);
    from.for_each([&](uint32_t before, uint32_t behind) {
      for (uint32_t i = 0; i < from.length; ++i)
        work.out.set(to.at(before, begin + i, behind), (*part)[from.at(before, i, behind)]);
    });
    begin += from.length;
  }
}

void run_Pad(const Work& work) {
  const Shape shape = work[0].shape;
  Coordinates from(shape.size());
  for_each(work.out.shape, [&](uint32_t i, const Coordinates& at) {
    bool inside = true;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      from[axis] = at[axis] - work.node.sizes[2 * axis];  // before the tensor it wraps, and so is beyond it
      inside = inside && from[axis] < shape[axis];
    }
    work.out.set(i, inside ? work[0].at(from) : work[1][0]);
  });
}

void run_Gather(const Work& work) {
  const Lines from(work[0].shape, work.node.axis);
  const uint32_t indices = work[1].count();
  from.for_each([&](uint32_t before, uint32_t behind) {
    for (uint32_t k = 0; k < indices; ++k) {
      const Bits index = work[1][k];
      const Bits value = index < from.length ? work[0][from.at(before, uint32_t(index), behind)] : 0;
      work.out.set((before * indices + k) * from.behinds + behind, value);
    }
  });
}

// Folds.

/// Of integers AtomicMin and AtomicMax stand for the lesser and the greater of two.
Bits fold_pair(Op fold, DataType type, Bits a, Bits b) {
  if (fold == Op::AtomicMin) return eval(Op::Lt, type, a, b) != 0 ? a : b;
  if (fold == Op::AtomicMax) return eval(Op::Lt, type, a, b) != 0 ? b : a;
  return eval(fold, type, a, b);
}

/// What no elements reduce to.
Bits identity(Op fold, DataType type) {
  if (spec::kFloats.contains(type)) return spec::fold_identity(fold, type);
  const Bits ones = (Bits{1} << spec::value_bits(type)) - 1;
  const Bits greatest = type == DataType::I32 ? ones >> 1 : ones;
  if (fold == Op::Mul) return 1;
  if (fold == Op::BitAnd) return ones;
  if (fold == Op::AtomicMin) return greatest;
  if (fold == Op::AtomicMax) return ones ^ greatest;
  return 0;
}

void run_Reduce(const Work& work) {
  const auto [op, type] = std::pair(work.node.scalar, work.node.type);
  const Lines lines(work[0].shape, work.node.axis);
  lines.for_each([&](uint32_t before, uint32_t behind) {
    const auto load = [&](uint32_t i) { return work[0][lines.at(before, i, behind)]; };
    Bits result = identity(op, type);
    if (work.node.order != ir::Order::None) {
      result =
          eval_reduction(work.node.order == ir::Order::Strict ? Op::FReduceStrict : Op::FReduceTreeBinary, op,
                         type, 0, lines.length, load);
    } else {
      for (uint32_t i = 0; i < lines.length; ++i) result = fold_pair(op, type, result, load(i));
    }
    work.out.set(before * lines.behinds + behind, result);
  });
}

/// The reductions of a line's prefixes, each of which is one element longer.
class Prefix {
 public:
  Prefix(ir::Order order, Op fold, DataType type) : order_(order), fold_(fold), type_(type) {}

  Bits next(Bits element) {
    element = with_one_nan(type_, element);
    if (order_ == ir::Order::Tree) return next_of_tree(element);
    all_ = count_++ == 0 ? element : fold_pair(fold_, type_, all_, element);
    return all_;
  }

 private:
  /// The canonical tree of a prefix splits off its greatest aligned block whose size is a power of two, then
  /// the greatest of what is left, and so on: the blocks are the digits of its length, and each is a tree
  /// that longer prefixes have too.
  Bits next_of_tree(Bits element) {
    blocks_.push_back(element);
    for (uint32_t n = ++count_; n % 2 == 0; n /= 2) {
      const Bits right = blocks_.back();
      blocks_.pop_back();
      blocks_.back() = fold_pair(fold_, type_, blocks_.back(), right);
    }
    Bits result = blocks_.back();
    for (size_t i = blocks_.size() - 1; i-- > 0;) result = fold_pair(fold_, type_, blocks_[i], result);
    return result;
  }

  ir::Order order_;
  Op fold_;
  DataType type_;
  uint32_t count_ = 0;
  Bits all_ = 0;
  std::vector<Bits> blocks_;
};

void run_Scan(const Work& work) {
  const Lines lines(work.out.shape, work.node.axis);
  lines.for_each([&](uint32_t before, uint32_t behind) {
    Prefix prefix(work.node.order, work.node.scalar, work.node.type);
    for (uint32_t i = 0; i < lines.length; ++i) {
      const uint32_t at = lines.at(before, i, behind);
      work.out.set(at, prefix.next(work[0][at]));
    }
  });
}

void run_Recur(const Work& work) {
  const Lines lines(work.out.shape, work.node.axis);
  std::vector<Bits> operands(work.operands.size());
  lines.for_each([&](uint32_t before, uint32_t behind) {
    Bits y = work[0][before * lines.behinds + behind];
    for (uint32_t i = 0; i < lines.length; ++i) {
      const uint32_t at = lines.at(before, i, behind);
      operands[0] = y;
      for (size_t k = 1; k < operands.size(); ++k) operands[k] = work[k][at];
      y = (*work.callee)(operands);
      work.out.set(at, y);
    }
  });
}

void run_ScatterAdd(const Work& work) {
  const DataType type = work.node.type;
  const Op add = spec::kFloats.contains(type) ? Op::FAdd : Op::Add;
  work.out.assign(work[0].bytes());  // what no update goes to keeps every bit
  const Lines to(work.out.shape, work.node.axis);
  const uint32_t indices = work[1].count();
  for (uint32_t i = 0; i < work[2].count(); ++i) {
    const uint32_t behind = i % to.behinds;
    const Bits index = work[1][i / to.behinds % indices];
    const uint32_t before = i / to.behinds / indices;
    if (index >= to.length) continue;
    const uint32_t at = to.at(before, uint32_t(index), behind);
    work.out.set(at, eval(add, type, work.out[at], work[2][i]));
  }
}

// Products.

/// a * b + x: rounded once, or wrapped.
Bits multiply_add(DataType type, Bits a, Bits b, Bits x) {
  if (spec::kFloats.contains(type)) return ref::eval(Op::FMulAdd, type, std::array{a, b, x});
  return eval(Op::Add, type, eval(Op::Mul, type, a, b), x);
}

/// The elements in the type of the accumulator.
std::vector<Bits> cast(const Tensor& tensor, DataType type) {
  std::vector<Bits> out(tensor.count());
  for (uint32_t i = 0; i < out.size(); ++i)
    out[i] = eval_cast(tensor.type, type, spec::RoundingMode::None, tensor[i]);
  return out;
}

void run_Matmul(const Work& work) {
  const DataType type = work.node.type;
  const Shape shape = work.out.shape;
  const size_t batch_axes = shape.size() - 2;
  const uint32_t rows = shape[batch_axes], columns = shape[batch_axes + 1];
  const uint32_t length = work[0].shape[batch_axes + 1];
  const std::vector<Bits> a = cast(work[0], type), b = cast(work[1], type);
  std::vector<Bits> blocks;
  for (uint32_t i = 0; i < work.out.count(); ++i) {
    const uint32_t column = i % columns, row = i / columns, batch = row / rows;
    blocks.clear();
    for (uint32_t k = 0; k < length; ++k) {
      if (k % work.node.block == 0) blocks.push_back(0);  // +0
      blocks.back() =
          multiply_add(type, a[row * length + k], b[(batch * length + k) * columns + column], blocks.back());
    }
    Bits sum = 0;
    if (spec::kFloats.contains(type)) {
      sum = eval_reduction(Op::FReduceTreeBinary, Op::FAdd, type, 0, uint32_t(blocks.size()),
                           [&](uint32_t block) { return blocks[block]; });
    } else {
      for (const Bits block : blocks) sum = eval(Op::Add, type, sum, block);
    }
    work.out.set(i, sum);
  }
}

// Order of values.

/// Whether a stands before b, ascending: floats by value, -0 before +0.
bool is_less(DataType type, Bits a, Bits b) {
  if (type == DataType::Bool) return a < b;
  if (!spec::kFloats.contains(type)) return eval(Op::Lt, type, a, b) != 0;
  const spec::FloatFormat format = spec::float_format(type);
  if (!num::equal(format, uint32_t(a), uint32_t(b))) return num::less(format, uint32_t(a), uint32_t(b));
  return (a & format.sign_bit()) != 0 && (b & format.sign_bit()) == 0;
}

/// The places of a line's elements as they are sorted. NaNs are last, up and down; of equals the lower place
/// is first.
std::vector<uint32_t> sorted(DataType type, const std::vector<Bits>& line, bool descending) {
  const auto is_first = [&](uint32_t i, uint32_t k) {
    const Bits a = line[i], b = line[k];
    if (is_nan(type, a) != is_nan(type, b)) return is_nan(type, b);
    if (is_nan(type, a)) return i < k;
    if (is_less(type, a, b)) return !descending;
    if (is_less(type, b, a)) return descending;
    return i < k;
  };
  std::vector<uint32_t> places(line.size());
  std::iota(places.begin(), places.end(), 0u);
  std::ranges::sort(places, is_first);
  return places;
}

/// The first elements of each sorted line, or their places, as many as the result has.
void run_sorted(const Work& work, bool descending, bool gives_places) {
  const DataType type = work[0].type;
  const Lines from(work[0].shape, work.node.axis), to(work.out.shape, work.node.axis);
  std::vector<Bits> line(from.length);
  from.for_each([&](uint32_t before, uint32_t behind) {
    for (uint32_t i = 0; i < from.length; ++i) line[i] = work[0][from.at(before, i, behind)];
    const std::vector<uint32_t> places = sorted(type, line, descending);
    for (uint32_t i = 0; i < to.length; ++i)
      work.out.set(to.at(before, i, behind), gives_places ? places[i] : line[places[i]]);
  });
}
template <bool descending, bool gives_places>
void run_sorted(const Work& work) {
  run_sorted(work, descending, gives_places);
}

using Run = void (*)(const Work&);
constexpr spec::Row<NodeOp, Run> kRunRows[] = {
    {NodeOp::Parameter, run_Parameter},
    {NodeOp::Literal, run_Literal},
    {NodeOp::Apply, run_Apply},
    {NodeOp::Call, run_Call},
    {NodeOp::Transpose, run_Transpose},
    {NodeOp::Slice, run_Slice},
    {NodeOp::Broadcast, run_Broadcast},
    {NodeOp::Reshape, run_Reshape},
    {NodeOp::Concat, run_Concat},
    {NodeOp::Pad, run_Pad},
    {NodeOp::Gather, run_Gather},
    {NodeOp::ScatterAdd, run_ScatterAdd},
    {NodeOp::Index, run_Index},
    {NodeOp::Reduce, run_Reduce},
    {NodeOp::Scan, run_Scan},
    {NodeOp::Recur, run_Recur},
    {NodeOp::Matmul, run_Matmul},
    {NodeOp::Sort, run_sorted<false, false>},
    {NodeOp::Argsort, run_sorted<false, true>},
    {NodeOp::TopK, run_sorted<true, false>},
    {NodeOp::ArgTopK, run_sorted<true, true>},
};
constexpr spec::TotalTable<kRunRows> kRun;

std::unexpected<Diag> refused(DiagCode code, Span span, std::string message, std::string help) {
  return std::unexpected(make_diag(code, span, std::move(message), std::move(help)));
}

Result<void> check_inputs(const check::SizedGraph& graph,
                          std::span<const std::span<const std::byte>> inputs) {
  if (inputs.size() != graph.parameters.size()) {
    return refused(DiagCode::X009, Span::none(),
                   fmt::format("{} tensors are given, and graph {} has {} parameters", inputs.size(),
                               graph.name, graph.parameters.size()),
                   "give one a parameter, in their order");
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const SizedNode& node = graph.nodes[graph.parameters[i].node];
    const uint64_t bytes = check::memory_bytes(node);
    if (inputs[i].size() == bytes) continue;
    return refused(DiagCode::X007, node.span,
                   fmt::format("'{}' has {} bytes, and {}[{}] takes {}", graph.parameters[i].name,
                               inputs[i].size(), spec::text(node.type), fmt::join(node.shape, ", "), bytes),
                   "give as many elements as the shape has");
  }
  return {};
}

Result<void> check_size(const SizedNode& node) {
  const uint64_t bytes = check::memory_bytes(node);
  if (bytes <= spec::kMaxReferenceBytes) return {};
  return refused(
      DiagCode::X006, node.span,
      fmt::format("{}[{}] takes {} bytes, and the reference has room for {} a tensor", spec::text(node.type),
                  fmt::join(node.shape, ", "), bytes, uint64_t(spec::kMaxReferenceBytes)),
      "run it on another backend, or at smaller sizes");
}

}  // namespace

Result<std::vector<Bytes>> run_graph(const check::CheckedModule& module, const check::SizedGraph& graph,
                                     std::span<const std::span<const std::byte>> inputs,
                                     const Options& options) {
  VYRE_CHECK(check_inputs(graph, inputs));
  // By node: the last one that reads it. Outputs are read behind all.
  std::vector<size_t> last_use(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    for (const uint32_t operand : graph.nodes[i].operands) last_use[operand] = i;
  for (const auto& output : graph.outputs) last_use[output.node] = graph.nodes.size();

  std::vector<Tensor> tensors(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const SizedNode& node = graph.nodes[i];
    VYRE_CHECK(check_size(node));
    tensors[i] = Tensor(node);
    if (node.op == NodeOp::Parameter) tensors[i].assign(inputs[node.number]);
    std::vector<const Tensor*> operands;
    for (const uint32_t operand : node.operands) operands.push_back(&tensors[operand]);
    std::optional<Callee> callee;
    if (node.operation != nullptr) callee.emplace(module, node, options.max_steps);
    kRun[node.op]({node, operands, callee ? &*callee : nullptr, tensors[i]});
    if (callee && callee->out_of_steps) return std::unexpected(out_of_steps(options));
    for (const uint32_t operand : node.operands)
      if (last_use[operand] == i) tensors[operand] = {};
  }
  std::vector<Bytes> out;
  for (const auto& output : graph.outputs) {
    Tensor shown(graph.nodes[output.node]);  // in which a bool is 0 or 1
    for (uint32_t i = 0; i < shown.count(); ++i) shown.set(i, tensors[output.node][i]);
    out.push_back(shown.bytes());
  }
  return out;
}

}  // namespace vyre::ref
