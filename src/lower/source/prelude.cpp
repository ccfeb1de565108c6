#include "lower/source/prelude.h"

namespace vyre::lower {
namespace {

constexpr std::string_view kCpp = R"code(#include <atomic>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdio>

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
static_assert(FLT_EVAL_METHOD == 0, "floats must be rounded to their type: on x86, -mfpmath=sse");

[[maybe_unused]] static u32 popcount(u32 a) { return u32(std::popcount(a)); }
[[maybe_unused]] static u32 leading_zeros(u32 a) { return u32(std::countl_zero(a)); }
[[maybe_unused]] static u32 trailing_zeros(u32 a) { return u32(std::countr_zero(a)); }
[[maybe_unused]] static u32 popcount(u64 a) { return u32(std::popcount(a)); }
[[maybe_unused]] static u32 leading_zeros(u64 a) { return u32(std::countl_zero(a)); }
[[maybe_unused]] static u32 trailing_zeros(u64 a) { return u32(std::countr_zero(a)); }
[[maybe_unused]] static u64 high_product(u64 a, u64 b) {
  const u64 al = u32(a), ah = a >> 32, bl = u32(b), bh = b >> 32;
  const u64 middle = ah * bl + (al * bl >> 32), cross = al * bh + u32(middle);
  return ah * bh + (middle >> 32) + (cross >> 32);
}

// Floats by their bits. A product in memory is a rounded one: no compiler may fuse it with a sum.
[[maybe_unused]] static float number(u32 bits) { return std::bit_cast<float>(bits); }
[[maybe_unused]] static u32 bits(float a) { return std::bit_cast<u32>(a); }
[[maybe_unused]] static u32 float_add(u32 a, u32 b) { return bits(number(a) + number(b)); }
[[maybe_unused]] static u32 float_sub(u32 a, u32 b) { return bits(number(a) - number(b)); }
[[maybe_unused]] static u32 float_mul(u32 a, u32 b) {
  volatile float product = number(a) * number(b);
  return bits(product);
}
[[maybe_unused]] static u32 float_div(u32 a, u32 b) { return bits(number(a) / number(b)); }
[[maybe_unused]] static u32 float_mul_add(u32 a, u32 b, u32 c) { return bits(std::fma(number(a), number(b), number(c))); }
[[maybe_unused]] static u32 float_sqrt(u32 a) { return bits(std::sqrt(number(a))); }
[[maybe_unused]] static u32 float_floor(u32 a) { return bits(std::floor(number(a))); }
[[maybe_unused]] static u32 float_ceil(u32 a) { return bits(std::ceil(number(a))); }
[[maybe_unused]] static u32 float_round(u32 a) { return bits(std::nearbyint(number(a))); }
[[maybe_unused]] static u32 float_trunc(u32 a) { return bits(std::trunc(number(a))); }
[[maybe_unused]] static u32 float_from_s32(u32 a) { return bits(float(i32(a))); }
[[maybe_unused]] static u32 float_from_u32(u32 a) { return bits(float(a)); }
static double wide_sum(u32 a, u32 b, u32 c) {
  volatile double product = double(number(a)) * double(number(b));
  return product + double(number(c));
}
[[maybe_unused]] static u32 wide_mul_add(u32 a, u32 b, u32 c) { return bits(float(wide_sum(a, b, c))); }
[[maybe_unused]] static u32 wide_low(u32 a, u32 b, u32 c) { return u32(std::bit_cast<u64>(wide_sum(a, b, c))); }
[[maybe_unused]] static double wide_of(u32 low, u32 high) { return std::bit_cast<double>(u64(high) << 32 | low); }
[[maybe_unused]] static u32 low_word(double a) { return u32(std::bit_cast<u64>(a)); }
[[maybe_unused]] static u32 high_word(double a) { return u32(std::bit_cast<u64>(a) >> 32); }
[[maybe_unused]] static double wide_add(double a, double b) { return a + b; }
[[maybe_unused]] static double wide_sub(double a, double b) { return a - b; }
[[maybe_unused]] static double wide_mul(double a, double b) {
  volatile double product = a * b;
  return product;
}
[[maybe_unused]] static double wide_mul_add(double a, double b, double c) { return std::fma(a, b, c); }
[[maybe_unused]] static double wide_div(double a, double b) { return a / b; }
[[maybe_unused]] static double wide_sqrt(double a) { return std::sqrt(a); }

// Atomics on words of memory; each gives what was there before.
using Word = std::atomic_ref<u32>;
[[maybe_unused]] static u32 atomic_load(u32& at) { return Word(at).load(); }
[[maybe_unused]] static void atomic_store(u32& at, u32 value) { Word(at).store(value); }
[[maybe_unused]] static u32 atomic_add(u32& at, u32 value) { return Word(at).fetch_add(value); }
[[maybe_unused]] static u32 atomic_or(u32& at, u32 value) { return Word(at).fetch_or(value); }
[[maybe_unused]] static u32 atomic_and(u32& at, u32 value) { return Word(at).fetch_and(value); }
[[maybe_unused]] static u32 atomic_xor(u32& at, u32 value) { return Word(at).fetch_xor(value); }
[[maybe_unused]] static u32 atomic_exchange(u32& at, u32 value) { return Word(at).exchange(value); }
[[maybe_unused]] static u32 atomic_compare_exchange(u32& at, u32 expected, u32 value) {
  Word(at).compare_exchange_strong(expected, value);
  return expected;
}
[[maybe_unused]] static u32 atomic_min(u32& at, u32 value) {
  u32 before = Word(at).load();
  while (!Word(at).compare_exchange_strong(before, before < value ? before : value)) {
  }
  return before;
}
[[maybe_unused]] static u32 atomic_max(u32& at, u32 value) {
  u32 before = Word(at).load();
  while (!Word(at).compare_exchange_strong(before, before > value ? before : value)) {
  }
  return before;
}
)code";

constexpr std::string_view kThreads = R"code(#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

)code";

