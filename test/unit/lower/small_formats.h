// Float formats of 6 to 16 bits, of which all operands and all answers that a promise allows can be run.
//
// What a promise allows is worked out from the text of the Vulkan specification, in doubles, which hold these
// formats' products exactly: any number within so many units, subnormals as they are or gone, any NaN.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <ranges>
#include <unordered_map>
#include <vector>

#include "lower/guarded.h"
#include "lower/operators.h"
#include "num/float.h"
#include "spec/ops.h"

namespace vyre::lower::small {

using spec::FloatFormat;
using spec::Op;
using Words = std::vector<Word>;

/// What stands for the composition: no pattern of a small format.
inline constexpr Word kComposed = 0xc0de0000;

/// f with twice its digits, no more than products need, and exponents for all of them.
constexpr GuardedFormat beside(FloatFormat f) { return {f, 2 * f.precision() - 1}; }
constexpr FloatFormat wide_of(FloatFormat f) { return {8, beside(f).wide_fraction_bits}; }

// ---- What a promise allows

inline double value(FloatFormat f, Word a) {
  const double fraction = a & f.fraction_mask();
  const int32_t field = int32_t((a & f.infinity()) >> f.fraction_bits);
  const double number =
      field == 0 ? std::ldexp(fraction, 1 - f.bias() - int32_t(f.fraction_bits))
                 : std::ldexp(fraction + f.least_normal(), field - f.bias() - int32_t(f.fraction_bits));
  return (a & f.sign_bit()) != 0 ? -number : number;
}
inline bool is_normal(FloatFormat f, Word a) {
  const Word field = a & f.infinity();
  return field != 0 && field != f.infinity();
}

/// The distance of numbers around |x|; of a power of two, below it.
inline double ulp(FloatFormat f, double x) {
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(x), &exponent);  // in [1/2, 1)
  if (fraction == 0.5) --exponent;
  return std::ldexp(1, std::max(exponent - 1, f.min_exponent()) - int(f.fraction_bits));
}
/// All numbers that many units from x, a normal one.
inline Words within(FloatFormat f, double x, double ulps) {
  Words out;
  const Word sign = x < 0 ? f.sign_bit() : 0;
  const double size = std::fabs(x), reach = ulps * ulp(f, x) * (1 + 1e-9);
  // Patterns of one sign are in the order of their values.
  const auto sizes = std::views::iota(Word{0}, f.infinity());
  const auto first = std::ranges::partition_point(sizes, [&](Word g) { return value(f, g) < size - reach; });
  for (Word g = *first; g < f.infinity() && value(f, g) <= size + reach; ++g) out.push_back(sign | g);
  return out;
}

inline constexpr double kQuotientUlps = 2.5, kRootUlps = 9.5, kInverseRootUlps = 2;

/// a as it is, and flushed.
inline Words seen(FloatFormat f, Word a) { return f.is_subnormal(a) ? Words{a, num::flush(f, a)} : Words{a}; }
inline void add_result(FloatFormat f, Word result, Words& out) {
  out.push_back(result);
  if (f.is_nan(result)) out.push_back(f.sign_bit() | (f.infinity() + 1));
  if ((result & ~f.sign_bit()) <= f.least_normal()) out.push_back(result & f.sign_bit());
}

inline Word wide_sum(FloatFormat f, Word a, Word b, Word c) {
  const FloatFormat w = wide_of(f);
  const auto wide = [&](Word x) { return num::convert(f, w, x); };
  return num::add(w, num::mul(w, wide(a), wide(b)), wide(c));
}

