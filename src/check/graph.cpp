#include "check/graph.h"

#include <set>

#include "check/graph_expressions.h"

namespace vyre::check {

class GraphChecker final : GraphExpressions {
 public:
  GraphChecker(const ir::Graph& graph, GraphTable& table, const spec::OpTable& ops, Report& report)
      : GraphExpressions(graph, table, ops, report), graph_(graph) {}

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
      case spec::Form::Scalar:
      case spec::Form::Select:
      case spec::Form::Cast:
      case spec::Form::Bitcast:
      case spec::Form::Call: return {};
      case spec::Form::MakeVector:
      case spec::Form::Component: return "a vector";
      case spec::Form::Reduce: return "a reduction of a buffer";
      case spec::Form::Atomic: return "an atomic";
    }
    return {};
  }

  /// What stands in a command beside its tensors, as its list says.
  bool well_formed(const TensorCommand& c) {
    const ir::TensorList list = info(c.op).list;
    const bool has_sizes = list == ir::TensorList::Ranges || list == ir::TensorList::Sizes ||
                           list == ir::TensorList::Pads || list == ir::TensorList::SizesAxis ||
                           list == ir::TensorList::CountAxis;
    const bool has_axis = list == ir::TensorList::Axis || list == ir::TensorList::SizesAxis ||
                          list == ir::TensorList::FoldAxis || list == ir::TensorList::CalleeAxis ||
                          list == ir::TensorList::CountAxis;
    const TensorCommand unset;
    const bool product = list == ir::TensorList::Product, fold = list == ir::TensorList::FoldAxis,
               callee = list == ir::TensorList::CalleeAxis;
    const bool extra = (!fold && (c.fold != unset.fold || c.order != unset.order)) ||
                       (!callee && (c.callee != unset.callee || c.version != unset.version)) ||
                       (!product && (c.block != unset.block || c.typed)) ||
                       (!(product && c.typed) && c.type != unset.type) || (!has_sizes && !c.sizes.empty()) ||
                       (!has_axis && list != ir::TensorList::Axes && !c.axes.empty());
    const bool missing = (has_axis && c.axes.size() != 1) || (callee && c.callee == ir::kNoSymbol) ||
                         (list == ir::TensorList::CountAxis && c.sizes.size() != 1) || c.names.empty() ||
                         (c.op != TensorOp::Value && c.names.size() != 1);
    if (!extra && !missing) return true;
    malformed(c.span, fmt::format("a command `{}` with a part too many or too few", info(c.op).text));
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

  const ir::Graph& graph_;
  std::vector<std::optional<Shape>> declared_;  // of the outputs
  bool well_formed_ = false;
};

namespace {

/// Which graphs a graph calls, each once, with its first call.
std::vector<std::pair<uint32_t, Span>> calls_of(const ir::Graph& graph, const GraphTable& table) {
  std::vector<std::pair<uint32_t, Span>> out;
  std::set<uint32_t> seen;
  std::set<std::pair<ir::Symbol, uint32_t>> looked;
  for (uint32_t i = 0; i < graph.code.exprs.size(); ++i) {
    const ir::Expr& e = graph.code[ExprId{i}];
    if (e.kind != ir::ExprKind::Apply || e.op != spec::Op::Call || e.symbol == ir::kNoSymbol) continue;
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
