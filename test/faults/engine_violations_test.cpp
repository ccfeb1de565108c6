// Engines that break one promise each: it is that promise, and no other, that does not hold of them, and the
// stage that broke it is named.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "backend/native/native.h"
#include "oracle.h"
#include "verify/engine.h"
#include "verify/section.h"

VYRE_ORACLE(Property, "vyre-conform-spec, \"Engine\": a right text with an edit that breaks one promise");

namespace vyre::verify {
namespace {

using library::Invariant;

struct Edit {
  std::string_view from, to;
};
struct PlantedViolation {
  Invariant invariant;
  std::string_view engine, name;
  std::vector<Edit> edits;
};

const std::vector<PlantedViolation>& violations() {
  using enum Invariant;
  static const std::vector<PlantedViolation> all = {
#define VYRE_VIOLATION(invariant, engine, name, ...) {invariant, engine, name, {__VA_ARGS__}},
#include "engine_violations.def"
#undef VYRE_VIOLATION
  };
  return all;
}

constexpr uint64_t kCases = 24;

/// One thread, so that who comes first is the same in each run, and code that is made fast.
Result<std::unique_ptr<backend::Backend>> make_backend() {
  return backend::make_native({.optimisation = 0, .threads = 1});
}

/// What the first case that breaks the promise shows; Deterministic is held to schedules in so many cases.
std::optional<Violation> broken_by(EngineJudge& judge, Invariant invariant, uint64_t scheduled) {
  for (uint64_t number = 0; number < kCases; ++number) {
    const bool thorough = invariant == Invariant::Deterministic && number < scheduled;
    const auto size = thorough ? std::optional(uint32_t(11 - 3 * number)) : std::nullopt;
    auto found = judge.judge(invariant, judge.make_case(invariant, 1, number, size), thorough);
    EXPECT_TRUE(found.has_value()) << text_of(found.error());
    if (!found || *found) return found ? *found : std::nullopt;
  }
  return std::nullopt;
}

class EngineViolation : public testing::TestWithParam<PlantedViolation> {};

// covers: LV-09
TEST_P(EngineViolation, IsCaughtByItsInvariantAlone) {
  const PlantedViolation& planted = GetParam();
  EngineModel model = model_of(*library::find_engine(planted.engine));
  for (const Edit& edit : planted.edits) {
    const size_t at = model.text.find(edit.from);
    ASSERT_NE(at, std::string::npos) << edit.from;
    ASSERT_EQ(model.text.find(edit.from, at + 1), std::string::npos) << "twice: " << edit.from;
    model.text.replace(at, edit.from.size(), edit.to);
  }
  const auto backend = make_backend().value();
  auto judge = EngineJudge::make(*backend, model);
  ASSERT_TRUE(judge.has_value()) << text_of(judge.error());
  ASSERT_TRUE(model.promises.has(planted.invariant));
  for (const Invariant invariant : library::kInvariants) {
    if (!model.promises.has(invariant)) continue;
    const auto violation = broken_by(*judge, invariant, invariant == planted.invariant ? 4 : 1);
    EXPECT_EQ(violation.has_value(), invariant == planted.invariant)
        << library::text(invariant) << ": " << (violation ? violation->what : "it holds");
    // The length of scratch is no dispatch's doing.
    if (violation && !violation->what.contains("scratch"))
      EXPECT_FALSE(violation->stage.empty()) << violation->what;
    if (violation) fmt::print("{}: {} ({})\n", library::text(invariant), violation->what, violation->stage);
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EngineViolation);
INSTANTIATE_TEST_SUITE_P(All, EngineViolation, testing::ValuesIn(violations()), [](const auto& info) {
  const std::string_view engine = info.param.engine.substr(info.param.engine.find('.') + 1);
  return fmt::format("{}_{}_{}", library::text(info.param.invariant), engine, info.param.name);
});

/// What is not edited keeps all of its promises.
TEST(EngineViolations, AreNotOfTheLibrary) {
  const auto backend = make_backend().value();
  for (const library::Engine& engine : library::engines()) {
    auto judge = EngineJudge::make(*backend, model_of(engine));
    ASSERT_TRUE(judge.has_value()) << engine.id << ": " << text_of(judge.error());
    for (const Invariant invariant : library::kInvariants) {
      if (!engine.promises.has(invariant)) continue;
      const auto violation = broken_by(*judge, invariant, 1);
      EXPECT_FALSE(violation.has_value()) << engine.id << ", " << library::text(invariant) << ": "
                                          << violation->what << " (" << violation->stage << ")";
    }
  }
}

/// What an engine declares to use is held to what it uses, in a case that says both numbers.
TEST(EngineViolations, ABoundThatIsTooSmallIsRefused) {
  const auto backend = backend::make_native({.optimisation = 0, .threads = 1}).value();
  const EngineModel bfs = model_of(*library::find_engine("engine.bfs"));
  const auto refused = [&](auto change, Invariant invariant, std::string_view what) {
    EngineModel model = bfs;
    change(model);
    auto judge = EngineJudge::make(*backend, model);
    ASSERT_TRUE(judge.has_value()) << text_of(judge.error());
    const auto violation = broken_by(*judge, invariant, 1);
    ASSERT_TRUE(violation.has_value()) << what;
    EXPECT_NE(violation->what.find(what), std::string::npos) << violation->what;
  };
  refused([](EngineModel& m) { m.dispatches = "3"; }, Invariant::Bounded, "dispatches, and at most 3 are");
  refused([](EngineModel& m) { m.scratch_bytes = "16"; }, Invariant::Bounded,
          "of scratch, and at most 16 are");
  refused([](EngineModel& m) { m.turns = "0"; }, Invariant::Termination,
          "turns of repeats, and at most 0 are");
}

TEST(EngineViolations, AreFiveOfEachInvariantAndEightOfEachEngine) {
  std::map<Invariant, size_t> count;
  std::map<std::string_view, size_t> of_engine;
  for (const PlantedViolation& planted : violations())
    ++count[planted.invariant], ++of_engine[planted.engine];
  for (const Invariant invariant : library::kInvariants)
    EXPECT_GE(count[invariant], 5u) << library::text(invariant);
  for (const library::Engine& engine : library::engines()) EXPECT_GE(of_engine[engine.id], 8u) << engine.id;
}

}  // namespace
}  // namespace vyre::verify
