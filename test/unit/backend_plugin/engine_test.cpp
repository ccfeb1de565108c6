// Whole engines on a plugin: in one call where its table has one for them, by the other calls where it is
// older or has none.
#include <gmock/gmock.h>

#include "../engine_by_hand.h"
#include "oracle.h"
#include "support.h"

VYRE_ORACLE(SpecificationTable,
            "include/vyre/backend.h, \"dispatch_engine\"; what an engine does, by hand; which tables "
            "plugins/ has");

namespace vyre::backend {
namespace {

using testing::HasSubstr;
using vyre::test::EngineByHand;

std::unique_ptr<Backend> opened(const std::string& spec) {
  auto out = open_plugin(spec);
  EXPECT_TRUE(out) << test::diagnosis(out.error());
  return std::move(out).value();
}
std::unique_ptr<Pipeline> add_one(Backend& backend) {
  return std::move(*backend.compile(test::checked(vyre::test::kAddOne)));
}

TEST(Engine, IsOneCall) {
  Log& log = test::log_of("good");
  const auto backend = opened(test::path_of("good"));
  const auto pipeline = add_one(*backend);
  EngineByHand engine(*backend, *pipeline);
  const int engines = log.engines, dispatches = log.dispatches, fills = log.fills;
  engine.judge(*backend);
  EXPECT_EQ(log.engines - engines, 7);
  EXPECT_EQ(log.dispatches, dispatches);
  EXPECT_EQ(log.fills, fills);

  std::array<Taken, 2> taken = {};
  auto commands = engine.commands(true);
  commands[2].looks = false;
  ASSERT_TRUE(backend->dispatch_engine(commands, taken, 1'000));
  ASSERT_EQ(log.commands.size(), 5u);
  const vyre_plugin_command &outer = log.commands[1], &inner = log.commands[2];
  EXPECT_EQ(log.commands[0].kind, uint32_t{VYRE_PLUGIN_COMMAND_ZERO});
  EXPECT_EQ(outer.kind, uint32_t{VYRE_PLUGIN_COMMAND_REPEAT});
  EXPECT_EQ(outer.count, 3u);
  EXPECT_EQ(outer.turns, 3u);
  EXPECT_EQ(outer.word, 0u);
  EXPECT_EQ(outer.statements, 5u);
  EXPECT_EQ(inner.count, 2u);
  EXPECT_EQ(inner.word, VYRE_PLUGIN_NO_WORD);
  EXPECT_EQ(log.commands[3].kind, uint32_t{VYRE_PLUGIN_COMMAND_DISPATCH});
  EXPECT_EQ(log.commands[3].range_count, 2u);
  EXPECT_EQ(log.commands[3].groups[0], 1u);
}

TEST(Engine, OfAPluginWithoutThemIsItsOtherCalls) {
  for (const char* variant : {"first_table", "second_table", "no_engines"}) {
    const auto backend = opened(test::path_of(variant));
    const auto pipeline = add_one(*backend);
    EngineByHand engine(*backend, *pipeline);
    engine.judge(*backend);
    EXPECT_EQ(test::log_of(variant).engines, 0) << variant;
    // Two a turn of the inner repeat: 30, 22, 2, 2, 5 and 1, and in lanes 30 and 22.
    EXPECT_EQ(test::log_of(variant).dispatches, 2 * 114) << variant;
  }
}

TEST(Engine, WrongAnswersAreFound) {
  for (const auto& [mode, message] : std::initializer_list<std::pair<std::string, const char*>>{
           {"no turns", "counts turns"},
           {"too many turns", "counts turns"},
           {"too often unfinished", "counts turns"},
           {"dispatch_engine=5", "as was asked for"}}) {
    const auto backend = opened(test::path_of("good") + "?" + mode);
    const auto pipeline = add_one(*backend);
    EngineByHand engine(*backend, *pipeline);
    engine.set(EngineByHand::kZ, 0);
    std::array<Taken, 2> taken = {};
    const auto ran = backend->dispatch_engine(engine.commands(true), taken, 1'000);
    ASSERT_FALSE(ran) << mode;
    EXPECT_EQ(ran.error().code, DiagCode::B012) << mode;
    EXPECT_THAT(ran.error().message, HasSubstr(message)) << mode;
  }
}

TEST(Engine, OfAnotherBackendIsRefused) {
  const auto backend = opened(test::path_of("good")), other = opened(test::path_of("good"));
  const auto pipeline = add_one(*backend), foreign = add_one(*other);
  EngineByHand engine(*backend, *pipeline);
  const EngineByHand elsewhere(*other, *pipeline), mixed(*backend, *foreign);
  EXPECT_TRUE(backend->record(engine.commands(true)));
  for (const auto& commands : {elsewhere.commands(true), mixed.commands(false)}) {
    const auto recorded = backend->record(commands);
    ASSERT_FALSE(recorded);
    EXPECT_EQ(recorded.error().code, DiagCode::B012);
  }
}

}  // namespace
}  // namespace vyre::backend
