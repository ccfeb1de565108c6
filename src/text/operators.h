// The infix and prefix operators of the text: what the parser reads and the printer writes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "spec/ops.h"
#include "text/lexer.h"

namespace vyre::text {

/// Groups that languages order differently: direct operands may not mix Shift with Arithmetic, nor two
/// different operators of Bitwise, without parentheses; comparisons do not chain at all.
enum class InfixGroup : uint8_t { Arithmetic, Shift, Bitwise, Comparison, Logic };

/// An infix operator. Higher precedence binds tighter; all associate to the left.
struct InfixOperator {
  TokenKind token;
  std::string_view text;
  uint8_t precedence;
  InfixGroup group;
  // What it means on integers and on floats; none: there is no such operator on floats. The type of the
  // operands chooses (ir/expr_type.h).
  spec::Op integer;
  std::optional<spec::Op> floating = spec::on_floats(integer);
};

inline constexpr auto kInfix = std::to_array<InfixOperator>({
    {TokenKind::Star, "*", 9, InfixGroup::Arithmetic, spec::Op::Mul},
    {TokenKind::Slash, "/", 9, InfixGroup::Arithmetic, spec::Op::Div},
    {TokenKind::Percent, "%", 9, InfixGroup::Arithmetic, spec::Op::Mod},
    {TokenKind::Plus, "+", 8, InfixGroup::Arithmetic, spec::Op::Add},
    {TokenKind::Minus, "-", 8, InfixGroup::Arithmetic, spec::Op::Sub},
    {TokenKind::LessLess, "<<", 7, InfixGroup::Shift, spec::Op::Shl},
    {TokenKind::GreaterGreater, ">>", 7, InfixGroup::Shift, spec::Op::Shr},
    {TokenKind::And, "&", 6, InfixGroup::Bitwise, spec::Op::BitAnd},
    {TokenKind::Caret, "^", 5, InfixGroup::Bitwise, spec::Op::BitXor},
    {TokenKind::Pipe, "|", 4, InfixGroup::Bitwise, spec::Op::BitOr},
    {TokenKind::EqualEqual, "==", 3, InfixGroup::Comparison, spec::Op::Eq},
    {TokenKind::BangEqual, "!=", 3, InfixGroup::Comparison, spec::Op::Ne},
    {TokenKind::Less, "<", 3, InfixGroup::Comparison, spec::Op::Lt},
    {TokenKind::Greater, ">", 3, InfixGroup::Comparison, spec::Op::Gt},
    {TokenKind::LessEqual, "<=", 3, InfixGroup::Comparison, spec::Op::Le},
    {TokenKind::GreaterEqual, ">=", 3, InfixGroup::Comparison, spec::Op::Ge},
    {TokenKind::AndAnd, "&&", 2, InfixGroup::Logic, spec::Op::And},
    {TokenKind::PipePipe, "||", 1, InfixGroup::Logic, spec::Op::Or},
});

struct PrefixOperator {
  TokenKind token;
  std::string_view text;
  spec::Op integer;
  std::optional<spec::Op> floating = spec::on_floats(integer);
};
inline constexpr auto kPrefix = std::to_array<PrefixOperator>({
    {TokenKind::Minus, "-", spec::Op::Negate},
    {TokenKind::Tilde, "~", spec::Op::BitNot},
    {TokenKind::Bang, "!", spec::Op::LogicalNot},
});

constexpr const InfixOperator* find_infix(TokenKind token) {
  for (const InfixOperator& infix : kInfix) {
    if (infix.token == token) return &infix;
  }
  return nullptr;
}
/// The sign of an operator, on whatever type.
constexpr const InfixOperator* find_infix(spec::Op op) {
  for (const InfixOperator& infix : kInfix) {
    if (infix.integer == op || infix.floating == op) return &infix;
  }
  return nullptr;
}
constexpr const PrefixOperator* find_prefix(TokenKind token) {
  for (const PrefixOperator& prefix : kPrefix) {
    if (prefix.token == token) return &prefix;
  }
  return nullptr;
}
constexpr const PrefixOperator* find_prefix(spec::Op op) {
  for (const PrefixOperator& prefix : kPrefix) {
    if (prefix.integer == op || prefix.floating == op) return &prefix;
  }
  return nullptr;
}

/// Whether `inner` as a direct operand of `outer` must stand in parentheses although precedence would not ask
/// for it (P007).
constexpr bool must_parenthesise(const InfixOperator& outer, const InfixOperator& inner) {
  if (outer.group == InfixGroup::Shift) return inner.group == InfixGroup::Arithmetic;
  if (outer.group == InfixGroup::Arithmetic) return inner.group == InfixGroup::Shift;
  return outer.group == InfixGroup::Bitwise && inner.group == InfixGroup::Bitwise &&
         outer.token != inner.token;
}
/// Whether an operand of `outer` would chain comparisons (P008).
constexpr bool chains(const InfixOperator& outer, const InfixOperator& inner) {
  return outer.group == InfixGroup::Comparison && inner.group == InfixGroup::Comparison;
}

/// Words that are kept for types to come (types.def), where a type is expected.
inline constexpr auto kLaterTypes = std::to_array<std::string_view>({"f64", "i64"});

}  // namespace vyre::text
