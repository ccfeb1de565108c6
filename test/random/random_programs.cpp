// random_programs: generated programs on the reference, the kernel evaluator and machine code, compared in
// bytes, and to wire and text and back.
//
//   random_programs --count 100000 --seed 1 [--from K] [--batch B] [--nodes N] [--subgroups N]
//                   [--backend SPEC] [--print]
//   random_programs --modules --count 10000 --seed 1 [--plant FAULT]
//
// Program k of a seed and a size is the same in every run and build, so "seed 1, nodes 32, index 4711" is all
// that a report needs. With --subgroups programs call operations of subgroups of N lanes, and only a
// backend that has subgroups of that size runs them. Machine code is that of the native backend, or of the
// one that --backend names. With --modules they are modules, whose pipelines are run by the reference, the
// backend and an interpreter of their own (module_judge.h); --plant seventh-dispatch or second-zero makes the
// plan that it is compared with wrong, to see that this is found. A failure is shrunk and printed as text
// with its input. Exit 0: all agree; 1: some does not; 2: usage.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
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
#include "coverage.h"
#include "judge.h"
#include "module_judge.h"
#include "modules.h"
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
  bool modules = false;
  test::Planted planted = test::Planted::Nothing;
};

std::optional<test::Planted> planted_of(std::string_view word) {
  if (word == "seventh-dispatch") return test::Planted::SeventhDispatchDropped;
  if (word == "second-zero") return test::Planted::SecondZeroSkipped;
  return std::nullopt;
}

bool parse(int argc, char** argv, Arguments& out) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--print") {
      out.print = true;
      continue;
    }
    if (name == "--modules") {
      out.modules = true;
      continue;
    }
    if (name == "--plant" && i + 1 < argc) {
      const auto planted = planted_of(argv[++i]);
      if (!planted) return false;
      out.planted = *planted;
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
  if (out.planted != test::Planted::Nothing && !out.modules) return false;
  if (out.modules && out.subgroups != 0) return false;
  return out.batch > 0 && out.nodes >= 16 && out.nodes <= 100'000 && lanes;
}

generate::ProgramOptions options_of(const Arguments& arguments) {
  generate::ProgramOptions out = generate::ProgramOptions::small(&ops::op_table());
  if (arguments.nodes > 32) {
    out = {};
    out.ops = &ops::op_table();
  }
  out.max_nodes = uint32_t(arguments.nodes);
  out.additions = true;
  out.subgroup_size = uint32_t(arguments.subgroups);
  return out;
}

/// Buffers as words (of 16-bit elements, as those).
template <typename Item>
std::string describe_buffers(const Item& item, std::span<const Bytes> buffers) {
  std::string out;
  size_t bound = 0;
  for (const ir::BufferDecl& buffer : item.buffers) {
    if (!spec::is_bound(buffer.access)) continue;
    const Bytes& bytes = buffers[bound++];
    const size_t unit = std::min(4u, spec::info(item.element(buffer)).bytes);
    out += fmt::format("// {}=[", item.code.name(buffer.name));
    for (size_t at = 0; at + unit <= bytes.size(); at += unit) {
      uint32_t word = 0;
      std::memcpy(&word, bytes.data() + at, unit);
      out += fmt::format("{}0x{:x}", at == 0 ? "" : ", ", word);
    }
    out += "]\n";
  }
  return out;
}

/// The program, and its input.
std::string describe(const generate::ProgramCase& c) {
  return text::print(c.program) + fmt::format("// groups=[{},{},{}]\n", c.groups.x, c.groups.y, c.groups.z) +
         describe_buffers(c.program, c.buffers);
}
std::string describe(const generate::ModuleCase& c) {
  const auto entry = std::ranges::find(c.module.pipelines, c.entry, &ir::Pipeline::name);
  return text::print(c.module) + fmt::format("// entry={}\n", c.entry) + describe_buffers(*entry, c.buffers);
}

/// Everything that one thread has for itself, its backend included: so that no thread waits for another.
class Worker {
 public:
  using Trial = test::Trial;
  static constexpr std::string_view kWhat = "programs";
  static generate::ProgramCoverage no_coverage(const Arguments& arguments) {
    return generate::ProgramCoverage(options_of(arguments));
  }

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

/// The same for modules.
class ModuleWorker {
 public:
  struct Trial {
    uint64_t index = 0;
    generate::ModuleCase module;
    std::string complaint;
  };
  static constexpr std::string_view kWhat = "modules";
  static generate::ModuleCoverage no_coverage(const Arguments&) { return {}; }

  ModuleWorker(const Arguments& arguments, std::unique_ptr<backend::Backend> backend)
      : arguments_(arguments),
        backend_(std::move(backend)),
        name_(backend_->identity().name),
        generator_([&] {
          generate::ModuleOptions out = generate::ModuleOptions::small(&ops::op_table());
          out.programs = options_of(arguments);
          return out;
        }()) {}

