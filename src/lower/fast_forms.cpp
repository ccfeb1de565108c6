#include "lower/fast_forms.h"

#include <algorithm>

#include "lower/fast/arcs.h"
#include "lower/fast/exponentials.h"
#include "lower/fast/logarithms.h"
#include "lower/fast/single.h"
#include "lower/float_rules.h"
#include "lower/rewrite.h"
#include "spec/ops.h"

namespace vyre::lower {
namespace {

using spec::Op;

/// The machine of lower/fast/machine.h and lower/fast/single.h that writes raw instructions.
class FormWriter {
 public:
  using Word = Value;
  using Wide = Value;

  explicit FormWriter(Rewriter& r) : r_(r), floats_(r.target().floats) {}

  bool fused() const { return floats_[RawOp::WideMulAdd].given && floats_[RawOp::WideMulAdd].fused; }
  bool flushes_operands() const { return floats_[RawOp::WideFrom].flushes_operands; }
  bool flushes_results() const { return floats_[RawOp::WideTo].flushes_results; }

  Value constant(uint32_t a) { return r_.constant(a); }
  Value wide(double a) {
    const auto bits = std::bit_cast<uint64_t>(a);
    return wide_of(constant(uint32_t(bits)), constant(uint32_t(bits >> 32)));
  }
  Value add(Value a, Value b) { return r_.raw(RawOp::Add, {a, b}); }
  Value sub(Value a, Value b) { return r_.raw(RawOp::Sub, {a, b}); }
  Value mul(Value a, Value b) { return r_.raw(RawOp::Mul, {a, b}); }
  Value umul_hi(Value a, Value b) { return high_product(r_, a, b); }
  Value bit_and(Value a, Value b) { return r_.raw(RawOp::And, {a, b}); }
  Value bit_or(Value a, Value b) { return r_.raw(RawOp::Or, {a, b}); }
  Value bit_xor(Value a, Value b) { return r_.raw(RawOp::Xor, {a, b}); }
  Value shl(Value a, Value b) { return r_.raw(RawOp::Shl, {a, b}); }
  Value lshr(Value a, Value b) { return r_.raw(RawOp::LShr, {a, b}); }
  Value ashr(Value a, Value b) { return r_.raw(RawOp::AShr, {a, b}); }
  Value clz(Value a) { return r_.raw(RawOp::Clz, {a}); }
  Value eq(Value a, Value b) { return r_.raw(RawOp::Eq, {a, b}); }
  Value ult(Value a, Value b) { return r_.raw(RawOp::ULt, {a, b}); }
  Value ule(Value a, Value b) { return r_.raw(RawOp::ULe, {a, b}); }
  Value select(Value c, Value a, Value b) { return r_.raw(RawOp::Select, {c, a, b}); }
  Value fadd(Value a, Value b) { return r_.raw(RawOp::FAdd, {a, b}); }
  Value fsub(Value a, Value b) { return r_.raw(RawOp::FSub, {a, b}); }
  Value fmul(Value a, Value b) { return r_.raw(RawOp::FMul, {a, b}); }
  Value wide_of(Value low, Value high) { return r_.raw(RawOp::WideOf, {low, high}); }
  Value wide_low(Value a) { return r_.raw(RawOp::WideLow, {a}); }
  Value wide_high(Value a) { return r_.raw(RawOp::WideHigh, {a}); }
  Value wide_select(Value c, Value a, Value b) { return r_.raw(RawOp::WideSelect, {c, a, b}); }
  Value wide_from(Value a) { return r_.raw(RawOp::WideFrom, {a}); }
  Value wide_to(Value a) { return r_.raw(RawOp::WideTo, {a}); }
  Value wide_add(Value a, Value b) { return r_.raw(RawOp::WideAdd, {a, b}); }
  Value wide_sub(Value a, Value b) { return r_.raw(RawOp::WideSub, {a, b}); }
  Value wide_mul(Value a, Value b) { return r_.raw(RawOp::WideMul, {a, b}); }
  Value wide_mul_add(Value a, Value b, Value c) {
    return fused() ? r_.raw(RawOp::WideMulAdd, {a, b, c}) : wide_add(wide_mul(a, b), c);
  }

