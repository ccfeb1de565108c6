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

#include <algorithm>
#include <cstdio>
#include <cstdlib>
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
  compiling_one([&](const std::string& folder) {
    return must(backend::make_cuda({.ordinal = ordinal, .cache = folder}));
  });
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
