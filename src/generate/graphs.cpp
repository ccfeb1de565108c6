#include "generate/graphs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/random.h"
#include "check/extent.h"
#include "check/tensors.h"
#include "generate/float_values.h"
#include "generate/graph_sketch.h"
#include "generate/values.h"
#include "ir/module_builder.h"
#include "spec/casts.h"
#include "spec/float_format.h"
#include "spec/ops.h"
#include "spec/packed.h"
#include "text/text.h"

namespace vyre::generate {
namespace {

using check::Extent;
using ir::ExprKind;
using ir::Order;
using ir::TensorOp;
using spec::DataType;
using spec::Form;
using spec::Op;

constexpr DataType kElementTypes[] = {DataType::F32, DataType::F32,  DataType::F32,
                                      DataType::F16, DataType::BF16, DataType::U32,
                                      DataType::I32, DataType::U64,  DataType::Bool};
constexpr DataType kSmallTypes[] = {DataType::I8, DataType::U8, DataType::FP8E4M3, DataType::FP8E5M2,
                                    DataType::FP4E2M1};
constexpr uint32_t kSmallIntegers = 2;  // the first of them
constexpr uint32_t kFirstInteger = 5, kIntegerTypes = uint32_t(std::size(kElementTypes)) - kFirstInteger;
constexpr uint32_t kFirstSteps = 11;  // of the steps, those that only views are drawn from
constexpr uint32_t kAxisSizes[] = {0, 1, 1, 2, 3, 4, 5, 7, 8, 13, 15, 16, 17, 31, 32, 33, 63, 64, 65, 97};
constexpr Op kFloatFolds[] = {Op::FAdd, Op::FAdd, Op::FMul, Op::FMin, Op::FMax};
constexpr Op kIntegerFolds[] = {Op::Add,    Op::Mul,   Op::AtomicMin, Op::AtomicMax,
                                Op::BitAnd, Op::BitOr, Op::BitXor};

bool is_float(DataType type) { return spec::kFloats.contains(type); }

/// A size as it is written, as the checker knows it, and as a number.
struct AxisSize {
  SizeTree tree;
  Extent extent;
  uint32_t value = 0;
  bool plain() const { return tree.parts.empty(); }
};
using Shape = std::vector<AxisSize>;

AxisSize number(uint32_t value) { return {{.number = value}, Extent(int64_t(value)), value}; }

bool same(const Shape& a, const Shape& b) {
  return std::ranges::equal(a, b, {}, &AxisSize::extent, &AxisSize::extent);
}

uint64_t elements_of(const Shape& shape) {
  uint64_t out = 1;
  for (const AxisSize& size : shape) out *= size.value;
  return out;
}

/// What both stretch to, or none.
std::optional<Shape> together(const Shape& a, const Shape& b) {
  Shape out(std::max(a.size(), b.size()));
  for (size_t i = 0; i < out.size(); ++i) {
    const AxisSize x = i < a.size() ? a[a.size() - 1 - i] : number(1);
    const AxisSize y = i < b.size() ? b[b.size() - 1 - i] : number(1);
    const bool one = x.extent == Extent(1);
    if (!(x.extent == y.extent) && !one && !(y.extent == Extent(1))) return std::nullopt;
    out[out.size() - 1 - i] = one ? y : x;
  }
  return out;
}

bool stretches_to(const Shape& a, const Shape& to) {
  const auto both = together(a, to);
  return both && same(*both, to);
}

struct Tensor {
  std::string name;
  DataType type{};
  Shape shape;
  uint32_t uses = 0;
};

ValueTree variable(std::string name) { return {.kind = ExprKind::Var, .name = std::move(name)}; }

void rename(ValueTree& tree, const std::string& from, const std::string& to) {
  if (tree.kind == ExprKind::Var && tree.name == from) tree.name = to;
  for (ValueTree& operand : tree.operands) rename(operand, from, to);
}

/// Operations of the file, by what they take: `t.step_f32(y, x)` and `t.join_f32(y, x, z)`.
std::string step_name(DataType type, bool three) {
  return fmt::format("t.{}_{}", three ? "join" : "step", spec::text(type));
}

ir::Operation step_operation(DataType type, bool three) {
  ir::OperationBuilder f(step_name(type, three));
  const ir::Ex y = f.parameter("y", type), x = f.parameter("x", type);
  const std::optional<ir::Ex> z = three ? std::optional(f.parameter("z", type)) : std::nullopt;
  if (type == DataType::Bool) {
    const ir::Ex chosen = f.select(y, x, three ? *z : f.boolean(true));
    return f.finish(chosen, type);
  }
  if (is_float(type)) {
    const uint32_t half = type == DataType::F32 ? 0x3f000000 : type == DataType::F16 ? 0x3800 : 0x3f00;
    const ir::Ex scaled = f.sign(Op::Mul, {y, three ? *z : f.literal(type, half)});
    return f.finish(f.apply(Op::FAdd, {scaled, x}), type);
  }
  return f.finish(f.apply(Op::Add, {f.apply(Op::Mul, {y, three ? *z : f.literal(type, 3)}), x}), type);
}

class GraphWriter {
 public:
  GraphWriter(RandomStream& random, const GraphOptions& options, std::vector<AxisSize> dimensions,
              std::string name, GraphCase& out)
      : random_(random), options_(options), dimensions_(std::move(dimensions)), out_(out) {
    sketch_.name = std::move(name);
  }

