// The parser of one item: tokens to statements and expressions in one pass with one token of lookahead.
//
// It reads programs, and is what the parser of files (module.cpp) is made of: operations and pipelines have
// the same statements and expressions. Whatever is read goes to `program_`, whose code becomes that of the
// item.
//
// Nothing recurses on the depth of the input: expressions are read by operator precedence with a stack of
// pending operators and open brackets (parse_expression), statements with a stack of open blocks
// (parse_body). Both append to ir::Code as soon as a construct is complete, which is why operands have
// smaller ids than what they are operands of. The first error ends everything: functions that return bool say
// false when `error_` is set. Source: text-format, "Grammar".
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/names.h"
#include "ir/graph.h"
#include "spec/float_format.h"
#include "spec/limits.h"
#include "spec/operation.h"
#include "spec/ops.h"
#include "text/foreign_words.h"
#include "text/lexer.h"
#include "text/literal.h"
#include "text/operators.h"
#include "text/text.h"

namespace vyre::text {

using ir::BlockId;
using ir::Expr;
using ir::ExprId;
using ir::ExprKind;
using ir::Node;
using ir::NodeId;
using ir::NodeKind;
using ir::Symbol;
using spec::DataType;
using spec::Op;

class Parser {
 protected:
  /// `ops`: the operations that helps may name, or none.
  explicit Parser(std::string_view text, const spec::OpTable* ops) : text_(text), lexer_(text), ops_(ops) {}
  ~Parser() = default;

  /// An operation on whole tensors, whose name was read (graphs.h).
  virtual bool parse_tensor(const Token& name, ir::TensorOp op) = 0;
  /// The help where a list stands in a graph and none should.
  virtual std::string help_of_list() const = 0;

  /// An expression on the value stack. The outer span includes parentheses around it; `infix` is the operator
  /// of an expression that stands without parentheses, for the rules on mixing operators.
  struct Value {
    ExprId id;
    Span outer;
    const InfixOperator* infix = nullptr;
    Span sign;  // where the infix operator stands
  };

  /// What waits for operands: an operator, or a bracket that is still open.
  struct Pending {
    // Tensor: of an operation of a graph, which reads what it takes itself.
    enum class Kind : uint8_t { Prefix, Infix, Paren, Arguments, Index, AtomicIndex, Tensor };
    Kind kind{};
    const InfixOperator* infix = nullptr;  // Infix
    Expr expr;                             // what it will become, but for its operands
    uint32_t begin = 0;                    // where its text begins
    Span token;                            // the operator or the opening bracket
    size_t values = 0;                     // height of the value stack when a bracket opened
  };

  /// A block that is still open.
  struct Open {
    // ElseIf has no braces of its own: it is the else-branch that holds the `if` after `else`.
    enum class Kind : uint8_t { Body, Block, Loop, Then, Else, ElseIf };
    Kind kind{};
    Node node;                         // If, Loop, Block: what it will become
    std::array<ExprId, 2> operands{};  // If: condition; Loop: from, to
    Span span;
    Span brace;
    size_t statements = 0;  // height of the statement stack when it opened
  };

  // Tokens.

  void advance() {
    previous_end_ = token_.end;
    do {
      token_ = lexer_.next();
    } while (token_.kind == TokenKind::Comment);
  }
  bool at(TokenKind kind) const { return token_.kind == kind; }
  bool at(Keyword keyword) const { return token_.kind == TokenKind::Word && token_.keyword == keyword; }
  bool at_word(std::string_view word) const { return at_name() && spelling() == word; }
  bool at_name() const { return token_.kind == TokenKind::Word && token_.keyword == Keyword::None; }
  std::string_view spelling(Span span) const { return text_.substr(span.begin, span.end - span.begin); }
  std::string_view spelling() const { return lexer_.text(token_); }

  std::string describe_token() const {
    if (at(TokenKind::End)) return "the end of the file";
    if (token_.keyword == Keyword::Type) return fmt::format("the type name `{}`", spelling());
    if (token_.keyword != Keyword::None) return fmt::format("the reserved word `{}`", spelling());
    return fmt::format("`{}`", shorten(spelling()));
  }

  /// A piece of the source for a message: on one line and not too long.
  static std::string shorten(std::string_view piece) {
    constexpr size_t kMost = 60;
    std::string out;
    bool space = false;
    for (const char c : piece.substr(0, kMost)) {
      const bool white = c == ' ' || c == '\n' || c == '\t' || c == '\r';
      if (white && !space) out += ' ';
      if (!white) out += c;
      space = white;
    }
    if (piece.size() > kMost) out += "...";
    return out;
  }

  // Errors.

  bool fail(DiagCode code, Span span, std::string message, std::string help = {}) {
    error_ = make_diag(code, span, std::move(message), std::move(help));
    return false;
  }

  /// The help for this token, for the word before it, or for the signs without a blank between them that it
  /// stands in or behind.
  std::string help_of_foreign() const {
    if (at(TokenKind::Word) || at(TokenKind::Number)) {
      std::string_view help = foreign_help(spelling(), in_pipeline_);
      if (help.empty()) help = foreign_help(word_before(previous_end_), in_pipeline_);
      return help.empty() ? help_of_cast() : std::string(help);
    }
    constexpr std::string_view kSigns = "+-*/%&|^<>=?.";
    const bool at_sign = !at(TokenKind::End) && kSigns.contains(text_[token_.begin]);
    size_t begin = at_sign ? token_.begin : previous_end_, end = begin;
    while (begin > 0 && kSigns.contains(text_[begin - 1])) --begin;
    while (end < text_.size() && kSigns.contains(text_[end])) ++end;
    return std::string(foreign_help(text_.substr(begin, end - begin)));
  }

  /// The word that ends at this place, if one does.
  std::string_view word_before(size_t end) const {
    size_t begin = end;
    while (begin > 0 && continues_word(text_[begin - 1])) --begin;
    return text_.substr(begin, end - begin);
  }

  /// The help behind (float), or nothing.
  std::string help_of_cast() const {
    if (previous_end_ < 2 || text_[previous_end_ - 1] != ')') return {};
    const std::string_view type = word_before(previous_end_ - 1);
    const size_t open = previous_end_ - 1 - type.size();
    if (open == 0 || text_[open - 1] != '(' || foreign_type_help(type).empty()) return {};
    return std::string(foreign_help("as"));
  }

  /// The token does not fit here: it is refused by the lexer, or missing, or another one than `wanted`.
  bool fail_token(std::string_view wanted, std::string help = {}) {
    if (help.empty()) help = help_of_foreign();
    if (at(TokenKind::Invalid)) {
      error_ = lexer_.error();
      if (error_->code == DiagCode::P001 && !help.empty()) error_->help = std::move(help);
      return false;
    }
    if (at(TokenKind::End)) {
      fail(DiagCode::P003, {previous_end_, previous_end_},
           fmt::format("the file ends where {} should follow", wanted), std::move(help));
      note_open_bracket();
      return false;
    }
    return fail(DiagCode::P002, token_.span(), fmt::format("expected {}, found {}", wanted, describe_token()),
                std::move(help));
  }

  void note_open_bracket() {
    const auto open =
        std::find_if(pending_.rbegin(), pending_.rend(), [](const Pending& p) { return is_bracket(p); });
    if (open != pending_.rend()) {
      error_->notes.push_back({open->token, "opened here"});
    } else if (!open_.empty()) {
      error_->notes.push_back({open_.back().brace, "this block is still open"});
    }
  }

