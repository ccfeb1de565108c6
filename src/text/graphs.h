// The parser of graphs: parameters and outputs with their sizes, and lets of expressions over tensors.
//
// An expression over tensors is read as any other. An operation on whole tensors, which stands like an
// operator before its parenthesis, becomes a command of its own, and in the expression stands its name
// (ir/graph.h); what it takes beside tensors differs from one to the next, so it is read here. Its tensors
// are expressions again, so this is the one place of the parser that recurses: 64 deep, and no deeper.
#pragma once

#include "text/operand_types.h"
#include "text/parser.h"

namespace vyre::text {

class GraphParser : protected Parser {
 protected:
  using Parser::Parser;
  ~GraphParser() = default;

  /// From `graph` to the end of its body.
  bool parse_graph(ir::Graph& graph) {
    advance();
    graph_ = &graph;
    graph.span.begin = token_.begin;
    if (!at_name()) return fail_name("the name of a graph");
    const Token name = token_;
    graph.name = spelling();
    advance();
    if (spec::find_op(graph.name) || ir::find_tensor_op(graph.name)) {
      return fail(DiagCode::P006, name.span(),
                  fmt::format("`{}` is an operator and cannot be the name of a graph", graph.name),
                  fmt::format("choose another name, such as `{}_`", graph.name));
    }
    if (at(TokenKind::Dot) &&
        (!parse_points(graph.name, "a word after the point") || !parse_version(graph.version))) {
      return false;
    }
    graph.span.end = previous_end_;
    if (!expect(TokenKind::OpenParen, "`(` and the parameters", kForm)) return false;
    if (!at(TokenKind::CloseParen) &&
        !parse_list([&] { return parse_tensor_decl(graph.parameters.emplace_back(), true); })) {
      return false;
    }
    if (!expect(TokenKind::CloseParen, "`,` or `)`") ||
        !expect(TokenKind::MinusGreater, "`->` and the outputs", kForm) ||
        !expect(TokenKind::OpenParen, "`(` and the outputs", kForm) ||
        !parse_list([&] { return parse_tensor_decl(graph.outputs.emplace_back(), false); }) ||
        !expect(TokenKind::CloseParen, "`,` or `)`") || !parse_graph_body()) {
      return false;
    }
    graph.code = std::move(program_.code);
    return true;
  }

  /// Whether what was called by a plain name is a graph of the file.
  bool check_called(std::span<const ir::Graph> graphs) {
    const GraphsByName known = by_name(graphs);
    for (const Span call : called_) {
      const std::string_view name = spelling(call);
      if (known.contains(name)) continue;
      NearestName nearest = nearest_operator(name);
      for (const ir::TensorOpInfo& op : ir::kTensorOps) nearest.consider(op.text);
      for (const ir::Graph& graph : graphs) nearest.consider(graph.name);
      const std::string foreign(foreign_help(name));
      return fail(DiagCode::P009, call, fmt::format("unknown operation `{}`", shorten(name)),
                  !foreign.empty()
                      ? foreign
                      : nearest.help_or("a word before `(` is an operator, an operation on whole "
                                        "tensors (docs/text-format.md, \"Graphs\") or a graph of "
                                        "this file; operations of the library have a point"));
    }
    return true;
  }

 private:
  using TensorOp = ir::TensorOp;

  static constexpr const char* kForm =
      "a graph is written graph name(x: f32[n, 4]) -> (y: f32[n]) { y = ...; }";

