// The parser of files: constants, operations, programs, pipelines and graphs, in any order.
//
// An item is visible in the whole file, so the values of constants are collected before anything is parsed,
// and what a sign such as `+` means, which may hang on the result of an operation further below, is decided
// when all is read. The words that begin and join items are keywords only where they stand here.
#include <algorithm>
#include <array>

#include "spec/operation.h"
#include "text/graphs.h"
#include "text/operand_types.h"
#include "text/text.h"

namespace vyre::text {
namespace {

using ir::Command;
using ir::CommandKind;

/// Items of a file. `program` is a keyword everywhere; the others are words.
constexpr auto kItems =
    std::to_array<std::string_view>({"const", "operation", "program", "pipeline", "graph"});
constexpr const char* kItemForms =
    "a file is made of items: program name(...) workgroup(x, y, z) {...}, pipeline name(...) {...}, "
    "graph name(x: f32[n]) -> (y: f32[n]) {...}, operation my.name(a: u32) -> u32 { return a; } and const N "
    "= 3;";
constexpr auto kCommands =
    std::to_array<std::string_view>({"scratch", "let", "dispatch", "run", "for", "repeat", "if"});

class ModuleParser final : GraphParser {
 public:
  ModuleParser(std::string_view text, const spec::OpTable* ops, const Constants& chosen, bool one_program)
      : GraphParser(text, ops), chosen_(chosen), one_program_(one_program) {}

  Result<ir::Module> run() {
    if (text_.size() >= UINT32_MAX) {
      return std::unexpected(make_diag(DiagCode::V024, {0, 0}, "a text of 4 GiB or more",
                                       "split the program; a program has at most 4,194,304 nodes"));
    }
    if (text_.contains("const")) collect_constants();
    if (!parse_file() || !check_called(module_.graphs)) return std::unexpected(std::move(*error_));
    resolve_signs();
    return std::move(module_);
  }

 private:
  // Constants are known before they are declared.

  void collect_constants() {
    Lexer lexer(text_);
    const auto next = [&] {
      Token token;
      do token = lexer.next();
      while (token.kind == TokenKind::Comment);
      return token;
    };
    uint32_t depth = 0;
    bool at_item = true;  // at the first token of an item
    for (Token token = next(); token.kind != TokenKind::End && token.kind != TokenKind::Invalid;
         token = next()) {
      const bool is_const = at_item && token.kind == TokenKind::Word && lexer.text(token) == "const";
      at_item = false;
      if (is_const) {
        const Token name = next(), equal = next(), number = next();
        // What is wrong with it is said where it is parsed.
        if (number.kind == TokenKind::End || number.kind == TokenKind::Invalid) return;
        if (equal.kind != TokenKind::Equal || number.kind != TokenKind::Number) continue;
        const auto chosen = chosen_.find(lexer.text(name));
        constants_.try_emplace(lexer.text(name), chosen != chosen_.end()
                                                     ? chosen->second
                                                     : uint32_t(read_number(lexer.text(number)).magnitude));
      } else if (token.kind == TokenKind::OpenBrace) {
        ++depth;
      } else if (token.kind == TokenKind::CloseBrace) {
        depth -= depth > 0 ? 1 : 0;
        at_item = depth == 0;
      } else if (token.kind == TokenKind::Semicolon) {
        at_item = depth == 0;
      }
    }
  }

  // Items.

  bool parse_file() {
    advance();
    if (at(TokenKind::End)) {
      return fail(DiagCode::P015, {0, 0}, "there is no program in this file",
                  "write one: program name(read a: u32 @0) workgroup(64, 1, 1) { }");
    }
    do {
      if (!parse_item()) return false;
      program_ = {};
    } while (!at(TokenKind::End));
    if (one_program_ && !module_.is_program()) return fail_token("`program`", kOneProgram);
    return true;
  }