  bool expect(TokenKind kind, std::string_view wanted, std::string help = {}) {
    if (at(kind)) {
      advance();
      return true;
    }
    // Something is missing at the end of a line: point there, not at the first word of the next line.
    const bool is_token = !at(TokenKind::End) && !at(TokenKind::Invalid);
    if (is_token && spelling({previous_end_, token_.begin}).contains('\n')) {
      if (help.empty()) help = help_of_comment();
      return fail(DiagCode::P002, {previous_end_, previous_end_},
                  fmt::format("expected {} before {}", wanted, describe_token()), std::move(help));
    }
    return fail_token(wanted, std::move(help));
  }

  /// The help where a comment on this line ends with what looks like the rest of a statement.
  std::string help_of_comment() const {
    std::string_view line = text_.substr(previous_end_);
    line = line.substr(0, line.find('\n'));
    line.remove_suffix(line.size() - (line.find_last_not_of(" \t\r") + 1));
    const size_t comment = line.find("//");
    if (comment == line.npos || !line.ends_with(';')) return {};
    return "// begins a comment: integers are divided with a single /, which rounds towards zero";
  }

  bool expect(Keyword keyword, std::string_view wanted, std::string help = {}) {
    if (!at(keyword)) return fail_token(wanted, std::move(help));
    advance();
    return true;
  }
  bool take(TokenKind kind) {
    if (!at(kind)) return false;
    advance();
    return true;
  }

  bool take_word(std::string_view word) {
    if (!at_word(word)) return false;
    advance();
    return true;
  }

  /// One or more of what `one` reads, with a comma between two.
  template <typename One>
  bool parse_list(const One& one) {
    do {
      if (!one()) return false;
    } while (take(TokenKind::Comma));
    return true;
  }
  bool parse_expressions(std::vector<ExprId>& out) {
    return parse_list([&] {
      Value value;
      if (!parse_expression(value)) return false;
      out.push_back(value.id);
      return true;
    });
  }
  /// A parenthesis and a list that may be empty, as of buffers.
  template <typename One>
  bool parse_buffers(const One& one) {
    return expect(TokenKind::OpenParen, "`(` and the buffers") &&
           (at(TokenKind::CloseParen) || parse_list(one));
  }

  /// A name in a place that declares or uses one.
  bool expect_name(std::string_view what, Symbol& symbol, std::string help = {}) {
    if (at_name()) {
      symbol = program_.code.intern(spelling());
      advance();
      return true;
    }
    return fail_name(what, std::move(help));
  }
  bool fail_name(std::string_view what, std::string help = {}) {
    if (!at(TokenKind::Word)) return fail_token(what, std::move(help));
    // A type stands where other languages have it, before the name.
    const bool keeps_help = at(Keyword::Type) && !help.empty();
    return fail(DiagCode::P006, token_.span(),
                fmt::format("`{}` is reserved and cannot be {}", spelling(), what),
                keeps_help ? std::move(help) : fmt::format("choose another name, such as `{}_`", spelling()));
  }

  /// A plain integer of 32 bits: workgroup sizes, bindings, counts, versions.
  bool expect_integer(std::string_view what, uint32_t& value) {
    if (!at(TokenKind::Number)) return fail_token(what);
    const Number number = read_number(spelling());
    if (!number.malformed.empty()) return fail_malformed(number);
    if (number.suffixed || number.is_float) {
      return fail(DiagCode::P002, token_.span(), fmt::format("expected {}, found `{}`", what, spelling()),
                  "write a plain number without a suffix");
    }
    if (!literal_bits(number, false)) {
      return fail(DiagCode::P005, token_.span(), fmt::format("{} does not fit 32 bits", shorten(spelling())),
                  "the largest number here is 4294967295");
    }
    value = uint32_t(number.magnitude);
    advance();
    return true;
  }
  /// The same where a constant may stand as well.
  bool expect_size(std::string_view what, uint32_t& value) {
    if (!at_name()) return expect_integer(what, value);
    const auto constant = constants_.find(spelling());
    if (constant == constants_.end()) {
      NearestName nearest(spelling());
      for (const auto& [name, known] : constants_) nearest.consider(name);
      return fail(DiagCode::P002, token_.span(),
                  fmt::format("no constant `{}` is declared in this file", spelling()),
                  nearest.help_or(fmt::format("write a number, or declare it: const {} = 64;", spelling())));
    }
    value = constant->second;
    advance();
    return true;
  }
  bool fail_malformed(const Number& number) {
    std::string lower(number.unknown);
    std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
    const ForeignWords* const suffix = find_foreign(Foreign::Suffix, lower);
    std::string help = "numbers look like 42, 1_000, 0x2a, 0b1010, 7i32, 1.5, 1e3, 0x1.8p3, 1.5f16";
    if (suffix != nullptr) {
      const std::string_view digits = spelling().substr(0, spelling().size() - lower.size());
      help = fmt::format("write {}{}: a number is u32 without a suffix, and f32 with a point",
                         shorten(digits), lower == "f" && number.is_float ? "" : suffix->help);
    }
    return fail(DiagCode::P004, token_.span(),
                fmt::format("`{}` is not a number: {}", shorten(spelling()), number.malformed),
                std::move(help));
  }

  /// Words joined by points: primitive.math.min.
  bool parse_id(std::string_view what, std::string& id) {
    if (!at_name()) return fail_name(what);
    const Token first = token_;
    id = spelling();
    advance();
    if (!at(TokenKind::Dot)) {
      return fail(DiagCode::P002, first.span(), fmt::format("expected {}, found `{}`", what, shorten(id)),
                  fmt::format("the id of an operation has a point: my.{}", shorten(id)));
    }
    return parse_points(id, fmt::format("{}: a word after the point", what));
  }
  /// The words behind the points of an id.
  bool parse_points(std::string& id, std::string_view wanted) {
    while (take(TokenKind::Dot)) {
      if (!at(TokenKind::Word)) return fail_token(wanted);
      id += '.';
      id += spelling();
      advance();
    }
    return true;
  }

  bool parse_version(uint32_t& version) {
    return !take(TokenKind::At) || expect_integer("the version of the operation", version);
  }

  bool expect_type(DataType& type) {
    if (!at(TokenKind::Word)) return fail_token("a type");
    const auto found = spec::find_type(spelling());
    if (!found && std::ranges::find(kLaterTypes, spelling()) != kLaterTypes.end()) {
      return fail(
          DiagCode::P013, token_.span(), fmt::format("the type {} is not available yet", spelling()),
          "this version computes on floats in f16, bf16 and f32, on integers in u32, i32, u64 and u128");
    }
    if (!found && !foreign_type_help(spelling()).empty()) {
      return fail(DiagCode::P012, token_.span(), fmt::format("unknown type `{}`", spelling()),
                  std::string(foreign_type_help(spelling())));
    }
    if (!found) {
      NearestName nearest(spelling());
      for (const spec::TypeInfo& known : spec::kTypes) {
        if (known.available) nearest.consider(known.text);
      }
      return fail(
          DiagCode::P012, token_.span(), fmt::format("unknown type `{}`", spelling()),
          nearest.help_or(
              "the types are u32 i32 u64 u128 vec2u32 vec4u32 bool bytes f16 bf16 f32 and tensor<...>"));
    }
    type = *found;
    advance();
    return true;
  }

  /// A type where no tensor can stand, which the checker says; its shape is read all the same.
  bool expect_flat_type(DataType& type) {
    if (!expect_type(type)) return false;
    ir::TensorType shape;
    return type != DataType::Tensor || !at(TokenKind::Less) || parse_shape(shape);
  }

  // The program.

  /// From `program` to the end of its body.
  bool parse_program() {
    advance();
    if (!at_name()) return fail_name("the name of a program");
    hides_group_counts_.reset();
    program_.name = spelling();
    name_span_ = token_.span();
    advance();
    return parse_buffers([&] { return parse_buffer(); }) && expect(TokenKind::CloseParen, "`,` or `)`") &&
           parse_workgroup() && parse_body();
  }

  static constexpr const char* kBufferForm =
      "a buffer is declared as read|read_write|uniform name: type @binding, or workgroup|private name: "
      "type[count]";

