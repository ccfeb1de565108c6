// Engines on a backend that knows nothing of them: what the interface does by the backend's other calls.
#include "../engine_by_hand.h"
#include "oracle.h"
#include "text/text.h"

VYRE_ORACLE(SpecificationTable, "backend.h, \"Command\"; what an engine does, by hand");

namespace vyre::backend {
namespace {

class Engine : public testing::Test {
 protected:
  void SetUp() override {
    auto checked = check::check(*text::parse(test::kAddOne), spec::OpTable{});
    ASSERT_TRUE(checked);
    pipeline_ = std::move(*backend_->compile(*checked));
    engine_.emplace(*backend_, *pipeline_);
  }
  std::unique_ptr<Backend> backend_ = make_reference();
  std::unique_ptr<Pipeline> pipeline_;
  std::optional<test::EngineByHand> engine_;
};

TEST_F(Engine, RunsWithRepeatsInRepeats) { engine_->judge(*backend_); }

TEST_F(Engine, RunsCommandByCommand) {
  using test::EngineByHand;
  std::vector<size_t> seen;
  std::array<Taken, 2> taken = {};
  const auto commands = engine_->commands(true);
  const auto recorded = record_stepwise(*backend_, commands, [&](size_t command, double) -> Result<void> {
    seen.push_back(command);
    return {};
  });
  ASSERT_TRUE(recorded);
  engine_->set(EngineByHand::kZ, 0);
  ASSERT_TRUE((*recorded)->run(taken, 1'000));
  EXPECT_EQ(engine_->get(EngineByHand::kX), 20u);
  EngineByHand::expect(taken[0], 1, 0);
  EngineByHand::expect(taken[1], 10, 1);
  ASSERT_EQ(seen.size(), 1u + 10 * 2);
  for (size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], i == 0 ? 0 : 3 + (i - 1) % 2);

  // An error of the one that watches is that of the run, which ends there.
  const auto stopped = record_stepwise(*backend_, commands, [&](size_t command, double) -> Result<void> {
    if (command != 3) return {};
    return std::unexpected(make_diag(DiagCode::B011, Span::none(), "seen enough", ""));
  });
  ASSERT_TRUE(stopped);
  const auto ended = (*stopped)->run(taken, 1'000);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, DiagCode::B011);
  EXPECT_EQ(engine_->get(EngineByHand::kX), 0u);
  EXPECT_EQ(engine_->get(EngineByHand::kY), 1u);
}

}  // namespace
}  // namespace vyre::backend
