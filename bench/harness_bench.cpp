// How fast the harness judges, where its time goes, and beside it a bare loop that judges nothing.
//
//   bench_harness [--backend NAME] [--process] [--cases N] [--device-cases N] [--seconds S] [--seed N]
//                 [--only parity|memory|values|programs] [--select GLOB]
//
// "parity": every primitive gets its share of --cases, as certification does it (verify::check_cases). Beside
// the rate stand those of two loops, and the ratios to them: a plain one makes the same inputs and expected
// values, dispatches and compares, on one thread; a bare one dispatches over buffers that are there already
// and compares what comes with what is known. Then what each stage takes by itself, on one thread, in
// nanoseconds a case. "memory": peak memory of 10^6 cases and of --cases on the host, of 10^6 and
// --device-cases on the device. "values": cases made and judged on the device, a second, measured for
// --seconds. "programs": random programs made, compiled, run and compared with the interpreter, a second.
// --process puts the backend into a process of its own, as certification does. Exit 1 when anything failed, 3
// when there is no device.
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <fstream>
#include <string>

#include "backend/registry/registry.h"
#include "device_bench.h"
#include "suite/suite.h"
#include "verify/device_values.h"
#include "verify/examine.h"
#include "verify/families.h"
#include "verify/leaves.h"
#include "verify/parity.h"
#include "verify/program_parity.h"
#include "worker/worker.h"

namespace {

using namespace vyre;
using bench::must;

struct Options {
  std::string backend = "native";
  std::string only;
  std::string select = "primitive.*";
  uint64_t cases = 100'000'000;
  uint64_t seed = 1;
  uint64_t device_cases = 10'000'000'000;
  double seconds = 0.5;  // that a rate on the device is measured for
  bool process = false;
};
bool wanted(const Options& options, std::string_view table) {
  return options.only.empty() || options.only == table;
}

struct Stages {
  double generate = 0, expected = 0, poison = 0, dispatch = 0, compare = 0;  // seconds
};

template <typename Work>
void timed(double& sum, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  sum += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<verify::CaseRange> cases_of(const verify::Subject& subject, uint64_t seed, uint64_t cases) {
  return verify::plan_cases(subject, seed, cases, uint64_t{1} << 20, false);
}

/// Some slices of random cases, each stage by itself. Return: what one slice takes.
Stages stages_of(const verify::Subject& subject, verify::Elementwise& pipeline, uint64_t seed) {
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
    timed(sum.compare, [&] { bench::must_be(expected == actual, subject.name); });
  }
  for (double* part : {&sum.generate, &sum.expected, &sum.poison, &sum.dispatch, &sum.compare})
    *part /= double(kRounds);
  return sum;
}

/// Seconds that as many dispatches and comparisons take when the buffers of one slice are used again and
/// again.
double bare_loop(backend::Backend& backend, const verify::Subject& subject, uint64_t seed, uint64_t cases) {
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
  return bench::seconds([&] {
    for (uint64_t round = 0; round < rounds; ++round) {
      must(pipeline->dispatch(host, groups));
      bench::must_be(std::memcmp(buffers.back().data(), expected.data(), slice * 4) == 0, subject.name);
    }
  });
}

/// Seconds that a plain loop takes which makes the same inputs and expected values, dispatches and compares.
double plain_loop(backend::Backend& backend, const verify::Subject& subject, uint64_t seed, uint64_t cases) {
  const auto pipeline = must(verify::Elementwise::make(backend, subject.application));
  const size_t slice = verify::slice_of(subject);
  verify::Columns columns(verify::input_words(subject.application), slice);
  std::vector<uint32_t> expected(slice), actual(slice);
  return bench::seconds([&] {
    for (const verify::CaseRange& range : cases_of(subject, seed, cases)) {
      const verify::CaseSource source(subject, range, seed);
      for (uint64_t begin = 0; begin < range.count; begin += slice) {
        const size_t n = size_t(std::min<uint64_t>(slice, range.count - begin));
        const std::span wanted(expected.data(), n), answers(actual.data(), n);
        source.fill(begin, n, columns.writable());
        subject.expected(columns.readable(), wanted);
        must(pipeline->apply(columns.readable(), answers, 0));
        bench::must_be(std::ranges::equal(wanted, answers), subject.name);
      }
    }
  });
}

/// Seconds; the verdict is looked at.
double judged(backend::Backend& backend, const verify::Subject& subject, uint64_t seed, uint64_t cases) {
  verify::Verdict verdict;
  must(backend.renew());
  constexpr std::array kSizes = {verify::kWorkgroup};
  const auto pipelines = must(verify::make_pipelines(backend, subject, kSizes, seed, verdict));
  const verify::Monitor monitor;
  verify::Examiner examiner(backend, subject, pipelines.all, seed, monitor, verdict);
  const auto ranges = cases_of(subject, seed, cases);
  verify::LeafWriter leaves(verdict, subject.oracle);
  const double took = bench::seconds(
      [&] { must(verify::check_cases(subject, examiner, ranges, seed, monitor, verdict, leaves)); });
  bench::must_be(verdict.failure_count == 0 && verdict.parity.at(0).tally.whole(), subject.name);
  return took;
}

uint64_t size_of(std::span<const verify::CaseRange> ranges) {
  uint64_t sum = 0;
  for (const verify::CaseRange& range : ranges) sum += range.count;
  return sum;
}

std::vector<const ops::Operation*> primitives(const Options& options) {
  return must(suite::select(options.select));
}

void parity(backend::Backend& backend, const Options& options) {
  const auto operations = primitives(options);
  const uint64_t share = options.cases / operations.size();
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
    const double mine = judged(backend, subject, options.seed, share);
    const double loop = plain_loop(backend, subject, options.seed, share);
    const double again = bare_loop(backend, subject, options.seed, cases);
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
}

/// Peak memory since the last call of this process. Unit  KiB.
uint64_t peak_memory() {
  uint64_t peak = 0;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) peak = std::strtoull(line.c_str() + 6, nullptr, 10);
  }
  std::ofstream("/proc/self/clear_refs") << "5";
  return peak;
}