  bool parse_buffer() {
    ir::BufferDecl buffer;
    buffer.span.begin = token_.begin;
    size_t access = 0;
    while (access < spec::kBufferAccessCount && spelling() != spec::text(spec::BufferAccess(access)))
      ++access;
    if (access == spec::kBufferAccessCount) return fail_token("a buffer", kBufferForm);
    buffer.access = spec::BufferAccess(access);
    advance();
    if (!expect_name("the name of a buffer", buffer.name, kBufferForm)) return false;
    declare(buffer.name);
    if (!expect(TokenKind::Colon, "`:` and a type")) return false;
    if (!expect_type(buffer.element)) return false;
    if (buffer.element == DataType::Tensor) {
      buffer.tensor = uint32_t(program_.tensors.size());
      if (!parse_shape(program_.tensors.emplace_back())) return false;
    }
    if (!spec::is_bound(buffer.access)) {
      if (!expect(TokenKind::OpenBracket, "`[` and the number of elements",
                  fmt::format("a {0} buffer has a count and no binding: {0} name: type[count]",
                              spec::text(buffer.access)))) {
        return false;
      }
      if (!expect_size("the number of elements", buffer.count)) return false;
      if (!expect(TokenKind::CloseBracket, "`]`")) return false;
    } else {
      if (!at(TokenKind::At)) return fail_binding(buffer.span.begin);
      advance();
      if (!expect_integer("the binding", buffer.binding)) return false;
    }
    buffer.span.end = previous_end_;
    program_.buffers.push_back(buffer);
    return true;
  }

  /// That a buffer, whose text begins there, has no binding: the help gives it one that is free so far.
  bool fail_binding(uint32_t begin) {
    uint32_t binding = 0;
    for (const ir::BufferDecl& other : program_.buffers) {
      if (spec::is_bound(other.access) && other.binding < UINT32_MAX)
        binding = std::max(binding, other.binding + 1);
    }
    return expect(TokenKind::At, "`@` and the binding",
                  fmt::format("each buffer has its number: {} @{}", shorten(spelling({begin, previous_end_})),
                              binding));
  }

  /// What follows the word `tensor`: its element, dimensions and strides.
  bool parse_shape(ir::TensorType& tensor) {
    constexpr std::string_view kForm = "a tensor is written tensor<f32, [n = params[0], 64], strides[64, 1]>";
    if (!expect(TokenKind::Less, "`<` and the type of the elements", std::string(kForm))) return false;
    const Span element = token_.span();
    if (!expect_type(tensor.element)) return false;
    if (tensor.element == DataType::Tensor) {
      return fail(DiagCode::P002, element, "a tensor's elements cannot be tensors",
                  "give one tensor more dimensions: tensor<f32, [4, 4]>");
    }
    if (!expect(TokenKind::Comma, "`,` and the dimensions", std::string(kForm))) return false;
    if (!expect(TokenKind::OpenBracket, "`[` and the dimensions", std::string(kForm))) return false;
    if (!parse_list([&] { return parse_dimension(tensor.dims.emplace_back()); }) ||
        !expect(TokenKind::CloseBracket, "`,` or `]`")) {
      return false;
    }
    if (take(TokenKind::Comma)) {
      if (!expect(Keyword::Strides, "`strides[...]`", std::string(kForm)) ||
          !expect(TokenKind::OpenBracket, "`[` and the strides", std::string(kForm)) ||
          !parse_list([&] { return expect_size("a stride", tensor.strides.emplace_back()); }) ||
          !expect(TokenKind::CloseBracket, "`,` or `]`")) {
        return false;
      }
    }
    return expect(TokenKind::Greater, "`>`");
  }

  /// A number, or name = uniform[element].
  bool parse_dimension(ir::Dim& dim) {
    if (at(TokenKind::Number) || (at_name() && constants_.contains(spelling()))) {
      return expect_size("a dimension", dim.size);
    }
    if (!expect_name("a dimension", dim.name)) return false;
    constexpr std::string_view kForm =
        "a dimension is a number, or a name for an element of a uniform buffer: n = params[0]";
    if (!expect(TokenKind::Equal, "`=` and an element of a uniform buffer", std::string(kForm))) return false;
    if (!expect_name("the name of a uniform buffer", dim.buffer)) return false;
    if (!expect(TokenKind::OpenBracket, "`[` and the number of an element", std::string(kForm))) return false;
    return expect_integer("the number of an element", dim.element) && expect(TokenKind::CloseBracket, "`]`");
  }

  bool parse_workgroup() {
    program_.workgroup_span.begin = token_.begin;
    if (!expect(Keyword::Workgroup, "`workgroup(x, y, z)`") ||
        !expect(TokenKind::OpenParen, "`(` and the workgroup size")) {
      return false;
    }
    for (size_t axis = 0; axis < 3; ++axis) {
      if (axis > 0 &&
          !expect(TokenKind::Comma, "`,`", "a workgroup size has three numbers: workgroup(64, 1, 1)")) {
        return false;
      }
      if (!expect_size("a number of invocations", program_.workgroup_size[axis])) return false;
    }
    if (!expect(TokenKind::CloseParen, "`)`", "a workgroup size has three numbers: workgroup(64, 1, 1)"))
      return false;
    program_.workgroup_span.end = previous_end_;
    return true;
  }

  // Statements.

  bool parse_body() {
    if (!open_block({.kind = Open::Kind::Body})) return false;
    while (!open_.empty()) {
      if (at(TokenKind::CloseBrace)) {
        if (in_operation_ && open_.size() == 1 && !result_) return fail_token("`return` and the result");
        if (!close_block()) return false;
      } else if (!parse_statement()) {
        return false;
      }
    }
    return true;
  }

  static constexpr const char* kIfForm = "a condition stands in parentheses: if (a < b) { }";
  static constexpr const char* kBraces = "a body stands in braces, even one statement: if (a < b) { x = 1; }";
  static constexpr const char* kSelect =
      "an `if` is no expression: write select(condition, a, b), which evaluates both a and b";

  bool open_block(Open open) {
    open.brace = token_.span();
    const bool of_statement = open.kind != Open::Kind::Body;
    if (!expect(TokenKind::OpenBrace, "`{`", of_statement && at(TokenKind::Word) ? kBraces : ""))
      return false;
    open.statements = statements_.size();
    open_.push_back(open);
    return true;
  }

  BlockId take_block(size_t base) {
    const BlockId id = program_.code.add_block(std::span(statements_).subspan(base));
    statements_.resize(base);
    return id;
  }

  bool add_statement(const Node& node, std::span<const ExprId> operands, Span span) {
    statements_.push_back(program_.code.add(node, operands, span));
    return count_node(span);
  }

  bool count_node(Span span) {
    if (program_.code.node_count() <= spec::kMaxNodes) return true;
    return fail(DiagCode::V024, span, fmt::format("the program has more than {} nodes", spec::kMaxNodes),
                "split it into several programs");
  }

  bool close_block() {
    advance();
    Open open = open_.back();
    open_.pop_back();
    if (hides_group_counts_ && *hides_group_counts_ > open_.size()) hides_group_counts_.reset();
    const BlockId block = take_block(open.statements);
    switch (open.kind) {
      case Open::Kind::Body: program_.entry = block; return true;
      case Open::Kind::Block:
      case Open::Kind::Loop:
        open.node.body = block;
        return add_statement(open.node, {open.operands.data(), open.kind == Open::Kind::Loop ? 2u : 0u},
                             open.span);
      case Open::Kind::Then:
        open.node.body = block;
        if (!at(Keyword::Else)) return finish_if(open);
        advance();
        if (!at(Keyword::If)) {
          open.kind = Open::Kind::Else;
          return open_block(open);
        }
        open.kind = Open::Kind::ElseIf;
        open.statements = statements_.size();
        open_.push_back(open);
        return parse_if();
      case Open::Kind::Else: open.node.orelse = block; return finish_if(open);
      case Open::Kind::ElseIf: break;  // closed by finish_if
    }
    return true;
  }

