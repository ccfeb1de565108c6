// The CUDA backend on the GPU that is here: staging, latency, streaming and compiling.
//
//   bench_cuda [N]        device N, 0 without it
//
// Rates that only a rival makes sense of have one in the same run: staging stands beside a copy of the same
// memory by the host, streaming beside the driver's own copy from device memory to device memory. Times are
// the best of several runs. Results are looked at first: a fast wrong answer is no answer. Exit 1 when one is
// wrong, 3 when there is no GPU.
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "backend/cuda/cuda.h"
#include "backend/cuda/driver.h"
#include "device_bench.h"
#include "pipelines.h"

namespace {

using namespace vyre;
using namespace vyre::bench;
using backend::Backend;
using backend::DeviceRange;

void latency(Backend& gpu) {
  const auto program = checked(kSmall);
  const auto pipeline = must(gpu.compile(program));
  std::vector<uint32_t> a(64, 41), out(64);
  const std::vector<std::span<std::byte>> host = {std::as_writable_bytes(std::span(a)),
                                                  std::as_writable_bytes(std::span(out))};
  const double copied = best_of(2000, [&] { must(pipeline->dispatch(host, {1, 1, 1})); });
  must_be(out == std::vector<uint32_t>(64, 42), "latency");
  const auto from = must(gpu.allocate(256)), to = must(gpu.allocate(256));
  const DeviceRange ranges[] = {{from.get(), 0, 256}, {to.get(), 0, 256}};
  const double resident = best_of(2000, [&] { must(pipeline->dispatch_resident(ranges, {1, 1, 1})); });
  fmt::print("latency, 64 elements   with copies {:6.1f} us      resident {:6.1f} us\n", copied * 1e6,
             resident * 1e6);
}

/// The driver's copy inside device memory; the context is the one that the backend has made current.
double device_copy(uint64_t bytes) {
  void* const library = dlopen(
      std::getenv("VYRE_CUDA_LIB") != nullptr ? std::getenv("VYRE_CUDA_LIB") : "libcuda.so.1", RTLD_NOW);
  const auto driver = must(backend::cuda::open_driver(""));
  const auto copy = reinterpret_cast<int (*)(uint64_t, uint64_t, size_t)>(dlsym(library, "cuMemcpyDtoD_v2"));
  const auto wait = reinterpret_cast<int (*)()>(dlsym(library, "cuCtxSynchronize"));
  uint64_t from = 0, to = 0;
  must_be(copy != nullptr && wait != nullptr && driver.allocate(&from, bytes) == 0 &&
              driver.allocate(&to, bytes) == 0,
          "device copy");
  const double best = best_of(20, [&] { must_be(copy(to, from, bytes) == 0 && wait() == 0, "device copy"); });
  driver.release(from);
  driver.release(to);
  return best;
}

void compiling(uint32_t ordinal) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("vyre-bench-cuda-{}", getpid());
  const backend::CudaOptions fresh = {.ordinal = ordinal, .cache = folder.string()};
  const auto program = checked(kSmall);
  const auto time_of = [&](double& open) {
    std::unique_ptr<Backend> gpu;
    open = seconds([&] { gpu = must(backend::make_cuda(fresh)); });
    return seconds([&] { must(gpu->compile(program)); });
  };
  double first_open = 0, open = 0;
  const double cold = time_of(first_open), kept = time_of(open);
  std::filesystem::remove_all(folder);
  fmt::print(
      "compiling one kernel   first {:6.1f} ms           kept on disk {:6.2f} ms         (opening {:.0f} "
      "ms)\n",
      cold * 1e3, kept * 1e3, open * 1e3);

  constexpr uint32_t kPrograms = 1024;
  const RandomPrograms programs(kPrograms);
  for (const uint32_t level : {4u, 0u}) {
    for (const unsigned threads : {1u, 0u}) {
      const auto gpu = must(backend::make_cuda(
          {.ordinal = ordinal, .cache = "none", .threads = threads, .optimisation = level}));
      const double time = programs.time_to_compile(*gpu);
      fmt::print("compiling {} random programs, level {}, {}: {:6.2f} ms a program\n", kPrograms, level,
                 threads == 1 ? "one thread" : "all cores ", time * 1e3);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const uint32_t ordinal = argc > 1 ? must(backend::parse_cuda_ordinal(argv[1])) : 0;
  const auto gpu = must(backend::make_cuda({.ordinal = ordinal}));
  fmt::print("{}; {}\n", gpu->identity().device, gpu->identity().driver);
  staging(*gpu, size_t{512} << 20);
  latency(*gpu);
  pipelines(*gpu, 0);
  constexpr uint64_t kStreamed = 1ull << 30;  // far beyond the caches
  bench::streaming(*gpu, kStreamed, 1024, device_copy(kStreamed));
  compiling(ordinal);
  return 0;
}
