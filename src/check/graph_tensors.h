// The rules of operations on whole tensors: which types and shapes they take, and what they give.
// Source: docs/spec/graphs.md, "Operations on whole tensors". Internal to check.
#pragma once

#include <fmt/ranges.h>

#include <numeric>

#include "check/graph_nodes.h"

namespace vyre::check {

class GraphTensors : protected GraphNodes {
 protected:
  GraphTensors(const ir::Graph& graph, GraphTable& table, const spec::OpTable& ops, Report& report)
      : GraphNodes(graph, table, ops, report), ops_(ops) {}

  /// As far as it is known without the rules.
  static DataType result_type(const TensorCommand& c, std::span<const Value> operands) {
    using enum TensorOp;
    if (c.op == Index || c.op == Argsort || c.op == ArgTopK) return DataType::U32;
    if (c.op == Matmul && c.typed) return c.type;
    if (c.op == Matmul && !operands.empty() && is_element(operands[0].type) &&
        spec::kFloats.contains(operands[0].type))
      return DataType::F32;
    return operands.empty() ? kUnknownType : operands[0].type;
  }

  /// False after a report.
  bool tensor(const TensorCommand& c, const std::vector<Value>& operands, const Shape& sizes, Node& node) {
    if (c.op == TensorOp::Value) return false;
    node.op = node_op(c.op);
    for (const Value& operand : operands) node.operands.push_back(operand.node);
    if (!operands.empty()) {
      node.type = operands[0].type;
      node.shape = shape_of(operands[0]);
    }
    switch (c.op) {
      case TensorOp::Value: break;
      case TensorOp::Transpose: return transpose(c, node);
      case TensorOp::Slice: return slice(c, operands[0], sizes, node);
      case TensorOp::Broadcast: return broadcast(operands[0], sizes, node);
      case TensorOp::Reshape: node.shape = sizes; return true;
      case TensorOp::Concat: return concat(c, operands, node);
      case TensorOp::Pad: return pad(operands, sizes, node);
      case TensorOp::Gather: return gather(c, operands, node);
      case TensorOp::ScatterAdd: return scatter_add(c, operands, node);
      case TensorOp::Index:
        node.type = DataType::U32;
        node.shape = sizes;
        return along(c, node.shape, node);
      case TensorOp::Reduce:
      case TensorOp::Scan: return fold(c, operands[0], node);
      case TensorOp::Recur: return recur(c, operands, node);
      case TensorOp::Matmul: return matmul(c, operands, node);
      case TensorOp::Sort:
      case TensorOp::Argsort: return sort(c, operands[0], node);
      case TensorOp::TopK:
      case TensorOp::ArgTopK: return top_k(c, operands[0], sizes, node);
    }
    return false;
  }

  /// The axis of a command, which is one of this shape.
  bool along(const TensorCommand& c, const Shape& shape, Node& node) {
    node.axis = c.axes[0];
    if (node.axis < shape.size()) return true;
    wrong(DiagCode::G003, c.span, fmt::format("axis {} of {}", node.axis, shape_text(node.type, shape)),
          shape.empty() ? "it is a scalar and has none: give it one with reshape(t, [1])"
                        : fmt::format("its axes are 0 to {}", shape.size() - 1));
    return false;
  }

  /// G002 unless a value has this type.
  bool has_type(const Value& value, DataType wanted, std::string_view what) {
    if (value.type == wanted) return true;
    wrong(DiagCode::G002, value.span,
          fmt::format("{} is {}; this is {}", what, spec::text(wanted), spec::text(value.type)),
          fmt::format("write {}", way_to(value.type, wanted)));
    return false;
  }

  /// G021 for what computes, if the type is small.
  bool is_small(const Value& value, std::string_view what) {
    if (!spec::is_small(value.type)) return false;
    wrong(DiagCode::G021, value.span, fmt::format("{} of {}", what, spec::text(value.type)),
          fmt::format("small types are kept and moved, not computed with: write cast<{}>(...)",
                      spec::text(spec::wide_type(value.type))));
    return true;
  }

  bool has_shape(const Value& value, const Shape& wanted, std::string_view what, std::string help,
                 const Value& because) {
    if (shape_of(value) == wanted) return true;
    Diag& diag = wrong(
        DiagCode::G001, value.span,
        fmt::format("{} has the shape {}; this is {}", what, shape_text(value.type, wanted), text_of(value)),
        std::move(help));
    diag.notes.push_back(this_is(because));
    return false;
  }