  bool parse_item() {
    const bool has_program = !module_.programs.empty();
    if (at_word("const")) return parse_constant();
    if (at(Keyword::Program) && !(one_program_ && has_program)) {
      if (!parse_program()) return false;
      module_.program_spans.push_back(name_span_);
      if (!signs_.empty()) signs_of_programs_.emplace_back(module_.programs.size(), std::move(signs_));
      signs_.clear();
      module_.programs.push_back(std::move(program_));
      return true;
    }
    if (!one_program_ && at_word("operation")) return parse_operation();
    if (!one_program_ && at_word("pipeline")) return parse_pipeline();
    if (!one_program_ && at_word("graph")) {
      if (!parse_graph(module_.graphs.emplace_back())) return false;
      signs_of_graphs_.push_back(std::move(signs_));
      signs_.clear();
      return true;
    }
    return fail_item(has_program);
  }

  bool fail_item(bool has_program) {
    if (at(TokenKind::Invalid)) return fail_token("an item");
    if (one_program_ && !has_program) return fail_token("`program`", kOneProgram);
    const bool first = module_.programs.empty() && module_.operations.empty() && module_.pipelines.empty() &&
                       module_.graphs.empty() && module_.constants.empty();
    NearestName nearest(spelling());
    for (const std::string_view item : kItems) nearest.consider(item);
    if (first) {
      return fail_token("`program`, `pipeline`, `graph`, `operation` or `const`",
                        nearest.help_or(kItemForms));
    }
    return fail(
        DiagCode::P016, token_.span(),
        fmt::format("{} after the end of the {}", describe_token(), one_program_ ? "program" : "item"),
        one_program_ ? "one program is wanted here; look for a `}` too many"
        : at(TokenKind::Word)
            ? nearest.help_or(fmt::format("look for a `}}` too many; {}", kItemForms))
            : "an item begins with const, operation, program, pipeline or graph; look for a `}` too many");
  }

  bool parse_constant() {
    advance();
    ir::Constant constant;
    if (!at_name()) return fail_name("the name of a constant");
    constant.name = spelling();
    constant.span = token_.span();
    advance();
    if (!expect(TokenKind::Equal, "`=` and a number",
                at(TokenKind::Colon) ? fmt::format("a constant has no type: const {} = 3;", constant.name)
                                     : "")) {
      return false;
    }
    if (!expect_integer("the value of a constant", constant.written)) return false;
    if (at(Keyword::In)) {
      advance();
      if (!expect(TokenKind::OpenBrace, "`{` and the values it may take")) return false;
      if (!parse_list(
              [&] { return expect_integer("a value of a constant", constant.allowed.emplace_back()); }) ||
          !expect(TokenKind::CloseBrace, "`,` or `}`")) {
        return false;
      }
    }
    const auto chosen = chosen_.find(constant.name);
    constant.value = chosen == chosen_.end() ? constant.written : chosen->second;
    module_.constants.push_back(std::move(constant));
    return expect_semicolon();
  }

  // Operations.

  bool parse_operation() {
    advance();
    ir::Operation operation;
    hides_group_counts_.reset();
    operation.span.begin = token_.begin;
    if (!parse_id("the id of an operation", operation.function.id)) return false;
    if (!parse_version(operation.version)) return false;
    operation.span.end = previous_end_;
    if (!expect(TokenKind::OpenParen, "`(` and the parameters")) return false;
    if (!parse_list([&] { return parse_parameter(operation.function.parameters.emplace_back()); }))
      return false;
    if (!expect(TokenKind::CloseParen, "`,` or `)`")) return false;
    if (!expect(TokenKind::MinusGreater, "`->` and the type of the result")) return false;
    if (!expect_flat_type(operation.function.result_type)) return false;
    const auto clause = [&](std::string_view word, const auto& one) {
      return !take_word(word) || parse_list(one);
    };
    return clause("claims", [&] { return parse_law(operation.claims.emplace_back()); }) &&
           clause("denies", [&] { return parse_denial(operation.denials.emplace_back()); }) &&
           clause("rows", [&] { return parse_row(operation.rows.emplace_back()); }) &&
           parse_operation_body(operation);
  }

