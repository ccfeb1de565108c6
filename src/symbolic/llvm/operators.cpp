#include <fmt/format.h>
#include <llvm/IR/Operator.h>

#include "symbolic/llvm/value.h"

namespace vyre::symbolic {

using llvm::Instruction;
using smt::Pool;
using smt::Term;

namespace {

std::unexpected<std::string> unknown(const Instruction& instruction) {
  return std::unexpected(fmt::format("`{}`, which is not known here", instruction.getOpcodeName()));
}

/// Whether the result of an operation on numbers of w bits, known in 2w, has more than w.
Term overflows(Pool& p, Term a, Term b, Term (Pool::*operation)(Term, Term), bool is_signed) {
  const uint32_t w = p.width(a), wide = 2 * w;
  const auto grown = [&](Term t) { return is_signed ? p.sign_extend(t, wide) : p.zero_extend(t, wide); };
  const Term exact = (p.*operation)(grown(a), grown(b));
  return p.ne(exact, grown(p.extract(exact, 0, w)));
}

struct Binary {
  Pool& p;
  Term a, b;
  const Instruction& instruction;

  uint32_t width() const { return p.width(a); }
  Term sum_flags(Term (Pool::*operation)(Term, Term)) const {
    const auto& flags = llvm::cast<llvm::OverflowingBinaryOperator>(instruction);
    Term poison = p.truth(false);
    if (flags.hasNoUnsignedWrap()) poison = p.or_(poison, overflows(p, a, b, operation, false));
    if (flags.hasNoSignedWrap()) poison = p.or_(poison, overflows(p, a, b, operation, true));
    return poison;
  }
  Term too_far() const { return p.ule(p.constant(width(), width()), b); }
  /// Of a result that the other operation has to undo.
  Term unless_undone(bool flag, Term undone) const { return flag ? p.ne(undone, a) : p.truth(false); }
  bool is_exact() const { return llvm::cast<llvm::PossiblyExactOperator>(instruction).isExact(); }
};

LlvmValue with_poison(Pool& p, Term bits, Term poison, std::span<const LlvmValue> operands) {
  for (const LlvmValue& operand : operands) poison = p.or_(poison, operand.poison);
  return {.bits = bits, .poison = poison, .buffer = {}, .members = {}};
}

/// Division: at once undefined where it has no result.
LlvmValue divide(InstructionContext& c, const Binary& x, std::span<const LlvmValue> operands) {
  Pool& p = c.pool;
  const unsigned opcode = x.instruction.getOpcode();
  c.demands.push_back(
      {p.and_(p.not_(operands[1].poison), p.is_not_zero(x.b)), "the divisor is a number but zero"});
  const bool is_signed = opcode == Instruction::SDiv || opcode == Instruction::SRem;
  if (is_signed) {
    const Term minus_one = p.eq(x.b, p.bit_not(p.constant(x.width(), 0)));
    const Term least = p.eq(x.a, p.constant(x.width(), smt::Bits{1} << (x.width() - 1)));
    c.demands.push_back(
        {p.not_(p.and_(minus_one, p.or_(least, operands[0].poison))), "the quotient has a word"});
  }
  Term bits{}, poison = p.truth(false);
  switch (opcode) {
    case Instruction::UDiv: bits = p.udiv(x.a, x.b); break;
    case Instruction::SDiv: bits = p.sdiv(x.a, x.b); break;
    case Instruction::URem: bits = p.urem(x.a, x.b); break;
    default: bits = p.srem(x.a, x.b); break;
  }
  if ((opcode == Instruction::UDiv || opcode == Instruction::SDiv) && x.is_exact()) {
    poison = p.is_not_zero(is_signed ? p.srem(x.a, x.b) : p.urem(x.a, x.b));
  }
  return with_poison(p, bits, poison, operands);
}

/// Whether the instruction promises that its result is that of more bits; those are asked for then.
bool promises_no_overflow(const Instruction& instruction) {
  const auto* flags = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(&instruction);
  return flags != nullptr && (flags->hasNoUnsignedWrap() || flags->hasNoSignedWrap());
}

LlvmResult binary(InstructionContext& c, const Instruction& instruction,
                  std::span<const LlvmValue> operands) {
  Pool& p = c.pool;
  const Binary x{p, operands[0].bits, operands[1].bits, instruction};
  const uint32_t needed = promises_no_overflow(instruction) ? 2 * x.width() : x.width();
  if (needed > smt::kMaxWidth) return std::unexpected(fmt::format("numbers of {} bits", x.width()));
  const auto give = [&](Term bits, Term poison) { return with_poison(p, bits, poison, operands); };
  switch (instruction.getOpcode()) {
    case Instruction::Add: return give(p.add(x.a, x.b), x.sum_flags(&Pool::add));
    case Instruction::Sub: return give(p.sub(x.a, x.b), x.sum_flags(&Pool::sub));
    case Instruction::Mul: return give(p.mul(x.a, x.b), x.sum_flags(&Pool::mul));
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::URem:
    case Instruction::SRem: return divide(c, x, operands);
    case Instruction::And: return give(p.bit_and(x.a, x.b), p.truth(false));
    case Instruction::Xor: return give(p.bit_xor(x.a, x.b), p.truth(false));
    case Instruction::Or: {
      const bool disjoint = llvm::cast<llvm::PossiblyDisjointInst>(instruction).isDisjoint();
      return give(p.bit_or(x.a, x.b), disjoint ? p.is_not_zero(p.bit_and(x.a, x.b)) : p.truth(false));
    }
    case Instruction::Shl: {
      const auto& flags = llvm::cast<llvm::OverflowingBinaryOperator>(instruction);
      const Term out = p.shl(x.a, x.b);
      const Term lost = p.or_(x.unless_undone(flags.hasNoUnsignedWrap(), p.lshr(out, x.b)),
                              x.unless_undone(flags.hasNoSignedWrap(), p.ashr(out, x.b)));
      return give(out, p.or_(x.too_far(), lost));
    }
    case Instruction::LShr:
    case Instruction::AShr: {
      const Term out = instruction.getOpcode() == Instruction::LShr ? p.lshr(x.a, x.b) : p.ashr(x.a, x.b);
      return give(out, p.or_(x.too_far(), x.unless_undone(x.is_exact(), p.shl(out, x.b))));
    }
    default: return unknown(instruction);
  }
}

LlvmResult compare(InstructionContext& c, const llvm::ICmpInst& instruction,
                   std::span<const LlvmValue> operands) {
  Pool& p = c.pool;
  if (operands[0].buffer || operands[1].buffer) return std::unexpected("a comparison of addresses");
  const Term a = operands[0].bits, b = operands[1].bits;
  const auto give = [&](Term truth) { return with_poison(p, p.word(truth, 1), p.truth(false), operands); };
  switch (unsigned(instruction.getPredicate())) {
    case llvm::CmpInst::ICMP_EQ: return give(p.eq(a, b));
    case llvm::CmpInst::ICMP_NE: return give(p.ne(a, b));
    case llvm::CmpInst::ICMP_ULT: return give(p.ult(a, b));
    case llvm::CmpInst::ICMP_ULE: return give(p.ule(a, b));
    case llvm::CmpInst::ICMP_UGT: return give(p.ult(b, a));
    case llvm::CmpInst::ICMP_UGE: return give(p.ule(b, a));
    case llvm::CmpInst::ICMP_SLT: return give(p.slt(a, b));
    case llvm::CmpInst::ICMP_SLE: return give(p.sle(a, b));
    case llvm::CmpInst::ICMP_SGT: return give(p.slt(b, a));
    case llvm::CmpInst::ICMP_SGE: return give(p.sle(b, a));
    default: return unknown(instruction);
  }
}

LlvmResult convert(InstructionContext& c, const llvm::CastInst& instruction,
                   std::span<const LlvmValue> operands) {
  Pool& p = c.pool;
  const auto* type = llvm::dyn_cast<llvm::IntegerType>(instruction.getType());
  if (type == nullptr || !instruction.getSrcTy()->isIntegerTy()) return unknown(instruction);
  const Term a = operands[0].bits;
  const uint32_t from = p.width(a), to = type->getBitWidth();
  if (to > smt::kMaxWidth) return std::unexpected(fmt::format("numbers of {} bits", to));
  Term poison = p.truth(false);
  switch (unsigned(instruction.getOpcode())) {
    case Instruction::ZExt:
      if (instruction.hasNonNeg()) poison = p.slt(a, p.constant(from, 0));
      return with_poison(p, p.zero_extend(a, to), poison, operands);
    case Instruction::SExt: return with_poison(p, p.sign_extend(a, to), poison, operands);
    case Instruction::Trunc: {
      const Term out = p.extract(a, 0, to);
      const auto& flags = llvm::cast<llvm::TruncInst>(instruction);
      if (flags.hasNoUnsignedWrap()) poison = p.or_(poison, p.ne(p.zero_extend(out, from), a));
      if (flags.hasNoSignedWrap()) poison = p.or_(poison, p.ne(p.sign_extend(out, from), a));
      return with_poison(p, out, poison, operands);
    }
    default: return unknown(instruction);
  }
}

LlvmResult select(InstructionContext& c, std::span<const LlvmValue> operands) {
  Pool& p = c.pool;
  const LlvmValue &condition = operands[0], &yes = operands[1], &no = operands[2];
  if (yes.buffer != no.buffer) return std::unexpected("a choice between addresses of two buffers");
  const Term chosen = p.is_not_zero(condition.bits);
  return LlvmValue{.bits = p.ite(chosen, yes.bits, no.bits),
                   .poison = p.or_(condition.poison, p.ite(chosen, yes.poison, no.poison)),
                   .buffer = yes.buffer,
                   .members = {}};
}

}  // namespace

LlvmResult read_operator(InstructionContext& context, const Instruction& instruction,
                         std::span<const LlvmValue> operands) {
  Pool& p = context.pool;
  if (instruction.isBinaryOp()) return binary(context, instruction, operands);
  if (const auto* icmp = llvm::dyn_cast<llvm::ICmpInst>(&instruction))
    return compare(context, *icmp, operands);
  if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction))
    return convert(context, *cast, operands);
  switch (instruction.getOpcode()) {
    case Instruction::Select: return select(context, operands);
    case Instruction::Freeze: {
      if (operands[0].buffer) return std::unexpected("a frozen address");
      const Term any = context.anything(p.width(operands[0].bits));
      return LlvmValue{.bits = p.ite(operands[0].poison, any, operands[0].bits),
                       .poison = p.truth(false),
                       .buffer = {},
                       .members = {}};
    }
    case Instruction::ExtractValue: {
      const auto& take = llvm::cast<llvm::ExtractValueInst>(instruction);
      if (take.getNumIndices() != 1 || operands[0].members.empty()) return unknown(instruction);
      return operands[0].members[take.getIndices()[0]];
    }
    default: return unknown(instruction);
  }
}

}  // namespace vyre::symbolic
