#include "lower/spirv/float_promises.h"

namespace vyre::lower {
namespace {

/// Rounded to nearest even, NaNs, infinities and signs of zeros as they should be.
constexpr bool rounds(const VulkanFloatModes& modes) {
  return modes.arithmetic && modes.round_to_even && modes.keep_special;
}

// OpFAdd, OpFSub, OpFMul and OpFConvert are correctly rounded, and the modes bind them.
Promise right_but_for_subnormals(bool keeps_those) {
  return {.given = true, .flushes_operands = !keeps_those, .flushes_results = !keeps_those};
}
Promise bound_by_modes(const VulkanFloats& floats) {
  return right_but_for_subnormals(floats.single.keep_subnormals);
}

// The modes that keep subnormals, signs of zeros, infinities and NaNs do not bind division, square root and
// conversions of integers. OpFDiv: 2.5 ULP for divisors in [2^-126, 2^126]. Sqrt: inherited from
// 1 / InverseSqrt, which has 2 ULP. One ULP of the reciprocal root is at most 2^-23 of it, so what is divided
// by is off by 2^-22, or 4 ULP of the root; the quotient may be in the next binade, where 2.5 ULP are 5: 9,
// and half of one for what is left of second order.
constexpr Promise kDivision{
    .given = true, .flushes_operands = true, .flushes_results = true, .half_ulps = 5, .only_normal = true};
constexpr Promise kRoot = [] {
  Promise out = kDivision;
  out.half_ulps = 19;
  return out;
}();
// InverseSqrt: 2 ULP.
constexpr Promise kInverseRoot = [] {
  Promise out = kDivision;
  out.half_ulps = 4;
  return out;
}();
// Correctly rounded; an integer that is not zero is at least 1.
constexpr Promise kFromInteger{.given = true, .only_normal = true};
// Towards zero: what is subnormal gives zero as zero does.
constexpr Promise kToInteger{.given = true};

}  // namespace

// Fma may round twice, so it is given only where it is known not to; subnormals as the modes have it. Not
// given: comparisons, which the modes do not bind to respect NaNs and infinities, and the functions to
// integral values likewise: integers do those in about as many instructions.
FloatPromises vulkan_promises(const VulkanFloats& floats) {
  if (!rounds(floats.single)) return kNoFloats;
  FloatPromises out{.name = "vulkan", .by_op = {}};
  for (const RawOp op : {RawOp::FAdd, RawOp::FSub, RawOp::FMul})
    out[op] = right_but_for_subnormals(floats.single.keep_subnormals || floats.keeps_unasked);
  if (floats.fused) out[RawOp::FMulAdd] = bound_by_modes(floats);
  out[RawOp::FDiv] = kDivision;
  out[RawOp::FSqrt] = kRoot;
  out[RawOp::FInverseSqrt] = kInverseRoot;
  for (const RawOp op : {RawOp::FFromS32, RawOp::FFromU32}) out[op] = kFromInteger;
  for (const RawOp op : {RawOp::FToS32, RawOp::FToU32}) out[op] = kToInteger;
  if (floats.independent && rounds(floats.wide)) {
    for (const RawOp op : {RawOp::FWideMulAdd, RawOp::FWideLow}) out[op] = bound_by_modes(floats);
    // Not given: Fma, which may round twice, and division and roots, which no mode binds. Whether wide values
    // that are subnormal vanish does not matter: fast forms make none.
    for (const RawOp op : {RawOp::WideOf, RawOp::WideLow, RawOp::WideHigh, RawOp::WideSelect, RawOp::WideAdd,
                           RawOp::WideSub, RawOp::WideMul}) {
      out[op] = {.given = true};
    }
    for (const RawOp op : {RawOp::WideFrom, RawOp::WideTo}) out[op] = bound_by_modes(floats);
  }
  // Halves are normal numbers of 32 bits, and subnormal ones of 32 bits are nothing to a half: only the modes
  // of 16 bits matter.
  if (floats.independent && rounds(floats.half) && floats.half.keep_subnormals) {
    for (const RawOp op : {RawOp::FFromF16, RawOp::FToF16}) out[op] = {.given = true};
  }
  return out;
}

}  // namespace vyre::lower