void memory(backend::Backend& backend, const Options& options) {
  const verify::Subject subject = verify::subject_of(*ops::find_operation("primitive.math.add"));
  const auto peak_of = [&](uint64_t cases) {
    peak_memory();
    const double took = judged(backend, subject, options.seed, cases);
    const uint64_t peak = peak_memory();
    fmt::print("memory, {:>12} cases on the host: {:7.1f} MiB at most, {:.1f} s\n", cases,
               double(peak) / 1024, took);
    return peak;
  };
  const uint64_t few = peak_of(1'000'000), many = peak_of(options.cases);
  fmt::print("memory, more: {:.1f} MiB\n", (double(many) - double(few)) / 1024);
}

void programs(backend::Backend& backend, const Options& options) {
  constexpr uint64_t kPrograms = 400;
  constexpr size_t kBatch = 16;
  double make = 0, compile = 0, dispatch = 0, expected = 0, compare = 0;
  must(backend.renew());
  const double all = bench::seconds([&] {
    for (uint64_t begin = 0; begin < kPrograms; begin += kBatch) {
      std::vector<generate::ProgramCase> cases;
      std::vector<check::Checked> checked;
      std::vector<const check::Checked*> pointers;
      timed(make, [&] {
        for (uint64_t k = 0; k < kBatch; ++k) {
          cases.push_back(verify::family_case(verify::Family::Programs, options.seed, begin + k));
          auto good = check::check(cases.back().program, ops::op_table());
          if (!good) bench::stop(good.error().front());
          checked.push_back(std::move(*good));
        }
        for (const check::Checked& one : checked) pointers.push_back(&one);
      });
      std::vector<Result<std::unique_ptr<backend::Pipeline>>> pipelines;
      timed(compile, [&] { pipelines = backend.compile_batch(pointers); });
      for (size_t k = 0; k < kBatch; ++k) {
        const auto pipeline = must(std::move(pipelines[k]));
        std::vector<Bytes> right;
        verify::ProgramRun run;
        timed(expected, [&] { right = must(verify::reference_answer(checked[k], cases[k])); });
        timed(dispatch, [&] { run = must(verify::run_on(*pipeline, cases[k])); });
        timed(compare, [&] {
          bench::must_be(!verify::first_difference(checked[k], right, run.buffers), "a random program");
        });
      }
    }
  });
  const double each = 1e3 / double(kPrograms);
  fmt::print(
      "programs: {:.0f} a second one after the other; each made in {:.2f} ms, compiled in {:.2f}, "
      "interpreted in {:.2f}, run in {:.2f}, compared in {:.3f}\n",
      double(kPrograms) / all, make * each, compile * each, expected * each, dispatch * each, compare * each);
  const verify::FamilyPlan plan{.cases_a_subject = 0, .inputs_a_shape = 0, .random_programs = kPrograms};
  verify::Verdict verdict;
  const double took = bench::seconds(
      [&] { verdict = verify::check_family(backend, verify::Family::Programs, plan, options.seed, {}); });
  bench::must_be(verdict.error.empty() && verdict.failure_count == 0, "random programs");
  fmt::print("programs: {:.0f} a second judged by the harness, each run three times\n",
             double(kPrograms) / took);
}

