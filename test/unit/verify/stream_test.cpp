// Streams of cases: in order and bounded for any number of threads, whichever side is slow; and the leaves
// that are made of them meanwhile.
#include "verify/stream.h"

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <fstream>
#include <mutex>

#include "mutant.h"
#include "oracle.h"
#include "verify/examine.h"
#include "verify/leaves.h"
#include "verify/operation.h"

VYRE_ORACLE(
    Property,
    "stream.h, slices_ahead() and the order of the cases; the planted fault, looked for case by case");

namespace vyre::verify {
namespace {

constexpr size_t kThreads = 4;
constexpr auto kPatience = std::chrono::seconds(60);  // beyond which something waits for ever

/// As many threads as are asked for, on machines with fewer cores too.
template <typename Work>
void with_threads(size_t threads, const Work& work) {
  const tbb::global_control more(tbb::global_control::max_allowed_parallelism, kThreads);
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute(work);
}

Subject add_subject() {
  Subject out = subject_of(*ops::find_operation("primitive.math.add"));
  out.rows.clear();
  return out;
}

Verdict judged(backend::Backend& backend, const Subject& subject, std::span<const CaseRange> ranges) {
  Verdict verdict;
  constexpr uint32_t kSizes[] = {kWorkgroup};
  auto pipelines = make_pipelines(backend, subject, kSizes, 1, verdict);
  EXPECT_TRUE(pipelines);
  const Monitor monitor;
  Examiner examiner(backend, subject, pipelines->all, 1, monitor, verdict);
  LeafWriter leaves(verdict, subject.oracle);
  EXPECT_TRUE(check_cases(subject, examiner, ranges, 1, monitor, verdict, leaves));
  leaves.end();
  return verdict;
}

TEST(Stream, VerdictsAreTheSameForAnyNumberOfThreads) {
  Mutant mutant("primitive.math.add");
  const Subject subject = add_subject();
  const std::vector<CaseRange> ranges = {
      {"edge256", 2000, 31}, {"random", 5 * kSlice + 17, 1}, {"exhaustive8", 65'536, 1, 0}};
  // Which cases fail: where the low byte of the first operand says so.
  uint64_t wrong = 0;
  std::vector<std::string> first;
  for (const CaseRange& range : ranges) {
    const ValueCases cases = subject.cases(*generate::find_strategy(range.strategy), 1);
    for (uint64_t k = 0; k < range.count; ++k) {
      uint32_t a = 0, b = 0;
      uint32_t* const columns[] = {&a, &b};
      cases.fill(k * range.stride, 1, columns);
      if (!is_wrong(a)) continue;
      if (wrong++ < kKeptFailures)
        first.push_back(print(Token{subject.name, range.strategy, 1, k * range.stride, {}}));
    }
  }
  std::vector<Verdict> verdicts;
  for (const size_t threads : {size_t{1}, size_t{2}, kThreads})
    with_threads(threads, [&] { verdicts.push_back(judged(mutant, subject, ranges)); });
  for (const Verdict& verdict : verdicts) {
    EXPECT_EQ(verdict.failure_count, wrong);
    ASSERT_EQ(verdict.failures.size(), kKeptFailures);
    std::vector<std::string> found;
    for (const Failure& failure : verdict.failures) found.push_back(failure.token);
    EXPECT_EQ(found, first);
    EXPECT_EQ(verdict.parity.at(0).tally.failed, wrong);
    EXPECT_FALSE(verdict.leaves.at(0).digest.empty());
    EXPECT_TRUE(verdict == verdicts[0]);
  }
}

/// How far both sides of a stream are.
struct Meter {
  std::mutex mutex;
  std::condition_variable moved;
  size_t made = 0;  // slices
  std::vector<uint64_t> judged, recorded;
  size_t most_ahead = 0;  // made and not judged yet
  bool wait(std::unique_lock<std::mutex>& lock, const std::function<bool()>& until) {
    return moved.wait_for(lock, kPatience, until);
  }
};

constexpr uint64_t kSlices = 20;

/// What a stream of kSlices does when `oracle`, `backend` and `recorder` are called for each slice, with its
/// number.
Result<void> streamed(
    Meter& meter, const std::function<void(uint64_t)>& oracle,
    const std::function<Result<void>(uint64_t)>& backend, const Monitor& monitor = {},
    const std::function<void(uint64_t)>& recorder = [](uint64_t) {}) {
  Subject subject = subject_of(*ops::find_operation("primitive.bitwise.not"));
  // "whole" cases of a word are the numbers themselves, so the oracle knows which slice it has.
  subject.expected = [&](std::span<const uint32_t* const> columns, std::span<uint32_t> out) {
    oracle(columns[0][0] / kSlice);
    std::ranges::fill(out, 0u);
    const std::lock_guard lock(meter.mutex);
    ++meter.made;
    meter.most_ahead = std::max(meter.most_ahead, meter.made - meter.judged.size());
    meter.moved.notify_all();
  };
  const std::vector<CaseRange> ranges = {{"whole", kSlices * kSlice, 1}};
  const auto judge = [&](CaseSlice& slice) -> Result<void> {
    EXPECT_EQ(slice.columns.readable()[0][slice.count - 1], slice.begin + slice.count - 1);
    std::ranges::fill(slice.answers, uint32_t(slice.begin / kSlice));
    VYRE_CHECK(backend(slice.begin / kSlice));
    const std::lock_guard lock(meter.mutex);
    meter.judged.push_back(slice.begin / kSlice);
    meter.moved.notify_all();
    return {};
  };
  const auto record = [&](CaseSlice& slice) {
    recorder(slice.begin / kSlice);
    EXPECT_EQ(std::ranges::count(slice.answers, uint32_t(slice.begin / kSlice)), ptrdiff_t(slice.count));
    const std::lock_guard lock(meter.mutex);
    meter.recorded.push_back(slice.begin / kSlice);
    meter.moved.notify_all();
  };
  return stream_cases(subject, ranges, 1, monitor, {judge, record});
}
std::vector<uint64_t> all_slices() {
  std::vector<uint64_t> out;
  for (uint64_t k = 0; k < kSlices; ++k) out.push_back(k);
  return out;
}

// covers: SC-02
TEST(Stream, ASlowBackendIsWaitedForByABoundedNumberOfSlices) {
  with_threads(kThreads, [] {
    Meter meter;
    const auto backend = [&](uint64_t number) -> Result<void> {
      std::unique_lock lock(meter.mutex);
      // Until no more may be made: with each slice that is judged, and recorded at once, one.
      const size_t may = std::min<size_t>(slices_ahead(kThreads) + number, kSlices);
      EXPECT_TRUE(meter.wait(lock, [&] { return meter.made >= may; })) << number;
      return {};
    };
    ASSERT_TRUE(streamed(meter, [](uint64_t) {}, backend));
    EXPECT_EQ(meter.judged, all_slices());
    EXPECT_EQ(meter.most_ahead, slices_ahead(kThreads));
  });
}

TEST(Stream, ASlowOracleIsOvertakenAndKeepsItsPlace) {
  with_threads(kThreads, [] {
    Meter meter;
    const auto oracle = [&](uint64_t number) {
      if (number != 2) return;
      std::unique_lock lock(meter.mutex);
      // Both before it are judged meanwhile, and two behind it made, which must wait.
      EXPECT_TRUE(meter.wait(lock, [&] { return meter.judged.size() == 2 && meter.made >= 4; }));
    };
    ASSERT_TRUE(streamed(meter, oracle, [](uint64_t) -> Result<void> { return {}; }));
    EXPECT_EQ(meter.judged, all_slices());
    EXPECT_LE(meter.most_ahead, slices_ahead(kThreads));
  });
}

// covers: SC-03
TEST(Stream, RecordsInOrderWhileOthersAreJudged) {
  // stream.h: what may be done while the next slice is judged, and what it costs.
  with_threads(kThreads, [] {
    Meter meter;
    const auto recorder = [&](uint64_t number) {
      std::unique_lock lock(meter.mutex);
      // Those that are under way are judged while the first of them is recorded, and no other.
      const size_t may = std::min<size_t>(slices_ahead(kThreads) + number, kSlices);
      EXPECT_TRUE(meter.wait(lock, [&] { return meter.judged.size() >= may; })) << number;
      EXPECT_LE(meter.judged.size(), may);
    };
    ASSERT_TRUE(streamed(meter, [](uint64_t) {}, [](uint64_t) -> Result<void> { return {}; }, {}, recorder));
    EXPECT_EQ(meter.judged, all_slices());
    EXPECT_EQ(meter.recorded, all_slices());
  });
}

TEST(Stream, EndsAtTheFirstErrorAndWhenItIsStopped) {
  for (const size_t threads : {size_t{1}, kThreads}) {
    with_threads(threads, [] {
      Meter meter;
      const auto ended = streamed(
          meter, [](uint64_t) {},
          [](uint64_t number) -> Result<void> {
            if (number < 3) return {};
            return std::unexpected(make_diag(DiagCode::B009, Span::none(), "it died", ""));
          });
      ASSERT_FALSE(ended);
      EXPECT_EQ(ended.error().code, DiagCode::B009);
      EXPECT_EQ(meter.judged, (std::vector<uint64_t>{0, 1, 2}));
      EXPECT_EQ(meter.recorded, meter.judged);

      Meter again;
      std::atomic<bool> stop = false;
      Monitor monitor;
      monitor.stop = &stop;
      const auto stopped = streamed(
          again, [](uint64_t) {},
          [&](uint64_t number) -> Result<void> {
            stop = number == 4;
            return {};
          },
          monitor);
      EXPECT_TRUE(stopped);
      EXPECT_EQ(again.judged, (std::vector<uint64_t>{0, 1, 2, 3, 4}));
      EXPECT_EQ(again.recorded, again.judged);
    });
  }
}

/// Peak memory since the last call. Unit: MiB.
double peak_memory() {
  double peak = 0;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) peak = std::strtod(line.c_str() + 6, nullptr) / 1024;
  }
  std::ofstream("/proc/self/clear_refs") << "5";
  return peak;
}

// covers: SC-01
TEST(Stream, MemoryDoesNotGrowWithTheNumberOfCases) {
  // Step of the harness at scale: within 16 MiB of the run of 10^6 cases.
  const auto backend = *backend::make_native();
  const Subject subject = add_subject();
  const auto peak_of = [&](uint64_t cases) {
    peak_memory();
    const std::vector<CaseRange> ranges = {{"random", cases, 1}};
    EXPECT_EQ(judged(*backend, subject, ranges).parity.at(0).tally.completed, cases);
    return peak_memory();
  };
  const double few = peak_of(1'000'000), many = peak_of(20'000'000);
  EXPECT_GT(few, 1);
  EXPECT_LT(many - few, 16);
}

/// The native backend as if it were in a process of its own, which is asked for what it may write late.
class Asked final : public backend::Backend {
 public:
  backend::Identity identity() const override { return inner_->identity(); }
  backend::Limits limits() const override { return inner_->limits(); }
  bool isolated() const override { return true; }
  Result<void> drain() override { return ++times, Result<void>{}; }
  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked& program) override {
    return inner_->compile(program);
  }
  size_t times = 0;