  bool parse_parameter(ir::Function::Parameter& parameter) {
    parameter.span.begin = token_.begin;
    if (!expect_name("the name of a parameter", parameter.name, "a parameter is written a: u32") ||
        !expect(TokenKind::Colon, "`:` and a type") || !expect_flat_type(parameter.type)) {
      return false;
    }
    declare(parameter.name);
    parameter.span.end = previous_end_;
    return true;
  }

  bool parse_operation_body(ir::Operation& operation) {
    if (!at(TokenKind::OpenBrace)) return fail_token("`claims`, `denies`, `rows` or `{`", kOrderOfClauses);
    in_operation_ = true;
    result_.reset();
    if (!parse_body()) return false;
    in_operation_ = false;
    operation.function.code = std::move(program_.code);
    operation.function.body = program_.entry;
    operation.function.result = *result_;
    if (!signs_.empty()) signs_of_operations_.emplace_back(module_.operations.size(), std::move(signs_));
    signs_.clear();
    module_.operations.push_back(std::move(operation));
    return true;
  }

  bool parse_law(ir::LawText& law) {
    law.span.begin = token_.begin;
    if (!at_name()) return fail_name("a law");
    law.name = spelling();
    advance();
    if (take(TokenKind::OpenParen) &&
        !(parse_list([&] { return parse_law_argument(law.arguments.emplace_back()); }) &&
          expect(TokenKind::CloseParen, "`,` or `)`"))) {
      return false;
    }
    law.span.end = previous_end_;
    return true;
  }

  bool parse_law_argument(ir::LawText::Argument& argument) {
    argument.span.begin = token_.begin;
    if (at(TokenKind::Number)) {
      const Number number = read_number(spelling());
      if (!number.malformed.empty()) return fail_malformed(number);
      if (number.suffixed || number.is_float) {
        return fail(DiagCode::P002, token_.span(),
                    fmt::format("expected the bits of a value, found `{}`", shorten(spelling())),
                    "a law names a value by its bits: a plain number without a suffix");
      }
      if (number.overflow) {
        return fail(DiagCode::P005, token_.span(), "more than 128 bits", "a value has at most 128 bits");
      }
      for (size_t i = 0; i < 4; ++i) argument.bits[i] = uint32_t(number.magnitude >> 32 * i);
      advance();
    } else {
      if (!at(TokenKind::Word)) return fail_token("the bits of a value, or the id of an operation");
      if (!parse_id("the id of an operation", argument.operation) || !parse_version(argument.version))
        return false;
    }
    argument.span.end = previous_end_;
    return true;
  }

  bool parse_denial(ir::DenialText& denial) {
    if (!parse_law(denial.law)) return false;
    if (!take_word("by")) return fail_token("`by` and values that refute the law");
    denial.span.begin = token_.begin;
    if (!parse_tuple(denial.witness)) return false;
    denial.span.end = previous_end_;
    return true;
  }

  bool parse_row(ir::Row& row) {
    row.span.begin = token_.begin;
    if (!parse_tuple(row.operands)) return false;
    if (!expect(TokenKind::EqualGreater, "`=>` and the result")) return false;
    if (!parse_value(row.expected)) return false;
    row.span.end = previous_end_;
    return true;
  }

  bool parse_tuple(std::vector<ir::Value>& values) {
    return expect(TokenKind::OpenParen, "`(` and values") &&
           parse_list([&] { return parse_value(values.emplace_back()); }) &&
           expect(TokenKind::CloseParen, "`,` or `)`");
  }

