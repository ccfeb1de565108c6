#include "text/layout.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "spec/limits.h"
#include "text/lexer.h"
#include "text/literal.h"
#include "text/operators.h"
#include "text/text.h"

namespace vyre::text {
namespace {

constexpr size_t kIndent = 2;
constexpr size_t kContinuation = 4;
// Blocks deeper than any valid program's are not indented further, so that the text stays linear in the
// tokens.
constexpr size_t kDeepestIndent = kIndent * spec::kMaxNesting;
// What a line may fill however far it is indented.
constexpr size_t kLeastWidth = 40;

// What it costs to end a line between two tokens: the outermost bracket breaks first, then the loosest
// operator.
constexpr uint32_t kNoBreak = UINT32_MAX;
constexpr uint32_t kBreakAfterEqual = UINT32_MAX - 1;  // only where nothing else is left
constexpr uint32_t kLevel = 16;                        // of one bracket: more than any precedence
constexpr uint32_t kBreakAfterParameter = kLevel;
constexpr uint32_t kForced = UINT32_MAX - 2;  // the line always ends

struct Comment {
  std::string_view text;
  bool own_line = false;      // nothing but white space before it on its line
  bool blank_before = false;  // an empty line before it
};

/// A token, or a comment, of the unit that is being collected.
struct Lexeme {
  std::string_view text;
  bool space = false;  // a blank before it, unless it begins a line
  bool comment = false;
  bool own_line = false;           // of a comment
  uint32_t break_cost = kNoBreak;  // what a line end before it costs
};

/// Reads tokens with the comments before each, collects them into units (a statement, or what stands before a
/// `{`), and writes each unit when it is complete.
class Layout {
 public:
  explicit Layout(std::string_view text) : text_(text), lexer_(text) {}

  Result<std::string> run() {
    while (true) {
      read();
      if (token_.kind == TokenKind::Invalid) return std::unexpected(lexer_.error());
      if (!unit_.empty()) {
        inside_unit();
      } else if (token_.kind == TokenKind::Word && token_.keyword == Keyword::Else && after_close_) {
        defer_comments();
        begin_unit();
      } else {
        between_units();
      }
      if (token_.kind == TokenKind::End) break;
    }
    if (!out_.empty()) out_ += '\n';
    return std::move(out_);
  }

 private:
  // Reading.

  void read() {
    comments_.swap(carried_);
    carried_.clear();
    while (true) {
      const uint32_t previous = token_.end;
      token_ = lexer_.next();
      const std::string_view gap = text_.substr(previous, token_.begin - previous);
      const auto lines = std::ranges::count(gap, '\n');
      blank_before_ = lines > 1;
      if (token_.kind != TokenKind::Comment) {
        adjacent_ = gap.empty();
        return;
      }
      comments_.push_back({lexer_.text(token_), lines > 0 || previous == 0, blank_before_});
    }
  }

  void defer_comments() {
    deferred_.insert(deferred_.end(), comments_.begin(), comments_.end());
    comments_.clear();
  }

  // Between units: in a block, or around the program.

  void between_units() {
    for (const Comment& comment : comments_) write_comment(comment);
    comments_.clear();
    if (token_.kind == TokenKind::End) return;
    if (token_.kind == TokenKind::CloseBrace) return close_block();
    start_line(blank_before_);
    begin_unit();
  }

  void write_comment(const Comment& comment) {
    if (!comment.own_line && line_open_) {
      out_ += "  ";
    } else {
      start_line(comment.blank_before);
      block_start_ = false;
    }
    out_ += comment.text;
    line_open_ = false;
    empty_block_ = false;
    after_close_ = false;
  }

  void start_line(bool blank) {
    if (!out_.empty()) out_ += blank && !block_start_ ? "\n\n" : "\n";
    out_.append(indent(), ' ');
  }

  size_t indent() const { return std::min(depth_ * kIndent, kDeepestIndent); }

  void close_block() {
    if (depth_ > 0) --depth_;
    block_start_ = false;
    if (!empty_block_) start_line(false);
    out_ += '}';
    empty_block_ = false;
    after_close_ = true;
    line_open_ = true;
  }

  // Units.

  void begin_unit() {
    if (depth_ == 0) item_ = item_of(lexer_.text(token_));
    header_ = depth_ == 0 && (item_ == Item::Program || item_ == Item::Pipeline || item_ == Item::Graph);
    first_word_ = token_.kind == TokenKind::Word ? lexer_.text(token_) : std::string_view{};
    else_ = token_.kind == TokenKind::Word && token_.keyword == Keyword::Else;
    after_close_ = false;
    block_start_ = false;
    empty_block_ = false;
    previous_ = {};
    nesting_ = 0;
    angles_ = 0;
    parameters_ = {};
    add_token();
  }

