// The rules of legalization for u64 and u128 in words, and their table: words, least significant first, and
// carries. Targets with integers of 64 bits have rules of their own (long.cpp).
//
// a and b are the operands, ai and bi their words, n how many. A carry, a borrow and a comparison is a word,
// 0 or 1.
#include <algorithm>

#include "lower/rules.h"
#include "spec/ops.h"
#include "spec/table.h"

namespace vyre::lower {
namespace {

using spec::Op;

/// (a + b + carry) and whether it left the word. At most one of the two sums does.
struct Sum {
  Value word, carry;
};
Sum add_carry(Rewriter& r, Value a, Value b, Value carry) {
  const Value t = add(r, a, b);
  const Value first = less(r, t, a);
  const Value word = add(r, t, carry);
  const Value second = less(r, word, carry);
  return {word, either(r, first, second)};
}

uint32_t bits_of(const Limbs& a) { return 32 * a.count; }

// match:  a < b, a <= b
// result: c0 = ult.raw(a0, b0) or ule.raw(a0, b0);
//         ci = or.raw(ult.raw(ai, bi), and.raw(eq.raw(ai, bi), ci-1))
Value compare(Rewriter& r, RawOp lowest, const Limbs& a, const Limbs& b) {
  Value c = r.raw(lowest, {a[0], b[0]});
  for (uint32_t i = 1; i < a.count; ++i) {
    const Value below = less(r, a[i], b[i]);
    const Value equal = r.raw(RawOp::Eq, {a[i], b[i]});
    c = either(r, below, both(r, equal, c));
  }
  return c;
}

Value differing_bits(Rewriter& r, const Inst& apply) {
  const Limbs &a = r.operand(apply, 0), &b = r.operand(apply, 1);
  Limbs differences;
  for (uint32_t i = 0; i < a.count; ++i) differences.add(r.raw(RawOp::Xor, {a[i], b[i]}));
  return any_bit(r, differences);
}

/// amount & (bits - 1)
Value masked_amount(Rewriter& r, const Inst& apply) {
  return mask(r, r.word(apply, 1), bits_of(r.operand(apply, 0)) - 1);
}

/// The words of a moved by `words` places where the bit of the amount that counts them is set, zeros coming
/// in. Direction: word i comes from i - words (left) or i + words (right).
Limbs move_words(Rewriter& r, const Limbs& a, Value amount, uint32_t words, bool to_left) {
  const Value moved = r.raw(RawOp::Ne, {mask(r, amount, 32 * words), r.constant(0)});
  const Value zero = r.constant(0);
  Limbs out;
  for (uint32_t i = 0; i < a.count; ++i) {
    const uint32_t from = to_left ? i - words : i + words;  // wraps beyond count where there is none
    out.add(choose(r, moved, from < a.count ? a[from] : zero, a[i]));
  }
  return out;
}

}  // namespace

Value any_bit(Rewriter& r, const Limbs& a) {
  Value any = a[0];
  for (uint32_t i = 1; i < a.count; ++i) any = either(r, any, a[i]);
  return any;
}

// match:  mul(a, b), its lowest n words
// result: the schoolbook's rows ai * b, each added one word further up; what lies above the result is not
//         made. A row's word is sum + low(ai * bj) + carry with carry <= 2^32 - 1, so the next carry fits a
//         word as well.
Limbs product(Rewriter& r, const Limbs& a, const Limbs& b, uint32_t n) {
  Limbs sum;
  for (uint32_t i = 0; i < std::min(a.count, n); ++i) {
    Value carry{};
    for (uint32_t j = 0; j < b.count && i + j < n; ++j) {
      const bool last = i + j + 1 == n;  // no carry out of it is wanted
      Value word = mul(r, a[i], b[j]);
      Value high = last ? Value{} : high_product(r, a[i], b[j]);
      const auto accumulate = [&](Value more) {
        word = add(r, word, more);
        if (!last) high = add(r, high, less(r, word, more));
      };
      if (i > 0) accumulate(sum[i + j]);
      if (j > 0) accumulate(carry);
      if (i == 0) {
        sum.add(word);
      } else {
        sum.word[i + j] = word;
      }
      carry = high;
    }
    if (i + b.count < n) sum.add(carry);
  }
  return sum;
}

// match:  a - b
// result: ti = sub.raw(ai, bi); di = sub.raw(ti, ci-1); ci = or.raw(ult.raw(ai, bi), ult.raw(ti, ci-1))
Difference subtract(Rewriter& r, const Limbs& a, const Limbs& b) {
  Difference out{.words = sub(r, a[0], b[0]), .borrow = less(r, a[0], b[0])};
  for (uint32_t i = 1; i < a.count; ++i) {
    const Value t = sub(r, a[i], b[i]);
    const Value first = less(r, a[i], b[i]);
    const Value second = less(r, t, out.borrow);
    out.words.add(sub(r, t, out.borrow));
    out.borrow = either(r, first, second);
  }
  return out;
}

// match:  shl(a, amount)
// result: whole words first, by the high bits of the amount; then with s = its low five bits
//         wi = or.raw(shl.raw(ai, s), lshr.raw(lshr.raw(ai-1, 1), xor.raw(s, 31)))
//         // s = 0 brings in nothing
Limbs shift_left(Rewriter& r, const Limbs& a, Value amount) {
  Limbs moved = a;
  for (uint32_t words = a.count / 2; words > 0; words /= 2) moved = move_words(r, moved, amount, words, true);
  const Value s = mask(r, amount, 31), rest = r.raw(RawOp::Xor, {s, r.constant(31)});
  Limbs out(r.raw(RawOp::Shl, {moved[0], s}));
  for (uint32_t i = 1; i < a.count; ++i) {
    const Value up = r.raw(RawOp::Shl, {moved[i], s});
    out.add(either(r, up, r.raw(RawOp::LShr, {right(r, moved[i - 1], 1), rest})));
  }
  return out;
}

// match:  shr(a, amount)
// result: the mirror image of shl
Limbs shift_right(Rewriter& r, const Limbs& a, Value amount) {
  Limbs moved = a;
  for (uint32_t words = a.count / 2; words > 0; words /= 2)
    moved = move_words(r, moved, amount, words, false);
  const Value s = mask(r, amount, 31), rest = r.raw(RawOp::Xor, {s, r.constant(31)});
  Limbs out;
  for (uint32_t i = 0; i + 1 < a.count; ++i) {
    const Value down = r.raw(RawOp::LShr, {moved[i], s});
    out.add(either(r, down, r.raw(RawOp::Shl, {left(r, moved[i + 1], 1), rest})));
  }
  out.add(r.raw(RawOp::LShr, {moved[a.count - 1], s}));
  return out;
}

// match:  clz(a)
// result: from the lowest word up: c0 = clz(a0); ci = select.raw(eq.raw(ai, 0), add.raw(32, ci-1), clz(ai))
Value leading_zeros(Rewriter& r, const Limbs& a) {
  Value count = count_zeros<RawOp::Clz>(r, a[0]);
  for (uint32_t i = 1; i < a.count; ++i) {
    const Value further = add(r, count, r.constant(32));
    count = choose(r, is_zero(r, a[i]), further, count_zeros<RawOp::Clz>(r, a[i]));
  }
  return count;
}

namespace {

// match:  add(a, b)
// result: ti = add.raw(ai, bi); si = add.raw(ti, ci-1); ci = or.raw(ult.raw(ti, ai), ult.raw(si, ci-1))
Limbs wide_add(Rewriter& r, const Inst& apply) {
  const Limbs &a = r.operand(apply, 0), &b = r.operand(apply, 1);
  Limbs out(add(r, a[0], b[0]));
  Value carry = less(r, out[0], a[0]);
  for (uint32_t i = 1; i + 1 < a.count; ++i) {
    const Sum sum = add_carry(r, a[i], b[i], carry);
    out.add(sum.word);
    carry = sum.carry;
  }
  const uint32_t top = a.count - 1;
  out.add(add(r, add(r, a[top], b[top]), carry));
  return out;
}

Limbs wide_sub(Rewriter& r, const Inst& apply) {
  return subtract(r, r.operand(apply, 0), r.operand(apply, 1)).words;
}

// match:  negate(a)
// result: 0 - a
Limbs wide_negate(Rewriter& r, const Inst& apply) {
  const Limbs& a = r.operand(apply, 0);
  Limbs zero;
  for (uint32_t i = 0; i < a.count; ++i) zero.add(r.constant(0));
  return subtract(r, zero, a).words;
}

Limbs wide_mul(Rewriter& r, const Inst& apply) {
  const Limbs &a = r.operand(apply, 0), &b = r.operand(apply, 1);
  return product(r, a, b, a.count);
}

Limbs wide_shl(Rewriter& r, const Inst& apply) {
  return shift_left(r, r.operand(apply, 0), masked_amount(r, apply));
}

Limbs wide_shr(Rewriter& r, const Inst& apply) {
  return shift_right(r, r.operand(apply, 0), masked_amount(r, apply));
}

// match:  eq(a, b); ne(a, b)
// result: eq.raw(or of all xor.raw(ai, bi), 0); ne.raw(...)
Limbs wide_eq(Rewriter& r, const Inst& apply) { return is_zero(r, differing_bits(r, apply)); }
Limbs wide_ne(Rewriter& r, const Inst& apply) { return truth(r, differing_bits(r, apply)); }

Limbs wide_lt(Rewriter& r, const Inst& apply) {
  return compare(r, RawOp::ULt, r.operand(apply, 0), r.operand(apply, 1));
}
Limbs wide_gt(Rewriter& r, const Inst& apply) {
  return compare(r, RawOp::ULt, r.operand(apply, 1), r.operand(apply, 0));
}
Limbs wide_le(Rewriter& r, const Inst& apply) {
  return compare(r, RawOp::ULe, r.operand(apply, 0), r.operand(apply, 1));
}
Limbs wide_ge(Rewriter& r, const Inst& apply) {
  return compare(r, RawOp::ULe, r.operand(apply, 1), r.operand(apply, 0));
}

// match:  and(a, b); or(a, b)
// result: and.raw(ne.raw(or of all ai, 0), ne.raw(or of all bi, 0)); for or, one ne.raw of all words
Limbs wide_and(Rewriter& r, const Inst& apply) {
  const Value a = truth(r, any_bit(r, r.operand(apply, 0)));
  return both(r, a, truth(r, any_bit(r, r.operand(apply, 1))));
}
Limbs wide_or(Rewriter& r, const Inst& apply) {
  const Value a = any_bit(r, r.operand(apply, 0));
  return truth(r, either(r, a, any_bit(r, r.operand(apply, 1))));
}
Limbs wide_not(Rewriter& r, const Inst& apply) { return is_zero(r, any_bit(r, r.operand(apply, 0))); }

// match:  popcount(a)
// result: the sum of the words' counts
Limbs wide_popcount(Rewriter& r, const Inst& apply) {
  const Limbs& a = r.operand(apply, 0);
  Value sum = count_ones(r, a[0]);
  for (uint32_t i = 1; i < a.count; ++i) sum = add(r, sum, count_ones(r, a[i]));
  return sum;
}

Limbs wide_clz(Rewriter& r, const Inst& apply) { return leading_zeros(r, r.operand(apply, 0)); }

// match:  ctz(a)
// result: the mirror image of clz: from the highest word down
Limbs wide_ctz(Rewriter& r, const Inst& apply) {
  const Limbs& a = r.operand(apply, 0);
  Value count = count_zeros<RawOp::Ctz>(r, a[a.count - 1]);
  for (uint32_t i = a.count - 1; i-- > 0;) {
    const Value further = add(r, count, r.constant(32));
    count = choose(r, is_zero(r, a[i]), further, count_zeros<RawOp::Ctz>(r, a[i]));
  }
  return count;
}

// match:  reverse_bits(a)
// result: the words in the opposite order, each reversed
Limbs wide_reverse_bits(Rewriter& r, const Inst& apply) {
  const Limbs& a = r.operand(apply, 0);
  Limbs out;
  for (uint32_t i = a.count; i-- > 0;) out.add(reverse_word(r, a[i]));
  return out;
}

constexpr bool is_on_wide(Op op) {
  return spec::is_scalar(op) && spec::info(op).types.contains(spec::DataType::U64);
}
constexpr spec::Row<Op, Rule> kWideRuleRows[] = {
    {Op::Add, wide_add},
    {Op::Sub, wide_sub},
    {Op::Mul, wide_mul},
    {Op::Div, wide_div},
    {Op::Mod, wide_mod},
    {Op::BitAnd, each_word<RawOp::And>},
    {Op::BitOr, each_word<RawOp::Or>},
    {Op::BitXor, each_word<RawOp::Xor>},
    {Op::Shl, wide_shl},
    {Op::Shr, wide_shr},
    {Op::Eq, wide_eq},
    {Op::Ne, wide_ne},
    {Op::Lt, wide_lt},
    {Op::Gt, wide_gt},
    {Op::Le, wide_le},
    {Op::Ge, wide_ge},
    {Op::And, wide_and},
    {Op::Or, wide_or},
    {Op::Negate, wide_negate},
    {Op::BitNot, each_word<RawOp::Not>},
    {Op::LogicalNot, wide_not},
    {Op::Popcount, wide_popcount},
    {Op::Clz, wide_clz},
    {Op::Ctz, wide_ctz},
    {Op::ReverseBits, wide_reverse_bits},
};
constexpr spec::TotalTable<kWideRuleRows, is_on_wide> kWideRules;

}  // namespace

Limbs legalize_wide(Rewriter& r, const Inst& apply) {
  if (const auto by_longs = legalize_long(r, apply)) return *by_longs;
  return kWideRules[apply.op](r, apply);
}

}  // namespace vyre::lower
