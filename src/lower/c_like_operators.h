// Raw operators and atomics in languages that look like C: one row an operator, one pattern a dialect.
//
// A raw operator is partial and means what the expression means on its domain. In a pattern {0}, {1} and {2}
// are the operands, names of words; {3} and {4} make a signed number of a word and a word of a signed number.
// What C++ and CUDA C++ write differently is a function of the file's prelude (source/prelude.h). Source:
// C++20, [expr]; WGSL, "Expressions", "Numeric Built-in Functions", "Atomic Read-modify-write".
#pragma once

#include <array>
#include <string_view>

#include "lower/c_like.h"
#include "spec/ops.h"
#include "spec/table.h"

namespace vyre::lower {

/// A pattern is empty where the language's target lacks the operator. Of a select operand 0 is a condition;
/// what gives a truth gives a bool, which becomes a word only where one is wanted.
struct CLikeOperator {
  std::string_view cpp, wgsl;
};
namespace c_like {
constexpr CLikeOperator both(std::string_view pattern) { return {pattern, pattern}; }
constexpr CLikeOperator cpp(std::string_view pattern) { return {pattern, ""}; }

inline constexpr spec::Row<RawOp, CLikeOperator> kOperatorRows[] = {
    {RawOp::Add, both("{0} + {1}")},
    {RawOp::Sub, both("{0} - {1}")},
    {RawOp::Mul, both("{0} * {1}")},
    {RawOp::UMulHi, cpp("u32((u64({0}) * {1}) >> 32)")},
    {RawOp::UDiv, both("{0} / {1}")},
    {RawOp::URem, both("{0} % {1}")},
    {RawOp::SDiv, both("{4}({3}({0}) / {3}({1}))")},
    // Not `%`: what it becomes on Vulkan is left open there where an operand is negative.
    {RawOp::SRem, {"{4}({3}({0}) % {3}({1}))", "{0} - ({4}({3}({0}) / {3}({1})) * {1})"}},
    {RawOp::And, both("{0} & {1}")},
    {RawOp::Or, both("{0} | {1}")},
    {RawOp::Xor, both("{0} ^ {1}")},
    {RawOp::Not, both("~{0}")},
    {RawOp::Shl, both("{0} << {1}")},
    {RawOp::LShr, both("{0} >> {1}")},
    {RawOp::AShr, both("{4}({3}({0}) >> {1})")},
    {RawOp::Popcount, {"popcount({0})", "countOneBits({0})"}},
    {RawOp::Clz, {"leading_zeros({0})", "countLeadingZeros({0})"}},
    {RawOp::Ctz, {"trailing_zeros({0})", "countTrailingZeros({0})"}},
    {RawOp::ReverseBits, {"", "reverseBits({0})"}},
    {RawOp::Eq, both("{0} == {1}")},
    {RawOp::Ne, both("{0} != {1}")},
    {RawOp::ULt, both("{0} < {1}")},
    {RawOp::ULe, both("{0} <= {1}")},
    {RawOp::SLt, both("{3}({0}) < {3}({1})")},
    {RawOp::SLe, both("{3}({0}) <= {3}({1})")},
    {RawOp::Select, {"{0} ? {1} : {2}", "select({2}, {1}, {0})"}},
    {RawOp::FAdd, cpp("float_add({0}, {1})")},
    {RawOp::FSub, cpp("float_sub({0}, {1})")},
    {RawOp::FMul, cpp("float_mul({0}, {1})")},
    {RawOp::FDiv, cpp("float_div({0}, {1})")},
    {RawOp::FMulAdd, cpp("float_mul_add({0}, {1}, {2})")},
    {RawOp::FSqrt, cpp("float_sqrt({0})")},
    {RawOp::FInverseSqrt, {}},
    {RawOp::FFloor, cpp("float_floor({0})")},
    {RawOp::FCeil, cpp("float_ceil({0})")},
    {RawOp::FRound, cpp("float_round({0})")},
    {RawOp::FTrunc, cpp("float_trunc({0})")},
    {RawOp::FEq, cpp("number({0}) == number({1})")},
    {RawOp::FLt, cpp("number({0}) < number({1})")},
    {RawOp::FLe, cpp("number({0}) <= number({1})")},
    {RawOp::FFromS32, cpp("float_from_s32({0})")},
    {RawOp::FFromU32, cpp("float_from_u32({0})")},
    {RawOp::FToS32, cpp("u32(i32(number({0})))")},
    {RawOp::FToU32, cpp("u32(number({0}))")},
    {RawOp::FFromF16, {}},
    {RawOp::FToF16, {}},
    {RawOp::FFromBF16, {}},
    {RawOp::FToBF16, {}},
    {RawOp::FWideMulAdd, cpp("wide_mul_add({0}, {1}, {2})")},
    {RawOp::FWideLow, cpp("wide_low({0}, {1}, {2})")},
    {RawOp::WideOf, cpp("wide_of({0}, {1})")},
    {RawOp::WideLow, cpp("low_word({0})")},
    {RawOp::WideHigh, cpp("high_word({0})")},
    {RawOp::WideSelect, cpp("{0} ? {1} : {2}")},
    {RawOp::WideFrom, cpp("double(number({0}))")},
    {RawOp::WideTo, cpp("bits(float({0}))")},
    {RawOp::WideAdd, cpp("wide_add({0}, {1})")},
    {RawOp::WideSub, cpp("wide_sub({0}, {1})")},
    {RawOp::WideMul, cpp("wide_mul({0}, {1})")},
    {RawOp::WideMulAdd, cpp("wide_mul_add({0}, {1}, {2})")},
    {RawOp::WideDiv, cpp("wide_div({0}, {1})")},
    {RawOp::WideSqrt, cpp("wide_sqrt({0})")},
    {RawOp::LongOf, cpp("u64({1}) << 32 | {0}")},
    {RawOp::LongLow, cpp("u32({0})")},
    {RawOp::LongHigh, cpp("u32({0} >> 32)")},
    {RawOp::LongSelect, cpp("{0} ? {1} : {2}")},
    {RawOp::LongAdd, cpp("{0} + {1}")},
    {RawOp::LongSub, cpp("{0} - {1}")},
    {RawOp::LongMul, cpp("{0} * {1}")},
    {RawOp::LongUMulHi, cpp("high_product({0}, {1})")},
    {RawOp::LongUDiv, cpp("{0} / {1}")},
    {RawOp::LongURem, cpp("{0} % {1}")},
    {RawOp::LongAnd, cpp("{0} & {1}")},
    {RawOp::LongOr, cpp("{0} | {1}")},
    {RawOp::LongXor, cpp("{0} ^ {1}")},
    {RawOp::LongShl, cpp("{0} << {1}")},
    {RawOp::LongLShr, cpp("{0} >> {1}")},
    {RawOp::LongPopcount, cpp("popcount({0})")},
    {RawOp::LongClz, cpp("leading_zeros({0})")},
    {RawOp::LongCtz, cpp("trailing_zeros({0})")},
    {RawOp::LongEq, cpp("{0} == {1}")},
    {RawOp::LongNe, cpp("{0} != {1}")},
    {RawOp::LongULt, cpp("{0} < {1}")},
    {RawOp::LongULe, cpp("{0} <= {1}")},
};
inline constexpr spec::TotalTable<kOperatorRows> kOperators;

using AtomicNames = std::array<std::string_view, 2>;  // by dialect
inline constexpr spec::Row<spec::Op, AtomicNames> kAtomicRows[] = {
    {spec::Op::AtomicAdd, {"atomic_add", "atomicAdd"}},
    {spec::Op::AtomicOr, {"atomic_or", "atomicOr"}},
    {spec::Op::AtomicAnd, {"atomic_and", "atomicAnd"}},
    {spec::Op::AtomicXor, {"atomic_xor", "atomicXor"}},
    {spec::Op::AtomicMin, {"atomic_min", "atomicMin"}},
    {spec::Op::AtomicMax, {"atomic_max", "atomicMax"}},
    {spec::Op::AtomicExchange, {"atomic_exchange", "atomicExchange"}},
    {spec::Op::AtomicCompareExchange, {"atomic_compare_exchange", "atomicCompareExchangeWeak"}},
};
inline constexpr spec::TotalTable<kAtomicRows, spec::is_atomic> kAtomics;
}  // namespace c_like

constexpr std::string_view c_like_pattern(RawOp op, CLikeDialect dialect) {
  const CLikeOperator& row = c_like::kOperators[op];
  return dialect == CLikeDialect::Cpp ? row.cpp : row.wgsl;
}
constexpr std::string_view c_like_atomic(spec::Op op, CLikeDialect dialect) {
  return c_like::kAtomics[op][size_t(dialect)];
}

/// Whether a dialect has a pattern for exactly the raw operators that a target has.
consteval bool c_like_prints(CLikeDialect dialect, const Target& target) {
  for (const RawOpInfo& raw : kRawOps) {
    bool wanted = !raw.is_float || target.floats[raw.op].given;
    if (raw.is_long) wanted = target.has_64bit_integers;
    if (raw.op == RawOp::ReverseBits) wanted = target.has_reverse_bits;
    if (raw.op == RawOp::Popcount) wanted = target.has_popcount;
    if (raw.op == RawOp::UMulHi) wanted = target.has_umul_hi;
    if (wanted != !c_like_pattern(raw.op, dialect).empty()) return false;
  }
  return true;
}

}  // namespace vyre::lower