  /// Adds a complete `if`, and with it every `if` in whose else-branch it is the last word.
  bool finish_if(const Open& complete) {
    if (!add_statement(complete.node, {complete.operands.data(), 1}, complete.span)) return false;
    while (!open_.empty() && open_.back().kind == Open::Kind::ElseIf) {
      Open open = open_.back();
      open_.pop_back();
      open.node.orelse = take_block(open.statements);
      if (!add_statement(open.node, {open.operands.data(), 1}, open.span)) return false;
    }
    return true;
  }

  bool parse_statement() {
    if (at_unroll()) return parse_for();
    if (at_name()) return parse_name_statement();
    if (at(TokenKind::Word)) {
      if (at(Keyword::Let)) return parse_let();
      if (at(Keyword::If)) return parse_if();
      if (at(Keyword::For)) return parse_for();
      if (at(Keyword::Barrier)) return parse_simple(NodeKind::Barrier);
      if (at(Keyword::Return))
        return in_operation_ && open_.size() == 1 ? parse_result() : parse_simple(NodeKind::Return);
      switch (kBegins[size_t(token_.keyword)]) {
        case Begins::Operand: return parse_expression_statement();
        case Begins::Buffer:
          return fail_token(
              "a statement",
              "buffers stand in the header: program name(read a: u32 @0, workgroup s: u32[64])");
        case Begins::Statement:
        case Begins::Nothing: break;
      }
      return fail_token("a statement",
                        at(Keyword::Else) ? "an `else` follows the `}` of an `if`" : std::string());
    }
    if (at(TokenKind::OpenBrace)) {
      return open_block(
          {.kind = Open::Kind::Block, .node = {.kind = NodeKind::Block}, .span = token_.span()});
    }
    if (at(TokenKind::Number) || at(TokenKind::OpenParen) || find_prefix(token_.kind) != nullptr) {
      return parse_expression_statement();
    }
    if (at(TokenKind::Semicolon))
      return fail_token("a statement or `}`", "there is no empty statement; remove the `;`");
    return fail_token("a statement or `}`");
  }

  bool expect_semicolon(std::string help = {}) {
    if (help.empty() && at(Keyword::If)) help = kSelect;
    return expect(TokenKind::Semicolon, "`;`", std::move(help));
  }

  bool parse_simple(NodeKind kind) {
    const Span span = token_.span();
    advance();
    return expect_semicolon(help_after(kind)) && add_statement({.kind = kind}, {}, span);
  }

  /// What is said where the `;` of a `return` or a `barrier` should stand.
  std::string help_after(NodeKind kind) const {
    if (kind == NodeKind::Barrier) return at(TokenKind::OpenParen) ? "write barrier;" : "";
    if (at(TokenKind::CloseBrace)) return {};
    return in_operation_ ? "an operation has one `return expr;`, at its end: use select(), or set a variable "
                           "before it"
                         : "a program gives no value back: store it, out[i] = value; then return;";
  }

  /// The result of an operation, which ends its body: return x; }
  bool parse_result() {
    advance();
    if (at(TokenKind::Semicolon)) return fail_token("the result of the operation", "write return value;");
    Value value;
    if (!parse_expression(value) || !expect_semicolon()) return false;
    result_ = value.id;
    if (at(TokenKind::CloseBrace)) return true;
    return fail_token("`}`", "an operation has one result, which stands at its end");
  }

  bool parse_let() {
    Span span = token_.span();
    advance();
    Node node = {.kind = NodeKind::Let};
    if (!expect_name("the name of a variable", node.symbol)) return false;
    span.end = previous_end_;
    if (!expect(TokenKind::Equal, "`=` and the value",
                at(TokenKind::Colon) ? "a variable has the type of its value: let name = 1i32;" : "")) {
      return false;
    }
    Value value;
    if (!parse_expression(value) || !expect_semicolon()) return false;
    declare(node.symbol);
    return add_statement(node, {{value.id}}, span);
  }

  bool parse_if() {
    Open open = {.kind = Open::Kind::Then, .node = {.kind = NodeKind::If}, .span = token_.span()};
    advance();
    return parse_condition(open.operands[0]) && open_block(open);
  }

  /// (condition)
  bool parse_condition(ExprId& condition) {
    Value value;
    if (!expect(TokenKind::OpenParen, "`(` and the condition", kIfForm) || !parse_expression(value))
      return false;
    condition = value.id;
    return expect(TokenKind::CloseParen, "`)`");
  }

  bool parse_for() {
    Open open = {.kind = Open::Kind::Loop, .node = {.kind = NodeKind::Loop}, .span = token_.span()};
    open.node.unroll = at_unroll();
    if (open.node.unroll) advance();
    if (!parse_rounds(kLoop, open.node.symbol, open.span, open.operands) || !open_block(open)) return false;
    declare(open.node.symbol);
    return true;
  }

  static constexpr const char* kLoop = "a loop is written for i in 0..8 { }";

  /// for name in from..to, of which `span` gets the part up to the name. `help` is for want of a name.
  bool parse_rounds(std::string help, Symbol& name, Span& span, std::array<ExprId, 2>& bounds) {
    advance();
    if (!expect_name("the name of a loop variable", name, std::move(help))) return false;
    span.end = previous_end_;
    Value from, to;
    if (!expect(Keyword::In, "`in`", kLoop) || !parse_expression(from) ||
        !expect(TokenKind::DotDot, "`..` and the upper bound", kLoop) || !parse_expression(to)) {
      return false;
    }
    bounds = {from.id, to.id};
    return true;
  }

  /// A statement that begins with a name: an assignment, a store, or an expression that is no statement.
  bool parse_name_statement() {
    Node node = {.kind = NodeKind::Assign};
    const Token name = token_;
    node.symbol = program_.code.intern(spelling());
    advance();
    if (at(TokenKind::Equal)) {
      advance();
      Value value;
      return parse_expression(value) && expect_semicolon() && add_statement(node, {{value.id}}, name.span());
    }
    if (!at(TokenKind::OpenBracket)) {
      Value value;
      return resume_expression(name, value) && fail_expression_statement(value);
    }
    advance();
    node.kind = NodeKind::Store;
    indices_.clear();
    Value value;
    if (!parse_expressions(indices_) || !expect(TokenKind::CloseBracket, "`]`")) return false;
    const Span target = {name.begin, previous_end_};
    if (!at(TokenKind::Equal)) {
      value = {program_.code.add({.kind = ExprKind::Load, .symbol = node.symbol}, indices_, target), target};
      return resume_expression(value, value) && fail_expression_statement(value);
    }
    advance();
    if (!parse_expression(value) || !expect_semicolon()) return false;
    indices_.push_back(value.id);
    return add_statement(node, indices_, target);
  }

  bool parse_expression_statement() {
    Value value;
    return parse_expression(value) && fail_expression_statement(value);
  }

  bool fail_expression_statement(const Value& value) {
    NearestName keyword(spelling(value.outer));
    for (const std::string_view word : {"let", "if", "for", "return", "barrier", "else"})
      keyword.consider(word);
    const std::string foreign(foreign_help(spelling(value.outer)));
    if (!at(TokenKind::Semicolon) && !at(TokenKind::CloseBrace)) {
      if (at(TokenKind::Equal)) {
        return fail(DiagCode::P002, value.outer,
                    fmt::format("`{}` cannot be assigned to", shorten(spelling(value.outer))),
                    "assign to a variable `name = value;` or store to an element `buffer[index] = value;`");
      }
      if (foreign.empty() && !keyword.found() && declares_here()) {
        return fail_token("an operator or `;`",
                          fmt::format("declare with let {} = value;", shorten(spelling())));
      }
      return fail_token("an operator or `;`", foreign.empty() ? keyword.help() : foreign);
    }
    const std::string piece = shorten(spelling(value.outer));
    return fail(DiagCode::P011, value.outer, "an expression is not a statement",
                !foreign.empty()
                    ? foreign
                    : keyword.help_or(fmt::format("bind its value to a name: let result = {};", piece)));
  }

