// Parity, as certification judges it, beside loops that judge nothing: the first table of bench_harness.
//
// The harness makes inputs and expected values, dispatches, compares, digests answers and waits at the end to
// see whether something is written late. A plain loop makes the same inputs and expected values, dispatches
// and compares, on one thread; a bare one dispatches over buffers that are there already. What else runs on
// the machine only ever makes them slower, so all take turns and the best round of each counts.
#pragma once

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "device_bench.h"
#include "verify/examine.h"
#include "verify/leaves.h"
#include "verify/parity.h"

namespace vyre::bench {

struct Stages {
  double generate = 0, expected = 0, poison = 0, dispatch = 0, compare = 0;  // seconds
};

template <typename Work>
void timed(double& sum, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  sum += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline std::vector<verify::CaseRange> cases_of(const verify::Subject& subject, uint64_t seed,
                                               uint64_t cases) {
  return verify::plan_cases(subject, seed, cases, uint64_t{1} << 20, false);
}

/// Some slices of random cases, each stage by itself. Return: what one slice takes.
inline Stages stages_of(const verify::Subject& subject, verify::Elementwise& pipeline, uint64_t seed) {
  constexpr uint64_t kRounds = 8;
  const size_t slice = verify::slice_of(subject);
  const verify::CaseSource source(subject, {"random", kRounds * slice}, seed);
  verify::Columns columns(verify::input_words(subject.application), slice);
  std::vector<uint32_t> expected(slice), actual(slice);
  Stages sum;
  uint32_t poison = 0;
  for (uint64_t round = 0; round < kRounds; ++round) {
    timed(sum.generate, [&] { source.fill(round * slice, slice, columns.writable()); });
    timed(sum.expected, [&] { subject.expected(columns.readable(), expected); });
    timed(sum.poison,
          [&] { poison = verify::poison_for(subject.application.output, expected, seed, round); });
    timed(sum.dispatch, [&] { must(pipeline.apply(columns.readable(), actual, poison)); });
    timed(sum.compare, [&] { must_be(expected == actual, subject.name); });
  }
  for (double* part : {&sum.generate, &sum.expected, &sum.poison, &sum.dispatch, &sum.compare})
    *part /= double(kRounds);
  return sum;
}

/// Seconds that as many dispatches and comparisons take when the buffers of one slice are used again and
/// again.
inline double bare_loop(backend::Backend& backend, const verify::Subject& subject, uint64_t seed,
                        uint64_t cases) {
  const size_t slice = verify::slice_of(subject), arity = verify::input_words(subject.application);
  auto program =
      check::check(verify::elementwise_program(subject.application, verify::kWorkgroup), ops::op_table());
  const auto pipeline = must(backend.compile(*program));
  verify::Columns columns(arity, slice);
  verify::CaseSource(subject, {"random", slice}, seed).fill(0, slice, columns.writable());
  std::vector<uint32_t> expected(slice);
  subject.expected(columns.readable(), expected);
  std::vector<Bytes> buffers(arity + 1, Bytes(slice * 4));
  for (size_t k = 0; k < arity; ++k) std::memcpy(buffers[k].data(), columns.readable()[k], slice * 4);
  const std::vector<std::span<std::byte>> host(buffers.begin(), buffers.end());
  const layout::Groups groups{uint32_t(slice / verify::kWorkgroup), 1, 1};
  const uint64_t rounds = (cases + slice - 1) / slice;
  return seconds([&] {
    for (uint64_t round = 0; round < rounds; ++round) {
      must(pipeline->dispatch(host, groups));
      must_be(std::memcmp(buffers.back().data(), expected.data(), slice * 4) == 0, subject.name);
    }
  });
}

/// Seconds that a plain loop takes which makes the same inputs and expected values, dispatches and compares.
inline double plain_loop(backend::Backend& backend, const verify::Subject& subject, uint64_t seed,
                         uint64_t cases) {
  const auto pipeline = must(verify::Elementwise::make(backend, subject.application));
  const size_t slice = verify::slice_of(subject);
  verify::Columns columns(verify::input_words(subject.application), slice);
  std::vector<uint32_t> expected(slice), actual(slice);
  return seconds([&] {
    for (const verify::CaseRange& range : cases_of(subject, seed, cases)) {
      const verify::CaseSource source(subject, range, seed);
      for (uint64_t begin = 0; begin < range.count; begin += slice) {
        const size_t n = size_t(std::min<uint64_t>(slice, range.count - begin));
        const std::span wanted(expected.data(), n), answers(actual.data(), n);
        source.fill(begin, n, columns.writable());
        subject.expected(columns.readable(), wanted);
        must(pipeline->apply(columns.readable(), answers, 0));
        must_be(std::ranges::equal(wanted, answers), subject.name);
      }
    }
  });
}

/// A subject with the pipelines that it is judged on, and what certification does with them.
class Judging {
 public:
  Judging(backend::Backend& backend, const ops::Operation& operation, uint64_t seed)
      : backend_(backend), seed_(seed), subject_(verify::subject_of(operation)) {
    constexpr std::array kSizes = {verify::kWorkgroup};
    verify::Verdict unread;
    pipelines_ = must(verify::make_pipelines(backend, subject_, kSizes, seed, unread));
  }
  /// Seconds; the verdict is looked at.
  double run(uint64_t cases) const {
    verify::Verdict verdict;
    const verify::Monitor monitor;
    verify::Examiner examiner(backend_, subject_, pipelines_.all, seed_, monitor, verdict);
    const auto ranges = cases_of(subject_, seed_, cases);
    verify::LeafWriter leaves(verdict, subject_.oracle);
    const double took = seconds([&] {
      must(verify::check_cases(subject_, examiner, ranges, seed_, monitor, verdict, leaves));
      must(verify::settle_cases(subject_, examiner, monitor, verdict));
    });
    must_be(verdict.failure_count == 0 && verdict.parity.at(0).tally.whole(), subject_.name);
    return took;
  }

 private:
  backend::Backend& backend_;
  const uint64_t seed_;
  const verify::Subject subject_;
  verify::Pipelines pipelines_;
};

inline double judged(backend::Backend& backend, const ops::Operation& operation, uint64_t seed,
                     uint64_t cases) {
  must(backend.restart());
  return Judging(backend, operation, seed).run(cases);
}

/// Longer than any round.
inline constexpr double kForever = 1e9;

/// How many threads of all processes wanted to run in the last minute, on average.
inline double load() {
  double one = 0;
  return ::getloadavg(&one, 1) == 1 ? one : 0;
}

inline uint64_t size_of(std::span<const verify::CaseRange> ranges) {
  uint64_t sum = 0;
  for (const verify::CaseRange& range : ranges) sum += range.count;
  return sum;
}

using Operations = std::span<const ops::Operation* const>;

struct ParityOptions {
  uint64_t seed = 1;
  uint64_t share = 0;  // cases of each operation
  uint64_t rounds = 3;
};

/// The table. Return: what the plain loop took, in seconds.
inline double parity(backend::Backend& backend, Operations operations, const ParityOptions& options) {
  const double load_before = load();
  const uint64_t share = options.share;
  fmt::print("{:<34} {:>9} {:>9} {:>6} {:>9} {:>6}   {:>8} {:>8} {:>8} {:>8} {:>8}\n",
             "parity, cases a second", "harness", "loop", "ratio", "bare", "ratio", "generate", "expected",
             "poison", "dispatch", "compare");
  double harness = 0, plain = 0, bare = 0;
  uint64_t all = 0;
  Stages sum;
  for (const ops::Operation* operation : operations) {
    const verify::Subject subject = verify::subject_of(*operation);
    const uint64_t cases = size_of(cases_of(subject, options.seed, share));
    const auto pipeline = must(verify::Elementwise::make(backend, subject.application));
    const Stages stages = stages_of(subject, *pipeline, options.seed);
    double mine = kForever, loop = kForever, again = kForever;
    for (uint64_t round = 0; round < options.rounds; ++round) {
      mine = std::min(mine, judged(backend, *operation, options.seed, share));
      loop = std::min(loop, plain_loop(backend, subject, options.seed, share));
      again = std::min(again, bare_loop(backend, subject, options.seed, cases));
    }
    const double each = 1e9 / double(verify::slice_of(subject));
    fmt::print("{:<34} {:9.2e} {:9.2e} {:6.2f} {:9.2e} {:6.2f}   {:8.2f} {:8.2f} {:8.2f} {:8.2f} {:8.2f}\n",
               operation->id, double(cases) / mine, double(cases) / loop, loop / mine, double(cases) / again,
               again / mine, stages.generate * each, stages.expected * each, stages.poison * each,
               stages.dispatch * each, stages.compare * each);
    std::fflush(stdout);
    harness += mine;
    plain += loop;
    bare += again;
    all += cases;
    const double slices = double(cases) / double(verify::slice_of(subject));
    sum.generate += stages.generate * slices;
    sum.expected += stages.expected * slices;
    sum.poison += stages.poison * slices;
    sum.dispatch += stages.dispatch * slices;
    sum.compare += stages.compare * slices;
  }
  const double each = 1e9 / double(all);
  fmt::print("{:<34} {:9.2e} {:9.2e} {:6.2f} {:9.2e} {:6.2f}   {:8.2f} {:8.2f} {:8.2f} {:8.2f} {:8.2f}\n",
             fmt::format("all: {} cases in {:.1f} s", all, harness), double(all) / harness,
             double(all) / plain, plain / harness, double(all) / bare, bare / harness, sum.generate * each,
             sum.expected * each, sum.poison * each, sum.dispatch * each, sum.compare * each);
  fmt::print("the best of {} rounds of each; {} cores, load {:.1f} before and {:.1f} after\n", options.rounds,
             std::thread::hardware_concurrency(), load_before, load());
  return plain;
}

/// Several backends, each in a process of its own, judge operations side by side, as certification has them:
/// one more than there are cores, since each waits at times, and with the cores shared out among them. No
/// process is started and nothing is compiled meanwhile, as in the loops. `plain`: what the plain loop took.
inline void side_by_side(const std::function<std::unique_ptr<backend::Backend>(unsigned cores)>& open,
                         Operations operations, const ParityOptions& options, double plain) {
  const unsigned cores = std::thread::hardware_concurrency(), workers = cores + 1;
  std::vector<std::unique_ptr<backend::Backend>> backends;
  std::vector<std::vector<std::unique_ptr<Judging>>> judging(workers);
  for (unsigned k = 0; k < workers; ++k) {
    backends.push_back(open(std::max(1u, (cores + workers / 2) / workers)));
    for (const ops::Operation* operation : operations)
      judging[k].push_back(std::make_unique<Judging>(*backends[k], *operation, options.seed));
  }
  uint64_t all = 0;
  for (const ops::Operation* operation : operations)
    all += size_of(cases_of(verify::subject_of(*operation), options.seed, options.share));
  double best = kForever;
  for (uint64_t round = 0; round < options.rounds; ++round) {
    std::atomic<size_t> next = 0;
    best = std::min(best, seconds([&] {
                      std::vector<std::jthread> threads;
                      for (unsigned k = 0; k < workers; ++k) {
                        threads.emplace_back([&, k] {
                          for (size_t turn = next++; turn < operations.size(); turn = next++)
                            judging[k][operations.size() - 1 - turn]->run(options.share);
                        });
                      }
                    }));
  }
  fmt::print("{} of them side by side: {} cases in {:.2f} s, {:.2e} a second, {:.2f} of the loop\n", workers,
             all, best, double(all) / best, plain / best);
}

}  // namespace vyre::bench
