// The printer: programs and modules as canonical text.
//
// It writes the tokens of the program, blank by blank, and leaves the layout to layout.h, which format() uses
// too: printed text is formatted text. Expressions and statements are walked with explicit stacks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "spec/ops.h"
#include "text/layout.h"
#include "text/operand_types.h"
#include "text/operators.h"
#include "text/text.h"

namespace vyre::text {
namespace {

using ir::BlockId;
using ir::Code;
using ir::Expr;
using ir::ExprId;
using ir::ExprKind;
using ir::Node;
using ir::NodeId;
using ir::NodeKind;
using spec::DataType;
using spec::Op;

class Printer {
 public:
  explicit Printer(const TypedBody& body) : body_(body), code_(body.code) {
    if (mentions_floats(body, nullptr)) types_ = operand_types(body, nullptr);
  }

  std::string program(const ir::Program& program) {
    put("program");
    put(program.name);
    print_buffers();
    const auto& size = program.workgroup_size;
    put(fmt::format("workgroup({}, {}, {})", size[0], size[1], size[2]));
    push(program.entry);
    drain();
    return std::move(out_);
  }

  std::string operation(const ir::Operation& operation) {
    put("operation");
    put_id(operation.function.id, operation.version);
    put("(");
    for (size_t i = 0; i < operation.function.parameters.size(); ++i) {
      const auto& parameter = operation.function.parameters[i];
      put(fmt::format("{}{}: {}", i > 0 ? ", " : "", code_.name(parameter.name), spec::text(parameter.type)));
    }
    put(fmt::format(") -> {}", spec::text(operation.function.result_type)));
    print_claims(operation);
    put("{");
    const size_t base = work_.size();
    if (operation.function.body != ir::kNoBlock) push_statements(operation.function.body);
    push("return");
    push(operation.function.result);
    push(";");
    push("}");
    reverse_from(base);
    drain();
    return std::move(out_);
  }

  std::string pipeline(const ir::Pipeline& pipeline) {
    put("pipeline");
    put(pipeline.name);
    print_buffers();
    print_commands(pipeline);
    return std::move(out_);
  }

  std::string graph(const ir::Graph& graph) {
    put("graph");
    put_id(graph.name, graph.version);
    print_decls(graph.parameters);
    put("->");
    print_decls(graph.outputs);
    put("{");
    in_place_ = !ir::misplaced(graph);
    std::vector<bool> is_output(code_.symbols.size());
    for (const ir::TensorDecl& output : graph.outputs) is_output[index(output.name)] = true;
    for (const ir::TensorCommand& command : graph.commands) {
      if (in_place_ && ir::is_nested(graph, command)) continue;
      const bool one = command.names.size() == 1;
      if (!one || !is_output[index(command.names[0])]) put("let");
      for (size_t i = 0; i < command.names.size(); ++i) {
        if (!one) put(i == 0 ? "(" : ",");
        put(code_.name(command.names[i]));
      }
      put(one ? "=" : ") =");
      const size_t base = work_.size();
      push_tensor(command);
      reverse_from(base);
      drain();
      put(";");
    }
    put("}");
    return std::move(out_);
  }

 private:
  /// What is still to be written, the next on top.
  struct Work {
    enum class Kind : uint8_t { Text, Number, Expression, Statement, Block, Else };
    Kind kind{};
    std::string_view text;  // Text
    uint32_t id = 0;        // of the expression, statement or block; the number
  };

  /// The infix or prefix sign of an expression, if it is written with one. The form of its mnemonic is for an
  /// operator whose sign would be read as another one, since the types of its operands are not those it works
  /// on or not known, and for one with another number of operands than its sign has (only a Builder can make
  /// it).
  const InfixOperator* infix_of(const Expr& expr) const {
    if (expr.kind != ExprKind::Apply || expr.args.count != 2) return nullptr;
    const InfixOperator* sign = find_infix(expr.op);
    return sign != nullptr && ir::meant(sign->integer, type_of_operands(expr)) == expr.op ? sign : nullptr;
  }
  const PrefixOperator* prefix_of(const Expr& expr) const {
    if (expr.kind != ExprKind::Apply || expr.args.count != 1) return nullptr;
    const PrefixOperator* sign = find_prefix(expr.op);
    return sign != nullptr && ir::meant(sign->integer, type_of_operands(expr)) == expr.op ? sign : nullptr;
  }
  DataType type_of_operands(const Expr& expr) const {
    return types_.empty() ? kNoType : operand_type(code_, expr, types_);
  }