  /// `unroll` before `for`, and a name elsewhere.
  bool at_unroll() const {
    if (!at_name() || spelling() != "unroll") return false;
    Lexer ahead = lexer_;
    Token next = ahead.next();
    while (next.kind == TokenKind::Comment) next = ahead.next();
    return next.keyword == Keyword::For;
  }

  bool is_before(TokenKind kind) const {
    Lexer ahead = lexer_;
    return ahead.next().kind == kind;
  }

  /// Whether this token is a name before `=`.
  bool declares_here() const { return at_name() && is_before(TokenKind::Equal); }

  // Expressions.

  static bool is_bracket(const Pending& pending) {
    return pending.kind != Pending::Kind::Prefix && pending.kind != Pending::Kind::Infix;
  }

  bool parse_expression(Value& out) { return run_expression(true, out, pending_.size()); }

  /// An expression whose first name has been read.
  bool resume_expression(const Token& name, Value& out) {
    bool want_operand = false;
    return parse_name(name, want_operand) && run_expression(want_operand, out);
  }
  /// An expression whose first operand has been read.
  bool resume_expression(const Value& first, Value& out) {
    values_.push_back(first);
    return run_expression(false, out);
  }

  /// Reads operands and operators until a token that continues no expression. No expression is inside another
  /// one's call, so the stacks belong to this one alone; but in an operation of a graph what lies below
  /// `base` is that of the expression around it.
  bool run_expression(bool want_operand, Value& out, size_t base = 0) {
    while (true) {
      if (want_operand) {
        if (!parse_operand(want_operand)) return false;
      } else if (const InfixOperator* infix = find_infix(token_.kind)) {
        if (!reduce(infix->precedence)) return false;
        pending_.push_back({.kind = Pending::Kind::Infix,
                            .infix = infix,
                            .expr = {.kind = ExprKind::Apply, .op = infix->integer},
                            .token = token_.span()});
        advance();
        want_operand = true;
      } else if (at(TokenKind::Dot)) {
        advance();
        if (!at(TokenKind::Word)) return fail_token("x, y, z or w");
        const Token word = token_;
        advance();
        if (!add_component(word)) return false;
      } else {
        if (!reduce(0)) return false;
        if (pending_.size() == base) break;
        if (!parse_in_bracket(want_operand)) return false;
      }
    }
    out = values_.back();
    values_.pop_back();
    return true;
  }

  bool add_expression(const Expr& expr, std::span<const ExprId> operands, Span span) {
    values_.push_back({program_.code.add(expr, operands, span), span});
    return count_node(span);
  }

  /// Applies the pending operators that bind at least as tightly as `precedence`.
  bool reduce(uint8_t precedence) {
    while (!pending_.empty()) {
      const Pending& top = pending_.back();
      if (is_bracket(top) || (top.kind == Pending::Kind::Infix && top.infix->precedence < precedence))
        return true;
      if (!(top.kind == Pending::Kind::Prefix ? apply_prefix(top) : apply_infix(top))) return false;
      pending_.pop_back();
    }
    return true;
  }

  bool apply_prefix(const Pending& prefix) {
    const Value operand = values_.back();
    values_.pop_back();
    if (!add_expression(prefix.expr, {{operand.id}}, {prefix.token.begin, operand.outer.end})) return false;
    note_sign(values_.back().id);
    return true;
  }

  bool apply_infix(const Pending& pending) {
    const Value right = values_.back();
    values_.pop_back();
    const Value left = values_.back();
    values_.pop_back();
    const Span span = {left.outer.begin, right.outer.end};
    for (const Value& operand : {left, right}) {
      if (operand.infix == nullptr) continue;
      if (chains(*pending.infix, *operand.infix)) return fail_chain(operand, pending, right);
      if (must_parenthesise(*pending.infix, *operand.infix)) return fail_mixed(pending, operand, span);
    }
    if (!add_expression(pending.expr, {{left.id, right.id}}, span)) return false;
    values_.back().infix = pending.infix;
    values_.back().sign = pending.token;
    note_sign(values_.back().id);
    return true;
  }

  /// That this expression was written with a sign, which stands for the integers' operator until the types
  /// are known.
  void note_sign(ExprId id) {
    signs_.resize(index(id) + 1);
    signs_[index(id)] = true;
  }

  bool fail_chain(const Value& left, const Pending& pending, const Value& right) {
    std::string_view middle = spelling({left.sign.end, left.outer.end});
    middle.remove_prefix(std::min(middle.find_first_not_of(" \t\r\n"), middle.size()));
    return fail(DiagCode::P008, pending.token,
                fmt::format("`{}` compares the result of `{}`", pending.infix->text, left.infix->text),
                fmt::format("write ({}) && ({} {} {}), or put parentheses around one comparison",
                            shorten(spelling(left.outer)), shorten(middle), pending.infix->text,
                            shorten(spelling(right.outer))));
  }

  bool fail_mixed(const Pending& pending, const Value& operand, Span whole) {
    const std::string_view before = spelling({whole.begin, operand.outer.begin});
    const std::string_view after = spelling({operand.outer.end, whole.end});
    return fail(
        DiagCode::P007, operand.outer,
        fmt::format("`{}` and `{}` are mixed without parentheses", operand.infix->text, pending.infix->text),
        fmt::format("vyre reads this as {}({}){}: write so, or put the parentheses where you mean them",
                    shorten(before), shorten(spelling(operand.outer)), shorten(after)));
  }

  bool open_bracket(Pending::Kind kind, const Expr& expr, uint32_t begin) {
    pending_.push_back(
        {.kind = kind, .expr = expr, .begin = begin, .token = token_.span(), .values = values_.size()});
    advance();
    return true;
  }

  /// After a complete operand in an open bracket: the next operand, or the end of the bracket.
  bool parse_in_bracket(bool& want_operand) {
    Pending& top = pending_.back();
    switch (top.kind) {
      case Pending::Kind::Paren:
        if (!at(TokenKind::CloseParen)) {
          return expect(TokenKind::CloseParen, "an operator or `)`", at(Keyword::If) ? kSelect : "");
        }
        advance();
        values_.back().outer = {top.begin, previous_end_};
        values_.back().infix = nullptr;
        pending_.pop_back();
        return true;
      case Pending::Kind::Arguments:
        if (at(TokenKind::CloseParen)) return close_arguments();
        want_operand = true;
        return expect(TokenKind::Comma, "an operator, `,` or `)`");
      case Pending::Kind::Index: {
        if (take(TokenKind::Comma)) {
          want_operand = true;
          return true;
        }
        if (!at(TokenKind::CloseBracket)) return expect(TokenKind::CloseBracket, "an operator, `,` or `]`");
        advance();
        const Pending load = top;
        pending_.pop_back();
        take_operands(load.values);
        return add_expression(load.expr, operands_, {load.begin, previous_end_});
      }
      case Pending::Kind::AtomicIndex:
        if (!at(TokenKind::CloseBracket)) {
          return expect(
              TokenKind::CloseBracket, "an operator or `]`",
              at(TokenKind::Comma) ? "an atomic works on a buffer of u32, which has one index" : "");
        }
        advance();
        top.kind = Pending::Kind::Arguments;  // the index is the first argument
        if (at(TokenKind::CloseParen)) return close_arguments();
        want_operand = true;
        return expect(TokenKind::Comma, "`,` and the value");
      case Pending::Kind::Prefix:
      case Pending::Kind::Infix:   // reduced before
      case Pending::Kind::Tensor:  // below every expression in it
        break;
    }
    return true;
  }