  template <size_t n, class Body>
  std::array<fast::Word<FormWriter>, n> where(fast::Word<FormWriter> condition,
                                              std::array<fast::Word<FormWriter>, n> words, Body body) {
    const Variable out = r_.variable("words", n);
    const auto set = [&](const std::array<fast::Word<FormWriter>, n>& to) {
      for (uint32_t i = 0; i < n; ++i) r_.set(out[i], to[i].v);
    };
    set(words);
    r_.if_(condition.v, [&] { set(body()); });
    for (uint32_t i = 0; i < n; ++i) words[i].v = r_.get(out[i]);
    return words;
  }

 private:
  Rewriter& r_;
  const FloatPromises& floats_;
};

using Written = fast::Word<FormWriter>;
/// The strict function of an operand, for a form that leaves hard arguments to it.
struct Strict {
  FormWriter* writer;
  const std::function<Value()>& write;
  Written operator()() const { return {writer, write()}; }
};

template <Written (*form)(Written)>
Written easy(Written x, Strict /*strict*/) {
  return form(x);
}

/// Of one function: the fast form and, where there is one that is worth it, the approximate form.
struct Forms {
  Written (*fast)(Written x);
  Written (*approximate)(Written x, Strict strict) = nullptr;
};
constexpr bool is_unary(Op op) { return spec::is_elementary(op) && spec::operand_count(op) == 1; }
constexpr spec::Row<Op, Forms> kFunctionFormRows[] = {
    {Op::FSin, {fast::sin, fast::short_sin}},
    {Op::FCos, {fast::cos, fast::short_cos}},
    {Op::FTan, {fast::tan, fast::short_tan}},
    {Op::FASin, {fast::asin}},
    {Op::FACos, {fast::acos}},
    {Op::FATan, {fast::atan}},
    {Op::FExp, {fast::exp, easy<fast::short_exp>}},
    {Op::FLog, {fast::log, easy<fast::short_log>}},
    {Op::FExp2, {fast::exp2, easy<fast::short_exp2>}},
    {Op::FLog2, {fast::log2, easy<fast::short_log2>}},
    {Op::FExp10, {fast::exp10, easy<fast::short_exp10>}},
    {Op::FLog10, {fast::log10, easy<fast::short_log10>}},
};
constexpr spec::TotalTable<kFunctionFormRows, is_unary> kFunctionForms;

/// What every fast form uses, fused or not. Subnormals may vanish in conversions.
constexpr RawOp kUsed[] = {RawOp::WideOf, RawOp::WideLow, RawOp::WideHigh, RawOp::WideSelect, RawOp::WideFrom,
                           RawOp::WideTo, RawOp::WideAdd, RawOp::WideSub,  RawOp::WideMul};

}  // namespace

bool has_fast_form(Op op, const FloatPromises& floats) {
  return is_unary(op) && std::ranges::all_of(kUsed, [&](RawOp used) {
           const Promise& p = floats[used];
           return p.given && p.half_ulps == 0 && !p.only_normal;
         });
}

Value fast_form(Rewriter& r, Op op, Value x) {
  FormWriter writer(r);
  return kFunctionForms[op].fast({&writer, x}).v;
}

bool has_approximate_form(Op op, spec::DataType type, const FloatPromises& floats) {
  const auto rounds = [&](RawOp used) { return rounds_right(floats[used]) && !floats[used].only_normal; };
  const bool right = rounds(RawOp::FAdd) && rounds(RawOp::FSub) && rounds(RawOp::FMul);
  const Op strict = spec::strict_of(op);
  return right && converts(type, floats) && is_unary(strict) && kFunctionForms[strict].approximate != nullptr;
}

Value approximate_form(Rewriter& r, Op op, Value x, const std::function<Value()>& strict) {
  FormWriter writer(r);
  return kFunctionForms[spec::strict_of(op)].approximate({&writer, x}, {&writer, strict}).v;
}

}  // namespace vyre::lower