  void inside_unit() {
    const bool before_condition = else_ && unit_.size() < 3;  // else if (
    const bool inside_parameters = parameters_.first != 0 && parameters_.last == 0;
    if ((token_.kind == TokenKind::OpenBrace && item_ != Item::Const) || before_condition ||
        (header_ && !inside_parameters)) {
      defer_comments();
    } else if (token_.kind == TokenKind::Comma || token_.kind == TokenKind::Semicolon ||
               (inside_parameters && !at_parameter_edge())) {
      carried_.swap(comments_);  // they go behind it
    } else if (token_.kind != TokenKind::End) {
      for (const Comment& comment : comments_) {
        unit_.push_back({.text = comment.text, .comment = true, .own_line = comment.own_line});
      }
      comments_.clear();
    }
    if (token_.kind == TokenKind::End) {  // not a whole program; what there is of it is kept
      write_unit();
      between_units();
    } else {
      add_token();
    }
  }

  /// Between two parameters of the header, or at the end of the list.
  bool at_parameter_edge() const {
    const bool begins = previous_.kind == TokenKind::OpenParen || previous_.kind == TokenKind::Comma;
    return nesting_ == 1 && (begins || token_.kind == TokenKind::CloseParen);
  }

  void add_token() {
    const Role role = role_of_token();
    const std::string_view text = lexer_.text(token_);
    const bool negates_literal = previous_.prefix && previous_.kind == TokenKind::Minus && !adjacent_ &&
                                 role.kind == TokenKind::Number && takes_sign(read_number(text));
    if (negates_literal) {
      // Without the blank the minus would become a part of the literal.
      unit_.push_back({.text = "("});
      unit_.push_back({.text = text});
      unit_.push_back({.text = ")"});
    } else {
      unit_.push_back({.text = text, .space = wants_space(role), .break_cost = break_cost()});
    }
    track_brackets(role);
    previous_ = role;
    const bool opens_block = role.kind == TokenKind::OpenBrace && item_ != Item::Const;
    if (opens_block || role.kind == TokenKind::Semicolon) end_unit();
  }

  /// What stands at the top level of the file.
  enum class Item : uint8_t { Program, Const, Operation, Pipeline, Graph };
  static Item item_of(std::string_view word) {
    if (word == "const") return Item::Const;
    if (word == "operation") return Item::Operation;
    if (word == "graph") return Item::Graph;
    return word == "pipeline" ? Item::Pipeline : Item::Program;
  }
  /// Whether the token begins a clause of an operation, which stands in a line of its own.
  bool begins_clause() const {
    if (depth_ != 0 || item_ != Item::Operation || nesting_ != 0 || token_.kind != TokenKind::Word)
      return false;
    if (unit_.size() == 1) return false;  // the first word of the id
    const std::string_view word = lexer_.text(token_);
    return previous_.kind != TokenKind::Dot && (word == "claims" || word == "denies" || word == "rows");
  }
  /// Whether a parenthesis behind this word stands apart from it, as behind `if`.
  bool stands_apart(std::string_view word) const {
    if (unit_.size() > 1 && unit_[unit_.size() - 2].text == ".") return false;  // the end of an id
    if (item_ == Item::Operation && depth_ == 0) return word == "by" || word == "rows";
    return item_ == Item::Pipeline && first_word_ == "repeat" && nesting_ == 0 &&
           (word == "while" || unit_.size() == 1);
  }

  /// What a token is beside its kind; decides about the blanks around it.
  struct Role {
    TokenKind kind = TokenKind::End;
    Keyword keyword = Keyword::None;  // of a word that is not a part of an operation's id
    bool prefix = false;              // an operator before its operand
    bool infix = false;
    bool opens_angle = false;  // the < and > of cast<type> and tensor<type, shape>
    bool closes_angle = false;
    bool ends_operand = false;  // a minus after it is a subtraction
  };

  Role role_of_token() const {
    Role role = {.kind = token_.kind};
    const bool in_id = previous_.kind == TokenKind::Dot;
    const bool repeats = item_ == Item::Pipeline && unit_.empty() && first_word_ == "repeat";
    if (token_.kind == TokenKind::Word && !in_id) role.keyword = token_.keyword;
    role.ends_operand =
        token_.kind == TokenKind::Number || token_.kind == TokenKind::CloseParen ||
        token_.kind == TokenKind::CloseBracket ||
        (token_.kind == TokenKind::Word && !repeats &&
         (role.keyword == Keyword::None || role.keyword == Keyword::True || role.keyword == Keyword::False));
    role.prefix = find_prefix(token_.kind) != nullptr && !previous_.ends_operand;
    role.opens_angle = token_.kind == TokenKind::Less &&
                       (previous_.keyword == Keyword::Cast || previous_.keyword == Keyword::Bitcast ||
                        previous_.keyword == Keyword::Type);  // tensor<...>
    role.closes_angle = token_.kind == TokenKind::Greater && angles_ > 0;
    role.infix =
        find_infix(token_.kind) != nullptr && !role.prefix && !role.opens_angle && !role.closes_angle;
    return role;
  }