  bool close_arguments() {
    advance();
    const Pending call = pending_.back();
    pending_.pop_back();
    const Span span = {call.begin, previous_end_};
    const uint32_t count = uint32_t(values_.size() - call.values);
    const auto wanted = spec::operand_count(call.expr.op);
    if (wanted && *wanted != count) return fail_operand_count(call.expr.op, *wanted, count, span);
    if (spec::is_reduction(call.expr.op) && count != 0 && count != 2)
      return fail_range(call.expr, count, span);
    take_operands(call.values);
    return add_expression(call.expr, operands_, span);
  }

  /// The values from this height of the stack on, to operands_.
  void take_operands(size_t height) {
    operands_.clear();
    for (size_t i = height; i < values_.size(); ++i) operands_.push_back(values_[i].id);
    values_.resize(height);
  }

  bool fail_operand_count(Op op, uint32_t wanted, uint32_t count, Span span) {
    const auto operands = [](uint32_t n) { return fmt::format("{} operand{}", n, n == 1 ? "" : "s"); };
    if (!spec::is_atomic(op)) {
      return fail(DiagCode::P010, span,
                  fmt::format("`{}` takes {}, not {}", spec::mnemonic(op), operands(wanted), count),
                  fmt::format("`vyre ops {}` shows its form", spec::mnemonic(op)));
    }
    return fail(DiagCode::P010, span,
                fmt::format("`{}` takes a buffer element and {}, not {}", spec::mnemonic(op),
                            operands(wanted - 1), count - 1),
                op == Op::AtomicCompareExchange
                    ? "write atomic_compare_exchange(buffer[index], expected, value)"
                    : fmt::format("write {}(buffer[index], value)", spec::mnemonic(op)));
  }

  bool fail_range(const Expr& reduction, uint32_t count, Span span) {
    std::string buffer = shorten(program_.code.name(reduction.symbol));
    if (reduction.op == Op::FReduceApprox)
      buffer += fmt::format(", {}", spec::tolerance_of(reduction.immediate));
    return fail(DiagCode::P010, span, fmt::format("a range has two bounds, from and to, not {}", count),
                fmt::format("write {0}({1}, {2}, from, to), or {0}({1}, {2}) for all elements",
                            spec::mnemonic(reduction.op),
                            spec::mnemonic(*spec::find_op_tag(uint16_t(reduction.immediate))), buffer));
  }

  /// An operand, or what stands before one: then more of it is wanted.
  bool parse_operand(bool& want_operand) {
    if (const PrefixOperator* prefix = find_prefix(token_.kind)) return parse_prefix(*prefix, want_operand);
    if (at(TokenKind::OpenParen)) return open_bracket(Pending::Kind::Paren, {}, token_.begin);
    want_operand = false;
    if (at(TokenKind::Number)) return parse_number(token_.begin, false);
    if (at_name()) {
      const Token name = token_;
      advance();
      return parse_name(name, want_operand);
    }
    if (at(TokenKind::Word)) return parse_keyword_operand(want_operand);
    const bool in_bracket = !pending_.empty() && pending_.back().kind == Pending::Kind::Arguments;
    if (at(TokenKind::CloseParen) && in_bracket && values_.size() == pending_.back().values)
      return close_arguments();
    if (at(TokenKind::Dot))
      return fail_token("an expression", "a float has a digit on both sides of its point: 0.5");
    if (at(TokenKind::OpenBracket)) {
      return fail_token(
          "an expression",
          in_graph_ ? help_of_list() : "there are no lists: a buffer holds many values, a variable one");
    }
    return fail_token("an expression");
  }

  bool parse_prefix(const PrefixOperator& prefix, bool& want_operand) {
    const Token sign = token_;
    advance();
    // A minus directly before an i32 or float number belongs to the number: only so -2147483648i32 fits.
    if (sign.kind == TokenKind::Minus && at(TokenKind::Number) && token_.begin == sign.end &&
        takes_sign(read_number(spelling()))) {
      want_operand = false;
      return parse_number(sign.begin, true);
    }
    pending_.push_back({.kind = Pending::Kind::Prefix,
                        .expr = {.kind = ExprKind::Apply, .op = prefix.integer},
                        .token = sign.span()});
    want_operand = true;
    return true;
  }

  bool parse_number(uint32_t begin, bool negative) {
    const Number number = read_number(spelling());
    const Span span = {begin, token_.end};
    if (!number.malformed.empty()) return fail_malformed(number);
    const auto bits = literal_bits(number, negative);
    if (!bits) {
      return fail(DiagCode::P005, span,
                  fmt::format("{} does not fit {}", shorten(spelling(span)), spec::text(number.type)),
                  std::string(literal_range(number.type)));
    }
    advance();
    return add_literal(number.type, *bits, span);
  }

  bool add_literal(DataType type, const std::array<uint32_t, 4>& bits, Span span) {
    Expr literal = {.kind = ExprKind::Literal, .type = type, .immediate = bits[0]};
    if (spec::info(type).bytes > 4) {
      literal.immediate = uint32_t(program_.code.wide.size());
      program_.code.wide.push_back(bits);
    }
    return add_expression(literal, {}, span);
  }

  /// What a name means is decided by what follows it.
  bool parse_name(const Token& name, bool& want_operand) {
    if (at(TokenKind::OpenParen)) {
      const auto op = in_graph_ ? ir::find_tensor_op(lexer_.text(name)) : std::nullopt;
      return op ? parse_tensor(name, *op) : parse_mnemonic(name, want_operand);
    }
    if (at(TokenKind::Dot)) return parse_dotted(name, want_operand);
    if (at(TokenKind::OpenBracket) && in_graph_) {
      return fail_token("an operator or `;`",
                        "a graph computes on whole tensors: slice(t, [0..1, 2..3]) and gather(t, indices, "
                        "axis) take parts of one");
    }
    if (at(TokenKind::OpenBracket)) {
      want_operand = true;
      const Symbol symbol = program_.code.intern(lexer_.text(name));
      return open_bracket(Pending::Kind::Index, {.kind = ExprKind::Load, .symbol = symbol}, name.begin);
    }
    return add_named(name);
  }

  // A name is resolved by the checker, but for this one, which stands for the group counts of the dispatch
  // where nothing of the name is visible.

  /// That a name is visible from here on, to the end of the block that is open.
  void declare(Symbol name) {
    if (!hides_group_counts_ && program_.code.name(name) == ir::kNumWorkgroups)
      hides_group_counts_ = open_.size();
  }
  bool is_group_count(const Token& name) const {
    return lexer_.text(name) == ir::kNumWorkgroups && !hides_group_counts_ && !in_pipeline_ && !in_graph_ &&
           !constants_.contains(ir::kNumWorkgroups);
  }

  /// A variable, or a constant, which is its value.
  bool add_named(const Token& name) {
    const auto constant = constants_.find(lexer_.text(name));
    if (constant != constants_.end()) return add_literal(DataType::U32, {constant->second}, name.span());
    const Symbol variable = program_.code.intern(lexer_.text(name));
    return add_expression({.kind = ExprKind::Var, .symbol = variable}, {}, name.span());
  }

  /// Operators on floats are also known by what mathematics calls them: `sin` is fsin.
  NearestName nearest_operator(std::string_view word) const {
    NearestName nearest(word);
    for (const spec::OpInfo& op : spec::kOps) {
      if (op.op == Op::Call || op.op == Op::Component) continue;
      nearest.consider(op.mnemonic);
      if (op.mnemonic.starts_with('f')) nearest.consider(op.mnemonic.substr(1), op.mnemonic);
    }
    for (const std::string_view keyword : {"len", "if", "for"}) nearest.consider(keyword);
    if (ops_ == nullptr || nearest.found()) return nearest;
    for (const spec::OpDef* def : ops_->all()) nearest.consider_id(def->id);
    return nearest;
  }

