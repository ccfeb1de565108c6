#include "lower/approximate_forms.h"

#include <algorithm>
#include <optional>

#include "lower/fast/single.h"
#include "lower/float_rules.h"
#include "lower/rewrite.h"
#include "spec/ops.h"

namespace vyre::lower {
namespace {

using spec::Op;

/// The machine of lower/fast/single.h that writes raw instructions.
class Writer {
 public:
  using Word = Value;

  explicit Writer(Rewriter& r) : r_(r) {}

  Value constant(uint32_t a) { return r_.constant(a); }
  Value add(Value a, Value b) { return r_.raw(RawOp::Add, {a, b}); }
  Value sub(Value a, Value b) { return r_.raw(RawOp::Sub, {a, b}); }
  Value bit_and(Value a, Value b) { return r_.raw(RawOp::And, {a, b}); }
  Value bit_or(Value a, Value b) { return r_.raw(RawOp::Or, {a, b}); }
  Value bit_xor(Value a, Value b) { return r_.raw(RawOp::Xor, {a, b}); }
  Value shl(Value a, Value b) { return r_.raw(RawOp::Shl, {a, b}); }
  Value lshr(Value a, Value b) { return r_.raw(RawOp::LShr, {a, b}); }
  Value ashr(Value a, Value b) { return r_.raw(RawOp::AShr, {a, b}); }
  Value eq(Value a, Value b) { return r_.raw(RawOp::Eq, {a, b}); }
  Value ult(Value a, Value b) { return r_.raw(RawOp::ULt, {a, b}); }
  Value ule(Value a, Value b) { return r_.raw(RawOp::ULe, {a, b}); }
  Value select(Value c, Value a, Value b) { return r_.raw(RawOp::Select, {c, a, b}); }
  Value fadd(Value a, Value b) { return r_.raw(RawOp::FAdd, {a, b}); }
  Value fsub(Value a, Value b) { return r_.raw(RawOp::FSub, {a, b}); }
  Value fmul(Value a, Value b) { return r_.raw(RawOp::FMul, {a, b}); }

  template <size_t n, class Body>
  std::array<fast::Word<Writer>, n> where(fast::Word<Writer> condition,
                                          std::array<fast::Word<Writer>, n> words, Body body) {
    const Variable out = r_.variable("words", n);
    const auto set = [&](const std::array<fast::Word<Writer>, n>& to) {
      for (uint32_t i = 0; i < n; ++i) r_.set(out[i], to[i].v);
    };
    set(words);
    r_.if_(condition.v, [&] { set(body()); });
    for (uint32_t i = 0; i < n; ++i) words[i].v = r_.get(out[i]);
    return words;
  }

 private:
  Rewriter& r_;
};

using Written = fast::Word<Writer>;
struct Strict {
  Writer* writer;
  const std::function<Value()>& write;
  Written operator()() const { return {writer, write()}; }
};

/// By the strict function; nothing where none is worth it.
std::optional<Written> form(Op strict_op, Written x, const Strict& strict) {
  if (strict_op == Op::FSin) return fast::short_sin(x, strict);
  if (strict_op == Op::FCos) return fast::short_cos(x, strict);
  if (strict_op == Op::FTan) return fast::short_tan(x, strict);
  if (strict_op == Op::FExp) return fast::short_exp(x);
  if (strict_op == Op::FExp2) return fast::short_exp2(x);
  if (strict_op == Op::FExp10) return fast::short_exp10(x);
  if (strict_op == Op::FLog) return fast::short_log(x);
  if (strict_op == Op::FLog2) return fast::short_log2(x);
  if (strict_op == Op::FLog10) return fast::short_log10(x);
  return std::nullopt;
}
constexpr Op kFormed[] = {Op::FSin,   Op::FCos, Op::FTan,  Op::FExp,  Op::FExp2,
                          Op::FExp10, Op::FLog, Op::FLog2, Op::FLog10};

}  // namespace

bool has_approximate_form(Op op, spec::DataType type, const FloatPromises& floats) {
  const auto rounds = [&](RawOp used) { return rounds_right(floats[used]) && !floats[used].only_normal; };
  const bool right = rounds(RawOp::FAdd) && rounds(RawOp::FSub) && rounds(RawOp::FMul);
  return right && converts(type, floats) &&
         std::ranges::find(kFormed, spec::strict_of(op)) != std::end(kFormed);
}

Value approximate_form(Rewriter& r, Op op, Value x, const std::function<Value()>& strict) {
  Writer writer(r);
  return form(spec::strict_of(op), {&writer, x}, {&writer, strict})->v;
}

}  // namespace vyre::lower
