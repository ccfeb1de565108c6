// random_programs: generated programs on the reference, the kernel evaluator and machine code, compared in
// bytes, and to wire and text and back.
//
//   random_programs --count 100000 --seed 1 [--from K] [--batch B] [--nodes N] [--subgroups N]
//                   [--backend SPEC] [--print]
//
// Program k of a seed and a size is the same in every run and build, so "seed 1, nodes 32, index 4711" is all
// that a report needs. With --subgroups programs call operations of subgroups of N lanes, and only a
// backend that has subgroups of that size runs them. Machine code is that of the native backend, or of the
// one that --backend names. A failure is shrunk and printed as text with its input. Exit 0: all agree; 1:
// some program does not; 2: usage.
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string_view>
#include <thread>

#include "backend/native/native.h"
#include "backend/registry/registry.h"
#include "generate/coverage.h"
#include "judge.h"
#include "ops/operation.h"
#include "text/text.h"

namespace {

using namespace vyre;
using Clock = std::chrono::steady_clock;

constexpr uint64_t kMaxSteps = 4'000'000;

struct Arguments {
  uint64_t count = 1000;
  uint64_t seed = 1;
  uint64_t from = 0;
  uint64_t batch = 128;
  uint64_t nodes = 32;
  uint64_t subgroups = 0;
  std::string backend;  // empty: native
  bool print = false;
};

bool parse(int argc, char** argv, Arguments& out) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--print") {
      out.print = true;
      continue;
    }
    if (name == "--backend" && i + 1 < argc) {
      out.backend = argv[++i];
      continue;
    }
    uint64_t* target = name == "--count"       ? &out.count
                       : name == "--seed"      ? &out.seed
                       : name == "--from"      ? &out.from
                       : name == "--batch"     ? &out.batch
                       : name == "--nodes"     ? &out.nodes
                       : name == "--subgroups" ? &out.subgroups
                                               : nullptr;
    if (target == nullptr || i + 1 == argc) return false;
    const std::string_view value = argv[++i];
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), *target);
    if (error != std::errc() || end != value.data() + value.size()) return false;
  }
  const bool lanes = out.subgroups <= 128 && (out.subgroups & (out.subgroups - 1)) == 0;
  return out.batch > 0 && out.nodes >= 16 && out.nodes <= 100'000 && lanes;
}

generate::ProgramOptions options_of(const Arguments& arguments) {
  generate::ProgramOptions out = generate::ProgramOptions::small(&ops::op_table());
  if (arguments.nodes > 32) {
    out = {};
    out.ops = &ops::op_table();
  }
  out.max_nodes = uint32_t(arguments.nodes);
  out.subgroup_size = uint32_t(arguments.subgroups);
  return out;
}

/// The program, and its input as words (of 16-bit elements, as those).
std::string describe(const generate::ProgramCase& c) {
  std::string out = text::print(c.program);
  out += fmt::format("// groups=[{},{},{}]\n", c.groups.x, c.groups.y, c.groups.z);
  size_t bound = 0;
  for (const ir::BufferDecl& buffer : c.program.buffers) {
    if (buffer.access == ir::BufferAccess::Workgroup) continue;
    const Bytes& bytes = c.buffers[bound++];
    const size_t unit = std::min(4u, spec::info(c.program.element(buffer)).bytes);
    out += fmt::format("// {}=[", c.program.code.name(buffer.name));
    for (size_t at = 0; at + unit <= bytes.size(); at += unit) {
      uint32_t word = 0;
      std::memcpy(&word, bytes.data() + at, unit);
      out += fmt::format("{}0x{:x}", at == 0 ? "" : ", ", word);
    }
    out += "]\n";
  }
  return out;
}

/// Everything that one thread has for itself, its backend included: so that threads wait for nobody.
class Worker {
 public:
  Worker(const Arguments& arguments, std::unique_ptr<backend::Backend> backend)
      : arguments_(arguments),
        backend_(std::move(backend)),
        name_(backend_->identity().name),
        generator_(options_of(arguments)),
        coverage(options_of(arguments)) {
    judging.max_steps = kMaxSteps;
    judging.subgroup_size = uint32_t(arguments.subgroups);
    judging.on_backend =
        judging.subgroup_size == 0 || backend_->limits().subgroup_size == judging.subgroup_size;
  }

