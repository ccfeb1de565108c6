#include "verify/token.h"

#include <fmt/format.h>

#include <charconv>

namespace vyre::verify {
namespace {

bool parse_number(std::string_view text, uint64_t& out, int base = 10) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base);
  return error == std::errc{} && end == text.data() + text.size();
}

std::vector<std::string_view> split_token(std::string_view text, char separator) {
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

/// Whether the token ends with words instead of a seed and a number.
bool has_values(std::string_view strategy) { return strategy == "law" || strategy == "operands"; }

Result<std::vector<std::vector<TokenCase>>> parse_scenario(std::string_view text, std::string_view strategy) {
  std::vector<std::vector<TokenCase>> out;
  for (const std::string_view dispatch : split_token(text, ',')) {
    out.emplace_back();
    for (std::string_view word : split_token(dispatch, '+')) {
      TokenCase c{std::string(strategy), 0};
      if (const size_t dot = word.find('.'); dot != std::string_view::npos) {
        c.strategy = word.substr(0, dot);
        word.remove_prefix(dot + 1);
      }
      if (c.strategy.empty() || !parse_number(word, c.index)) {
        return std::unexpected(malformed(
            "after '=' stand cases by their numbers, with '+' or ',' between them, for example =7+8,9"));
      }
      out.back().push_back(std::move(c));
    }
  }
  return out;
}

}  // namespace

std::string print(const Token& token) {
  if (has_values(token.strategy)) {
    std::string values, packed = "0x";
    for (const uint32_t v : token.values) {
      values += fmt::format("{}{:#x}", values.empty() ? "" : ",", v);
      packed += fmt::format("{:08x}", v);
    }
    const std::string out = fmt::format("{}:{}:{}:", token.subject, token.strategy, token.index);
    return out + (out.size() + values.size() > kMaxToken ? packed : values);
  }
  std::string out = fmt::format("{}:{}:{}:{}", token.subject, token.strategy, token.seed, token.index);
  for (size_t d = 0; d < token.scenario.size(); ++d) {
    out += d == 0 ? '=' : ',';
    for (size_t k = 0; k < token.scenario[d].size(); ++k) {
      const TokenCase& c = token.scenario[d][k];
      if (k != 0) out += '+';
      if (c.strategy != token.strategy) out += c.strategy + '.';
      out += std::to_string(c.index);
    }
  }
  return out;
}

std::string print_short(Token token) {
  std::string out = print(token);
  if (out.size() <= kMaxToken) return out;
  token.scenario.clear();
  return print(token);
}

Result<Token> parse_token(std::string_view text) {
  if (text.size() > kMaxToken) {
    return std::unexpected(
        malformed(fmt::format("a token has at most {} characters, this has {}", kMaxToken, text.size())));
  }
  const std::vector<std::string_view> parts = split_token(text, ':');
  if (parts.size() != 4 || parts[0].empty() || parts[1].empty()) {
    return std::unexpected(malformed("a token has four parts with ':' between them"));
  }
  Token token;
  token.subject = parts[0];
  token.strategy = parts[1];
  if (has_values(token.strategy)) {
    if (!parse_number(parts[2], token.index))
      return std::unexpected(malformed("the number of the law is not a number"));
    std::vector<std::string_view> words = split_token(parts[3], ',');
    std::vector<std::string> unpacked;
    if (words.size() == 1 && words[0].size() > 2 + 8 && (words[0].size() - 2) % 8 == 0) {
      for (size_t at = 2; at < words[0].size(); at += 8)
        unpacked.push_back(std::string(words[0].substr(0, 2)) + std::string(words[0].substr(at, 8)));
      words.assign(unpacked.begin(), unpacked.end());
    }
    for (std::string_view word : words) {
      uint64_t bits = 0;
      if (!word.starts_with("0x") || !parse_number(word.substr(2), bits, 16) || bits > UINT32_MAX) {
        return std::unexpected(
            malformed("variables and operands are words like 0x1f, with ',' between them"));
      }
      token.values.push_back(uint32_t(bits));
    }
    return token;
  }
  if (!parse_number(parts[2], token.seed)) return std::unexpected(malformed("the seed is not a number"));
  std::string_view index = parts[3];
  if (const size_t equals = index.find('='); equals != std::string_view::npos) {
    VYRE_TRY(scenario, parse_scenario(index.substr(equals + 1), token.strategy));
    token.scenario = std::move(scenario);
    index = index.substr(0, equals);
  }
  if (!parse_number(index, token.index)) return std::unexpected(malformed("the index is not a number"));
  return token;
}

}  // namespace vyre::verify
