// What the rules of legalization share: their type, short names for raw instructions, and the entry to the
// rules for values of several words, which have tables of their own (wide.cpp, long.cpp) beside that for one
// word (rules.cpp).
#pragma once

#include <optional>

#include "lower/rewrite.h"

namespace vyre::lower {

using Rule = Limbs (*)(Rewriter& r, const Inst& apply);

inline Value add(Rewriter& r, Value a, Value b) { return r.raw(RawOp::Add, {a, b}); }
inline Value sub(Rewriter& r, Value a, Value b) { return r.raw(RawOp::Sub, {a, b}); }
inline Value mul(Rewriter& r, Value a, Value b) { return r.raw(RawOp::Mul, {a, b}); }
inline Value either(Rewriter& r, Value a, Value b) { return r.raw(RawOp::Or, {a, b}); }
inline Value both(Rewriter& r, Value a, Value b) { return r.raw(RawOp::And, {a, b}); }
inline Value less(Rewriter& r, Value a, Value b) { return r.raw(RawOp::ULt, {a, b}); }
inline Value mask(Rewriter& r, Value a, uint32_t bits) { return r.raw(RawOp::And, {a, r.constant(bits)}); }
inline Value right(Rewriter& r, Value a, uint32_t by) { return r.raw(RawOp::LShr, {a, r.constant(by)}); }
inline Value left(Rewriter& r, Value a, uint32_t by) { return r.raw(RawOp::Shl, {a, r.constant(by)}); }
inline Value is_zero(Rewriter& r, Value v) { return r.raw(RawOp::Eq, {v, r.constant(0)}); }
inline Value choose(Rewriter& r, Value condition, Value yes, Value no) {
  return r.raw(RawOp::Select, {condition, yes, no});
}
/// 0 or 1: whether a word that counts as a truth value is not zero.
inline Value truth(Rewriter& r, Value v) { return r.is_truth(v) ? v : r.raw(RawOp::Ne, {v, r.constant(0)}); }

// Rules for one word that those for several are made of (rules.cpp).
Value count_ones(Rewriter& r, Value a);
Value reverse_word(Rewriter& r, Value a);
/// Clz or Ctz, 32 for zero.
template <RawOp op>
Value count_zeros(Rewriter& r, Value a) {
  const Value z = is_zero(r, a);
  const Value count = r.raw(op, {choose(r, z, r.constant(1), a)});
  return choose(r, z, r.constant(32), count);
}
/// The high word of the product of two words.
Value high_product(Rewriter& r, Value a, Value b);

/// Every word of a value in one: zero exactly when the value is.
Value any_bit(Rewriter& r, const Limbs& a);

// match:  op(a, b), op(a) of words that have nothing to do with each other
// result: op.raw(ai, bi), op.raw(ai)
template <RawOp op>
Limbs each_word(Rewriter& r, const Inst& apply) {
  const Limbs& a = r.operand(apply, 0);
  Limbs out;
  for (uint32_t i = 0; i < a.count; ++i) {
    if constexpr (info(op).operands == 1) {
      out.add(r.raw(op, {a[i]}));
    } else {
      out.add(r.raw(op, {a[i], r.operand(apply, 1)[i]}));
    }
  }
  return out;
}

/// The rule of a scalar operator on u64 or u128 (wide.cpp). Of an operator on single bits or components it
/// holds for vectors too.
Limbs legalize_wide(Rewriter& r, const Inst& apply);
/// The same in integers of 64 bits (long.cpp): none where the target has none of them, the operator none for
/// them, or the operands are vectors.
std::optional<Limbs> legalize_long(Rewriter& r, const Inst& apply);
/// select.raw(condition, yes, no) of a value of any type. Domain: the condition is a truth.
Limbs choose_value(Rewriter& r, spec::DataType type, Value condition, const Limbs& yes, const Limbs& no);
// Quotients and remainders, a table's rows that have a file of their own (division.cpp).
Limbs wide_div(Rewriter& r, const Inst& apply);
Limbs wide_mod(Rewriter& r, const Inst& apply);

// What division is made of besides (wide.cpp).
struct Difference {
  Limbs words;
  Value borrow;  // 1 where a < b
};
Difference subtract(Rewriter& r, const Limbs& a, const Limbs& b);
Value leading_zeros(Rewriter& r, const Limbs& a);
/// The lowest n words of a * b.
Limbs product(Rewriter& r, const Limbs& a, const Limbs& b, uint32_t n);
/// Domain: amount below 32 times the words of a.
Limbs shift_left(Rewriter& r, const Limbs& a, Value amount);
Limbs shift_right(Rewriter& r, const Limbs& a, Value amount);

}  // namespace vyre::lower
