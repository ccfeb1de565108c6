// The rules of legalization for operators: each semantic operator in raw ones.
//
// One small function a rule, headed by what it matches and what it writes; a and b are the operands. Results
// are words: a signed word is its bits, a bool is 0 or 1. test/unit/lower checks every rule against an
// expectation of its own and against the semantic form. Source: binary-operations; semantics, "Operators" and
// "Casts".
#include "lower/rewrite.h"

namespace vyre::lower {
namespace {

using spec::DataType;
using spec::Op;

using Rule = Value (*)(Rewriter& r, const Inst& apply);

constexpr uint32_t kMinSigned = 0x80000000u;
constexpr uint32_t kMinusOne = 0xffffffffu;

Value operand(Rewriter& r, const Inst& apply, uint32_t n) { return r.source().arg(apply, n); }
Value is_zero(Rewriter& r, Value v) { return r.raw(RawOp::Eq, {v, r.constant(0)}); }
/// 0 or 1: whether a word that counts as a truth value is not zero.
Value truth(Rewriter& r, Value v) { return r.is_truth(v) ? v : r.raw(RawOp::Ne, {v, r.constant(0)}); }
Value choose(Rewriter& r, Value condition, Value yes, Value no) {
  return r.raw(RawOp::Select, {condition, yes, no});
}

// match:  op(a, b), op(a) where the raw operator is total and means the same on every bit pattern
// result: op.raw(a, b), op.raw(a)
template <RawOp op>
Value direct(Rewriter& r, const Inst& apply) {
  if constexpr (info(op).operands == 1) return r.raw(op, {operand(r, apply, 0)});
  return r.raw(op, {operand(r, apply, 0), operand(r, apply, 1)});
}

// match:  gt(a, b); ge(a, b)
// result: lt.raw(b, a); le.raw(b, a)
template <RawOp op>
Value swapped(Rewriter& r, const Inst& apply) {
  return r.raw(op, {operand(r, apply, 1), operand(r, apply, 0)});
}

// match:  div u32(a, b)
// result: z = eq.raw(b, 0); select.raw(z, 0, udiv.raw(a, select.raw(z, 1, b)))
Value div_unsigned(Rewriter& r, const Inst& apply) {
  const Value a = operand(r, apply, 0), b = operand(r, apply, 1);
  const Value z = is_zero(r, b);
  const Value quotient = r.raw(RawOp::UDiv, {a, choose(r, z, r.constant(1), b)});
  return choose(r, z, r.constant(0), quotient);
}

// match:  mod u32(a, b)
// result: urem.raw(a, select.raw(eq.raw(b, 0), 1, b))        // a mod 1 is the 0 that a mod 0 has to be
Value mod_unsigned(Rewriter& r, const Inst& apply) {
  const Value b = operand(r, apply, 1);
  const Value z = is_zero(r, b);
  return r.raw(RawOp::URem, {operand(r, apply, 0), choose(r, z, r.constant(1), b)});
}

struct SignedDivisor {
  Value is_zero;
  Value divisor;  // 1 where b is 0, and where a / b overflows
};
// match:  a, b i32
// result: z = eq.raw(b, 0); o = and.raw(eq.raw(a, MIN), eq.raw(b, -1)); d = select.raw(or.raw(z, o), 1, b)
SignedDivisor signed_divisor(Rewriter& r, Value a, Value b) {
  const Value z = is_zero(r, b);
  const Value least = r.raw(RawOp::Eq, {a, r.constant(kMinSigned)});
  const Value minus_one = r.raw(RawOp::Eq, {b, r.constant(kMinusOne)});
  const Value overflow = r.raw(RawOp::And, {least, minus_one});
  const Value unsafe = r.raw(RawOp::Or, {z, overflow});
  return {z, choose(r, unsafe, r.constant(1), b)};
}

// match:  div i32(a, b)
// result: z, d as above; select.raw(z, 0, sdiv.raw(a, d))     // MIN / 1 is the MIN that MIN / -1 has to be
Value div_signed(Rewriter& r, const Inst& apply) {
  const Value a = operand(r, apply, 0);
  const SignedDivisor guarded = signed_divisor(r, a, operand(r, apply, 1));
  const Value quotient = r.raw(RawOp::SDiv, {a, guarded.divisor});
  return choose(r, guarded.is_zero, r.constant(0), quotient);
}

// match:  mod i32(a, b)
// result: d as above; srem.raw(a, d)                          // a mod 1 is 0 in both guarded cases
Value mod_signed(Rewriter& r, const Inst& apply) {
  const Value a = operand(r, apply, 0);
  return r.raw(RawOp::SRem, {a, signed_divisor(r, a, operand(r, apply, 1)).divisor});
}

// match:  shl(a, b); shr u32(a, b); shr i32(a, b)
// result: shl.raw(a, and.raw(b, 31)); lshr.raw(...); ashr.raw(...)
template <RawOp op>
Value masked_shift(Rewriter& r, const Inst& apply) {
  const Value amount = r.raw(RawOp::And, {operand(r, apply, 1), r.constant(31)});
  return r.raw(op, {operand(r, apply, 0), amount});
}

// match:  and(a, b); or(a, b)
// result: and.raw(ne.raw(a, 0), ne.raw(b, 0)); or.raw(...)    // an operand that is 0 or 1 is taken as it is
template <RawOp op>
Value logical(Rewriter& r, const Inst& apply) {
  const Value a = truth(r, operand(r, apply, 0));
  const Value b = truth(r, operand(r, apply, 1));
  return r.raw(op, {a, b});
}

// match:  logical_not(a)
// result: eq.raw(a, 0)
Value logical_not(Rewriter& r, const Inst& apply) { return is_zero(r, operand(r, apply, 0)); }

// match:  negate(a)
// result: sub.raw(0, a)
Value negate(Rewriter& r, const Inst& apply) {
  const Value zero = r.constant(0);
  return r.raw(RawOp::Sub, {zero, operand(r, apply, 0)});
}

// match:  clz(a); ctz(a)
// result: z = eq.raw(a, 0); select.raw(z, 32, clz.raw(select.raw(z, 1, a)))
template <RawOp op>
Value count_zeros(Rewriter& r, const Inst& apply) {
  const Value a = operand(r, apply, 0);
  const Value z = is_zero(r, a);
  const Value count = r.raw(op, {choose(r, z, r.constant(1), a)});
  return choose(r, z, r.constant(32), count);
}

Value add(Rewriter& r, Value a, Value b) { return r.raw(RawOp::Add, {a, b}); }
Value mask(Rewriter& r, Value a, uint32_t bits) { return r.raw(RawOp::And, {a, r.constant(bits)}); }
Value right(Rewriter& r, Value a, uint32_t by) { return r.raw(RawOp::LShr, {a, r.constant(by)}); }
Value left(Rewriter& r, Value a, uint32_t by) { return r.raw(RawOp::Shl, {a, r.constant(by)}); }

// match:  popcount(a), the target counts bits
// result: popcount.raw(a)
// match:  popcount(a), the target does not
// result: sums of 1, 2, 4 bits side by side; a multiplication adds the four bytes into the highest
Value popcount(Rewriter& r, const Inst& apply) {
  const Value a = operand(r, apply, 0);
  if (r.target().has_popcount) return r.raw(RawOp::Popcount, {a});
  const Value pairs = r.raw(RawOp::Sub, {a, mask(r, right(r, a, 1), 0x55555555)});
  const Value low = mask(r, pairs, 0x33333333);
  const Value nibbles = add(r, low, mask(r, right(r, pairs, 2), 0x33333333));
  const Value bytes = mask(r, add(r, nibbles, right(r, nibbles, 4)), 0x0f0f0f0f);
  return right(r, r.raw(RawOp::Mul, {bytes, r.constant(0x01010101)}), 24);
}

// match:  reverse_bits(a), the target reverses bits
// result: reverse_bits.raw(a)
// match:  reverse_bits(a), the target does not
// result: neighbours swapped in groups of 1, 2, 4 and 8 bits, then the halves
Value reverse_bits(Rewriter& r, const Inst& apply) {
  Value a = operand(r, apply, 0);
  if (r.target().has_reverse_bits) return r.raw(RawOp::ReverseBits, {a});
  struct Step {
    uint32_t width, mask;
  };
  for (const Step step : {Step{1, 0x55555555}, {2, 0x33333333}, {4, 0x0f0f0f0f}, {8, 0x00ff00ff}}) {
    const Value down = mask(r, right(r, a, step.width), step.mask);
    const Value up = left(r, mask(r, a, step.mask), step.width);
    a = r.raw(RawOp::Or, {down, up});
  }
  const Value down = right(r, a, 16);
  return r.raw(RawOp::Or, {down, left(r, a, 16)});
}

// match:  select(c, t, f)
// result: select.raw(ne.raw(c, 0), t, f)                      // a condition that is 0 or 1 is taken as it is
Value select(Rewriter& r, const Inst& apply) {
  const Value condition = truth(r, operand(r, apply, 0));
  return choose(r, condition, operand(r, apply, 1), operand(r, apply, 2));
}

// match:  cast<u32 | i32>(a), a of any type of one word; cast<T>(a of T); bitcast<T>(a)
// result: a                                                   // the bits are the same
// match:  cast<bool>(a), a u32 or i32
// result: ne.raw(a, 0)
Value cast(Rewriter& r, const Inst& apply) {
  const Value a = operand(r, apply, 0);
  return apply.type == DataType::Bool ? truth(r, a) : a;
}

// match:  bitcast<T>(a)
// result: a
Value bitcast(Rewriter& r, const Inst& apply) { return operand(r, apply, 0); }

/// The rules of one operator: one a type that it takes, none for the others.
struct Rules {
  Rule u32, i32, boolean;
};
constexpr Rules integers(Rule both) { return {both, both, nullptr}; }
constexpr Rules integers(Rule u32, Rule i32) { return {u32, i32, nullptr}; }
constexpr Rules all(Rule rule) { return {rule, rule, rule}; }

constexpr bool is_pure(Op op) { return !spec::is_atomic(op) && op != Op::Call && !spec::is_vector_op(op); }

using Entry = spec::Row<Op, Rules>;
constexpr Entry kRows[] = {
    {Op::Add, integers(direct<RawOp::Add>)},
    {Op::Sub, integers(direct<RawOp::Sub>)},
    {Op::Mul, integers(direct<RawOp::Mul>)},
    {Op::Div, integers(div_unsigned, div_signed)},
    {Op::Mod, integers(mod_unsigned, mod_signed)},
    {Op::BitAnd, integers(direct<RawOp::And>)},
    {Op::BitOr, integers(direct<RawOp::Or>)},
    {Op::BitXor, integers(direct<RawOp::Xor>)},
    {Op::Shl, integers(masked_shift<RawOp::Shl>)},
    {Op::Shr, integers(masked_shift<RawOp::LShr>, masked_shift<RawOp::AShr>)},
    {Op::Eq, all(direct<RawOp::Eq>)},
    {Op::Ne, all(direct<RawOp::Ne>)},
    {Op::Lt, integers(direct<RawOp::ULt>, direct<RawOp::SLt>)},
    {Op::Gt, integers(swapped<RawOp::ULt>, swapped<RawOp::SLt>)},
    {Op::Le, integers(direct<RawOp::ULe>, direct<RawOp::SLe>)},
    {Op::Ge, integers(swapped<RawOp::ULe>, swapped<RawOp::SLe>)},
    {Op::And, all(logical<RawOp::And>)},
    {Op::Or, all(logical<RawOp::Or>)},
    {Op::Negate, integers(negate)},
    {Op::BitNot, integers(direct<RawOp::Not>)},
    {Op::LogicalNot, all(logical_not)},
    {Op::Popcount, integers(popcount)},
    {Op::Clz, integers(count_zeros<RawOp::Clz>)},
    {Op::Ctz, integers(count_zeros<RawOp::Ctz>)},
    {Op::ReverseBits, integers(reverse_bits)},
    {Op::Select, all(select)},
    {Op::Cast, all(cast)},
    {Op::Bitcast, integers(bitcast)},
};
constexpr spec::TotalTable<kRows, is_pure> kRules;

/// The table has a rule for exactly those types of one word that the ledger says the operator takes.
consteval bool rules_match_the_ledger() {
  for (const Entry& row : kRows) {
    const spec::TypeSet types = spec::info(row.key).types;
    const bool truth =
        types.contains(DataType::Bool) && row.key != Op::Bitcast;  // bool takes no part in bitcast
    if ((row.value.u32 != nullptr) != types.contains(DataType::U32)) return false;
    if ((row.value.i32 != nullptr) != types.contains(DataType::I32)) return false;
    if ((row.value.boolean != nullptr) != truth) return false;
  }
  return true;
}
static_assert(rules_match_the_ledger(), "an operator has a rule for a type it does not take, or lacks one");

}  // namespace

Value legalize_apply(Rewriter& r, const Inst& apply) {
  const Rules& rules = kRules[apply.op];
  if (apply.operand_type == DataType::Bool) return rules.boolean(r, apply);
  return apply.operand_type == DataType::I32 ? rules.i32(r, apply) : rules.u32(r, apply);
}

}  // namespace vyre::lower
