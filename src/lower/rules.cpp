// The rules of legalization for operators: each semantic operator in raw ones.
//
// One small function a rule, headed by what it matches and what it writes; a and b are the operands. Results
// are words: a signed word is its bits, a bool is 0 or 1, a 16-bit float has a high half of zero. Here are
// the rules for one word, those that hold for every type, and the table; u64 and u128 are in
// wide.cpp and long.cpp.
// test/unit/lower checks every rule against an expectation of its own and against the semantic form. Source:
// binary-operations; semantics, "Operators" and "Casts".
#include "lower/rules.h"

#include <algorithm>

#include "lower/float_rules.h"
#include "spec/casts.h"
#include "spec/ops.h"

namespace vyre::lower {
namespace {

using spec::DataType;
using spec::Op;

constexpr uint32_t kMinSigned = 0x80000000u;
constexpr uint32_t kMinusOne = 0xffffffffu;

Value operand(Rewriter& r, const Inst& apply, uint32_t n) { return r.word(apply, n); }

// match:  op(a, b), op(a) where the raw operator is total and means the same on every bit pattern
// result: op.raw(a, b), op.raw(a)
template <RawOp op>
Limbs direct(Rewriter& r, const Inst& apply) {
  if constexpr (info(op).operands == 1) return r.raw(op, {operand(r, apply, 0)});
  return r.raw(op, {operand(r, apply, 0), operand(r, apply, 1)});
}

// match:  gt(a, b); ge(a, b)
// result: lt.raw(b, a); le.raw(b, a)
template <RawOp op>
Limbs swapped(Rewriter& r, const Inst& apply) {
  return r.raw(op, {operand(r, apply, 1), operand(r, apply, 0)});
}

// match:  div u32(a, b)
// result: z = eq.raw(b, 0); select.raw(z, 0, udiv.raw(a, select.raw(z, 1, b)))
Limbs div_unsigned(Rewriter& r, const Inst& apply) {
  const Value a = operand(r, apply, 0), b = operand(r, apply, 1);
  const Value z = is_zero(r, b);
  const Value quotient = r.raw(RawOp::UDiv, {a, choose(r, z, r.constant(1), b)});
  return choose(r, z, r.constant(0), quotient);
}

// match:  mod u32(a, b)
// result: urem.raw(a, select.raw(eq.raw(b, 0), 1, b))        // a mod 1 is the 0 that a mod 0 has to be
Limbs mod_unsigned(Rewriter& r, const Inst& apply) {
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
Limbs div_signed(Rewriter& r, const Inst& apply) {
  const Value a = operand(r, apply, 0);
  const SignedDivisor guarded = signed_divisor(r, a, operand(r, apply, 1));
  const Value quotient = r.raw(RawOp::SDiv, {a, guarded.divisor});
  return choose(r, guarded.is_zero, r.constant(0), quotient);
}

// match:  mod i32(a, b)
// result: d as above; srem.raw(a, d)                          // a mod 1 is 0 in both guarded cases
Limbs mod_signed(Rewriter& r, const Inst& apply) {
  const Value a = operand(r, apply, 0);
  return r.raw(RawOp::SRem, {a, signed_divisor(r, a, operand(r, apply, 1)).divisor});
}

// match:  shl(a, b); shr u32(a, b); shr i32(a, b)
// result: shl.raw(a, and.raw(b, 31)); lshr.raw(...); ashr.raw(...)
template <RawOp op>
Limbs masked_shift(Rewriter& r, const Inst& apply) {
  const Value amount = r.raw(RawOp::And, {operand(r, apply, 1), r.constant(31)});
  return r.raw(op, {operand(r, apply, 0), amount});
}

// match:  and(a, b); or(a, b)
// result: and.raw(ne.raw(a, 0), ne.raw(b, 0)); or.raw(...)    // an operand that is 0 or 1 is taken as it is
template <RawOp op>
Limbs logical(Rewriter& r, const Inst& apply) {
  const Value a = truth(r, operand(r, apply, 0));
  const Value b = truth(r, operand(r, apply, 1));
  return r.raw(op, {a, b});
}

// match:  logical_not(a)
// result: eq.raw(a, 0)
Limbs logical_not(Rewriter& r, const Inst& apply) { return is_zero(r, operand(r, apply, 0)); }

// match:  negate(a)
// result: sub.raw(0, a)
Limbs negate(Rewriter& r, const Inst& apply) {
  const Value zero = r.constant(0);
  return sub(r, zero, operand(r, apply, 0));
}

// match:  clz(a); ctz(a)
// result: z = eq.raw(a, 0); select.raw(z, 32, clz.raw(select.raw(z, 1, a)))
template <RawOp op>
Limbs zeros(Rewriter& r, const Inst& apply) {
  return count_zeros<op>(r, operand(r, apply, 0));
}

Limbs popcount(Rewriter& r, const Inst& apply) { return count_ones(r, operand(r, apply, 0)); }
Limbs reverse_bits(Rewriter& r, const Inst& apply) { return reverse_word(r, operand(r, apply, 0)); }

// match:  select(c, t, f)
// result: select.raw(ne.raw(c, 0), ti, fi)                    // a condition that is 0 or 1 is taken as it is
Limbs select(Rewriter& r, const Inst& apply) {
  const Value condition = truth(r, operand(r, apply, 0));
  return choose_value(r, apply.type, condition, r.operand(apply, 1), r.operand(apply, 2));
}

// match:  cast<T>(a of T)
// result: a
// match:  cast<bool>(a)
// result: ne.raw(or of all ai, 0)
// match:  cast<vector>(a)
// result: a, a, ...
// match:  cast<integer>(a)
// result: the low words of a, and above them zeros; of an i32, ashr.raw(a, 31)
Limbs cast(Rewriter& r, const Inst& apply) {
  const Limbs& a = r.operand(apply, 0);
  if (apply.type == apply.operand_type) return a;
  if (spec::kFloats.contains(apply.type) || spec::kFloats.contains(apply.operand_type))
    return legalize_float_cast(r, apply);
  if (apply.type == DataType::Bool) return truth(r, any_bit(r, a));
  const bool splat = spec::kVectors.contains(apply.type);
  const uint32_t words = spec::value_words(apply.type);
  Limbs out(a[0]);
  for (uint32_t i = 1; i < std::min(words, a.count); ++i) out.add(a[i]);
  while (out.count < words) {
    if (splat) {
      out.add(a[0]);
    } else if (apply.operand_type == DataType::I32) {
      out.add(r.raw(RawOp::AShr, {a[0], r.constant(31)}));
    } else {
      out.add(r.constant(0));
    }
  }
  return out;
}

// match:  bitcast<f16 | bf16>(a), a u32
// result: and.raw(a, ffff)
// match:  bitcast<T>(a), any other
// result: a                                                   // the bits are the same
Limbs bitcast(Rewriter& r, const Inst& apply) {
  const Limbs& a = r.operand(apply, 0);
  if (apply.operand_type == DataType::U32 && spec::value_bits(apply.type) == 16) return mask(r, a[0], 0xffff);
  return a;
}

// match:  vec2u32(a, b); vec4u32(a, b, c, d)
// result: the words side by side
Limbs make_vector(Rewriter& r, const Inst& apply) {
  Limbs out;
  for (uint32_t i = 0; i < apply.args.count; ++i) out.add(operand(r, apply, i));
  return out;
}

// match:  component n of v
// result: vn
Limbs component(Rewriter& r, const Inst& apply) { return r.operand(apply, 0)[apply.imm]; }

/// The rules of one operator: one for each kind of type that it takes, none for the others.
struct Rules {
  Rule u32, i32;
  Rule wide;  // u64, u128
  Rule vector, boolean, floating;
};
constexpr Rules integers(Rule u32, Rule i32) { return {u32, i32, legalize_wide, nullptr, nullptr, nullptr}; }
constexpr Rules integers(Rule word) { return integers(word, word); }
constexpr Rules and_vectors(Rule word, Rule vector) {
  return {word, word, legalize_wide, vector, nullptr, nullptr};
}
constexpr Rules and_truth(Rule word) { return {word, word, legalize_wide, nullptr, word, nullptr}; }
constexpr Rules comparing(Rule word) { return {word, word, legalize_wide, legalize_wide, word, nullptr}; }
constexpr Rules vectors(Rule rule) { return {nullptr, nullptr, nullptr, rule, nullptr, nullptr}; }
constexpr Rules all(Rule rule) { return {rule, rule, rule, rule, rule, rule}; }
constexpr Rules all_but_truth(Rule rule) { return {rule, rule, rule, rule, nullptr, rule}; }

/// Operators on floats alone have one rule, legalize_float, and a table of their own (float_rules.cpp).
constexpr bool has_rule(Op op) {
  const bool pure = !spec::is_atomic(op) && !spec::is_reduction(op) && op != Op::Call;
  return pure && spec::info(op).types != spec::kFloats;
}

using Entry = spec::Row<Op, Rules>;
constexpr Entry kRuleRows[] = {
    {Op::Add, and_vectors(direct<RawOp::Add>, each_word<RawOp::Add>)},
    {Op::Sub, and_vectors(direct<RawOp::Sub>, each_word<RawOp::Sub>)},
    {Op::Mul, and_vectors(direct<RawOp::Mul>, each_word<RawOp::Mul>)},
    {Op::Div, integers(div_unsigned, div_signed)},
    {Op::Mod, integers(mod_unsigned, mod_signed)},
    {Op::BitAnd, and_vectors(each_word<RawOp::And>, each_word<RawOp::And>)},
    {Op::BitOr, and_vectors(each_word<RawOp::Or>, each_word<RawOp::Or>)},
    {Op::BitXor, and_vectors(each_word<RawOp::Xor>, each_word<RawOp::Xor>)},
    {Op::Shl, integers(masked_shift<RawOp::Shl>)},
    {Op::Shr, integers(masked_shift<RawOp::LShr>, masked_shift<RawOp::AShr>)},
    {Op::Eq, comparing(direct<RawOp::Eq>)},
    {Op::Ne, comparing(direct<RawOp::Ne>)},
    {Op::Lt, integers(direct<RawOp::ULt>, direct<RawOp::SLt>)},
    {Op::Gt, integers(swapped<RawOp::ULt>, swapped<RawOp::SLt>)},
    {Op::Le, integers(direct<RawOp::ULe>, direct<RawOp::SLe>)},
    {Op::Ge, integers(swapped<RawOp::ULe>, swapped<RawOp::SLe>)},
    {Op::And, and_truth(logical<RawOp::And>)},
    {Op::Or, and_truth(logical<RawOp::Or>)},
    {Op::Negate, integers(negate)},
    {Op::BitNot, and_vectors(each_word<RawOp::Not>, each_word<RawOp::Not>)},
    {Op::LogicalNot, and_truth(logical_not)},
    {Op::Popcount, integers(popcount)},
    {Op::Clz, integers(zeros<RawOp::Clz>)},
    {Op::Ctz, integers(zeros<RawOp::Ctz>)},
    {Op::ReverseBits, integers(reverse_bits)},
    {Op::Select, all(select)},
    {Op::Cast, all(cast)},
    {Op::Bitcast, all_but_truth(bitcast)},
    {Op::MakeVec2U32, vectors(make_vector)},
    {Op::MakeVec4U32, vectors(make_vector)},
    {Op::Component, vectors(component)},
};
constexpr spec::TotalTable<kRuleRows, has_rule> kRules;

constexpr spec::Row<DataType, Rule Rules::*> kRuleColumnRows[] = {
    {DataType::U32, &Rules::u32},        {DataType::I32, &Rules::i32},
    {DataType::U64, &Rules::wide},       {DataType::U128, &Rules::wide},
    {DataType::Vec2U32, &Rules::vector}, {DataType::Vec4U32, &Rules::vector},
    {DataType::Bool, &Rules::boolean},   {DataType::F16, &Rules::floating},
    {DataType::BF16, &Rules::floating},  {DataType::F32, &Rules::floating},
};
constexpr spec::TotalTable<kRuleColumnRows, spec::is_value_type> kRuleColumns;

constexpr Rule rule_for(const Rules& rules, DataType type) {
  return spec::is_value_type(type) ? rules.*kRuleColumns[type] : nullptr;
}

/// The table has a rule for each type that the ledger says the operator takes. It may have one for more where
/// types share a rule: making a vector takes one size of them.
consteval bool rules_match_the_ledger() {
  for (const Entry& row : kRuleRows) {
    for (const spec::TypeInfo& type : spec::kTypes) {
      const bool has = rule_for(row.value, type.type) != nullptr;
      bool takes = spec::info(row.key).types.contains(type.type);
      if (row.key == Op::Bitcast) takes = spec::can_bitcast(type.type, type.type);
      const bool shared = spec::is_vector_op(row.key) && spec::kVectors.contains(type.type);
      if (takes && !has) return false;
      if (has && !takes && !shared) return false;
    }
  }
  return true;
}
static_assert(rules_match_the_ledger(), "an operator has a rule for a type it does not take, or lacks one");

}  // namespace

// match:  popcount(a), the target counts bits
// result: popcount.raw(a)
// match:  popcount(a), the target does not
// result: sums of 1, 2, 4 bits side by side; a multiplication adds the four bytes into the highest
Value count_ones(Rewriter& r, Value a) {
  if (r.target().has_popcount) return r.raw(RawOp::Popcount, {a});
  const Value pairs = sub(r, a, mask(r, right(r, a, 1), 0x55555555));
  const Value low = mask(r, pairs, 0x33333333);
  const Value nibbles = add(r, low, mask(r, right(r, pairs, 2), 0x33333333));
  const Value bytes = mask(r, add(r, nibbles, right(r, nibbles, 4)), 0x0f0f0f0f);
  return right(r, mul(r, bytes, r.constant(0x01010101)), 24);
}

// match:  reverse_bits(a), the target reverses bits
// result: reverse_bits.raw(a)
// match:  reverse_bits(a), the target does not
// result: neighbours swapped in groups of 1, 2, 4 and 8 bits, then the halves
Value reverse_word(Rewriter& r, Value a) {
  if (r.target().has_reverse_bits) return r.raw(RawOp::ReverseBits, {a});
  struct Step {
    uint32_t width, mask;
  };
  for (const Step step : {Step{1, 0x55555555}, {2, 0x33333333}, {4, 0x0f0f0f0f}, {8, 0x00ff00ff}}) {
    const Value down = mask(r, right(r, a, step.width), step.mask);
    const Value up = left(r, mask(r, a, step.mask), step.width);
    a = either(r, down, up);
  }
  const Value down = right(r, a, 16);
  return either(r, down, left(r, a, 16));
}

// match:  the high word of a * b, the target multiplies so
// result: umul_hi.raw(a, b)
// match:  the high word of a * b, the target does not
// result: from the four products of halves; none of the sums leaves a word: (2^16 - 1)^2 + 2 (2^16 - 1) =
// 2^32 - 1
Value high_product(Rewriter& r, Value a, Value b) {
  if (r.target().has_umul_hi) return r.raw(RawOp::UMulHi, {a, b});
  const Value al = mask(r, a, 0xffff), ah = right(r, a, 16);
  const Value bl = mask(r, b, 0xffff), bh = right(r, b, 16);
  const Value middle = add(r, mul(r, ah, bl), right(r, mul(r, al, bl), 16));
  const Value cross = add(r, mul(r, al, bh), mask(r, middle, 0xffff));
  return add(r, add(r, mul(r, ah, bh), right(r, middle, 16)), right(r, cross, 16));
}

Limbs legalize_apply(Rewriter& r, const Inst& apply) {
  if (spec::is_approximate(apply.op)) return legalize_approximate(r, apply);
  if (spec::info(apply.op).types == spec::kFloats) return legalize_float(r, apply);
  return rule_for(kRules[apply.op], apply.operand_type)(r, apply);
}

}  // namespace vyre::lower