  /// By operation: how it is written.
  static constexpr spec::Row<TensorOp, std::string_view> kFormRows[] = {
      {TensorOp::Value, ""},
      {TensorOp::Transpose, "transpose(t, [1, 0])"},
      {TensorOp::Slice, "slice(t, [0..n, 2..4 step 2])"},
      {TensorOp::Broadcast, "broadcast(t, [n, 4])"},
      {TensorOp::Reshape, "reshape(t, [n * 4])"},
      {TensorOp::Concat, "concat(axis, a, b)"},
      {TensorOp::Pad, "pad(t, [1..1, 0..2], value), before and behind on each axis"},
      {TensorOp::Gather, "gather(t, indices, axis)"},
      {TensorOp::ScatterAdd, "scatter_add(t, indices, updates, axis)"},
      {TensorOp::Index, "index([n, 4], axis)"},
      {TensorOp::Reduce, "reduce(fadd, tree, t, axis), or reduce(add, t, axis) of integers"},
      {TensorOp::Scan, "scan(fadd, tree, t, axis), or scan(add, t, axis) of integers"},
      {TensorOp::Recur, "recur(my.operation, init, t, axis)"},
      {TensorOp::Matmul, "matmul(a, b), matmul(a, b, f32) or matmul(a, b, f32, 64)"},
      {TensorOp::Sort, "sort(t, axis)"},
      {TensorOp::Argsort, "argsort(t, axis)"},
      {TensorOp::TopK, "top_k(t, k, axis)"},
      {TensorOp::ArgTopK, "arg_top_k(t, k, axis)"},
  };
  static constexpr spec::TotalTable<kFormRows> kForms;

  ir::Code& code() { return program_.code; }

  // The header.

  bool parse_tensor_decl(ir::TensorDecl& decl, bool parameter) {
    constexpr const char* kDecl = "a tensor is written x: f32[n, 4], and one of no axis x: f32[]";
    decl.span.begin = token_.begin;
    if (!expect_name(parameter ? "the name of a parameter" : "the name of an output", decl.name, kDecl) ||
        !expect(TokenKind::Colon, "`:` and a type", kDecl)) {
      return false;
    }
    const Token type = token_;
    if (!expect_type(decl.element)) return false;
    if (decl.element == DataType::Tensor) {
      return fail(DiagCode::P002, type.span(), "expected the type of the elements, found `tensor`", kDecl);
    }
    if (!expect(TokenKind::OpenBracket, "`[` and the sizes", kDecl)) return false;
    const auto size = [&] {
      Value value;
      if (!parse_size(value)) return false;
      const Expr& e = code()[value.id];
      decl.sizes.push_back(value.id);
      if (!parameter || e.kind == ExprKind::Literal || e.kind == ExprKind::Var) return true;
      return fail(DiagCode::P002, value.outer,
                  fmt::format("`{}` is no size of a parameter", shorten(spelling(value.outer))),
                  "a parameter's sizes are numbers and names of dimensions, which get their values from it");
    };
    if (!at(TokenKind::CloseBracket) && !parse_list(size)) return false;
    if (!expect(TokenKind::CloseBracket, "an operator, `,` or `]`")) return false;
    decl.span.end = previous_end_;
    return true;
  }

  /// A host expression over dimensions.
  bool parse_size(Value& out) {
    const bool outer = std::exchange(in_graph_, false);
    in_sizes_ = true;
    const bool parsed = parse_expression(out);
    in_sizes_ = false;
    in_graph_ = outer;
    return parsed;
  }

  // The body.

  bool parse_graph_body() {
    const Span brace = token_.span();
    if (!expect(TokenKind::OpenBrace, "`{`")) return false;
    outputs_.assign(code().symbols.size(), false);
    for (const ir::TensorDecl& output : graph_->outputs) outputs_[index(output.name)] = true;
    while (!at(TokenKind::CloseBrace)) {
      if (at(TokenKind::End)) {
        fail(DiagCode::P003, {previous_end_, previous_end_}, "the file ends inside a graph");
        error_->notes.push_back({brace, "this block is still open"});
        return false;
      }
      if (!parse_tensor_let()) return false;
    }
    advance();
    return true;
  }

  /// Whether this token is the name of an output.
  bool at_output() {
    if (!at_name()) return false;
    const size_t symbol = index(code().intern(spelling()));
    return symbol < outputs_.size() && outputs_[symbol];
  }

