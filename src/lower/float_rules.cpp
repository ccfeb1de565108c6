// The rules for operators on floats. a, b, c are the operands, as f32 patterns where the type is F32; |a| is
// and.raw(a, 7fffffff); literals are hexadecimal patterns. test/unit/lower/float_rules_test.cpp runs every
// rule against every choice that a promise leaves open.
#include "lower/float_rules.h"

#include "lower/fast_forms.h"
#include "lower/guarded.h"
#include "ops/float/soft.h"
#include "spec/float_format.h"
#include "spec/ops.h"
#include "spec/table.h"

namespace vyre::lower {
namespace {

using spec::DataType;
using spec::FloatFormat;
using spec::Op;

constexpr FloatFormat kSingle = spec::kBinary32;

/// What an operator is where a target's own floats can do it: operations on the pattern, comparisons, or a
/// raw operator, alone or to round to an integer. Composed: there is no such form, on any target.
enum class FormKind : uint8_t { Bits, Order, MinMax, Raw, Rounding, Composed };
struct FloatForm {
  FormKind kind;
  RawOp raw{};  // of Raw and Rounding
};
constexpr spec::Row<Op, FloatForm> kFormRows[] = {
    {Op::FNeg, {FormKind::Bits}},
    {Op::FAbs, {FormKind::Bits}},
    {Op::FIsNaN, {FormKind::Bits}},
    {Op::FIsInf, {FormKind::Bits}},
    {Op::FEq, {FormKind::Order}},
    {Op::FLt, {FormKind::Order}},
    {Op::FGt, {FormKind::Order}},
    {Op::FLe, {FormKind::Order}},
    {Op::FGe, {FormKind::Order}},
    {Op::FMin, {FormKind::MinMax}},
    {Op::FMax, {FormKind::MinMax}},
    {Op::FAdd, {FormKind::Raw, RawOp::FAdd}},
    {Op::FSub, {FormKind::Raw, RawOp::FSub}},
    {Op::FMul, {FormKind::Raw, RawOp::FMul}},
    {Op::FDiv, {FormKind::Raw, RawOp::FDiv}},
    {Op::FMulAdd, {FormKind::Raw, RawOp::FMulAdd}},
    {Op::FSqrt, {FormKind::Raw, RawOp::FSqrt}},
    {Op::FFloor, {FormKind::Rounding, RawOp::FFloor}},
    {Op::FCeil, {FormKind::Rounding, RawOp::FCeil}},
    {Op::FRound, {FormKind::Rounding, RawOp::FRound}},
    {Op::FTrunc, {FormKind::Rounding, RawOp::FTrunc}},
};
constexpr bool has_form(Op op) { return ops::has_soft(op) && !spec::is_elementary(op); }
constexpr spec::TotalTable<kFormRows, has_form> kForms;

constexpr bool is(FormKind kind, Op op) { return has_form(op) && kForms[op].kind == kind; }
constexpr bool is_order(Op op) { return is(FormKind::Order, op); }
constexpr bool is_rounding(Op op) { return is(FormKind::Rounding, op); }
constexpr bool is_min_max(Op op) { return is(FormKind::MinMax, op); }

bool orders(const FloatPromises& p) {
  return p[RawOp::FEq].exact() && p[RawOp::FLt].exact() && p[RawOp::FLe].exact();
}

/// Whether an order can be had of a difference.
constexpr bool is_strict_order(Op op) { return op == Op::FLt || op == Op::FGt; }

Route route_of_single(Op op, const FloatPromises& p) {
  if (is_strict_order(op) && p[RawOp::FSub].exact()) return Route::Native;
  if (is_order(op) || is_min_max(op)) return orders(p) ? Route::Native : Route::Composed;
  const Promise& promise = p[kForms[op].raw];
  if (promise.exact()) return Route::Native;
  return has_guarded_form(op, p) ? Route::Guarded : Route::Composed;
}

// The numbers of F16 are normal ones of f32, and so are sums, products, quotients and roots of them, or zero:
// flushing never comes to it. Rounding twice is harmless where f32 has two digits more than twice as many (24
// = 2 * 11 + 2): add, sub, mul, div, sqrt; Figueroa, "When is double rounding innocuous?" (1995). A product
// is even exact, so a fused multiply-add is a sum, of which rounding to odd keeps what the second rounding
// must know.
//
// Comparisons and roundings are composed whatever is promised: LLVM takes them back to half, which CPUs
// without such registers then do one lane at a time, five times slower than integers do it.
Route route_of_half(Op op, const FloatPromises& p) {
  if (is_order(op) || is_min_max(op) || is_rounding(op)) return Route::Composed;
  if (!converts(DataType::F16, p)) return Route::Composed;
  if (op == Op::FMulAdd) {
    const bool right =
        rounds_right(p[RawOp::FMul]) && rounds_right(p[RawOp::FAdd]) && rounds_right(p[RawOp::FSub]);
    return right ? Route::Native : Route::Composed;
  }
  const Promise& promise = p[kForms[op].raw];
  if (rounds_right(promise) && !promise.only_normal) return Route::Native;
  return has_guarded_form(op, p) ? Route::Guarded : Route::Composed;
}

// The numbers of BF16 are those of f32 with fewer digits, subnormals included, so f32 must keep those. 24 >=
// 2 * 8 + 2 where the f32 result is normal. Where it is not:
//  - add, sub: exact, for operands are multiples of 2^-133;
//  - mul: products have 16 digits, so those from 2^-134 on are exact, and the others round to at most 2^-134,
//  which is
//    half the least BF16 and a tie: zero in the end, as it has to be;
//  - div: a quotient is A / B * 2^e with 2^7 <= A, B < 2^8; from 2^-134 on e >= -134, and it differs from a
//  multiple
//    of 2^-134 by nothing or at least 2^-134 / B > 2^-142, while f32 rounds by at most 2^-150; below, as for
//    mul.
Route route_of_bfloat(Op op, const FloatPromises& p) {
  if (is_min_max(op) || op == Op::FMulAdd) return Route::Composed;
  if (is_order(op)) return orders(p) ? Route::Native : Route::Composed;
  if (p[kForms[op].raw].exact()) return Route::Native;
  return !is_rounding(op) && has_guarded_form(op, p) ? Route::Guarded : Route::Composed;
}

Route route_of(Op op, DataType type, const FloatPromises& p) {
  if (is(FormKind::Bits, op)) return Route::Bits;
  if (is(FormKind::Composed, op)) return Route::Composed;
  if (spec::is_elementary(op)) {
    return type == DataType::F32 && has_fast_form(op, p) ? Route::Native : Route::Composed;
  }
  if (type == DataType::F32) return route_of_single(op, p);
  return type == DataType::F16 ? route_of_half(op, p) : route_of_bfloat(op, p);
}

Value is_nan(Rewriter& r, FloatFormat f, Value a) {
  const Value size = magnitude(r, f, a);
  return less(r, r.constant(f.infinity()), size);
}

// match:  fneg(a); fabs(a); fis_nan(a); fis_inf(a)
// result: xor.raw(a, sign); and.raw(a, ~sign); ult.raw(infinity, |a|); eq.raw(|a|, infinity)
Value bits(Rewriter& r, Op op, FloatFormat f, Value a) {
  if (op == Op::FNeg) return r.raw(RawOp::Xor, {a, r.constant(f.sign_bit())});
  if (op == Op::FAbs) return magnitude(r, f, a);
  if (op == Op::FIsNaN) return is_nan(r, f, a);
  return r.raw(RawOp::Eq, {magnitude(r, f, a), r.constant(f.infinity())});
}

// match:  flt(a, b), where differences are right and comparisons are not
// result: d = fsub.raw(a, b); ult.raw(sub.raw(d, 80000001), 7f800000)
//         // d is negative, and neither -0 nor NaN: of finite numbers that differ no difference is zero, and
//         // the infinities, but for two that are equal, have one of the right sign.
Value less_by_difference(Rewriter& r, Value a, Value b) {
  const Value d = r.raw(RawOp::FSub, {a, b});
  return less(r, sub(r, d, r.constant(kSingle.sign_bit() + 1)), r.constant(kSingle.infinity()));
}

// match:  feq(a, b); flt; fle; fgt; fge
// result: feq.raw(a, b); flt.raw(a, b); fle.raw(a, b); flt.raw(b, a); fle.raw(b, a)
Value order(Rewriter& r, Op op, Value a, Value b) {
  if (op == Op::FEq) return r.raw(RawOp::FEq, {a, b});
  const bool swapped = op == Op::FGt || op == Op::FGe;
  const bool strict = op == Op::FLt || op == Op::FGt;
  if (swapped) std::swap(a, b);
  if (strict && !r.target().floats[RawOp::FLt].exact()) return less_by_difference(r, a, b);
  return r.raw(strict ? RawOp::FLt : RawOp::FLe, {a, b});
}

// match:  fmin(a, a); fmax(a, a)
// result: a
// match:  fmin(a, c); fmax(a, c), c a constant, no NaN, and not the zero that the other one's sign could
// change result: select.raw(flt.raw(a, c), a, c);           // flt.raw(c, a) for fmax; a NaN gives c match:
// fmin(a, b); fmax(a, b) result: m = select.raw(flt.raw(a, b), a, b);       // flt.raw(b, a) for fmax
//         n = select.raw(feq.raw(a, b), or.raw(a, b), m);   // zeros: -0 if one is; and.raw for fmax
//         select.raw(feq.raw(b, b), n, a)            // b is NaN; if a alone is, m is b already
Value min_max(Rewriter& r, Op op, Value a, Value b) {
  const bool least = op == Op::FMin;
  if (r.known(a)) std::swap(a, b);
  const Value before = least ? r.raw(RawOp::FLt, {a, b}) : r.raw(RawOp::FLt, {b, a});
  const Value one = choose(r, before, a, b);
  const FloatFormat f = spec::float_format(DataType::F32);
  if (const auto c = r.known(b); c && !f.is_nan(*c) && *c != (least ? 0 : f.sign_bit())) return one;
  const Value equal = r.raw(RawOp::FEq, {a, b});
  const Value merged = least ? either(r, a, b) : both(r, a, b);
  const Value number = choose(r, equal, merged, one);
  return choose(r, r.raw(RawOp::FEq, {b, b}), number, a);
}

using Operands = FloatOperands;
/// As f32.
Operands operands(Rewriter& r, const Inst& apply) {
  Value x[3] = {};
  for (uint32_t n = 0; n < apply.args.count; ++n) {
    x[n] = apply.operand_type == DataType::F32 ? r.word(apply, n)
                                               : widen(r, apply.operand_type, r.word(apply, n));
  }
  return {x[0], x[1], x[2]};
}
Value native(Rewriter& r, RawOp op, const Operands& x) {
  if (info(op).operands == 1) return r.raw(op, {x.a});
  return info(op).operands == 2 ? r.raw(op, {x.a, x.b}) : r.raw(op, {x.a, x.b, x.c});
}

// match:  a * b + c of F16, as f32
// result: p = fmul.raw(a, b); s = fadd.raw(p, c);               // p is exact
//         t = fsub.raw(s, p); e = fadd.raw(fsub.raw(p, fsub.raw(s, t)), fsub.raw(c, t));    // s + e = p + c
//         change = a number but zero is e, and s is even
//         add.raw(s, select.raw(change, e is towards zero of s ? -1 : 1, 0))
//         // s rounded to odd: 24 >= 11 + 2 digits, so it rounds to F16 as p + c does. Everything is a
//         multiple of
//         // 2^-48 and below 2^33, so nothing is subnormal or infinite unless an operand is infinite; then e
//         is NaN. Source: Boldo and Melquiond, "Emulation of FMA and correctly rounded sums" (2008).
Value odd_mul_add(Rewriter& r, const Operands& x) {
  const Value p = r.raw(RawOp::FMul, {x.a, x.b}), s = r.raw(RawOp::FAdd, {p, x.c});
  const Value t = r.raw(RawOp::FSub, {s, p});
  const Value of_p = r.raw(RawOp::FSub, {p, r.raw(RawOp::FSub, {s, t})});
  const Value of_c = r.raw(RawOp::FSub, {x.c, t});
  const Value e = r.raw(RawOp::FAdd, {of_p, of_c});
  const Value size = sub(r, magnitude(r, kSingle, e), r.constant(1));
  const Value inexact = less(r, size, r.constant(kSingle.infinity() - 1));  // neither zero, infinite nor NaN
  const Value even = r.raw(RawOp::Xor, {mask(r, s, 1), r.constant(1)});
  const Value differ = right(r, r.raw(RawOp::Xor, {s, e}), 31);
  const Value step = sub(r, r.constant(1), left(r, differ, 1));
  return add(r, s, choose(r, both(r, inexact, even), step, r.constant(0)));
}

// match:  an operator with a guarded form (lower/guarded.h), on F32 or widened to it
// result: that, narrowed; or composed
Value guarded_form(Rewriter& r, const Inst& apply) {
  const DataType type = apply.operand_type;
  const GuardedEnds ends = {
      .narrowed = [&](Value result) { return type == DataType::F32 ? result : narrow(r, type, result); },
      .composed = [&] { return inline_composition(r, composition(apply.op, type), apply); }};
  return guarded(r, kGuardedSingle, apply.op, operands(r, apply), ends);
}

Value native_form(Rewriter& r, const Inst& apply) {
  const DataType type = apply.operand_type;
  const Operands x = operands(r, apply);
  if (spec::is_elementary(apply.op)) return fast_form(r, apply.op, x.a);
  if (is_order(apply.op)) return order(r, apply.op, x.a, x.b);
  if (is_min_max(apply.op)) return min_max(r, apply.op, x.a, x.b);
  if (type == DataType::F32) return native(r, kForms[apply.op].raw, x);
  const bool fused = apply.op == Op::FMulAdd;
  return narrow(r, type, fused ? odd_mul_add(r, x) : native(r, kForms[apply.op].raw, x));
}

bool is_same_twice(const Kernel& kernel, const Inst& apply) {
  return is_min_max(apply.op) && kernel.arg(apply, 0) == kernel.arg(apply, 1);
}

}  // namespace

Value magnitude(Rewriter& r, FloatFormat f, Value a) { return mask(r, a, f.sign_bit() - 1); }

bool converts(DataType type, const FloatPromises& floats) {
  return type != DataType::F16 || (floats[RawOp::FFromF16].exact() && floats[RawOp::FToF16].exact());
}

bool converts_by_raw(DataType type, const FloatPromises& floats) {
  if (type != DataType::BF16) return true;
  return floats[RawOp::FFromBF16].exact() && floats[RawOp::FToBF16].exact();
}

// match:  a of F16 that is 0 or 1; another; of BF16, where the target converts it; where it does not
// result: select.raw(a, 2^-24, 0); ffrom_f16.raw(a); ffrom_bf16.raw(a); shl.raw(a, 16)
//         // NVIDIA's assembler takes the conversion of a truth value's pattern for that of its number
//         // (docs/spec/ptx.md).
Value widen(Rewriter& r, DataType type, Value a) {
  constexpr uint32_t kLeastHalf = uint32_t(127 - 24) << 23;
  if (type == DataType::F16 && r.is_truth(a)) return choose(r, a, r.constant(kLeastHalf), r.constant(0));
  if (type == DataType::F16) return r.raw(RawOp::FFromF16, {a});
  if (converts_by_raw(type, r.target().floats)) return r.raw(RawOp::FFromBF16, {a});
  return left(r, a, 16);
}

// match:  an f32, to F16; to BF16, where the target converts to it
// result: fto_f16.raw(a); fto_bf16.raw(a)
// match:  an f32, to BF16, where the target does not
// result: t = add.raw(a, add.raw(7fff, and.raw(lshr.raw(a, 16), 1)));
//         select.raw(ult.raw(7f800000, |a|), 7fc0, lshr.raw(t, 16))      // a carry goes into the exponent
Value narrow(Rewriter& r, DataType type, Value a) {
  if (type == DataType::F16) return r.raw(RawOp::FToF16, {a});
  if (converts_by_raw(type, r.target().floats)) return r.raw(RawOp::FToBF16, {a});
  const Value odd = mask(r, right(r, a, 16), 1);
  const Value rounded = add(r, a, add(r, odd, r.constant(0x7fff)));
  const Value nan = is_nan(r, kSingle, a);
  return choose(r, nan, r.constant(spec::kBFloat16.nan()), right(r, rounded, 16));
}

Value inline_composition(Rewriter& r, const Composition& composition, const Inst& apply) {
  std::array<Limbs, 3> operands;
  for (uint32_t n = 0; n < apply.args.count; ++n) operands[n] = r.operand(apply, n);
  return r.inlined(composition, std::span(operands).first(apply.args.count))[0];
}

namespace {

// match:  fpow(a, b), fatan2(a, b)
// result: the first step; where that leaves it open, the second
Value composed_in_steps(Rewriter& r, const Inst& apply) {
  const std::array<Limbs, 2> operands = {r.operand(apply, 0), r.operand(apply, 1)};
  const Limbs first = r.inlined(composition(apply.op, apply.operand_type), operands);
  const Variable out = r.variable("function");
  r.set(out[0], first[0]);
  r.if_(first[1],
        [&] { r.set(out[0], r.inlined(second_composition(apply.op, apply.operand_type), operands)[0]); });
  return r.get(out[0]);
}

Value composed_form(Rewriter& r, const Inst& apply) {
  if (ops::has_second_step(apply.op)) return composed_in_steps(r, apply);
  return inline_composition(r, composition(apply.op, apply.operand_type), apply);
}

}  // namespace

Limbs legalize_float(Rewriter& r, const Inst& apply) {
  if (is_same_twice(r.source(), apply)) return r.word(apply, 0);
  switch (float_route(apply, r.target().floats)) {
    case Route::Bits: return bits(r, apply.op, spec::float_format(apply.operand_type), r.word(apply, 0));
    case Route::Native: return native_form(r, apply);
    case Route::Guarded: return guarded_form(r, apply);
    case Route::Composed: return composed_form(r, apply);
  }
  return {};
}

namespace {

/// The strict function of one f32 that is no operand: what an approximate form widened.
Value strict_of_single(Rewriter& r, Op strict, Value x) {
  if (has_fast_form(strict, r.target().floats)) return fast_form(r, strict, x);
  return r.inlined(composition(strict, DataType::F32), std::array{Limbs(x)})[0];
}

}  // namespace

// match:  fexp_approx(a) and the like, with a form of its own
// result: that, of a widened; narrowed, and of NaN the NaN
// match:  another approximate function
// result: the strict one
Limbs legalize_approximate(Rewriter& r, const Inst& apply) {
  const DataType type = apply.operand_type;
  Inst strict = apply;
  strict.op = spec::strict_of(apply.op);
  if (!has_approximate_form(apply.op, type, r.target().floats)) return legalize_float(r, strict);
  const Value x = operands(r, apply).a;
  const Value result = approximate_form(r, apply.op, x, [&] { return strict_of_single(r, strict.op, x); });
  if (type == DataType::F32) return result;
  const FloatFormat f = spec::float_format(type);
  return choose(r, is_nan(r, kSingle, result), r.constant(f.nan()), narrow(r, type, result));
}

Route float_route(const Inst& apply, const FloatPromises& floats) {
  if (apply.op != Op::Cast) return route_of(spec::strict_of(apply.op), apply.operand_type, floats);
  return cast_route(apply, floats);
}

// The native forms of F16 end in a raw conversion, those of BF16 in one or in an integer rounding.
bool gives_raw_nan(const Kernel& kernel, const Inst& apply, const FloatPromises& floats) {
  if (is_same_twice(kernel, apply)) return true;
  const Route route = float_route(apply, floats);
  const bool function = spec::is_elementary(apply.op) || spec::is_approximate(apply.op);
  if (route == Route::Composed || function) return false;
  if (apply.op == Op::Cast) return cast_gives_raw_nan(apply, floats);
  if (apply.operand_type == DataType::BF16 && !converts_by_raw(DataType::BF16, floats)) return false;
  // A guess is right only where the result is a number.
  return route != Route::Guarded || (apply.op != Op::FDiv && apply.op != Op::FSqrt);
}

}  // namespace vyre::lower
