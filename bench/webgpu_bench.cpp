// The WebGPU backend on the library and device that are here: staging, latency, streaming, floats, compiling.
//
//   bench_webgpu [LIB]      without LIB the library that `--backend webgpu` takes
//
// A dispatch stands beside a submission of the same calls without vyre, streaming beside the device's own
// copy from buffer to buffer. Floats stand beside WGSL that a person would write with f32: its results are
// not the same everywhere, since WebGPU lets implementations fuse, flush and approximate, so that rival is
// labelled "not strict" and its results are not compared. Times are the best of several runs, the two sides
// in turns.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "backend/webgpu/webgpu.h"
#include "backend/webgpu/work.h"
#include "device_bench.h"

namespace {

using namespace vyre;
using namespace vyre::bench;
using backend::Backend;
using backend::Bound;
using backend::DeviceRange;
using backend::webgpu::Code;
using backend::webgpu::Device;
using backend::webgpu::Work;

constexpr std::chrono::minutes kPatience{10};

/// The library without vyre's programs: a device of its own, and WGSL by hand.
class Bare {
 public:
  explicit Bare(const std::string& library)
      : device_(must(Device::open(must(backend::webgpu::Instance::open(library)), kPatience))) {}

  struct Kernel {
    std::shared_ptr<Code> code;
    std::shared_ptr<backend::DeviceMemory> from, to;
    uint64_t bytes = 0;
    layout::Groups groups;
  };
  /// Shape: `text` reads binding 0 and writes binding 1, of so many bytes each; both hold `word` again and
  /// again.
  Kernel kernel(const std::string& text, uint64_t bytes, layout::Groups groups, float word) {
    const lower::WgslModule module = {
        .text = text, .threads = 256, .shared_bytes = 0, .buffers = 2, .writable = {false, true}};
    Kernel out = {.code = must(device_->make_code(module)),
                  .from = std::make_shared<backend::DeviceMemory>(must(device_->allocate(bytes))),
                  .to = std::make_shared<backend::DeviceMemory>(must(device_->allocate(bytes))),
                  .bytes = bytes,
                  .groups = groups};
    const std::vector<float> words(bytes / 4, word);
    const auto work = must(device_->begin());
    must(work->write(out.from->allocation(), bytes, 0, std::as_bytes(std::span(words))));
    must(work->finish());
    return out;
  }
  double time_of(int runs, const Kernel& kernel) {
    const Bound from = {&kernel.from->allocation(), 0, kernel.bytes},
                to = {&kernel.to->allocation(), 0, kernel.bytes};
    const uint32_t count = uint32_t(kernel.bytes / 4);
    const backend::Launch launch = {kernel.code, kernel.groups, {from, to}, {false, true}, {count, count}};
    return best_of(runs, [&] {
      const auto work = must(device_->begin());
      must(work->dispatch(launch));
      must(work->finish());
    });
  }
  double copy_time(uint64_t bytes) {
    const auto from = must(device_->allocate(bytes)), to = must(device_->allocate(bytes));
    return best_of(10, [&] {
      Work work(device_);
      work.copy(from.allocation(), 0, to.allocation(), 0, bytes);
      must(work.finish());
    });
  }
  /// A submission that does nothing but copy a word to where the host sees it.
  double submission_time(int runs) {
    const auto memory = must(device_->allocate(256));
    uint32_t word = 0;
    return best_of(runs, [&] {
      const auto work = must(device_->begin());
      must(work->read(memory.allocation(), 0, std::as_writable_bytes(std::span(&word, 1))));
      must(work->finish());
    });
  }

 private:
  const std::shared_ptr<Device> device_;
};

constexpr uint32_t kThreads = 256;  // as in the programs below
constexpr const char* kRivalHead = R"(@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;
@group(0) @binding(2) var<uniform> counts: array<vec4<u32>, 1>;
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x + id.y * 8388608u;
  if (i >= counts[0].x) { return; }
)";

struct FloatCase {
  const char* name;
  std::string program, rival;  // bodies, of x = a[i]
  uint64_t elements;
};

