#include "check/body.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "check/body_checker.h"
#include "check/wording.h"
#include "spec/limits.h"

namespace vyre::check {

using ir::Node;
using ir::NodeKind;

BodyResult check_body(const BodyInput& input, Report& report) { return BodyChecker(input, report).run(); }

BodyChecker::BodyChecker(const BodyInput& input, Report& report)
    : input_(input), code_(input.code), report_(report) {
  visible_.resize(code_.symbols.size(), Binding{});
  last_declaration_.resize(code_.symbols.size(), kNoTarget);
  name_checked_.resize(code_.symbols.size());
  seen_node_.resize(code_.nodes.size());
  buffer_usable_.resize(input.buffers.size());
  result_.resolution.types.resize(code_.exprs.size());  // each is written when its expression is reached
  result_.resolution.expr_target.resize(code_.exprs.size());
  result_.resolution.node_target.resize(code_.nodes.size(), kNoTarget);
}

BodyResult BodyChecker::run() {
  declare_constants();
  for (uint32_t i = 0; i < input_.buffers.size(); ++i) declare_buffer(i);
  declare_parameters();
  walk_blocks();
  if (next_ != UINT32_MAX) forget_from(next_);
  if (visited_ > spec::kMaxNodes) {
    report_.add(
        DiagCode::V024, Span::none(),
        fmt::format("{} statements and expressions; a program has at most {}", visited_, spec::kMaxNodes),
        "move repeated parts into a loop, or split the work over several programs");
  }
  result_.size = visited_;
  result_.in_order = next_ != UINT32_MAX;
  return std::move(result_);
}

void BodyChecker::forget_from(uint32_t first) {
  std::fill(result_.resolution.types.begin() + first, result_.resolution.types.end(), DataType::U32);
  std::fill(result_.resolution.expr_target.begin() + first, result_.resolution.expr_target.end(), kNoTarget);
}

// Scopes.

void BodyChecker::declare_constants() {
  if (input_.constants.empty()) return;
  std::unordered_map<std::string_view, uint32_t> constants;
  for (uint32_t i = 0; i < input_.constants.size(); ++i) constants.try_emplace(input_.constants[i].name, i);
  for (uint32_t i = 0; i < code_.symbols.size(); ++i) {
    const auto found = constants.find(code_.symbols[i]);
    if (found != constants.end()) visible_[i] = {Binding::Kind::Constant, found->second};
  }
}

void BodyChecker::declare_buffer(uint32_t number) {
  const ir::BufferDecl& decl = input_.buffers[number];
  check_name_once(decl.name, decl.span, "buffer");
  check_fresh(decl.name, decl.span);
  if (decl.name != ir::kNoSymbol) visible_[ir::index(decl.name)] = {Binding::Kind::Buffer, number};
  // declarations.cpp reports what is wrong with element types.
  buffer_usable_[number] = decl.element != DataType::Tensor
                               ? spec::is_available(decl.element) && !spec::is_small(decl.element)
                               : decl.tensor < input_.tensors.size() &&
                                     !input_.tensors[decl.tensor].dims.empty() &&
                                     spec::is_value_type(input_.tensors[decl.tensor].element);
}

void BodyChecker::declare_parameters() {
  if (input_.function == nullptr) return;
  for (const ir::Function::Parameter& parameter : input_.function->parameters) {
    const bool available = check_available(parameter.type, parameter.span);
    declare(parameter.name, available ? parameter.type : kUnknownType, Variable::Kind::Parameter,
            parameter.span);
  }
}

void BodyChecker::check_name_once(ir::Symbol name, Span span, std::string_view what) {
  if (name == ir::kNoSymbol) return check_name({}, span, what, report_);
  if (name_checked_[ir::index(name)]) return;
  name_checked_[ir::index(name)] = true;
  check_name(code_.name(name), span, what, report_);
}

Span BodyChecker::declared_at(Binding binding) const {
  switch (binding.kind) {
    case Binding::Kind::None: return Span::none();
    case Binding::Kind::Variable: return variable_spans_[binding.index];
    case Binding::Kind::Buffer: return input_.buffers[binding.index].span;
    case Binding::Kind::Constant: return input_.constants[binding.index].span;
  }
  return Span::none();
}

void BodyChecker::check_fresh(ir::Symbol name, Span span) {
  if (name == ir::kNoSymbol) return;
  const Binding first = visible_[ir::index(name)];
  if (first.kind == Binding::Kind::None) return;
  const std::string shown = quoted(code_.name(name));
  const bool constant = first.kind == Binding::Kind::Constant;
  Diag& diag =
      report_.add(DiagCode::V001, span, fmt::format("{} is already declared and still visible", shown),
                  constant ? "choose another name: a constant's is taken in the whole file"
                           : "choose another name; only sibling blocks may use one name for two things");
  const std::string_view as = constant                              ? ", as a constant"
                              : first.kind == Binding::Kind::Buffer ? ", as a buffer"
                                                                    : "";
  diag.notes.push_back({declared_at(first), fmt::format("{} was first declared here{}", shown, as)});
}

uint32_t BodyChecker::declare(ir::Symbol name, DataType type, Variable::Kind kind, Span span) {
  check_name_once(name, span, kind == Variable::Kind::Parameter ? "parameter" : "variable");
  check_fresh(name, span);
  const uint32_t id = uint32_t(result_.resolution.variables.size());
  result_.resolution.variables.push_back({name, type, kind});
  variable_spans_.push_back(span);
  if (name != ir::kNoSymbol) {
    Binding& binding = visible_[ir::index(name)];
    scope_.push_back({name, binding});
    binding = {Binding::Kind::Variable, id};
    last_declaration_[ir::index(name)] = id;
  }
  return id;
}

void BodyChecker::close_scope(uint32_t size) {
  while (scope_.size() > size) {
    visible_[ir::index(scope_.back().symbol)] = scope_.back().previous;
    scope_.pop_back();
  }
}

void BodyChecker::unknown_name(ir::Symbol name, Span span, std::string_view what) {
  const std::string_view text = code_.name(name);
  std::string help = in_place_of(text);
  if (help.empty() && report_.may_suggest()) {
    constexpr size_t kCandidates = 2000;
    NearestName nearest(text);
    for (size_t i = scope_.size(); i-- > 0 && scope_.size() - i <= kCandidates;) {
      nearest.consider(code_.name(scope_[i].symbol));
    }
    for (size_t i = 0; i < input_.buffers.size() && i < kCandidates; ++i) {
      nearest.consider(code_.name(input_.buffers[i].name));
    }
    for (const std::string_view id : {std::string_view("invocation_id"), std::string_view("local_id"),
                                      std::string_view("workgroup_id"), ir::kNumWorkgroups})
      nearest.consider(id);
    help = nearest.help();
  }
  const uint32_t last = name == ir::kNoSymbol ? kNoTarget : last_declaration_[ir::index(name)];
  if (help.empty()) {
    help = last != kNoTarget ? "declare it with let before the block that sets it"
                             : fmt::format("declare the {} before it is used", what);
  }
  Diag& diag = report_.add(DiagCode::V003, span, fmt::format("no {} {} is declared here", what, quoted(text)),
                           std::move(help));
  if (last != kNoTarget) {
    diag.notes.push_back(
        {variable_spans_[last], "a variable of this name was declared here, in a block that has ended"});
  }
}

uint32_t BodyChecker::find_buffer(ir::Symbol name, Span span) {
  const Binding binding = name == ir::kNoSymbol ? Binding{} : visible_[ir::index(name)];
  switch (binding.kind) {
    case Binding::Kind::None: unknown_name(name, span, "buffer"); return kNoTarget;
    case Binding::Kind::Variable:
    case Binding::Kind::Constant: {
      const std::string shown = quoted(code_.name(name));
      const std::string_view what = binding.kind == Binding::Kind::Constant ? "constant" : "variable";
      Diag& diag = report_.add(DiagCode::V005, span, fmt::format("{} is a {}, not a buffer", shown, what),
                               "only buffers are indexed, stored to or have a length");
      diag.notes.push_back({declared_at(binding), fmt::format("{} was declared here", shown)});
      return kNoTarget;
    }
    case Binding::Kind::Buffer: return binding.index;
  }
  return kNoTarget;
}

// Statements.

void BodyChecker::walk_blocks() {
  enter(input_.entry, 0, uint32_t(scope_.size()), Span::none());
  while (!frames_.empty()) {
    Frame& frame = frames_.back();
    const auto nodes = code_.block(frame.block);
    if (frame.next == nodes.size()) {
      // The result of an operation is evaluated in the scope of its body.
      if (frames_.size() == 1 && input_.function != nullptr) expression(input_.function->result);
      close_scope(frame.scope);
      frames_.pop_back();
      continue;
    }
    statement(nodes[frame.next++], frame.depth);
  }
}

void BodyChecker::enter(BlockId block, uint32_t depth, uint32_t scope, Span span) {
  if (depth == spec::kMaxNesting + 1) {
    report_.add(DiagCode::V022, span, fmt::format("this block is nested deeper than {}", spec::kMaxNesting),
                "join conditions with && or move the inner part into an operation");
  }
  if (ir::index(block) >= code_.blocks.size()) return malformed(span, "a block that does not exist");
  frames_.push_back({block, 0, depth, scope});
}

void BodyChecker::malformed(Span span, std::string message) {
  result_.malformed = true;
  report_.add(DiagCode::V036, span, std::move(message),
              "build programs through ir::ProgramBuilder, text::parse or wire::decode");
}

bool BodyChecker::well_shaped(NodeId id, const Node& node) {
  const std::string_view name = ir::kNodeShapes[node.kind].name;
  if (seen_node_[ir::index(id)]) {
    malformed(code_.span(id), fmt::format("a {} statement stands in two places", name));
    return false;
  }
  seen_node_[ir::index(id)] = true;
  if (node.malformed) {
    malformed(code_.span(id), fmt::format("a {} statement with parts that it does not have", name));
    return false;
  }
  const ir::NodeShape& shape = ir::kNodeShapes[node.kind];
  // V033 is the better message for too many or too few indices of a store, as long as there is a value.
  if (node.args.count < shape.operands || (!shape.any_number && node.args.count > shape.operands)) {
    malformed(code_.span(id), fmt::format("a {} statement with {} operands", name, node.args.count));
    return false;
  }
  if (shape.body && node.body == ir::kNoBlock) {
    malformed(code_.span(id), fmt::format("a {} statement without its block", name));
    return false;
  }
  if ((!shape.body && node.body != ir::kNoBlock) || (!shape.orelse && node.orelse != ir::kNoBlock) ||
      (!shape.symbol && node.symbol != ir::kNoSymbol)) {
    malformed(code_.span(id), fmt::format("a {} statement with a name or block that it does not have", name));
    return false;
  }
  return true;
}

void BodyChecker::statement(NodeId id, uint32_t depth) {
  const Node node = code_[id];
  if (!well_shaped(id, node)) return;
  ++visited_;
  statement_ = id;
  const uint32_t scope = uint32_t(scope_.size());
  switch (node.kind) {
    case NodeKind::Let: return let(id, node);
    case NodeKind::Assign: return assign(id, node);
    case NodeKind::Store: return store(id, node);
    case NodeKind::If:
      expression(code_.arg(node, 0));
      check_condition(code_.arg(node, 0));
      if (node.orelse != ir::kNoBlock) enter(node.orelse, depth + 1, scope, code_.span(id));
      return enter(node.body, depth + 1, scope, code_.span(id));
    case NodeKind::Loop:
      for (const ExprId bound : code_.args(node)) {
        const DataType found = expression(bound);
        if (found != DataType::U32 && found != kUnknownType) {
          report_.add(DiagCode::V015, code_.span(bound),
                      fmt::format("a loop bound is u32; this is {}", spec::text(found)),
                      fmt::format("write {}", conversion(bound, DataType::U32)));
        }
      }
      result_.resolution.node_target[ir::index(id)] =
          declare(node.symbol, DataType::U32, Variable::Kind::Loop, code_.span(id));
      return enter(node.body, depth + 1, scope, code_.span(id));
    case NodeKind::Return: return not_in_function(code_.span(id), "return");
    case NodeKind::Block: return enter(node.body, depth + 1, scope, code_.span(id));
    case NodeKind::Barrier: result_.has_barrier = true; return not_in_function(code_.span(id), "a barrier");
  }
}

void BodyChecker::not_in_function(Span span, std::string_view what) {
  if (input_.function == nullptr) return;
  report_.add(DiagCode::V037, span,
              fmt::format("{} in the body of operation {}", what, quoted(input_.function->id)),
              "an operation computes its result from its parameters alone");
}

void BodyChecker::let(NodeId id, const Node& node) {
  const DataType type = expression(code_.arg(node, 0));
  result_.resolution.node_target[ir::index(id)] =
      declare(node.symbol, type, Variable::Kind::Let, code_.span(id));
}

void BodyChecker::assign(NodeId id, const Node& node) {
  const DataType found = expression(code_.arg(node, 0));
  const Span span = code_.span(id);
  const Binding binding = node.symbol == ir::kNoSymbol ? Binding{} : visible_[ir::index(node.symbol)];
  const auto shown = [&] { return quoted(code_.name(node.symbol)); };
  switch (binding.kind) {
    case Binding::Kind::None: return unknown_name(node.symbol, span, "variable");
    case Binding::Kind::Buffer:
      report_
          .add(DiagCode::V004, span, fmt::format("{} is a buffer and cannot be assigned as a whole", shown()),
               fmt::format("store one element: {}[index] = value;", code_.name(node.symbol).substr(0, 60)))
          .notes.push_back({declared_at(binding), fmt::format("{} was declared here", shown())});
      return;
    case Binding::Kind::Constant:
      report_
          .add(DiagCode::V011, span, fmt::format("{} is a constant and cannot be assigned", shown()),
               "copy it to a variable of its own with let")
          .notes.push_back({declared_at(binding), fmt::format("{} was declared here", shown())});
      return;
    case Binding::Kind::Variable: break;
  }
  result_.resolution.node_target[ir::index(id)] = binding.index;
  Variable& variable = result_.resolution.variables[binding.index];
  variable.assigned = true;
  const auto wrong = [&](DiagCode code, std::string message, std::string help) {
    report_.add(code, span, std::move(message), std::move(help))
        .notes.push_back({declared_at(binding), fmt::format("{} was declared here", shown())});
  };
  switch (variable.kind) {
    case Variable::Kind::Let: break;
    case Variable::Kind::Loop:
      return wrong(DiagCode::V011, fmt::format("{} is a loop variable and cannot be assigned", shown()),
                   "copy it to a variable of its own with let");
    case Variable::Kind::Parameter:
      return wrong(DiagCode::V011, fmt::format("{} is a parameter and cannot be assigned", shown()),
                   "copy it to a variable of its own with let");
  }
  if (found != variable.type && found != kUnknownType && variable.type != kUnknownType) {
    wrong(DiagCode::V012,
          fmt::format("{} is {}; this value is {}", shown(), spec::text(variable.type), spec::text(found)),
          fmt::format("write {}", conversion(code_.arg(node, 0), variable.type)));
  }
}

void BodyChecker::store(NodeId id, const Node& node) {
  const auto operands = code_.args(node);
  for (const ExprId operand : operands) expression(operand);
  const Span span = code_.span(id);
  if (input_.function != nullptr) return not_in_function(span, "a store");
  const uint32_t target = find_buffer(node.symbol, span);
  check_indices(operands.first(operands.size() - 1), target, span);
  if (target == kNoTarget) return;
  result_.resolution.node_target[ir::index(id)] = target;
  const ir::BufferDecl& buffer = input_.buffers[target];
  const auto shown = [&] { return quoted(code_.name(buffer.name)); };
  if (!spec::is_writable(buffer.access)) {
    report_
        .add(DiagCode::V006, span,
             fmt::format("{} is a {} buffer and cannot be stored to", shown(), spec::text(buffer.access)),
             "declare it read_write")
        .notes.push_back({buffer.span, fmt::format("{} was declared here", shown())});
  }
  if (!buffer_usable_[target]) return;
  const DataType wanted = element_type(target), found = type(operands.back());
  if (found != wanted && found != kUnknownType) {
    report_
        .add(DiagCode::V032, code_.span(operands.back()),
             fmt::format("an element of {} is {}; this value is {}", shown(), spec::text(wanted),
                         spec::text(found)),
             fmt::format("write {}", conversion(operands.back(), wanted)))
        .notes.push_back({buffer.span, fmt::format("{} was declared here", shown())});
  }
}

}  // namespace vyre::check
