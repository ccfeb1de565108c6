// race_sweep: random small programs, the detector of races against every schedule there is.
//
// Of each program that races in some schedule the detector must find a race in the one that is run in order;
// where it does not, the schedule that leads to the race is run, and it must find it there: then the miss is
// explained, since in order those accesses were not made, or were made elsewhere. Of programs that cannot
// race by construction it must find none in any schedule. Oracle: the exploration (ref/explore.h), which
// knows nothing of epochs; the construction.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "check/checked.h"
#include "ops/operation.h"
#include "random/race_programs.h"
#include "ref/explore.h"
#include "ref/schedules.h"
#include "text/text.h"

namespace vyre {
namespace {

struct Counts {
  std::atomic<uint64_t> programs{0}, racy{0}, found_in_order{0}, explained{0}, unexplained{0}, beyond{0},
      incomplete{0}, executions{0};
  std::atomic<uint64_t> free_programs{0}, false_alarms{0};
};

struct Dispatch {
  check::Checked program;
  std::vector<Bytes> bytes;
  std::vector<std::span<std::byte>> host;

  Dispatch(const test::RaceProgram& from, const std::vector<size_t>& words) : program(checked(from.text)) {
    for (const size_t n : words) bytes.emplace_back(n * 4);
    host.assign(bytes.begin(), bytes.end());
  }
  static check::Checked checked(const std::string& text) {
    auto program = text::parse(text);
    if (program) {
      auto result = check::check(std::move(*program), ops::op_table());
      if (result) return std::move(*result);
    }
    fmt::print(stderr, "race_sweep: a generated program is refused\n{}", text);
    std::exit(2);
  }
};

void judge_racy(const test::RaceProgram& from, Counts& counts) {
  Dispatch dispatch(from, {3});
  const auto all = ref::explore(dispatch.program, dispatch.host, from.groups, {}, {.max_executions = 2'000});
  if (!all) std::exit(2);
  ++counts.programs;
  counts.executions += all->executions;
  counts.incomplete += !all->complete;
  ref::RaceDetector detector;
  std::vector<Bytes> copy = dispatch.bytes;
  const std::vector<std::span<std::byte>> spans(copy.begin(), copy.end());
  if (!ref::run_scheduled(dispatch.program, spans, from.groups, {}, {}, &detector)) std::exit(2);
  if (all->races.empty()) {
    // Ordered in every schedule by what atomics returned, which orders nothing.
    counts.beyond += !detector.races().empty();
    return;
  }
  ++counts.racy;
  if (!detector.races().empty()) {
    ++counts.found_in_order;
    return;
  }
  const auto watched = ref::replay(dispatch.program, dispatch.host, from.groups, {}, all->witness);
  if (watched && !watched->races().empty()) {
    ++counts.explained;
    return;
  }
  if (counts.unexplained++ == 0) fmt::print("a race that the detector does not see:\n{}", from.text);
}

void judge_free(const test::RaceProgram& from, uint64_t seed, Counts& counts) {
  Dispatch dispatch(from, {12, 2});
  using Kind = ref::Schedule::Kind;
  bool found = false;
  for (const ref::Schedule& schedule :
       {ref::Schedule{Kind::InOrder}, ref::Schedule{Kind::Reversed}, ref::Schedule{Kind::Random, seed}}) {
    ref::RaceDetector watching;
    std::vector<Bytes> copy = dispatch.bytes;
    const std::vector<std::span<std::byte>> spans(copy.begin(), copy.end());
    if (!ref::run_scheduled(dispatch.program, spans, from.groups, {}, schedule, &watching)) std::exit(2);
    found = found || !watching.races().empty();
  }
  ++counts.free_programs;
  if (found && counts.false_alarms++ == 0) fmt::print("a false alarm:\n{}", from.text);
}

}  // namespace
}  // namespace vyre

int main(int argc, char** argv) {
  using namespace vyre;
  uint64_t racy = 2'000, free = 2'000, seed = 1, threads = std::max(1u, std::thread::hardware_concurrency());
  CLI::App app("the detector of races against every schedule of small random programs");
  app.add_option("--racy", racy, "programs that may race")->capture_default_str();
  app.add_option("--free", free, "programs that cannot")->capture_default_str();
  app.add_option("--seed", seed, "of both")->capture_default_str();
  app.add_option("--threads", threads, "to use")->check(CLI::Range(1, 1024))->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  Counts counts;
  const auto begin = std::chrono::steady_clock::now();
  std::atomic<uint64_t> next{0};
  {
    std::vector<std::jthread> workers;
    for (uint64_t t = 0; t < threads; ++t) {
      workers.emplace_back([&] {
        for (uint64_t n = next++; n < racy + free; n = next++) {
          if (n < racy) {
            judge_racy(test::racy_program(seed, n), counts);
          } else {
            judge_free(test::race_free_program(seed, n), n, counts);
          }
        }
      });
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  fmt::print(
      "{} programs that may race: {} do; {} found in order, {} only in the schedule that leads there, {} "
      "missed\n",
      counts.programs.load(), counts.racy.load(), counts.found_in_order.load(), counts.explained.load(),
      counts.unexplained.load());
  fmt::print("  {} more race by the specification alone: atomics happen to order them in every schedule\n",
             counts.beyond.load());
  fmt::print("  {} executions explored; of {} programs not all\n", counts.executions.load(),
             counts.incomplete.load());
  fmt::print("{} programs that cannot race: {} false alarms\n", counts.free_programs.load(),
             counts.false_alarms.load());
  fmt::print("{:.1f} s\n", took.count());
  return counts.unexplained == 0 && counts.false_alarms == 0 ? 0 : 1;
}
