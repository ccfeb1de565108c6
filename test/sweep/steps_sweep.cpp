// steps_sweep: how often the compositions of powers and of angles of points leave a result open.
//
//   steps_sweep [--count N] [--seed N] [--threads N] [OPERATION...]
//
// FPow and FATan2 take two steps (ops/float/soft.h). For directed inputs (as float_sweep has them) the first
// step is asked which results it leaves open, the second which of those it leaves open too: that count has to
// be 0, or a result was rounded without knowing how. Native code; the steps are integers, which are the same
// everywhere. OPERATION: "fpow.f32" or "fatan2.bf16"; without one, both on f32. Exit 0: nothing is open; 1:
// something is; 2: usage.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "backend/native/native.h"
#include "check/checked.h"
#include "domain.h"
#include "ir/builder.h"
#include "operation.h"
#include "ops/float/soft.h"

namespace {

using namespace vyre;
using Words = std::vector<uint32_t>;

constexpr uint64_t kSlice = uint64_t{1} << 20;

/// Whether a step leaves results open, for columns of operands.
class Step {
 public:
  explicit Step(ir::Function function) : function_(std::move(function)) {
    table_.add({.id = "steps.step",
                .signature = {{spec::DataType::U32, spec::DataType::U32}, spec::DataType::Vec2U32},
                .body = &function_});
    ir::ProgramBuilder p("step");
    p.workgroup_size(256, 1, 1);
    const ir::BufferRef a = p.read("a", spec::DataType::U32, 0), b = p.read("b", spec::DataType::U32, 1);
    const ir::BufferRef out = p.read_write("out", spec::DataType::U32, 2);
    p.let("i", p.invocation_id(0));
    p.if_(p.var("i") < p.len(out), [&] {
      const std::vector<ir::Ex> operands = {p.load(a, p.var("i")), p.load(b, p.var("i"))};
      p.store(out, p.var("i"), p.call("steps.step", operands).y());
    });
    auto checked = check::check(p.finish(), table_);
    if (!checked) throw std::runtime_error(checked.error().front().message);
    auto native = backend::make_native({.threads = 1});
    if (!native) throw std::runtime_error(native.error().message);
    native_ = std::move(*native);
    auto pipeline = native_->compile(*checked);
    if (!pipeline) throw std::runtime_error(pipeline.error().message);
    pipeline_ = std::move(*pipeline);
  }

  Words open(Words& a, Words& b) {
    Words out(a.size(), 0xdeadbeef);
    const std::vector<std::span<std::byte>> host = {std::as_writable_bytes(std::span(a)),
                                                    std::as_writable_bytes(std::span(b)),
                                                    std::as_writable_bytes(std::span(out))};
    if (const auto done = pipeline_->dispatch(host, {uint32_t((a.size() + 255) / 256), 1, 1}); !done)
      throw std::runtime_error(done.error().message);
    return out;
  }

 private:
  ir::Function function_;
  spec::OpTable table_;
  std::unique_ptr<backend::Backend> native_;
  std::unique_ptr<backend::Pipeline> pipeline_;
};

struct Counts {
  std::atomic<uint64_t> first = 0, second = 0;
};

void count_slices(const sweep::Operation& operation, uint64_t seed, uint64_t count,
                  std::atomic<uint64_t>& next, Counts& counts) {
  const spec::FloatFormat format = spec::float_format(operation.from);
  Step first(ops::soft_operator(operation.op, format)), second(ops::soft_second(operation.op, format));
  for (uint64_t slice; (slice = next++) * kSlice < count;) {
    const uint64_t n = std::min(kSlice, count - slice * kSlice);
    Words a(n), b(n);
    const std::span<uint32_t> columns[] = {a, b};
    sweep::fill_directed(operation, seed, slice * kSlice, columns);
    const Words open = first.open(a, b);
    Words left_a, left_b;
    for (size_t i = 0; i < n; ++i) {
      if (open[i] == 0) continue;
      left_a.push_back(a[i]);
      left_b.push_back(b[i]);
    }
    counts.first += left_a.size();
    if (left_a.empty()) continue;
    const Words still = second.open(left_a, left_b);
    for (size_t i = 0; i < still.size(); ++i) {
      if (still[i] == 0) continue;
      ++counts.second;
      fmt::print(stderr, "{}: open: {:#x} {:#x}\n", operation.name(), left_a[i], left_b[i]);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"how often compositions of two steps leave a result open"};
  std::vector<std::string> names;
  uint64_t count = 1'000'000, seed = 1;
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  app.add_option("--count", count, "directed inputs of each operation");
  app.add_option("--seed", seed, "of the inputs");
  app.add_option("--threads", threads, "on the host");
  app.add_option("OPERATION", names, "fpow or fatan2 at a type, such as fpow.f32");
  CLI11_PARSE(app, argc, argv);
  if (names.empty()) names = {"fpow.f32", "fatan2.f32"};
  bool nothing = true;
  for (const std::string& name : names) {
    const auto operation = sweep::find_operation(name);
    if (!operation || !ops::has_second_step(operation->op)) {
      fmt::print(stderr, "steps_sweep: `{}` is no operation of two steps\n", name);
      return 2;
    }
    Counts counts;
    std::atomic<uint64_t> next = 0;
    const auto begin = std::chrono::steady_clock::now();
    {
      std::vector<std::jthread> workers;
      for (unsigned t = 0; t < threads; ++t)
        workers.emplace_back([&] { count_slices(*operation, seed, count, next, counts); });
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    fmt::print(
        "| {:12} | inputs {:>12} | open after the first step {:>10} | after the second {:>4} | {:.0f} M/s "
        "|\n",
        name, count, counts.first.load(), counts.second.load(), double(count) / seconds / 1e6);
    std::fflush(stdout);
    nothing = nothing && counts.second == 0;
  }
  return nothing ? 0 : 1;
}