  /// let name = value; let (a, b) = g(x); output = value;
  bool parse_tensor_let() {
    ir::TensorCommand command{.op = TensorOp::Value, .span = token_.span()};
    if (at(Keyword::Let)) {
      advance();
      if (take(TokenKind::OpenParen)) {
        if (!parse_list([&] { return expect_name("the name of a tensor", command.names.emplace_back()); }) ||
            !expect(TokenKind::CloseParen, "`,` or `)`")) {
          return false;
        }
      } else {
        if (at_output()) {
          return fail(DiagCode::P002, token_.span(), fmt::format("`{}` is an output", spelling()),
                      fmt::format("an output gets its value without `let`: {} = ...;", spelling()));
        }
        if (!expect_name("the name of a tensor", command.names.emplace_back())) return false;
      }
    } else if (!at_name()) {
      return fail_token("`let`, an output or `}`",
                        at(TokenKind::Word)
                            ? "a graph is lets of tensors and its outputs; select(c, a, b) decides for each "
                              "element, and scan and recur go along an axis"
                            : "");
    } else if (!at_output()) {
      if (!declares_here()) return fail_token("`let`, an output or `}`");
      NearestName nearest(spelling());
      for (const ir::TensorDecl& output : graph_->outputs) nearest.consider(code().name(output.name));
      return fail(DiagCode::P002, token_.span(), fmt::format("`{}` is no output of this graph", spelling()),
                  nearest.help_or(fmt::format("give a tensor a name with let {} = ...;", spelling())));
    } else {
      command.names.push_back(code().intern(spelling()));
      advance();
    }
    in_graph_ = true;
    Value value;
    const bool parsed = expect(TokenKind::Equal, "`=` and the value") && parse_expression(value);
    in_graph_ = false;
    if (!parsed) return false;
    command.span.end = previous_end_;
    const Expr& root = code()[value.id];
    if (command.names.size() != 1 && (root.kind != ExprKind::Apply || root.op != Op::Call)) {
      return fail(DiagCode::P002, value.outer,
                  fmt::format("`{}` gives one tensor", shorten(spelling(value.outer))),
                  "a call of a graph gives several: let (a, b) = g(x);");
    }
    const bool product = at(TokenKind::At);
    return expect_semicolon(product ? "a product of matrices is written matmul(a, b)" : "") &&
           add_let(std::move(command), value.id);
  }

  /// A let of an operation on whole tensors is that operation's command.
  bool add_let(ir::TensorCommand command, ExprId value) {
    const Expr& root = code()[value];
    const bool tensor = root.kind == ExprKind::Var && ir::is_nested_name(code().name(root.symbol));
    if (!tensor || command.names.size() != 1) {
      command.operands = {value};
      return add_command(std::move(command));
    }
    // Its name in an expression was the last thing that was read.
    code().exprs.pop_back();
    code().expr_spans.pop_back();
    graph_->commands.back().names = std::move(command.names);
    graph_->commands.back().span = command.span;
    return true;
  }

  bool add_command(ir::TensorCommand command) {
    const Span span = command.span;
    graph_->commands.push_back(std::move(command));
    if (code().exprs.size() + graph_->commands.size() <= spec::kMaxNodes) return true;
    return fail(DiagCode::V024, span, fmt::format("the graph has more than {} nodes", spec::kMaxNodes),
                "split it into several graphs");
  }

  // Operations on whole tensors.

  bool parse_tensor(const Token& name, TensorOp op) final {
    if (++nesting_ > ir::kMaxTensorNesting) {
      return fail(DiagCode::V023, name.span(),
                  fmt::format("operations on tensors nest more than {} deep", ir::kMaxTensorNesting),
                  "give one further in a name: let t = ...;");
    }
    ir::TensorCommand command{.op = op, .span = {name.begin, name.end}};
    form_ = kForms[op];
    open_bracket(Pending::Kind::Tensor, {}, name.begin);
    if (!parse_operands(command)) return false;
    form_ = kForms[op];
    if (!expect(TokenKind::CloseParen, "`)`", form())) return false;
    pending_.pop_back();
    --nesting_;
    command.span.end = previous_end_;
    const Symbol symbol = code().intern(ir::nested_name(graph_->commands.size()));
    command.names = {symbol};
    const Span span = command.span;
    return add_command(std::move(command)) &&
           add_expression({.kind = ExprKind::Var, .symbol = symbol}, {}, span);
  }