  void put(std::string_view token) {
    out_ += token;
    out_ += ' ';
  }

  void print_buffers() {
    put("(");
    for (size_t i = 0; i < body_.buffers.size(); ++i) {
      if (i > 0) put(",");
      print_buffer(body_.buffers[i]);
    }
    put(")");
  }

  void print_buffer(const ir::BufferDecl& buffer) {
    put(spec::text(buffer.access));
    put(code_.name(buffer.name));
    put(":");
    put(spec::text(buffer.element));
    if (buffer.element == DataType::Tensor) print_shape(body_.tensors[buffer.tensor]);
    put(spec::is_bound(buffer.access) ? fmt::format("@{}", buffer.binding)
                                      : fmt::format("[{}]", buffer.count));
  }

  /// What follows the word `tensor`.
  void print_shape(const ir::TensorType& tensor) {
    put("<");
    put(spec::text(tensor.element));
    put(", [");
    for (size_t i = 0; i < tensor.dims.size(); ++i) {
      const ir::Dim& dim = tensor.dims[i];
      if (i > 0) put(",");
      put(dim.dynamic()
              ? fmt::format("{} = {}[{}]", code_.name(dim.name), code_.name(dim.buffer), dim.element)
              : fmt::format("{}", dim.size));
    }
    put("]");
    if (!tensor.strides.empty()) put(fmt::format(", strides[{}]", fmt::join(tensor.strides, ", ")));
    put(">");
  }

  /// Writes all that waits.
  void drain() {
    while (!work_.empty()) {
      const Work work = work_.back();
      work_.pop_back();
      switch (work.kind) {
        case Work::Kind::Text: put(work.text); break;
        case Work::Kind::Number: put(fmt::format("{}", work.id)); break;
        case Work::Kind::Expression: print_expression(ExprId{work.id}); break;
        case Work::Kind::Statement: print_statement(NodeId{work.id}); break;
        case Work::Kind::Block: print_block(BlockId{work.id}); break;
        case Work::Kind::Else: print_else(BlockId{work.id}); break;
      }
    }
  }

  // Operations.

  void put_id(std::string_view id, uint32_t version) {
    put(version == 1 ? std::string(id) : fmt::format("{}@{}", id, version));
  }

  void print_claims(const ir::Operation& operation) {
    const auto each = [&](std::string_view word, const auto& list, const auto& print_one) {
      for (size_t i = 0; i < list.size(); ++i) {
        put(i == 0 ? word : ",");
        print_one(list[i]);
      }
    };
    const auto law = [&](const ir::LawText& claim) { print_law(claim); };
    each("claims", operation.claims, law);
    each("denies", operation.denials, [&](const ir::DenialText& denial) {
      law(denial.law);
      put("by");
      print_tuple(denial.witness);
    });
    each("rows", operation.rows, [&](const ir::Row& row) {
      print_tuple(row.operands);
      put("=>");
      put(print_literal(row.expected.type, row.expected.bits));
    });
  }

  void print_law(const ir::LawText& law) {
    put(law.name);
    for (size_t i = 0; i < law.arguments.size(); ++i) {
      const ir::LawText::Argument& argument = law.arguments[i];
      put(i == 0 ? "(" : ",");
      if (argument.operation.empty()) {
        put(constant_text(argument.bits));
      } else {
        put_id(argument.operation, argument.version);
      }
    }
    if (!law.arguments.empty()) put(")");
  }

  /// The bits of a value without a suffix, as numbers of other literals are written.
  static std::string constant_text(const std::array<uint32_t, 4>& bits) {
    std::string out =
        print_literal(bits[1] == 0 && bits[2] == 0 && bits[3] == 0 ? DataType::U32 : DataType::U128, bits);
    if (out.ends_with("u128")) out.resize(out.size() - 4);
    return out;
  }

  void print_tuple(std::span<const ir::Value> values) {
    for (size_t i = 0; i < values.size(); ++i) {
      put(i == 0 ? "(" : ",");
      put(print_literal(values[i].type, values[i].bits));
    }
    put(")");
  }