  /// A literal, or a vector of them. It is read as an expression, in a code of its own where no constant has
  /// a name.
  bool parse_value(ir::Value& out) {
    ir::Code outer;
    std::map<std::string_view, uint32_t> no_constants;
    std::swap(outer, program_.code);
    std::swap(no_constants, constants_);
    Value value;
    const bool parsed = parse_expression(value);
    std::swap(no_constants, constants_);
    std::swap(outer, program_.code);
    signs_.clear();
    if (!parsed) return false;
    const ir::Expr& e = outer[value.id];
    out.span = value.outer;
    const auto is_number = [&](ExprId id) {
      return outer[id].kind == ExprKind::Literal && outer[id].type == DataType::U32;
    };
    if (e.kind == ExprKind::Literal) {
      out.type = e.type;
      out.bits = outer.literal_bits(e);
      return true;
    }
    const bool vector = e.kind == ExprKind::Apply && (e.op == Op::MakeVec2U32 || e.op == Op::MakeVec4U32);
    if (!vector || !std::ranges::all_of(outer.args(e), is_number)) {
      return fail(
          DiagCode::P002, value.outer, fmt::format("`{}` is no value", shorten(spelling(value.outer))),
          "a value is a literal, or vec2u32(...) or vec4u32(...) of numbers; no constant stands here");
    }
    out.type = e.op == Op::MakeVec2U32 ? DataType::Vec2U32 : DataType::Vec4U32;
    for (uint32_t i = 0; i < e.args.count; ++i) out.bits[i] = outer[outer.arg(e, i)].immediate;
    return true;
  }

  // Pipelines.

  /// A body of commands that is still open.
  struct OpenBody {
    enum class Kind : uint8_t { Whole, Body, Then, Else, ElseIf };  // ElseIf has no braces of its own
    Kind kind{};
    uint32_t command = 0;  // whose body it is
    Span brace;
  };

  bool parse_pipeline() {
    advance();
    if (!at_name()) return fail_name("the name of a pipeline");
    pipeline_ = {};
    pipeline_.name = spelling();
    pipeline_.span = token_.span();
    advance();
    const auto parameter = [&] {
      const bool own = at(Keyword::Workgroup) || at_word(spec::text(spec::BufferAccess::Private));
      if (!own) return parse_buffer();
      return fail_token(
          "a buffer", fmt::format("a pipeline has no {} memory; scratch name: type[count]; is its own memory",
                                  spelling()));
    };
    if (!parse_buffers(parameter) || !expect(TokenKind::CloseParen, "`,` or `)`")) return false;
    in_pipeline_ = true;
    if (!parse_commands()) return false;
    in_pipeline_ = false;
    signs_.clear();  // of integers all
    pipeline_.buffers = std::move(program_.buffers);
    pipeline_.tensors = std::move(program_.tensors);
    pipeline_.code = std::move(program_.code);
    module_.pipelines.push_back(std::move(pipeline_));
    return true;
  }

  bool parse_commands() {
    bodies_.clear();
    if (!open_body(OpenBody::Kind::Whole, 0)) return false;
    while (!bodies_.empty()) {
      if (at(TokenKind::CloseBrace)) {
        if (!close_body()) return false;
      } else if (!parse_command()) {
        return false;
      }
    }
    return true;
  }

  bool open_body(OpenBody::Kind kind, uint32_t command) {
    bodies_.push_back({kind, command, token_.span()});
    const bool of_command = kind != OpenBody::Kind::Whole;
    if (expect(TokenKind::OpenBrace, "`{`", of_command && at(TokenKind::Word) ? kCommandBraces : ""))
      return true;
    bodies_.pop_back();
    return false;
  }

  bool close_body() {
    advance();
    const OpenBody body = bodies_.back();
    bodies_.pop_back();
    const uint32_t here = uint32_t(pipeline_.commands.size());
    switch (body.kind) {
      case OpenBody::Kind::Whole: return true;
      case OpenBody::Kind::Body:
        pipeline_.commands[body.command].orelse = pipeline_.commands[body.command].end = here;
        return true;
      case OpenBody::Kind::Then:
        pipeline_.commands[body.command].orelse = here;
        if (!at(Keyword::Else)) return finish_if(body.command);
        advance();
        pipeline_.commands[body.command].has_else = true;
        if (!at(Keyword::If)) return open_body(OpenBody::Kind::Else, body.command);
        bodies_.push_back({OpenBody::Kind::ElseIf, body.command, token_.span()});
        return parse_host_if();
      case OpenBody::Kind::Else: return finish_if(body.command);
      case OpenBody::Kind::ElseIf: break;  // closed by finish_if
    }
    return true;
  }