  /// The graph and, of the one that is run, its inputs.
  GraphSketch run(uint32_t commands, const GraphSketch* callee) {
    const uint32_t first = 1 + random_.below(3);
    for (uint32_t i = 0; i < first; ++i) parameter(chance(4) ? small_type() : element_type(), random_shape());
    // Not every draw can be done with what there is.
    for (uint32_t tries = 0; sketch_.commands.size() < commands && tries < 20 * commands; ++tries) {
      if (callee != nullptr && !called_ && random_.chance(4)) {
        call(*callee);
      } else {
        step();
      }
    }
    choose_outputs();
    nest();
    return std::move(sketch_);
  }

  std::vector<std::vector<uint32_t>> shapes;  // of the parameters
  std::vector<uint32_t> bounds;               // of their values where they are indices, else 0

 private:
  uint32_t below(uint32_t bound) { return random_.below(bound); }
  bool chance(uint32_t one_in) { return random_.chance(one_in); }
  template <typename T, size_t N>
  const T& among(const T (&list)[N]) {
    return list[below(N)];
  }

  DataType small_type() {
    return kSmallTypes[below(options_.floats ? uint32_t(std::size(kSmallTypes)) : kSmallIntegers)];
  }
  DataType element_type() {
    return options_.floats ? among(kElementTypes) : kElementTypes[kFirstInteger + below(kIntegerTypes)];
  }

  // Shapes.

  AxisSize random_size(uint64_t most) {
    for (int tries = 0; tries < 8; ++tries) {
      const AxisSize size = chance(2) && !dimensions_.empty()
                                ? dimensions_[below(uint32_t(dimensions_.size()))]
                                : number(among(kAxisSizes));
      if (size.value <= most && (size.value != 0 || chance(4))) return size;
    }
    return number(1);
  }

  Shape random_shape() {
    Shape shape;
    uint64_t left = options_.max_of_one;
    for (uint32_t axes = below(options_.max_axes + 1); shape.size() < axes;) {
      shape.push_back(random_size(left));
      left /= std::max(shape.back().value, 1u);
    }
    return shape;
  }

  bool affordable(const Shape& shape) {
    return shape.size() <= options_.max_axes && elements_of(shape) <= options_.max_of_one &&
           total_ + elements_of(shape) <= options_.max_elements;
  }

  /// One axis as a size of a list: now and then by another expression for the same.
  SizeTree written(const AxisSize& size) {
    if (!chance(8)) return size.tree;
    const SizeTree zero = {.number = 0}, one = {.number = 1};
    return chance(2) ? SizeTree{.op = Op::Add, .parts = {size.tree, zero}}
                     : SizeTree{.op = Op::Mul, .parts = {one, size.tree}};
  }
  std::vector<SizeTree> written(const Shape& shape) {
    std::vector<SizeTree> out;
    for (const AxisSize& size : shape) out.push_back(written(size));
    return out;
  }

  AxisSize combined(Op op, const AxisSize& a, const AxisSize& b, bool up = false) {
    const auto extent = op == Op::Add   ? Extent::sum(a.extent, b.extent)
                        : op == Op::Sub ? Extent::difference(a.extent, b.extent)
                        : op == Op::Mul ? Extent::product(a.extent, b.extent)
                                        : Extent::quotient(a.extent, b.extent, up);
    const uint32_t value = op == Op::Add   ? a.value + b.value
                           : op == Op::Sub ? a.value - b.value
                           : op == Op::Mul ? a.value * b.value
                           : b.value == 0  ? 0
                           : up            ? (a.value + b.value - 1) / b.value
                                           : a.value / b.value;
    if (a.plain() && b.plain() && a.tree.name.empty() && b.tree.name.empty()) return number(value);
    return {{.op = up ? Op::Call : op, .parts = {a.tree, b.tree}}, *extent, value};
  }

  // Tensors.

  /// Some tensor, more likely a late one.
  size_t some() {
    const uint32_t count = uint32_t(tensors_.size());
    return chance(2) ? below(count) : count - 1 - below(std::min(count, 4u));
  }
  std::optional<size_t> some_of(auto&& fits) {
    std::vector<size_t> found;
    for (size_t i = 0; i < tensors_.size(); ++i) {
      if (fits(tensors_[i])) found.push_back(i);
    }
    if (found.empty()) return std::nullopt;
    return found[below(uint32_t(found.size()))];
  }

