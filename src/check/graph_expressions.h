// Names, sizes and elementwise expressions of a graph, and calls of other graphs, whose nodes are added in
// their place. Internal to check.
#pragma once

#include "check/graph_tensors.h"

namespace vyre::check {

class GraphExpressions : protected GraphTensors {
 protected:
  using GraphTensors::GraphTensors;

  /// What a name stands for, by VarId.
  struct Known {
    bool dimension = false;
    uint32_t node = kNone;    // of a tensor, once it has one
    uint32_t output = kNone;  // which output it is
    bool given = true;        // of an output
    Span span;
  };
  /// Declares a name and gives its VarId.
  uint32_t declare(Symbol name, DataType type, Span span, Known known) {
    known.span = span;
    const uint32_t id = body_.declare(name, type, Variable::Kind::Let, span);
    known_.push_back(known);
    return id;
  }

  std::optional<uint32_t> find(Symbol name) const {
    if (name == ir::kNoSymbol) return std::nullopt;
    const auto binding = body_.visible_[ir::index(name)];
    if (binding.kind != BodyChecker::Binding::Kind::Variable) return std::nullopt;
    return binding.index;
  }

  // Sizes.

  std::optional<Extent> size_of(ExprId id) {
    const Expr& e = code_[id];
    const Span span = code_.span(id);
    const auto no_size = [&](std::string message, std::string help) {
      wrong(DiagCode::G018, span, std::move(message), std::move(help));
      return std::nullopt;
    };
    switch (e.kind) {
      case ExprKind::Literal:
        if (e.type != DataType::U32)
          return no_size(fmt::format("a size of {}", spec::text(e.type)), "write it as a plain number");
        return Extent(int64_t(e.immediate));
      case ExprKind::Var: {
        const auto known = find(e.symbol);
        if (known && known_[*known].dimension) return Extent::named(code_.name(e.symbol));
        const std::string shown = quoted(code_.name(e.symbol));
        if (known) {
          return no_size(fmt::format("{} is a tensor, not a dimension", shown),
                         "sizes are made of numbers and dimensions of the parameters");
        }
        NearestName nearest(code_.name(e.symbol));
        for (size_t i = 0; i < known_.size() && report_.may_suggest(); ++i) {
          if (known_[i].dimension) nearest.consider(code_.name(body_.result_.resolution.variables[i].name));
        }
        wrong(DiagCode::G008, span, fmt::format("no dimension {}", shown),
              nearest.help_or("a dimension is the size of an axis of a parameter: x: f32[n]"));
        return std::nullopt;
      }
      case ExprKind::Load:
      case ExprKind::BufLen:
      case ExprKind::InvocationId:
      case ExprKind::WorkgroupId:
      case ExprKind::LocalId:
      case ExprKind::NumWorkgroups: return std::nullopt;  // refused before
      case ExprKind::Apply: break;
    }
    const bool up = e.op == Op::Call && code_.name(e.symbol) == ir::kCeilDiv && e.immediate == 1;
    const bool computed = up || e.op == Op::Add || e.op == Op::Sub || e.op == Op::Mul || e.op == Op::Div;
    if (!computed || e.args.count != 2) {
      return no_size(
          fmt::format("{} in a size", e.op == Op::Call ? quoted(code_.name(e.symbol)) : written(e.op)),
          "sizes are made with + - * / and ceil_div(a, b)");
    }
    const auto a = size_of(code_.arg(e, 0)), b = size_of(code_.arg(e, 1));
    if (!a || !b) return std::nullopt;
    const auto out = e.op == Op::Add   ? Extent::sum(*a, *b)
                     : e.op == Op::Sub ? Extent::difference(*a, *b)
                     : e.op == Op::Mul ? Extent::product(*a, *b)
                                       : Extent::quotient(*a, *b, up);
    if (!out) too_large_size(span);
    return out;
  }

  /// Sizes in a list, or none.
  std::optional<Shape> sizes_of(std::span<const ExprId> ids) {
    Shape out;
    bool known = true;
    for (const ExprId id : ids) {
      const auto size = size_of(id);
      known = known && size;
      if (size) out.push_back(*size);
    }
    if (!known) return std::nullopt;
    return out;
  }

  // Expressions.

  Value value(ExprId id) {
    Value out = value_of(id);
    out.span = code_.span(id);
    body_.result_.resolution.types[ir::index(id)] = out.type;
    if (!out.known()) broken_ = true;
    return out;
  }

