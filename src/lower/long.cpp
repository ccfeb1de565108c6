// The rules of legalization for u64 and u128 on targets with integers of 64 bits, and their table: a u64 is
// one long value, a u128 two. Values between instructions are words, of which a rule makes long
// values and which it takes from its results. A value that is taken apart and put together again in one place
// is left whole by the Rewriter, and variables and memory hold long values.
//
// a and b are the operands; of a u128 a0 is the low half and a1 the high one. A carry, a borrow and a
// comparison is a word, 0 or 1.
#include "lower/rules.h"
#include "spec/ops.h"
#include "spec/table.h"

namespace vyre::lower {
namespace {

using spec::Op;

// ---- Long values ------------------------------------------------------------------------------------------

Value long_of(Rewriter& r, Value low, Value high) { return r.raw(RawOp::LongOf, {low, high}); }
/// A word with zeros above it.
Value extended(Rewriter& r, Value word) { return long_of(r, word, r.constant(0)); }
Value long_constant(Rewriter& r, uint64_t bits) {
  const Value low = r.constant(uint32_t(bits));
  return long_of(r, low, r.constant(uint32_t(bits >> 32)));
}

Value long_add(Rewriter& r, Value a, Value b) { return r.raw(RawOp::LongAdd, {a, b}); }
Value long_sub(Rewriter& r, Value a, Value b) { return r.raw(RawOp::LongSub, {a, b}); }
Value long_mul(Rewriter& r, Value a, Value b) { return r.raw(RawOp::LongMul, {a, b}); }
Value long_or(Rewriter& r, Value a, Value b) { return r.raw(RawOp::LongOr, {a, b}); }
Value long_less(Rewriter& r, Value a, Value b) { return r.raw(RawOp::LongULt, {a, b}); }
Value long_choose(Rewriter& r, Value condition, Value yes, Value no) {
  return r.raw(RawOp::LongSelect, {condition, yes, no});
}
Value long_left(Rewriter& r, Value a, Value by) { return r.raw(RawOp::LongShl, {a, by}); }
Value long_right(Rewriter& r, Value a, Value by) { return r.raw(RawOp::LongLShr, {a, by}); }
Value is_zero_long(Rewriter& r, Value a) { return r.raw(RawOp::LongEq, {a, long_constant(r, 0)}); }

/// The long values of a u64, one, or of a u128, the low one first.
struct Longs {
  std::array<Value, 2> part{};
  uint32_t count = 0;