  std::optional<size_t> parameter(DataType type, const Shape& shape, uint32_t bound = 0) {
    if (sketch_.parameters.size() >= 6 || !affordable(shape) || !std::ranges::all_of(shape, &AxisSize::plain))
      return std::nullopt;
    const std::string name = fmt::format("p{}", sketch_.parameters.size());
    SketchedTensor made = {name, type, {}};
    shapes.emplace_back();
    for (const AxisSize& size : shape) {
      made.sizes.push_back(size.tree);
      if (!size.tree.name.empty()) used_dimensions_.insert(size.tree.name);
      shapes.back().push_back(size.value);
    }
    sketch_.parameters.push_back(std::move(made));
    bounds.push_back(bound);
    total_ += elements_of(shape);
    tensors_.push_back({name, type, shape});
    return tensors_.size() - 1;
  }

  /// A tensor of this type and shape: one that there is, or a parameter.
  std::optional<size_t> tensor(DataType type, const Shape& shape) {
    const auto known = some_of([&](const Tensor& t) { return t.type == type && same(t.shape, shape); });
    if (known && !chance(4)) return known;
    const auto made = parameter(type, shape);
    return made ? made : known;
  }

  ValueTree use(size_t tensor) {
    ++tensors_[tensor].uses;
    return variable(tensors_[tensor].name);
  }

  void emit(SketchedCommand command, DataType type, const Shape& shape) {
    command.names = {fmt::format("t{}", sketch_.commands.size())};
    tensors_.push_back({command.names[0], type, shape});
    total_ += elements_of(shape);
    sketch_.commands.push_back(std::move(command));
  }

  // Expressions.

  ValueTree literal(DataType type) {
    const uint32_t choice = random_.next();
    ValueTree out = {.kind = ExprKind::Literal, .type = type};
    out.bits =
        is_float(type) && chance(2)
            ? short_float(type, choice)
            : mixed_value(type, choice, {random_.next(), random_.next(), random_.next(), random_.next()});
    return out;
  }

  ValueTree leaf(DataType type, const Shape& shape) {
    const auto found =
        some_of([&](const Tensor& t) { return t.type == type && stretches_to(t.shape, shape); });
    if (found && !chance(5)) {
      leaves_.push_back(tensors_[*found].shape);
      return use(*found);
    }
    leaves_.push_back({});
    if (type == DataType::U32 && !used_dimensions_.empty() && chance(4)) {
      auto at = used_dimensions_.begin();
      std::advance(at, below(uint32_t(used_dimensions_.size())));
      return variable(*at);
    }
    return literal(type);
  }

  ValueTree expression(DataType type, const Shape& shape, uint32_t depth) {
    if (depth == 0 || chance(5)) return leaf(type, shape);
    for (int tries = 0; tries < 40; ++tries) {
      const spec::OpInfo& info = spec::kOps[below(spec::kOpCount)];
      if (spec::is_approximate(info.op) || (spec::is_elementary(info.op) && !chance(20))) continue;
      ValueTree out = {.kind = ExprKind::Apply, .op = info.op};
      switch (info.signature == spec::Signature::Call ? Form::Call : spec::form_of(info.op)) {
        case Form::Scalar: {
          DataType operand = type;
          if (spec::signature_of(info.op).gives == spec::Gives::Word) {
            if (type != DataType::U32) continue;
            operand = element_type();
          }
          if (!info.types.contains(operand)) continue;
          const uint32_t count = *spec::operand_count(info.op);
          for (uint32_t i = 0; i < count; ++i)
            out.operands.push_back(expression(spec::operand_type(info.op, operand, i), shape, depth - 1));
          return out;
        }
        case Form::Select:
          out.operands.push_back(expression(chance(2) ? DataType::U32 : DataType::Bool, shape, depth - 1));
          for (int i = 0; i < 2; ++i) out.operands.push_back(expression(type, shape, depth - 1));
          return out;
        case Form::Cast:
        case Form::Bitcast: {
          const bool cast = info.op == Op::Cast;
          const auto small = cast ? some_of([&](const Tensor& t) {
            return spec::is_small(t.type) && spec::can_cast_in_graphs(t.type, type) &&
                   stretches_to(t.shape, shape);
          })
                                  : std::nullopt;
          if (small && chance(2)) {
            leaves_.push_back(tensors_[*small].shape);
            return cast_to(type, tensors_[*small].type, use(*small));
          }
          const DataType from = element_type();
          if (cast ? !spec::can_cast(from, type) : !spec::can_bitcast(from, type)) continue;
          out.type = type;
          if (cast && spec::cast_takes_mode(from, type)) out.mode = spec::RoundingMode(1 + below(4));
          out.operands.push_back(expression(from, shape, depth - 1));
          return out;
        }
        case Form::Call: {
          if (!options_.calls) continue;
          const bool three = chance(2);
          out.name = operation(type, three);
          for (int i = 0; i < (three ? 3 : 2); ++i)
            out.operands.push_back(expression(type, shape, depth - 1));
          return out;
        }
        case Form::MakeVector:
        case Form::Component:
        case Form::Reduce:
        case Form::Atomic: continue;
      }
    }
    return leaf(type, shape);
  }