inline Words allowed(FloatFormat f, RawOp op, const Word* x) {
  if (op == RawOp::FDiv || op == RawOp::FSqrt || op == RawOp::FInverseSqrt) {
    const Words anything = {0, f.one(), f.infinity(), f.nan(), f.sign_bit() | f.one(), 3 * f.least_normal()};
    if (!is_normal(f, x[0]) || (op == RawOp::FDiv && !is_normal(f, x[1]))) return anything;
    const double exact = op == RawOp::FDiv    ? value(f, x[0]) / value(f, x[1])
                         : op == RawOp::FSqrt ? std::sqrt(value(f, x[0]))
                                              : 1 / std::sqrt(value(f, x[0]));
    const double size = std::fabs(exact);
    if (!(value(f, f.least_normal()) <= size && size <= value(f, f.greatest()))) return anything;
    return within(f, exact,
                  op == RawOp::FDiv    ? kQuotientUlps
                  : op == RawOp::FSqrt ? kRootUlps
                                       : kInverseRootUlps);
  }
  Words out;
  for (const Word a : seen(f, x[0])) {
    for (const Word b : seen(f, x[1])) {
      if (op == RawOp::FAdd) add_result(f, num::add(f, a, b), out);
      if (op == RawOp::FSub) add_result(f, num::sub(f, a, b), out);
      if (op == RawOp::FMul) add_result(f, num::mul(f, a, b), out);
      if (op != RawOp::FWideMulAdd && op != RawOp::FWideLow && op != RawOp::FMulAdd) continue;
      for (const Word c : seen(f, x[2])) {
        if (op == RawOp::FMulAdd) {
          add_result(f, num::mul_add(f, a, b, c), out);
          continue;
        }
        const Word sum = wide_sum(f, a, b, c);
        op == RawOp::FWideLow ? out.push_back(sum) : add_result(f, num::convert(wide_of(f), f, sum), out);
      }
    }
  }
  std::ranges::sort(out);
  const auto twice = std::ranges::unique(out);
  out.erase(twice.begin(), twice.end());
  return out;
}

/// What allowed() allows. `fused`: of a fused multiply-add too.
inline FloatPromises promised(bool fused = false) {
  FloatPromises out =
      promise_all("guarded", {.given = true, .flushes_operands = true, .flushes_results = true});
  out[RawOp::FMulAdd].given = fused;
  out[RawOp::FInverseSqrt] = out[RawOp::FDiv];
  for (const RawOp op : {RawOp::FDiv, RawOp::FSqrt, RawOp::FInverseSqrt}) out[op].only_normal = true;
  out[RawOp::FDiv].half_ulps = uint8_t(2 * kQuotientUlps);
  out[RawOp::FSqrt].half_ulps = uint8_t(2 * kRootUlps);
  out[RawOp::FInverseSqrt].half_ulps = uint8_t(2 * kInverseRootUlps);
  return out;
}

inline Word right_answer(FloatFormat f, Op op, const Word* x) {
  if (op == Op::FAdd) return num::add(f, x[0], x[1]);
  if (op == Op::FSub) return num::sub(f, x[0], x[1]);
  if (op == Op::FMul) return num::mul(f, x[0], x[1]);
  if (op == Op::FDiv) return num::div(f, x[0], x[1]);
  if (op == Op::FSqrt) return num::sqrt(f, x[0]);
  return num::mul_add(f, x[0], x[1], x[2]);
}

/// Raw operators that no form has, for exact arithmetic of the format: what stands for a composition that is
/// computed on with.
inline RawOp exactly(Op op) {
  if (op == Op::FAdd) return RawOp::UDiv;
  if (op == Op::FSub) return RawOp::URem;
  if (op == Op::FMul) return RawOp::SDiv;
  if (op == Op::FDiv) return RawOp::SRem;
  return op == Op::FSqrt ? RawOp::ReverseBits : RawOp::WideMulAdd;
}
inline std::optional<Op> meant_by(RawOp op) {
  for (const Op one : {Op::FAdd, Op::FSub, Op::FMul, Op::FDiv, Op::FSqrt, Op::FMulAdd}) {
    if (exactly(one) == op) return one;
  }
  return std::nullopt;
}

/// Buffers from this one on are memory; before stand operands, one in each, and kResult.
inline constexpr uint32_t kResult = 3, kFirstArray = 4;

/// Runs a form once for each combination of choices. It reads operand n from buffer n and stores its result.
class Runner {
 public:
  /// Only the first attempt: what is behind a doubt is kComposed.
  Runner(const Kernel& kernel, FloatFormat f, bool all_attempts = true)
      : kernel_(kernel),
        format_(f),
        all_attempts_(all_attempts),
        values_(kernel.insts.size()),
        slots_(kernel.slots.size()) {}

  /// How many operators were exactly() one so far.
  uint64_t exact() const { return exact_; }

