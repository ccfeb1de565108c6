// Replay tokens: one line that names a failing case, for `vyre-conform replay`.
//
//   primitive.math.add@1:random:42:123456      subject : strategy : seed : index
//   primitive.math.add@1:law:0:0x1,0x2,0x0     subject : law : its number, claimed ones first : its variables
//   ir.operators/add.i32:edge256:42:17         an operator at a type, of a family
//   ir.barriers:program:42:3                   program 3 of a family
// Strategies and families are append-only ledgers, so a token keeps its meaning. It is at most 120
// characters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace vyre::verify {

inline constexpr size_t kMaxToken = 120;

struct Token {
  std::string subject;
  std::string strategy;  // of generate/strategies.def, or "whole", "program", "law"
  uint64_t seed = 0;
  uint64_t index = 0;            // of the case; "law": of the law
  std::vector<uint32_t> values;  // "law" alone
  bool operator==(const Token&) const = default;
};

std::string print(const Token& token);
/// Errors: C003.
Result<Token> parse_token(std::string_view text);

}  // namespace vyre::verify