// Not std::barrier: libstdc++'s takes seconds for what this does in milliseconds, with more threads than
// cores.
constexpr std::string_view kTogether = R"code(
// The invocations of one workgroup, which wait for one another; one that has returned is not waited for.
struct Together {
  std::mutex mutex;
  std::condition_variable all_there;
  u32 live = 0, waiting = 0, phase = 0;
  void arrive() {
    std::unique_lock lock(mutex);
    const u32 mine = phase;
    ++waiting;
    if (!advance()) all_there.wait(lock, [&] { return phase != mine; });
  }
  void leave() {
    const std::lock_guard lock(mutex);
    --live;
    advance();
  }
  bool advance() {
    if (waiting != live) return false;
    waiting = 0;
    ++phase;
    all_there.notify_all();
    return true;
  }
};
static Together together;
static void barrier() { together.arrive(); }
)code";

constexpr std::string_view kCuda = R"code(#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#ifdef __NVCC__
#pragma nv_diag_suppress 177, 186, 550  // unused values, comparisons that are always so
#endif

using u32 = std::uint32_t;
using u64 = unsigned long long;
using i32 = std::int32_t;

[[maybe_unused]] static __device__ u32 popcount(u32 a) { return u32(__popc(a)); }
[[maybe_unused]] static __device__ u32 leading_zeros(u32 a) { return u32(__clz(int(a))); }
[[maybe_unused]] static __device__ u32 trailing_zeros(u32 a) { return u32(__ffs(int(a)) - 1); }
[[maybe_unused]] static __device__ u32 popcount(u64 a) { return u32(__popcll(a)); }
[[maybe_unused]] static __device__ u32 leading_zeros(u64 a) { return u32(__clzll((long long)a)); }
[[maybe_unused]] static __device__ u32 trailing_zeros(u64 a) { return u32(__ffsll((long long)a) - 1); }
[[maybe_unused]] static __device__ u64 high_product(u64 a, u64 b) { return __umul64hi(a, b); }

