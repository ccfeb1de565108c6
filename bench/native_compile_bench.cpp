// How fast batches of small random programs become machine code: what bounds a run of 10^6 of them.
//
// Prints programs a second for compile_batch at level 0, on one thread and on all, beside what making and
// dispatching the same programs takes; and processor time, which a busy machine does not change. Programs are
// those of the generator with at most `nodes` statements and expressions.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "backend/native/native.h"
#include "check/checked.h"
#include "generate/programs.h"
#include "ops/operation.h"

namespace {

using namespace vyre;

constexpr size_t kBatch = 1024;
constexpr size_t kNodes = size_t{1} << 18;  // in all: fewer programs where they are larger

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Program {
  check::Checked checked;
  generate::ProgramCase source;
};

std::vector<Program> make(uint32_t nodes) {
  generate::ProgramOptions options;
  options.ops = &ops::op_table();
  options.max_nodes = nodes;
  std::vector<Program> out;
  for (uint64_t i = 0; out.size() < kNodes / nodes; ++i) {
    auto source = generate::random_program(1, i, options);
    auto checked = check::check(source.program, ops::op_table());
    if (!checked) return {};  // every generated program is valid; the run then fails
    out.push_back({std::move(*checked), std::move(source)});
  }
  return out;
}

bool run(uint32_t nodes, unsigned threads) {
  std::vector<Program> programs;
  const double making = seconds([&] { programs = make(nodes); });
  const auto native = backend::make_native({.optimisation = 0, .threads = threads});
  if (!native) return fmt::print(stderr, "{}\n", render(native.error(), nullptr)), false;
  double compiling = 0, dispatching = 0;
  std::clock_t busy = 0;
  bool good = !programs.empty();
  for (size_t first = 0; first < programs.size(); first += kBatch) {
    const size_t count = std::min(kBatch, programs.size() - first);
    std::vector<const check::Checked*> batch;
    for (size_t i = 0; i < count; ++i) batch.push_back(&programs[first + i].checked);
    std::vector<Result<std::unique_ptr<backend::Pipeline>>> pipelines;
    busy -= std::clock();
    compiling += seconds([&] { pipelines = (*native)->compile_batch(batch); });
    busy += std::clock();
    dispatching += seconds([&] {
      for (size_t i = 0; i < count; ++i) {
        std::vector<std::span<std::byte>> host;
        for (Bytes& bytes : programs[first + i].source.buffers) host.push_back(bytes);
        good &= pipelines[i] && (*pipelines[i])->dispatch(host, programs[first + i].source.groups);
      }
    });
  }
  const auto rate = [&](double time) { return double(programs.size()) / time; };
  fmt::print(
      "up to {:>3} nodes, {} thread{}: compile {:>6.0f}/s ({:>4.0f} us of a core each), dispatch {:>6.0f}/s, "
      "generate and check {:>6.0f}/s\n",
      nodes, threads, threads == 1 ? " " : "s", rate(compiling),
      double(busy) / CLOCKS_PER_SEC / double(programs.size()) * 1e6, rate(dispatching), rate(making));
  if (!good) fmt::print(stderr, "a program did not compile or run\n");
  return good;
}

}  // namespace

int main() {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  bool good = true;
  for (const uint32_t nodes : {32u, 100u, 400u}) {
    for (const unsigned threads : {1u, cores}) good &= run(nodes, threads);
  }
  return good ? 0 : 1;
}
