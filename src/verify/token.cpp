#include "verify/token.h"

#include <fmt/format.h>

#include <charconv>

namespace vyre::verify {
namespace {

bool parse_number(std::string_view text, uint64_t& out, int base = 10) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base);
  return error == std::errc{} && end == text.data() + text.size();
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

Diag malformed(std::string message) {
  return make_diag(DiagCode::C003, Span::none(), std::move(message),
                   "a token reads subject:strategy:seed:index, for example primitive.math.add@1:random:42:7");
}

}  // namespace

std::string print(const Token& token) {
  if (token.strategy != "law") {
    return fmt::format("{}:{}:{}:{}", token.subject, token.strategy, token.seed, token.index);
  }
  std::string values;
  for (const uint32_t v : token.values) values += fmt::format("{}{:#x}", values.empty() ? "" : ",", v);
  return fmt::format("{}:law:{}:{}", token.subject, token.index, values);
}

Result<Token> parse_token(std::string_view text) {
  if (text.size() > kMaxToken) {
    return std::unexpected(
        malformed(fmt::format("a token has at most {} characters, this has {}", kMaxToken, text.size())));
  }
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() != 4 || parts[0].empty() || parts[1].empty()) {
    return std::unexpected(malformed("a token has four parts with ':' between them"));
  }
  Token token;
  token.subject = parts[0];
  token.strategy = parts[1];
  if (token.strategy == "law") {
    if (!parse_number(parts[2], token.index))
      return std::unexpected(malformed("the number of the law is not a number"));
    for (std::string_view word : split(parts[3], ',')) {
      uint64_t bits = 0;
      if (!word.starts_with("0x") || !parse_number(word.substr(2), bits, 16) || bits > UINT32_MAX) {
        return std::unexpected(
            malformed("the variables of a law are words like 0x1f, with ',' between them"));
      }
      token.values.push_back(uint32_t(bits));
    }
    return token;
  }
  if (!parse_number(parts[2], token.seed)) return std::unexpected(malformed("the seed is not a number"));
  if (!parse_number(parts[3], token.index)) return std::unexpected(malformed("the index is not a number"));
  return token;
}

}  // namespace vyre::verify