  ValueTree cast_to(DataType type, DataType from, ValueTree operand) {
    ValueTree out = {.kind = ExprKind::Apply, .op = Op::Cast, .type = type};
    if (spec::cast_takes_mode_in_graphs(from, type)) out.mode = spec::RoundingMode(1 + below(4));
    out.operands.push_back(std::move(operand));
    return out;
  }

  std::string operation(DataType type, bool three) {
    const std::string name = step_name(type, three);
    if (std::ranges::none_of(out_.module.operations,
                             [&](const ir::Operation& known) { return known.function.id == name; }))
      out_.module.operations.push_back(step_operation(type, three));
    return name;
  }

  bool elementwise() {
    const Shape shape = tensors_[some()].shape;
    const DataType type = chance(6) ? small_type() : element_type();
    DataType from = type;
    while (spec::is_small(from) || !spec::can_cast_in_graphs(from, type)) from = element_type();
    leaves_.clear();
    ValueTree tree = expression(from, shape, 1 + below(4));
    if (from != type) tree = cast_to(type, from, std::move(tree));
    Shape result;
    for (const Shape& leaf : leaves_) result = *together(result, leaf);
    if (!affordable(result)) return false;
    emit({.op = TensorOp::Value, .operands = {std::move(tree)}}, type, result);
    return true;
  }

  // Operations on tensors.

  void step() {
    constexpr TensorOp kSteps[] = {
        TensorOp::Value,     TensorOp::Value,  TensorOp::Value,  TensorOp::Value,     TensorOp::Value,
        TensorOp::Transpose, TensorOp::Slice,  TensorOp::Slice,  TensorOp::Broadcast, TensorOp::Reshape,
        TensorOp::Reshape,   TensorOp::Concat, TensorOp::Pad,    TensorOp::Gather,    TensorOp::ScatterAdd,
        TensorOp::Index,     TensorOp::Reduce, TensorOp::Reduce, TensorOp::Scan,      TensorOp::Recur,
        TensorOp::Matmul,    TensorOp::Matmul, TensorOp::Sort,   TensorOp::Argsort,   TensorOp::TopK,
        TensorOp::ArgTopK};
    const TensorOp op = options_.only_views ? kSteps[below(kFirstSteps)] : among(kSteps);
    const size_t t = some();
    const DataType type = tensors_[t].type;
    if (spec::is_small(type) && computes(op)) return;
    Shape shape = tensors_[t].shape;
    const bool has_axis = !shape.empty();
    const uint32_t axis = has_axis ? below(uint32_t(shape.size())) : 0;
    SketchedCommand c = {.op = op};
    switch (op) {
      case TensorOp::Value: elementwise(); return;
      case TensorOp::Transpose: {
        for (uint32_t i = 0; i < shape.size(); ++i) c.axes.insert(c.axes.begin() + below(i + 1), i);
        Shape result;
        for (const uint32_t from : c.axes) result.push_back(shape[from]);
        shape = result;
        break;
      }
      case TensorOp::Slice: slice(c, shape); break;
      case TensorOp::Broadcast:
        for (AxisSize& size : shape) {
          if (size.extent == Extent(1)) size = random_size(33);
        }
        while (shape.size() < options_.max_axes && chance(2)) shape.insert(shape.begin(), random_size(9));
        c.sizes = written(shape);
        break;
      case TensorOp::Reshape:
        shape = reshaped(shape);
        c.sizes = written(shape);
        break;
      case TensorOp::Concat: concat(t, axis); return;
      case TensorOp::Pad: {
        for (AxisSize& size : shape) {
          const AxisSize before = number(chance(2) ? 0 : below(4)), behind = number(chance(2) ? 0 : below(3));
          c.sizes.push_back(before.tree);
          c.sizes.push_back(behind.tree);
          if (before.value + behind.value != 0)
            size = combined(Op::Add, size, number(before.value + behind.value));
        }
        if (!affordable(shape)) return;
        leaves_.clear();
        const DataType wide = spec::is_small(type) ? spec::wide_type(type) : type;
        c.operands = {use(t), wide == type ? literal(type) : cast_to(type, wide, literal(wide))};
        emit(std::move(c), type, shape);
        return;
      }
      case TensorOp::Gather: gather(t, axis); return;
      case TensorOp::ScatterAdd: scatter_add(t, axis); return;
      case TensorOp::Index:
        shape = random_shape();
        if (shape.empty() || !affordable(shape)) return;
        // A dimension is one that some parameter has.
        if (!std::ranges::all_of(shape, [&](const AxisSize& size) { return is_bound(size); })) return;
        c.sizes = written(shape);
        c.axes = {below(uint32_t(shape.size()))};
        emit(std::move(c), DataType::U32, shape);
        return;
      case TensorOp::Reduce:
      case TensorOp::Scan:
        if (!has_axis || type == DataType::Bool) return;
        c.axes = {axis};
        c.fold = is_float(type) ? among(kFloatFolds) : among(kIntegerFolds);
        if (is_float(type)) c.order = chance(2) ? Order::Strict : Order::Tree;
        if (op == TensorOp::Reduce) shape[axis] = number(1);
        break;
      case TensorOp::Recur: recur(t, axis); return;
      case TensorOp::Matmul: matmul(t); return;
      case TensorOp::Sort:
      case TensorOp::Argsort:
      case TensorOp::TopK:
      case TensorOp::ArgTopK: {
        if (!has_axis || type == DataType::Bool) return;
        c.axes = {axis};
        if (op == TensorOp::TopK || op == TensorOp::ArgTopK) {
          const uint32_t most = shape[axis].value;
          shape[axis] =
              chance(4) ? shape[axis] : number(chance(2) ? std::min(most, below(4)) : below(most + 1));
          c.sizes = {written(shape[axis])};
        }
        const bool places = op == TensorOp::Argsort || op == TensorOp::ArgTopK;
        c.operands = {use(t)};
        emit(std::move(c), places ? DataType::U32 : type, shape);
        return;
      }
    }
    if (!affordable(shape)) return;
    for (const AxisSize& size : shape) {
      if (!is_bound(size)) return;
    }
    c.operands = {use(t)};
    emit(std::move(c), type, shape);
  }

