// How fast laws run on a device, and whether planted-false ones fail exactly as often as they must.
//
//   bench_law [--backend NAME] [--instances N] [--walks N] [--seed N] [--show OPERATION LAW]
//
// Each law of the table sweeps N random full-width instances as verification does (src/verify/device_laws.h),
// from resident buffers. Then every planted-false law runs over the u8 grid, and --walks times through all
// 2^32 words. The exit code is 1 when a law failed, a count was in doubt or a planted-false law was not
// exact. --show prints the program of one law (of its number among the operation's), for `vyre lower`.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "backend/registry/registry.h"
#include "ops/operation.h"
#include "text/text.h"
#include "verify/device_laws.h"

namespace {

using namespace vyre;

struct Row {
  std::string_view operation;
  spec::Law law;
};

std::vector<Row> table() {
  namespace laws = spec::laws;
  return {{"primitive.math.add", laws::commutative()},
          {"primitive.math.mul", laws::commutative()},
          {"primitive.math.mul", laws::associative()},
          {"primitive.math.add", laws::associative()},
          {"primitive.math.min", laws::distributive_over("primitive.math.max")},
          {"primitive.bitwise.and", laws::distributive_over("primitive.bitwise.or")},
          {"primitive.bitwise.not", laws::de_morgan("primitive.bitwise.and", "primitive.bitwise.or")},
          {"primitive.bitwise.reverse_bits", laws::involution()},
          {"primitive.bitwise.popcount", laws::bounded(0, 32)},
          {"primitive.compare.gt", laws::complement("primitive.compare.le", 1)},
          {"primitive.math.abs_diff", laws::commutative()},
          {"primitive.math.gcd", laws::commutative()}};
}

struct Options {
  std::string backend = "native";
  uint64_t instances = 0;  // 0: what takes about a second
  uint32_t walks = 0;
  uint64_t seed = 1;
};

double since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int complain(const Diag& diag) {
  fmt::print(stderr, "{}\n", render(diag, nullptr));
  return 3;
}

/// Instances that take about a second, from a run of a few.
Result<uint64_t> enough(verify::DeviceLaw& law, const Options& options) {
  uint64_t instances = uint64_t{1} << 20;
  while (true) {
    const auto start = std::chrono::steady_clock::now();
    VYRE_CHECK(law.run(verify::random_sweep(law, instances, options.seed)));
    if (since(start) > 0.25 || instances >= uint64_t{1} << 40) return instances * 4;
    instances *= 2;
  }
}

/// Errors: the backend's. False: the law failed or its counts are in doubt.
Result<bool> measure(backend::Backend& backend, const Row& row, const Options& options) {
  const ops::Operation& operation = *ops::find_operation(row.operation);
  const auto bound = algebra::bind(row.law, operation);
  if (!bound) return fmt::print("{} of {}: {}\n", to_string(row.law), row.operation, bound.error()), false;
  const auto begin = std::chrono::steady_clock::now();
  VYRE_TRY(law, verify::DeviceLaw::make(backend, *bound, ops::op_table()));
  const double compiling = since(begin);
  uint64_t instances = options.instances;
  if (instances == 0) {
    VYRE_TRY(found, enough(*law, options));
    instances = found;
  }
  // Once more, warm: the first run finds out how large slices may be.
  VYRE_CHECK(law->run(verify::random_sweep(*law, instances, options.seed)));
  const auto start = std::chrono::steady_clock::now();
  VYRE_TRY(counts, law->run(verify::random_sweep(*law, instances, options.seed)));
  const double took = since(start);
  const std::string doubt = counts.doubt();
  const bool good = doubt.empty() && counts.failures == 0;
  fmt::print("{:<66} {:>15} {:>10.2e} {:>8} {:>6.0f} ms  {}\n",
             fmt::format("{} of {}", to_string(row.law), row.operation), counts.instances,
             double(counts.completed) / took, counts.dispatches, compiling * 1e3,
             !doubt.empty()        ? doubt
             : counts.failures > 0 ? fmt::format("{} FAILED", counts.failures)
                                   : "holds");
  std::fflush(stdout);
  return good;
}

int show(std::string_view id, size_t number) {
  const ops::Operation* operation = ops::find_operation(id);
  if (operation == nullptr || number >= operation->laws.size()) return fmt::print(stderr, "no such law\n"), 2;
  const auto bound = algebra::bind(operation->laws[number], *operation);
  fmt::print("// {} of {}\n{}", to_string(operation->laws[number]), id,
             text::print(verify::law_program(*bound).program));
  return 0;
}

int run(const Options& options) {
  const auto opened = backend::open(options.backend);
  if (!opened) return complain(opened.error());
  backend::Backend& backend = **opened;
  fmt::print("{}, {}\n", backend.identity().device, backend.identity().driver);
  fmt::print("{:<66} {:>15} {:>10} {:>8} {:>9}\n", "law", "instances", "a second", "slices", "compiling");
  bool good = true;
  for (const Row& row : table()) {
    const auto measured = measure(backend, row, options);
    if (!measured) return complain(measured.error());
    good &= *measured;
  }
  fmt::print("\n{:<46} {:<11} {:>15} {:>15} {:>15}\n", "planted-false law", "over", "instances", "must fail",
             "failed");
  const auto planted_laws = verify::check_planted_laws_on_device(backend, 1, options.walks, options.seed, {});
  if (!planted_laws) return complain(planted_laws.error());
  for (const verify::DevicePlantedVerdict& t : *planted_laws) {
    fmt::print("{:<46} {:<11} {:>15} {:>15} {:>15}  {}\n",
               fmt::format("{} of {}", to_string(t.planted->law), t.planted->operation->id), t.sweep,
               t.instances, t.expected, t.failures, t.exact ? "exact" : "NOT EXACT");
    good &= t.exact;
  }
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const char* const value = argv[i + 1];
    if (name == "--show" && i + 2 < argc) return show(value, std::strtoull(argv[i + 2], nullptr, 10));
    if (name == "--backend")
      options.backend = value;
    else if (name == "--instances")
      options.instances = std::strtoull(value, nullptr, 0);
    else if (name == "--walks")
      options.walks = uint32_t(std::strtoul(value, nullptr, 0));
    else if (name == "--seed")
      options.seed = std::strtoull(value, nullptr, 0);
    else
      return fmt::print(stderr, "unknown option {}\n", name), 2;
  }
  if (argc % 2 == 0) return fmt::print(stderr, "an option lacks its value\n"), 2;
  return run(options);
}
