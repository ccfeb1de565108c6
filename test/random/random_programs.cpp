// random_programs: generated programs on the reference, the kernel evaluator and machine code, compared in
// bytes.
//
//   random_programs --count 100000 --seed 1 [--from K] [--batch B] [--print]
//
// Program k of a seed is the same in every run and build, so "seed 1, index 4711" is all that a report needs.
// A failure is shrunk and printed as text with its input. Exit 0: all agree; 1: some program does not; 2:
// usage.
#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <string_view>

#include "backend/native/native.h"
#include "judge.h"
#include "ops/operation.h"
#include "text/text.h"

namespace {

using namespace vyre;

constexpr uint64_t kMaxSteps = 4'000'000;

struct Arguments {
  uint64_t count = 1000;
  uint64_t seed = 1;
  uint64_t from = 0;
  uint64_t batch = 64;
  bool print = false;
};

bool parse(int argc, char** argv, Arguments& out) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--print") {
      out.print = true;
      continue;
    }
    uint64_t* target = name == "--count"   ? &out.count
                       : name == "--seed"  ? &out.seed
                       : name == "--from"  ? &out.from
                       : name == "--batch" ? &out.batch
                                           : nullptr;
    if (target == nullptr || i + 1 == argc) return false;
    const std::string_view value = argv[++i];
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), *target);
    if (error != std::errc() || end != value.data() + value.size()) return false;
  }
  return out.batch > 0;
}

std::string describe(const generate::ProgramCase& c) {
  std::string out = text::print(c.program);
  out += fmt::format("// groups=[{},{},{}]\n", c.groups.x, c.groups.y, c.groups.z);
  size_t bound = 0;
  for (const ir::BufferDecl& buffer : c.program.buffers) {
    if (buffer.access == ir::BufferAccess::Workgroup) continue;
    out += fmt::format("// {}=[", c.program.code.name(buffer.name));
    const auto words = to_words(c.buffers[bound++]);
    for (size_t i = 0; i < words.size(); ++i) out += fmt::format("{}0x{:x}", i == 0 ? "" : ", ", words[i]);
    out += "]\n";
  }
  return out;
}

class Run {
 public:
  Run(const Arguments& arguments, backend::Backend& native) : arguments_(arguments), native_(native) {
    options_.ops = &ops::op_table();
  }

  int go() {
    const auto start = std::chrono::steady_clock::now();
    for (uint64_t done = 0; done < arguments_.count; done += arguments_.batch) {
      const uint64_t first = arguments_.from + done;
      if (!batch(first, std::min(arguments_.batch, arguments_.count - done))) return 1;
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    fmt::print("{}", coverage_.print());
    fmt::print("seed {}, index {} to {}: {} programs agree, {} took too long, {:.1f} s, {:.0f} programs/s\n",
               arguments_.seed, arguments_.from, arguments_.from + arguments_.count - 1, agreed_, too_long_,
               seconds, double(arguments_.count) / seconds);
    // Programs that are given up on are not tested; a few are the price of loops, many would be a fault.
    if (too_long_ * 100 > arguments_.count) {
      fmt::print("more than 1 % took too long\n");
      return 1;
    }
    return 0;
  }

 private:
  bool batch(uint64_t first, uint64_t count) {
    std::vector<test::Trial> trials(count);
    tbb::parallel_for(uint64_t{0}, count, [&](uint64_t i) {
      trials[i].program = generate::random_program(arguments_.seed, first + i, options_);
      test::judge_on_host(trials[i], ops::op_table(), kMaxSteps);
    });
    std::vector<const check::Checked*> programs;
    std::vector<test::Trial*> compiled;
    for (test::Trial& trial : trials) {
      if (trial.judgement.verdict != test::Verdict::Agree) continue;
      programs.push_back(&*trial.checked);
      compiled.push_back(&trial);
    }
    auto pipelines = native_.compile_batch(programs);
    for (size_t i = 0; i < compiled.size(); ++i) test::judge_pipeline(*compiled[i], pipelines[i], "native");
    for (uint64_t i = 0; i < count; ++i) {
      coverage_.add(trials[i].program.program);
      if (arguments_.print) fmt::print("// index {}\n{}\n", first + i, describe(trials[i].program));
      switch (trials[i].judgement.verdict) {
        case test::Verdict::Agree: ++agreed_; break;
        case test::Verdict::TooLong: ++too_long_; break;
        case test::Verdict::Differ: report(first + i, trials[i]); return false;
      }
    }
    return true;
  }

  void report(uint64_t index, const test::Trial& trial) {
    fmt::print("seed {}, index {}: {}", arguments_.seed, index, trial.judgement.complaint);
    std::fflush(stdout);
    if (!trial.checked) {
      fmt::print("{}", describe(trial.program));
      return;
    }
    std::string complaint;
    const auto fails = [&](const generate::ProgramCase& candidate) {
      const test::Judgement judgement = test::judge(candidate, ops::op_table(), native_, kMaxSteps);
      if (judgement.verdict == test::Verdict::Differ) complaint = judgement.complaint;
      return judgement.verdict == test::Verdict::Differ;
    };
    const auto shrunk = generate::shrink_program(trial.program, ops::op_table(), fails);
    fmt::print("shrunk: {}{}", complaint, describe(shrunk));
  }

  const Arguments& arguments_;
  backend::Backend& native_;
  generate::ProgramOptions options_;
  generate::ProgramCoverage coverage_;
  uint64_t agreed_ = 0;
  uint64_t too_long_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!parse(argc, argv, arguments)) {
    fmt::print(stderr,
               "usage: random_programs [--count N] [--seed S] [--from K] [--batch B] [--print]\n"
               "example: random_programs --count 100000 --seed 1\n");
    return 2;
  }
  auto native = vyre::backend::make_native({.optimisation = 0});
  if (!native) {
    fmt::print(stderr, "{}", vyre::render(native.error(), nullptr));
    return 1;
  }
  return Run(arguments, **native).go();
}
