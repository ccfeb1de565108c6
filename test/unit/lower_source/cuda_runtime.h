// Declarations of what files in CUDA C++ use, for a front end without NVIDIA's headers.
#pragma once
#include <cstddef>
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
struct uint3 {
  unsigned x, y, z;
};
extern const __device__ uint3 threadIdx, blockIdx;
extern const __device__ dim3 gridDim;

enum cudaError_t { cudaSuccess };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
const char* cudaGetErrorString(cudaError_t);
template <typename T>
cudaError_t cudaMalloc(T** at, size_t bytes);
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaGetLastError();
cudaError_t cudaDeviceSynchronize();
extern "C" unsigned __cudaPushCallConfiguration(dim3 groups, dim3 threads, size_t shared = 0,
                                                void* stream = nullptr);
extern "C" cudaError_t cudaConfigureCall(dim3 groups, dim3 threads, size_t shared = 0,
                                         void* stream = nullptr);
extern "C" cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, void*);
typedef struct CUstream_st* cudaStream_t;

__device__ void __syncthreads();
__device__ int __popc(unsigned);
__device__ int __clz(int);
__device__ int __ffs(int);
__device__ int __popcll(unsigned long long);
__device__ int __clzll(long long);
__device__ int __ffsll(long long);
__device__ unsigned long long __umul64hi(unsigned long long, unsigned long long);
__device__ float __uint_as_float(unsigned);
__device__ unsigned __float_as_uint(float);
__device__ float __fadd_rn(float, float);
__device__ float __fsub_rn(float, float);
__device__ float __fmul_rn(float, float);
__device__ float __fdiv_rn(float, float);
__device__ float __fmaf_rn(float, float, float);
__device__ float __fsqrt_rn(float);
__device__ float floorf(float);
__device__ float ceilf(float);
__device__ float rintf(float);
__device__ float truncf(float);
__device__ float __int2float_rn(int);
__device__ float __uint2float_rn(unsigned);
__device__ double __dadd_rn(double, double);
__device__ double __dmul_rn(double, double);
__device__ double __dsub_rn(double, double);
__device__ double __ddiv_rn(double, double);
__device__ double __fma_rn(double, double, double);
__device__ double __dsqrt_rn(double);
__device__ double __hiloint2double(int, int);
__device__ int __double2hiint(double);
__device__ float __double2float_rn(double);
__device__ int __double2loint(double);
__device__ unsigned atomicAdd(unsigned*, unsigned);
__device__ unsigned atomicOr(unsigned*, unsigned);
__device__ unsigned atomicAnd(unsigned*, unsigned);
__device__ unsigned atomicXor(unsigned*, unsigned);
__device__ unsigned atomicMin(unsigned*, unsigned);
__device__ unsigned atomicMax(unsigned*, unsigned);
__device__ unsigned atomicExch(unsigned*, unsigned);
__device__ unsigned atomicCAS(unsigned*, unsigned, unsigned);
