// The printer: an ir::Program as canonical text.
//
// It writes the tokens of the program, blank by blank, and leaves the layout to layout.h, which format() uses
// too: printed text is formatted text. Expressions and statements are walked with explicit stacks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
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
  explicit Printer(const ir::Program& program) : program_(program), code_(program.code) {
    if (mentions_floats(program, nullptr)) types_ = operand_types(program, nullptr);
  }

  std::string run() {
    put("program");
    put(program_.name);
    put("(");
    for (size_t i = 0; i < program_.buffers.size(); ++i) {
      if (i > 0) put(",");
      print_buffer(program_.buffers[i]);
    }
    const auto& size = program_.workgroup_size;
    put(fmt::format(") workgroup({}, {}, {})", size[0], size[1], size[2]));
    print_body();
    return std::move(out_);
  }

 private:
  /// What is still to be written, the next on top.
  struct Work {
    enum class Kind : uint8_t { Text, Expression, Statement, Block, Else };
    Kind kind{};
    std::string_view text;  // Text
    uint32_t id = 0;        // of the expression, statement or block
  };

  /// The infix or prefix sign of an expression, if it is written with one. The form of its mnemonic is for an
  /// operator whose sign would be read as another one, since the types of its operands are not those it works
  /// on or not known, and for one with another number of operands than its sign has (only a Builder can make
  /// it).
  const InfixOperator* infix_of(const Expr& expr) const {
    if (expr.kind != ExprKind::Apply || expr.args.count != 2) return nullptr;
    const InfixOperator* sign = find_infix(expr.op);
    return sign != nullptr && meant(*sign, type_of_operands(expr)) == expr.op ? sign : nullptr;
  }
  const PrefixOperator* prefix_of(const Expr& expr) const {
    if (expr.kind != ExprKind::Apply || expr.args.count != 1) return nullptr;
    const PrefixOperator* sign = find_prefix(expr.op);
    return sign != nullptr && meant(*sign, type_of_operands(expr)) == expr.op ? sign : nullptr;
  }
  DataType type_of_operands(const Expr& expr) const {
    return types_.empty() ? kNoType : operand_type(code_, expr, types_);
  }

  void put(std::string_view token) {
    out_ += token;
    out_ += ' ';
  }

  void print_buffer(const ir::BufferDecl& buffer) {
    put(spec::text(buffer.access));
    put(code_.name(buffer.name));
    put(":");
    put(spec::text(buffer.element));
    if (const ir::TensorType* tensor = program_.tensor(buffer)) print_shape(*tensor);
    if (buffer.access == spec::BufferAccess::Workgroup) {
      put(fmt::format("[{}]", buffer.count));
    } else {
      put(fmt::format("@{}", buffer.binding));
    }
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

  void print_body() {
    print_block(program_.entry);
    while (!work_.empty()) {
      const Work work = work_.back();
      work_.pop_back();
      switch (work.kind) {
        case Work::Kind::Text: put(work.text); break;
        case Work::Kind::Expression: print_expression(ExprId{work.id}); break;
        case Work::Kind::Statement: print_statement(NodeId{work.id}); break;
        case Work::Kind::Block: print_block(BlockId{work.id}); break;
        case Work::Kind::Else: print_else(BlockId{work.id}); break;
      }
    }
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
    for (const NodeId node : code_.block(id)) work_.push_back({Work::Kind::Statement, {}, index(node)});
    reverse_from(base);
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
      case ExprKind::Var: put(code_.name(expr.symbol)); break;
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
    switch (spec::info(expr.op).signature) {
      case spec::Signature::Call:
        put(code_.name(expr.symbol));
        if (expr.immediate != 1) put(fmt::format("@{}", expr.immediate));
        break;
      case spec::Signature::Cast:
      case spec::Signature::Bitcast: {
        const std::string_view mode = spec::text(expr.mode);
        put(fmt::format("{}<{}{}{}>", spec::mnemonic(expr.op), spec::text(expr.type),
                        mode.empty() ? "" : ", ", mode));
        break;
      }
      case spec::Signature::T_T:
      case spec::Signature::TT_T:
      case spec::Signature::TTT_T:
      case spec::Signature::TU_T:
      case spec::Signature::T_U:
      case spec::Signature::TT_U:
      case spec::Signature::T_B:
      case spec::Signature::CTT_T:
      case spec::Signature::A_T:
      case spec::Signature::AA_T:
      case spec::Signature::UU_V:
      case spec::Signature::UUUU_V:
      case spec::Signature::Reduce:
      case spec::Signature::V_U: put(spec::mnemonic(expr.op)); break;
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

  const ir::Program& program_;
  const Code& code_;
  std::vector<DataType> types_;  // of the expressions; empty where floats do not come in
  std::string out_;
  std::vector<Work> work_;
};

}  // namespace

std::string print(const ir::Program& program) {
  std::string tokens = Printer(program).run();
  auto text = lay_out(tokens);
  return text ? std::move(*text) : tokens;
}

}  // namespace vyre::text