  std::string help_of_list() const final {
    if (!pending_.empty() && pending_.back().kind == Pending::Kind::Tensor) return form();
    NearestName nearest(pending_.empty() ? std::string_view()
                                         : program_.code.name(pending_.back().expr.symbol));
    for (const ir::TensorOpInfo& op : ir::kTensorOps) nearest.consider(op.text);
    return nearest.help_or("a list stands in an operation on whole tensors: reshape(t, [n, m])");
  }
  std::string form() const { return fmt::format("write {}", form_); }

  bool parse_operands(ir::TensorCommand& command) {
    switch (ir::info(command.op).list) {
      case ir::TensorList::Nothing: return true;
      case ir::TensorList::Axes:
        return parse_tensors(command, 1) && parse_comma("the axes") &&
               parse_bracket("the axes", [&] { return parse_axis(command.axes.emplace_back()); });
      case ir::TensorList::Ranges:
        return parse_tensors(command, 1) && parse_comma("a range for each axis") &&
               parse_bracket("a range for each axis", [&] { return parse_range(command); });
      case ir::TensorList::Sizes:
        return parse_tensors(command, 1) && parse_comma("the sizes") && parse_sizes(command);
      case ir::TensorList::Axis:
        if (!ir::any_number(command.op)) {
          return parse_tensors(command, ir::least_operands(command.op)) && parse_last_axis(command);
        }
        if (!parse_axis(command.axes.emplace_back()) || !parse_comma("a tensor")) return false;
        do {
          if (!parse_tensor_operand(command)) return false;
        } while (take(TokenKind::Comma));
        return true;
      case ir::TensorList::Pads:
        return parse_tensors(command, 1) && parse_comma("the elements before and behind, for each axis") &&
               parse_bracket("the elements before and behind", [&] { return parse_bounds(command); }) &&
               parse_comma("the value that is put there") && parse_tensor_operand(command);
      case ir::TensorList::SizesAxis: return parse_sizes(command) && parse_last_axis(command);
      case ir::TensorList::FoldAxis:
        return parse_fold(command) && parse_tensors(command, 1) && parse_last_axis(command);
      case ir::TensorList::CalleeAxis: return parse_recurrence(command);
      case ir::TensorList::Product: return parse_tensors(command, 2) && parse_product(command);
      case ir::TensorList::CountAxis: {
        Value count;
        if (!parse_tensors(command, 1) || !parse_comma("how many") || !parse_size(count)) return false;
        command.sizes = {count.id};
        return parse_last_axis(command);
      }
    }
    return false;
  }

  bool parse_comma(std::string_view wanted) {
    return expect(TokenKind::Comma, fmt::format("`,` and {}", wanted), form());
  }

  bool parse_tensor_operand(ir::TensorCommand& command) {
    const std::string_view form = form_;
    Value value;
    if (!parse_expression(value)) return false;
    form_ = form;  // one further in had its own
    command.operands.push_back(value.id);
    return true;
  }
  bool parse_tensors(ir::TensorCommand& command, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      if (i > 0 && !parse_comma("a tensor")) return false;
      if (!parse_tensor_operand(command)) return false;
    }
    return true;
  }

  /// A list in brackets, which may be empty.
  template <typename One>
  bool parse_bracket(std::string_view what, const One& one) {
    return expect(TokenKind::OpenBracket, fmt::format("`[` and {}", what), form()) &&
           (at(TokenKind::CloseBracket) || parse_list(one)) &&
           expect(TokenKind::CloseBracket, "an operator, `,` or `]`", form());
  }
  bool parse_sizes(ir::TensorCommand& command) {
    return parse_bracket("the sizes", [&] { return parse_size(command); });
  }
  bool parse_size(ir::TensorCommand& command) {
    Value value;
    if (!parse_size(value)) return false;
    command.sizes.push_back(value.id);
    return true;
  }
  /// from..to
  bool parse_bounds(ir::TensorCommand& command) {
    return parse_size(command) && expect(TokenKind::DotDot, "an operator or `..`", form()) &&
           parse_size(command);
  }
  /// from..to step s
  bool parse_range(ir::TensorCommand& command) {
    if (!parse_bounds(command)) return false;
    if (take_word("step")) return parse_size(command);
    const Span here = {previous_end_, previous_end_};
    command.sizes.push_back(
        code().add({.kind = ExprKind::Literal, .type = DataType::U32, .immediate = 1}, {}, here));
    return true;
  }

