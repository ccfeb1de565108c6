// Enough of CUDA C++ to run the rivals' kernels as C++ on the host: each thread of a block is a fiber, which
// leaves off at a barrier and goes on when all have come to it. One block at a time, on one thread of the
// host.
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __constant__ static const
#define __forceinline__ inline
#define __launch_bounds__(...)

struct dim3 {
  unsigned x, y, z;
  dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
struct uint2 {
  uint32_t x, y;
};
struct alignas(16) uint4 {
  uint32_t x, y, z, w;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
inline uint4 make_uint4(uint32_t x, uint32_t y, uint32_t z, uint32_t w) { return {x, y, z, w}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

inline dim3 gridDim, blockDim, blockIdx, threadIdx;

namespace emulated {

class Block {
 public:
  void run(dim3 threads, const std::function<void()>& body) {
    const unsigned count = threads.x * threads.y * threads.z;
    constexpr size_t kStack = size_t{128} << 10;
    fibers_.resize(std::max<size_t>(fibers_.size(), count));
    body_ = &body;
    for (unsigned i = 0; i < count; ++i) {
      Fiber& f = fibers_[i];
      if (f.stack.empty()) f.stack.resize(kStack);
      f.index = dim3(i % threads.x, i / threads.x % threads.y, i / threads.x / threads.y);
      f.done = false;
      getcontext(&f.context);
      f.context.uc_stack.ss_sp = f.stack.data();
      f.context.uc_stack.ss_size = kStack;
      f.context.uc_link = nullptr;
      makecontext(&f.context, [] { current().finish(); }, 0);
    }
    for (bool any = true; any;) {
      any = false;
      for (now_ = 0; now_ < count; ++now_) {
        if (fibers_[now_].done) continue;
        any = true;
        threadIdx = fibers_[now_].index;
        swapcontext(&scheduler_, &fibers_[now_].context);
      }
    }
  }
  void barrier() { swapcontext(&fibers_[now_].context, &scheduler_); }
  unsigned now() const { return unsigned(now_); }
  static Block& current() {
    static Block only;
    return only;
  }
  uint64_t exchanged[1024];

 private:
  struct Fiber {
    ucontext_t context;
    std::vector<char> stack;
    dim3 index;
    bool done;
  };
  void finish() {
    (*body_)();
    fibers_[now_].done = true;
    swapcontext(&fibers_[now_].context, &scheduler_);
  }
  std::vector<Fiber> fibers_;
  ucontext_t scheduler_;
  size_t now_ = 0;
  const std::function<void()>* body_ = nullptr;
};

/// What lane `from` of the warp has; all threads of the block must come here.
template <typename T>
T exchange(T value, unsigned from) {
  Block& block = Block::current();
  const unsigned base = block.now() & ~31u;
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  block.exchanged[block.now()] = bits;
  block.barrier();
  bits = block.exchanged[base + (from & 31)];
  block.barrier();
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <typename T>
T change(T* at, T value) {
  const T old = *at;
  *at = value;
  return old;
}

}  // namespace emulated

template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), dim3 groups, dim3 threads, Arguments... arguments) {
  gridDim = groups;
  blockDim = threads;
  for (unsigned z = 0; z < groups.z; ++z) {
    for (unsigned y = 0; y < groups.y; ++y) {
      for (unsigned x = 0; x < groups.x; ++x) {
        blockIdx = dim3(x, y, z);
        emulated::Block::current().run(threads, [&] { kernel(Parameters(arguments)...); });
      }
    }
  }
}

inline void __syncthreads() { emulated::Block::current().barrier(); }
template <typename T>
T __shfl_xor_sync(unsigned, T value, int mask) {
  return emulated::exchange(value, (emulated::Block::current().now() & 31) ^ unsigned(mask));
}
template <typename T>
T __shfl_up_sync(unsigned, T value, unsigned by) {
  const unsigned lane = emulated::Block::current().now() & 31;
  return emulated::exchange(value, lane >= by ? lane - by : lane);
}
template <typename T>
T __shfl_down_sync(unsigned, T value, unsigned by) {
  const unsigned lane = emulated::Block::current().now() & 31;
  return emulated::exchange(value, lane + by < 32 ? lane + by : lane);
}
inline uint32_t atomicAdd(uint32_t* at, uint32_t value) { return emulated::change(at, *at + value); }
inline uint32_t atomicOr(uint32_t* at, uint32_t value) { return emulated::change(at, *at | value); }
inline uint32_t atomicMin(uint32_t* at, uint32_t value) { return emulated::change(at, std::min(*at, value)); }
inline uint32_t atomicMax(uint32_t* at, uint32_t value) { return emulated::change(at, std::max(*at, value)); }
inline int __popc(uint32_t x) { return std::popcount(x); }
inline int __clz(uint32_t x) { return std::countl_zero(x); }
inline uint32_t __brev(uint32_t x) {
  uint32_t out = 0;
  for (int i = 0; i < 32; ++i) out |= (x >> i & 1) << (31 - i);
  return out;
}
inline uint32_t __funnelshift_l(uint32_t low, uint32_t high, uint32_t by) {
  return by % 32 == 0 ? high : high << by % 32 | low >> (32 - by % 32);
}
inline float __uint_as_float(uint32_t x) { return std::bit_cast<float>(x); }
inline uint32_t __float_as_uint(float x) { return std::bit_cast<uint32_t>(x); }
inline double __longlong_as_double(int64_t x) { return std::bit_cast<double>(x); }
inline int64_t __double_as_longlong(double x) { return std::bit_cast<int64_t>(x); }
using std::max;
using std::min;

enum cudaError_t { cudaSuccess };
inline cudaError_t cudaMalloc(void** at, size_t bytes) {
  *at = std::aligned_alloc(256, (bytes + 256) / 256 * 256);
  return cudaSuccess;
}
inline cudaError_t cudaFree(void* at) {
  std::free(at);
  return cudaSuccess;
}
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
inline cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes) {
  std::memset(to, value, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline const char* cudaGetErrorString(cudaError_t) { return ""; }