 private:
  std::unique_ptr<backend::Backend> inner_ = *backend::make_native();
};

TEST(Tasks, OfCasesAreWaitedForOnceTogether) {
  VYRE_ORACLE(SpecificationTable, "docs/harness.md: once for all pieces of a unit; and for what is repeated");
  const ops::Operation& operation = *ops::find_operation("primitive.bitwise.not");
  const OperationPlan plan{.definition_cases = 1'000,
                           .parity_cases = 3 * kTaskCases,
                           .strategy_cap = 2048,
                           .whole = false,
                           .repeated_evaluations = 16,
                           .witnessed = 0,
                           .laws = false};
  const auto tasks = tasks_of(operation, plan, 1);
  const auto cases = std::ranges::count(tasks, Task::Kind::Cases, &Task::kind);
  ASSERT_GE(cases, 3);
  ASSERT_EQ(std::ranges::count(tasks, Task::Kind::Determinism, &Task::kind), 1);
  Asked backend;
  const Verdict verdict = check_operation(backend, operation, plan, 1, {});
  EXPECT_EQ(verdict.error, "");
  EXPECT_EQ(verdict.leaves.size(), size_t(cases) + 1);  // and the rows
  EXPECT_EQ(backend.times, 2u);
}

/// A failure of which nothing but its fault is known.
Failure failure_of(Fault fault) {
  Failure out;
  out.fault = fault;
  return out;
}

TEST(Leaves, HaveADigestUnlessChanceHadStruckWhenTheyWereJudged) {
  VYRE_ORACLE(SpecificationTable, "verify/verdict.h, leaves.h; SHA-256 of the words 1 and 2, by sha256sum");
  constexpr std::string_view kDigest = "34fb5c825de7ca4aea6e712f19d439c1";
  const std::vector<uint32_t> answers = {1, 2};
  struct Row {
    uint64_t failed;
    bool by_chance;
    bool digested;
  };
  for (const Row row : {Row{0, false, true}, Row{1, false, true}, Row{0, true, true}, Row{1, true, false}}) {
    Verdict verdict;
    {
      LeafWriter leaves(verdict, Oracle::CpuReference);
      const Tally tally{.planned = kLeafCases, .failed = row.failed};
      leaves.add("random", tally, answers, row.by_chance);
      // What is found afterwards, in slices that are judged meanwhile, is not of this leaf.
      if (!row.by_chance) verdict.failures.push_back(failure_of(Fault::Flaky));
      leaves.add("random", {.planned = 1}, answers, row.by_chance);
    }
    ASSERT_EQ(verdict.leaves.size(), 2u);
    EXPECT_EQ(verdict.leaves[0].digest, row.digested ? kDigest : "");
    EXPECT_EQ(verdict.leaves[1].digest, kDigest);
  }
  Verdict verdict;
  EXPECT_FALSE(has_chance(verdict));
  verdict.failures.push_back(failure_of(Fault::WrongValue));
  EXPECT_FALSE(has_chance(verdict));
  verdict.failures.push_back(failure_of(Fault::LateWrite));
  EXPECT_TRUE(has_chance(verdict));
}

TEST(FailingCases, AreListedInRuns) {
  VYRE_ORACLE(SpecificationTable, "verify/verdict.h: runs first, first + stride, ... last, by hand");
  Verdict verdict;
  for (const uint64_t number : {4u, 7u, 10u, 14u}) list_failing(verdict, "a@1:random", number, 3);
  list_failing(verdict, "a@1:rows", 17, 3);
  EXPECT_EQ(verdict.failing,
            (std::vector<FailingCases>{
                {"a@1:random", 4, 10, 3}, {"a@1:random", 14, 14, 3}, {"a@1:rows", 17, 17, 3}}));
  for (uint64_t k = 0; k < 2 * kKeptFailing; ++k) list_failing(verdict, "b@1:random", 2 * k, 1);
  EXPECT_EQ(verdict.failing.size(), kKeptFailing);
}

}  // namespace
}  // namespace vyre::verify