  bool transpose(const TensorCommand& c, Node& node) {
    node.axes = c.axes;
    std::vector<uint32_t> sorted = c.axes, all(node.shape.size());
    std::ranges::sort(sorted);
    std::iota(all.begin(), all.end(), 0);
    if (sorted != all) {
      wrong(DiagCode::G004, c.span,
            fmt::format("[{}] is no order of the axes of {}", fmt::join(c.axes, ", "), text_of(node)),
            all.empty() ? "a scalar has no axes" : fmt::format("name each of 0 to {} once", all.size() - 1));
      return false;
    }
    const Shape before = node.shape;
    for (size_t i = 0; i < before.size(); ++i) node.shape[i] = before[c.axes[i]];
    return true;
  }

  bool as_many_as_axes(size_t given, const Value& operand, std::string_view what, Span span) {
    if (given == shape_of(operand).size()) return true;
    wrong(DiagCode::G012, span, fmt::format("{} for {}", count_of(given, what), text_of(operand)),
          "write one for each axis: 0..n for a whole one of a slice, 0..0 for one that is not padded");
    return false;
  }

  bool slice(const TensorCommand& c, const Value& operand, const Shape& sizes, Node& node) {
    if (sizes.size() % 3 != 0) {
      malformed(c.span, "a slice with a part of a range");
      return false;
    }
    if (!as_many_as_axes(sizes.size() / 3, operand, "range", c.span)) return false;
    node.sizes = sizes;
    for (size_t i = 0; i < node.shape.size(); ++i) {
      const auto length = Extent::difference(sizes[3 * i + 1], sizes[3 * i]);
      const auto count = length ? Extent::quotient(*length, sizes[3 * i + 2], true) : length;
      if (!count) {
        too_large_size(c.span);
        return false;
      }
      node.shape[i] = *count;
    }
    return true;
  }

  bool broadcast(const Value& operand, const Shape& sizes, Node& node) {
    node.shape = sizes;
    const auto shape = together(shape_of(operand), sizes);
    if (shape == sizes) return true;
    wrong(DiagCode::G001, node.span,
          fmt::format("{} does not stretch to {}", text_of(operand), shape_text(operand.type, sizes)),
          "from the right on sizes are equal, or 1 in what is stretched")
        .notes.push_back(this_is(operand));
    return false;
  }

  bool concat(const TensorCommand& c, const std::vector<Value>& operands, Node& node) {
    if (!along(c, node.shape, node)) return false;
    for (const Value& operand : std::span(operands).subspan(1)) {
      if (!has_type(operand, node.type, "the first tensor of a concat")) return false;
      Shape other = shape_of(operand);
      if (other.size() == node.shape.size()) {
        const auto sum = Extent::sum(node.shape[node.axis], other[node.axis]);
        other[node.axis] = node.shape[node.axis];
        if (other == node.shape) {
          if (!sum) {
            too_large_size(c.span);
            return false;
          }
          node.shape[node.axis] = *sum;
          continue;
        }
      }
      Diag& diag = wrong(DiagCode::G001, c.span,
                         fmt::format("{} and {} do not join along axis {}", text_of(operands[0]),
                                     text_of(operand), node.axis),
                         "all axes but that one have equal sizes");
      diag.notes.push_back(this_is(operands[0]));
      diag.notes.push_back(this_is(operand));
      return false;
    }
    return true;
  }

  bool pad(const std::vector<Value>& operands, const Shape& sizes, Node& node) {
    if (sizes.size() % 2 != 0) {
      malformed(node.span, "a pad with a part of a range");
      return false;
    }
    if (!as_many_as_axes(sizes.size() / 2, operands[0], "pair", node.span)) return false;
    if (!has_type(operands[1], node.type, "what is padded")) return false;
    if (!has_shape(operands[1], {}, "the value of a pad", "it is one value: a literal, or a scalar tensor",
                   operands[0]))
      return false;
    node.sizes = sizes;
    for (size_t i = 0; i < node.shape.size(); ++i) {
      const auto before = Extent::sum(sizes[2 * i], node.shape[i]);
      const auto size = before ? Extent::sum(*before, sizes[2 * i + 1]) : before;
      if (!size) {
        too_large_size(node.span);
        return false;
      }
      node.shape[i] = *size;
    }
    return true;
  }

  /// The shape of what is gathered along an axis.
  Shape gathered(const Value& from, const Value& indices, uint32_t axis) const {
    Shape out = shape_of(from);
    const Shape& in_place = shape_of(indices);
    out.erase(out.begin() + axis);
    out.insert(out.begin() + axis, in_place.begin(), in_place.end());
    return out;
  }

