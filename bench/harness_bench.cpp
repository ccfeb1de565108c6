// How fast the harness judges, where its time goes, and beside it a bare loop that judges nothing.
//
//   bench_harness [--backend NAME] [--process] [--cases N] [--device-cases N] [--seconds S] [--seed N]
//                 [--only parity|memory|values|programs] [--select GLOB] [--rounds N]
//
// "parity": every primitive gets its share of --cases, as certification does it (verify::check_cases). Beside
// the rate stand those of two loops, and the ratios to them: a plain one makes the same inputs and expected
// values, dispatches and compares, on one thread; a bare one dispatches over buffers that are there already
// and compares what comes with what is known. All three are measured --rounds times, in turn, and the best
// round of each counts, since whatever else runs on the machine only ever makes them slower; how busy it was
// is said. Then what each stage takes by itself, on one thread, in nanoseconds a case. With --process several
// backends judge the operations side by side as well, as in a certification. "memory": peak memory of 10^6
// cases and of --cases on the host, of 10^6 and --device-cases on the device. "values": cases made and judged
// on the device, a second, measured for --seconds. "programs": random programs made, compiled, run and
// compared with the interpreter, a second. --process puts the backend into a process of its own, as
// certification does. Exit 1 when anything failed, 3 when there is no device.
#include <fmt/format.h>
#include <oneapi/tbb/global_control.h>

#include <cstring>
#include <fstream>
#include <optional>
#include <string>

#include "backend/registry/registry.h"
#include "device_bench.h"
#include "harness_parity.h"
#include "suite/suite.h"
#include "verify/device_values.h"
#include "verify/families.h"
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
  uint64_t rounds = 3;
  double seconds = 0.5;  // that a rate on the device is measured for
  bool process = false;
};
bool wanted(const Options& options, std::string_view table) {
  return options.only.empty() || options.only == table;
}

std::vector<const ops::Operation*> primitives(const Options& options) {
  return must(suite::select(options.select)).operations;
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
  const ops::Operation& operation = *ops::find_operation("primitive.math.add");
  const auto peak_of = [&](uint64_t cases) {
    peak_memory();
    const double took = bench::judged(backend, operation, options.seed, cases);
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
  must(backend.restart());
  const double all = bench::seconds([&] {
    for (uint64_t begin = 0; begin < kPrograms; begin += kBatch) {
      std::vector<generate::ProgramCase> cases;
      std::vector<check::Checked> checked;
      std::vector<const check::Checked*> pointers;
      bench::timed(make, [&] {
        for (uint64_t k = 0; k < kBatch; ++k) {
          cases.push_back(verify::family_case(verify::Family::Programs, options.seed, begin + k));
          auto good = check::check(cases.back().program, ops::op_table());
          if (!good) bench::stop(good.error().front());
          checked.push_back(std::move(*good));
        }
        for (const check::Checked& one : checked) pointers.push_back(&one);
      });
      std::vector<Result<std::unique_ptr<backend::Pipeline>>> pipelines;
      bench::timed(compile, [&] { pipelines = backend.compile_batch(pointers); });
      for (size_t k = 0; k < kBatch; ++k) {
        const auto pipeline = must(std::move(pipelines[k]));
        std::vector<Bytes> right;
        verify::ProgramRun run;
        bench::timed(expected, [&] { right = must(verify::reference_answer(checked[k], cases[k])); });
        bench::timed(dispatch, [&] { run = must(verify::run_on(*pipeline, cases[k])); });
        bench::timed(compare, [&] {
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
  must(backend.restart());
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

/// `cores`: that a process of its own may use; 0: all.
std::unique_ptr<backend::Backend> open(const Options& options, unsigned cores = 0) {
  if (!options.process) return must(backend::open(options.backend));
  worker::Options worker;
  worker.backend = options.backend;
  worker.cores = [cores] { return cores; };
  return must(worker::make_worker(worker));
}

void parity(backend::Backend& backend, const Options& options) {
  const auto operations = primitives(options);
  const bench::ParityOptions parity{options.seed, options.cases / operations.size(), options.rounds};
  const double plain = bench::parity(backend, operations, parity);
  if (!options.process) return;
  bench::side_by_side([&](unsigned cores) { return open(options, cores); }, operations, parity, plain);
}

int serve(const char* backend, int socket) {
  std::optional<tbb::global_control> limit;
  const auto limit_cores = [&](unsigned cores) {
    limit.reset();
    if (cores != 0) limit.emplace(tbb::global_control::max_allowed_parallelism, cores);
  };
  return worker::serve([&] { return backend::open(backend); }, socket, verify::value_table(), limit_cores);
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
  if (argc > 5 && std::strcmp(argv[1], "worker") == 0) return serve(argv[3], std::stoi(argv[5]));
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
    else if (name == "--rounds")
      options.rounds = std::max<uint64_t>(1, std::strtoull(value, nullptr, 0));
    else if (name == "--only")
      options.only = value;
    else if (name == "--select")
      options.select = value;
    else
      return fmt::print(stderr, "unknown option {}\n", name), 2;
  }
  return run(options);
}
