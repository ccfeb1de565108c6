// What a user would call instead: CUB, which comes with nvcc, and cuBLAS, opened when it is asked for.
#include <dlfcn.h>

#include <cub/cub.cuh>

#include "device.h"

namespace {

VYRE_LIBRARY(reduce_u32, "CUB DeviceReduce") {
  with_memory([&](void* at, size_t& bytes) {
    return cub::DeviceReduce::Sum(at, bytes, a.at<u32>(0), a.at<u32>(1), a.count<u32>(0));
  });
}
VYRE_LIBRARY_CLOSE(reduce, "CUB DeviceReduce", nullptr) {
  with_memory([&](void* at, size_t& bytes) {
    return cub::DeviceReduce::Sum(at, bytes, a.at<float>(0), a.at<float>(1), a.count<float>(0));
  });
}
VYRE_LIBRARY(prefix_sum, "CUB DeviceScan") {
  with_memory([&](void* at, size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(at, bytes, a.at<u32>(0), a.at<u32>(1), a.count<u32>(0));
  });
}
struct IsOdd {
  __device__ bool operator()(u32 x) const { return x & 1; }
};
VYRE_LIBRARY(compact, "CUB DeviceSelect") {
  with_memory([&](void* at, size_t& bytes) {
    return cub::DeviceSelect::If(at, bytes, a.at<u32>(0), a.at<u32>(1), a.at<u32>(2), a.count<u32>(0),
                                 IsOdd());
  });
}
VYRE_LIBRARY(radix_sort, "CUB DeviceRadixSort") {
  with_memory([&](void* at, size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(at, bytes, a.at<u32>(0), a.at<u32>(1), a.count<u32>(0));
  });
}
VYRE_LIBRARY(histogram, "CUB DeviceHistogram") {
  with_memory([&](void* at, size_t& bytes) {
    return cub::DeviceHistogram::HistogramEven(at, bytes, a.at<u8>(0), a.at<u32>(2), 257, 0, 256,
                                               int(a.bytes[0]));
  });
}

// cuBLAS, without TF32: its default for sgemm.
void* cublas(const char* name) {
  static void* const library = [] {
    for (const char* path : {"libcublas.so", "libcublas.so.13", "libcublas.so.12"}) {
      if (void* const found = dlopen(path, RTLD_NOW)) return found;
    }
    return static_cast<void*>(nullptr);
  }();
  return library == nullptr ? nullptr : dlsym(library, name);
}
void* handle() {
  static void* const made = [] {
    void* out = nullptr;
    const auto create = reinterpret_cast<int (*)(void**)>(cublas("cublasCreate_v2"));
    const auto mode = reinterpret_cast<int (*)(void*, int)>(cublas("cublasSetMathMode"));
    if (create == nullptr || create(&out) != 0) return static_cast<void*>(nullptr);
    constexpr int kPedantic = 2;
    if (mode != nullptr) mode(out, kPedantic);
    return out;
  }();
  return made;
}
bool has_cublas() { return cublas("cublasSgemm_v2") != nullptr && handle() != nullptr; }
void sgemm(const vyre::bench::Arrays& a) {
  const auto call =
      reinterpret_cast<int (*)(void*, int, int, int, int, int, const float*, const float*, int, const float*,
                               int, const float*, float*, int)>(cublas("cublasSgemm_v2"));
  const auto n = int(sqrt(double(a.count<float>(2))));
  const float one = 1, zero = 0;
  // By columns, so the transposed product of the factors in the other order.
  call(handle(), 0, 0, n, n, n, &one, a.at<float>(1), n, a.at<float>(0), n, &zero, a.at<float>(2), n);
}
VYRE_LIBRARY_CLOSE(matmul_plain, "cuBLAS sgemm", has_cublas) { sgemm(a); }
VYRE_LIBRARY_CLOSE(matmul16, "cuBLAS sgemm", has_cublas) { sgemm(a); }
VYRE_LIBRARY_CLOSE(matmul32, "cuBLAS sgemm", has_cublas) { sgemm(a); }
VYRE_LIBRARY_CLOSE(matmul128, "cuBLAS sgemm", has_cublas) { sgemm(a); }
VYRE_LIBRARY_CLOSE(gemv, "cuBLAS sgemv", has_cublas) {
  const auto call =
      reinterpret_cast<int (*)(void*, int, int, int, const float*, const float*, int, const float*, int,
                               const float*, float*, int)>(cublas("cublasSgemv_v2"));
  const auto rows = int(a.count<float>(2)), columns = int(a.count<float>(1));
  const float one = 1, zero = 0;
  call(handle(), 0, rows, columns, &one, a.at<float>(0), rows, a.at<float>(1), 1, &zero, a.at<float>(2), 1);
}

}  // namespace
