// Division of u64 and u128 in words, for targets that divide no more than a word at a time. It is done by
// hand: of a u64 by a constant in products, else in one instruction where both operands fit a word, which is
// most of the time, else bit by bit, but only over the bits that the quotient can have.
#include <bit>

#include "lower/rules.h"

namespace vyre::lower {
namespace {

struct Division {
  Variable quotient, remainder;
};

Limbs halved(Rewriter& r, const Limbs& a) {
  Limbs out;
  for (uint32_t i = 0; i + 1 < a.count; ++i) out.add(either(r, right(r, a[i], 1), left(r, a[i + 1], 31)));
  out.add(right(r, a[a.count - 1], 1));
  return out;
}

// One step of long division with the pair (remainder, quotient) as one shift register: the dividend's next
// bit comes out of the quotient's top, the quotient's next bit goes in at its bottom. The remainder loses no
// bit at its top: it is below b, so only a b of all bits could make it, and then there is one step, from a
// remainder of a >> 1.
void divide_step(Rewriter& r, const Division& d, const Limbs& b) {
  const Limbs quotient = r.get(d.quotient), remainder = r.get(d.remainder);
  const uint32_t n = b.count;
  const auto doubled = [&](const Limbs& a, uint32_t i, Value in) {
    return either(r, left(r, a[i], 1), i == 0 ? in : right(r, a[i - 1], 31));
  };
  const Value next = right(r, quotient[n - 1], 31);
  Limbs grown;
  for (uint32_t i = 0; i < n; ++i) grown.add(doubled(remainder, i, next));
  const Difference rest = subtract(r, grown, b);
  const Value fits = r.raw(RawOp::Xor, {rest.borrow, r.constant(1)});
  for (uint32_t i = 0; i < n; ++i) {
    r.set(d.remainder[i], choose(r, fits, rest.words[i], grown[i]));
    r.set(d.quotient[i], doubled(quotient, i, fits));
  }
}

// match:  a / b, b not zero
// result: with k = clz(b) - clz(a), the quotient has at most k + 1 bits; none where k < 0. The register
//         starts as if the steps that bring none had been made: remainder a >> (k + 1), which is below b,
//         and the low k + 1 bits of the dividend at the quotient's top
void divide_long(Rewriter& r, const Division& d, const Limbs& a, const Limbs& b) {
  r.set(d.remainder, a);
  const Value zeros_a = leading_zeros(r, a), zeros_b = leading_zeros(r, b);
  r.if_(r.raw(RawOp::ULe, {zeros_a, zeros_b}), [&] {
    const Value k = sub(r, zeros_b, zeros_a);
    r.set(d.remainder, halved(r, shift_right(r, a, k)));
    r.set(d.quotient, shift_left(r, a, r.raw(RawOp::Xor, {k, r.constant(32 * a.count - 1)})));
    const Value from = r.constant(0);
    r.loop(from, add(r, k, r.constant(1)), [&] { divide_step(r, d, b); });
  });
}

/// a >> by.
Limbs shifted(Rewriter& r, const Limbs& a, uint32_t by) {
  if (by >= 32) return {right(r, a[1], by - 32), r.constant(0)};
  if (by == 0) return a;
  return {either(r, right(r, a[0], by), left(r, a[1], 32 - by)), right(r, a[1], by)};
}

// match:  div u64(a, d); mod u64(a, d), d a constant that is not zero
// result: with l = ceil(log2 d), m = floor(2^64 (2^l - d) / d) + 1 and t = the high half of a * m,
//         the quotient is (t + ((a - t) >> 1)) >> (l - 1), of d = 1 it is a; and the remainder a - quotient *
//         d. Source: Granlund and Montgomery, Division by Invariant Integers using Multiplication, figure 4.1
Limbs divide_by_constant(Rewriter& r, const Limbs& a, uint64_t d, bool want_remainder) {
  const auto constant = [&](uint64_t bits) {
    return Limbs{r.constant(uint32_t(bits)), r.constant(uint32_t(bits >> 32))};
  };
  if (d == 1) return want_remainder ? constant(0) : a;
  const auto bits = uint32_t(std::bit_width(d - 1));
  const uint64_t power = bits == 64 ? 0 : uint64_t{1} << bits;
  const auto m = uint64_t((static_cast<unsigned __int128>(power - d) << 64) / d) + 1;
  const Limbs high = product(r, a, constant(m), 4);
  const Limbs t{high[2], high[3]};
  const Limbs half = shifted(r, subtract(r, a, t).words, 1);
  const Value low = add(r, t[0], half[0]);
  const Limbs sum{low, add(r, add(r, t[1], half[1]), less(r, low, t[0]))};
  const Limbs quotient = shifted(r, sum, bits - 1);
  if (!want_remainder) return quotient;
  if (d >> 32 != 0) return subtract(r, a, product(r, quotient, constant(d), 2)).words;
  return {sub(r, a[0], mul(r, quotient[0], r.constant(uint32_t(d)))), r.constant(0)};
}

// match:  div(a, b); mod(a, b)
// result: set s, 0
//         if (ne.raw(or of all bi, 0)) {
//           if (eq.raw(or of all words of a and b but the lowest, 0)) { set s0, udiv.raw(a0, b0) }
//           else { long division }
//         }
//         get s
Limbs divide(Rewriter& r, const Inst& apply, bool want_remainder) {
  const Limbs &a = r.operand(apply, 0), &b = r.operand(apply, 1);
  const auto low = r.known(b[0]), high = r.known(b[1]);
  if (b.count == 2 && low && high && (*low | *high) != 0)
    return divide_by_constant(r, a, *low | uint64_t{*high} << 32, want_remainder);
  const Division d{.quotient = r.variable("quotient", a.count),
                   .remainder = r.variable("remainder", a.count)};
  const Variable& wanted = want_remainder ? d.remainder : d.quotient;
  r.clear(wanted);
  r.if_(truth(r, any_bit(r, b)), [&] {
    Limbs upper;
    for (uint32_t i = 1; i < a.count; ++i) upper.add(either(r, a[i], b[i]));
    r.if_else(
        is_zero(r, any_bit(r, upper)),
        [&] { r.set(wanted[0], r.raw(want_remainder ? RawOp::URem : RawOp::UDiv, {a[0], b[0]})); },
        [&] { divide_long(r, d, a, b); });
  });
  return r.get(wanted);
}

}  // namespace

Limbs wide_div(Rewriter& r, const Inst& apply) { return divide(r, apply, false); }
Limbs wide_mod(Rewriter& r, const Inst& apply) { return divide(r, apply, true); }

}  // namespace vyre::lower
