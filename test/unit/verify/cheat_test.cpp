// Backends that are right only where they think that they are watched.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "base/bytes.h"
#include "oracle.h"
#include "verify/guard_words.h"
#include "verify/operation.h"

VYRE_ORACLE(SpecificationTable,
            "by hand: elementwise.h, parity.cpp and guard_words.h; a backend that is never wrong");

namespace vyre::verify {
namespace {

/// Whether a dispatch is one of a harness, from what is in the memory of its results before.
using Looks = std::function<bool(std::span<const uint32_t>)>;

/// Native, but the first result is wrong in dispatches that do not look like a harness's.
class Cheat final : public backend::Backend {
 public:
  explicit Cheat(Looks looks) : looks_(std::move(looks)) {}
  backend::Identity identity() const override { return inner_->identity(); }
  backend::Limits limits() const override { return inner_->limits(); }
  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked& program) override {
    VYRE_TRY(made, inner_->compile(program));
    return std::make_unique<Cheating>(std::move(made), looks_);
  }

 private:
  class Cheating final : public backend::Pipeline {
   public:
    Cheating(std::unique_ptr<backend::Pipeline> inner, const Looks& looks)
        : inner_(std::move(inner)), looks_(looks) {}
    Result<void> dispatch(std::span<const std::span<std::byte>> host, layout::Groups groups) override {
      const bool watched = looks_(to_words(host.back()));
      VYRE_CHECK(inner_->dispatch(host, groups));
      if (!watched) host.back()[0] ^= std::byte(1);
      return {};
    }

   private:
    const std::unique_ptr<backend::Pipeline> inner_;
    const Looks& looks_;
  };

  const Looks looks_;
  const std::unique_ptr<backend::Backend> inner_ = backend::make_reference();
};

Verdict judged(Looks looks) {
  Cheat cheat(std::move(looks));
  OperationPlan plan = operation_plan(Strength::Quick);
  plan.parity_cases = 2000;
  plan.strategy_cap = 200;
  plan.repeated_evaluations = 8000;
  plan.laws = false;
  plan.swept = plan.values = 0;
  return check_operation(cheat, *ops::find_operation("primitive.bitwise.rotl"), plan, 1, {});
}

// Behind the results stand words of their own, as guard words would.
bool has_canaries(std::span<const uint32_t> before) {
  const auto tail = before.last(std::min(before.size(), kGuardWords));
  return std::ranges::any_of(tail, [&](uint32_t word) { return word != before.front(); });
}
bool has_poison(std::span<const uint32_t> before) {
  return std::ranges::any_of(before, [](uint32_t word) { return word != 0; });
}

TEST(Cheats, AnHonestBackendPasses) {
  const Verdict verdict = judged([](auto) { return true; });
  EXPECT_EQ(verdict.failure_count, 0u);
  EXPECT_GT(verdict.dispatches, 0u);
  // Answers that are zero are written over zero all the same.
  EXPECT_EQ(verdict.determinism.completed, verdict.determinism.planned);
}

TEST(Cheats, RightOnlyBesideCanariesIsRefused) {
  // elementwise.h: canaries look like elements that are not written yet.
  EXPECT_GT(judged(has_canaries).failure_count, 0u);
}

TEST(Cheats, RightOnlyOverPoisonIsRefused) {
  // parity.cpp: one repetition in four finds its results zero.
  EXPECT_GT(judged(has_poison).failure_count, 0u);
}

TEST(GuardWords, AreSeenWhenOverwritten) {
  Bytes memory(kGuardBytes + 1);
  put_guard(memory.data() + 1, 5);
  EXPECT_EQ(broken_guard(memory.data() + 1, 5), 0u);
  EXPECT_GT(broken_guard(memory.data() + 1, 6), 0u);
  memory[17] ^= std::byte(1);
  EXPECT_EQ(broken_guard(memory.data() + 1, 5), 1u);
}

}  // namespace
}  // namespace vyre::verify