  // Pipelines.

  void print_host(ExprId id) {
    push(id);
    drain();
  }

  void print_commands(const ir::Pipeline& pipeline) {
    // Of each body that is open: where it ends, and of a then-part the `if`. An else that holds one `if` has
    // no braces.
    struct Open {
      uint32_t end;
      const ir::Command* then_of = nullptr;
      bool braces = true;
    };
    std::vector<Open> open = {{uint32_t(pipeline.commands.size())}};
    put("{");
    const auto close = [&] {
      const Open body = open.back();
      open.pop_back();
      if (body.braces) put("}");
      if (body.then_of == nullptr || !body.then_of->has_else) return;
      put("else");
      const uint32_t first = body.then_of->orelse, end = body.then_of->end;
      const bool else_if = first < end && pipeline.commands[first].kind == ir::CommandKind::If &&
                           pipeline.commands[first].end == end;
      if (!else_if) put("{");
      open.push_back({end, nullptr, !else_if});
    };
    for (uint32_t at = 0; at < pipeline.commands.size(); ++at) {
      while (open.back().end == at) close();
      const ir::Command& command = pipeline.commands[at];
      print_command(pipeline, command);
      if (!ir::has_body(command.kind)) continue;
      put("{");
      const bool branch = command.kind == ir::CommandKind::If;
      open.push_back({branch ? command.orelse : command.end, branch ? &command : nullptr});
    }
    while (!open.empty()) close();
  }

  void print_command(const ir::Pipeline& pipeline, const ir::Command& command) {
    const auto roots = pipeline.exprs(command.exprs);
    const std::string_view name = code_.name(command.symbol);
    switch (command.kind) {
      case ir::CommandKind::Scratch:
        put(fmt::format("scratch {}: {} [", name, spec::text(command.type)));
        print_host(roots[0]);
        return put("] ;");
      case ir::CommandKind::Let:
        put(fmt::format("let {} =", name));
        print_host(roots[0]);
        return put(";");
      case ir::CommandKind::Dispatch:
        put(fmt::format("dispatch {}", name));
        print_arguments(pipeline, command);
        for (size_t i = 0; i < roots.size(); ++i) {
          put(i == 0 ? "groups (" : ",");
          print_host(roots[i]);
        }
        return put(") ;");
      case ir::CommandKind::Run:
        put("run");
        put(command.version > 1 ? fmt::format("{}@{}", name, command.version) : std::string(name));
        print_arguments(pipeline, command);
        return put(";");
      case ir::CommandKind::Loop:
        put(fmt::format("for {} in", name));
        print_host(roots[0]);
        put("..");
        return print_host(roots[1]);
      case ir::CommandKind::Repeat:
        put("repeat");
        print_host(roots[0]);
        put(fmt::format("while ( {} [", name));
        print_host(roots[1]);
        return put("] )");
      case ir::CommandKind::If:
        put("if (");
        print_host(roots[0]);
        return put(")");
    }
  }

  void print_arguments(const ir::Pipeline& pipeline, const ir::Command& command) {
    put("(");
    const auto arguments = pipeline.of(command.arguments);
    for (size_t i = 0; i < arguments.size(); ++i) {
      const ir::Argument& argument = arguments[i];
      if (i > 0) put(",");
      put(code_.name(argument.parameter));
      if (argument.buffer == argument.parameter) continue;
      put("=");
      if (argument.buffer != ir::kNoSymbol) {
        put(code_.name(argument.buffer));
        continue;
      }
      for (uint32_t k = 0; k < argument.words.count; ++k) {
        put(k == 0 ? "[" : ",");
        print_host(code_.expr_list[argument.words.first + k]);
      }
      put("]");
    }
    put(")");
  }

  // Graphs.

  void print_decls(const std::vector<ir::TensorDecl>& decls) {
    put("(");
    for (size_t i = 0; i < decls.size(); ++i) {
      if (i > 0) put(",");
      put(fmt::format("{}: {}[", code_.name(decls[i].name), spec::text(decls[i].element)));
      const size_t base = work_.size();
      push_list(decls[i].sizes);
      reverse_from(base);
      drain();
      put("]");
    }
    put(")");
  }