/// Strict floats, made of integers, beside native ones.
void floats(Backend& gpu, Bare& bare, const FloatCase& one) {
  const auto program =
      checked(fmt::format("program p(read a: f32 @0, read_write b: f32 @1) workgroup(256, 1, 1) {{\n"
                          "  let i = invocation_id.x + invocation_id.y * 8388608;\n"
                          "  let x = a[i];\n  {}\n  b[i] = x;\n}}",
                          one.program));
  const std::string rival_text =
      fmt::format("{}  var x = a[i];\n  {}\n  b[i] = x;\n}}\n", kRivalHead, one.rival);
  const uint64_t bytes = one.elements * 4;
  const auto pipeline = must(gpu.compile(program));
  const auto from = must(gpu.allocate(bytes)), to = must(gpu.allocate(bytes));
  const std::vector<float> input(one.elements, 1.25f);
  must(from->write(0, std::as_bytes(std::span(input))));
  const DeviceRange ranges[] = {{from.get(), 0, bytes}, {to.get(), 0, bytes}};
  const Bare::Kernel rival = bare.kernel(rival_text, bytes, rows_of(one.elements, kThreads), 1.25f);
  double ours = 1e9, theirs = 1e9;
  // In turn, and long enough for the device to leave the clock at which it idles.
  constexpr double kLeastSeconds = 0.5;
  constexpr int kLeastRounds = 5;
  const auto start = std::chrono::steady_clock::now();
  const auto spent = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  for (int round = 0; round < kLeastRounds || spent() < kLeastSeconds; ++round) {
    ours = std::min(ours, best_of(2, [&] {
                      must(pipeline->dispatch_resident(ranges, rows_of(one.elements, kThreads)));
                    }));
    theirs = std::min(theirs, bare.time_of(2, rival));
  }
  fmt::print("floats, {:<24} strict {:9.3f} ms      native f32, not strict {:9.3f} ms      ratio {:.2f}\n",
             one.name, ours * 1e3, theirs * 1e3, ours / theirs);
}

void all_floats(Backend& gpu, Bare& bare, bool large) {
  const uint64_t memory = large ? 64ull << 20 : 1ull << 20, compute = large ? 1ull << 20 : 1ull << 12;
  const uint32_t rounds = large ? 1000 : 100;
  const auto chain = [&](const char* step) { return fmt::format("for k in 0..{} {{ {} }}", rounds, step); };
  const auto rival = [&](const char* step) {
    return fmt::format("for (var k = 0u; k < {}u; k++) {{ {} }}", rounds, step);
  };
  floats(gpu, bare, {"one add, memory-bound", "x = x + 1.5;", "x = x + 1.5;", memory});
  floats(gpu, bare,
         {"one multiply-add, same", "x = fmul_add(x, 0.75, 1.5);", "x = fma(x, 0.75, 1.5);", memory});
  floats(gpu, bare,
         {"chain of add, mul", chain("x = x * 0.999 + 1.5;"), rival("x = x * 0.999 + 1.5;"), compute});
  floats(gpu, bare, {"chain of div, add", chain("x = 3.0 / x + 0.5;"), rival("x = 3.0 / x + 0.5;"), compute});
  floats(gpu, bare,
         {"chain of sqrt, add", chain("x = fsqrt(x) + 0.5;"), rival("x = sqrt(x) + 0.5;"), compute});
}

void compiling(const backend::WebgpuOptions& options, uint32_t programs_wanted) {
  const auto program = checked(kSmall);
  std::unique_ptr<Backend> gpu;
  const double open = seconds([&] { gpu = must(backend::make_webgpu(options)); });
  std::unique_ptr<backend::Pipeline> pipeline;
  const double first = seconds([&] { pipeline = must(gpu->compile(program)); });
  const double again = seconds([&] { must(gpu->compile(program)); });
  fmt::print(
      "compiling one kernel   first {:6.1f} ms           again {:6.2f} ms         (opening {:.0f} ms)\n",
      first * 1e3, again * 1e3, open * 1e3);
  const RandomPrograms programs(programs_wanted);
  fmt::print("compiling {} random programs: {:6.2f} ms a program\n", programs_wanted,
             programs.time_to_compile(*gpu) * 1e3);
}

}  // namespace

int main(int argc, char** argv) {
  const backend::WebgpuOptions options = {.library = argc > 1 ? argv[1] : ""};
  const auto gpu = must(backend::make_webgpu(options));
  fmt::print("{}; {}\n", gpu->identity().device, gpu->identity().driver);
  Bare bare(options.library);
  // A device that is a CPU gets less to do.
  const bool large = gpu->identity().device.find("GPU)") != std::string::npos;
  const uint64_t most = std::min<uint64_t>(1ull << 30, std::bit_floor(gpu->limits().max_buffer_bytes));
  staging(*gpu, size_t(large ? 512 << 20 : 64 << 20));
  latency(*gpu, "a word copied back", [&] { return bare.submission_time(200); });
  const uint64_t streamed = large ? most : 64ull << 20;
  bench::streaming(*gpu, streamed, kThreads, bare.copy_time(streamed));
  all_floats(*gpu, bare, large);
  compiling(options, large ? 1024 : 64);
  return 0;
}
