// What a worker does wrong, and what its parent says of it; the parent goes on in every case.
#include <chrono>
#include <thread>

#include "faulty.h"
#include "oracle.h"
#include "support.h"

VYRE_ORACLE(SpecificationTable,
            "worker.h, process.h, backend.h, diag.def and signal(7); faulty.h says what each backend does");

namespace vyre::worker {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Opened {
  std::unique_ptr<backend::Backend> worker;
  std::unique_ptr<backend::Pipeline> pipeline;
};
Opened open_doubling(double dispatch_seconds = 30) {
  Options options = options_for("faulty");
  options.dispatch_seconds = dispatch_seconds;
  Opened out{open_worker(options), nullptr};
  auto pipeline = out.worker->compile(doubling());
  EXPECT_TRUE(pipeline) << pipeline.error().message;
  out.pipeline = std::move(*pipeline);
  return out;
}

/// The diagnostic of a the culprit dispatch, whose caller keeps what it put into its result; then an innocent
/// one by the same pipeline.
Diag culprit(Opened& opened, uint32_t ask) {
  const Doubled result = run_doubling(*opened.pipeline, ask);
  EXPECT_FALSE(result.outcome);
  EXPECT_EQ(result.y, std::vector<uint32_t>(100, kUntouched));
  expect_right(*opened.pipeline);
  return result.outcome ? Diag{} : result.outcome.error();
}

struct Death {
  uint32_t ask;
  const char* how;
};
class Deaths : public ::testing::TestWithParam<Death> {};

TEST_P(Deaths, AreTheErrorOfTheOneDispatch) {
  // signal(7): 11 is SIGSEGV, 6 SIGABRT; diag.def, B009.
  Opened opened = open_doubling();
  expect_right(*opened.pipeline);
  const Diag diag = culprit(opened, GetParam().ask);
  EXPECT_EQ(diag.code, DiagCode::B009);
  EXPECT_THAT(diag.message, AllOf(HasSubstr("a dispatch"), HasSubstr(GetParam().how)));
  EXPECT_FALSE(diag.help.empty());
  EXPECT_EQ(breach_of(diag), std::nullopt);
}
INSTANTIATE_TEST_SUITE_P(Worker, Deaths,
                         ::testing::Values(Death{kSegfault, "ended by signal 11 (segmentation fault)"},
                                           Death{kAbort, "ended by signal 6 (aborted)"},
                                           Death{kExit3, "exited with status 3"}));

TEST(Worker, EndsWhatHangs) {
  Opened opened = open_doubling(0.3);
  const auto begin = std::chrono::steady_clock::now();
  const Diag diag = culprit(opened, kHang);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(diag.code, DiagCode::B010);
  EXPECT_THAT(diag.message, AllOf(HasSubstr("a dispatch"), HasSubstr("0.3 s")));
  EXPECT_GE(took.count(), 0.3);
}

TEST(Worker, StartsAfreshWhenADeviceIsLost) {
  Opened opened = open_doubling();
  const Diag diag = culprit(opened, kLoseDevice);
  EXPECT_EQ(diag.code, DiagCode::B011);
  EXPECT_EQ(diag.message, "the device fell off the bus");
}

TEST(Worker, PassesOnWhatABackendRefuses) {
  Opened opened = open_doubling();
  const Diag diag = culprit(opened, kRefuse);
  EXPECT_EQ(diag.code, DiagCode::B003);
  EXPECT_EQ(diag.message, "too much for this device");
}

// Only a parent can know that its worker died.
TEST(Worker, BelievesNoWorkerThatSaysItDied) {
  Opened opened = open_doubling();
  EXPECT_EQ(breach_of(culprit(opened, kForge)), Breach::Protocol);
}

struct Stray {
  uint32_t ask;
  Breach breach;
  const char* place;
};
class StrayWrites : public ::testing::TestWithParam<Stray> {};

TEST_P(StrayWrites, AreFoundAndNothingIsCopied) {
  // faulty.h says where each writes.
  Opened opened = open_doubling();
  for (int i = 0; i < 3; ++i) {
    const Diag diag = culprit(opened, GetParam().ask);
    EXPECT_EQ(diag.code, DiagCode::B012);
    EXPECT_EQ(breach_of(diag), GetParam().breach) << diag.message;
    EXPECT_THAT(diag.message, HasSubstr(GetParam().place));
  }
}
INSTANTIATE_TEST_SUITE_P(
    Worker, StrayWrites,
    ::testing::Values(Stray{kWriteBehind, Breach::Outside, "byte 0 behind the end of buffer 1"},
                      Stray{kWriteFarBehind, Breach::Outside, "byte 1000 behind the end of buffer 1"},
                      Stray{kWriteBefore, Breach::Outside, "byte 1 before the start of buffer 1"},
                      Stray{kWriteBehindInput, Breach::ReadOnly, "byte 700 behind the end of buffer 0"},
                      Stray{kWriteInput, Breach::ReadOnly, "byte 9 of buffer 0"}));

/// drain() until it fails, since it looks for a time only: at most 10 s.
Result<void> settle_long(backend::Backend& worker) {
  for (int i = 0; i < 1000; ++i) VYRE_CHECK(worker.drain());
  return {};
}

TEST(Worker, FindsALateWriteWhenItSettles) {
  // backend.h, settle(): memory of an earlier dispatch changed after it had been answered.
  Opened opened = open_doubling();
  expect_right(*opened.pipeline);
  EXPECT_TRUE(opened.worker->drain());
  EXPECT_TRUE(run_doubling(*opened.pipeline, kWriteLate).outcome);
  const auto drained = settle_long(*opened.worker);
  ASSERT_FALSE(drained);
  EXPECT_EQ(drained.error().code, DiagCode::B012);
  EXPECT_EQ(breach_of(drained.error()), Breach::Late);
  EXPECT_THAT(drained.error().message, AllOf(HasSubstr("byte 0 of buffer 1"), HasSubstr("1 dispatch ago")));
  EXPECT_TRUE(opened.worker->drain());
  expect_right(*opened.pipeline);
}

// Without settling it is a dispatch that finds it, and that one did nothing.
TEST(Worker, FindsALateWriteBeforeItsMemoryIsUsedAgain) {
  Opened opened = open_doubling();
  // A write may hit memory that an innocent dispatch is using, which then covers it: so there are several.
  Doubled found;
  for (int attempt = 0; attempt < 40 && found.outcome; ++attempt) {
    found = run_doubling(*opened.pipeline, kWriteLate);
    for (int i = 0; i < 500 && found.outcome; ++i) found = run_doubling(*opened.pipeline, 1, 1 << 10);
  }
  ASSERT_FALSE(found.outcome);
  EXPECT_EQ(found.outcome.error().code, DiagCode::B012);
  expect_right(*opened.pipeline);
}

// The write takes some milliseconds to come, and a restart ends the process that would make it: so ever
// longer waits.
TEST(Worker, FindsALateWriteWhenItIsRenewed) {
  Opened opened = open_doubling();
  Result<void> restarted;
  for (auto wait = std::chrono::milliseconds(4); restarted && wait.count() < 10'000; wait *= 2) {
    EXPECT_TRUE(run_doubling(*opened.pipeline, kWriteLate).outcome);
    std::this_thread::sleep_for(wait);
    restarted = opened.worker->restart();
  }
  ASSERT_FALSE(restarted);
  EXPECT_EQ(breach_of(restarted.error()), Breach::Late);
  EXPECT_TRUE(opened.worker->restart());
  expect_right(*opened.pipeline);
}

TEST(Worker, QuotesTheLastLinesOfADriver) {
  Opened opened = open_doubling();
  const Diag diag = culprit(opened, kPrintAndDie);
  EXPECT_EQ(diag.code, DiagCode::B009);
  EXPECT_THAT(diag.message, AllOf(HasSubstr("signal 6"), HasSubstr("line 19999 of the driver's log"),
                                  HasSubstr("driver: [31mbad page"), Not(HasSubstr("\x1b"))));
  EXPECT_LT(diag.message.size(), 1000u);
}

TEST(Worker, LetsADriverPrint) {
  Opened opened = open_doubling();
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(run_doubling(*opened.pipeline, kPrintMuch).outcome);
  expect_right(*opened.pipeline);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(Worker, SaysWhyABackendDoesNotOpen) {
  const auto refused = make_worker(options_for("faulty:refuse"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, DiagCode::B001);
  EXPECT_EQ(refused.error().message, "no such device");
  EXPECT_EQ(refused.error().help, "plug one in");

  const auto exits = make_worker(options_for("faulty:exit"));
  ASSERT_FALSE(exits);
  EXPECT_EQ(exits.error().code, DiagCode::B009);
  EXPECT_THAT(exits.error().message, AllOf(HasSubstr("opening"), HasSubstr("exited with status 5")));

  Options options = options_for("faulty:hang");
  options.open_seconds = 0.2;
  const auto hangs = make_worker(options);
  ASSERT_FALSE(hangs);
  EXPECT_EQ(hangs.error().code, DiagCode::B010);

  const auto unknown = make_worker(options_for("nativ"));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, DiagCode::B004);
}

TEST(Worker, SaysThatAProgramIsNoWorker) {
  Options options = options_for("reference");
  options.program = "/nowhere/vyre-conform";
  const auto missing = make_worker(options);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, DiagCode::B009);
  EXPECT_THAT(missing.error().message, HasSubstr("/nowhere/vyre-conform: No such file or directory"));
  options.program = "/bin/false";
  const auto other = make_worker(options);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, DiagCode::B009);
  EXPECT_THAT(other.error().message, HasSubstr("exited with status 1"));
}

TEST(Worker, SurvivesACompilerThatDoesNot) {
  const auto aborts = open_worker(options_for("faulty:compile-abort"));
  for (int i = 0; i < 2; ++i) {
    const auto pipeline = aborts->compile(doubling());
    ASSERT_FALSE(pipeline);
    EXPECT_EQ(pipeline.error().code, DiagCode::B009);
    EXPECT_THAT(pipeline.error().message, HasSubstr("compiling"));
  }
  Options options = options_for("faulty:compile-hang");
  options.compile_seconds = 0.2;
  const auto hangs = open_worker(options);
  const auto pipeline = hangs->compile(doubling());
  ASSERT_FALSE(pipeline);
  EXPECT_EQ(pipeline.error().code, DiagCode::B010);
}

}  // namespace
}  // namespace vyre::worker
