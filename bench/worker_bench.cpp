// A worker against its backend in this process: what it costs that a driver may die.
//
// Both are the native backend on one thread. The times are the best of many interleaved runs, so that a busy
// machine hurts both alike; the ratio is what counts (1.00: as fast as in this process). "dispatch" is the
// pipeline alone; "slice" is a slice of a certification as the harness does it, with packing, canaries, the
// reference function and the comparison; the last table is the certification of operations at standard
// strength, in processor time of both processes. An argument names the one table to make. This program is
// also the worker that it starts.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

#include "backend/registry/registry.h"
#include "base/random.h"
#include "verify/elementwise.h"
#include "verify/operation.h"
#include "worker/worker.h"

namespace {

using namespace vyre;
using Seconds = std::chrono::duration<double>;

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return Seconds(std::chrono::steady_clock::now() - begin).count();
}

struct Pair {
  double here = 1e9;
  double there = 1e9;
  double ratio() const { return there / here; }
};
/// Interleaved until `budget` seconds have passed.
Pair best_of(double budget, const std::function<void()>& here, const std::function<void()>& there) {
  Pair best;
  const auto begin = std::chrono::steady_clock::now();
  do {
    best.here = std::min(best.here, seconds_of(here));
    best.there = std::min(best.there, seconds_of(there));
  } while (Seconds(std::chrono::steady_clock::now() - begin).count() < budget);
  return best;
}

[[noreturn]] void give_up(const Diag& diag) {
  fmt::print(stderr, "{}", render(diag, nullptr));
  std::exit(1);
}
template <typename T>
T expect(Result<T> result) {
  if (!result) give_up(result.error());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// a + b + ..., or ~a: as cheap as an operation can be, so that a worker's share is largest.
verify::Application cheapest(size_t columns) {
  return {"cheapest", std::vector<ir::DataType>(columns, ir::DataType::U32), ir::DataType::U32,
          [](ir::ProgramBuilder&, std::span<const ir::Ex> x) {
            ir::Ex out = ~x[0];
            for (size_t k = 1; k < x.size(); ++k) out = out + x[k];
            return out;
          }};
}

Pair dispatch_times(backend::Backend& here, backend::Backend& there, size_t columns, size_t n) {
  auto program = check::check(verify::elementwise_program(cheapest(columns), 256), ops::op_table());
  const auto local = expect(here.compile(*program));
  const auto remote = expect(there.compile(*program));
  std::vector<Bytes> buffers(columns + 1, Bytes(n * 4));
  for (Bytes& buffer : buffers) {
    for (size_t i = 0; i < n; ++i) store_u32(buffer.data() + 4 * i, philox(1, i)[0]);
  }
  std::vector<std::span<std::byte>> host(buffers.begin(), buffers.end());
  const layout::Groups groups{uint32_t((n + 255) / 256), 1, 1};
  return best_of(
      0.3, [&] { expect(local->dispatch(host, groups)); }, [&] { expect(remote->dispatch(host, groups)); });
}

Pair slice_times(backend::Backend& here, backend::Backend& there, const ops::Operation& operation, size_t n) {
  const verify::Application what = verify::application_of(operation);
  const auto local = expect(verify::Elementwise::make(here, what));
  const auto remote = expect(verify::Elementwise::make(there, what));
  const size_t arity = what.inputs.size();
  std::vector<std::vector<uint32_t>> words(arity, std::vector<uint32_t>(n));
  std::vector<const uint32_t*> columns;
  for (const auto& w : words) columns.push_back(w.data());
  std::vector<uint32_t> expected(n), actual(n);
  const auto judge = [&](verify::Elementwise& backend) {
    for (size_t k = 0; k < arity; ++k) {
      for (size_t i = 0; i < n; ++i) words[k][i] = philox(k, i)[0];
    }
    std::vector<uint32_t> operands(arity);
    for (size_t i = 0; i < n; ++i) {
      for (size_t k = 0; k < arity; ++k) operands[k] = words[k][i];
      expected[i] = operation.reference(operands.data());
    }
    expect(backend.apply(columns, actual, 0x12345678));
    if (actual == expected) return;
    fmt::print(stderr, "{}: a wrong answer\n", operation.id);
    std::exit(1);
  };
  return best_of(0.5, [&] { judge(*local); }, [&] { judge(*remote); });
}

/// Processor seconds of this process and of those that it has waited for.
double processor_seconds() {
  double sum = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage = {};
    ::getrusage(who, &usage);
    for (const timeval& t : {usage.ru_utime, usage.ru_stime})
      sum += double(t.tv_sec) + double(t.tv_usec) * 1e-6;
  }
  return sum;
}

