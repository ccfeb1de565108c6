#include "symbolic/spirv/value.h"

#include <fmt/format.h>

#include <spirv/unified1/GLSL.std.450.h>

#include "spec/ops.h"
#include "symbolic/bits.h"

namespace vyre::symbolic {

using smt::Pool;
using smt::Term;
using spv::Op;
using Operands = std::span<const Term>;
using Result = std::expected<SpirvResult, std::string>;

namespace {

/// Khronos adds numbers every year: switches over them cannot be total.
constexpr uint32_t opcode(Op op) { return uint32_t(op); }

/// "The resulting value is undefined if Shift is greater than or equal to the bit width."
Term shifted(InstructionContext& c, Term in_range, Term amount) {
  Pool& p = c.pool;
  return p.ite(p.ult(amount, p.constant(32, 32)), in_range, c.anything(32));
}

void demand_divisor(InstructionContext& c, Operands x, bool is_signed) {
  Pool& p = c.pool;
  c.demands.push_back({p.is_not_zero(x[1]), "the divisor is not zero"});
  if (!is_signed) return;
  const Term least = p.eq(x[0], p.constant(32, 0x80000000)),
             minus_one = p.eq(x[1], p.constant(32, 0xffffffff));
  c.demands.push_back({p.not_(p.and_(least, minus_one)), "the quotient has a word"});
}

Result divide(InstructionContext& c, Op op, Operands x) {
  Pool& p = c.pool;
  demand_divisor(c, x, op != Op::OpUDiv && op != Op::OpUMod);
  switch (uint32_t(op)) {
    case opcode(Op::OpUDiv): return SpirvResult{p.udiv(x[0], x[1])};
    case opcode(Op::OpUMod): return SpirvResult{p.urem(x[0], x[1])};
    case opcode(Op::OpSDiv): return SpirvResult{p.sdiv(x[0], x[1])};
    default: break;
  }
  // Vulkan, "Precision and Operation of SPIR-V Instructions": undefined where an operand is negative.
  const Term zero = p.constant(32, 0);
  const Term known = p.and_(p.sle(zero, x[0]), p.sle(zero, x[1]));
  return SpirvResult{p.ite(known, p.srem(x[0], x[1]), c.anything(32))};
}

Result extended(InstructionContext& c, uint32_t function, Operands x) {
  Pool& p = c.pool;
  const Term none = p.constant(32, 0xffffffff);
  const auto chosen = [&](Term first) { return SpirvResult{p.ite(first, x[0], x[1])}; };
  switch (function) {
    case GLSLstd450FindILsb: return SpirvResult{p.ite(p.is_zero(x[0]), none, count_trailing_zeros(p, x[0]))};
    case GLSLstd450FindUMsb:
      return SpirvResult{
          p.ite(p.is_zero(x[0]), none, p.sub(p.constant(32, 31), count_leading_zeros(p, x[0])))};
    case GLSLstd450UMin: return chosen(p.ult(x[0], x[1]));
    case GLSLstd450UMax: return chosen(p.ult(x[1], x[0]));
    case GLSLstd450SMin: return chosen(p.slt(x[0], x[1]));
    case GLSLstd450SMax: return chosen(p.slt(x[1], x[0]));
    default:
      return std::unexpected(fmt::format("function {} of GLSL.std.450, which is not known here", function));
  }
}

uint32_t operands_of(Op op) {
  switch (uint32_t(op)) {
    case opcode(Op::OpNot):
    case opcode(Op::OpSNegate):
    case opcode(Op::OpLogicalNot):
    case opcode(Op::OpBitCount):
    case opcode(Op::OpBitReverse): return 1;
    case opcode(Op::OpSelect): return 3;
    default: return 2;
  }
}

}  // namespace

Result read_instruction(InstructionContext& c, Op op, uint32_t function, Operands x) {
  Pool& p = c.pool;
  if (op == Op::OpExtInst) {
    const bool one = function == GLSLstd450FindILsb || function == GLSLstd450FindUMsb;
    if (x.size() != (one ? 1 : 2)) return std::unexpected("a function with other operands than it has");
    return extended(c, function, x);
  }
  const auto unknown = [&] {
    return std::unexpected(fmt::format("instruction {}, which is not known here", uint32_t(op)));
  };
  if (x.size() != operands_of(op)) return unknown();
  const auto give = [](Term t) { return SpirvResult{t}; };
  switch (uint32_t(op)) {
    case opcode(Op::OpIAdd): return give(p.add(x[0], x[1]));
    case opcode(Op::OpISub): return give(p.sub(x[0], x[1]));
    case opcode(Op::OpIMul): return give(p.mul(x[0], x[1]));
    case opcode(Op::OpUMulExtended): {
      const Term both = p.mul(p.zero_extend(x[0], 64), p.zero_extend(x[1], 64));
      return SpirvResult{p.extract(both, 0, 32), p.extract(both, 32, 32)};
    }
    case opcode(Op::OpUDiv):
    case opcode(Op::OpUMod):
    case opcode(Op::OpSDiv):
    case opcode(Op::OpSRem): return divide(c, op, x);
    case opcode(Op::OpSNegate): return give(p.neg(x[0]));
    case opcode(Op::OpBitwiseAnd): return give(p.bit_and(x[0], x[1]));
    case opcode(Op::OpBitwiseOr): return give(p.bit_or(x[0], x[1]));
    case opcode(Op::OpBitwiseXor): return give(p.bit_xor(x[0], x[1]));
    case opcode(Op::OpNot): return give(p.bit_not(x[0]));
    case opcode(Op::OpShiftLeftLogical): return give(shifted(c, p.shl(x[0], x[1]), x[1]));
    case opcode(Op::OpShiftRightLogical): return give(shifted(c, p.lshr(x[0], x[1]), x[1]));
    case opcode(Op::OpShiftRightArithmetic): return give(shifted(c, p.ashr(x[0], x[1]), x[1]));
    case opcode(Op::OpBitCount): return give(count_bits(p, x[0]));
    case opcode(Op::OpBitReverse): return give(reverse(p, x[0]));
    case opcode(Op::OpIEqual): return give(p.eq(x[0], x[1]));
    case opcode(Op::OpINotEqual): return give(p.ne(x[0], x[1]));
    case opcode(Op::OpULessThan): return give(p.ult(x[0], x[1]));
    case opcode(Op::OpULessThanEqual): return give(p.ule(x[0], x[1]));
    case opcode(Op::OpUGreaterThan): return give(p.ult(x[1], x[0]));
    case opcode(Op::OpUGreaterThanEqual): return give(p.ule(x[1], x[0]));
    case opcode(Op::OpSLessThan): return give(p.slt(x[0], x[1]));
    case opcode(Op::OpSLessThanEqual): return give(p.sle(x[0], x[1]));
    case opcode(Op::OpSGreaterThan): return give(p.slt(x[1], x[0]));
    case opcode(Op::OpSGreaterThanEqual): return give(p.sle(x[1], x[0]));
    case opcode(Op::OpLogicalAnd): return give(p.and_(x[0], x[1]));
    case opcode(Op::OpLogicalOr): return give(p.or_(x[0], x[1]));
    case opcode(Op::OpLogicalNot): return give(p.not_(x[0]));
    case opcode(Op::OpLogicalEqual): return give(p.eq(x[0], x[1]));
    case opcode(Op::OpLogicalNotEqual): return give(p.ne(x[0], x[1]));
    case opcode(Op::OpSelect): return give(p.ite(x[0], x[1], x[2]));
    default: return unknown();
  }
}

}  // namespace vyre::symbolic