  /// Ends an `if`, and with it every `if` in whose else-branch it is the last word.
  bool finish_if(uint32_t command) {
    const uint32_t here = uint32_t(pipeline_.commands.size());
    pipeline_.commands[command].end = here;
    while (!bodies_.empty() && bodies_.back().kind == OpenBody::Kind::ElseIf) {
      pipeline_.commands[bodies_.back().command].end = here;
      bodies_.pop_back();
    }
    return true;
  }

  bool parse_command() {
    if (at(Keyword::Let)) return parse_host_let();
    if (at(Keyword::If)) return parse_host_if();
    if (at(Keyword::For)) return parse_host_for();
    if (at_word("scratch")) return parse_scratch();
    if (at_word("dispatch")) return parse_dispatch();
    if (at_word("run")) return parse_run();
    if (at_word("repeat")) return parse_repeat();
    if (at(TokenKind::End) || at(TokenKind::Invalid)) return fail_command();
    if (at(Keyword::Barrier) || at(Keyword::Return))
      return fail_token("a command", "it stands in programs; a pipeline dispatches them");
    return fail_command();
  }

  bool fail_command() {
    if (at(TokenKind::End)) {
      fail(DiagCode::P003, {previous_end_, previous_end_}, "the file ends inside a pipeline");
      error_->notes.push_back({bodies_.back().brace, "this block is still open"});
      return false;
    }
    if (!at(TokenKind::Word)) return fail_token("a command or `}`");
    NearestName nearest(spelling());
    for (const std::string_view command : kCommands) nearest.consider(command);
    if (const std::string foreign(foreign_help(spelling(), in_pipeline_)); !foreign.empty())
      return fail_token("a command or `}`", foreign);
    Lexer ahead = lexer_;
    if (at_name() && !nearest.found() && ahead.next().kind == TokenKind::OpenParen) {
      return fail_token("a command or `}`",
                        fmt::format("a program is given to dispatch {0}(...) groups(...); and a pipeline to "
                                    "run {0}(...);",
                                    shorten(spelling())));
    }
    return fail_token(
        "a command or `}`",
        nearest.help_or("a pipeline has scratch, let, dispatch, run, for, repeat and if; host names "
                        "are not assigned, and buffers are written by programs"));
  }

  bool add_command(Command command, std::span<const ExprId> roots) {
    auto& list = program_.code.expr_list;
    command.exprs = {uint32_t(list.size()), uint32_t(roots.size())};
    list.insert(list.end(), roots.begin(), roots.end());
    command.orelse = command.end = uint32_t(pipeline_.commands.size()) + 1;
    pipeline_.commands.push_back(command);
    if (program_.code.exprs.size() + pipeline_.commands.size() <= spec::kMaxNodes) return true;
    return fail(DiagCode::V024, command.span,
                fmt::format("the pipeline has more than {} nodes", spec::kMaxNodes),
                "split it into several pipelines");
  }

  bool parse_scratch() {
    Command command = {.kind = CommandKind::Scratch, .span = token_.span()};
    if (bodies_.size() > 1) {
      return fail_token(
          "a command",
          "scratch stands at the top level of a pipeline's body, since it lives as long as the run");
    }
    advance();
    if (!expect_name("the name of a buffer", command.symbol)) return false;
    command.span.end = previous_end_;
    if (!expect(TokenKind::Colon, "`:` and a type") || !expect_flat_type(command.type)) return false;
    if (!expect(TokenKind::OpenBracket, "`[` and the number of elements")) return false;
    Value count;
    return parse_expression(count) && expect(TokenKind::CloseBracket, "an operator or `]`") &&
           expect_semicolon() && add_command(command, {{count.id}});
  }

  bool parse_host_let() {
    Command command = {.kind = CommandKind::Let, .span = token_.span()};
    advance();
    if (!expect_name("a host name", command.symbol)) return false;
    command.span.end = previous_end_;
    Value value;
    return expect(TokenKind::Equal, "`=` and the value") && parse_expression(value) && expect_semicolon() &&
           add_command(command, {{value.id}});
  }