  bool gather(const TensorCommand& c, const std::vector<Value>& operands, Node& node) {
    if (!along(c, node.shape, node) || !has_type(operands[1], DataType::U32, "an index")) return false;
    node.shape = gathered(operands[0], operands[1], node.axis);
    return true;
  }

  bool scatter_add(const TensorCommand& c, const std::vector<Value>& operands, Node& node) {
    if (!along(c, node.shape, node) || !has_type(operands[1], DataType::U32, "an index") ||
        !has_type(operands[2], node.type, "what is added to"))
      return false;
    if (is_small(operands[0], "a sum")) return false;
    if (node.type == DataType::Bool) {
      wrong(DiagCode::G002, c.span, "a sum of bool", "count in u32: cast<u32>(...)");
      return false;
    }
    return has_shape(operands[2], gathered(operands[0], operands[1], node.axis), "what is added",
                     "it has the shape of gather(t, indices, axis)", operands[1]);
  }

  bool fold(const TensorCommand& c, const Value& operand, Node& node) {
    node.scalar = c.fold;
    node.order = c.order;
    const ir::FoldInfo* known = ir::find_fold(c.fold);
    if (known == nullptr) {
      wrong(DiagCode::G013, c.span,
            fmt::format("`{}` with `{}`, which does not fold", info(c.op).text, spec::mnemonic(c.fold)),
            "write fadd, fmul, fmin or fmax; add, mul, min, max, bit_and, bit_or or bit_xor");
      return false;
    }
    if (is_small(operand, fmt::format("`{}`", info(c.op).text))) return false;
    const bool of_floats = known->ordered;
    const std::string_view name = known->text;
    const bool floats = spec::kFloats.contains(operand.type);
    if (floats != of_floats || operand.type == DataType::Bool) {
      wrong(DiagCode::G002, operand.span,
            fmt::format("`{}` folds {}; this is {}", name, of_floats ? "floats" : "integers",
                        spec::text(operand.type)),
            operand.type == DataType::Bool
                ? "write cast<u32>(...): max is whether any is true, min whether all are"
            : floats ? "write fadd, fmul, fmin or fmax"
                     : "write add, mul, min, max, bit_and, bit_or or bit_xor");
      return false;
    }
    if (of_floats != (c.order != ir::Order::None)) {
      wrong(DiagCode::G013, c.span,
            of_floats ? fmt::format("`{}` of floats without an order", name)
                      : fmt::format("`{}` of integers with an order", name),
            of_floats
                ? fmt::format("write {0}({1}, tree, ...), or {0}({1}, strict, ...)", info(c.op).text, name)
                : fmt::format("write {}({}, ...): every order gives the same", info(c.op).text, name));
      return false;
    }
    if (!along(c, node.shape, node)) return false;
    if (c.op == TensorOp::Reduce) node.shape[node.axis] = Extent(1);
    return true;
  }

  bool recur(const TensorCommand& c, const std::vector<Value>& operands, Node& node) {
    const std::string_view id = code_.name(c.callee);
    const spec::OpDef* def = ops_.find(id, c.version);
    if (def == nullptr || def->intrinsic) {
      NearestName nearest(id);
      if (report_.may_suggest()) {
        for (const spec::OpDef* other : ops_.all()) nearest.consider(other->id);
      }
      wrong(def == nullptr ? DiagCode::V017 : DiagCode::G017, c.span,
            def == nullptr ? fmt::format("no operation {} of version {}", quoted(id), c.version)
                           : fmt::format("{} in a graph", quoted(id)),
            nearest.help_or("`vyre ops` lists the operations"));
      return false;
    }
    body_.result_.calls.push_back({def, c.span, 1});
    node.operation = def;
    const auto& inputs = def->signature.inputs;
    if (inputs.size() != operands.size()) {
      wrong(DiagCode::G012, c.span,
            fmt::format("{} takes {}: the value before, and an element of each of {}, not {}", quoted(id),
                        count_of(inputs.size(), "value"),
                        count_of(inputs.empty() ? 0 : inputs.size() - 1, "tensor"), operands.size() - 1),
            "give recur the initial value and as many tensors as the operation takes beside it");
      return false;
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!has_type(operands[i], inputs[i], fmt::format("argument {} of {}", i + 1, quoted(id))))
        return false;
    }
    if (def->signature.output != inputs[0]) {
      wrong(DiagCode::G002, c.span,
            fmt::format("{} takes {} and gives {}", quoted(id), spec::text(inputs[0]),
                        spec::text(def->signature.output)),
            "what it gives is its first argument at the next element: let both have one type");
      return false;
    }
    node.shape = shape_of(operands[1]);
    if (!along(c, node.shape, node)) return false;
    for (const Value& operand : std::span(operands).subspan(2)) {
      if (!has_shape(operand, node.shape, "each tensor of a recur", "write broadcast(t, [...])", operands[1]))
        return false;
    }
    Shape initial = node.shape;
    initial.erase(initial.begin() + node.axis);
    return has_shape(
        operands[0], initial, "the initial value",
        "it has all axes but that of the recurrence: write broadcast(t, [...]) or reshape(t, [...])",
        operands[1]);
  }