  /// The command that stands where its name does.
  const ir::TensorCommand* nested(std::string_view name) const {
    if (!in_place_ || !ir::is_nested_name(name)) return nullptr;
    const std::string_view digits = name.substr(1);
    uint32_t number = UINT32_MAX;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const auto& commands = body_.graph->commands;
    return number < commands.size() && ir::is_nested(*body_.graph, commands[number]) ? &commands[number]
                                                                                     : nullptr;
  }

  void push_number(uint32_t number) { work_.push_back({Work::Kind::Number, {}, number}); }
  /// Sizes in brackets, `group` of them an axis: one, from and to, or from, to and step.
  void push_sizes(std::span<const ExprId> sizes, size_t group = 1) {
    push("[");
    for (size_t i = 0; i < sizes.size(); ++i) {
      const bool step = i % group == 2;
      if (step && is_one(sizes[i])) continue;
      if (i > 0) push(i % group == 0 ? "," : step ? "step" : "..");
      push(sizes[i]);
    }
    push("]");
  }
  bool is_one(ExprId id) const {
    const Expr& e = code_[id];
    return e.kind == ExprKind::Literal && e.type == DataType::U32 && e.immediate == 1;
  }

  /// A command without its names.
  void push_tensor(const ir::TensorCommand& command) {
    if (command.op == ir::TensorOp::Value) return push_list(command.operands);
    const auto axis = [&] {
      push(",");
      push_number(command.axes[0]);
    };
    push(ir::info(command.op).text);
    push("(");
    switch (ir::info(command.op).list) {
      case ir::TensorList::Nothing: break;
      case ir::TensorList::Axes:
        push_list(command.operands);
        push(", [");
        for (size_t i = 0; i < command.axes.size(); ++i) {
          if (i > 0) push(",");
          push_number(command.axes[i]);
        }
        push("]");
        break;
      case ir::TensorList::Ranges:
        push_list(command.operands);
        push(",");
        push_sizes(command.sizes, 3);
        break;
      case ir::TensorList::Sizes:
        push_list(command.operands);
        push(",");
        push_sizes(command.sizes);
        break;
      case ir::TensorList::Axis:
        if (ir::any_number(command.op)) {
          push_number(command.axes[0]);
          push(",");
          push_list(command.operands);
        } else {
          push_list(command.operands);
          axis();
        }
        break;
      case ir::TensorList::Pads:
        push(command.operands[0]);
        push(",");
        push_sizes(command.sizes, 2);
        push(",");
        push(command.operands[1]);
        break;
      case ir::TensorList::SizesAxis:
        push_sizes(command.sizes);
        axis();
        break;
      case ir::TensorList::FoldAxis:
        if (const ir::FoldInfo* const fold = ir::find_fold(command.fold)) push(fold->text);
        push(command.order == ir::Order::Strict ? ", strict,"
             : command.order == ir::Order::Tree ? ", tree,"
                                                : ",");
        push_list(command.operands);
        axis();
        break;
      case ir::TensorList::CalleeAxis:
        push(code_.name(command.callee));
        if (command.version != 1) {
          push("@");
          push_number(command.version);
        }
        push(",");
        push_list(command.operands);
        axis();
        break;
      case ir::TensorList::Product:
        push_list(command.operands);
        if (!command.typed) break;
        push(",");
        push(spec::text(command.type));
        if (command.block == ir::kWholeBlock) break;
        push(",");
        push_number(command.block);
        break;
      case ir::TensorList::CountAxis:
        push_list(command.operands);
        push(",");
        push_list(command.sizes);
        axis();
        break;
    }
    push(")");
  }

  // What is to be written later is pushed in the order of the text and then turned around, so that the first
  // of it comes off the stack first.
  void reverse_from(size_t base) { std::reverse(work_.begin() + ptrdiff_t(base), work_.end()); }
  void push(std::string_view text) { work_.push_back({Work::Kind::Text, text}); }
  void push(ExprId id) { work_.push_back({Work::Kind::Expression, {}, index(id)}); }
  void push(BlockId id) { work_.push_back({Work::Kind::Block, {}, index(id)}); }
  void push_operand(ExprId id, bool parentheses) {
    if (parentheses) push("(");
    push(id);
    if (parentheses) push(")");
  }
  void push_list(std::span<const ExprId> ids) {
    for (size_t i = 0; i < ids.size(); ++i) {
      if (i > 0) push(",");
      push(ids[i]);
    }
  }

