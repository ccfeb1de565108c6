// Replay tokens: one line that names a failing case, for `vyre-conform replay`.
//
//   primitive.math.add@1:random:42:123456      subject : strategy : seed : index
//   primitive.math.add@1:law:0:0x1,0x2,0x0     subject : law : its number, claimed ones first : its variables
//   ir.operators/add.i32:edge256:42:17         an operator at a type, of a family
//   primitive.math.add@1:operands:0:0x1,0x2    an operation at these operands
//   ir.operators/add.u128:operands:0:0x000000010000...  words of eight digits each, where commas are too long
//   ir.barriers:program:42:3                   program 3 of a family
// A case that goes wrong in company alone is followed by what must be run, in order: "=", then dispatches
// with ',' between them, of cases with '+' between them; a case of another strategy names it.
//   primitive.math.add@1:boundary:42:7=7+8     cases 7 and 8 in one dispatch; 7 is the culprit
//   ir.barriers:program:42:3=1,3               program 3 after program 1
//   primitive.math.add@1:random:42:3=edge256.9+3
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

/// A case within the run of a token.
struct TokenCase {
  std::string strategy;
  uint64_t index = 0;
  bool operator==(const TokenCase&) const = default;
};

struct Token {
  std::string subject;
  std::string strategy;  // of generate/strategies.def, or "whole", "program", "law", "operands"
  uint64_t seed = 0;
  uint64_t index = 0;            // of the case; "law": of the law
  std::vector<uint32_t> values;  // "law" and "operands" alone
  /// Dispatches in order, each of cases in order; empty: the case alone.
  std::vector<std::vector<TokenCase>> scenario = {};
  bool operator==(const Token&) const = default;
};

std::string print(const Token& token);
/// The same, but without its scenario where that makes it too long.
std::string print_short(Token token);
/// Errors: C003.
Result<Token> parse_token(std::string_view text);

}  // namespace vyre::verify