  /// Whether it takes no small types.
  static bool computes(TensorOp op) {
    switch (op) {
      case TensorOp::ScatterAdd:
      case TensorOp::Reduce:
      case TensorOp::Scan:
      case TensorOp::Recur:
      case TensorOp::Sort:
      case TensorOp::Argsort:
      case TensorOp::TopK:
      case TensorOp::ArgTopK: return true;
      case TensorOp::Value:
      case TensorOp::Transpose:
      case TensorOp::Slice:
      case TensorOp::Broadcast:
      case TensorOp::Reshape:
      case TensorOp::Concat:
      case TensorOp::Pad:
      case TensorOp::Gather:
      case TensorOp::Index:
      case TensorOp::Matmul: return false;
    }
    return false;
  }

  /// Whether a size is made of numbers and dimensions of parameters, as all but new ones are.
  bool is_bound(const AxisSize& size) const {
    return !size.plain() || size.tree.name.empty() || used_dimensions_.contains(size.tree.name);
  }

  void slice(SketchedCommand& c, Shape& shape) {
    for (AxisSize& size : shape) {
      const bool whole = chance(3);
      AxisSize from = number(whole ? 0 : below(std::min(size.value, 3u) + 1));
      AxisSize to = size;
      if (!whole) {
        switch (below(4)) {
          case 0: break;
          case 1:
            if (size.value > from.value) to = combined(Op::Sub, size, number(1));
            break;
          case 2:
            if (size.value / 2 >= from.value) to = combined(Op::Div, size, number(2));
            break;
          case 3: to = number(from.value + below(size.value - from.value + 1)); break;
        }
      }
      const uint32_t step = chance(3) ? 1 + below(3) : 1;
      c.sizes.push_back(from.tree);
      c.sizes.push_back(to.tree);
      c.sizes.push_back({.number = step});
      if (!(from.value == 0 && to.extent == size.extent && step == 1)) {
        const AxisSize length = from.value == 0 ? to : combined(Op::Sub, to, from);
        size = step == 1 ? length : combined(Op::Div, length, number(step), true);
      }
    }
  }

  Shape reshaped(Shape shape) {
    for (uint32_t changes = 1 + below(3); changes != 0; --changes) {
      switch (below(4)) {
        case 0:  // one more axis of size 1
          if (shape.size() < options_.max_axes)
            shape.insert(shape.begin() + below(uint32_t(shape.size()) + 1), number(1));
          break;
        case 1: {  // one less
          const auto one = std::ranges::find(shape, Extent(1), &AxisSize::extent);
          if (one != shape.end()) shape.erase(one);
          break;
        }
        case 2:  // two neighbours become one
          if (shape.size() >= 2) {
            const uint32_t at = below(uint32_t(shape.size()) - 1);
            const bool trivial = shape[at].extent == Extent(1);
            shape[at] = trivial ? shape[at + 1] : combined(Op::Mul, shape[at], shape[at + 1]);
            shape.erase(shape.begin() + at + 1);
          }
          break;
        case 3:  // one becomes two
          if (!shape.empty() && shape.size() < options_.max_axes) {
            const uint32_t at = below(uint32_t(shape.size()));
            const AxisSize size = shape[at];
            const auto known = size.extent.number();
            for (const uint32_t factor : {3u, 2u, 5u, 4u}) {
              if (!known || size.value % factor != 0 || chance(3)) continue;
              shape[at] = number(size.value / factor);
              shape.insert(shape.begin() + at, number(factor));
              break;
            }
          }
          break;
      }
    }
    return shape;
  }

