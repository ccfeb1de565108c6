// What operators on floats give: one row an operator, with three answers each.
//
//  - value: of one case, by num/, whose exact arithmetic is the oracle for everything that runs;
//  - columns: the same over columns, fast enough for sweeps of all inputs;
//  - second: what MPFR says, another project's code. num/ is held to it, and so is the definition in ref/.
//
// The table does not compile while an operator lacks a row, so that none is without a second opinion.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "num/float.h"
#include "num/functions.h"
#include "spec/ops.h"
#include "spec/table.h"
#include "unit/num/mpfr_float.h"

namespace vyre::test {

using num::Column;
using num::Results;
using num::test::Mpfr;
using spec::FloatFormat;
using spec::Op;
using spec::RoundingMode;
using FloatOperands = std::array<uint32_t, 3>;
using FloatColumns = std::span<const Column>;

struct FloatOperator {
  uint32_t (*value)(FloatFormat f, const FloatOperands& x);
  void (*columns)(FloatFormat f, FloatColumns x, Results out);
  uint32_t (*second)(Mpfr& mpfr, const FloatOperands& x);
};

/// A function of num/, which has both forms under one name, and MPFR's of the same meaning.
template <uint32_t (*one)(FloatFormat, uint32_t), void (*many)(FloatFormat, Column, Results),
          auto mpfr_function>
inline constexpr FloatOperator unary = {
    [](FloatFormat f, const FloatOperands& x) { return one(f, x[0]); },
    [](FloatFormat f, FloatColumns x, Results out) { many(f, x[0], out); },
    [](Mpfr& mpfr, const FloatOperands& x) { return mpfr.unary(mpfr_function, x[0]); }};
template <uint32_t (*one)(FloatFormat, uint32_t, uint32_t),
          void (*many)(FloatFormat, Column, Column, Results), auto mpfr_function>
inline constexpr FloatOperator binary = {
    [](FloatFormat f, const FloatOperands& x) { return one(f, x[0], x[1]); },
    [](FloatFormat f, FloatColumns x, Results out) { many(f, x[0], x[1], out); },
    [](Mpfr& mpfr, const FloatOperands& x) { return mpfr.binary(mpfr_function, x[0], x[1]); }};
/// A comparison; first: the operand that num/ takes first.
template <bool (*one)(FloatFormat, uint32_t, uint32_t), void (*many)(FloatFormat, Column, Column, Results),
          auto mpfr_function, size_t first = 0>
inline constexpr FloatOperator relation = {
    [](FloatFormat f, const FloatOperands& x) { return uint32_t{one(f, x[first], x[1 - first])}; },
    [](FloatFormat f, FloatColumns x, Results out) { many(f, x[first], x[1 - first], out); },
    [](Mpfr& mpfr, const FloatOperands& x) { return mpfr.relation(mpfr_function, x[0], x[1]); }};
template <RoundingMode mode>
inline constexpr FloatOperator integral = {
    [](FloatFormat f, const FloatOperands& x) { return num::round_to_integral(f, mode, x[0]); },
    [](FloatFormat f, FloatColumns x, Results out) { num::round_to_integral(f, mode, x[0], out); },
    [](Mpfr& mpfr, const FloatOperands& x) { return mpfr.round_to_integral(mode, x[0]); }};

/// Row by row, of what num/ has no function of its own for.
template <uint32_t (*value)(FloatFormat, const FloatOperands&)>
void row_by_row(FloatFormat f, FloatColumns x, Results out) {
  for (size_t i = 0; i < out.size(); ++i) {
    FloatOperands row{};
    for (size_t k = 0; k < x.size(); ++k) row[k] = x[k][i];
    out[i] = value(f, row);
  }
}
template <uint32_t (*value)(FloatFormat, const FloatOperands&), auto second>
inline constexpr FloatOperator composed = {value, row_by_row<value>, second};

inline uint32_t is_nan(FloatFormat f, const FloatOperands& x) { return f.is_nan(x[0]); }
inline uint32_t is_infinite(FloatFormat f, const FloatOperands& x) { return f.is_infinite(x[0]); }

inline constexpr spec::Row<Op, FloatOperator> kFloatOperatorRows[] = {
    {Op::FAdd, binary<num::add, num::add, mpfr_add>},
    {Op::FSub, binary<num::sub, num::sub, mpfr_sub>},
    {Op::FMul, binary<num::mul, num::mul, mpfr_mul>},
    {Op::FDiv, binary<num::div, num::div, mpfr_div>},
    {Op::FMulAdd,
     {[](FloatFormat f, const FloatOperands& x) { return num::mul_add(f, x[0], x[1], x[2]); },
      [](FloatFormat f, FloatColumns x, Results out) { num::mul_add(f, x[0], x[1], x[2], out); },
      [](Mpfr& mpfr, const FloatOperands& x) { return mpfr.mul_add(x[0], x[1], x[2]); }}},
    {Op::FSqrt, unary<num::sqrt, num::sqrt, mpfr_sqrt>},
    {Op::FMin, binary<num::min, num::min, mpfr_min>},
    {Op::FMax, binary<num::max, num::max, mpfr_max>},
    // Every bit of a NaN stays, which MPFR has none of: these are of patterns, not of numbers.
    {Op::FNeg,
     {[](FloatFormat f, const FloatOperands& x) { return num::negate(f, x[0]); },
      [](FloatFormat f, FloatColumns x, Results out) { num::negate(f, x[0], out); },
      [](Mpfr& mpfr, const FloatOperands& x) { return x[0] ^ mpfr.format().sign_bit(); }}},
    {Op::FAbs,
     {[](FloatFormat f, const FloatOperands& x) { return num::abs(f, x[0]); },
      [](FloatFormat f, FloatColumns x, Results out) { num::abs(f, x[0], out); },
      [](Mpfr& mpfr, const FloatOperands& x) { return x[0] & ~mpfr.format().sign_bit(); }}},
    {Op::FEq, relation<num::equal, num::equal, mpfr_equal_p>},
    {Op::FLt, relation<num::less, num::less, mpfr_less_p>},
    {Op::FGt, relation<num::less, num::less, mpfr_greater_p, 1>},
    {Op::FLe, relation<num::less_equal, num::less_equal, mpfr_lessequal_p>},
    {Op::FGe, relation<num::less_equal, num::less_equal, mpfr_greaterequal_p, 1>},
    {Op::FIsNaN,
     composed<is_nan, [](Mpfr& mpfr, const FloatOperands& x) { return mpfr.test(mpfr_nan_p, x[0]); }>},
    {Op::FIsInf,
     composed<is_infinite, [](Mpfr& mpfr, const FloatOperands& x) { return mpfr.test(mpfr_inf_p, x[0]); }>},
    {Op::FFloor, integral<RoundingMode::Floor>},
    {Op::FCeil, integral<RoundingMode::Ceil>},
    {Op::FRound, integral<RoundingMode::Nearest>},
    {Op::FTrunc, integral<RoundingMode::Trunc>},
    {Op::FSin, unary<num::sin, num::sin, mpfr_sin>},
    {Op::FCos, unary<num::cos, num::cos, mpfr_cos>},
    {Op::FTan, unary<num::tan, num::tan, mpfr_tan>},
    {Op::FASin, unary<num::asin, num::asin, mpfr_asin>},
    {Op::FACos, unary<num::acos, num::acos, mpfr_acos>},
    {Op::FATan, unary<num::atan, num::atan, mpfr_atan>},
    {Op::FATan2, binary<num::atan2, num::atan2, mpfr_atan2>},
    {Op::FExp, unary<num::exp, num::exp, mpfr_exp>},
    {Op::FLog, unary<num::log, num::log, mpfr_log>},
    {Op::FExp2, unary<num::exp2, num::exp2, mpfr_exp2>},
    {Op::FLog2, unary<num::log2, num::log2, mpfr_log2>},
    {Op::FExp10, unary<num::exp10, num::exp10, mpfr_exp10>},
    {Op::FLog10, unary<num::log10, num::log10, mpfr_log10>},
    {Op::FPow, binary<num::pow, num::pow, mpfr_pow>},
};
/// Reductions are of buffers; of an approximate operator there is the strict one.
constexpr bool is_on_floats(Op op) {
  return spec::info(op).types == spec::kFloats && !spec::is_reduction(op) && !spec::is_approximate(op);
}
inline constexpr spec::TotalTable<kFloatOperatorRows, is_on_floats> kFloatOperators;

}  // namespace vyre::test