  static bool is_one_of(TokenKind kind, std::initializer_list<TokenKind> kinds) {
    return std::ranges::find(kinds, kind) != kinds.end();
  }

  bool wants_space(const Role& role) const {
    using enum TokenKind;
    if (role.kind == Dot && previous_.kind == Number) return true;  // `2.x` would be a number
    if (is_one_of(role.kind, {CloseParen, CloseBracket, CloseBrace, Comma, Semicolon, Colon, Dot, DotDot}))
      return false;
    if (is_one_of(previous_.kind, {OpenParen, OpenBracket, OpenBrace, Dot, DotDot, At})) return false;
    if (previous_.prefix || previous_.opens_angle || role.opens_angle || role.closes_angle) return false;
    if (role.kind == At) return header_ && item_ != Item::Graph;
    if (role.kind == OpenBracket) {
      return !previous_.ends_operand && !previous_.closes_angle && previous_.keyword != Keyword::Type &&
             previous_.keyword != Keyword::Strides;
    }
    if (role.kind == OpenParen) {
      if (previous_.closes_angle || previous_.kind == Number) return false;  // cast<u32>(x), id@2(x)
      if (previous_.kind == Word && stands_apart(unit_.back().text)) return true;
      return previous_.kind != Word || previous_.keyword == Keyword::If || previous_.keyword == Keyword::In ||
             previous_.keyword == Keyword::Return || previous_.keyword == Keyword::Let;
    }
    return true;
  }

  uint32_t break_cost() const {
    if (begins_clause()) return kForced;
    if (previous_.kind == TokenKind::Comma) return nesting_ * kLevel;
    if (header_ && nesting_ == 0 &&
        (token_.keyword == Keyword::Workgroup || token_.kind == TokenKind::MinusGreater))
      return 0;
    if (previous_.kind == TokenKind::Equal) return kBreakAfterEqual;
    if (previous_.infix) return nesting_ * kLevel + find_infix(previous_.kind)->precedence;
    return kNoBreak;
  }

  void track_brackets(const Role& role) {
    angles_ += role.opens_angle ? 1 : 0;
    angles_ -= role.closes_angle ? 1 : 0;
    if (role.kind == TokenKind::OpenParen || role.kind == TokenKind::OpenBracket || role.opens_angle) {
      if (header_ && parameters_.first == 0) parameters_.first = unit_.size();
      ++nesting_;
    }
    if (role.kind == TokenKind::CloseParen || role.kind == TokenKind::CloseBracket || role.closes_angle) {
      nesting_ -= nesting_ > 0 ? 1 : 0;
      if (header_ && parameters_.last == 0 && nesting_ == 0) parameters_.last = unit_.size() - 1;
    }
  }

  void end_unit() {
    const bool opens = previous_.kind == TokenKind::OpenBrace;
    write_unit();
    if (opens) {
      ++depth_;
      block_start_ = true;
      empty_block_ = true;
      carried_.insert(carried_.begin(), deferred_.begin(), deferred_.end());
      deferred_.clear();
    }
  }

  // Writing a unit.

  void write_unit() {
    if (else_) out_ += ' ';
    const size_t column = indent() + (else_ ? 2 : 0);
    const bool whole_header = header_ && parameters_.last != 0;
    if (whole_header && line_end(0, column) != unit_.size()) {
      write_header();
    } else {
      write_lines(column);
    }
    line_open_ = true;
    unit_.clear();
  }

  /// A header that does not fit a line: the parameters in one line or one in each, and then the workgroup
  /// size or the outputs.
  void write_header() {
    const size_t end = parameters_.last;
    if (line_end(0, 0) == end + 1) {
      write_pieces(0, end + 1);
      new_line(kContinuation);
      return write_lines(kContinuation, end + 1, 2 * kContinuation);
    }
    write_pieces(0, parameters_.first);
    for (size_t i = parameters_.first; i < end;) {
      if (unit_[i].comment) {
        write_inner_comment(unit_[i++], kIndent);
        continue;
      }
      const size_t first = i++;
      while (i < end && !unit_[i].comment && unit_[i].break_cost != kBreakAfterParameter) ++i;
      write_parameter(first, i);
    }
    new_line(0);
    write_pieces(end, end + 1);
    if (end + 1 < unit_.size() && unit_[end + 1].space) out_ += ' ';
    write_lines(2, end + 1, kContinuation);
  }

