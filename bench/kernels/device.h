// What rivals in CUDA C++ share: a launch, and the device's memory for vyre_rivals().
//
// A compiler other than nvcc takes the same files as C++ and runs their threads on the host (emulated.h):
// slowly, but the bytes of every rival can be compared where there is no GPU.
#pragma once

#include "rivals.h"

#ifdef __CUDACC__
#include <cuda_runtime.h>
template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), dim3 groups, dim3 threads, Arguments... arguments) {
  kernel<<<groups, threads>>>(Parameters(arguments)...);
}
#else
#include "emulated.h"
#endif

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using u128 = unsigned __int128;

/// Workgroups of so many threads for n elements.
inline unsigned groups_of(size_t n, unsigned threads) { return unsigned((n + threads - 1) / threads); }
__device__ inline u32 global_x() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ inline u32 global_y() { return blockIdx.y * blockDim.y + threadIdx.y; }

/// Memory of the device that is kept from one run to the next; what is asked for once has the same number
/// each time.
inline void* scratch(size_t bytes, size_t number = 0) {
  struct Kept {
    void* at;
    size_t bytes;
  };
  static Kept all[8] = {};
  Kept& kept = all[number];
  if (kept.bytes < bytes) {
    (void)cudaFree(kept.at);
    kept = {nullptr, bytes};
    (void)cudaMalloc(&kept.at, bytes);
  }
  return kept.at;
}
template <typename T>
T* scratch_of(size_t count, size_t number = 0) {
  return static_cast<T*>(scratch(count * sizeof(T), number));
}
/// CUB says first how much memory it wants, then works.
template <typename Call>
void with_memory(const Call& call) {
  size_t bytes = 0;
  (void)call(nullptr, bytes);
  void* const at = scratch(bytes == 0 ? 1 : bytes, 7);
  (void)call(at, bytes);
}