  /// Programs first ... of a batch; returns the first that differs, or null.
  const test::Trial* batch(uint64_t first, uint64_t count) {
    trials_.clear();
    trials_.resize(count);
    first_ = first;
    std::vector<const check::Checked*> programs;
    std::vector<test::Trial*> compiled;
    for (uint64_t i = 0; i < count; ++i) {
      test::Trial& trial = trials_[i];
      generator_.make(arguments_.seed, first + i, trial.program);
      test::judge_on_host(trial, ops::op_table(), judging);
      if (trial.checked) coverage.add(*trial.checked);
      if (trial.judgement.verdict != test::Verdict::Agree || !judging.on_backend) continue;
      programs.push_back(&*trial.checked);
      compiled.push_back(&trial);
    }
    auto pipelines = backend_->compile_batch(programs);
    for (size_t i = 0; i < compiled.size(); ++i) {
      test::judge_pipeline(*compiled[i], pipelines[i], name_);
      on_backend += compiled[i]->judgement.verdict == test::Verdict::Agree;
    }
    for (const test::Trial& trial : trials_) {
      switch (trial.judgement.verdict) {
        case test::Verdict::Agree: ++agreed; break;
        case test::Verdict::TooLong: ++too_long; break;
        case test::Verdict::Differ: return &trial;
      }
    }
    return nullptr;
  }

  const std::string& name() const { return name_; }

  /// Where in the last batch a trial stands.
  uint64_t position(const test::Trial& trial) const { return uint64_t(&trial - trials_.data()); }

  void print() const {
    for (size_t i = 0; i < trials_.size(); ++i)
      fmt::print("// index {}\n{}\n", first_ + i, describe(trials_[i].program));
  }

  void report(uint64_t index, const test::Trial& trial) {
    fmt::print("index {}: {}", index, trial.judgement.complaint);
    const std::string subgroups =
        arguments_.subgroups == 0 ? "" : fmt::format(" --subgroups {}", arguments_.subgroups);
    const std::string backend = arguments_.backend.empty() ? "" : " --backend " + arguments_.backend;
    fmt::print("replay: random_programs --seed {} --nodes {}{}{} --from {} --count 1\n", arguments_.seed,
               arguments_.nodes, subgroups, backend, index);
    std::fflush(stdout);
    if (!trial.checked) {
      fmt::print("{}", describe(trial.program));
      return;
    }
    std::string complaint;
    const auto fails = [&](const generate::ProgramCase& candidate) {
      const test::Judgement judgement = test::judge(candidate, ops::op_table(), *backend_, judging);
      if (judgement.verdict == test::Verdict::Differ) complaint = judgement.complaint;
      return judgement.verdict == test::Verdict::Differ;
    };
    const auto shrunk = generate::shrink_program(trial.program, ops::op_table(), fails);
    // What was tried last may not have been what was kept.
    fmt::print("shrunk: {}{}", fails(shrunk) ? complaint : "it agrees the second time\n", describe(shrunk));
  }

 private:
  const Arguments& arguments_;
  std::unique_ptr<backend::Backend> backend_;
  const std::string name_;
  generate::ProgramGenerator generator_;
  std::vector<test::Trial> trials_;
  uint64_t first_ = 0;

 public:
  test::JudgeOptions judging;
  generate::ProgramCoverage coverage;
  uint64_t agreed = 0;
  uint64_t too_long = 0;
  uint64_t on_backend = 0;
};

class Run {
 public:
  Run(const Arguments& arguments, std::vector<std::unique_ptr<Worker>> workers)
      : arguments_(arguments), workers_(std::move(workers)) {}

