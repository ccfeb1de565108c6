// Enough of CUDA C++ to run the rivals' kernels as C++ on the host: each thread of a block is a fiber, which
// leaves off at a barrier and goes on when all have come to it. One block at a time, on one thread of the
// host.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
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

/// Fibers are made once and then run one body after the other. Between them it jumps: that keeps the signal
/// mask, which swapcontext asks the kernel for.
class Block {
 public:
  void run(dim3 threads, const std::function<void()>& body) {
    const unsigned count = threads.x * threads.y * threads.z;
    body_ = &body;
    for (now_ = 0; now_ < count; ++now_) {
      if (now_ == fibers_.size()) fibers_.push_back(std::make_unique<Fiber>());
      Fiber& f = *fibers_[now_];
      f.index = dim3(now_ % threads.x, now_ / threads.x % threads.y, now_ / threads.x / threads.y);
      f.done = false;
    }
    for (bool any = true; any;) {
      any = false;
      for (now_ = 0; now_ < count; ++now_) {
        if (fibers_[now_]->done) continue;
        any = true;
        threadIdx = fibers_[now_]->index;
        resume(*fibers_[now_]);
      }
    }
  }
  void barrier() {
    if (_setjmp(fibers_[now_]->jump) == 0) _longjmp(scheduler_, 1);
  }
  unsigned now() const { return now_; }
  static Block& current() {
    static Block only;
    return only;
  }
  uint64_t exchanged[1024];

 private:
  struct Fiber {
    std::vector<char> stack;
    jmp_buf jump;
    dim3 index;
    bool done;
  };
  void resume(Fiber& f) {
    if (_setjmp(scheduler_) != 0) return;
    if (!f.stack.empty()) _longjmp(f.jump, 1);
    f.stack.resize(size_t{64} << 10);
    ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = f.stack.data();
    context.uc_stack.ss_size = f.stack.size();
    makecontext(&context, [] { current().forever(); }, 0);
    setcontext(&context);
  }
  [[noreturn]] void forever() {
    for (;;) {
      (*body_)();
      fibers_[now_]->done = true;
      barrier();
    }
  }
  std::vector<std::unique_ptr<Fiber>> fibers_;
  jmp_buf scheduler_;
  unsigned now_ = 0;
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
