// Deterministic under load: backends that are right for one run after the other, and wrong only where runs
// meet.
#include <gtest/gtest.h>

#include <atomic>
#include <deque>

#include "backend/native/native.h"
#include "oracle.h"
#include "verify/engine.h"

VYRE_ORACLE(Property,
            "a backend that is right alone and wrong beside others breaks Deterministic and nothing else");

namespace vyre::verify {
namespace {

using backend::Command;

enum class Fault : uint8_t { None, SharedScratch, SlipsUnderLoad };

/// The native backend, but for what happens where runs meet.
class Meeting final : public backend::Backend {
 public:
  explicit Meeting(Fault fault) : fault_(fault) {}
  backend::Identity identity() const override { return right_->identity(); }
  backend::Limits limits() const override { return right_->limits(); }
  bool has(spec::Intrinsic intrinsic) const override { return right_->has(intrinsic); }
  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked& program) override {
    return right_->compile(program);
  }
  Result<std::unique_ptr<backend::DeviceBuffer>> allocate(uint64_t bytes) override {
    return right_->allocate(bytes);
  }
  Result<void> dispatch_engine(std::span<const Command> commands, std::span<backend::Taken> taken,
                               uint64_t statements) override {
    return run(commands, [&](std::span<const Command> made) {
      return right_->dispatch_engine(made, taken, statements);
    });
  }
  Result<std::unique_ptr<backend::Recording>> record(std::span<const Command> commands) override {
    // What was recorded is not slowed down by a look at who else is there: so each run is made anew.
    return std::make_unique<Again>(*this, commands);
  }

 private:
  class Again final : public backend::Recording {
   public:
    Again(Meeting& of, std::span<const Command> commands)
        : of_(of), commands_(commands.begin(), commands.end()) {
      for (Command& command : commands_) {
        ranges_.emplace_back(command.step.ranges.begin(), command.step.ranges.end());
        command.step.ranges = ranges_.back();
      }
    }
    Result<void> run(std::span<backend::Taken> taken, uint64_t statements) override {
      return of_.dispatch_engine(commands_, taken, statements);
    }

   private:
    Meeting& of_;
    std::vector<Command> commands_;
    std::deque<std::vector<backend::DeviceRange>> ranges_;
  };

  template <typename Do>
  Result<void> run(std::span<const Command> commands, const Do& what) {
    std::vector<Command> made(commands.begin(), commands.end());
    const bool has_lanes = commands.front().kind == Command::Kind::Lane;
    // Lanes behind the first find what the scratch of runs before had.
    if (fault_ == Fault::SharedScratch && has_lanes)
      for (size_t i = made.front().count + 1; i < made.size(); ++i)
        if (made[i].kind == Command::Kind::Zero) made[i].range.bytes = 0;
    const bool meets = running_.fetch_add(1) != 0;
    // The last dispatch is not made while another engine is under way.
    if (fault_ == Fault::SlipsUnderLoad && meets && !has_lanes) made.pop_back();
    const auto out = what(std::span<const Command>(made));
    running_.fetch_sub(1);
    return out;
  }

  const Fault fault_;
  const std::unique_ptr<backend::Backend> right_ =
      backend::make_native({.optimisation = 0, .threads = 1}).value();
  std::atomic<int> running_ = 0;
};

/// What breaks the promise in some cases.
std::optional<Violation> found(Fault fault, library::Invariant invariant, std::string_view id) {
  Meeting backend(fault);
  auto judge = EngineJudge::make(backend, model_of(*library::find_engine(id)));
  EXPECT_TRUE(judge) << judge.error().message;
  for (uint64_t number = 0; number < 6; ++number) {
    const auto violation = judge->judge(invariant, judge->make_case(invariant, 1, number), false);
    EXPECT_TRUE(violation) << violation.error().message;
    if (violation && *violation) return **violation;
  }
  return std::nullopt;
}

constexpr std::string_view kEngine = "engine.prefix";

TEST(UnderLoad, NothingIsFoundWhereNothingIsWrong) {
  EXPECT_FALSE(found(Fault::None, library::Invariant::Deterministic, kEngine));
}
TEST(UnderLoad, ScratchThatIsNotZeroBesideOthers) {
  EXPECT_FALSE(found(Fault::SharedScratch, library::Invariant::NoOutputLost, kEngine));
  const auto violation = found(Fault::SharedScratch, library::Invariant::Deterministic, kEngine);
  ASSERT_TRUE(violation);
  EXPECT_TRUE(violation->what.starts_with("a run submitted with others")) << violation->what;
}
TEST(UnderLoad, ADispatchThatIsLeftOutWhileAnotherThreadRuns) {
  EXPECT_FALSE(found(Fault::SlipsUnderLoad, library::Invariant::NoOutputLost, kEngine));
  const auto violation = found(Fault::SlipsUnderLoad, library::Invariant::Deterministic, kEngine);
  ASSERT_TRUE(violation);
  EXPECT_TRUE(violation->what.starts_with("a run beside what another thread runs")) << violation->what;
}

}  // namespace
}  // namespace vyre::verify
