// Guarded forms of floats in formats of 6 to 10 bits: over all operands and under all choices that a promise
// leaves open, whatever is not left to the composition is right. And with each test taken out of a form, with
// each threshold a step lower, something is wrong, or more is left to the composition.
#include "lower/guarded.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <optional>
#include <ranges>
#include <unordered_map>
#include <vector>

#include "lower/operators.h"
#include "num/float.h"
#include "oracle.h"
#include "spec/ops.h"

VYRE_ORACLE(CpuReference,
            "num/, which is compared with the standard and MPFR in test/unit/num; what a promise allows is "
            "worked out here, from the text of the Vulkan specification, in doubles, which hold these "
            "formats' products exactly");

namespace vyre::lower {
namespace {

using spec::FloatFormat;
using spec::Op;
using Words = std::vector<Word>;

/// What stands for the composition: no pattern of a small format.
constexpr Word kComposed = 0xc0de0000;

/// f with twice its digits, no more than products need, and exponents for all of them.
constexpr GuardedFormat beside(FloatFormat f) { return {f, 2 * f.precision() - 1}; }
constexpr FloatFormat wide_of(FloatFormat f) { return {8, beside(f).wide_fraction_bits}; }

// ---- What a promise allows

double value(FloatFormat f, Word a) {
  const double fraction = a & f.fraction_mask();
  const int32_t field = int32_t((a & f.infinity()) >> f.fraction_bits);
  const double number =
      field == 0 ? std::ldexp(fraction, 1 - f.bias() - int32_t(f.fraction_bits))
                 : std::ldexp(fraction + f.least_normal(), field - f.bias() - int32_t(f.fraction_bits));
  return (a & f.sign_bit()) != 0 ? -number : number;
}
bool is_normal(FloatFormat f, Word a) {
  const Word field = a & f.infinity();
  return field != 0 && field != f.infinity();
}

/// The distance of numbers around |x|; of a power of two, below it.
double ulp(FloatFormat f, double x) {
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(x), &exponent);  // in [1/2, 1)
  if (fraction == 0.5) --exponent;
  return std::ldexp(1, std::max(exponent - 1, f.min_exponent()) - int(f.fraction_bits));
}
/// All numbers that many units from x, a normal one.
Words within(FloatFormat f, double x, double ulps) {
  Words out;
  const Word sign = x < 0 ? f.sign_bit() : 0;
  const double size = std::fabs(x), reach = ulps * ulp(f, x) * (1 + 1e-9);
  // Patterns of one sign are in the order of their values.
  const auto sizes = std::views::iota(Word{0}, f.infinity());
  const auto first = std::ranges::partition_point(sizes, [&](Word g) { return value(f, g) < size - reach; });
  for (Word g = *first; g < f.infinity() && value(f, g) <= size + reach; ++g) out.push_back(sign | g);
  return out;
}

constexpr double kQuotientUlps = 2.5, kRootUlps = 9.5, kInverseRootUlps = 2;

/// a as it is, and flushed.
Words seen(FloatFormat f, Word a) { return f.is_subnormal(a) ? Words{a, num::flush(f, a)} : Words{a}; }
void add_result(FloatFormat f, Word result, Words& out) {
  out.push_back(result);
  if (f.is_nan(result)) out.push_back(f.sign_bit() | (f.infinity() + 1));
  if ((result & ~f.sign_bit()) <= f.least_normal()) out.push_back(result & f.sign_bit());
}

Word wide_sum(FloatFormat f, Word a, Word b, Word c) {
  const FloatFormat w = wide_of(f);
  const auto wide = [&](Word x) { return num::convert(f, w, x); };
  return num::add(w, num::mul(w, wide(a), wide(b)), wide(c));
}

Words allowed(FloatFormat f, RawOp op, const Word* x) {
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
      if (op != RawOp::FWideMulAdd && op != RawOp::FWideLow) continue;
      for (const Word c : seen(f, x[2])) {
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

// ---- A guarded form by itself, and what it gives

/// Quotients and roots have forms by bounds in formats of seven digits or more. There only the first attempt
/// is run, for the others take the promise for a guess once more; those are run where there are no bounds.
/// Gives the exponents at which the windows of the divisor, or of a root's operand, and of the quotient
/// begin, by hand from the rules. The first is a quarter of all fields wide for a divisor, as its square's is
/// half of them.
struct Windows {
  int operand = 0, result = 0;
};
std::optional<Windows> windows_of(FloatFormat f, Op op) {
  const bool root = op == Op::FSqrt;
  if (op != Op::FDiv && !root) return std::nullopt;
  // Halves of 3 digits; the quotient's field: 1 + 4 + 2 * 7 - 4 - 2.
  if (f == FloatFormat{5, 6}) return Windows{root ? -8 : -4, 13 - 15};
  // Halves of 4 digits; the quotient's field: 1 + 32 + 2 * 8 - 4 - 2.
  if (f == FloatFormat{8, 7}) return Windows{root ? -64 : -32, 43 - 127};
  return std::nullopt;
}

/// What allowed() allows.
FloatPromises promised() {
  FloatPromises out =
      promise_all("guarded", {.given = true, .flushes_operands = true, .flushes_results = true});
  out[RawOp::FInverseSqrt] = out[RawOp::FDiv];
  for (const RawOp op : {RawOp::FDiv, RawOp::FSqrt, RawOp::FInverseSqrt}) out[op].only_normal = true;
  out[RawOp::FDiv].half_ulps = uint8_t(2 * kQuotientUlps);
  out[RawOp::FSqrt].half_ulps = uint8_t(2 * kRootUlps);
  out[RawOp::FInverseSqrt].half_ulps = uint8_t(2 * kInverseRootUlps);
  return out;
}

Kernel form_of(FloatFormat f, Op op) {
  Kernel source;
  source.entry = source.add_block();
  static const Target target{.name = "guarded", .floats = promised()};
  Rewriter r(source, target);
  r.at(source.entry, Span::none());
  const auto operand = [&](uint32_t n) { return r.load({.buffer = n, .index = r.constant(0)}); };
  const FloatOperands x{operand(0), operand(1), operand(2)};
  const GuardedEnds ends = {.narrowed = [](Value result) { return result; },
                            .composed = [&] { return r.constant(kComposed); }};
  r.store({.buffer = 3, .index = r.constant(0)}, guarded(r, beside(f), op, x, ends));
  return r.finish();
}

/// Runs a form once for each combination of choices.
class Runner {
 public:
  Runner(const Kernel& kernel, FloatFormat f, Op op)
      : kernel_(kernel),
        format_(f),
        all_attempts_(!windows_of(f, op)),
        values_(kernel.insts.size()),
        slots_(kernel.slots.size()) {}

  /// Calls `see` with each result.
  template <typename See>
  void run(const Word* x, See see) {
    script_.clear();
    do {
      next_ = 0;
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
    if (inst.kind == InstKind::RawLoad) out = x[inst.target];
    if (inst.kind == InstKind::RawStore) result_ = operands[1];
    if (inst.kind == InstKind::Get) out = slots_[inst.target];
    if (inst.kind == InstKind::Set) slots_[inst.target] = operands[0];
    if (inst.kind == InstKind::If && operands[0] != 0) {
      all_attempts_ ? block(inst.body, x) : void(slots_[0] = kComposed);
    }
    if (inst.kind == InstKind::Raw)
      out = info(inst.raw).is_float ? choose(inst.raw, operands) : raw(inst, operands);
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
  std::array<std::unordered_map<uint64_t, Words>, kRawOpCount> allowed_;  // by the operands' bits
  Words only_;
  std::vector<Choice> script_;
  size_t next_ = 0;
  Word result_ = 0;
};

Word right_answer(FloatFormat f, Op op, const Word* x) {
  if (op == Op::FAdd) return num::add(f, x[0], x[1]);
  if (op == Op::FSub) return num::sub(f, x[0], x[1]);
  if (op == Op::FMul) return num::mul(f, x[0], x[1]);
  if (op == Op::FDiv) return num::div(f, x[0], x[1]);
  if (op == Op::FSqrt) return num::sqrt(f, x[0]);
  return num::mul_add(f, x[0], x[1], x[2]);
}

struct Counts {
  uint64_t choices = 0, wrong = 0, composed = 0;
  Words first_wrong;
};
/// Every operand; of quotients by bounds every size, with signs that follow from all bits.
struct Operands {
  FloatFormat f;
  Op op;
  std::optional<Windows> windows = windows_of(f, op);
  bool signless = windows && op == Op::FDiv;
  Word count(uint32_t n) const {
    if (n >= *spec::operand_count(op)) return 1;
    return signless ? f.sign_bit() : 1u << f.width();
  }
  /// Where much is subnormal or NaN there are thousands of choices an operand: of what must be in doubt, for
  /// it is a binade or more outside of a window, one of 4001 is run.
  bool skips(Word a, Word b) const {
    if (!windows || (a + b * f.least_normal()) % 4001 == 0) return false;
    if (!is_normal(f, a)) return true;
    const int half = 1 << (f.exponent_bits - 1);
    const auto is_near = [](double x, int least, int width) {
      return std::ldexp(0.5, least) <= x && x <= std::ldexp(2, least + width);
    };
    if (op == Op::FSqrt) return !is_near(value(f, a), windows->operand, half);
    return !is_near(value(f, b), windows->operand, half / 2) ||
           !is_near(value(f, a) / value(f, b), windows->result, half);
  }
  Word sign(Word bits) const { return signless && std::popcount(bits) % 2 != 0 ? f.sign_bit() : 0; }
};
/// Over all operands; until something is wrong, if asked.
Counts exhaust(const Kernel& kernel, FloatFormat f, Op op, bool stop = false) {
  Counts out;
  Runner runner(kernel, f, op);
  const Operands all{f, op};
  for (Word a = 0; a < all.count(0); ++a) {
    for (Word b = 0; b < all.count(1); ++b) {
      if (all.skips(a, b)) continue;
      for (Word c = 0; c < all.count(2); ++c) {
        const Word x[] = {a | all.sign(b), b | all.sign(a + b), c};
        const Word right = right_answer(f, op, x);
        runner.run(x, [&](Word got) {
          ++out.choices;
          out.composed += got == kComposed ? 1 : 0;
          if (got == kComposed || got == right || (f.is_nan(got) && f.is_nan(right))) return;
          if (out.wrong++ == 0) out.first_wrong = {x[0], x[1], x[2], got, right};
        });
        if (stop && out.wrong > 0) return out;
      }
    }
  }
  return out;
}

constexpr Op kGuarded[] = {Op::FAdd, Op::FSub, Op::FMul, Op::FDiv, Op::FSqrt, Op::FMulAdd};
std::vector<FloatFormat> formats_of(Op op) {
  if (op == Op::FMulAdd) return {{3, 2}};
  if (op == Op::FSqrt)
    return {{4, 5}, {5, 6}, {5, 10}, {8, 7}};           // its guesses are off by more than 16 places
  if (op == Op::FDiv) return {{4, 3}, {5, 2}, {5, 6}};  // bounds want seven digits
  return {{4, 3}, {5, 2}};
}

TEST(GuardedForms, AreRightForAllOperandsUnderAllChoices) {
  for (const Op op : kGuarded) {
    for (const FloatFormat f : formats_of(op)) {
      const Counts counts = exhaust(form_of(f, op), f, op);
      EXPECT_EQ(counts.wrong, 0u) << spec::mnemonic(op) << ", format 1-" << f.exponent_bits << "-"
                                  << f.fraction_bits << testing::PrintToString(counts.first_wrong);
      EXPECT_LT(counts.composed, counts.choices) << spec::mnemonic(op);
      RecordProperty(
          std::string(spec::mnemonic(op)) + std::to_string(f.width()),
          std::to_string(counts.choices) + " choices, composed " + std::to_string(counts.composed));
    }
  }
}

bool is_test(RawOp op) {
  return op == RawOp::Eq || op == RawOp::Ne || op == RawOp::ULt || op == RawOp::ULe || op == RawOp::SLt;
}
/// What decides in a form: its comparisons, and in formats of which only the first attempt is run whatever
/// that one puts together with `or`.
std::vector<Value> deciding(const Kernel& kernel, FloatFormat f, Op op) {
  std::vector<Value> out;
  for (uint32_t v = 0; v < kernel.insts.size() && !windows_of(f, op); ++v) {
    if (kernel.insts[v].kind == InstKind::Raw && is_test(kernel.insts[v].raw)) out.push_back(Value(v));
  }
  if (!windows_of(f, op)) return out;
  for (const Value v : kernel.block(kernel.entry)) {
    const Inst& inst = kernel[v];
    if (inst.kind != InstKind::Raw || inst.raw != RawOp::Or) continue;
    for (const Value a : kernel.args(inst)) out.push_back(a);
  }
  return out;
}

// Each of them taken for false.
TEST(GuardedForms, HaveNoTestTooMany) {
  for (const Op op : kGuarded) {
    for (const FloatFormat f : {formats_of(op).front(), formats_of(op).back()}) {
      if (!windows_of(f, op) && f != formats_of(op).front()) continue;
      const Kernel whole = form_of(f, op);
      const Counts before = exhaust(whole, f, op);
      const std::vector<Value> all = deciding(whole, f, op);
      EXPECT_FALSE(all.empty()) << spec::mnemonic(op);
      for (const Value v : all) {
        Kernel changed = whole;
        changed.insts[index(v)] = {.kind = InstKind::Const, .type = spec::DataType::U32, .imm = 0};
        const Counts after = exhaust(changed, f, op, true);
        EXPECT_TRUE(after.wrong > 0 || after.composed > before.composed)
            << spec::mnemonic(op) << " without " << print(whole, v);
      }
    }
  }
}

/// The number as every constant of the form that is `from` becomes `to`.
bool is_noticed(Op op, const std::function<Word(FloatFormat)>& from,
                const std::function<Word(FloatFormat)>& to) {
  return std::ranges::any_of(formats_of(op), [&](FloatFormat f) {
    Kernel kernel = form_of(f, op);
    bool found = false;
    for (Inst& inst : kernel.insts) {
      if (inst.kind != InstKind::Const || inst.imm != from(f)) continue;
      inst.imm = to(f);
      found = true;
    }
    return found && exhaust(kernel, f, op, true).wrong > 0;
  });
}

TEST(GuardedForms, HaveThresholdsThatCannotBeLower) {
  // One power of two lower: that field is below the least one that would do.
  for (const Op op : {Op::FAdd, Op::FSub}) {
    EXPECT_TRUE(is_noticed(
        op, [](FloatFormat f) { return sum_threshold(f) << f.fraction_bits; },
        [](FloatFormat f) { return sum_threshold(f) / 2 << f.fraction_bits; }));
  }
  // Neighbours two away, taken for one away.
  const auto number = [](Word k) { return [k](FloatFormat) { return k; }; };
  EXPECT_TRUE(is_noticed(Op::FDiv, number(6), number(10)));
  EXPECT_TRUE(is_noticed(Op::FSqrt, number(6), number(10)));
  // A bound that is the number itself, above or below.
  const auto one = [](int k) { return [k](FloatFormat f) { return f.one() + Word(k); }; };
  for (const int k : {-8, 4}) EXPECT_TRUE(is_noticed(Op::FDiv, one(k), one(0)));
  const auto half = [](int k) { return [k](FloatFormat f) { return f.one() - f.least_normal() + Word(k); }; };
  EXPECT_TRUE(is_noticed(Op::FSqrt, half(-10), half(0)));
  EXPECT_TRUE(is_noticed(Op::FSqrt, one(10), one(0)));
  // A window that begins lower: of roots' operands one field; of divisors' squares and of quotients two, for
  // a rest that is subnormal one field lower is a quarter of an ULP of the quotient at most, so nothing
  // misses it.
  const auto field = [](Op op, bool result, int lower) {
    return [=](FloatFormat f) {
      const auto windows = windows_of(f, op);
      if (!windows) return ~Word{0};
      const int squared = op == Op::FDiv ? 2 : 1;
      const int first = result ? windows->result : squared * windows->operand;
      return Word(first + f.bias() - lower) << f.fraction_bits;
    };
  };
  EXPECT_TRUE(is_noticed(Op::FSqrt, field(Op::FSqrt, false, 0), field(Op::FSqrt, false, 1)));
  for (const bool result : {false, true}) {
    EXPECT_TRUE(is_noticed(Op::FDiv, field(Op::FDiv, result, 0), field(Op::FDiv, result, 2)));
  }
}

// At 32 bits the field is that of 2^-95, and 2^-101 is the least that would do.
TEST(GuardedForms, HaveTheThresholdsThatTheRulesSay) {
  EXPECT_EQ(sum_threshold(spec::kBinary32), uint32_t(127 - 95));
  EXPECT_GE(sum_threshold(spec::kBinary32), uint32_t(127 - 101));
  EXPECT_LT(sum_threshold(spec::kBinary32) / 2, uint32_t(127 - 101));
}

}  // namespace
}  // namespace vyre::lower
