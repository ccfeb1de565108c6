#include "text/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "spec/types.h"
#include "text/foreign_words.h"
#include "text/text.h"

namespace vyre::text {
namespace {

struct Reserved {
  std::string_view text;
  Keyword keyword;
};

constexpr auto kReserved = [] {
  constexpr auto keywords = std::to_array<Reserved>({
#define VYRE_KEYWORD(Name, text, begins) {text, Keyword::Name},
#include "text/keywords.def"
#undef VYRE_KEYWORD
  });
  // Small types are younger than texts, in which their names may be those of anything.
  constexpr size_t types = spec::kTypeCount - size_t(std::popcount(spec::kSmall.bits));
  std::array<Reserved, keywords.size() + types> all{};
  auto at = std::ranges::copy(keywords, all.begin()).out;
  for (const spec::TypeInfo& type : spec::kTypes) {
    if (!spec::is_small(type.type)) *at++ = {type.text, Keyword::Type};
  }
  std::ranges::sort(all, {}, &Reserved::text);
  return all;
}();

struct Punctuation {
  std::string_view text;
  TokenKind kind;
};

constexpr auto kPunctuation = std::to_array<Punctuation>({
#define VYRE_PUNCTUATION(Name, text) {text, TokenKind::Name},
#include "text/punctuation.def"
#undef VYRE_PUNCTUATION
});

/// The length of the UTF-8 sequence at the beginning of a text, 0 where there is none. Source: Unicode 15,
/// table 3-7.
size_t code_point_length(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto tail = [&](size_t i) { return byte(i) >= 0x80 && byte(i) <= 0xBF; };
  const unsigned lead = byte(0), second = byte(1);
  if (text.empty()) return 0;
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return tail(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80, high = lead == 0xED ? 0x9F : 0xBF;
    return second >= low && second <= high && tail(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80, high = lead == 0xF4 ? 0x8F : 0xBF;
    return second >= low && second <= high && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

std::string not_utf8(char c) {
  return fmt::format("the byte 0x{:02x} cannot be decoded as UTF-8", static_cast<unsigned char>(c));
}

}  // namespace

Keyword find_keyword(std::string_view word) {
  const auto found = std::ranges::lower_bound(kReserved, word, {}, &Reserved::text);
  return found != kReserved.end() && found->text == word ? found->keyword : Keyword::None;
}

bool is_name(std::string_view text) {
  return !text.empty() && begins_word(text[0]) && std::ranges::all_of(text, continues_word) &&
         find_keyword(text) == Keyword::None;
}

bool is_operation_id(std::string_view text) {
  size_t dot = text.find('.');
  if (dot == std::string_view::npos || !is_name(text.substr(0, dot))) return false;
  while (dot != std::string_view::npos) {
    text.remove_prefix(dot + 1);
    dot = text.find('.');
    const std::string_view word = text.substr(0, dot);
    if (word.empty() || !begins_word(word[0]) || !std::ranges::all_of(word, continues_word)) return false;
  }
  return true;
}

Token Lexer::next() {
  if (error_) return {.kind = TokenKind::Invalid, .begin = error_->span.begin, .end = error_->span.end};
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
    ++at_;
  }
  const uint32_t begin = uint32_t(at_);
  if (at_ == text_.size()) return {.kind = TokenKind::End, .begin = begin, .end = begin};
  const char c = text_[at_];
  if (begins_word(c)) {
    while (at_ < text_.size() && continues_word(text_[at_])) ++at_;
    return {TokenKind::Word, find_keyword(text_.substr(begin, at_ - begin)), begin, uint32_t(at_)};
  }
  if (is_digit(c)) return number();
  const std::string_view rest = text_.substr(at_);
  if (rest.starts_with("//")) return comment();
  if (rest.starts_with("/*")) {
    return fail(DiagCode::P001, at_ + 2, "there are no /* */ comments",
                "a comment runs from // to the end of the line");
  }
  for (const Punctuation& punctuation : kPunctuation) {
    if (punctuation.text.front() == c && rest.starts_with(punctuation.text)) {
      at_ += punctuation.text.size();
      return {.kind = punctuation.kind, .begin = begin, .end = uint32_t(at_)};
    }
  }
  return unexpected();
}

Token Lexer::fail(DiagCode code, size_t end, std::string message, std::string help) {
  error_ = make_diag(code, {uint32_t(at_), uint32_t(end)}, std::move(message), std::move(help));
  return next();
}

Token Lexer::comment() {
  const uint32_t begin = uint32_t(at_);
  while (at_ < text_.size() && text_[at_] != '\n') {
    const size_t length = code_point_length(text_.substr(at_));
    if (length == 0) {
      return fail(DiagCode::P014, at_ + 1, not_utf8(text_[at_]), "save the file as UTF-8");
    }
    if (text_[at_] == '\0') return fail(DiagCode::P001, at_ + 1, "a NUL byte in a comment", "remove it");
    at_ += length;
  }
  // White space at the end of the line, the \r of a DOS line end among it, is no part of the comment.
  size_t end = at_;
  while (text_[end - 1] == ' ' || text_[end - 1] == '\t' || text_[end - 1] == '\r') --end;
  return {.kind = TokenKind::Comment, .begin = begin, .end = uint32_t(end)};
}

/// A number is everything that looks like one: letters, digits and underscores, a point between digits, a
/// sign in an exponent. Whether it is one says literal.h.
Token Lexer::number() {
  const size_t begin = at_;
  const auto peek = [&](size_t ahead) { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; };
  const bool hex = peek(0) == '0' && (peek(1) == 'x' || peek(1) == 'X');
  const bool binary = peek(0) == '0' && (peek(1) == 'b' || peek(1) == 'B');
  bool exponent = false;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (continues_word(c)) {
      const bool marks_exponent = hex ? c == 'p' || c == 'P' : !binary && (c == 'e' || c == 'E');
      ++at_;
      if (marks_exponent && !exponent) {
        exponent = true;
        if ((peek(0) == '+' || peek(0) == '-') && is_digit(peek(1))) ++at_;
      }
    } else if (c == '.' && peek(1) != '.' && !exponent) {
      const bool fraction = hex ? is_hex_digit(peek(1)) : is_digit(peek(1));
      if (!fraction) {
        const size_t end = at_ + 1;
        at_ = begin;
        return fail(DiagCode::P004, end, "a point without a digit after it",
                    "a float has a digit on both sides of its point: 1.0");
      }
      ++at_;
    } else {
      break;
    }
  }
  return {.kind = TokenKind::Number, .begin = uint32_t(begin), .end = uint32_t(at_)};
}

Token Lexer::unexpected() {
  const unsigned char c = static_cast<unsigned char>(text_[at_]);
  const size_t length = code_point_length(text_.substr(at_));
  if (length == 0) return fail(DiagCode::P014, at_ + 1, not_utf8(text_[at_]), "save the file as UTF-8");
  if (text_.substr(at_).starts_with("\xEF\xBB\xBF")) {
    return fail(DiagCode::P001, at_ + length, "a byte order mark", "save the file as UTF-8 without one");
  }
  if (c == '\0') return fail(DiagCode::P001, at_ + 1, "a NUL byte", "a .vyre file is text; remove it");
  if (c < 0x20 || c == 0x7F) {
    return fail(DiagCode::P001, at_ + 1, fmt::format("the control character 0x{:02x}", c), "remove it");
  }
  const std::string_view character = text_.substr(at_, length);
  const std::string foreign(foreign_help(character));
  return fail(DiagCode::P001, at_ + length, fmt::format("unexpected character `{}`", character),
              !foreign.empty() ? foreign
              : length > 1     ? "outside comments a program is ASCII"
                               : "see the grammar in docs/text-format.md");
}

}  // namespace vyre::text