  const Trial* batch(uint64_t first, uint64_t count) {
    first_ = first;
    printed_.clear();
    for (uint64_t i = 0; i < count; ++i) {
      failed_ = {first + i, generator_.make(arguments_.seed, first + i), {}};
      if (arguments_.print) printed_ += fmt::format("// index {}\n{}\n", first + i, describe(failed_.module));
      const test::ModuleTrial trial = judge(failed_.module);
      if (trial.checked) coverage.add(*trial.checked);
      switch (trial.judgement.verdict) {
        case test::Verdict::Agree:
          ++agreed;
          ++on_backend;
          break;
        case test::Verdict::TooLong: ++too_long; break;
        case test::Verdict::Differ: failed_.complaint = trial.judgement.complaint; return &failed_;
      }
    }
    return nullptr;
  }

  const std::string& name() const { return name_; }
  uint64_t position(const Trial& trial) const { return trial.index - first_; }
  void print() const { fmt::print("{}", printed_); }

  void report(uint64_t index, const Trial& trial) {
    fmt::print("index {}: {}", index, trial.complaint);
    fmt::print("replay: random_programs --modules --seed {} --nodes {}{}{}{} --from {} --count 1\n",
               arguments_.seed, arguments_.nodes, arguments_.backend.empty() ? "" : " --backend ",
               arguments_.backend,
               arguments_.planted == test::Planted::Nothing                  ? ""
               : arguments_.planted == test::Planted::SeventhDispatchDropped ? " --plant seventh-dispatch"
                                                                             : " --plant second-zero",
               index);
    std::fflush(stdout);
    if (judge(trial.module).invalid) {
      fmt::print("{}", describe(trial.module));
      return;
    }
    const auto shrunk =
        generate::shrink_module(trial.module, ops::op_table(), [&](const generate::ModuleCase& c) {
          const test::ModuleTrial candidate = judge(c);
          return candidate.judgement.verdict == test::Verdict::Differ && !candidate.invalid;
        });
    const test::Judgement again = judge(shrunk).judgement;
    fmt::print("shrunk: {}{}",
               again.verdict == test::Verdict::Differ ? again.complaint : "it agrees the second time\n",
               describe(shrunk));
  }

 private:
  test::ModuleTrial judge(const generate::ModuleCase& c) {
    return test::judge_module(c, ops::op_table(), *reference_, *backend_, arguments_.planted);
  }

  const Arguments& arguments_;
  std::unique_ptr<backend::Backend> backend_;
  std::unique_ptr<backend::Backend> reference_ = backend::make_reference();
  const std::string name_;
  generate::ModuleGenerator generator_;
  uint64_t first_ = 0;
  std::string printed_;
  Trial failed_;

 public:
  generate::ModuleCoverage coverage;
  uint64_t agreed = 0;
  uint64_t too_long = 0;
  uint64_t on_backend = 0;
};

template <typename Worker>
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
      const typename Worker::Trial* trial = worker.batch(index, 1);
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
      const typename Worker::Trial* failure =
          worker.batch(first, std::min(arguments_.batch, arguments_.count - done));
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
    fmt::print(stderr, "\r{:9} of {} {}  {:7.0f}/s  {:3.0f} min {:2.0f} s left ", done, arguments_.count,
               Worker::kWhat, rate, std::floor(left / 60), std::fmod(left, 60));
    std::fflush(stderr);
  }

  int summary(double seconds) {
    uint64_t agreed = 0, too_long = 0, on_backend = 0;
    auto coverage = Worker::no_coverage(arguments_);
    for (const auto& worker : workers_) {
      agreed += worker->agreed;
      too_long += worker->too_long;
      on_backend += worker->on_backend;
      coverage.add(worker->coverage);
    }
    fmt::print("{}", coverage.print());
    fmt::print(
        "seed {}, nodes {}, index {} to {}: {} {} agree, {} of them on {}, {} took too long, {:.1f} s, "
        "{:.0f} {}/s\n",
        arguments_.seed, arguments_.nodes, arguments_.from, arguments_.from + arguments_.count - 1, agreed,
        Worker::kWhat, on_backend, workers_.front()->name(), too_long, seconds,
        double(arguments_.count) / seconds, Worker::kWhat);
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

template <typename Worker>
int run_all(const Arguments& arguments) {
  std::vector<std::unique_ptr<Worker>> workers;
  const unsigned cores = arguments.print ? 1 : std::max(1u, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < cores; ++i) {
    auto backend = open(arguments);
    if (!backend) {
      fmt::print(stderr, "{}", render(backend.error(), nullptr));
      return 3;
    }
    workers.push_back(std::make_unique<Worker>(arguments, std::move(*backend)));
    if constexpr (requires { workers.back()->judging; }) {
      if (arguments.backend.empty() || workers.back()->judging.on_backend) continue;
      fmt::print(stderr, "{} has no subgroups of {}: choose another --subgroups\n", arguments.backend,
                 arguments.subgroups);
      return 2;
    }
  }
  return Run<Worker>(arguments, std::move(workers)).go();
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!parse(argc, argv, arguments)) {
    fmt::print(
        stderr,
        "usage: random_programs [--count N] [--seed S] [--from K] [--batch B] [--nodes N] [--subgroups N] "
        "[--backend SPEC] [--modules [--plant seventh-dispatch|second-zero]] [--print]\n"
        "example: random_programs --count 100000 --seed 1\n");
    return 2;
  }
  return arguments.modules ? run_all<ModuleWorker>(arguments) : run_all<Worker>(arguments);
}