  int go() {
    {
      std::vector<std::jthread> threads;
      for (auto& worker : workers_) threads.emplace_back([this, &worker] { work(*worker); });
    }
    const double seconds = elapsed();
    if (::isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r{:78}\r", "");
    if (failed_ != UINT64_MAX) {
      const uint64_t index = arguments_.from + failed_;
      Worker& worker = *workers_.front();
      const test::Trial* trial = worker.batch(index, 1);
      if (trial == nullptr) {
        fmt::print("index {}: differed, and agrees the second time\n", index);
      } else {
        worker.report(index, *trial);
      }
      return 1;
    }
    return summary(seconds);
  }

 private:
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  void work(Worker& worker) {
    for (;;) {
      const uint64_t done = next_.fetch_add(arguments_.batch);
      // What comes after a failure does not matter any more; what comes before it may hold an earlier one.
      if (done >= arguments_.count || done > failed_.load()) return;
      const uint64_t first = arguments_.from + done;
      const test::Trial* failure = worker.batch(first, std::min(arguments_.batch, arguments_.count - done));
      const std::scoped_lock lock(mutex_);
      if (arguments_.print) worker.print();
      if (failure != nullptr) failed_ = std::min(failed_.load(), done + worker.position(*failure));
      progress(done);
    }
  }

  /// Twice a second on a terminal: how many, how fast, how long it still takes.
  void progress(uint64_t done) {
    const double seconds = elapsed();
    if (::isatty(STDERR_FILENO) == 0 || seconds < shown_ + 0.5) return;
    shown_ = seconds;
    const double rate = double(done) / seconds;
    const double left = rate > 0 ? double(arguments_.count - done) / rate : 0;
    fmt::print(stderr, "\r{:9} of {} programs  {:7.0f}/s  {:3.0f} min {:2.0f} s left ", done,
               arguments_.count, rate, std::floor(left / 60), std::fmod(left, 60));
    std::fflush(stderr);
  }

  int summary(double seconds) {
    uint64_t agreed = 0, too_long = 0, on_backend = 0;
    generate::ProgramCoverage coverage(options_of(arguments_));
    for (const auto& worker : workers_) {
      agreed += worker->agreed;
      too_long += worker->too_long;
      on_backend += worker->on_backend;
      coverage.add(worker->coverage);
    }
    fmt::print("{}", coverage.print());
    fmt::print(
        "seed {}, nodes {}, index {} to {}: {} programs agree, {} of them on {}, {} took too long, {:.1f} s, "
        "{:.0f} programs/s\n",
        arguments_.seed, arguments_.nodes, arguments_.from, arguments_.from + arguments_.count - 1, agreed,
        on_backend, workers_.front()->name(), too_long, seconds, double(arguments_.count) / seconds);
    // Programs that are given up on are not tested; a few are the price of loops, many would be a fault.
    if (too_long * 100 <= arguments_.count) return 0;
    fmt::print("more than 1 % took too long\n");
    return 1;
  }

  const Arguments& arguments_;
  std::vector<std::unique_ptr<Worker>> workers_;
  const Clock::time_point start_ = Clock::now();
  std::atomic<uint64_t> next_ = 0;
  std::atomic<uint64_t> failed_ = UINT64_MAX;  // the least that differs, counted from --from
  std::mutex mutex_;
  double shown_ = 0;
};

/// Each worker has a backend of its own, of one thread. Small programs have few workgroups, so for native
/// that is best there; large ones show that workgroups may run on any thread.
Result<std::unique_ptr<backend::Backend>> open(const Arguments& arguments) {
  if (!arguments.backend.empty()) return backend::open(arguments.backend, {.threads = 1});
  return backend::make_native({.optimisation = 0, .threads = arguments.nodes > 32 ? 2u : 1u});
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!parse(argc, argv, arguments)) {
    fmt::print(
        stderr,
        "usage: random_programs [--count N] [--seed S] [--from K] [--batch B] [--nodes N] [--subgroups N] "
        "[--backend SPEC] [--print]\n"
        "example: random_programs --count 100000 --seed 1\n");
    return 2;
  }
  std::vector<std::unique_ptr<Worker>> workers;
  const unsigned cores = arguments.print ? 1 : std::max(1u, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < cores; ++i) {
    auto backend = open(arguments);
    if (!backend) {
      fmt::print(stderr, "{}", render(backend.error(), nullptr));
      return 3;
    }
    workers.push_back(std::make_unique<Worker>(arguments, std::move(*backend)));
    if (arguments.backend.empty() || workers.back()->judging.on_backend) continue;
    fmt::print(stderr, "{} has no subgroups of {}: choose another --subgroups\n", arguments.backend,
               arguments.subgroups);
    return 2;
  }
  return Run(arguments, std::move(workers)).go();
}
