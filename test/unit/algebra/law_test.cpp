// Each law accepts an operation of which it is true and refutes one of which it is false, with the smallest
// counterexample worked out by hand.
#include "algebra/law.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "algebra/engine.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable,
            "semantics, and rows of true and of false claims, with the smallest counterexample by hand");

namespace vyre::algebra {
namespace {

using spec::DataType;
using spec::Law;
using spec::LawKind;
namespace laws = spec::laws;
using Values = std::vector<uint32_t>;

uint32_t add(uint32_t a, uint32_t b) { return a + b; }
uint32_t sub(uint32_t a, uint32_t b) { return a - b; }
uint32_t mul(uint32_t a, uint32_t b) { return a * b; }
uint32_t bit_and(uint32_t a, uint32_t b) { return a & b; }
uint32_t bit_or(uint32_t a, uint32_t b) { return a | b; }
uint32_t bit_xor(uint32_t a, uint32_t b) { return a ^ b; }
uint32_t maximum(uint32_t a, uint32_t b) { return a > b ? a : b; }
uint32_t minimum(uint32_t a, uint32_t b) { return a < b ? a : b; }
uint32_t add_sat(uint32_t a, uint32_t b) { return a + b < a ? 0xffffffff : a + b; }
uint32_t average(uint32_t a, uint32_t b) { return uint32_t((uint64_t(a) + b) / 2); }
uint32_t left(uint32_t a, uint32_t) { return a; }
uint32_t bit_not(uint32_t a) { return ~a; }
uint32_t halve(uint32_t a) { return a / 2; }
uint32_t negate(uint32_t a) { return 0u - a; }
uint32_t odd(uint32_t a) { return a & 1; }
uint32_t even(uint32_t a) { return 1 - (a & 1); }
uint32_t faulty_add(uint32_t a, uint32_t b) { return a == 0x12345 && b == 0x12346 ? 0 : a + b; }
uint32_t less(uint32_t a, uint32_t b) { return a < b; }
uint32_t greater(uint32_t a, uint32_t b) { return a > b; }
uint32_t less_signed(uint32_t a, uint32_t b) { return int32_t(a) < int32_t(b); }
uint32_t at_most(uint32_t a, uint32_t b) { return a <= b; }
uint32_t differs(uint32_t a, uint32_t b) { return a != b; }
uint32_t shift_left(uint32_t a, uint32_t b) { return a << (b & 31); }
uint32_t middle(uint32_t x, uint32_t lo, uint32_t hi) { return std::min(std::max(x, lo), hi); }

template <typename... Types>
ops::Operation make(std::string_view id, ops::Reference reference, DataType output, Types... inputs) {
  ops::Operation out;
  out.id = id;
  out.signature = {{inputs...}, output};
  out.reference = reference;
  return out;
}

constexpr DataType U = DataType::U32, I = DataType::I32, B = DataType::Bool;

const std::vector<ops::Operation>& operations() {
  static const std::vector<ops::Operation> all = {
      make("t.add", ops::reference_of<add>, U, U, U),
      make("t.sub", ops::reference_of<sub>, U, U, U),
      make("t.mul", ops::reference_of<mul>, U, U, U),
      make("t.and", ops::reference_of<bit_and>, U, U, U),
      make("t.or", ops::reference_of<bit_or>, U, U, U),
      make("t.xor", ops::reference_of<bit_xor>, U, U, U),
      make("t.max", ops::reference_of<maximum>, U, U, U),
      make("t.min", ops::reference_of<minimum>, U, U, U),
      make("t.add_sat", ops::reference_of<add_sat>, U, U, U),
      make("t.average", ops::reference_of<average>, U, U, U),
      make("t.left", ops::reference_of<left>, U, U, U),
      make("t.not", ops::reference_of<bit_not>, U, U),
      make("t.halve", ops::reference_of<halve>, U, U),
      make("t.negate", ops::reference_of<negate>, U, U),
      make("t.negate_i32", ops::reference_of<negate>, I, I),
      make("t.halve_u_of_i32", ops::reference_of<halve>, U, I),
      make("t.odd", ops::reference_of<odd>, U, U),
      make("t.even", ops::reference_of<even>, U, U),
      make("t.faulty_add", ops::reference_of<faulty_add>, U, U, U),
      make("t.middle", ops::reference_of<middle>, U, U, U, U),
      make("t.and_bool", ops::reference_of<bit_and>, B, B, B),
      make("t.xor_i32", ops::reference_of<bit_xor>, I, I, I),
      make("t.sub_i32", ops::reference_of<sub>, I, I, I),
      make("t.lt", ops::reference_of<less>, U, U, U),
      make("t.gt", ops::reference_of<greater>, U, U, U),
      make("t.lt_i32", ops::reference_of<less_signed>, U, I, I),
      make("t.le", ops::reference_of<at_most>, U, U, U),
      make("t.ne", ops::reference_of<differs>, U, U, U),
      make("t.shl", ops::reference_of<shift_left>, U, U, U),
  };
  return all;
}

const ops::Operation* find(std::string_view id, uint32_t version) {
  const auto it = std::ranges::find_if(operations(), [&](const auto& o) { return o.id == id; });
  return it == operations().end() || version != 1 ? nullptr : &*it;
}

LawVerdict check_here(const Law& law, std::string_view id,
                      EngineOptions options = {.edge256 = true, .witnessed = 20'000}) {
  SpecEvaluator evaluator;
  auto verdict = check_law(law, *find(id, 1), evaluator, options, find);
  EXPECT_TRUE(verdict.has_value());
  return *verdict;
}

/// f(a, b) = f(a, 0) + f(0, b), which calls the operation three times
template <const char* const& id>
ir::Ex is_additive(ir::FunctionBuilder& f, std::span<const ir::Ex> p) {
  const ir::Ex left = f.let("left", f.call(id, {p[0], f.u32(0)}));
  return f.call(id, {p[0], p[1]}) == left + f.call(id, {f.u32(0), p[1]});
}
constexpr const char *kAdd = "t.add", *kOr = "t.or";

struct True {
  Law law;
  const char* operation;
};
// From the mathematics of words mod 2^32.
const True kTrue[] = {
    {laws::commutative(), "t.add"},
    {laws::commutative(), "t.max"},
    {laws::commutative(), "t.average"},
    {laws::associative(), "t.xor"},
    {laws::associative(), "t.add_sat"},
    {laws::associative(), "t.left"},
    {laws::identity(0), "t.xor"},
    {laws::identity(1), "t.mul"},
    {laws::identity(0xffffffff), "t.min"},
    {laws::self_inverse(0), "t.sub"},
    {laws::self_inverse(0), "t.xor"},
    {laws::idempotent(), "t.max"},
    {laws::idempotent(), "t.left"},
    {laws::absorbing(0), "t.mul"},
    {laws::absorbing(0xffffffff), "t.add_sat"},
    {laws::involution(), "t.not"},
    {laws::involution(), "t.negate"},
    {laws::de_morgan("t.and", "t.or"), "t.not"},
    {laws::de_morgan("t.min", "t.max"), "t.not"},
    {laws::de_morgan("t.add", "t.add"), "t.negate"},
    {laws::monotone(), "t.halve"},
    {laws::bounded(0, 1), "t.odd"},
    {laws::bounded(0, 0x7fffffff), "t.halve"},
    {laws::complement("t.even", 1), "t.odd"},
    {laws::distributive_over("t.xor"), "t.and"},
    {laws::distributive_over("t.add"), "t.mul"},
    {laws::distributive_over("t.max"), "t.min"},
    {laws::commutative(), "t.and_bool"},
    {laws::associative(), "t.xor_i32"},
    {laws::projection(), "t.odd"},
    {laws::round_trip("t.negate"), "t.negate"},
    {laws::left_identity(1), "t.mul"},
    {laws::right_identity(0), "t.sub"},
    {laws::right_identity(7), "t.left"},
    {laws::left_absorbing(0), "t.shl"},
    {laws::left_absorbing(9), "t.left"},
    {laws::right_absorbing(0), "t.and"},
    {laws::inverse_of("t.sub"), "t.add"},
    {laws::inverse_of("t.xor"), "t.xor"},
    {laws::antitone(), "t.not"},
    {laws::lattice_absorption("t.or"), "t.and"},
    {laws::lattice_absorption("t.max"), "t.min"},
    {laws::trichotomy(), "t.lt"},
    {laws::trichotomy(), "t.lt_i32"},
    {laws::zero_product(), "t.or"},
    {laws::zero_product(), "t.add_sat"},
    {laws::transitive(), "t.le"},
    {laws::transitive(), "t.lt_i32"},
    {laws::converse("t.gt"), "t.lt"},
    {laws::custom("additive", 2, is_additive<kAdd>), "t.add"},
    {laws::odd("t.negate"), "t.negate"},
    {laws::even("t.negate"), "t.odd"},
};

TEST(Laws, AcceptWhatIsTrue) {
  for (const True& t : kTrue) {
    const LawVerdict verdict = check_here(t.law, t.operation);
    const std::string name = fmt::format("{} of {}", spec::to_string(t.law), t.operation);
    EXPECT_EQ(verdict.outcome, Outcome::Verified) << name << ": " << verdict.reason << verdict.grade;
    EXPECT_FALSE(verdict.counterexample.has_value()) << name;
    for (const EngineResult& engine : verdict.engines) {
      EXPECT_GT(engine.instances, 0u) << name;
      EXPECT_EQ(engine.failures, 0u) << name;
    }
  }
}

struct False {
  Law law;
  const char* operation;
  Values smallest;  // in the order: largest operand first, then left to right
};
// Worked out by hand, as the comments say.
const False kFalse[] = {
    {laws::commutative(), "t.left", {0, 1}},  // 0 against 1; (0, 0) is symmetric
    // Up to 1 every average of two averages is 0 or all are 1; then (0, 0, 2): avg(0, 2) = 1, avg(0, 1) = 0.
    {laws::associative(), "t.average", {0, 0, 2}},
    {laws::identity(1), "t.xor", {0}},                         // 0 ^ 1 = 1
    {laws::identity(0), "t.left", {1}},                        // left(0, 1) = 0; left(0, 0) = 0 is right
    {laws::self_inverse(1), "t.xor", {0}},                     // 0 ^ 0 = 0
    {laws::idempotent(), "t.mul", {2}},                        // 0 and 1 are idempotent
    {laws::absorbing(0), "t.max", {1}},                        // max(1, 0) = 1
    {laws::absorbing(5), "t.left", {0}},                       // left(0, 5) = 0
    {laws::involution(), "t.halve", {1}},                      // halve(halve(1)) = 0
    {laws::de_morgan("t.or", "t.or"), "t.not", {0, 1}},        // ~(0 | 1) = ...fe, ~0 | ~1 = ...ff
    {laws::monotone(), "t.not", {0, 1}},                       // ~0 > ~1
    {laws::bounded(1, 1), "t.odd", {0}},                       // 0 is even
    {laws::bounded(0, 99), "t.halve", {200}},                  // 199 / 2 = 99
    {laws::complement("t.odd", 0), "t.odd", {1}},              // 1 + 1
    {laws::complement("t.negate", 0xffffffff), "t.not", {1}},  // ~a + -a = -1 - 2a
    // a + b * c = (a + b) * (a + c) for a = 0 and at (1, 0, 0); at (1, 0, 1) it says 1 = 2.
    {laws::distributive_over("t.mul"), "t.add", {1, 0, 1}},
    {laws::projection(), "t.halve", {2}},                             // 2, 1, 0
    {laws::round_trip("t.negate"), "t.halve", {1}},                   // -(1 / 2) = 0
    {laws::left_identity(1), "t.left", {0}},                          // left(1, 0) = 1
    {laws::right_identity(1), "t.add", {0}},                          // 0 + 1
    {laws::left_absorbing(0), "t.sub", {1}},                          // 0 - 1
    {laws::right_absorbing(0), "t.shl", {1}},                         // 1 << 0 = 1
    {laws::inverse_of("t.mul"), "t.add", {0, 1}},                     // 0 * 1 + 1 = 1
    {laws::antitone(), "t.odd", {0, 1}},                              // 0 <= 1 but odd(1) > odd(0)
    {laws::lattice_absorption("t.add"), "t.and", {1, 1}},             // 1 & (1 + 1) = 0
    {laws::trichotomy(), "t.le", {0, 0}},                             // all three
    {laws::zero_product(), "t.sub", {1, 1}},                          // 1 - 1 = 0
    {laws::transitive(), "t.ne", {0, 1, 0}},                          // 0 != 1, 1 != 0, but 0 = 0
    {laws::converse("t.lt"), "t.lt", {0, 1}},                         // 0 < 1 is not 1 < 0
    {laws::custom("additive", 2, is_additive<kOr>), "t.or", {1, 1}},  // 1 | 1 is not 1 + 1
    {laws::odd("t.not"), "t.negate", {0}},                            // -~0 = 1, ~-0 = -1
    {laws::even("t.not"), "t.odd", {0}},                              // ~0 is odd
};

TEST(Laws, RefuteWhatIsFalseWithTheSmallestCounterexample) {
  for (const False& f : kFalse) {
    const LawVerdict verdict = check_here(f.law, f.operation);
    const std::string name = fmt::format("{} of {}", spec::to_string(f.law), f.operation);
    ASSERT_EQ(verdict.outcome, Outcome::Refuted) << name;
    EXPECT_EQ(verdict.counterexample->values, f.smallest) << name << " " << verdict.grade;
    EXPECT_TRUE(verdict.counterexample->smallest) << name;
    EXPECT_NE(verdict.grade.find("smallest"), std::string::npos) << verdict.grade;
  }
}

TEST(Laws, EveryKindIsAcceptedAndRefutedAbove) {
  VYRE_ORACLE(Property, "the ledger; a law kind that no test accepts or none refutes would be unguarded");
  for (const spec::LawInfo& info : spec::kLaws) {
    EXPECT_TRUE(std::ranges::any_of(kTrue, [&](const True& t) { return t.law.kind == info.kind; }))
        << info.name;
    EXPECT_TRUE(std::ranges::any_of(kFalse, [&](const False& f) { return f.law.kind == info.kind; }))
        << info.name;
  }
}

/// The same functions, but nothing is taken for granted of them.
class Suspect final : public Evaluator {
 public:
  std::string subject() const override { return "suspect"; }
  size_t slice() const override { return 5000; }
  Result<void> apply(const ops::Operation& operation, std::span<const uint32_t* const> inputs, uint32_t* out,
                     size_t n) override {
    return SpecEvaluator().apply(operation, inputs, out, n);
  }
};

// The one that leaves out what recurs must count the same failures.
TEST(Laws, LeavingOutWhatRecursChangesNothing) {
  VYRE_ORACLE(Property, "the sweep that applies everything at every instance");
  for (const False& f : kFalse) {
    Suspect suspect;
    const EngineOptions options{.edge256 = true, .witnessed = 10'000};
    const auto plain = check_law(f.law, *find(f.operation, 1), suspect, options, find);
    ASSERT_TRUE(plain.has_value());
    const LawVerdict quick = check_here(f.law, f.operation, options);
    ASSERT_EQ(plain->engines.size(), quick.engines.size());
    for (size_t e = 0; e < quick.engines.size(); ++e) {
      EXPECT_EQ(plain->engines[e].instances, quick.engines[e].instances);
      EXPECT_EQ(plain->engines[e].failures, quick.engines[e].failures) << spec::to_string(f.law);
      EXPECT_EQ(plain->engines[e].first, quick.engines[e].first) << spec::to_string(f.law);
    }
  }
}

TEST(Laws, IdentityAndAbsorbingAreTwoSided) {
  // Semantics: two-sided identity and absorption. left(a, e) = a always, left(e, a) = a only for a = e.
  const LawVerdict verdict = check_here(laws::identity(0), "t.left");
  EXPECT_EQ(verdict.outcome, Outcome::Refuted);
  EXPECT_EQ(verdict.engines[0].failures, 255u);
}

TEST(Laws, MonotoneUsesTheOrderOfTheType) {
  VYRE_ORACLE(Law, "two's complement: -a is an involution, and decreasing except at MIN, where -MIN = MIN");
  // i32: halve as unsigned of negative words is large: f(-1) = 7fffffff > f(0) = 0 although -1 < 0.
  const LawVerdict verdict = check_here(laws::monotone(), "t.halve_u_of_i32");
  EXPECT_EQ(verdict.outcome, Outcome::Refuted);
  // The same function on u32 is monotone.
  EXPECT_EQ(check_here(laws::monotone(), "t.halve").outcome, Outcome::Verified);
  // Signed negation: 0 <= 1 but -0 > -1 as i32.
  const LawVerdict negation = check_here(laws::monotone(), "t.negate_i32");
  ASSERT_EQ(negation.outcome, Outcome::Refuted);
  EXPECT_EQ(negation.counterexample->values, (Values{0, 1}));
}

TEST(Laws, WhatDoesNotFitIsNotApplicable) {
  for (const auto& [law, id] : std::vector<std::pair<Law, const char*>>{
           {laws::commutative(), "t.not"},                   // one operand
           {laws::involution(), "t.add"},                    // two
           {laws::involution(), "t.halve_u_of_i32"},         // f(f(a)) is ill-typed
           {laws::monotone(), "t.middle"},                   // three
           {laws::de_morgan("t.and", "t.none"), "t.not"},    // unknown operation
           {laws::de_morgan("t.and", "t.not"), "t.not"},     // dual of one operand
           {laws::distributive_over("t.xor_i32"), "t.and"},  // another type
           {laws::complement("t.add", 0), "t.not"},          // another arity
           {laws::bounded(0, 1), "t.and_bool"},              // bool has no order
           {laws::complement("t.even@2", 1), "t.odd"},       // no such version
       }) {
    const LawVerdict verdict = check_here(law, id);
    EXPECT_EQ(verdict.outcome, Outcome::NotApplicable) << spec::to_string(law) << " of " << id;
    EXPECT_FALSE(verdict.reason.empty());
    EXPECT_FALSE(verdict.holds());
    EXPECT_TRUE(verdict.engines.empty());
  }
}

TEST(Laws, BoundedTakesAnyArity) {
  VYRE_ORACLE(Law, "mathematics: clamp(x, lo, hi) <= hi always; three variables are swept whole");
  const LawVerdict verdict =
      check_here(laws::bounded(0, 0xffffffff), "t.middle", {.edge256 = false, .witnessed = 0});
  EXPECT_EQ(verdict.outcome, Outcome::Verified);
  EXPECT_EQ(verdict.engines[0].instances, uint64_t{1} << 24);
}

}  // namespace
}  // namespace vyre::algebra