/// Cases of each primitive made and judged on the device, as many as take about a second, and peak memory.
void values(backend::Backend& backend, const Options& options) {
  fmt::print("{:<34} {:>10} {:>16} {:>9}\n", "values on the device", "a second", "cases", "compiling");
  double inverse = 0;
  size_t with = 0;
  must(backend.renew());
  for (const ops::Operation* operation : primitives(options)) {
    const auto bound = verify::value_law(*operation);
    if (!bound) {
      fmt::print("{:<34} none: {}\n", operation->id, bound.error());
      continue;
    }
    std::unique_ptr<verify::DeviceLaw> law;
    const double compiling =
        bench::seconds([&] { law = must(verify::DeviceLaw::make(backend, **bound, verify::value_table())); });
    uint64_t cases = uint64_t{1} << 20;
    double took = 0;
    while (true) {
      verify::SweepCounts counts;
      took =
          bench::seconds([&] { counts = must(law->run(verify::random_sweep(*law, cases, options.seed))); });
      bench::must_be(counts.doubt().empty() && counts.failures == 0, operation->id);
      if (took > options.seconds || cases >= uint64_t{1} << 40) break;
      cases *= took > options.seconds / 4 ? 2 : 4;
    }
    fmt::print("{:<34} {:10.2e} {:16} {:6.0f} ms\n", operation->id, double(cases) / took, cases,
               compiling * 1e3);
    std::fflush(stdout);
    inverse += took / double(cases);
    ++with;
  }
  fmt::print("{:<34} {:10.2e}\n", "all, as many of each", double(with) / inverse);
}

/// Peak memory of few cases on the device and of many, of one operation.
void device_memory(backend::Backend& backend, const Options& options) {
  const auto bound = verify::value_law(*ops::find_operation("primitive.math.add"));
  const auto law = must(verify::DeviceLaw::make(backend, **bound, verify::value_table()));
  const auto peak_of = [&](uint64_t cases) {
    peak_memory();
    verify::SweepCounts counts;
    const double took =
        bench::seconds([&] { counts = must(law->run(verify::random_sweep(*law, cases, options.seed))); });
    bench::must_be(counts.doubt().empty() && counts.failures == 0, "values");
    const uint64_t peak = peak_memory();
    fmt::print("memory, {:>12} cases on the device: {:5.1f} MiB at most, {:.1f} s\n", counts.instances,
               double(peak) / 1024, took);
    return peak;
  };
  const uint64_t few = peak_of(1'000'000), many = peak_of(options.device_cases);
  fmt::print("memory, more: {:.1f} MiB\n", (double(many) - double(few)) / 1024);
}

std::unique_ptr<backend::Backend> open(const Options& options) {
  if (!options.process) return must(backend::open(options.backend));
  worker::Options worker;
  worker.backend = options.backend;
  return must(worker::make_worker(worker));
}

int run(const Options& options) {
  const auto backend = open(options);
  fmt::print("{}, {}{}\n", backend->identity().device, backend->identity().driver,
             options.process ? ", in a process of its own" : "");
  if (wanted(options, "parity")) parity(*backend, options);
  if (wanted(options, "memory")) memory(*backend, options);
  if (wanted(options, "memory")) device_memory(*backend, options);
  if (wanted(options, "values")) values(*backend, options);
  if (wanted(options, "programs")) programs(*backend, options);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 5 && std::strcmp(argv[1], "worker") == 0)
    return worker::serve([&] { return backend::open(argv[3]); }, std::stoi(argv[5]), verify::value_table());
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--process") {
      options.process = true;
      continue;
    }
    if (++i == argc) return fmt::print(stderr, "an option lacks its value\n"), 2;
    const char* const value = argv[i];
    if (name == "--backend")
      options.backend = value;
    else if (name == "--cases")
      options.cases = std::strtoull(value, nullptr, 0);
    else if (name == "--device-cases")
      options.device_cases = std::strtoull(value, nullptr, 0);
    else if (name == "--seconds")
      options.seconds = std::strtod(value, nullptr);
    else if (name == "--seed")
      options.seed = std::strtoull(value, nullptr, 0);
    else if (name == "--only")
      options.only = value;
    else if (name == "--select")
      options.select = value;
    else
      return fmt::print(stderr, "unknown option {}\n", name), 2;
  }
  return run(options);
}