  bool parse_host_if() {
    Command command = {.kind = CommandKind::If, .span = token_.span()};
    advance();
    ExprId condition{};
    if (!parse_condition(condition)) return false;
    const uint32_t number = uint32_t(pipeline_.commands.size());
    return add_command(command, {{condition}}) && open_body(OpenBody::Kind::Then, number);
  }

  bool parse_host_for() {
    Command command = {.kind = CommandKind::Loop, .span = token_.span()};
    std::array<ExprId, 2> bounds{};
    const std::string help(foreign_help("loop", /*in_pipeline=*/true));
    if (!parse_rounds(help, command.symbol, command.span, bounds)) return false;
    const uint32_t number = uint32_t(pipeline_.commands.size());
    return add_command(command, bounds) && open_body(OpenBody::Kind::Body, number);
  }

  /// repeat n while (flag[0]) { ... }
  bool parse_repeat() {
    constexpr std::string_view kForm = foreign_help("loop", /*in_pipeline=*/true);
    Command command = {.kind = CommandKind::Repeat, .span = token_.span()};
    advance();
    // A constant may have the name `while`; it is no function, so a parenthesis behind the word ends the
    // doubt.
    if (at_word("while") && is_before(TokenKind::OpenParen))
      return fail_token("how often at most", std::string(kForm));
    Value count, at_index;
    if (!parse_expression(count)) return false;
    if (!take_word("while")) return fail_token("`while`", std::string(kForm));
    if (!expect(TokenKind::OpenParen, "`(` and an element of a buffer", std::string(kForm)) ||
        !expect_name("the name of a buffer", command.symbol) ||
        !expect(TokenKind::OpenBracket, "`[` and an index", std::string(kForm)) ||
        !parse_expression(at_index) || !expect(TokenKind::CloseBracket, "an operator or `]`") ||
        !expect(TokenKind::CloseParen, "`)`")) {
      return false;
    }
    command.span.end = previous_end_;
    const uint32_t number = uint32_t(pipeline_.commands.size());
    return add_command(command, {{count.id, at_index.id}}) && open_body(OpenBody::Kind::Body, number);
  }

  bool parse_dispatch() {
    Command command = {.kind = CommandKind::Dispatch, .span = token_.span()};
    advance();
    if (!expect_name("the name of a program", command.symbol)) return false;
    command.span.end = previous_end_;
    if (!parse_arguments(command)) return false;
    if (!take_word("groups"))
      return fail_token("`groups` and how many", "write groups(x), groups(x, y) or groups(x, y, z)");
    if (!expect(TokenKind::OpenParen, "`(` and the number of groups")) return false;
    std::vector<ExprId> groups;
    do {
      if (groups.size() == 3) return fail_token("`)`", "there are three axes");
      Value value;
      if (!parse_expression(value)) return false;
      groups.push_back(value.id);
    } while (take(TokenKind::Comma));
    return expect(TokenKind::CloseParen, "an operator, `,` or `)`") && expect_semicolon() &&
           add_command(command, groups);
  }

  bool parse_run() {
    Command command = {.kind = CommandKind::Run, .span = token_.span()};
    advance();
    if (!at_name()) return fail_name("the name of a pipeline");
    std::string id(spelling());
    advance();
    if (at(TokenKind::Dot)) {
      command.version = 1;
      if (!parse_points(id, "a word after the point") || !parse_version(command.version)) return false;
    }
    command.symbol = program_.code.intern(id);
    command.span.end = previous_end_;
    return parse_arguments(command) && expect_semicolon() && add_command(command, {});
  }

  bool parse_arguments(Command& command) {
    std::vector<ir::Argument> arguments;
    if (!parse_buffers([&] { return parse_argument(arguments.emplace_back()); })) return false;
    if (!expect(TokenKind::CloseParen, "`,` or `)`",
                at(TokenKind::Colon) ? "a buffer is given with `=`: parameter = buffer" : "")) {
      return false;
    }
    command.arguments = {uint32_t(pipeline_.arguments.size()), uint32_t(arguments.size())};
    pipeline_.arguments.insert(pipeline_.arguments.end(), arguments.begin(), arguments.end());
    return true;
  }

