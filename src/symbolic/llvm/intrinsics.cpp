#include <fmt/format.h>
#include <llvm/IR/ConstantRange.h>

#include "symbolic/bits.h"
#include "symbolic/llvm/value.h"

namespace vyre::symbolic {

using llvm::Intrinsic::ID;
using smt::Pool;
using smt::Term;

namespace {

namespace Intrinsic = llvm::Intrinsic;

struct Call {
  InstructionContext& c;
  const llvm::CallBase& call;
  std::span<const LlvmValue> operands;

  Pool& p() const { return c.pool; }
  Term x(unsigned n) const { return operands[n].bits; }
  uint32_t width() const { return p().width(x(0)); }
  /// An argument that is `i1 true` or `i1 false` in the text.
  bool flag(unsigned n) const { return !llvm::cast<llvm::ConstantInt>(call.getArgOperand(n))->isZero(); }

  LlvmValue give(Term bits, std::optional<Term> poison = {}) const {
    Term out = poison.value_or(p().truth(false));
    for (const LlvmValue& operand : operands) out = p().or_(out, operand.poison);
    return {.bits = bits, .poison = out, .buffer = {}, .members = {}};
  }
  Term wide(unsigned n, bool is_signed) const {
    return is_signed ? p().sign_extend(x(n), 2 * width()) : p().zero_extend(x(n), 2 * width());
  }
};

Term least(const Call& x) { return x.p().constant(x.width(), smt::Bits{1} << (x.width() - 1)); }
Term most(const Call& x) { return x.p().bit_not(least(x)); }
Term ones(const Call& x) { return x.p().bit_not(x.p().constant(x.width(), 0)); }

// The operands side by side, shifted together by an amount modulo the width.
LlvmResult funnel(const Call& x, bool to_left) {
  Pool& p = x.p();
  const uint32_t w = x.width();
  if (2 * w > smt::kMaxWidth) return std::unexpected("a wide funnel shift");
  const Term amount = p.zero_extend(p.urem(x.x(2), p.constant(w, w)), 2 * w);
  const Term pair = p.concat(x.x(0), x.x(1));
  return x.give(to_left ? p.extract(p.shl(pair, amount), w, w) : p.extract(p.lshr(pair, amount), 0, w));
}

using Operation = Term (Pool::*)(Term, Term);

/// The exact result in twice the width, and whether it fits.
struct Exact {
  Term value, fits;
};
Exact exactly(const Call& x, Operation operation, bool is_signed) {
  Pool& p = x.p();
  const Term exact = (p.*operation)(x.wide(0, is_signed), x.wide(1, is_signed));
  const Term low = p.extract(exact, 0, x.width());
  const Term again = is_signed ? p.sign_extend(low, 2 * x.width()) : p.zero_extend(low, 2 * x.width());
  return {exact, p.eq(exact, again)};
}

LlvmResult with_overflow(const Call& x, Operation operation, bool is_signed) {
  Pool& p = x.p();
  const Exact exact = exactly(x, operation, is_signed);
  LlvmValue out = x.give(p.extract(exact.value, 0, x.width()));
  out.members = {x.give(p.extract(exact.value, 0, x.width())), x.give(p.word(p.not_(exact.fits), 1))};
  return out;
}

LlvmResult saturated(const Call& x, Operation operation, bool is_signed) {
  Pool& p = x.p();
  const Exact exact = exactly(x, operation, is_signed);
  const bool up = operation == &Pool::add;
  Term bound = up ? ones(x) : p.constant(x.width(), 0);
  if (is_signed) bound = p.ite(p.slt(exact.value, p.constant(2 * x.width(), 0)), least(x), most(x));
  return x.give(p.ite(exact.fits, p.extract(exact.value, 0, x.width()), bound));
}

// -1, 0 or 1.
LlvmResult three_way(const Call& x, Operation below) {
  Pool& p = x.p();
  const uint32_t to = x.call.getType()->getIntegerBitWidth();
  const Term minus_one = p.bit_not(p.constant(to, 0));
  return x.give(p.ite((p.*below)(x.x(0), x.x(1)), minus_one, p.word((p.*below)(x.x(1), x.x(0)), to)));
}

LlvmResult meaning(const Call& x) {
  Pool& p = x.p();
  const auto chosen = [&](Operation below, bool first_if_below) {
    const Term is_below = (p.*below)(x.x(0), x.x(1));
    return x.give(first_if_below ? p.ite(is_below, x.x(0), x.x(1)) : p.ite(is_below, x.x(1), x.x(0)));
  };
  const auto of_zero = [&] { return x.flag(1) ? p.is_zero(x.x(0)) : p.truth(false); };
  switch (x.call.getIntrinsicID()) {
    case Intrinsic::ctpop: return x.give(count_bits(p, x.x(0)));
    case Intrinsic::ctlz: return x.give(count_leading_zeros(p, x.x(0)), of_zero());
    case Intrinsic::cttz: return x.give(count_trailing_zeros(p, x.x(0)), of_zero());
    case Intrinsic::bitreverse: return x.give(reverse(p, x.x(0)));
    case Intrinsic::bswap: return x.give(swap_bytes(p, x.x(0)));
    case Intrinsic::fshl: return funnel(x, true);
    case Intrinsic::fshr: return funnel(x, false);
    case Intrinsic::umin: return chosen(&Pool::ult, true);
    case Intrinsic::umax: return chosen(&Pool::ult, false);
    case Intrinsic::smin: return chosen(&Pool::slt, true);
    case Intrinsic::smax: return chosen(&Pool::slt, false);
    case Intrinsic::abs: {
      const Term negative = p.slt(x.x(0), p.constant(x.width(), 0));
      return x.give(p.ite(negative, p.neg(x.x(0)), x.x(0)),
                    x.flag(1) ? p.eq(x.x(0), least(x)) : p.truth(false));
    }
    case Intrinsic::uadd_sat: return saturated(x, &Pool::add, false);
    case Intrinsic::usub_sat: return saturated(x, &Pool::sub, false);
    case Intrinsic::sadd_sat: return saturated(x, &Pool::add, true);
    case Intrinsic::ssub_sat: return saturated(x, &Pool::sub, true);
    case Intrinsic::uadd_with_overflow: return with_overflow(x, &Pool::add, false);
    case Intrinsic::usub_with_overflow: return with_overflow(x, &Pool::sub, false);
    case Intrinsic::umul_with_overflow: return with_overflow(x, &Pool::mul, false);
    case Intrinsic::sadd_with_overflow: return with_overflow(x, &Pool::add, true);
    case Intrinsic::ssub_with_overflow: return with_overflow(x, &Pool::sub, true);
    case Intrinsic::smul_with_overflow: return with_overflow(x, &Pool::mul, true);
    case Intrinsic::ucmp: return three_way(x, &Pool::ult);
    case Intrinsic::scmp: return three_way(x, &Pool::slt);
    default: break;
  }
  return std::unexpected(fmt::format("a call of {}, which is not known here",
                                     std::string(x.call.getCalledFunction()->getName())));
}

bool is_counting(ID id) {
  return id == Intrinsic::ctpop || id == Intrinsic::bitreverse || id == Intrinsic::ctlz ||
         id == Intrinsic::cttz;
}

}  // namespace

LlvmResult read_intrinsic(InstructionContext& context, const llvm::CallBase& call,
                          std::span<const LlvmValue> operands) {
  const ID id = call.getIntrinsicID();
  const Call x{context, call, operands};
  Pool& p = context.pool;
  if (id == Intrinsic::assume) {
    if (call.getNumOperandBundles() != 0) return std::unexpected("an assumption about an address");
    context.demands.push_back(
        {p.and_(p.not_(operands[0].poison), p.is_not_zero(operands[0].bits)), "what is assumed"});
    return LlvmValue{.bits = p.constant(1, 0), .poison = p.truth(false), .buffer = {}, .members = {}};
  }
  const uint32_t width = operands.empty() ? 0 : x.width();
  if (width == 0 || 2 * width > smt::kMaxWidth)
    return std::unexpected(fmt::format("numbers of {} bits", width));
  if (is_counting(id) && (width & (width - 1)) != 0)
    return std::unexpected(fmt::format("bits of {} counted", width));
  LlvmResult out = meaning(x);
  if (!out) return out;
  if (const auto range = call.getRange()) {  // a promise that the result is in there, else it is poison
    const auto number = [&](const llvm::APInt& n) { return p.constant(n.getBitWidth(), n.getZExtValue()); };
    const Term lower = number(range->getLower()), size = number(range->getUpper() - range->getLower());
    if (!range->isFullSet()) out->poison = p.or_(out->poison, p.ule(size, p.sub(out->bits, lower)));
  }
  return out;
}

}  // namespace vyre::symbolic