  Value value_of(ExprId id) {
    const Expr& e = code_[id];
    const Span span = code_.span(id);
    switch (e.kind) {
      case ExprKind::Literal: {
        const DataType type = body_.type_of(id);
        if (type == kUnknownType || !check_element(type, span)) return {type};
        return made({.op = NodeOp::Literal, .type = type, .bits = code_.literal_bits(e), .span = span});
      }
      case ExprKind::Var: return name(e, span);
      case ExprKind::Load:
      case ExprKind::BufLen:
      case ExprKind::InvocationId:
      case ExprKind::WorkgroupId:
      case ExprKind::LocalId:
      case ExprKind::NumWorkgroups: return {};
      case ExprKind::Apply: break;
    }
    const std::vector<Value> operands = values(code_.args(e));
    uint32_t number = 0;
    if (e.op == Op::Call && e.symbol != ir::kNoSymbol &&
        table_.find(code_.name(e.symbol), e.immediate, number) != nullptr) {
      const std::vector<Value> out = call(number, operands, span);
      if (out.size() == 1) return out[0];
      if (out.empty() || out[0].known()) wrong_number_of_results(number, 1, span);
      return {};
    }
    const auto small = std::ranges::find_if(
        operands, [](const Value& v) { return v.type != kUnknownType && spec::is_small(v.type); });
    if (e.op == Op::Cast && operands.size() == 1 && size_t(e.type) < spec::kTypeCount &&
        (spec::is_small(e.type) || small != operands.end()))
      return cast_small(e, operands[0], span);
    if (small != operands.end()) {
      is_small(*small, e.op == Op::Call ? quoted(code_.name(e.symbol)) : written(e.op));
      return {};
    }
    return apply(id, e, operands);
  }

  std::vector<Value> values(std::span<const ExprId> ids) {
    std::vector<Value> out;
    out.reserve(ids.size());
    for (const ExprId id : ids) out.push_back(value(id));
    return out;
  }

  Value name(const Expr& e, Span span) {
    const auto id = find(e.symbol);
    if (!id) {
      body_.unknown_name(e.symbol, span, "tensor");
      return {};
    }
    Known& known = known_[*id];
    const DataType type = body_.result_.resolution.variables[*id].type;
    if (known.dimension) {
      Node node = {.op = NodeOp::Literal, .type = DataType::U32, .span = span};
      node.sizes.push_back(Extent::named(code_.name(e.symbol)));
      return made(std::move(node));
    }
    if (!known.given) {
      const std::string shown = quoted(code_.name(e.symbol));
      wrong(DiagCode::G009, span, fmt::format("output {} has no tensor yet", shown),
            "give it one before it is used")
          .notes.push_back({known.span, "it was declared here"});
    }
    return {type, known.node};
  }

  Value apply(ExprId id, const Expr& e, const std::vector<Value>& operands) {
    const Span span = code_.span(id);
    const DataType type = body_.type_of(id);
    const spec::OpDef* operation = nullptr;
    if (spec::form_of(e.op) == spec::Form::Call && type != kUnknownType) {
      operation = body_.result_.resolution.callee(id);
      if (operation->intrinsic) {
        wrong(DiagCode::G017, span, fmt::format("{} in a graph", quoted(operation->id)),
              "it is an instruction of the hardware: call it in a program");
        return {type};
      }
    }
    for (const Value& operand : operands) {
      if (!operand.known()) return {type};
    }
    if (type == kUnknownType || !check_element(type, span)) return {type};
    const auto shape = together(operands, span);
    if (!shape) return {type};
    Node node = {.op = operation != nullptr ? NodeOp::Call : NodeOp::Apply,
                 .type = type,
                 .shape = *shape,
                 .scalar = operation != nullptr ? Op{} : e.op,
                 .mode = e.mode,
                 .operation = operation,
                 .span = span};
    for (const Value& operand : operands) {
      node.operands.push_back(stretched(operand.node, *shape, span));
      if (node.operands.back() == kNone) return {type};
    }
    return made(std::move(node));
  }

  /// A cast from or to a small type: nodes that cast a small type to its wide one, or u32, i32 or f32 to a
  /// small one, behind or before an ordinary cast. Of all these one at most is not exact.
  Value cast_small(const Expr& e, const Value& operand, Span span) {
    const DataType to = e.type, from = operand.type;
    if (!check_element(to, span) || from == kUnknownType) return {to};
    if (!spec::can_cast_in_graphs(from, to)) {
      wrong(DiagCode::V026, span,
            fmt::format("there is no cast from {} to {}", spec::text(from), spec::text(to)),
            fmt::format("write {}", way_to(from, to)));
      return {to};
    }
    const bool takes_mode = spec::cast_takes_mode_in_graphs(from, to);
    if (takes_mode != (e.mode != spec::RoundingMode::None)) {
      wrong(DiagCode::V027, span,
            fmt::format("a cast from {} to {} {}", spec::text(from), spec::text(to),
                        takes_mode ? "says how it rounds" : "takes no rounding mode"),
            fmt::format("write {}", way_to(from, to)));
      return {to};
    }
    if (!operand.known()) return {to};
    if (from == to) return operand;
    if (spec::is_small(from)) {
      const DataType wide = spec::wide_type(from);
      return {to, cast(cast(operand.node, wide, {}, span), to, e.mode, span), span};
    }
    const DataType before = spec::kFloats.contains(from) ? DataType::F32
                            : from == DataType::I32      ? from
                                                         : DataType::U32;
    return {to, cast(cast(operand.node, before, {}, span), to, e.mode, span), span};
  }

  // Calls of graphs.