// Floats by their bits. Intrinsics that round once are never fused.
[[maybe_unused]] static __device__ float number(u32 bits) { return __uint_as_float(bits); }
[[maybe_unused]] static __device__ u32 bits(float a) { return __float_as_uint(a); }
[[maybe_unused]] static __device__ u32 float_add(u32 a, u32 b) { return bits(__fadd_rn(number(a), number(b))); }
[[maybe_unused]] static __device__ u32 float_sub(u32 a, u32 b) { return bits(__fsub_rn(number(a), number(b))); }
[[maybe_unused]] static __device__ u32 float_mul(u32 a, u32 b) { return bits(__fmul_rn(number(a), number(b))); }
[[maybe_unused]] static __device__ u32 float_div(u32 a, u32 b) { return bits(__fdiv_rn(number(a), number(b))); }
[[maybe_unused]] static __device__ u32 float_mul_add(u32 a, u32 b, u32 c) {
  return bits(__fmaf_rn(number(a), number(b), number(c)));
}
[[maybe_unused]] static __device__ u32 float_sqrt(u32 a) { return bits(__fsqrt_rn(number(a))); }
[[maybe_unused]] static __device__ u32 float_floor(u32 a) { return bits(floorf(number(a))); }
[[maybe_unused]] static __device__ u32 float_ceil(u32 a) { return bits(ceilf(number(a))); }
[[maybe_unused]] static __device__ u32 float_round(u32 a) { return bits(rintf(number(a))); }
[[maybe_unused]] static __device__ u32 float_trunc(u32 a) { return bits(truncf(number(a))); }
[[maybe_unused]] static __device__ u32 float_from_s32(u32 a) { return bits(__int2float_rn(i32(a))); }
[[maybe_unused]] static __device__ u32 float_from_u32(u32 a) { return bits(__uint2float_rn(a)); }
[[maybe_unused]] static __device__ double wide_sum(u32 a, u32 b, u32 c) {
  return __dadd_rn(__dmul_rn(double(number(a)), double(number(b))), double(number(c)));
}
[[maybe_unused]] static __device__ u32 wide_mul_add(u32 a, u32 b, u32 c) {
  return bits(__double2float_rn(wide_sum(a, b, c)));
}
[[maybe_unused]] static __device__ u32 wide_low(u32 a, u32 b, u32 c) { return u32(__double2loint(wide_sum(a, b, c))); }
[[maybe_unused]] static __device__ double wide_of(u32 low, u32 high) { return __hiloint2double(int(high), int(low)); }
[[maybe_unused]] static __device__ u32 low_word(double a) { return u32(__double2loint(a)); }
[[maybe_unused]] static __device__ u32 high_word(double a) { return u32(__double2hiint(a)); }
[[maybe_unused]] static __device__ double wide_add(double a, double b) { return __dadd_rn(a, b); }
[[maybe_unused]] static __device__ double wide_sub(double a, double b) { return __dsub_rn(a, b); }
[[maybe_unused]] static __device__ double wide_mul(double a, double b) { return __dmul_rn(a, b); }
[[maybe_unused]] static __device__ double wide_mul_add(double a, double b, double c) { return __fma_rn(a, b, c); }
[[maybe_unused]] static __device__ double wide_div(double a, double b) { return __ddiv_rn(a, b); }
[[maybe_unused]] static __device__ double wide_sqrt(double a) { return __dsqrt_rn(a); }

// Atomics on words of memory; each gives what was there before.
[[maybe_unused]] static __device__ u32 atomic_load(u32& at) { return atomicOr(&at, 0u); }
[[maybe_unused]] static __device__ void atomic_store(u32& at, u32 value) { atomicExch(&at, value); }
[[maybe_unused]] static __device__ u32 atomic_add(u32& at, u32 value) { return atomicAdd(&at, value); }
[[maybe_unused]] static __device__ u32 atomic_or(u32& at, u32 value) { return atomicOr(&at, value); }
[[maybe_unused]] static __device__ u32 atomic_and(u32& at, u32 value) { return atomicAnd(&at, value); }
[[maybe_unused]] static __device__ u32 atomic_xor(u32& at, u32 value) { return atomicXor(&at, value); }
[[maybe_unused]] static __device__ u32 atomic_min(u32& at, u32 value) { return atomicMin(&at, value); }
[[maybe_unused]] static __device__ u32 atomic_max(u32& at, u32 value) { return atomicMax(&at, value); }
[[maybe_unused]] static __device__ u32 atomic_exchange(u32& at, u32 value) { return atomicExch(&at, value); }
[[maybe_unused]] static __device__ u32 atomic_compare_exchange(u32& at, u32 expected, u32 value) {
  return atomicCAS(&at, expected, value);
}
[[maybe_unused]] static __device__ void barrier() { __syncthreads(); }
)code";

constexpr std::string_view kPrint = R"code(
// The words of a buffer, and those that should be there where they are others. Gives whether any are.
[[maybe_unused]] static bool print(const char* name, const u32* words, u32 count, const u32* expected) {
  bool differs = false;
  std::printf("%s:", name);
  for (u32 k = 0; k < count; ++k) {
    std::printf(" 0x%08x", unsigned(words[k]));
    if (expected != nullptr && words[k] != expected[k]) {
      std::printf(" (expected 0x%08x)", unsigned(expected[k]));
differs = true;
}
}
std::printf("\n");
return differs;
}
)code";

const std::string& with_threads() {
  static const std::string text = std::string(kThreads) + std::string(kCpp) + std::string(kTogether);
  return text;
}

}  // namespace

std::string_view source_prelude(SourceDialect dialect, bool threads) {
  switch (dialect) {
    case SourceDialect::Cpp: return threads ? std::string_view(with_threads()) : kCpp;
    case SourceDialect::Cuda: return kCuda;
  }
  return {};
}

std::string_view source_print() { return kPrint; }

}  // namespace vyre::lower