  Longs(Value only) : part{only}, count(1) {}
  Longs(Value low, Value high) : part{low, high}, count(2) {}
  Value operator[](uint32_t n) const { return part[n]; }
};

Longs longs_of(Rewriter& r, const Limbs& words) {
  const Value low = r.long_of(words, 0);
  return words.count == 2 ? Longs(low) : Longs(low, r.long_of(words, 1));
}
Longs operand(Rewriter& r, const Inst& apply, uint32_t n) { return longs_of(r, r.operand(apply, n)); }
Limbs words_of(Rewriter& r, const Longs& longs) {
  Limbs out;
  for (uint32_t n = 0; n < longs.count; ++n) r.add_words(out, longs[n]);
  return out;
}

/// Zero exactly when the value is.
Value any_long_bit(Rewriter& r, const Longs& a) { return a.count == 1 ? a[0] : long_or(r, a[0], a[1]); }
Value is_some(Rewriter& r, const Longs& a) {
  return r.raw(RawOp::LongNe, {any_long_bit(r, a), long_constant(r, 0)});
}

// ---- Sums and products ------------------------------------------------------------------------------------

Longs difference(Rewriter& r, const Longs& a, const Longs& b) {
  const Value low = long_sub(r, a[0], b[0]);
  if (a.count == 1) return low;
  const Value borrow = extended(r, long_less(r, a[0], b[0]));
  return {low, long_sub(r, long_sub(r, a[1], b[1]), borrow)};
}

// match:  add(a, b)
// result: s0 = long_add.raw(a0, b0); of a u128 s1 = long_add.raw(long_add.raw(a1, b1), long_ult.raw(s0, a0))
Limbs add_longs(Rewriter& r, const Inst& apply) {
  const Longs a = operand(r, apply, 0), b = operand(r, apply, 1);
  const Value low = long_add(r, a[0], b[0]);
  if (a.count == 1) return words_of(r, low);
  const Value carry = extended(r, long_less(r, low, a[0]));
  return words_of(r, {low, long_add(r, long_add(r, a[1], b[1]), carry)});
}

// match:  sub(a, b)
// result: the mirror image of add; a borrow is long_ult.raw(a0, b0)
Limbs sub_longs(Rewriter& r, const Inst& apply) {
  const Longs a = operand(r, apply, 0);
  return words_of(r, difference(r, a, operand(r, apply, 1)));
}

// match:  negate(a)
// result: 0 - a
Limbs negate_longs(Rewriter& r, const Inst& apply) {
  const Longs a = operand(r, apply, 0);
  const Value zero = long_constant(r, 0);
  return words_of(r, difference(r, a.count == 1 ? Longs(zero) : Longs(zero, zero), a));
}

/// The low 128 bits of the product of two, with the high half of the other.
Longs product(Rewriter& r, const Longs& a, const Longs& b) {
  const Value low = long_mul(r, a[0], b[0]);
  const Value carried = r.raw(RawOp::LongUMulHi, {a[0], b[0]});
  const Value high = long_add(r, carried, long_mul(r, a[0], b[1]));
  return {low, long_add(r, high, long_mul(r, a[1], b[0]))};
}

// match:  mul(a, b)
// result: long_mul.raw(a, b); of a u128 the high half is long_umul_hi.raw(a0, b0) + a0 * b1 + a1 * b0
Limbs mul_longs(Rewriter& r, const Inst& apply) {
  const Longs a = operand(r, apply, 0), b = operand(r, apply, 1);
  return words_of(r, a.count == 1 ? Longs(long_mul(r, a[0], b[0])) : product(r, a, b));
}

// ---- Single bits and shifts -------------------------------------------------------------------------------

// match:  op(a, b) of bits that have nothing to do with each other
// result: op.raw(ai, bi)
template <RawOp op>
Limbs each_long(Rewriter& r, const Inst& apply) {
  const Longs a = operand(r, apply, 0), b = operand(r, apply, 1);
  const Value low = r.raw(op, {a[0], b[0]});
  return words_of(r, a.count == 1 ? Longs(low) : Longs(low, r.raw(op, {a[1], b[1]})));
}

// match:  bit_not(a)
// result: long_xor.raw(ai, ffffffffffffffff)
Limbs not_longs(Rewriter& r, const Inst& apply) {
  const Longs a = operand(r, apply, 0);
  const Value ones = long_constant(r, UINT64_MAX);
  const Value low = r.raw(RawOp::LongXor, {a[0], ones});
  return words_of(r, a.count == 1 ? Longs(low) : Longs(low, r.raw(RawOp::LongXor, {a[1], ones})));
}

/// A u128 shifted left. Domain: amount below 128.
// result: a whole half first, by bit 6 of the amount; then with s = its low six bits
//         long_shl.raw(a0, s), long_shl.raw(a1, s) | long_lshr.raw(long_lshr.raw(a0, 1), xor.raw(s, 63))
//         // s = 0 brings in nothing
Longs shifted_left(Rewriter& r, const Longs& a, Value amount) {
  const Value far = truth(r, mask(r, amount, 64)), s = mask(r, amount, 63);
  const Value low = long_choose(r, far, long_constant(r, 0), a[0]);
  const Value high = long_choose(r, far, a[0], a[1]);
  const Value crossing =
      long_right(r, long_right(r, low, r.constant(1)), r.raw(RawOp::Xor, {s, r.constant(63)}));
  return {long_left(r, low, s), long_or(r, long_left(r, high, s), crossing)};
}
/// The mirror image.
Longs shifted_right(Rewriter& r, const Longs& a, Value amount) {
  const Value far = truth(r, mask(r, amount, 64)), s = mask(r, amount, 63);
  const Value high = long_choose(r, far, long_constant(r, 0), a[1]);
  const Value low = long_choose(r, far, a[1], a[0]);
  const Value crossing =
      long_left(r, long_left(r, high, r.constant(1)), r.raw(RawOp::Xor, {s, r.constant(63)}));
  return {long_or(r, long_right(r, low, s), crossing), long_right(r, high, s)};
}

// match:  shl(a, b); shr(a, b)
// result: by b modulo the width
Limbs shl_longs(Rewriter& r, const Inst& apply) {
  const Longs a = operand(r, apply, 0);
  const Value amount = mask(r, r.word(apply, 1), 64 * a.count - 1);
  return words_of(r, a.count == 1 ? Longs(long_left(r, a[0], amount)) : shifted_left(r, a, amount));
}
Limbs shr_longs(Rewriter& r, const Inst& apply) {
  const Longs a = operand(r, apply, 0);
  const Value amount = mask(r, r.word(apply, 1), 64 * a.count - 1);
  return words_of(r, a.count == 1 ? Longs(long_right(r, a[0], amount)) : shifted_right(r, a, amount));
}

// ---- Comparisons and truths -------------------------------------------------------------------------------

// match:  a < b, a <= b
// result: of a u128 or.raw(long_ult.raw(a1, b1), and.raw(long_eq.raw(a1, b1), op.raw(a0, b0)))
Value compare_longs(Rewriter& r, RawOp op, const Longs& a, const Longs& b) {
  const Value low = r.raw(op, {a[0], b[0]});
  if (a.count == 1) return low;
  const Value equal = r.raw(RawOp::LongEq, {a[1], b[1]});
  return either(r, long_less(r, a[1], b[1]), both(r, equal, low));
}
template <RawOp op, uint32_t left>
Limbs compare_longs(Rewriter& r, const Inst& apply) {
  const Longs a = operand(r, apply, left);
  return compare_longs(r, op, a, operand(r, apply, 1 - left));
}

// match:  eq(a, b); ne(a, b)
// result: op.raw(a, b); of a u128 op.raw(long_or.raw(all long_xor.raw(ai, bi)), 0)
template <RawOp op>
Limbs equal_longs(Rewriter& r, const Inst& apply) {
  const Longs a = operand(r, apply, 0), b = operand(r, apply, 1);
  if (a.count == 1) return r.raw(op, {a[0], b[0]});
  const Value low = r.raw(RawOp::LongXor, {a[0], b[0]});
  const Value differences = long_or(r, low, r.raw(RawOp::LongXor, {a[1], b[1]}));
  return r.raw(op, {differences, long_constant(r, 0)});
}

// match:  and(a, b); or(a, b); logical_not(a)
// result: of the truths long_ne.raw(long_or.raw(all ai), 0)
template <RawOp op>
Limbs logical_longs(Rewriter& r, const Inst& apply) {
  const Value a = is_some(r, operand(r, apply, 0));
  return r.raw(op, {a, is_some(r, operand(r, apply, 1))});
}
Limbs logical_not_longs(Rewriter& r, const Inst& apply) {
  return is_zero_long(r, any_long_bit(r, operand(r, apply, 0)));
}

// ---- Counts -----------------------------------------------------------------------------------------------

Limbs popcount_longs(Rewriter& r, const Inst& apply) {
  const Longs a = operand(r, apply, 0);
  const Value low = r.raw(RawOp::LongPopcount, {a[0]});
  return a.count == 1 ? low : add(r, low, r.raw(RawOp::LongPopcount, {a[1]}));
}

/// LongClz or LongCtz, 64 for zero.
template <RawOp op>
Value long_zeros(Rewriter& r, Value a) {
  const Value z = is_zero_long(r, a);
  const Value count = r.raw(op, {long_choose(r, z, long_constant(r, 1), a)});
  return choose(r, z, r.constant(64), count);
}
// match:  clz(a); ctz(a)
// result: of a u128 with its halves in the order of the count select.raw(long_eq.raw(first, 0),
//         add.raw(64, zeros of the second), zeros of the first)
template <RawOp op>
Limbs count_zero_longs(Rewriter& r, const Inst& apply) {
  const Longs a = operand(r, apply, 0);
  if (a.count == 1) return long_zeros<op>(r, a[0]);
  const uint32_t first = op == RawOp::LongClz ? 1 : 0;
  const Value further = add(r, long_zeros<op>(r, a[1 - first]), r.constant(64));
  return choose(r, is_zero_long(r, a[first]), further, long_zeros<op>(r, a[first]));
}

// ---- Division ---------------------------------------------------------------------------------------------

// match:  div u64(a, b); mod u64(a, b)
// result: z = long_eq.raw(b, 0); long_select.raw(z, 0, long_udiv.raw(a, long_select.raw(z, 1, b)));
//         long_urem.raw(a, long_select.raw(z, 1, b))          // a mod 1 is the 0 that a mod 0 has to be
Value quotient_of_longs(Rewriter& r, Value a, Value b) {
  const Value z = is_zero_long(r, b);
  const Value quotient = r.raw(RawOp::LongUDiv, {a, long_choose(r, z, long_constant(r, 1), b)});
  return long_choose(r, z, long_constant(r, 0), quotient);
}
Value remainder_of_longs(Rewriter& r, Value a, Value b) {
  return r.raw(RawOp::LongURem, {a, long_choose(r, is_zero_long(r, b), long_constant(r, 1), b)});
}

struct Quotient {
  Value quotient, remainder;
};

/// A digit of 32 bits of (n, next) / v, where v has its highest bit and n < v: the estimate by v's upper word
/// is too large by at most two, each of which shows in v's lower word.
Quotient digit(Rewriter& r, Value n, Value next, Value v) {
  const Value base = long_constant(r, uint64_t{1} << 32), half = r.constant(32), one = long_constant(r, 1);
  const Value upper = long_right(r, v, half), lower = extended(r, r.raw(RawOp::LongLow, {v}));
  Value q = r.raw(RawOp::LongUDiv, {n, upper});
  Value rest = long_sub(r, n, long_mul(r, q, upper));
  for (int i = 0; i < 2; ++i) {
    const Value wide = r.raw(RawOp::LongULe, {base, q});
    const Value known = long_or(r, long_left(r, rest, half), next);
    const Value above = either(r, wide, long_less(r, known, long_mul(r, q, lower)));
    const Value over = both(r, long_less(r, rest, base), above);  // else `known` would not hold the rest
    rest = long_choose(r, over, long_add(r, rest, upper), rest);
    q = long_choose(r, over, long_sub(r, q, one), q);
  }
  return {q, long_sub(r, long_or(r, long_left(r, n, half), next), long_mul(r, q, v))};
}

/// (high, low) / v where high < v: schoolbook division in base 2^32, two digits. Source: Knuth, The Art of
/// Computer Programming, volume 2, 4.3.1, algorithm D.
Quotient divide_two_by_one(Rewriter& r, Value high, Value low, Value v) {
  const Value shift = r.raw(RawOp::LongClz, {v});
  const Value normal = long_left(r, v, shift);
  const Longs n = shifted_left(r, {low, high}, shift);
  const Quotient first = digit(r, n[1], long_right(r, n[0], r.constant(32)), normal);
  const Quotient second = digit(r, first.remainder, extended(r, r.raw(RawOp::LongLow, {n[0]})), normal);
  const Value quotient = long_or(r, long_left(r, first.quotient, r.constant(32)), second.quotient);
  return {quotient, long_right(r, second.remainder, shift)};
}

// match:  div u128(a, b); mod u128(a, b)
// result: set s, 0
//         if (b is not 0) {
//           if (a1 | b1 is 0) { set s, long_udiv.raw(a0, b0) }
//           else {
//             // Divisor and dividend of a division of two long values by one, the high half below the
//             divisor. Of a b of one
//             // long value that is what a1 / b leaves, with a0. Else b's highest 64 bits and a / 2: their
//             // quotient, as far as the quotient of a and b goes, is that or one more.
//           }
//         }
//         get s
Limbs divide_longs(Rewriter& r, const Inst& apply, bool want_remainder) {
  const Limbs &a_words = r.operand(apply, 0), &b_words = r.operand(apply, 1);
  const Variable out = r.variable(want_remainder ? "remainder" : "quotient", apply.type);
  r.clear(out);
  r.if_(truth(r, any_bit(r, b_words)), [&] {
    const Value upper = either(r, either(r, a_words[2], a_words[3]), either(r, b_words[2], b_words[3]));
    r.if_else(
        is_zero(r, upper),
        [&] {
          const Longs a = longs_of(r, a_words), b = longs_of(r, b_words);
          r.set(out[0], r.raw(want_remainder ? RawOp::LongURem : RawOp::LongUDiv, {a[0], b[0]}));
        },
        [&] {
          const Longs a = longs_of(r, a_words), b = longs_of(r, b_words);
          const Value zero = long_constant(r, 0), one = long_constant(r, 1);
          const Value narrow = is_zero_long(r, b[1]);
          // Of a narrow b: the quotient's high half.
          const Value divisor = long_choose(r, narrow, b[0], one);
          const Value over = r.raw(RawOp::LongUDiv, {a[1], divisor});
          const Value left_over = long_sub(r, a[1], long_mul(r, over, divisor));
          // Of another: b without the zeros above it, and a halved, so that its high half is below.
          const Value zeros = r.raw(RawOp::LongClz, {long_choose(r, narrow, one, b[1])});
          const Longs top = shifted_left(r, b, zeros);
          const Longs halved = shifted_right(r, a, r.constant(1));
          const Quotient q = divide_two_by_one(r, long_choose(r, narrow, left_over, halved[1]),
                                               long_choose(r, narrow, a[0], halved[0]),
                                               long_choose(r, narrow, b[0], top[1]));
          // (q << zeros) >> 63, less one: it may be one too small and is never too large.
          const Value estimate = long_right(r, q.quotient, r.raw(RawOp::Xor, {zeros, r.constant(63)}));
          const Value some = r.raw(RawOp::LongNe, {estimate, zero});
          const Value least = long_sub(r, estimate, extended(r, some));
          const Longs rest = difference(r, a, product(r, {least, zero}, b));
          const Value more = r.raw(RawOp::Xor, {compare_longs(r, RawOp::LongULt, rest, b), r.constant(1)});
          if (want_remainder) {
            const Longs less_b = difference(r, rest, b);
            const Value low = long_choose(r, more, less_b[0], rest[0]);
            const Value high = long_choose(r, more, less_b[1], rest[1]);
            r.set(out, words_of(r, {long_choose(r, narrow, q.remainder, low),
                                    long_choose(r, narrow, zero, high)}));
          } else {
            const Value exact = long_add(r, least, extended(r, more));
            r.set(out, words_of(r, {long_choose(r, narrow, q.quotient, exact),
                                    long_choose(r, narrow, over, zero)}));
          }
        });
  });
  return r.get(out);
}

Limbs div_longs(Rewriter& r, const Inst& apply) {
  if (r.operand(apply, 0).count == 4) return divide_longs(r, apply, false);
  const Longs a = operand(r, apply, 0);
  return words_of(r, quotient_of_longs(r, a[0], operand(r, apply, 1)[0]));
}
Limbs mod_longs(Rewriter& r, const Inst& apply) {
  if (r.operand(apply, 0).count == 4) return divide_longs(r, apply, true);
  const Longs a = operand(r, apply, 0);
  return words_of(r, remainder_of_longs(r, a[0], operand(r, apply, 1)[0]));
}

// ---- The table --------------------------------------------------------------------------------------------

/// Reversing has no long operator: the words are reversed one by one.
constexpr bool has_long_rule(Op op) {
  return spec::is_scalar(op) && spec::info(op).types.contains(spec::DataType::U64) && op != Op::ReverseBits;
}
constexpr spec::Row<Op, Rule> kLongRuleRows[] = {
    {Op::Add, add_longs},
    {Op::Sub, sub_longs},
    {Op::Mul, mul_longs},
    {Op::Div, div_longs},
    {Op::Mod, mod_longs},
    {Op::BitAnd, each_long<RawOp::LongAnd>},
    {Op::BitOr, each_long<RawOp::LongOr>},
    {Op::BitXor, each_long<RawOp::LongXor>},
    {Op::Shl, shl_longs},
    {Op::Shr, shr_longs},
    {Op::Eq, equal_longs<RawOp::LongEq>},
    {Op::Ne, equal_longs<RawOp::LongNe>},
    {Op::Lt, compare_longs<RawOp::LongULt, 0>},
    {Op::Gt, compare_longs<RawOp::LongULt, 1>},
    {Op::Le, compare_longs<RawOp::LongULe, 0>},
    {Op::Ge, compare_longs<RawOp::LongULe, 1>},
    {Op::And, logical_longs<RawOp::And>},
    {Op::Or, logical_longs<RawOp::Or>},
    {Op::Negate, negate_longs},
    {Op::BitNot, not_longs},
    {Op::LogicalNot, logical_not_longs},
    {Op::Popcount, popcount_longs},
    {Op::Clz, count_zero_longs<RawOp::LongClz>},
    {Op::Ctz, count_zero_longs<RawOp::LongCtz>},
};
constexpr spec::TotalTable<kLongRuleRows, has_long_rule> kLongRules;

}  // namespace

std::optional<Limbs> legalize_long(Rewriter& r, const Inst& apply) {
  if (!r.has_longs(apply.operand_type) || !has_long_rule(apply.op)) return {};
  return kLongRules[apply.op](r, apply);
}

Limbs choose_value(Rewriter& r, spec::DataType type, Value condition, const Limbs& yes, const Limbs& no) {
  if (!r.has_longs(type)) {
    Limbs out;
    for (uint32_t i = 0; i < yes.count; ++i) out.add(choose(r, condition, yes[i], no[i]));
    return out;
  }
  const Longs y = longs_of(r, yes), n = longs_of(r, no);
  const Value low = long_choose(r, condition, y[0], n[0]);
  return words_of(r, y.count == 1 ? Longs(low) : Longs(low, long_choose(r, condition, y[1], n[1])));
}

}  // namespace vyre::lower
