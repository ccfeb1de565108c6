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

#include "oracle.h"
#include "small_formats.h"

VYRE_ORACLE(
    CpuReference,
    "num/, which is compared with the standard and MPFR in test/unit/num; what a promise allows is "
    "worked out in small_formats.h, from the text of the Vulkan specification, in doubles, which hold these "
    "formats' products exactly");

namespace vyre::lower {
namespace {

using namespace small;  // NOLINT(google-build-using-namespace)

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

Kernel form_of(FloatFormat f, Op op, bool fused = false) {
  Kernel source;
  source.entry = source.add_block();
  const Target target{.name = "guarded", .floats = promised(fused)};
  Rewriter r(source, target);
  r.at(source.entry, Span::none());
  const auto operand = [&](uint32_t n) { return r.load({.buffer = n, .index = r.constant(0)}); };
  const FloatOperands x{operand(0), operand(1), operand(2)};
  const GuardedEnds ends = {.narrowed = [](Value result) { return result; },
                            .composed = [&] { return r.constant(kComposed); }};
  r.store({.buffer = 3, .index = r.constant(0)}, guarded(r, beside(f), op, x, ends));
  return r.finish();
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
  Runner runner(kernel, f, !windows_of(f, op));
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

TEST(GuardedForms, OfAFusedMultiplyAddAreRightToo) {
  for (const FloatFormat f : {FloatFormat{3, 2}, FloatFormat{4, 1}}) {
    const Counts counts = exhaust(form_of(f, Op::FMulAdd, /*fused=*/true), f, Op::FMulAdd);
    EXPECT_EQ(counts.wrong, 0u) << testing::PrintToString(counts.first_wrong);
    EXPECT_LT(counts.composed, counts.choices / 2);
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

TEST(GuardedForms, OfAFusedMultiplyAddHaveNoTestTooMany) {
  const FloatFormat f{3, 2};
  const Kernel whole = form_of(f, Op::FMulAdd, /*fused=*/true);
  const Counts before = exhaust(whole, f, Op::FMulAdd);
  for (const Value v : deciding(whole, f, Op::FMulAdd)) {
    Kernel changed = whole;
    changed.insts[index(v)] = {.kind = InstKind::Const, .type = spec::DataType::U32, .imm = 0};
    const Counts after = exhaust(changed, f, Op::FMulAdd, true);
    EXPECT_TRUE(after.wrong > 0 || after.composed > before.composed) << print(whole, v);
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