  /// Calls `see` with each result.
  template <typename See>
  void run(const Word* x, See see) {
    script_.clear();
    do {
      next_ = 0;
      memory_.clear();
      block(kernel_.entry, x);
      see(result_);
      while (!script_.empty() && script_.back().taken + 1 == script_.back().count) script_.pop_back();
      if (!script_.empty()) ++script_.back().taken;
    } while (!script_.empty());
  }

 private:
  struct Choice {
    size_t taken = 0, count = 1;
  };

  void block(KBlock b, const Word* x) {
    for (const Value v : kernel_.block(b)) step(v, x);
  }
  void step(Value v, const Word* x) {
    const Inst& inst = kernel_[v];
    Word operands[3] = {};
    for (uint32_t n = 0; n < inst.args.count; ++n) operands[n] = values_[index(kernel_.arg(inst, n))];
    Word& out = values_[index(v)];
    if (inst.kind == InstKind::Const) out = inst.imm;
    if (inst.kind == InstKind::RawLoad)
      out = inst.target < kResult ? x[inst.target] : memory_[{inst.target, operands[0]}];
    if (inst.kind == InstKind::RawStore)
      (inst.target == kResult ? result_ : memory_[{inst.target, operands[0]}]) = operands[1];
    if (inst.kind == InstKind::Get) out = slots_[inst.target];
    if (inst.kind == InstKind::Set) slots_[inst.target] = operands[0];
    if (inst.kind == InstKind::If && operands[0] != 0) {
      all_attempts_ ? block(inst.body, x) : void(slots_[0] = kComposed);
    }
    if (inst.kind == InstKind::If && operands[0] == 0 && inst.orelse != kNoKBlock) block(inst.orelse, x);
    if (inst.kind == InstKind::Loop) {
      for (out = operands[0]; values_[index(v)] < operands[1]; ++values_[index(v)]) block(inst.body, x);
    }
    if (inst.kind != InstKind::Raw) return;
    if (const auto op = meant_by(inst.raw)) {
      out = right_answer(format_, *op, operands);
      ++exact_;
    } else {
      out = info(inst.raw).is_float ? choose(inst.raw, operands) : raw(inst, operands);
    }
  }
  static Word raw(const Inst& inst, const Word* operands) {
    EXPECT_TRUE(in_domain(inst.raw, operands));
    return apply_raw(inst.raw, operands);
  }
  Word choose(RawOp op, const Word* operands) {
    const Words& all = kept(op, operands);
    if (next_ == script_.size()) script_.push_back({0, all.size()});
    return all[script_[next_++].taken];
  }
  const Words& kept(RawOp op, const Word* operands) {
    if (const auto one = only_result(op, operands)) return only_ = {*one}, only_;
    uint64_t key = 0;
    for (uint32_t n = 0; n < info(op).operands; ++n) key = key << format_.width() | operands[n];
    const auto [at, is_new] = allowed_[size_t(op)].try_emplace(key);
    if (is_new) at->second = allowed(format_, op, operands);
    return at->second;
  }
  /// Where nothing is subnormal a sum or a product is one number.
  std::optional<Word> only_result(RawOp op, const Word* x) const {
    if (op != RawOp::FAdd && op != RawOp::FSub && op != RawOp::FMul) return std::nullopt;
    if (format_.is_subnormal(x[0]) || format_.is_subnormal(x[1])) return std::nullopt;
    const Word result = op == RawOp::FMul   ? num::mul(format_, x[0], x[1])
                        : op == RawOp::FAdd ? num::add(format_, x[0], x[1])
                                            : num::sub(format_, x[0], x[1]);
    const Word size = result & ~format_.sign_bit();
    if (size > format_.infinity() || (size != 0 && size <= format_.least_normal())) return std::nullopt;
    return size == 0 ? std::nullopt : std::optional(result);
  }

  const Kernel& kernel_;
  const FloatFormat format_;
  const bool all_attempts_;
  Words values_, slots_;
  std::map<std::pair<uint32_t, Word>, Word> memory_;  // by buffer and index; zero at first
  std::array<std::unordered_map<uint64_t, Words>, kRawOpCount> allowed_;  // by the operands' bits
  Words only_;
  std::vector<Choice> script_;
  size_t next_ = 0;
  uint64_t exact_ = 0;
  Word result_ = 0;
};

}  // namespace vyre::lower::small