  void wrong_number_of_results(uint32_t number, size_t wanted, Span span) {
    const ir::Graph& callee = table_.module.graphs[number];
    if (!table_.done[number]) {
      broken_ = true;
      return;
    }
    wrong(DiagCode::G012, span,
          fmt::format("{} gives {}, not {}", quoted(callee.name), count_of(callee.outputs.size(), "tensor"),
                      wanted),
          callee.outputs.size() == 1 ? "name one tensor" : "name each: let (a, b) = g(x);")
        .notes.push_back({callee.span, "it was declared here"});
  }

  /// The outputs of a graph of the file over these tensors; none after a report.
  std::vector<Value> call(uint32_t number, const std::vector<Value>& given, Span span) {
    const ir::Graph& callee = table_.module.graphs[number];
    const std::string shown = quoted(callee.name);
    if (given.size() != callee.parameters.size()) {
      wrong(DiagCode::G012, span,
            fmt::format("{} takes {}, not {}", shown, count_of(callee.parameters.size(), "tensor"),
                        given.size()),
            "give each of its parameters one tensor")
          .notes.push_back({callee.span, "it was declared here"});
    }
    std::vector<Value> out(callee.outputs.size());
    for (size_t i = 0; i < out.size(); ++i) out[i] = {callee.outputs[i].element, kNone, span};
    const auto& inner = table_.done[number];
    bool known = inner && given.size() == callee.parameters.size();
    for (const Value& value : given) known = known && value.known();
    std::map<std::string, Extent, std::less<>> dimensions;
    for (size_t i = 0; known && i < given.size(); ++i) {
      const Node& wanted = inner->nodes[inner->parameters[i].node];
      const std::string parameter = fmt::format("{} of {}", quoted(inner->parameters[i].name), shown);
      if (given[i].type != wanted.type) {
        wrong(DiagCode::G002, given[i].span,
              fmt::format("{} is of {}; this is {}", parameter, spec::text(wanted.type),
                          spec::text(given[i].type)),
              fmt::format("write {}", way_to(given[i].type, wanted.type)))
            .notes.push_back({wanted.span, "the parameter was declared here"});
        return out;
      }
      if (bind(wanted.shape, shape_of(given[i]), dimensions)) continue;
      Shape bound;
      for (const Extent& size : wanted.shape) {
        const auto found = size.name() ? dimensions.find(*size.name()) : dimensions.end();
        bound.push_back(found == dimensions.end() ? size : found->second);
      }
      const bool says_more = bound != wanted.shape && bound.size() == shape_of(given[i]).size();
      wrong(DiagCode::G001, given[i].span,
            fmt::format("{} is {}{}; this is {}", parameter, text_of(wanted),
                        says_more ? fmt::format(", here {}", shape_text(wanted.type, bound)) : "",
                        text_of(given[i])),
            "a call stretches nothing: sizes are those of the parameter, and a dimension is one size")
          .notes.push_back({wanted.span, "the parameter was declared here"});
      return out;
    }
    if (known) inline_nodes(*inner, given, dimensions, span, out);
    return out;
  }

  /// Dimensions of a parameter by the shape that it is given; false if that does not fit.
  static bool bind(const Shape& wanted, const Shape& given,
                   std::map<std::string, Extent, std::less<>>& dimensions) {
    if (wanted.size() != given.size()) return false;
    for (size_t i = 0; i < wanted.size(); ++i) {
      const auto name = wanted[i].name();
      const Extent& size =
          name ? dimensions.try_emplace(std::string(*name), given[i]).first->second : wanted[i];
      if (size != given[i]) return false;
    }
    return true;
  }

  void inline_nodes(const TensorGraph& callee, const std::vector<Value>& given,
                    const std::map<std::string, Extent, std::less<>>& dimensions, Span span,
                    std::vector<Value>& out) {
    const auto size_there = [&](std::string_view name) {
      const auto found = dimensions.find(name);
      return found == dimensions.end() ? Extent(0) : found->second;  // it is found: parameters bind all
    };
    called_at_ = span;
    called_ = callee.name;
    std::vector<uint32_t> here(callee.nodes.size(), kNone);
    bool good = true;
    for (size_t i = 0; good && i < callee.nodes.size(); ++i) {
      Node node = callee.nodes[i];
      if (node.op == NodeOp::Parameter) {
        here[i] = given[node.number].node;
        continue;
      }
      for (uint32_t& operand : node.operands) operand = here[operand];
      for (auto* sizes : {&node.shape, &node.sizes}) {
        for (Extent& size : *sizes) {
          const auto replaced = size.with(size_there);
          good = good && replaced;
          if (replaced) size = *replaced;
        }
      }
      if (!good) {
        too_large_size(span);
        break;
      }
      // What is stretched there may have its shape already here.
      if (node.op == NodeOp::Broadcast && node.shape == made_.nodes[node.operands[0]].shape) {
        here[i] = node.operands[0];
        continue;
      }
      here[i] = add(std::move(node));
      good = here[i] != kNone;
    }
    called_at_.reset();
    if (!good) {
      broken_ = true;
      return;
    }
    for (size_t i = 0; i < out.size(); ++i) out[i].node = here[callee.outputs[i].node];
  }

  std::vector<Known> known_;  // by VarId
};

}  // namespace vyre::check