/// Processor time, the new process that a subject gets included: on a busy machine it says more than the
/// clock.
Pair certify_times(backend::Backend& here, backend::Backend& there, const ops::Operation& operation) {
  const verify::OperationPlan plan = verify::operation_plan(verify::Strength::Standard);
  const auto judge = [&](backend::Backend& backend) {
    expect(backend.restart());
    const double begin = processor_seconds();
    const verify::Verdict verdict = verify::check_operation(backend, operation, plan, 1, {});
    expect(backend.restart());
    if (!verdict.error.empty() || verdict.failure_count != 0) {
      fmt::print(stderr, "{}: {} failures {}\n", operation.id, verdict.failure_count, verdict.error);
      std::exit(1);
    }
    return processor_seconds() - begin;
  };
  Pair best;
  for (int round = 0; round < 3; ++round) {
    best.here = std::min(best.here, judge(here));
    best.there = std::min(best.there, judge(there));
  }
  return best;
}

constexpr std::array<std::string_view, 4> kOperations = {"primitive.bitwise.not", "primitive.math.add",
                                                         "primitive.bitwise.rotl", "primitive.math.clamp"};

int run(std::string_view only) {
  const auto wanted = [&](std::string_view table) { return only.empty() || only == table; };
  const auto here = expect(backend::open("native", {.threads = 1}));
  worker::Options options;
  options.backend = "native";
  options.backend_options.threads = 1;
  const auto there = expect(worker::make_worker(options));

  const Pair start = best_of(
      1, [&] { expect(backend::open("native", {.threads = 1})); },
      [&] {
        expect(there->restart());
        expect(there->allocate(1));
      });
  fmt::print("opening: {:.1f} ms here, {:.1f} ms a new process\n\n", start.here * 1e3, start.there * 1e3);

  fmt::print("{:28} {:>9} {:>12} {:>12} {:>7}\n", "dispatch", "elements", "here us", "worker us", "ratio");
  for (const size_t columns : {1u, 2u, 4u}) {
    if (!wanted("dispatch")) break;
    for (const size_t n : {256u, 4096u, 65536u, 1u << 20}) {
      const Pair t = dispatch_times(*here, *there, columns, n);
      fmt::print("{:28} {:9} {:12.1f} {:12.1f} {:7.2f}\n", fmt::format("{} columns", columns), n,
                 t.here * 1e6, t.there * 1e6, t.ratio());
    }
  }
  fmt::print("\n{:28} {:>9} {:>12} {:>12} {:>7}\n", "slice", "elements", "here us", "worker us", "ratio");
  for (const std::string_view id : kOperations) {
    if (!wanted("slice")) break;
    const Pair t = slice_times(*here, *there, *ops::find_operation(id), 65536);
    fmt::print("{:28} {:9} {:12.1f} {:12.1f} {:7.2f}\n", id, 65536, t.here * 1e6, t.there * 1e6, t.ratio());
  }
  fmt::print("\n{:28} {:>9} {:>12} {:>12} {:>7}\n", "certification, standard", "", "here cpu s",
             "worker cpu s", "ratio");
  Pair sum{0, 0};
  for (const std::string_view id : kOperations) {
    if (!wanted("certification")) break;
    const Pair t = certify_times(*here, *there, *ops::find_operation(id));
    fmt::print("{:28} {:9} {:12.3f} {:12.3f} {:7.2f}\n", id, "", t.here, t.there, t.ratio());
    sum.here += t.here;
    sum.there += t.there;
  }
  fmt::print("{:28} {:9} {:12.3f} {:12.3f} {:7.2f}\n", "together", "", sum.here, sum.there, sum.ratio());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 5 && std::strcmp(argv[1], "worker") == 0)
    return worker::serve([] { return backend::open("native", {.threads = 1}); }, std::stoi(argv[5]));
  return run(argc > 1 ? argv[1] : "");
}