  /// `x`, `x = y` or `x = [1, 2]`.
  bool parse_argument(ir::Argument& argument) {
    argument.span.begin = token_.begin;
    if (!expect_name("the name of a buffer", argument.parameter)) return false;
    argument.buffer = argument.parameter;
    if (take(TokenKind::Equal)) {
      if (take(TokenKind::OpenBracket)) {
        argument.buffer = ir::kNoSymbol;
        std::vector<ExprId> words;
        if (!parse_expressions(words) || !expect(TokenKind::CloseBracket, "an operator, `,` or `]`"))
          return false;
        auto& list = program_.code.expr_list;
        argument.words = {uint32_t(list.size()), uint32_t(words.size())};
        list.insert(list.end(), words.begin(), words.end());
      } else if (!at_name()) {
        return fail_token("a buffer, or a list of words such as [n, 1]");
      } else if (!expect_name("the name of a buffer", argument.buffer)) {
        return false;
      }
    }
    argument.span.end = previous_end_;
    return true;
  }

  // Signs.

  static void resolve(ir::Code& code, const TypedBody& body, const std::vector<bool>& signs,
                      const spec::OpTable* ops) {
    if (!mentions_floats(body, ops)) return;
    const std::vector<DataType> types = operand_types(body, ops);
    for (size_t i = 0; i < signs.size(); ++i) {
      if (!signs[i]) continue;
      Expr& e = code.exprs[i];
      e.op = ir::meant(e.op, operand_type(code, e, types));
    }
  }

  void resolve_signs() {
    spec::OpTable of_file(ops_);
    for (const ir::Operation& operation : module_.operations) {
      of_file.add({.id = operation.function.id,
                   .version = operation.version,
                   .signature = {{}, operation.function.result_type}});
    }
    const spec::OpTable* ops = module_.operations.empty() ? ops_ : &of_file;
    for (auto& [number, signs] : signs_of_operations_) {
      ir::Function& function = module_.operations[number].function;
      resolve(function.code, function, signs, ops);
    }
    for (auto& [number, signs] : signs_of_programs_) {
      ir::Program& program = module_.programs[number];
      resolve(program.code, program, signs, ops);
    }
    const GraphsByName graphs = by_name(module_.graphs);
    for (size_t i = 0; i < module_.graphs.size(); ++i) {
      ir::Graph& graph = module_.graphs[i];
      resolve(graph.code, {graph, graphs}, signs_of_graphs_[i], ops);
    }
  }

  static constexpr const char* kCommandBraces =
      "a body stands in braces, even one command: if (n > 1) { run name(...); }";
  static constexpr const char* kOneProgram =
      "a file is one program here: program name(...) workgroup(x, y, z) {...}";
  static constexpr const char* kOrderOfClauses =
      "what is said of an operation stands in this order: claims, denies, rows";

  const Constants& chosen_;
  const bool one_program_;
  ir::Module module_;
  ir::Pipeline pipeline_;  // that is being read
  std::vector<OpenBody> bodies_;
  // By the number of the item; those without a sign are left out.
  std::vector<std::pair<size_t, std::vector<bool>>> signs_of_programs_, signs_of_operations_;
  std::vector<std::vector<bool>> signs_of_graphs_;
};

}  // namespace

std::optional<uint32_t> parse_integer(std::string_view text) {
  Lexer lexer(text);
  const Token token = lexer.next();
  if (token.kind != TokenKind::Number || token.end != text.size()) return std::nullopt;
  const Number number = read_number(lexer.text(token));
  if (!number.malformed.empty() || number.suffixed || number.is_float || !literal_bits(number, false))
    return std::nullopt;
  return uint32_t(number.magnitude);
}

Result<ir::Module> parse_module(std::string_view text, const spec::OpTable* ops, const Constants& chosen) {
  return ModuleParser(text, ops, chosen, false).run();
}

Result<ir::Program> parse(std::string_view text, const spec::OpTable* ops) {
  VYRE_TRY(module, ModuleParser(text, ops, {}, true).run());
  return std::move(module.programs.front());
}

}  // namespace vyre::text