  void print_block(BlockId id) {
    put("{");
    push("}");
    if (id == ir::kNoBlock) return;
    const size_t base = work_.size();
    push_statements(id);
    reverse_from(base);
  }
  void push_statements(BlockId id) {
    for (const NodeId node : code_.block(id)) work_.push_back({Work::Kind::Statement, {}, index(node)});
  }

  void print_else(BlockId id) {
    put("else");
    const auto block = code_.block(id);
    if (block.size() == 1 && code_[block[0]].kind == NodeKind::If) {
      print_statement(block[0]);
    } else {
      print_block(id);
    }
  }

  void print_statement(NodeId id) {
    const Node& node = code_[id];
    const size_t base = work_.size();
    switch (node.kind) {
      case NodeKind::Let: put("let"); [[fallthrough]];
      case NodeKind::Assign:
        put(code_.name(node.symbol));
        put("=");
        push(code_.arg(node, 0));
        push(";");
        break;
      case NodeKind::Store:
        put(code_.name(node.symbol));
        put("[");
        push_list(code_.args(node).first(node.args.count - 1));
        push("]");
        push("=");
        push(code_.arg(node, node.args.count - 1));
        push(";");
        break;
      case NodeKind::If:
        put("if");
        put("(");
        push(code_.arg(node, 0));
        push(")");
        push(node.body);
        if (node.orelse != ir::kNoBlock) work_.push_back({Work::Kind::Else, {}, index(node.orelse)});
        break;
      case NodeKind::Loop:
        if (node.unroll) put("unroll");
        put("for");
        put(code_.name(node.symbol));
        put("in");
        push(code_.arg(node, 0));
        push("..");
        push(code_.arg(node, 1));
        push(node.body);
        break;
      case NodeKind::Return: put("return ;"); break;
      case NodeKind::Barrier: put("barrier ;"); break;
      case NodeKind::Block: push(node.body); break;
    }
    reverse_from(base);
  }

  void print_expression(ExprId id) {
    const Expr& expr = code_[id];
    const size_t base = work_.size();
    switch (expr.kind) {
      case ExprKind::Literal: put(print_literal(expr.type, code_.literal_bits(expr))); break;
      case ExprKind::Var:
        if (const ir::TensorCommand* const command = nested(code_.name(expr.symbol))) {
          push_tensor(*command);
        } else {
          put(code_.name(expr.symbol));
        }
        break;
      case ExprKind::Load:
        put(code_.name(expr.symbol));
        put("[");
        push_list(code_.args(expr));
        push("]");
        break;
      case ExprKind::BufLen: put(fmt::format("len({})", code_.name(expr.symbol))); break;
      case ExprKind::InvocationId: print_id("invocation_id", expr.immediate); break;
      case ExprKind::WorkgroupId: print_id("workgroup_id", expr.immediate); break;
      case ExprKind::LocalId: print_id("local_id", expr.immediate); break;
      case ExprKind::NumWorkgroups: print_id(ir::kNumWorkgroups, expr.immediate); break;
      case ExprKind::Apply: print_application(expr); break;
    }
    reverse_from(base);
  }

  void print_id(std::string_view name, uint32_t axis) {
    constexpr std::array<std::string_view, 3> kAxes = {"x", "y", "z"};
    // An axis of another number is refused by check; the text says which it is.
    put(axis < 3 ? fmt::format("{}.{}", name, kAxes[axis]) : fmt::format("{}.axis{}", name, axis));
  }

