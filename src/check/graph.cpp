#include "check/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "check/body_checker.h"
#include "check/wording.h"
#include "spec/casts.h"
#include "spec/limits.h"
#include "spec/ops.h"

namespace vyre::check {
namespace {

using ir::Expr;
using ir::ExprKind;
using ir::Order;
using ir::Symbol;
using ir::TensorCommand;
using ir::TensorList;
using ir::TensorOp;
using spec::Form;
using spec::Op;
using Shape = std::vector<Extent>;
using Node = TensorNode<Extent>;

/// Of all graphs of a file together.
constexpr size_t kMaxFileNodes = spec::kMaxNodes;

/// What the elements of tensors may be.
constexpr spec::TypeSet kElements = spec::only(DataType::U32) | spec::only(DataType::I32) |
                                    spec::only(DataType::U64) | spec::only(DataType::Bool) | spec::kFloats;

bool is_element(DataType type) { return type != kUnknownType && kElements.contains(type); }

std::string count_of(size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

/// Graphs of a file, and what became of them.
struct GraphTable {
  const ir::Module& module;
  std::map<std::string_view, uint32_t> by_name;
  std::vector<std::optional<TensorGraph>> done;  // by number; none: it broke a rule, or was not reached
  size_t nodes = 0;                              // of all

  const ir::Graph* find(std::string_view name, uint32_t version, uint32_t& number) const {
    const auto found = by_name.find(name);
    if (found == by_name.end() || module.graphs[found->second].version != version) return nullptr;
    number = found->second;
    return &module.graphs[number];
  }
};

class GraphChecker {
 public:
  GraphChecker(const ir::Graph& graph, GraphTable& table, const spec::OpTable& ops, Report& report)
      : graph_(graph),
        code_(graph.code),
        table_(table),
        ops_(ops),
        report_(report),
        body_({graph.code, ir::kNoBlock, ops, {}, {}, nullptr, table.module.constants}, report) {}

  BodyResult run(std::optional<TensorGraph>& out) {
    check_graph_name();
    made_.name = graph_.name;
    const auto misplaced = well_formed() ? ir::misplaced(graph_) : std::nullopt;
    if (misplaced) {
      malformed(graph_.commands[*misplaced].span, "a nested operation that no text can have there");
    } else if (well_formed_) {
      body_.declare_constants();
      for (uint32_t i = 0; i < graph_.parameters.size(); ++i) parameter(i);
      outputs();
      for (const TensorCommand& command : graph_.commands) run(command);
      finish();
    }
    table_.nodes += made_.nodes.size();
    body_.result_.size = code_.exprs.size();
    if (!broken_) out = std::move(made_);
    return std::move(body_.result_);
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  /// What a name stands for, by VarId.
  struct Known {
    bool dimension = false;
    uint32_t node = kNone;    // of a tensor, once it has one
    uint32_t output = kNone;  // which output it is
    bool given = true;        // of an output
    Span span;
  };
  /// An expression: its type is known even where something in it is wrong.
  struct Value {
    DataType type = kUnknownType;
    uint32_t node = kNone;
    Span span;
    bool known() const { return node != kNone; }
  };

  Diag& wrong(DiagCode code, Span span, std::string message, std::string help) {
    broken_ = true;
    return report_.add(code, span, std::move(message), std::move(help));
  }
  void malformed(Span span, std::string message) {
    broken_ = true;
    body_.malformed(span, std::move(message));
  }

  // Structure.

  void check_graph_name() {
    // An id of the library is words between points.
    std::string_view rest = graph_.name;
    for (size_t point; (point = rest.find('.')) != std::string_view::npos; rest.remove_prefix(point + 1))
      check_name(rest.substr(0, point), graph_.span, "graph", report_);
    check_name(rest, graph_.span, "graph", report_);
    const bool has_point = graph_.name.contains('.');
    if (!has_point && (spec::find_op(graph_.name) || ir::find_tensor_op(graph_.name))) {
      wrong(DiagCode::V031, graph_.span, fmt::format("{} is an operator", quoted(graph_.name)),
            "a call of the graph would be read as one: choose another name");
    }
    if (!has_point && graph_.version > 1)
      malformed(graph_.span, "a version of a graph without a point in its name");
    if (graph_.version == 0) malformed(graph_.span, "a graph of version 0");
  }

  /// That expressions are trees of what graphs have, so that whatever comes after may recurse on them.
  bool well_formed() {
    const size_t count = code_.exprs.size();
    if (count + graph_.commands.size() > spec::kMaxNodes) {
      wrong(DiagCode::V024, graph_.span,
            fmt::format("{} commands and expressions; a graph has at most {}", count + graph_.commands.size(),
                        spec::kMaxNodes),
            "split it into several graphs");
      return false;
    }
    std::vector<bool> used(count);
    std::vector<uint32_t> depth(count, 1);
    bool good = true;
    const auto use = [&](ExprId id, size_t below, Span span) {
      if (ir::index(id) >= below || used[ir::index(id)]) {
        malformed(span, "an expression that stands in two places, or in none");
        good = false;
        return;
      }
      used[ir::index(id)] = true;
    };
    for (uint32_t i = 0; i < count; ++i) {
      const Expr& e = code_[ExprId{i}];
      const Span span = code_.span(ExprId{i});
      if (const std::string_view what = excluded(e); !what.empty()) {
        wrong(DiagCode::G017, span, fmt::format("{} in a graph", what),
              "compute it in a program, or write it with operations on tensors");
        good = false;
      }
      for (const ExprId operand : code_.args(e)) {
        use(operand, i, span);
        if (!good) return false;
        depth[i] = std::max(depth[i], depth[ir::index(operand)] + 1);
      }
      if (depth[i] == spec::kMaxExpressionDepth + 1) {
        wrong(DiagCode::V023, span, fmt::format("an expression deeper than {}", spec::kMaxExpressionDepth),
              "name parts of it with let");
        good = false;
      }
    }
    const auto use_all = [&](std::span<const ExprId> roots, Span span) {
      for (const ExprId root : roots) use(root, count, span);
    };
    for (const auto* list : {&graph_.parameters, &graph_.outputs}) {
      for (const ir::TensorDecl& decl : *list) use_all(decl.sizes, decl.span);
    }
    for (const TensorCommand& command : graph_.commands) {
      use_all(command.operands, command.span);
      use_all(command.sizes, command.span);
    }
    return well_formed_ = good;
  }

  static std::string_view excluded(const Expr& e) {
    switch (e.kind) {
      case ExprKind::Literal:
      case ExprKind::Var: return {};
      case ExprKind::Load: return "an element of a buffer";
      case ExprKind::BufLen: return "the length of a buffer";
      case ExprKind::InvocationId:
      case ExprKind::WorkgroupId:
      case ExprKind::LocalId: return "an id of an invocation";
      case ExprKind::NumWorkgroups: return "a number of workgroups";
      case ExprKind::Apply: break;
    }
    switch (spec::form_of(e.op)) {
      case Form::Scalar:
      case Form::Select:
      case Form::Cast:
      case Form::Bitcast:
      case Form::Call: return {};
      case Form::MakeVector:
      case Form::Component: return "a vector";
      case Form::Reduce: return "a reduction of a buffer";
      case Form::Atomic: return "an atomic";
    }
    return {};
  }

  /// What stands in a command beside its tensors, as its list says.
  bool well_formed(const TensorCommand& c) {
    const TensorList list = info(c.op).list;
    const bool has_sizes = list == TensorList::Ranges || list == TensorList::Sizes ||
                           list == TensorList::Pads || list == TensorList::SizesAxis ||
                           list == TensorList::CountAxis;
    const bool has_axis = list == TensorList::Axis || list == TensorList::SizesAxis ||
                          list == TensorList::FoldAxis || list == TensorList::CalleeAxis ||
                          list == TensorList::CountAxis;
    const TensorCommand unset;
    const bool product = list == TensorList::Product, fold = list == TensorList::FoldAxis,
               callee = list == TensorList::CalleeAxis;
    const bool extra = (!fold && (c.fold != unset.fold || c.order != unset.order)) ||
                       (!callee && (c.callee != unset.callee || c.version != unset.version)) ||
                       (!product && (c.block != unset.block || c.typed)) ||
                       (!(product && c.typed) && c.type != unset.type) || (!has_sizes && !c.sizes.empty()) ||
                       (!has_axis && list != TensorList::Axes && !c.axes.empty());
    const bool missing = (has_axis && c.axes.size() != 1) || (callee && c.callee == ir::kNoSymbol) ||
                         (list == TensorList::CountAxis && c.sizes.size() != 1) || c.names.empty() ||
                         (c.op != TensorOp::Value && c.names.size() != 1);
    if (!extra && !missing) return true;
    malformed(c.span, fmt::format("a command `{}` with a part too many or too few", info(c.op).text));
    return false;
  }

  // Names.

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

  bool check_element(DataType type, Span span) {
    if (is_element(type)) return true;
    wrong(DiagCode::G017, span, fmt::format("a tensor of {}", spec::text(type)),
          fmt::format("elements are of {}", types_in(kElements)));
    return false;
  }

  void parameter(uint32_t number) {
    const ir::TensorDecl& decl = graph_.parameters[number];
    const bool good = check_element(decl.element, decl.span);
    const uint32_t id = declare(decl.name, good ? decl.element : kUnknownType, decl.span, {});
    Node node = {.op = NodeOp::Parameter, .type = decl.element, .number = number, .span = decl.span};
    bool known = good;
    for (const ExprId size : decl.sizes) {
      const Expr& e = code_[size];
      if (e.kind == ExprKind::Var && e.symbol != ir::kNoSymbol &&
          body_.visible_[ir::index(e.symbol)].kind == BodyChecker::Binding::Kind::None) {
        declare(e.symbol, DataType::U32, code_.span(size), {.dimension = true});
      } else if (e.kind == ExprKind::Apply) {
        wrong(DiagCode::G008, code_.span(size), "a parameter's size that is to be computed",
              "write a number or a name; outputs may have sizes that are computed");
        known = false;
        continue;
      }
      const auto extent = size_of(size);
      known = known && extent;
      if (extent) node.shape.push_back(*extent);
    }
    const uint32_t made = known ? add(std::move(node)) : kNone;
    if (made == kNone) {
      broken_ = true;
      return;
    }
    known_[id].node = made;
    made_.parameters.push_back({std::string(code_.name(decl.name)), made});
  }

  void outputs() {
    declared_.resize(graph_.outputs.size());
    for (uint32_t i = 0; i < graph_.outputs.size(); ++i) {
      const ir::TensorDecl& decl = graph_.outputs[i];
      const bool good = check_element(decl.element, decl.span);
      Shape shape;
      bool known = good;
      for (const ExprId size : decl.sizes) {
        const auto extent = size_of(size);
        known = known && extent;
        if (extent) shape.push_back(*extent);
      }
      if (known) declared_[i] = std::move(shape);
      declare(decl.name, good ? decl.element : kUnknownType, decl.span, {.output = i, .given = false});
    }
    if (graph_.outputs.empty())
      wrong(DiagCode::G009, graph_.span, "a graph without an output", "name what it gives behind `->`");
  }

  void finish() {
    for (uint32_t i = 0; i < graph_.outputs.size(); ++i) {
      const ir::TensorDecl& decl = graph_.outputs[i];
      const auto found = std::ranges::find_if(known_, [i](const Known& known) { return known.output == i; });
      if (found == known_.end()) continue;
      if (!found->given) {
        const std::string shown = quoted(code_.name(decl.name));
        wrong(DiagCode::G009, decl.span, fmt::format("output {} is given no tensor", shown),
              fmt::format("add {} = ...;", code_.name(decl.name).substr(0, 60)));
      }
      if (found->node == kNone) broken_ = true;
      made_.outputs.push_back({std::string(code_.name(decl.name)), found->node});
    }
    if (!broken_) drop_unused();
  }

  /// Keeps the parameters and what outputs need: nothing else has an effect, at no size.
  void drop_unused() {
    auto& nodes = made_.nodes;
    std::vector<bool> used(nodes.size());
    for (const auto& output : made_.outputs) used[output.node] = true;
    for (size_t i = nodes.size(); i-- > 0;) {
      if (nodes[i].op == NodeOp::Parameter) used[i] = true;
      if (!used[i]) continue;
      for (const uint32_t operand : nodes[i].operands) used[operand] = true;
    }
    std::vector<uint32_t> place(nodes.size(), kNone);
    uint32_t count = 0;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (!used[i]) continue;
      for (uint32_t& operand : nodes[i].operands) operand = place[operand];
      place[i] = count;
      if (count != i) nodes[count] = std::move(nodes[i]);
      ++count;
    }
    nodes.resize(count);
    for (auto& parameter : made_.parameters) parameter.node = place[parameter.node];
    for (auto& output : made_.outputs) output.node = place[output.node];
    for (auto& tensor : made_.named) tensor.node = place[tensor.node];
    std::erase_if(made_.named, [](const auto& tensor) { return tensor.node == kNone; });
  }

  /// A command's result gets its name: of an output, or a new one.
  void give(Symbol name, Span span, const Value& value) {
    const auto id = find(name);
    if (!id || known_[*id].output == kNone) {
      // A nested operation has a name that no text needs: it stands where it is used.
      if (name != ir::kNoSymbol && ir::is_nested_name(code_.name(name)))
        body_.name_checked_[ir::index(name)] = true;
      declare(name, value.type, span, {.node = value.node});
      if (!value.known()) {
        broken_ = true;
      } else {
        made_.named.push_back({std::string(code_.name(name)), value.node});
      }
      return;
    }
    Known& known = known_[*id];
    const ir::TensorDecl& decl = graph_.outputs[known.output];
    const std::string shown = quoted(code_.name(name));
    if (known.given) {
      wrong(DiagCode::G009, span, fmt::format("output {} is given a second tensor", shown),
            "give another name to one of them")
          .notes.push_back({known.span, "first given here"});
      return;
    }
    known.given = true;
    known.node = value.node;
    known.span = span;
    if (!value.known()) {
      broken_ = true;
      return;
    }
    const Node& node = made_.nodes[value.node];
    const auto& declared = declared_[known.output];
    if (node.type != decl.element && is_element(decl.element)) {
      wrong(DiagCode::G002, value.span,
            fmt::format("{} is of {}; this is {}", shown, spec::text(decl.element), spec::text(node.type)),
            fmt::format("write {}", way_to(node.type, decl.element)))
          .notes.push_back({decl.span, "it was declared here"});
    } else if (declared && *declared != node.shape) {
      wrong(DiagCode::G001, value.span,
            fmt::format("{} is {}; this is {}", shown, shape_text(decl.element, *declared), text_of(node)),
            "declare the shape that it has, or stretch with broadcast(t, [...])")
          .notes.push_back({decl.span, "it was declared here"});
    }
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

  void too_large_size(Span span) {
    wrong(DiagCode::G011, span, "a size that is too large to be spoken of",
          fmt::format("a size has at most {} terms of {} factors, and numbers of 64 bits", Extent::kMaxTerms,
                      Extent::kMaxFactors));
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

  // Nodes.

  std::string text_of(const Node& node) const { return shape_text(node.type, node.shape); }
  std::string text_of(const Value& value) const { return text_of(made_.nodes[value.node]); }
  const Shape& shape_of(const Value& value) const { return made_.nodes[value.node].shape; }
  DiagNote this_is(const Value& value) const {
    return {value.span, fmt::format("this is {}", text_of(value))};
  }

  /// The node, or kNone after a report.
  uint32_t add(Node node) {
    if (made_.nodes.size() == kMaxGraphNodes || table_.nodes + made_.nodes.size() == kMaxFileNodes) {
      if (!full_) {
        wrong(DiagCode::G011, called_at_.value_or(node.span),
              made_.nodes.size() == kMaxGraphNodes
                  ? fmt::format("more than {} operations with all calls inlined", kMaxGraphNodes)
                  : fmt::format("more than {} operations in all graphs of the file", kMaxFileNodes),
              "split the graph and run its parts one after the other");
      }
      full_ = true;
      return kNone;
    }
    const auto operand =
        node.operands.empty() ? std::span<const Extent>() : std::span(made_.nodes[node.operands[0]].shape);
    if (auto fault = find_fault(node, operand)) {
      add_fault(std::move(*fault), node);
      return kNone;
    }
    made_.nodes.push_back(std::move(node));
    return uint32_t(made_.nodes.size() - 1);
  }

  void add_fault(Diag fault, const Node& node) {
    if (called_at_ && node.span != *called_at_) {
      Diag& diag = wrong(fault.code, *called_at_, fmt::format("in {}: {}", quoted(called_), fault.message),
                         std::move(fault.help));
      diag.notes.push_back({node.span, "here"});
      return;
    }
    wrong(fault.code, fault.span, std::move(fault.message), std::move(fault.help));
  }

  Value made(Node node) {
    Value out{node.type, kNone, node.span};
    out.node = add(std::move(node));
    return out;
  }

  /// The value with this shape, which it fits.
  uint32_t stretched(uint32_t node, const Shape& shape, Span span) {
    if (made_.nodes[node].shape == shape) return node;
    return add({.op = NodeOp::Broadcast,
                .type = made_.nodes[node].type,
                .shape = shape,
                .operands = {node},
                .span = span});
  }

  /// What shapes are stretched to together; none: they do not fit.
  static std::optional<Shape> together(const Shape& a, const Shape& b) {
    Shape out(std::max(a.size(), b.size()));
    for (size_t i = 0; i < out.size(); ++i) {
      // From the right.
      const Extent x = i < a.size() ? a[a.size() - 1 - i] : Extent(1);
      const Extent y = i < b.size() ? b[b.size() - 1 - i] : Extent(1);
      if (x != y && x != Extent(1) && y != Extent(1)) return std::nullopt;
      out[out.size() - 1 - i] = x == Extent(1) ? y : x;
    }
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
    if (spec::form_of(e.op) == Form::Call && type != kUnknownType) {
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

  /// The shape of an operator's result, or none after G001.
  std::optional<Shape> together(const std::vector<Value>& operands, Span span) {
    Shape shape;
    const Value* widest = nullptr;  // the operand that last decided
    for (const Value& operand : operands) {
      const auto wider = together(shape, shape_of(operand));
      if (!wider) {
        Diag& diag =
            wrong(DiagCode::G001, span,
                  fmt::format("{} and {} do not fit together", text_of(*widest), text_of(operand)),
                  "sizes are equal or 1 from the right on; add axes of size 1 with reshape(t, [...])");
        diag.notes.push_back(this_is(*widest));
        diag.notes.push_back(this_is(operand));
        return std::nullopt;
      }
      if (*wider != shape || widest == nullptr) widest = &operand;
      shape = *wider;
    }
    return shape;
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

  // Commands.

  void run(const TensorCommand& command) {
    if (!well_formed(command)) return;
    if (command.op == TensorOp::Value) return run_value(command);
    const std::vector<Value> operands = values(command.operands);
    const uint32_t least = ir::least_operands(command.op);
    const bool any = ir::any_number(command.op);
    const bool enough = operands.size() == least || (any && operands.size() > least);
    if (!enough) {
      wrong(DiagCode::G012, command.span,
            fmt::format("`{}` takes {}{}, not {}", info(command.op).text, any ? "at least " : "",
                        count_of(least, "tensor"), operands.size()),
            "docs/spec/graphs.md says what it takes");
    }
    const auto sizes = sizes_of(command.sizes);
    bool known = enough && sizes;
    for (const Value& operand : operands) known = known && operand.known();
    Value out{result_type(command, operands), kNone, command.span};
    if (known) {
      Node node = {.span = command.span};
      if (tensor(command, operands, *sizes, node)) out = made(std::move(node));
    }
    out.span = command.span;
    give(command.names[0], command.span, out);
  }

  void run_value(const TensorCommand& command) {
    if (command.operands.size() != 1) {
      malformed(command.span, "a command that is not one expression");
      return;
    }
    const ExprId root = command.operands[0];
    const Expr& e = code_[root];
    uint32_t number = 0;
    const bool call_of_graph = e.kind == ExprKind::Apply && e.op == Op::Call && e.symbol != ir::kNoSymbol &&
                               table_.find(code_.name(e.symbol), e.immediate, number) != nullptr;
    if (command.names.size() == 1) return give(command.names[0], command.span, value(root));
    std::vector<Value> out;
    if (call_of_graph) {
      out = call(number, values(code_.args(e)), code_.span(root));
      if (out.size() != command.names.size() && (out.empty() || out[0].known()))
        wrong_number_of_results(number, command.names.size(), code_.span(root));
    } else {
      value(root);
      wrong(DiagCode::G012, command.span, fmt::format("{} names for one tensor", command.names.size()),
            "only a call of a graph gives several");
    }
    out.resize(command.names.size());
    for (size_t i = 0; i < out.size(); ++i) give(command.names[i], command.span, out[i]);
  }

  /// As far as it is known without the rules.
  static DataType result_type(const TensorCommand& c, const std::vector<Value>& operands) {
    switch (c.op) {
      case TensorOp::Index:
      case TensorOp::Argsort:
      case TensorOp::ArgTopK: return DataType::U32;
      case TensorOp::Matmul:
        if (c.typed) return c.type;
        if (!operands.empty() && is_element(operands[0].type) && spec::kFloats.contains(operands[0].type))
          return DataType::F32;
        break;
      case TensorOp::Value:
      case TensorOp::Transpose:
      case TensorOp::Slice:
      case TensorOp::Broadcast:
      case TensorOp::Reshape:
      case TensorOp::Concat:
      case TensorOp::Pad:
      case TensorOp::Gather:
      case TensorOp::ScatterAdd:
      case TensorOp::Reduce:
      case TensorOp::Scan:
      case TensorOp::Recur:
      case TensorOp::Sort:
      case TensorOp::TopK: break;
    }
    return operands.empty() ? kUnknownType : operands[0].type;
  }

  /// False after a report.
  bool tensor(const TensorCommand& c, const std::vector<Value>& operands, const Shape& sizes, Node& node) {
    for (const Value& operand : operands) node.operands.push_back(operand.node);
    if (!operands.empty()) {
      node.type = operands[0].type;
      node.shape = shape_of(operands[0]);
    }
    switch (c.op) {
      case TensorOp::Value: return false;
      case TensorOp::Transpose: return transpose(c, node);
      case TensorOp::Slice: return slice(c, operands[0], sizes, node);
      case TensorOp::Broadcast: return broadcast(operands[0], sizes, node);
      case TensorOp::Reshape:
        node.op = NodeOp::Reshape;
        node.shape = sizes;
        return true;
      case TensorOp::Concat: return concat(c, operands, node);
      case TensorOp::Pad: return pad(operands, sizes, node);
      case TensorOp::Gather: return gather(c, operands, node);
      case TensorOp::ScatterAdd: return scatter_add(c, operands, node);
      case TensorOp::Index:
        node.op = NodeOp::Index;
        node.type = DataType::U32;
        node.shape = sizes;
        return along(c, node.shape, node);
      case TensorOp::Reduce: return fold(c, operands[0], NodeOp::Reduce, node);
      case TensorOp::Scan: return fold(c, operands[0], NodeOp::Scan, node);
      case TensorOp::Recur: return recur(c, operands, node);
      case TensorOp::Matmul: return matmul(c, operands, node);
      case TensorOp::Sort: return sort(c, operands[0], NodeOp::Sort, node);
      case TensorOp::Argsort: return sort(c, operands[0], NodeOp::Argsort, node);
      case TensorOp::TopK: return top_k(c, operands[0], sizes, NodeOp::TopK, node);
      case TensorOp::ArgTopK: return top_k(c, operands[0], sizes, NodeOp::ArgTopK, node);
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
    node.op = NodeOp::Transpose;
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
    node.op = NodeOp::Slice;
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
    node.op = NodeOp::Broadcast;
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
    node.op = NodeOp::Concat;
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
    node.op = NodeOp::Pad;
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
    node.op = NodeOp::Gather;
    if (!along(c, node.shape, node) || !has_type(operands[1], DataType::U32, "an index")) return false;
    node.shape = gathered(operands[0], operands[1], node.axis);
    return true;
  }

  bool scatter_add(const TensorCommand& c, const std::vector<Value>& operands, Node& node) {
    node.op = NodeOp::ScatterAdd;
    if (!along(c, node.shape, node) || !has_type(operands[1], DataType::U32, "an index") ||
        !has_type(operands[2], node.type, "what is added to"))
      return false;
    if (node.type == DataType::Bool) {
      wrong(DiagCode::G002, c.span, "a sum of bool", "count in u32: cast<u32>(...)");
      return false;
    }
    return has_shape(operands[2], gathered(operands[0], operands[1], node.axis), "what is added",
                     "it has the shape of gather(t, indices, axis)", operands[1]);
  }

  bool fold(const TensorCommand& c, const Value& operand, NodeOp op, Node& node) {
    node.op = op;
    node.scalar = c.fold;
    node.order = c.order;
    const ir::FoldInfo* known = ir::find_fold(c.fold);
    if (known == nullptr) {
      wrong(DiagCode::G013, c.span,
            fmt::format("`{}` with `{}`, which does not fold", info(c.op).text, spec::mnemonic(c.fold)),
            "write fadd, fmul, fmin or fmax; add, mul, min, max, bit_and, bit_or or bit_xor");
      return false;
    }
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
    if (of_floats != (c.order != Order::None)) {
      wrong(DiagCode::G013, c.span,
            of_floats ? fmt::format("`{}` of floats without an order", name)
                      : fmt::format("`{}` of integers with an order", name),
            of_floats
                ? fmt::format("write {0}({1}, tree, ...), or {0}({1}, strict, ...)", info(c.op).text, name)
                : fmt::format("write {}({}, ...): every order gives the same", info(c.op).text, name));
      return false;
    }
    if (!along(c, node.shape, node)) return false;
    if (op == NodeOp::Reduce) node.shape[node.axis] = Extent(1);
    return true;
  }

  bool recur(const TensorCommand& c, const std::vector<Value>& operands, Node& node) {
    node.op = NodeOp::Recur;
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
    node.op = NodeOp::Matmul;
    node.block = c.block;
    const Value &a = operands[0], &b = operands[1];
    if (!has_type(b, a.type, "the first matrix")) return false;
    const bool floats = spec::kFloats.contains(a.type);
    node.type = c.typed ? c.type : floats ? DataType::F32 : a.type;
    if (a.type == DataType::Bool || (node.type != a.type && !(floats && node.type == DataType::F32)) ||
        c.block == 0) {
      wrong(DiagCode::G019, c.span,
            c.block == 0
                ? "a block of no elements"
                : fmt::format("a product of matrices of {} in {}", spec::text(a.type), spec::text(node.type)),
            a.type == DataType::Bool ? "convert with cast<u32>(...)"
            : c.block == 0           ? "a block has at least one element: 32 and 64 suit devices"
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
    node.operands = {stretched(a.node, with_batch(x[x.size() - 2], x.back()), c.span),
                     stretched(b.node, with_batch(y[y.size() - 2], y.back()), c.span)};
    node.shape = with_batch(x[x.size() - 2], y.back());
    return node.operands[0] != kNone && node.operands[1] != kNone;
  }

  bool sort(const TensorCommand& c, const Value& operand, NodeOp op, Node& node) {
    node.op = op;
    if (operand.type == DataType::Bool) {
      wrong(DiagCode::G002, operand.span, fmt::format("`{}` of bool", info(c.op).text),
            "sort numbers: cast<u32>(...)");
      return false;
    }
    if (!along(c, node.shape, node)) return false;
    if (op == NodeOp::Argsort || op == NodeOp::ArgTopK) node.type = DataType::U32;
    return true;
  }

  bool top_k(const TensorCommand& c, const Value& operand, const Shape& sizes, NodeOp op, Node& node) {
    if (!sort(c, operand, op, node)) return false;
    node.sizes = sizes;
    node.shape[node.axis] = sizes[0];
    return true;
  }

  const ir::Graph& graph_;
  const ir::Code& code_;
  GraphTable& table_;
  const spec::OpTable& ops_;
  Report& report_;
  BodyChecker body_;
  TensorGraph made_;
  std::vector<Known> known_;                    // by VarId
  std::vector<std::optional<Shape>> declared_;  // of the outputs
  bool well_formed_ = false;
  bool broken_ = false;
  bool full_ = false;
  std::optional<Span> called_at_;  // the call whose nodes are being added
  std::string called_;
};

namespace {

/// Which graphs a graph calls, each once, with its first call.
std::vector<std::pair<uint32_t, Span>> calls_of(const ir::Graph& graph, const GraphTable& table) {
  std::vector<std::pair<uint32_t, Span>> out;
  std::set<uint32_t> seen;
  std::set<std::pair<Symbol, uint32_t>> looked;
  for (uint32_t i = 0; i < graph.code.exprs.size(); ++i) {
    const Expr& e = graph.code[ExprId{i}];
    if (e.kind != ExprKind::Apply || e.op != Op::Call || e.symbol == ir::kNoSymbol) continue;
    if (!looked.insert({e.symbol, e.immediate}).second) continue;
    uint32_t number = 0;
    if (table.find(graph.code.name(e.symbol), e.immediate, number) != nullptr && seen.insert(number).second)
      out.push_back({number, graph.code.span(ExprId{i})});
  }
  return out;
}

/// Callees before their callers. G010 and G011 for calls that do not end or nest too deep.
std::vector<uint32_t> in_order_of_calls(const GraphTable& table, Report& report) {
  struct Frame {
    uint32_t graph;
    std::vector<std::pair<uint32_t, Span>> calls;
    size_t next = 0;
  };
  const auto& graphs = table.module.graphs;
  std::vector<uint32_t> height(graphs.size(), 0), out;
  std::vector<bool> open(graphs.size());
  std::vector<Frame> path;
  const auto enter = [&](uint32_t number) {
    height[number] = 1;
    open[number] = true;
    path.push_back({number, calls_of(graphs[number], table)});
  };
  for (uint32_t root = 0; root < graphs.size(); ++root) {
    if (height[root] == 0) enter(root);
    while (!path.empty()) {
      Frame& frame = path.back();
      if (frame.next == frame.calls.size()) {
        const uint32_t done = frame.graph;
        open[done] = false;
        out.push_back(done);
        path.pop_back();
        if (height[done] == spec::kMaxCallDepth + 2) {
          report.add(DiagCode::G011, graphs[done].span,
                     fmt::format("graphs call one another {} deep; at most {} are allowed", height[done] - 1,
                                 spec::kMaxCallDepth),
                     "write a part of the chain out");
        }
        if (!path.empty()) height[path.back().graph] = std::max(height[path.back().graph], height[done] + 1);
        continue;
      }
      const auto [callee, span] = frame.calls[frame.next++];
      if (open[callee]) {
        std::string cycle;
        constexpr ptrdiff_t kShown = 8;
        const auto first = std::ranges::find(path, callee, &Frame::graph);
        for (auto at = first; at != path.end() && at - first < kShown; ++at)
          cycle += quoted(graphs[at->graph].name) + " calls ";
        if (path.end() - first > kShown) cycle += "... calls ";
        report.add(DiagCode::G010, span,
                   fmt::format("a graph that calls itself: {}{}", cycle, quoted(graphs[callee].name)),
                   "calls are inlined; along an axis write reduce, scan or recur");
      } else if (height[callee] == 0) {
        enter(callee);
      } else {
        height[frame.graph] = std::max(height[frame.graph], height[callee] + 1);
      }
    }
  }
  return out;
}

}  // namespace

CheckedGraphs check_graphs(const ir::Module& module, const spec::OpTable& ops, Report& report) {
  const size_t count = module.graphs.size();
  GraphTable table{module, {}, std::vector<std::optional<TensorGraph>>(count)};
  for (uint32_t i = 0; i < count; ++i) table.by_name.emplace(module.graphs[i].name, i);
  CheckedGraphs out;
  out.bodies.resize(count);
  for (const uint32_t number : in_order_of_calls(table, report))
    out.bodies[number] = GraphChecker(module.graphs[number], table, ops, report).run(table.done[number]);
  for (auto& graph : table.done) out.graphs.push_back(graph ? std::move(*graph) : TensorGraph());
  return out;
}

}  // namespace vyre::check
