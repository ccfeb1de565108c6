#include "lower/source/raw.h"

#include "lower/source/source.h"
#include "spec/ops.h"
#include "spec/table.h"

namespace vyre::lower {
namespace {

using RawRow = spec::Row<RawOp, std::string_view>;
constexpr auto kRawRows = std::to_array<RawRow>({
    {RawOp::Add, "{0} + {1}"},
    {RawOp::Sub, "{0} - {1}"},
    {RawOp::Mul, "{0} * {1}"},
    {RawOp::UMulHi, "u32((u64({0}) * {1}) >> 32)"},
    {RawOp::UDiv, "{0} / {1}"},
    {RawOp::URem, "{0} % {1}"},
    {RawOp::SDiv, "u32(i32({0}) / i32({1}))"},
    {RawOp::SRem, "u32(i32({0}) % i32({1}))"},
    {RawOp::And, "{0} & {1}"},
    {RawOp::Or, "{0} | {1}"},
    {RawOp::Xor, "{0} ^ {1}"},
    {RawOp::Not, "~{0}"},
    {RawOp::Shl, "{0} << {1}"},
    {RawOp::LShr, "{0} >> {1}"},
    {RawOp::AShr, "u32(i32({0}) >> {1})"},
    {RawOp::Popcount, "popcount({0})"},
    {RawOp::Clz, "leading_zeros({0})"},
    {RawOp::Ctz, "trailing_zeros({0})"},
    {RawOp::Eq, "u32({0} == {1})"},
    {RawOp::Ne, "u32({0} != {1})"},
    {RawOp::ULt, "u32({0} < {1})"},
    {RawOp::ULe, "u32({0} <= {1})"},
    {RawOp::SLt, "u32(i32({0}) < i32({1}))"},
    {RawOp::SLe, "u32(i32({0}) <= i32({1}))"},
    {RawOp::Select, "{0} != 0 ? {1} : {2}"},
    {RawOp::FAdd, "float_add({0}, {1})"},
    {RawOp::FSub, "float_sub({0}, {1})"},
    {RawOp::FMul, "float_mul({0}, {1})"},
    {RawOp::FDiv, "float_div({0}, {1})"},
    {RawOp::FMulAdd, "float_mul_add({0}, {1}, {2})"},
    {RawOp::FSqrt, "float_sqrt({0})"},
    {RawOp::FFloor, "float_floor({0})"},
    {RawOp::FCeil, "float_ceil({0})"},
    {RawOp::FRound, "float_round({0})"},
    {RawOp::FTrunc, "float_trunc({0})"},
    {RawOp::FEq, "u32(number({0}) == number({1}))"},
    {RawOp::FLt, "u32(number({0}) < number({1}))"},
    {RawOp::FLe, "u32(number({0}) <= number({1}))"},
    {RawOp::FFromS32, "float_from_s32({0})"},
    {RawOp::FFromU32, "float_from_u32({0})"},
    {RawOp::FToS32, "u32(i32(number({0})))"},
    {RawOp::FToU32, "u32(number({0}))"},
    {RawOp::FWideMulAdd, "wide_mul_add({0}, {1}, {2})"},
    {RawOp::FWideLow, "wide_low({0}, {1}, {2})"},
    {RawOp::WideOf, "wide_of({0}, {1})"},
    {RawOp::WideLow, "low_word({0})"},
    {RawOp::WideHigh, "high_word({0})"},
    {RawOp::WideSelect, "{0} != 0 ? {1} : {2}"},
    {RawOp::WideFrom, "double(number({0}))"},
    {RawOp::WideTo, "bits(float({0}))"},
    {RawOp::WideAdd, "wide_add({0}, {1})"},
    {RawOp::WideSub, "wide_sub({0}, {1})"},
    {RawOp::WideMul, "wide_mul({0}, {1})"},
    {RawOp::WideMulAdd, "wide_mul_add({0}, {1}, {2})"},
    {RawOp::WideDiv, "wide_div({0}, {1})"},
    {RawOp::WideSqrt, "wide_sqrt({0})"},
});
constexpr bool is_printed(RawOp op) {
  if (info(op).is_float) return kSourceTarget.floats[op].given;
  return op != RawOp::ReverseBits || kSourceTarget.has_reverse_bits;
}
constexpr spec::TotalTable<kRawRows, [](RawOp op) { return is_printed(op); }> kRaw;

using AtomicRow = spec::Row<spec::Op, std::string_view>;
constexpr auto kAtomicRows = std::to_array<AtomicRow>({
    {spec::Op::AtomicAdd, "atomic_add"},
    {spec::Op::AtomicOr, "atomic_or"},
    {spec::Op::AtomicAnd, "atomic_and"},
    {spec::Op::AtomicXor, "atomic_xor"},
    {spec::Op::AtomicMin, "atomic_min"},
    {spec::Op::AtomicMax, "atomic_max"},
    {spec::Op::AtomicExchange, "atomic_exchange"},
    {spec::Op::AtomicCompareExchange, "atomic_compare_exchange"},
});
constexpr spec::TotalTable<kAtomicRows, [](spec::Op op) { return spec::is_atomic(op); }> kAtomic;

}  // namespace

std::string_view source_raw(RawOp op) { return kRaw[op]; }
std::string_view source_atomic(spec::Op op) { return kAtomic[op]; }

}  // namespace vyre::lower