  void print_application(const Expr& expr) {
    if (const InfixOperator* infix = infix_of(expr)) {
      const ExprId left = code_.arg(expr, 0), right = code_.arg(expr, 1);
      push_operand(left, wants_parentheses(*infix, left, false));
      push(infix->text);
      push_operand(right, wants_parentheses(*infix, right, true));
      return;
    }
    if (const PrefixOperator* prefix = prefix_of(expr)) {
      const ExprId operand = code_.arg(expr, 0);
      put(prefix->text);
      push_operand(operand, infix_of(code_[operand]) != nullptr || is_negated_literal(*prefix, operand));
      return;
    }
    std::span<const ExprId> args = code_.args(expr);
    if (expr.op == Op::Component && args.size() == 1) return print_component(expr);
    put_callee(expr);
    put("(");
    if (spec::is_reduction(expr.op)) {
      const auto fold = spec::fold_of(expr.op, expr.immediate);
      // Without one, which check refuses, the text has none either.
      if (fold) put(fmt::format("{},", spec::mnemonic(*fold)));
      put(code_.name(expr.symbol));
      if (fold && expr.op == Op::FReduceApprox) put(fmt::format(",{}", spec::tolerance_of(expr.immediate)));
      if (!args.empty()) push(",");
    }
    if (spec::is_atomic(expr.op) && !args.empty()) {
      put(code_.name(expr.symbol));
      put("[");
      push(args[0]);
      push("]");
      args = args.subspan(1);
      if (!args.empty()) push(",");
    }
    push_list(args);
    push(")");
  }

  void print_component(const Expr& expr) {
    constexpr std::array<std::string_view, 4> kComponents = {"x", "y", "z", "w"};
    const ExprId vector = code_.arg(expr, 0);
    const Expr& operand = code_[vector];
    const bool is_number = operand.kind == ExprKind::Literal && operand.type != DataType::Bool;
    push_operand(vector, is_number || infix_of(operand) != nullptr || prefix_of(operand) != nullptr);
    push(".");
    // A component of another number is refused by check.
    push(expr.immediate < 4 ? kComponents[expr.immediate] : "no_component");
  }

  /// What stands before the parenthesis of an application.
  void put_callee(const Expr& expr) {
    switch (spec::form_of(expr.op)) {
      case spec::Form::Call:
        put(code_.name(expr.symbol));
        if (expr.immediate != 1) put(fmt::format("@{}", expr.immediate));
        break;
      case spec::Form::Cast:
      case spec::Form::Bitcast: {
        const std::string_view mode = spec::text(expr.mode);
        put(fmt::format("{}<{}{}{}>", spec::mnemonic(expr.op), spec::text(expr.type),
                        mode.empty() ? "" : ", ", mode));
        break;
      }
      case spec::Form::Scalar:
      case spec::Form::Select:
      case spec::Form::Atomic:
      case spec::Form::MakeVector:
      case spec::Form::Reduce:
      case spec::Form::Component: put(spec::mnemonic(expr.op)); break;
    }
  }

  bool wants_parentheses(const InfixOperator& outer, ExprId operand, bool right) const {
    const InfixOperator* inner = infix_of(code_[operand]);
    if (inner == nullptr) return false;
    if (must_parenthesise(outer, *inner) || chains(outer, *inner)) return true;
    return right ? inner->precedence <= outer.precedence : inner->precedence < outer.precedence;
  }

  /// A minus directly before an i32 or float literal would be read as a part of it.
  bool is_negated_literal(const PrefixOperator& prefix, ExprId operand) const {
    const Expr& expr = code_[operand];
    return prefix.token == TokenKind::Minus && expr.kind == ExprKind::Literal &&
           (expr.type == DataType::I32 || spec::kFloats.contains(expr.type));
  }

  const TypedBody body_;
  const Code& code_;
  std::vector<DataType> types_;  // of the expressions; empty where floats do not come in
  bool in_place_ = false;        // of a graph: nested commands stand where they are used
  std::string out_;
  std::vector<Work> work_;
};

}  // namespace

namespace {

std::string laid_out(std::string tokens) {
  auto text = lay_out(tokens);
  return text ? std::move(*text) : tokens;
}

}  // namespace

std::string print(const ir::Program& program) { return laid_out(Printer(program).program(program)); }

std::string print(const ir::Module& module) {
  std::string tokens;
  for (const ir::Operation& operation : module.operations)
    tokens += Printer(operation.function).operation(operation) + "\n\n";
  for (const ir::Program& program : module.programs) tokens += Printer(program).program(program) + "\n\n";
  for (const ir::Pipeline& pipeline : module.pipelines)
    tokens += Printer(pipeline).pipeline(pipeline) + "\n\n";
  const GraphsByName graphs = by_name(module.graphs);
  for (const ir::Graph& graph : module.graphs) tokens += Printer({graph, graphs}).graph(graph) + "\n\n";
  return laid_out(std::move(tokens));
}

}  // namespace vyre::text
