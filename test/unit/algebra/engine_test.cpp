#include "algebra/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "algebra/planted_law.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable,
            "semantics, engine.h, mathematics and counting; what was planted, so known by construction");

namespace vyre::algebra {
namespace {

using spec::DataType;
namespace laws = spec::laws;
using Values = std::vector<uint32_t>;

uint32_t add(uint32_t a, uint32_t b) { return a + b; }
/// Wrong for one pair of full-width words that u8 does not have.
uint32_t wide_fault(uint32_t a, uint32_t b) { return a == 0x10000 && b == 0xffff ? 0 : a + b; }
/// Wrong wherever both words are large.
uint32_t large_fault(uint32_t a, uint32_t b) { return a >= 300 && b > a ? a : a + b; }

ops::Operation binary(ops::Reference reference) {
  ops::Operation out;
  out.id = "t.binary";
  out.signature = {{DataType::U32, DataType::U32}, DataType::U32};
  out.reference = reference;
  return out;
}

TEST(Engines, RunWhatTheySay) {
  SpecEvaluator evaluator;
  const ops::Operation op = binary(ops::reference_of<add>);
  std::atomic<uint64_t> seen = 0;
  EngineOptions options{.witnessed = 1'000'003, .seed = 7};
  options.progress = [&](uint64_t n) { seen += n; };
  const auto verdict = check_law(laws::commutative(), op, evaluator, options);
  ASSERT_TRUE(verdict.has_value());
  ASSERT_EQ(verdict->engines.size(), 3u);
  EXPECT_EQ(verdict->engines[0].instances, 65'536u);
  EXPECT_EQ(verdict->engines[1].instances, 65'536u);
  EXPECT_EQ(verdict->engines[2].instances, 1'000'003u);
  EXPECT_EQ(seen, 65'536u * 2 + 1'000'003u);
  EXPECT_TRUE(verdict->holds());
  EXPECT_TRUE(verdict->combined());
  EXPECT_EQ(verdict->grade, "exhausted(u8^2) exhausted(edge256^2) witnessed(1000003, seed 7)");
  EXPECT_EQ(verdict->subject, "spec");
  EXPECT_EQ(verdict->operation, "t.binary@1");
}

TEST(Engines, NoCaseRunIsNoVerdict) {
  SpecEvaluator evaluator;
  const ops::Operation op = binary(ops::reference_of<add>);
  const auto nothing = check_law(laws::commutative(), op, evaluator,
                                 {.exhaustive_u8 = false, .edge256 = false, .witnessed = 0});
  ASSERT_TRUE(nothing.has_value());
  EXPECT_EQ(nothing->outcome, Outcome::NotVerified);
  EXPECT_FALSE(nothing->holds());
  EXPECT_FALSE(nothing->reason.empty());

  const std::atomic<bool> stop = true;
  EngineOptions stopped;
  stopped.stop = &stop;
  const auto cut = check_law(laws::commutative(), op, evaluator, stopped);
  ASSERT_TRUE(cut.has_value());
  EXPECT_EQ(cut->outcome, Outcome::NotVerified);
  EXPECT_FALSE(cut->combined());
}

TEST(Engines, Edge256FindsWhatU8Cannot) {
  // The fault itself: 65536 and 65535 are both among the 256 structured values, so edge256 finds what u8
  // cannot, and there is no smaller pair to shrink to than the two orders of it.
  SpecEvaluator evaluator;
  const auto verdict =
      check_law(laws::commutative(), binary(ops::reference_of<wide_fault>), evaluator, {.witnessed = 1000});
  ASSERT_TRUE(verdict.has_value());
  EXPECT_EQ(verdict->outcome, Outcome::Refuted);
  EXPECT_EQ(verdict->engines[0].failures, 0u);
  EXPECT_EQ(verdict->engines[1].failures, 2u);
  ASSERT_TRUE(verdict->counterexample.has_value());
  EXPECT_EQ(verdict->counterexample->values, (Values{0xffff, 0x10000}));
  EXPECT_FALSE(verdict->counterexample->smallest);
  EXPECT_EQ(verdict->grade, "refuted(a=65535, b=0x00010000; shrunk)");
}

TEST(Engines, SampledCounterexamplesAreShrunk) {
  // f(a, b) differs from f(b, a) where the lesser is at least 300 and they differ, so the smallest failing
  // pair is (300, 301); descent must come down to it from wherever sampling began.
  SpecEvaluator evaluator;
  const auto verdict = check_law(laws::commutative(), binary(ops::reference_of<large_fault>), evaluator,
                                 {.edge256 = false, .witnessed = 1000});
  ASSERT_TRUE(verdict.has_value());
  ASSERT_EQ(verdict->outcome, Outcome::Refuted);
  EXPECT_EQ(verdict->counterexample->values, (Values{300, 301}));
  EXPECT_FALSE(verdict->counterexample->smallest);
}

TEST(PlantedLaws, AreAllCaughtBySpecAndComposition) {
  SpecEvaluator spec_evaluator;
  const auto verdicts =
      check_planted_laws(spec_evaluator, integer_planted_laws());  // float_laws_test.cpp has the others
  ASSERT_TRUE(verdicts.has_value());
  ASSERT_EQ(verdicts->size(), spec::kLaws.size());
  for (size_t i = 0; i < verdicts->size(); ++i) {
    const PlantedVerdict& v = (*verdicts)[i];
    EXPECT_EQ(v.planted->law.kind, spec::kLaws[i].kind);
    EXPECT_TRUE(v.caught) << spec::to_string(v.planted->law) << " of " << v.planted->operation->id << ": "
                          << v.verdict.grade << v.verdict.reason;
  }
}

uint32_t same_but_300(uint32_t a) { return a == 300 || a == 70000 ? 0 : a; }
uint32_t same_but_minus_300(uint32_t a) { return a == 0u - 300 ? 0 : a; }

TEST(Engines, U16SeesWhatU8DoesNot) {
  // The operation is wrong at 300 alone, and at -300.
  SpecEvaluator evaluator;
  EngineOptions options;
  options.exhaustive_u16 = 1;
  options.edge256 = false;
  options.witnessed = 0;
  ops::Operation operation;
  operation.id = "test.same";
  operation.signature = ops::words(1);
  operation.reference = ops::reference_of<same_but_300>;
  const auto of_words = check_law(laws::involution(), operation, evaluator, options);
  ASSERT_TRUE(of_words.has_value());
  ASSERT_EQ(of_words->outcome, Outcome::Refuted);
  EXPECT_EQ(of_words->engines[0].failures, 0u);
  EXPECT_EQ(of_words->engines[1].engine, Engine::ExhaustiveU16);
  EXPECT_EQ(of_words->engines[1].instances, 65536u);
  EXPECT_EQ(of_words->engines[1].failures, 1u);
  EXPECT_EQ(of_words->grade, "refuted(a=300; smallest)");
  operation.signature = {{spec::DataType::I32}, spec::DataType::I32};
  operation.reference = ops::reference_of<same_but_minus_300>;
  const auto of_numbers = check_law(laws::involution(), operation, evaluator, options);
  ASSERT_TRUE(of_numbers.has_value());
  ASSERT_EQ(of_numbers->outcome, Outcome::Refuted);
  EXPECT_EQ(of_numbers->engines[1].first, std::vector<uint32_t>{0u - 300});
  // A law that holds says how far it was run; one of two variables is not run on 2^32 pairs unasked.
  const ops::Operation& negate = *find_planted_operation("twin.negate", 1);
  const auto holds = check_law(laws::involution(), negate, evaluator, options, find_planted_operation);
  ASSERT_TRUE(holds.has_value());
  EXPECT_EQ(holds->grade, "exhausted(u8) exhausted(u16)");
  const auto pairs = check_law(laws::commutative(), *find_planted_operation("twin.add", 1), evaluator,
                               options, find_planted_operation);
  ASSERT_TRUE(pairs.has_value());
  EXPECT_EQ(pairs->engines.size(), 1u);
}

/// Gives every instance one verdict, whatever it is, as a broken or folded-away checker would.
class Liar final : public Evaluator {
 public:
  explicit Liar(bool writes) : writes_(writes) {}
  std::string subject() const override { return "liar"; }
  Result<void> apply(const ops::Operation&, std::span<const uint32_t* const>, uint32_t* out,
                     size_t n) override {
    if (writes_) std::fill_n(out, n, 0u);
    return {};
  }

 private:
  bool writes_;
};

// A subject that gives zero satisfies many laws, one that writes nothing satisfies none; the planted-false
// laws catch both.
TEST(PlantedLaws, ABrokenSubjectIsNotBelieved) {
  Liar zero(true), idle(false);
  for (Liar* liar : {&zero, &idle}) {
    const auto verdicts = check_planted_laws(*liar);
    ASSERT_TRUE(verdicts.has_value());
    EXPECT_TRUE(std::ranges::any_of(*verdicts, [](const PlantedVerdict& v) { return !v.caught; }));
  }
  const auto idle_verdict = check_law(laws::commutative(), binary(ops::reference_of<add>), idle,
                                      {.edge256 = false, .witnessed = 0});
  ASSERT_TRUE(idle_verdict.has_value());
  EXPECT_EQ(idle_verdict->outcome, Outcome::Refuted);
}

/// Fails after a few slices, as a lost device does.
class Lost final : public Evaluator {
 public:
  std::string subject() const override { return "lost"; }
  Result<void> apply(const ops::Operation& operation, std::span<const uint32_t* const> inputs, uint32_t* out,
                     size_t n) override {
    if (++calls_ > 5) return std::unexpected(make_diag(DiagCode::B001, Span::none(), "the device is gone"));
    return SpecEvaluator().apply(operation, inputs, out, n);
  }

 private:
  int calls_ = 0;
};

TEST(Engines, AnEvaluatorsErrorIsNoVerdict) {
  Lost lost;
  const auto verdict = check_law(laws::commutative(), binary(ops::reference_of<add>), lost, {});
  ASSERT_FALSE(verdict.has_value());
  EXPECT_EQ(verdict.error().code, DiagCode::B001);
}

TEST(Denials, AreCheckedAtTheirWitness) {
  // Mathematics: 1 - 0 is not 0 - 1; 5 - 5 = 5 - 5.
  SpecEvaluator evaluator;
  const ops::Operation& sub = *find_planted_operation("twin.sub", 1);
  const auto right = check_denial({laws::commutative(), {1, 0}}, sub, evaluator);
  ASSERT_TRUE(right.has_value());
  EXPECT_TRUE(right->confirmed());
  EXPECT_EQ(right->grade, "refuted(a=1, b=0)");
  const auto wrong = check_denial({laws::commutative(), {5, 5}}, sub, evaluator);
  ASSERT_TRUE(wrong.has_value());
  EXPECT_FALSE(wrong->confirmed());
  EXPECT_EQ(wrong->outcome, Outcome::Verified);
  const auto misfit = check_denial({laws::commutative(), {5}}, sub, evaluator);
  ASSERT_TRUE(misfit.has_value());
  EXPECT_EQ(misfit->outcome, Outcome::NotVerified);
  const auto ill = check_denial({laws::involution(), {5}}, sub, evaluator);
  ASSERT_TRUE(ill.has_value());
  EXPECT_EQ(ill->outcome, Outcome::NotApplicable);
}

TEST(Composition, GivesWhatTheReferenceGives) {
  VYRE_ORACLE(CpuReference,
              "the reference functions of the planted laws, which are written apart from their compositions");
  SpecEvaluator spec_evaluator;
  CompositionEvaluator composition(planted_table());
  const std::vector<uint32_t> a = {0, 1, 5, 0xffffffff, 0x80000000}, b = {0, 3, 2, 0xffffffff, 1};
  const uint32_t* columns[] = {a.data(), b.data()};
  for (const ops::Operation& op : planted_operations()) {
    const auto inputs = std::span(columns).first(op.signature.inputs.size());
    std::vector<uint32_t> want(a.size(), 77), got(a.size(), 99);
    ASSERT_TRUE(spec_evaluator.apply(op, inputs, want.data(), want.size()).has_value());
    const auto applied = composition.apply(op, inputs, got.data(), got.size());
    ASSERT_TRUE(applied.has_value()) << applied.error().message;
    EXPECT_EQ(want, got) << op.id;
  }
}

}  // namespace
}  // namespace vyre::algebra