  /// A parameter on a line of its own, or on several where a tensor has many dimensions.
  void write_parameter(size_t first, size_t end) {
    for (size_t indented = kIndent; first < end; indented = kIndent + kContinuation) {
      const size_t line = line_end(first, indented, end);
      new_line(indented);
      write_pieces(first, line);
      first = line;
    }
  }

  /// The lexemes from `first` on, from this column; other lines are indented by `further` more.
  void write_lines(size_t column, size_t first = 0, size_t further = kContinuation) {
    bool clause = false;  // of an operation: what it lists goes on further in than it begins
    for (size_t i = first; i < unit_.size();) {
      const size_t end = line_end(i, column);
      write_pieces(i, end);
      const size_t more = further * (clause ? 2 : 1);
      for (i = end; i < unit_.size() && unit_[i].comment; ++i) write_inner_comment(unit_[i], more);
      if (i == unit_.size()) break;
      const bool begins_clause = unit_[i].break_cost == kForced;
      clause |= begins_clause;
      column = indent() + further * (clause && !begins_clause ? 2 : 1);
      new_line(column - indent());
    }
  }

  /// The end of the line that begins with lexeme `first` in this column: a comment, the cheapest break that
  /// still fits, the first break where none fits, or the end.
  size_t line_end(size_t first, size_t column, size_t end) const {
    const size_t limit = std::max(kLineWidth, column + kLeastWidth);
    size_t best = first;
    bool over = false;
    for (size_t i = first; i < end; ++i) {
      const Lexeme& lexeme = unit_[i];
      if (lexeme.comment || (i > first && lexeme.break_cost == kForced)) return i;
      if (i > first && lexeme.break_cost != kNoBreak) {
        if (over) return i;
        if (best == first || lexeme.break_cost <= unit_[best].break_cost) best = i;
      }
      column += lexeme.text.size() + (lexeme.space && i > first ? 1 : 0);
      over = over || column > limit;
      if (over && best != first) return best;
    }
    return end;
  }
  size_t line_end(size_t first, size_t column) const { return line_end(first, column, unit_.size()); }

  void write_pieces(size_t first, size_t end) {
    for (size_t i = first; i < end; ++i) {
      if (unit_[i].space && i > first) out_ += ' ';
      out_ += unit_[i].text;
      line_open_ = true;
    }
  }

  void write_inner_comment(const Lexeme& comment, size_t more) {
    if (!comment.own_line && line_open_) {
      out_ += "  ";
    } else {
      new_line(more);
    }
    out_ += comment.text;
    line_open_ = false;
  }

  void new_line(size_t more) {
    out_ += '\n';
    out_.append(indent() + more, ' ');
  }

  std::string_view text_;
  Lexer lexer_;
  std::string out_;

  // The token just read, and what was before it.
  Token token_;
  std::vector<Comment> comments_;  // between the token before and this one, and those that were carried here
  std::vector<Comment> carried_;   // to be written behind the token at hand
  std::vector<Comment> deferred_;  // to be written behind the next `{`
  bool blank_before_ = false;
  bool adjacent_ = false;  // nothing between the token before and this one

  // Where the output stands.
  size_t depth_ = 0;
  bool line_open_ = false;    // the line ends with a token: a comment may follow on it
  bool block_start_ = false;  // nothing but a comment behind the `{` yet: no empty lines
  bool empty_block_ = false;  // nothing at all since the `{`
  bool after_close_ = false;  // directly behind a `}`: an else goes on in its line

  // The unit that is being collected.
  struct ParameterRange {
    size_t first = 0;  // the lexeme behind the header's first parenthesis; 0: not there yet
    size_t last = 0;   // the lexeme that closes it; 0: not there yet
  };
  Item item_ = Item::Program;    // that it stands in
  std::string_view first_word_;  // of the unit
  std::vector<Lexeme> unit_;
  Role previous_;
  uint32_t nesting_ = 0;
  uint32_t angles_ = 0;
  bool header_ = false;
  bool else_ = false;
  ParameterRange parameters_;
};

}  // namespace

Result<std::string> lay_out(std::string_view text) { return Layout(text).run(); }

Result<std::string> format(std::string_view text) {
  if (auto module = parse_module(text); !module) return std::unexpected(std::move(module).error());
  return lay_out(text);
}

}  // namespace vyre::text