  void concat(size_t t, uint32_t axis) {
    if (tensors_[t].shape.empty()) return;
    SketchedCommand c = {.op = TensorOp::Concat, .axes = {axis}};
    const DataType type = tensors_[t].type;
    Shape result = tensors_[t].shape;
    std::vector<size_t> parts = {t};
    for (uint32_t more = below(3); more != 0; --more) {
      Shape wanted = tensors_[t].shape;
      wanted[axis] = random_size(9);
      auto part = some_of([&](const Tensor& other) {
        Shape shape = other.shape;
        if (other.type != type || shape.size() != wanted.size()) return false;
        shape[axis] = wanted[axis];
        return same(shape, wanted);
      });
      if (chance(3)) {
        if (const auto made = parameter(type, wanted)) part = made;
      }
      if (!part) continue;
      parts.push_back(*part);
      result[axis] = combined(Op::Add, result[axis], tensors_[*part].shape[axis]);
    }
    if (!affordable(result)) return;
    for (const size_t part : parts) c.operands.push_back(use(part));
    emit(std::move(c), type, result);
  }

  static Shape gathered(Shape from, const Shape& indices, uint32_t axis) {
    from.erase(from.begin() + axis);
    from.insert(from.begin() + axis, indices.begin(), indices.end());
    return from;
  }

  /// Indices for an axis of this size: mostly within it.
  std::optional<size_t> indices(uint32_t size) {
    if (chance(3)) {
      if (const auto known = some_of([](const Tensor& t) { return t.type == DataType::U32; })) return known;
    }
    Shape shape;
    for (uint32_t axes = below(3); shape.size() < axes;) shape.push_back(random_size(17));
    return parameter(DataType::U32, shape, size + 1 + size / 8);
  }

  void gather(size_t t, uint32_t axis) {
    if (tensors_[t].shape.empty()) return;
    const auto places = indices(tensors_[t].shape[axis].value);
    if (!places) return;
    const Shape result = gathered(tensors_[t].shape, tensors_[*places].shape, axis);
    if (!affordable(result)) return;
    SketchedCommand c = {.op = TensorOp::Gather, .operands = {use(t), use(*places)}, .axes = {axis}};
    emit(std::move(c), tensors_[t].type, result);
  }

  void scatter_add(size_t t, uint32_t axis) {
    const DataType type = tensors_[t].type;
    if (tensors_[t].shape.empty() || type == DataType::Bool) return;
    const auto places = indices(tensors_[t].shape[axis].value);
    if (!places) return;
    const Shape wanted = gathered(tensors_[t].shape, tensors_[*places].shape, axis);
    const Shape shape = tensors_[t].shape;
    if (!affordable(wanted) || !affordable(shape)) return;
    const auto updates = tensor(type, wanted);
    if (!updates) return;
    SketchedCommand c = {
        .op = TensorOp::ScatterAdd, .operands = {use(t), use(*places), use(*updates)}, .axes = {axis}};
    emit(std::move(c), type, shape);
  }

  void recur(size_t t, uint32_t axis) {
    const Shape shape = tensors_[t].shape;
    const DataType type = tensors_[t].type;
    if (!options_.calls || shape.empty() || !affordable(shape)) return;
    Shape initial = shape;
    initial.erase(initial.begin() + axis);
    const auto start = tensor(type, initial);
    if (!start) return;
    std::optional<size_t> second;
    if (chance(2)) second = tensor(type, shape);
    SketchedCommand c = {.op = TensorOp::Recur, .operands = {use(*start), use(t)}, .axes = {axis}};
    if (second) c.operands.push_back(use(*second));
    c.callee = operation(type, second.has_value());
    emit(std::move(c), type, shape);
  }