  bool parse_mnemonic(const Token& name, bool& want_operand) {
    const std::string_view word = lexer_.text(name);
    if ((in_pipeline_ || in_sizes_) && word == ir::kCeilDiv) {
      want_operand = true;
      const Symbol callee = program_.code.intern(word);
      return open_bracket(Pending::Kind::Arguments,
                          {.kind = ExprKind::Apply, .op = Op::Call, .symbol = callee, .immediate = 1},
                          name.begin);
    }
    const auto op = spec::find_op(word);
    if (in_graph_ && (!op || *op == Op::Call || *op == Op::Component)) {
      called_.push_back(name.span());
      want_operand = true;
      return open_bracket(
          Pending::Kind::Arguments,
          {.kind = ExprKind::Apply, .op = Op::Call, .symbol = program_.code.intern(word), .immediate = 1},
          name.begin);
    }
    if (in_graph_ && (spec::is_reduction(*op) || spec::is_atomic(*op))) {
      return fail(DiagCode::P009, name.span(),
                  fmt::format("`{}` works on a buffer, and a graph has none", word),
                  spec::is_reduction(*op) ? "a tensor is reduced along an axis: reduce(fadd, strict, t, 0)"
                                          : "scatter_add(t, indices, updates, axis) adds to chosen places");
    }
    if (!op || *op == Op::Call || *op == Op::Component) {
      const std::string foreign(foreign_help(word));
      return fail(DiagCode::P009, name.span(), fmt::format("unknown operator `{}`", word),
                  !foreign.empty()
                      ? foreign
                      : nearest_operator(word).help_or(
                            "`vyre ops` lists the operators; a library operation is called by its whole "
                            "id, such as primitive.math.min(a, b)"));
    }
    if (spec::is_reduction(*op)) return parse_reduction(*op, name, want_operand);
    want_operand = true;
    if (!spec::is_atomic(*op)) {
      return open_bracket(Pending::Kind::Arguments, {.kind = ExprKind::Apply, .op = *op}, name.begin);
    }
    advance();
    Expr expr = {.kind = ExprKind::Apply, .op = *op};
    if (!expect_name("the name of a buffer", expr.symbol)) return false;
    if (!at(TokenKind::OpenBracket)) {
      return fail_token("`[` and an index",
                        fmt::format("an atomic works on a buffer element: {}(buffer[index], ...)", word));
    }
    return open_bracket(Pending::Kind::AtomicIndex, expr, name.begin);
  }

  /// freduce_strict(fadd, data) or freduce_strict(fadd, data, from, to); freduce_approx has its tolerance
  /// after the buffer. Which operators may fold, that one has to, and what may be tolerated is the checker's
  /// to say.
  bool parse_reduction(Op op, const Token& name, bool& want_operand) {
    const std::string_view mnemonic = spec::mnemonic(op);
    const bool approximate = op == Op::FReduceApprox;
    const std::string form = fmt::format("write {0}(fadd, buffer{1}) or {0}(fadd, buffer{1}, from, to)",
                                         mnemonic, approximate ? ", 64" : "");
    const Span open = token_.span();
    advance();
    const Token word = token_;
    const std::string_view spelled = spelling();
    if (!at(TokenKind::Word)) return fail_token("the operator that folds", form);
    advance();
    Expr expr = {.kind = ExprKind::Apply, .op = op};
    if (const auto fold = spec::find_op(spelled)) {
      expr.immediate = spec::info(*fold).wire_tag;
      if (!expect(TokenKind::Comma, "`,` and a buffer", form)) return false;
      if (!expect_name("the name of a buffer", expr.symbol)) return false;
      if (approximate && !parse_tolerance(form, expr.immediate)) return false;
    } else if (at(TokenKind::CloseParen) && word.keyword == Keyword::None) {
      expr.symbol = program_.code.intern(spelled);  // a buffer alone
    } else {
      return fail(DiagCode::P009, word.span(),
                  fmt::format("`{}` is no operator to fold with", shorten(spelled)), form);
    }
    pending_.push_back({.kind = Pending::Kind::Arguments,
                        .expr = expr,
                        .begin = name.begin,
                        .token = open,
                        .values = values_.size()});
    if (at(TokenKind::CloseParen)) return close_arguments();
    want_operand = true;
    return expect(TokenKind::Comma, "`,` or `)`", form);
  }

  bool parse_tolerance(const std::string& form, uint32_t& immediate) {
    if (!expect(TokenKind::Comma, "`,` and the tolerance in ULP", form)) return false;
    const Span span = token_.span();
    uint32_t tolerance = 0;
    if (!expect_integer("the tolerance in ULP", tolerance)) return false;
    if (tolerance > spec::kGreatestTolerance) {
      return fail(DiagCode::P005, span, fmt::format("a tolerance of {} ULP", tolerance),
                  fmt::format("the largest tolerance is {}", spec::kGreatestTolerance));
    }
    immediate |= tolerance << spec::kToleranceShift;
    return true;
  }

  /// A name and a point: the id of an operation, or components of a variable.
  bool parse_dotted(const Token& name, bool& want_operand) {
    words_.clear();
    while (at(TokenKind::Dot)) {
      advance();
      if (!at(TokenKind::Word)) return fail_token("a component or the id of an operation");
      words_.push_back(token_);
      advance();
    }
    if (!at(TokenKind::OpenParen) && !at(TokenKind::At)) {
      if (is_group_count(name)) return add_group_count(name);
      if (!add_named(name)) return false;
      return std::ranges::all_of(words_, [&](const Token& word) { return add_component(word); });
    }
    std::string id(lexer_.text(name));
    for (const Token& word : words_) {
      id += '.';
      id += lexer_.text(word);
    }
    Expr expr = {.kind = ExprKind::Apply, .op = Op::Call, .symbol = program_.code.intern(id), .immediate = 1};
    if (take(TokenKind::At) && !expect_integer("the version of the operation", expr.immediate)) return false;
    if (!at(TokenKind::OpenParen)) return fail_token("`(` and the arguments");
    want_operand = true;
    return open_bracket(Pending::Kind::Arguments, expr, name.begin);
  }

  /// num_workgroups and the words behind its points.
  bool add_group_count(const Token& name) {
    const Token& word = words_.front();
    const std::optional<uint32_t> axis = axis_of(lexer_.text(word));
    if (!axis) {
      return fail(DiagCode::P002, word.span(),
                  fmt::format("expected the axis x, y or z, found `{}`", shorten(lexer_.text(word))),
                  "a dispatch has numbers of workgroups along x, y and z: num_workgroups.x");
    }
    if (!add_expression({.kind = ExprKind::NumWorkgroups, .immediate = *axis}, {}, {name.begin, word.end}))
      return false;
    return std::all_of(words_.begin() + 1, words_.end(),
                       [&](const Token& component) { return add_component(component); });
  }

  /// The component that the word names, of the operand that is complete.
  bool add_component(const Token& word) {
    constexpr std::string_view kComponents = "xyzw";
    const std::string_view name = lexer_.text(word);
    const size_t component = name.size() == 1 ? kComponents.find(name[0]) : std::string_view::npos;
    if (component == std::string_view::npos) {
      return fail(DiagCode::P002, word.span(), fmt::format("`{}` is no component", shorten(name)),
                  foreign_help(name).empty()
                      ? "the components of a vector are x, y, z and w; a call of an operation has parentheses"
                      : std::string(foreign_help(name)));
    }
    const Value vector = values_.back();
    values_.pop_back();
    return add_expression({.kind = ExprKind::Apply, .op = Op::Component, .immediate = uint32_t(component)},
                          {{vector.id}}, {vector.outer.begin, word.end});
  }

