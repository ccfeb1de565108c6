// Tokens: the words, numbers, punctuation and comments of a text.
//
// The lexer hands out one token after the other and keeps nothing, so a text of any size costs no memory
// here. It gives comments as tokens: the parser skips them, the layout keeps them. Numbers are cut out here
// and understood in literal.h. Source: text-format, "Characters and words".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/diag.h"

namespace vyre::text {

enum class TokenKind : uint8_t {
  End,
  Invalid,  // the lexer stopped; Lexer::error() says why
  Comment,  // from // to the end of the line, without it
  Word,
  Number,
#define VYRE_PUNCTUATION(Name, text) Name,
#include "text/punctuation.def"
#undef VYRE_PUNCTUATION
};

enum class Keyword : uint8_t {
  None,  // not reserved
  Type,  // the name of a type
#define VYRE_KEYWORD(Name, text, begins) Name,
#include "text/keywords.def"
#undef VYRE_KEYWORD
};

/// What begins with a reserved word.
enum class Begins : uint8_t { Nothing, Statement, Operand, Buffer };
/// By Keyword. The name of a type stands before the components of a vector.
inline constexpr Begins kBegins[] = {
    Begins::Nothing,
    Begins::Operand,
#define VYRE_KEYWORD(Name, text, begins) Begins::begins,
#include "text/keywords.def"
#undef VYRE_KEYWORD
};

/// What a word is reserved for.
Keyword find_keyword(std::string_view word);

struct Token {
  TokenKind kind = TokenKind::End;
  Keyword keyword = Keyword::None;  // of a Word
  uint32_t begin = 0;
  uint32_t end = 0;
  Span span() const { return {begin, end}; }
};

class Lexer {
 public:
  /// Domain: fewer than 2^32 - 1 bytes.
  explicit Lexer(std::string_view text) : text_(text) {}

  /// The next token; after End or Invalid the same again.
  Token next();

  std::string_view text(const Token& token) const {
    return text_.substr(token.begin, token.end - token.begin);
  }
  /// Why the last token was Invalid.
  const Diag& error() const { return *error_; }

 private:
  Token fail(DiagCode code, size_t end, std::string message, std::string help = {});
  Token comment();
  Token number();
  Token unexpected();

  std::string_view text_;
  size_t at_ = 0;
  std::optional<Diag> error_;
};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
constexpr bool begins_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool continues_word(char c) { return begins_word(c) || is_digit(c); }

}  // namespace vyre::text
