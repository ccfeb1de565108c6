#include "lower/wgsl/raw.h"

#include "lower/wgsl/wgsl.h"
#include "spec/ops.h"
#include "spec/table.h"

namespace vyre::lower {
namespace {

constexpr auto kTruth = WgslMade::Truth;

using RawRow = spec::Row<RawOp, WgslRaw>;
constexpr auto kRawRows = std::to_array<RawRow>({
    {RawOp::Add, {"{0} + {1}"}},
    {RawOp::Sub, {"{0} - {1}"}},
    {RawOp::Mul, {"{0} * {1}"}},
    {RawOp::UDiv, {"{0} / {1}"}},
    {RawOp::URem, {"{0} % {1}"}},
    {RawOp::SDiv, {"bitcast<u32>(bitcast<i32>({0}) / bitcast<i32>({1}))"}},
    // Not `%`: what it becomes on Vulkan is left open there where an operand is negative.
    {RawOp::SRem, {"{0} - (bitcast<u32>(bitcast<i32>({0}) / bitcast<i32>({1})) * {1})"}},
    {RawOp::And, {"{0} & {1}"}},
    {RawOp::Or, {"{0} | {1}"}},
    {RawOp::Xor, {"{0} ^ {1}"}},
    {RawOp::Not, {"~{0}"}},
    {RawOp::Shl, {"{0} << {1}"}},
    {RawOp::LShr, {"{0} >> {1}"}},
    {RawOp::AShr, {"bitcast<u32>(bitcast<i32>({0}) >> {1})"}},
    {RawOp::Popcount, {"countOneBits({0})"}},
    {RawOp::Clz, {"countLeadingZeros({0})"}},
    {RawOp::Ctz, {"countTrailingZeros({0})"}},
    {RawOp::ReverseBits, {"reverseBits({0})"}},
    {RawOp::Eq, {"{0} == {1}", kTruth}},
    {RawOp::Ne, {"{0} != {1}", kTruth}},
    {RawOp::ULt, {"{0} < {1}", kTruth}},
    {RawOp::ULe, {"{0} <= {1}", kTruth}},
    {RawOp::SLt, {"bitcast<i32>({0}) < bitcast<i32>({1})", kTruth}},
    {RawOp::SLe, {"bitcast<i32>({0}) <= bitcast<i32>({1})", kTruth}},
    {RawOp::Select, {"select({2}, {1}, {0})"}},
});
constexpr bool is_printed(RawOp op) {
  return !info(op).is_float && (op != RawOp::UMulHi || kWgslTarget.has_umul_hi);
}
constexpr spec::TotalTable<kRawRows, [](RawOp op) { return is_printed(op); }> kRaw;

constexpr bool has_two_operands(spec::Op op) {
  return spec::is_atomic(op) && op != spec::Op::AtomicCompareExchange;
}
using AtomicRow = spec::Row<spec::Op, std::string_view>;
constexpr auto kAtomicRows = std::to_array<AtomicRow>({
    {spec::Op::AtomicAdd, "atomicAdd"},
    {spec::Op::AtomicOr, "atomicOr"},
    {spec::Op::AtomicAnd, "atomicAnd"},
    {spec::Op::AtomicXor, "atomicXor"},
    {spec::Op::AtomicMin, "atomicMin"},
    {spec::Op::AtomicMax, "atomicMax"},
    {spec::Op::AtomicExchange, "atomicExchange"},
});
constexpr spec::TotalTable<kAtomicRows, [](spec::Op op) { return has_two_operands(op); }> kAtomic;

}  // namespace

const WgslRaw& wgsl_raw(RawOp op) { return kRaw[op]; }
std::string_view wgsl_atomic(spec::Op op) { return kAtomic[op]; }

}  // namespace vyre::lower