  bool matmul(const TensorCommand& c, const std::vector<Value>& operands, Node& node) {
    node.block = c.block;
    const Value &a = operands[0], &b = operands[1];
    if (!has_type(b, a.type, "the first matrix")) return false;
    const bool floats = spec::kFloats.contains(a.type), small = spec::is_small(a.type);
    const DataType of_small = spec::wide_type(a.type) == DataType::F32 ? DataType::F32 : DataType::I32;
    node.type = c.typed ? c.type : small ? of_small : floats ? DataType::F32 : a.type;
    if (a.type == DataType::Bool || (small && node.type != of_small) ||
        (!small && node.type != a.type && !(floats && node.type == DataType::F32)) || c.block == 0) {
      wrong(DiagCode::G019, c.span,
            c.block == 0
                ? "a block of no elements"
                : fmt::format("a product of matrices of {} in {}", spec::text(a.type), spec::text(node.type)),
            a.type == DataType::Bool ? "convert with cast<u32>(...)"
            : c.block == 0           ? "a block has at least one element: 32 and 64 suit devices"
            : small                  ? fmt::format("sum in {}, and cast the result", spec::text(of_small))
            : floats ? fmt::format("sum in f32 or {}, and cast the result", spec::text(a.type))
                     : "integers are summed in their own type; cast the result");
      return false;
    }
    const Shape x = shape_of(a), y = shape_of(b);
    std::optional<Shape> batch;
    if (x.size() >= 2 && y.size() >= 2 && x.back() == y[y.size() - 2])
      batch = together(Shape(x.begin(), x.end() - 2), Shape(y.begin(), y.end() - 2));
    if (!batch) {
      Diag& diag = wrong(DiagCode::G001, c.span,
                         fmt::format("no product of matrices {} and {}", text_of(a), text_of(b)),
                         "they are [..., m, k] and [..., k, n]; reshape(t, [1, n]) makes a vector a matrix");
      diag.notes.push_back(this_is(a));
      diag.notes.push_back(this_is(b));
      return false;
    }
    const auto with_batch = [&](const Extent& rows, const Extent& columns) {
      Shape shape = *batch;
      shape.push_back(rows);
      shape.push_back(columns);
      return shape;
    };
    const auto exact = [&](const Value& v) {
      return small ? cast(cast(v.node, spec::wide_type(v.type), {}, c.span), node.type, {}, c.span) : v.node;
    };
    const uint32_t left = exact(a), right = exact(b);
    if (left == kNone || right == kNone) return false;
    node.operands = {stretched(left, with_batch(x[x.size() - 2], x.back()), c.span),
                     stretched(right, with_batch(y[y.size() - 2], y.back()), c.span)};
    node.shape = with_batch(x[x.size() - 2], y.back());
    return node.operands[0] != kNone && node.operands[1] != kNone;
  }

  bool sort(const TensorCommand& c, const Value& operand, Node& node) {
    if (is_small(operand, fmt::format("`{}`", info(c.op).text))) return false;
    if (operand.type == DataType::Bool) {
      wrong(DiagCode::G002, operand.span, fmt::format("`{}` of bool", info(c.op).text),
            "sort numbers: cast<u32>(...)");
      return false;
    }
    if (!along(c, node.shape, node)) return false;
    node.type = result_type(c, {&operand, 1});
    return true;
  }

  bool top_k(const TensorCommand& c, const Value& operand, const Shape& sizes, Node& node) {
    if (!sort(c, operand, node)) return false;
    node.sizes = sizes;
    node.shape[node.axis] = sizes[0];
    return true;
  }

  const spec::OpTable& ops_;
};

}  // namespace vyre::check
