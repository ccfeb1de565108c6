// Matrices, full and sparse, and ways through graphs. OpenBLAS is the library, where it is installed.
#include <dlfcn.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "kernels/parallel.h"
#include "kernels/rivals.h"

namespace {
using vyre::bench::parallel;
using u32 = uint32_t;

// Four rows and 64 columns of the product stay in registers.
void matmul(const vyre::bench::Arrays& a) {
  const float* __restrict p = a.at<float>(0);
  const float* __restrict q = a.at<float>(1);
  float* __restrict c = a.at<float>(2);
  const auto n = size_t(std::sqrt(double(a.count<float>(2))));
  constexpr size_t kRows = 4, kBlock = 64;
  parallel(n / kRows, 4, [=](size_t first, size_t last) {
    for (size_t x = 0; x < n; x += kBlock) {
      for (size_t y = first * kRows; y < last * kRows; y += kRows) {
        float sum[kRows][kBlock] = {};
        for (size_t k = 0; k < n; ++k) {
          for (size_t r = 0; r < kRows; ++r) {
            for (size_t l = 0; l < kBlock; ++l)
              sum[r][l] = std::fma(p[(y + r) * n + k], q[k * n + x + l], sum[r][l]);
          }
        }
        for (size_t r = 0; r < kRows; ++r) std::memcpy(c + (y + r) * n + x, sum[r], sizeof sum[r]);
      }
    }
  });
}
VYRE_HAND(matmul_plain) { matmul(a); }
VYRE_HAND(matmul16) { matmul(a); }
VYRE_HAND(matmul32) { matmul(a); }
VYRE_HAND(matmul128) { matmul(a); }

VYRE_HAND(gemv) {
  const float* __restrict m = a.at<float>(0);
  const float* __restrict v = a.at<float>(1);
  float* __restrict out = a.at<float>(2);
  const size_t rows = a.count<float>(2), columns = a.count<float>(1);
  parallel(rows / 64, 2, [=](size_t first, size_t last) {
    for (size_t i = first * 64; i < last * 64; i += 64) {
      float sum[64] = {};
      for (size_t k = 0; k < columns; ++k) {
        for (size_t l = 0; l < 64; ++l) sum[l] = std::fma(m[k * rows + i + l], v[k], sum[l]);
      }
      std::memcpy(out + i, sum, sizeof sum);
    }
  });
}
VYRE_HAND(spmv) {
  const u32* starts = a.at<u32>(0);
  const u32* columns = a.at<u32>(1);
  const float* values = a.at<float>(2);
  const float* v = a.at<float>(3);
  float* out = a.at<float>(4);
  parallel(a.count<float>(4), 1024, [=](size_t first, size_t last) {
    for (size_t row = first; row < last; ++row) {
      float sum = 0;
      for (size_t k = starts[row]; k < starts[row + 1]; ++k) sum = std::fma(values[k], v[columns[k]], sum);
      out[row] = sum;
    }
  });
}
VYRE_HAND(floyd_warshall) {
  u32* ways = a.at<u32>(1);
  std::memcpy(ways, a.at<u32>(0), a.bytes[0]);
  const auto n = size_t(std::sqrt(double(a.count<u32>(1))));
  for (size_t k = 0; k < n; ++k) {
    parallel(n, 64, [=](size_t first, size_t last) {
      const u32* __restrict through = ways + k * n;
      for (size_t y = first; y < last; ++y) {
        if (y == k) continue;
        u32* __restrict row = ways + y * n;
        const u32 there = row[k], kept = row[k];
        for (size_t x = 0; x < n; ++x) {
          const u32 way = there + through[x];
          row[x] = way < row[x] ? way : row[x];
        }
        row[k] = kept;
      }
    });
  }
}

// OpenBLAS, opened when it is asked for; VYRE_OPENBLAS_LIB says another place.
void* openblas(const char* name) {
  static void* const library = [] {
    const char* const path = std::getenv("VYRE_OPENBLAS_LIB");
    void* const found = dlopen(path != nullptr ? path : "libopenblas.so.0", RTLD_NOW);
    if (found != nullptr) {
      const auto set = reinterpret_cast<void (*)(int)>(dlsym(found, "openblas_set_num_threads"));
      if (set != nullptr) set(int(vyre::bench::threads()));
    }
    return found;
  }();
  return library == nullptr ? nullptr : dlsym(library, name);
}
bool has_openblas() { return openblas("cblas_sgemm") != nullptr; }
constexpr int kRowMajor = 101, kColumnMajor = 102, kNoTranspose = 111;
void sgemm(const vyre::bench::Arrays& a) {
  const auto call =
      reinterpret_cast<void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int,
                                float, float*, int)>(openblas("cblas_sgemm"));
  const auto n = int(std::sqrt(double(a.count<float>(2))));
  call(kRowMajor, kNoTranspose, kNoTranspose, n, n, n, 1, a.at<float>(0), n, a.at<float>(1), n, 0,
       a.at<float>(2), n);
}
VYRE_LIBRARY_CLOSE(matmul_plain, "OpenBLAS sgemm", has_openblas) { sgemm(a); }
VYRE_LIBRARY_CLOSE(matmul16, "OpenBLAS sgemm", has_openblas) { sgemm(a); }
VYRE_LIBRARY_CLOSE(matmul32, "OpenBLAS sgemm", has_openblas) { sgemm(a); }
VYRE_LIBRARY_CLOSE(matmul128, "OpenBLAS sgemm", has_openblas) { sgemm(a); }
VYRE_LIBRARY_CLOSE(gemv, "OpenBLAS sgemv", has_openblas) {
  const auto call = reinterpret_cast<void (*)(int, int, int, int, float, const float*, int, const float*, int,
                                              float, float*, int)>(openblas("cblas_sgemv"));
  const auto rows = int(a.count<float>(2)), columns = int(a.count<float>(1));
  call(kColumnMajor, kNoTranspose, rows, columns, 1, a.at<float>(0), rows, a.at<float>(1), 1, 0,
       a.at<float>(2), 1);
}
}  // namespace