  void matmul(size_t t) {
    const DataType type = tensors_[t].type;
    const Shape a = tensors_[t].shape;
    if (a.size() < 2 || type == DataType::Bool) return;
    auto other = some_of([&](const Tensor& b) {
      return b.type == type && b.shape.size() >= 2 && b.shape[b.shape.size() - 2].extent == a.back().extent &&
             together(Shape(a.begin(), a.end() - 2), Shape(b.shape.begin(), b.shape.end() - 2));
    });
    if (!other || chance(2)) {
      Shape b;
      for (size_t i = 0; i + 2 < a.size(); ++i) {
        if (chance(3) && b.empty()) continue;
        b.push_back(chance(3) ? number(1) : a[i]);
      }
      b.push_back(a.back());
      b.push_back(random_size(33));
      if (const auto made = parameter(type, b)) other = made;
    }
    if (!other) return;
    const Shape b = tensors_[*other].shape;
    const auto batch = together(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
    if (!batch) return;
    Shape result = *batch;
    result.push_back(a[a.size() - 2]);
    result.push_back(b.back());
    if (!affordable(result) || elements_of(result) * a.back().value > uint64_t(options_.max_of_one) * 40)
      return;
    SketchedCommand c = {.op = TensorOp::Matmul, .operands = {use(t), use(*other)}};
    const bool small = spec::is_small(type);
    DataType sum = is_float(type) ? DataType::F32 : type;
    if (small) sum = spec::wide_type(type) == DataType::F32 ? DataType::F32 : DataType::I32;
    if (chance(2)) {
      c.typed = true;
      if (chance(2) && !small) sum = type;
      c.type = sum;
      if (chance(2)) c.block = chance(3) ? 1 + below(5) : 16u << below(3);
    }
    emit(std::move(c), sum, result);
  }

  /// The other graph, over parameters like its own.
  void call(const GraphSketch& callee) {
    called_ = true;
    ValueTree tree = {.kind = ExprKind::Apply, .op = Op::Call, .name = callee.name};
    for (const SketchedTensor& wanted : callee.parameters) {
      const std::string name = fmt::format("q{}", tree.operands.size());
      sketch_.parameters.push_back(wanted);
      sketch_.parameters.back().name = name;
      tree.operands.push_back(variable(name));
      shapes.emplace_back();
      Shape shape;
      for (const SizeTree& size : wanted.sizes) {
        shape.push_back(sized(size));
        if (!size.name.empty()) used_dimensions_.insert(size.name);
        shapes.back().push_back(shape.back().value);
      }
      bounds.push_back(0);
      tensors_.push_back({name, wanted.type, shape, 1});
    }
    SketchedCommand c = {.op = TensorOp::Value, .operands = {std::move(tree)}};
    for (const SketchedTensor& output : callee.outputs) {
      c.names.push_back(fmt::format("t{}_{}", sketch_.commands.size(), c.names.size()));
      Shape shape;
      for (const SizeTree& size : output.sizes) shape.push_back(sized(size));
      tensors_.push_back({c.names.back(), output.type, shape});
      total_ += elements_of(shape);
    }
    sketch_.commands.push_back(std::move(c));
  }

  AxisSize sized(const SizeTree& tree) {
    if (!tree.parts.empty()) {
      const Op op = tree.op == Op::Call ? Op::Div : tree.op;
      AxisSize out = combined(op, sized(tree.parts[0]), sized(tree.parts[1]), tree.op == Op::Call);
      out.tree = tree;
      return out;
    }
    if (tree.name.empty()) return number(tree.number);
    return *std::ranges::find(dimensions_, tree.name, [](const AxisSize& size) { return size.tree.name; });
  }

  /// What nothing uses is shown, and a few others; some stay unused, which is valid.
  void choose_outputs() {
    std::vector<size_t> chosen;
    for (size_t i = tensors_.size(); i-- > 0;) {
      const bool made = tensors_[i].name.front() == 't';
      if (chosen.size() < 4 && ((tensors_[i].uses == 0 && made && !chance(6)) || (made && chance(12))))
        chosen.push_back(i);
    }
    if (chosen.empty()) chosen.push_back(tensors_.size() - 1);
    for (const size_t i : chosen) {
      const Tensor& tensor = tensors_[i];
      const std::string name = fmt::format("y{}", sketch_.outputs.size());
      SketchedTensor output = {name, tensor.type, {}};
      for (const AxisSize& size : tensor.shape) output.sizes.push_back(size.tree);
      sketch_.outputs.push_back(std::move(output));
      const auto command = std::ranges::find_if(sketch_.commands, [&](const SketchedCommand& c) {
        return std::ranges::find(c.names, tensor.name) != c.names.end();
      });
      if (command == sketch_.commands.end() || chance(4)) {
        sketch_.commands.push_back(
            {.op = TensorOp::Value, .names = {name}, .operands = {variable(tensor.name)}});
        continue;
      }
      std::ranges::replace(command->names, tensor.name, name);
      for (SketchedCommand& c : sketch_.commands) {
        for (ValueTree& operand : c.operands) rename(operand, tensor.name, name);
      }
    }
  }

  /// An operation that the next command alone uses, once, stands inside of that command.
  void nest() {
    for (size_t i = 0; i + 1 < sketch_.commands.size(); ++i) {
      SketchedCommand& command = sketch_.commands[i];
      SketchedCommand& user = sketch_.commands[i + 1];
      if (command.op == TensorOp::Value || !chance(2)) continue;
      const std::string name = command.names[0];
      size_t uses = 0, here = 0;
      const auto count = [&](const SketchedCommand& c) {
        size_t found = 0;
        for (const ValueTree& operand : c.operands) found += uses_of(operand, name);
        return found;
      };
      for (const SketchedCommand& c : sketch_.commands) uses += count(c);
      here = count(user);
      const bool shown =
          std::ranges::find(sketch_.outputs, name, &SketchedTensor::name) != sketch_.outputs.end();
      const bool alone = user.op == TensorOp::Value && user.operands[0].kind == ExprKind::Var;
      if (uses != 1 || here != 1 || shown || alone) continue;
      command.names[0] = ir::nested_name(i);
      for (ValueTree& operand : user.operands) rename(operand, name, command.names[0]);
    }
  }

  static size_t uses_of(const ValueTree& tree, const std::string& name) {
    size_t out = tree.kind == ExprKind::Var && tree.name == name;
    for (const ValueTree& operand : tree.operands) out += uses_of(operand, name);
    return out;
  }

  RandomStream& random_;
  const GraphOptions& options_;
  const std::vector<AxisSize> dimensions_;
  GraphCase& out_;
  GraphSketch sketch_;
  std::vector<Tensor> tensors_;
  std::set<std::string> used_dimensions_;  // of the parameters
  std::vector<Shape> leaves_;              // of the expression that is being written
  uint64_t total_ = 0;
  bool called_ = false;
};

/// How the values of an input are drawn.
enum class Fill : uint8_t { Short, NearOne, Mixed, Cancelling, Adversarial, Few };
constexpr uint32_t kFills = 6;

Bytes input(RandomStream& random, DataType type, uint64_t count, uint32_t bound) {
  Bytes out(spec::packed_bytes(type, count));
  const auto fill = Fill(random.below(kFills));
  std::array<uint32_t, 4> last{};
  const uint32_t sign = is_float(type) ? 1u << (spec::value_bits(type) - 1) : 0;
  for (uint64_t i = 0; i < count; ++i) {
    std::array<uint32_t, 4> value{};
    const std::array<uint32_t, 4> words = {random.next(), random.next(), random.next(), random.next()};
    if (bound != 0) {
      value[0] = random.chance(40) ? words[0] : random.below(bound);
    } else if (!is_float(type)) {
      value =
          fill == Fill::Few ? std::array<uint32_t, 4>{random.below(2)} : mixed_value(type, words[3], words);
    } else {
      switch (fill) {
        case Fill::Short: value = short_float(type, words[0]); break;
        case Fill::NearOne: value = mixed_value(type, kNearOne, words); break;
        case Fill::Mixed: value = mixed_value(type, words[3], words); break;
        case Fill::Cancelling:
          // A number, then nearly its negative.
          value = i % 2 == 0 ? mixed_value(type, kNearOne, words)
                             : std::array<uint32_t, 4>{(last[0] ^ sign) + random.below(3)};
          break;
        case Fill::Adversarial: {
          const auto list = adversarial_floats(type);
          value[0] = list[random.below(uint32_t(list.size()))];
          break;
        }
        case Fill::Few: value = random.chance(2) ? short_float(type, 1) : std::array<uint32_t, 4>{}; break;
      }
    }
    last = value;
    spec::set_packed_element(out, type, i, value);
  }
  return out;
}

}  // namespace

GraphCase random_graph(uint64_t seed, uint64_t index, const GraphOptions& options) {
  RandomStream random(seed, index);
  GraphCase out;
  std::vector<AxisSize> dimensions;
  constexpr std::string_view kNames[] = {"n", "m", "k", "b"};
  for (const std::string_view name : kNames) {
    const uint32_t value = kAxisSizes[random.below(std::size(kAxisSizes))];
    dimensions.push_back({{.name = std::string(name)}, Extent::named(name), value});
  }
  // Few commands find a fault as well as many, and are shrunk sooner.
  const uint32_t commands =
      1 + random.below(random.chance(3) ? options.max_commands : std::min(8u, options.max_commands));
  std::optional<GraphSketch> callee;
  if (options.calls && random.chance(5)) {
    GraphOptions inner = options;
    inner.max_elements /= 4;
    callee = GraphWriter(random, inner, dimensions, "inner", out).run(1 + random.below(4), nullptr);
  }
  GraphWriter writer(random, options, dimensions, "main", out);
  const GraphSketch sketch = writer.run(commands, callee ? &*callee : nullptr);
  out.module.graphs.push_back(to_graph(sketch));
  if (callee) out.module.graphs.push_back(to_graph(*callee));
  out.shapes = std::move(writer.shapes);
  for (size_t i = 0; i < out.shapes.size(); ++i) {
    uint64_t count = 1;
    for (const uint32_t size : out.shapes[i]) count *= size;
    out.inputs.push_back(input(random, sketch.parameters[i].type, count, writer.bounds[i]));
  }
  return out;
}

std::string describe(const GraphCase& c) {
  std::string out = text::print(c.module);
  const ir::Graph& graph = c.module.graphs[0];
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    const DataType type = graph.parameters[i].element;
    const size_t count = check::elements(c.shapes[i]);
    std::string values;
    constexpr size_t kShown = 48;
    for (size_t at = 0; at < std::min(count, kShown); ++at) {
      const auto bits = spec::packed_element(c.inputs[i], type, at);
      values += fmt::format("{}{}", at == 0 ? "" : ", ", text::print_literal(type, bits));
    }
    out += fmt::format("// {}: [{}] of [{}{}]\n", graph.code.name(graph.parameters[i].name),
                       fmt::join(c.shapes[i], ", "), values, count > kShown ? ", ..." : "");
  }
  return out;
}

}  // namespace vyre::generate