  bool parse_keyword_operand(bool& want_operand) {
    const Token word = token_;
    if (at(Keyword::True) || at(Keyword::False)) {
      const uint32_t value = at(Keyword::True) ? 1 : 0;
      advance();
      return add_literal(DataType::Bool, {value}, word.span());
    }
    if (in_graph_ &&
        (at(Keyword::Len) || at(Keyword::InvocationId) || at(Keyword::WorkgroupId) || at(Keyword::LocalId))) {
      return fail_token("an expression",
                        "a graph has no buffers and no invocations: a size is the name of a "
                        "dimension, and index([n, m], axis) gives coordinates");
    }
    if (at(Keyword::Len)) return parse_len();
    if (at(Keyword::InvocationId)) return parse_id(ExprKind::InvocationId);
    if (at(Keyword::WorkgroupId)) return parse_id(ExprKind::WorkgroupId);
    if (at(Keyword::LocalId)) return parse_id(ExprKind::LocalId);
    if (at(Keyword::Select)) {
      advance();
      return open_keyword({.kind = ExprKind::Apply, .op = Op::Select}, word, want_operand);
    }
    if (at(Keyword::Cast)) return parse_cast(Op::Cast, want_operand);
    if (at(Keyword::Bitcast)) return parse_cast(Op::Bitcast, want_operand);
    return at(Keyword::Type) ? parse_type_operand(want_operand) : fail_token("an expression");
  }

  bool open_keyword(const Expr& expr, const Token& word, bool& want_operand) {
    if (!at(TokenKind::OpenParen)) return fail_token(fmt::format("`(` after `{}`", lexer_.text(word)));
    want_operand = true;
    return open_bracket(Pending::Kind::Arguments, expr, word.begin);
  }

  bool parse_len() {
    const uint32_t begin = token_.begin;
    advance();
    Symbol buffer{};
    if (!expect(TokenKind::OpenParen, "`(` and a buffer") || !expect_name("the name of a buffer", buffer) ||
        !expect(TokenKind::CloseParen, "`)`", "len takes the name of one buffer")) {
      return false;
    }
    return add_expression({.kind = ExprKind::BufLen, .symbol = buffer}, {}, {begin, previous_end_});
  }

  bool parse_id(ExprKind kind) {
    const Token word = token_;
    advance();
    if (!expect(TokenKind::Dot, fmt::format("`.x`, `.y` or `.z` after `{}`", lexer_.text(word))))
      return false;
    const std::optional<uint32_t> axis = at(TokenKind::Word) ? axis_of(spelling()) : std::nullopt;
    if (!axis) return fail_token("the axis x, y or z");
    advance();
    return add_expression({.kind = kind, .immediate = *axis}, {}, {word.begin, previous_end_});
  }

  static std::optional<uint32_t> axis_of(std::string_view word) {
    if (word != "x" && word != "y" && word != "z") return std::nullopt;
    return uint32_t(word[0] - 'x');
  }

  bool parse_cast(Op op, bool& want_operand) {
    const Token word = token_;
    Expr expr = {.kind = ExprKind::Apply, .op = op};
    advance();
    if (!expect(TokenKind::Less, "`<` and a type", fmt::format("write {}<u32>(x)", lexer_.text(word))))
      return false;
    if (!expect_type(expr.type)) return false;
    if (op == Op::Cast && take(TokenKind::Comma) && !parse_mode(expr.mode)) return false;
    if (!expect(TokenKind::Greater, "`>`")) return false;
    return open_keyword(expr, word, want_operand);
  }

  bool parse_mode(spec::RoundingMode& mode) {
    for (const auto candidate : {spec::RoundingMode::Trunc, spec::RoundingMode::Nearest,
                                 spec::RoundingMode::Floor, spec::RoundingMode::Ceil}) {
      if (at(TokenKind::Word) && spelling() == spec::text(candidate)) {
        mode = candidate;
        advance();
        return true;
      }
    }
    return fail_token("the rounding mode trunc, nearest, floor or ceil");
  }

  /// A type name where an operand should stand: a vector of components, the exact bits of a float, or a
  /// conversion in the style of other languages.
  bool parse_type_operand(bool& want_operand) {
    const Token word = token_;
    const std::string_view name = lexer_.text(word);
    const DataType type = *spec::find_type(name);
    advance();
    if (!at(TokenKind::OpenParen)) {
      // vec2<u32>(...)
      const bool argument = word.begin > 0 && text_[word.begin - 1] == '<';
      const std::string_view generic = argument ? word_before(word.begin - 1) : std::string_view{};
      return fail(DiagCode::P002, word.span(),
                  fmt::format("expected an expression, found the type name `{}`", name),
                  foreign_type_help(generic).empty()
                      ? fmt::format("type names are reserved; convert with cast<{}>(...)", name)
                      : std::string(foreign_type_help(generic)));
    }
    if (spec::kVectors.contains(type)) {
      want_operand = true;
      return open_bracket(Pending::Kind::Arguments, {.kind = ExprKind::Apply, .op = *spec::find_op(name)},
                          word.begin);
    }
    if (spec::kFloats.contains(type)) return parse_float_bits(type, word);
    return fail(DiagCode::P009, word.span(), fmt::format("`{}` is a type, not an operator", name),
                fmt::format("convert with cast<{}>(...)", name));
  }

  /// f32(0x7fc00001)
  bool parse_float_bits(DataType type, const Token& word) {
    const std::string_view name = lexer_.text(word);
    advance();
    if (!at(TokenKind::Number)) {
      return fail_token(fmt::format("the bits of the {0}, as in {0}({1:#0{2}x})", name,
                                    spec::float_format(type).nan(), 2 + 2 * spec::info(type).bytes),
                        fmt::format("{0}(...) takes exact bits; convert with cast<{0}>(...)", name));
    }
    const Token number = token_;
    uint32_t bits = 0;
    if (!expect_integer(fmt::format("the bits of the {}", name), bits)) return false;
    if (spec::value_bits(type) < 32 && bits >> spec::value_bits(type) != 0) {
      return fail(DiagCode::P005, number.span(),
                  fmt::format("{} has more than the {} bits of a {}", shorten(lexer_.text(number)),
                              spec::value_bits(type), name),
                  fmt::format("the largest number here is {:#x}", (1u << spec::value_bits(type)) - 1));
    }
    if (!expect(TokenKind::CloseParen, "`)`")) return false;
    return add_literal(type, {bits}, {word.begin, previous_end_});
  }

  std::string_view text_;
  Lexer lexer_;
  const spec::OpTable* ops_;
  Token token_;
  uint32_t previous_end_ = 0;
  std::optional<Diag> error_;
  std::map<std::string_view, uint32_t> constants_;  // of the file
  ir::Program program_;                             // the item that is being read
  Span name_span_ = Span::none();                   // of the name of the program
  bool in_operation_ = false;
  bool in_pipeline_ = false;
  bool in_graph_ = false;     // in an expression over tensors
  bool in_sizes_ = false;     // in a size of a graph
  std::vector<Span> called_;  // names before a parenthesis that are no operators: graphs, or nothing
  std::optional<size_t> hides_group_counts_;  // how many blocks are open around a num_workgroups of its own
  std::optional<ExprId> result_;              // of the operation
  std::vector<NodeId> statements_;
  std::vector<Open> open_;
  std::vector<Value> values_;
  std::vector<Pending> pending_;
  std::vector<ExprId> operands_;
  std::vector<bool> signs_;      // by ExprId: it was written with a sign
  std::vector<Token> words_;     // behind the points of a name
  std::vector<ExprId> indices_;  // of the store that is being read
};

}  // namespace vyre::text
