// freduce_approx beside freduce_tree_binary and freduce_strict: the same fold of the same elements, in turns.
//
//   bench_reduction [--backend NAME] [--count ELEMENTS] [--invocations N]
//
// Every invocation folds the whole buffer by itself, which is what a reduction is (docs/spec/floats.md). On
// native one is as good as many; a GPU wants thousands. Times are the best of several runs, from resident
// buffers, and what is printed are ratios: how many times as long the strict forms take. Each approximate
// result is compared with the strict one first, loosely: what it has to be the family ir.sums judges.
#include <CLI/CLI.hpp>
#include <bit>
#include <cmath>
#include <string>
#include <tuple>

#include "backend/registry/registry.h"
#include "base/random.h"
#include "device_bench.h"

namespace {

using namespace vyre;
using namespace vyre::bench;

struct Options {
  std::string backend = "native";
  uint32_t count = 1 << 16, invocations = 32;
};

class Runner {
 public:
  explicit Runner(const Options& options)
      : options_(options), backend_(must(backend::open(options.backend, {.reference = {}, .threads = 1}))) {}

  backend::Backend& backend() { return *backend_; }
  void fill(const Bytes& data) {
    data_ = must(backend_->allocate(data.size()));
    out_ = must(backend_->allocate(uint64_t{4} * options_.invocations));
    must(data_->write(0, data));
    bytes_ = data.size();
  }
  std::unique_ptr<backend::Pipeline> compile(std::string_view type, const std::string& reduction) {
    return must(backend_->compile(
        checked(fmt::format("program fold(read data: {0} @0, read_write out: {0} @1) workgroup(32, 1, 1) {{\n"
                            "  out[invocation_id.x] = {1};\n}}",
                            type, reduction))));
  }
  void run(backend::Pipeline& pipeline) {
    const backend::DeviceRange ranges[] = {{data_.get(), 0, bytes_},
                                           {out_.get(), 0, uint64_t{4} * options_.invocations}};
    must(pipeline.dispatch_resident(ranges, {options_.invocations / 32, 1, 1}));
  }
  uint32_t first(uint32_t bytes) {
    uint32_t word = 0;
    must(out_->read(0, std::as_writable_bytes(std::span(&word, 1)).first(bytes)));
    return word;
  }

 private:
  const Options& options_;
  std::unique_ptr<backend::Backend> backend_;
  std::unique_ptr<backend::DeviceBuffer> data_, out_;
  uint64_t bytes_ = 0;
};

/// Numbers of both signs around 1, of which a product neither overflows nor vanishes.
Bytes elements(std::string_view type, uint32_t count) {
  Bytes out;
  for (uint32_t k = 0; k < count; ++k) {
    const uint32_t random = philox(1, k, 0)[0];
    const float x = (1 + float(random >> 20) * 0x1p-16f) * (k % 2 == 0 ? 1 : -1);
    const float number = k % 4 < 2 ? x : 1 / x;
    const auto pattern = std::bit_cast<uint32_t>(number);
    // bf16 is the upper half of f32; f16 has ones of 10 bits and another exponent.
    const uint32_t half = (pattern & 0x80000000) >> 16 | (((pattern >> 13) & 0x3ffff) - (112 << 10));
    const uint32_t word = type == "f32" ? pattern : type == "bf16" ? pattern >> 16 : half;
    for (uint32_t b = 0; b < (type == "f32" ? 4u : 2u); ++b) out.push_back(std::byte(word >> 8 * b));
  }
  return out;
}

double best(Runner& runner, backend::Pipeline& pipeline) {
  return best_of(7, [&] { runner.run(pipeline); });
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("freduce_approx beside the strict reductions");
  app.add_option("--backend", options.backend);
  app.add_option("--count", options.count);
  app.add_option("--invocations", options.invocations)->check(CLI::Range(32, 1 << 20));
  CLI11_PARSE(app, argc, argv);
  Runner runner(options);
  fmt::print("{}, {}: {} elements, {} invocations\n", runner.backend().identity().device,
             runner.backend().identity().driver, options.count, options.invocations);
  fmt::print("{:<28} {:>12} {:>14} {:>14}\n", "", "ns/element", "tree / approx", "strict / approx");
  for (const std::string_view type : {"f32", "f16", "bf16"}) {
    runner.fill(elements(type, options.count));
    for (const std::string_view fold : {"fadd", "fmul", "fmin", "fmax"}) {
      const auto tree = runner.compile(type, fmt::format("freduce_tree_binary({}, data)", fold));
      const auto strict = runner.compile(type, fmt::format("freduce_strict({}, data)", fold));
      for (const uint32_t tolerance : {1u, 64u}) {
        const auto approx =
            runner.compile(type, fmt::format("freduce_approx({}, data, {})", fold, tolerance));
        const double ours = best(runner, *approx), by_tree = best(runner, *tree),
                     in_order = best(runner, *strict);
        fmt::print("{:<28} {:12.3f} {:14.2f} {:14.2f}\n",
                   fmt::format("{} {} within {}", type, fold, tolerance),
                   ours * 1e9 / options.count / options.invocations, by_tree / ours, in_order / ours);
        std::fflush(stdout);
      }
    }
  }
  return 0;
}
