#include "lower/spirv/raw.h"

#include "spec/ops.h"
#include "spec/table.h"

namespace vyre::lower {
namespace {

using Builder = SpirvBuilder;
using Id = SpirvId;
using Operands = std::span<const Id>;
using spv::Op;

// ---- Words ------------------------------------------------------------------------------------------------

template <Op op>
Id unary(Builder& b, Operands o) {
  return b.emit(op, b.word(), {o[0]});
}
template <Op op>
Id binary(Builder& b, Operands o) {
  return b.emit(op, b.word(), {o[0], o[1]});
}
template <Op op>
Id compare(Builder& b, Operands o) {
  return b.emit(op, b.truth(), {o[0], o[1]});
}

// The product in two halves, the lower one first.
Id high_product(Builder& b, Operands o) {
  const Id pair = b.type(Op::OpTypeStruct, {b.word(), b.word()});
  const Id both = b.emit(Op::OpUMulExtended, pair, {o[0], o[1]});
  return b.emit(Op::OpCompositeExtract, b.word(), {both, 1u});
}

// FindUMsb counts from the least significant bit.
Id leading_zeros(Builder& b, Operands o) {
  const Id highest = b.function(GLSLstd450FindUMsb, b.word(), {o[0]});
  return b.emit(Op::OpISub, b.word(), {b.number(31), highest});
}
Id trailing_zeros(Builder& b, Operands o) { return b.function(GLSLstd450FindILsb, b.word(), {o[0]}); }

// Not OpSRem: Vulkan leaves it open where an operand is negative.
Id signed_remainder(Builder& b, Operands o) {
  const Id quotient = b.emit(Op::OpSDiv, b.word(), {o[0], o[1]});
  const Id whole = b.emit(Op::OpIMul, b.word(), {quotient, o[1]});
  return b.emit(Op::OpISub, b.word(), {o[0], whole});
}

Id select(Builder& b, Operands o) { return b.emit(Op::OpSelect, b.word(), {o[0], o[1], o[2]}); }

// ---- Floats of 32 bits ------------------------------------------------------------------------------------

Id real(Builder& b, Id word) { return b.bitcast(b.real(32), word); }
Id word(Builder& b, Id real) { return b.bitcast(b.word(), real); }

template <Op op>
Id arithmetic(Builder& b, Operands o) {
  const Id x = real(b, o[0]);
  return word(b, b.arithmetic(op, b.real(32), {x, real(b, o[1])}));
}
template <GLSLstd450 function>
Id rounded(Builder& b, Operands o) {
  return word(b, b.arithmetic(function, b.real(32), {real(b, o[0])}));
}
Id multiply_add(Builder& b, Operands o) {
  const Id x = real(b, o[0]);
  const Id y = real(b, o[1]);
  return word(b, b.arithmetic(GLSLstd450Fma, b.real(32), {x, y, real(b, o[2])}));
}
template <Op op>
Id compare_reals(Builder& b, Operands o) {
  const Id x = real(b, o[0]);
  return b.emit(op, b.truth(), {x, real(b, o[1])});
}
template <Op op>
Id from_integer(Builder& b, Operands o) {
  return word(b, b.emit(op, b.real(32), {o[0]}));
}
template <Op op>
Id to_integer(Builder& b, Operands o) {
  return b.emit(op, b.word(), {real(b, o[0])});
}

// ---- Floats of 16 bits: the low one of two in a word ------------------------------------------------------

Id from_half(Builder& b, Operands o) {
  return word(b, b.emit(Op::OpFConvert, b.real(32), {half_of(b, o[0])}));
}
Id to_half(Builder& b, Operands o) {
  return word_of_half(b, b.emit(Op::OpFConvert, b.real(16), {real(b, o[0])}));
}

// ---- Floats of 64 bits, on the way from and to 32 ---------------------------------------------------------

Id wide_sum(Builder& b, Operands o) {
  const auto wide = [&](Id operand) { return b.emit(Op::OpFConvert, b.real(64), {real(b, operand)}); };
  const Id x = wide(o[0]);
  const Id product = b.arithmetic(Op::OpFMul, b.real(64), {x, wide(o[1])});
  return b.arithmetic(Op::OpFAdd, b.real(64), {product, wide(o[2])});
}
Id wide_multiply_add(Builder& b, Operands o) {
  return word(b, b.emit(Op::OpFConvert, b.real(32), {wide_sum(b, o)}));
}
// The bits as two words, the lower one first.
Id wide_low(Builder& b, Operands o) {
  const Id two = b.bitcast(b.vector(b.word(), 2), wide_sum(b, o));
  return b.emit(Op::OpCompositeExtract, b.word(), {two, 0u});
}

// ---- Wide values: floats of 64 bits -----------------------------------------------------------------------

Id wide_of(Builder& b, Operands o) {
  const Id two = b.emit(Op::OpCompositeConstruct, b.vector(b.word(), 2), {o[0], o[1]});
  return b.bitcast(b.real(64), two);
}
template <uint32_t which>
Id wide_word(Builder& b, Operands o) {
  const Id two = b.bitcast(b.vector(b.word(), 2), o[0]);
  return b.emit(Op::OpCompositeExtract, b.word(), {two, which});
}
// By its words: floats are moved as integers.
Id wide_select(Builder& b, Operands o) {
  const auto chosen = [&](uint32_t which) {
    const auto word = [&](Id wide) {
      const Id two = b.bitcast(b.vector(b.word(), 2), wide);
      return b.emit(Op::OpCompositeExtract, b.word(), {two, which});
    };
    const Id then = word(o[1]);
    return b.emit(Op::OpSelect, b.word(), {o[0], then, word(o[2])});
  };
  const Id low = chosen(0);
  const Id words[] = {low, chosen(1)};
  return wide_of(b, words);
}
template <Op op>
Id wide_arithmetic(Builder& b, Operands o) {
  return b.arithmetic(op, b.real(64), {o[0], o[1]});
}

// ---- Long values: integers of 64 bits ---------------------------------------------------------------------

template <Op op>
Id long_binary(Builder& b, Operands o) {
  return b.emit(op, b.integer(64), {o[0], o[1]});
}
Id low_word(Builder& b, Id value) { return word_of_long(b, value, 0); }
Id high_word(Builder& b, Id value) { return word_of_long(b, value, 1); }

// OpUMulExtended of 64 bits is hardly known to drivers: four products of halves, and what carries.
Id high_long_product(Builder& b, Operands o) {
  const Id type = b.integer(64);
  const Id half = b.number(32), low_bits = b.constant(type, {UINT32_MAX, 0u});
  const auto upper = [&](Id value) { return b.emit(Op::OpShiftRightLogical, type, {value, half}); };
  const auto lower = [&](Id value) { return b.emit(Op::OpBitwiseAnd, type, {value, low_bits}); };
  const auto product = [&](Id x, Id y) { return b.emit(Op::OpIMul, type, {x, y}); };
  const auto sum = [&](Id x, Id y) { return b.emit(Op::OpIAdd, type, {x, y}); };
  const Id x0 = lower(o[0]);
  const Id x1 = upper(o[0]);
  const Id y0 = lower(o[1]);
  const Id y1 = upper(o[1]);
  const Id first = product(x0, y1);
  const Id second = sum(product(x1, y0), upper(product(x0, y0)));  // 2^64 - 1 at most
  const Id middle = sum(first, lower(second));
  const Id carried = sum(upper(middle), upper(second));
  return sum(product(x1, y1), carried);
}

// Counts are of 32 bits in Vulkan.
Id long_population(Builder& b, Operands o) {
  const Id low = b.emit(Op::OpBitCount, b.word(), {low_word(b, o[0])});
  const Id high = b.emit(Op::OpBitCount, b.word(), {high_word(b, o[0])});
  return b.emit(Op::OpIAdd, b.word(), {low, high});
}
/// Zeros of `first`, or behind a word of zeros those of `second`. Domain: one of them has a bit.
Id zeros_of_either(Builder& b, Id first, Id second, Id (*zeros)(Builder&, Operands)) {
  const Id none = b.emit(Op::OpIEqual, b.truth(), {first, b.number(0)});
  const Id chosen = b.emit(Op::OpSelect, b.word(), {none, second, first});
  const Id before = b.emit(Op::OpSelect, b.word(), {none, b.number(32), b.number(0)});
  const Id count = zeros(b, std::span(&chosen, 1));
  return b.emit(Op::OpIAdd, b.word(), {before, count});
}
Id long_leading_zeros(Builder& b, Operands o) {
  const Id high = high_word(b, o[0]);
  return zeros_of_either(b, high, low_word(b, o[0]), leading_zeros);
}
Id long_trailing_zeros(Builder& b, Operands o) {
  const Id low = low_word(b, o[0]);
  return zeros_of_either(b, low, high_word(b, o[0]), trailing_zeros);
}

// ---- The tables -------------------------------------------------------------------------------------------

constexpr auto kUndefined = SpirvOutside::Undefined;

using RawRow = spec::Row<RawOp, SpirvRaw>;
constexpr auto kRawRows = std::to_array<RawRow>({
    {RawOp::Add, {binary<Op::OpIAdd>}},
    {RawOp::Sub, {binary<Op::OpISub>}},
    {RawOp::Mul, {binary<Op::OpIMul>}},
    {RawOp::UMulHi, {high_product}},
    {RawOp::UDiv, {binary<Op::OpUDiv>, kUndefined}},
    {RawOp::URem, {binary<Op::OpUMod>, kUndefined}},
    {RawOp::SDiv, {binary<Op::OpSDiv>, kUndefined}},
    {RawOp::SRem, {signed_remainder, kUndefined}},
    {RawOp::And, {binary<Op::OpBitwiseAnd>}},
    {RawOp::Or, {binary<Op::OpBitwiseOr>}},
    {RawOp::Xor, {binary<Op::OpBitwiseXor>}},
    {RawOp::Not, {unary<Op::OpNot>}},
    {RawOp::Shl, {binary<Op::OpShiftLeftLogical>}},
    {RawOp::LShr, {binary<Op::OpShiftRightLogical>}},
    {RawOp::AShr, {binary<Op::OpShiftRightArithmetic>}},
    {RawOp::Popcount, {unary<Op::OpBitCount>}},
    {RawOp::Clz, {leading_zeros}},
    {RawOp::Ctz, {trailing_zeros}},
    {RawOp::ReverseBits, {unary<Op::OpBitReverse>}},
    {RawOp::Eq, {compare<Op::OpIEqual>}},
    {RawOp::Ne, {compare<Op::OpINotEqual>}},
    {RawOp::ULt, {compare<Op::OpULessThan>}},
    {RawOp::ULe, {compare<Op::OpULessThanEqual>}},
    {RawOp::SLt, {compare<Op::OpSLessThan>}},
    {RawOp::SLe, {compare<Op::OpSLessThanEqual>}},
    {RawOp::Select, {select}},
    {RawOp::FAdd, {arithmetic<Op::OpFAdd>}},
    {RawOp::FSub, {arithmetic<Op::OpFSub>}},
    {RawOp::FMul, {arithmetic<Op::OpFMul>}},
    {RawOp::FDiv, {arithmetic<Op::OpFDiv>}},
    {RawOp::FMulAdd, {multiply_add}},
    {RawOp::FSqrt, {rounded<GLSLstd450Sqrt>}},
    {RawOp::FInverseSqrt, {rounded<GLSLstd450InverseSqrt>}},
    {RawOp::FFloor, {rounded<GLSLstd450Floor>}},
    {RawOp::FCeil, {rounded<GLSLstd450Ceil>}},
    {RawOp::FRound, {rounded<GLSLstd450RoundEven>}},
    {RawOp::FTrunc, {rounded<GLSLstd450Trunc>}},
    {RawOp::FEq, {compare_reals<Op::OpFOrdEqual>}},
    {RawOp::FLt, {compare_reals<Op::OpFOrdLessThan>}},
    {RawOp::FLe, {compare_reals<Op::OpFOrdLessThanEqual>}},
    {RawOp::FFromS32, {from_integer<Op::OpConvertSToF>}},
    {RawOp::FFromU32, {from_integer<Op::OpConvertUToF>}},
    {RawOp::FToS32, {to_integer<Op::OpConvertFToS>, kUndefined}},
    {RawOp::FToU32, {to_integer<Op::OpConvertFToU>, kUndefined}},
    {RawOp::FFromF16, {from_half}},
    {RawOp::FToF16, {to_half}},
    {RawOp::FWideMulAdd, {wide_multiply_add}},
    {RawOp::FWideLow, {wide_low}},
    {RawOp::WideOf, {wide_of}},
    {RawOp::WideLow, {wide_word<0>}},
    {RawOp::WideHigh, {wide_word<1>}},
    {RawOp::WideSelect, {wide_select}},
    {RawOp::WideFrom,
     {[](Builder& b, Operands o) { return b.emit(Op::OpFConvert, b.real(64), {real(b, o[0])}); }}},
    {RawOp::WideTo,
     {[](Builder& b, Operands o) { return word(b, b.emit(Op::OpFConvert, b.real(32), {o[0]})); }}},
    {RawOp::WideAdd, {wide_arithmetic<Op::OpFAdd>}},
    {RawOp::WideSub, {wide_arithmetic<Op::OpFSub>}},
    {RawOp::WideMul, {wide_arithmetic<Op::OpFMul>}},
    {RawOp::WideMulAdd,
     {[](Builder& b, Operands o) { return b.arithmetic(GLSLstd450Fma, b.real(64), {o[0], o[1], o[2]}); }}},
    {RawOp::WideDiv, {wide_arithmetic<Op::OpFDiv>}},
    {RawOp::WideSqrt,
     {[](Builder& b, Operands o) { return b.arithmetic(GLSLstd450Sqrt, b.real(64), {o[0]}); }}},
    {RawOp::LongOf, {[](Builder& b, Operands o) { return long_of(b, o[0], o[1]); }}},
    {RawOp::LongLow, {[](Builder& b, Operands o) { return low_word(b, o[0]); }}},
    {RawOp::LongHigh, {[](Builder& b, Operands o) { return high_word(b, o[0]); }}},
    {RawOp::LongSelect,
     {[](Builder& b, Operands o) { return b.emit(Op::OpSelect, b.integer(64), {o[0], o[1], o[2]}); }}},
    {RawOp::LongAdd, {long_binary<Op::OpIAdd>}},
    {RawOp::LongSub, {long_binary<Op::OpISub>}},
    {RawOp::LongMul, {long_binary<Op::OpIMul>}},
    {RawOp::LongUMulHi, {high_long_product}},
    {RawOp::LongUDiv, {long_binary<Op::OpUDiv>, kUndefined}},
    {RawOp::LongURem, {long_binary<Op::OpUMod>, kUndefined}},
    {RawOp::LongAnd, {long_binary<Op::OpBitwiseAnd>}},
    {RawOp::LongOr, {long_binary<Op::OpBitwiseOr>}},
    {RawOp::LongXor, {long_binary<Op::OpBitwiseXor>}},
    {RawOp::LongShl, {long_binary<Op::OpShiftLeftLogical>}},
    {RawOp::LongLShr, {long_binary<Op::OpShiftRightLogical>}},
    {RawOp::LongPopcount, {long_population}},
    {RawOp::LongClz, {long_leading_zeros}},
    {RawOp::LongCtz, {long_trailing_zeros}},
    {RawOp::LongEq, {compare<Op::OpIEqual>}},
    {RawOp::LongNe, {compare<Op::OpINotEqual>}},
    {RawOp::LongULt, {compare<Op::OpULessThan>}},
    {RawOp::LongULe, {compare<Op::OpULessThanEqual>}},
});
/// Devices have no BF16.
constexpr spec::TotalTable<kRawRows, [](RawOp op) { return !is_bfloat(op); }> kRaw;

constexpr bool has_two_operands(spec::Op op) {
  return spec::is_atomic(op) && op != spec::Op::AtomicCompareExchange;
}
using AtomicRow = spec::Row<spec::Op, Op>;
constexpr auto kAtomicRows = std::to_array<AtomicRow>({
    {spec::Op::AtomicAdd, Op::OpAtomicIAdd},
    {spec::Op::AtomicOr, Op::OpAtomicOr},
    {spec::Op::AtomicAnd, Op::OpAtomicAnd},
    {spec::Op::AtomicXor, Op::OpAtomicXor},
    {spec::Op::AtomicMin, Op::OpAtomicUMin},
    {spec::Op::AtomicMax, Op::OpAtomicUMax},
    {spec::Op::AtomicExchange, Op::OpAtomicExchange},
});
constexpr spec::TotalTable<kAtomicRows, [](spec::Op op) { return has_two_operands(op); }> kAtomic;

}  // namespace

// The bits as two words, the lower one first.
SpirvId long_of(SpirvBuilder& b, SpirvId low, SpirvId high) {
  const SpirvId two = b.emit(Op::OpCompositeConstruct, b.vector(b.word(), 2), {low, high});
  return b.bitcast(b.integer(64), two);
}
SpirvId word_of_long(SpirvBuilder& b, SpirvId value, uint32_t which) {
  const SpirvId two = b.bitcast(b.vector(b.word(), 2), value);
  return b.emit(Op::OpCompositeExtract, b.word(), {two, which});
}

const SpirvRaw& spirv_raw(RawOp op) { return kRaw[op]; }
spv::Op spirv_atomic(spec::Op op) { return kAtomic[op]; }

SpirvId half_of(SpirvBuilder& b, SpirvId word) {
  const SpirvId two = b.bitcast(b.vector(b.real(16), 2), word);
  return b.emit(spv::Op::OpCompositeExtract, b.real(16), {two, 0u});
}
SpirvId word_of_half(SpirvBuilder& b, SpirvId half) {
  const SpirvId zero = b.constant(b.real(16), {0u});
  const SpirvId two = b.emit(spv::Op::OpCompositeConstruct, b.vector(b.real(16), 2), {half, zero});
  return b.bitcast(b.word(), two);
}

}  // namespace vyre::lower