  bool parse_axis(uint32_t& axis) {
    if (!at(TokenKind::Minus)) return expect_size("an axis", axis);
    return fail_token("an axis", "axes count from 0, which is the leftmost, and never from the right");
  }
  bool parse_last_axis(ir::TensorCommand& command) {
    return parse_comma("an axis") && parse_axis(command.axes.emplace_back());
  }
  /// Whether an axis and the end of the operation follow.
  bool at_last_axis() const {
    return (at(TokenKind::Number) || (at_name() && constants_.contains(spelling()))) &&
           is_before(TokenKind::CloseParen);
  }

  /// The operator that folds, and the order of floats.
  bool parse_fold(ir::TensorCommand& command) {
    if (!at(TokenKind::Word)) return fail_token("the operator that folds", form());
    const ir::FoldInfo* const fold = ir::find_fold(spelling());
    if (fold == nullptr) {
      return fail(DiagCode::P009, token_.span(),
                  fmt::format("`{}` is no operator to fold with", shorten(spelling())),
                  "fold with fadd, fmul, fmin or fmax, or of integers add, mul, min, max, bit_and, bit_or or "
                  "bit_xor");
    }
    command.fold = fold->op;
    advance();
    if (!parse_comma(fold->ordered ? "the order" : "a tensor")) return false;
    const bool strict = at_word("strict"), tree = at_word("tree");
    if (fold->ordered) {
      if (!strict && !tree) {
        return fail_token(
            "the order `strict` or `tree`",
            "what floats add up to hangs on their order: strict is ascending, tree the balanced "
            "tree; " +
                form());
      }
      command.order = strict ? ir::Order::Strict : ir::Order::Tree;
      advance();
      return parse_comma("a tensor");
    }
    if ((strict || tree) && is_before(TokenKind::Comma)) {
      // A tensor of this name stands before the axis.
      Lexer ahead = lexer_;
      ahead.next();
      const Token next = ahead.next();
      if (next.kind != TokenKind::Number && !constants_.contains(ahead.text(next))) {
        return fail_token("a tensor",
                          "integers have one result in every order, so none is written: reduce(add, "
                          "t, 0)");
      }
    }
    return true;
  }

  /// my.operation, init, t1, ..., axis
  bool parse_recurrence(ir::TensorCommand& command) {
    std::string id;
    if (!parse_id("the id of an operation", id) || !parse_version(command.version)) return false;
    command.callee = code().intern(id);
    while (true) {
      if (!parse_comma(command.operands.size() < 2 ? "a tensor" : "a tensor or an axis")) return false;
      if (at_last_axis() && command.operands.size() >= 2) return parse_axis(command.axes.emplace_back());
      if (!parse_tensor_operand(command)) return false;
    }
  }

  /// The type of the accumulator and the size of a block.
  bool parse_product(ir::TensorCommand& command) {
    if (!take(TokenKind::Comma)) return true;
    command.typed = true;
    if (!at(TokenKind::Word)) return fail_token("the type of the accumulator", form());
    return expect_type(command.type) &&
           (!take(TokenKind::Comma) || expect_size("the size of a block", command.block));
  }

  ir::Graph* graph_ = nullptr;  // that is being read
  std::vector<bool> outputs_;   // by Symbol
  uint32_t nesting_ = 0;        // of operations in each other
  std::string_view form_;       // how the operation at hand is written
};

}  // namespace vyre::text
