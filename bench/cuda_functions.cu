// CUDA's own elementary functions of f32, one kernel each, for bench_functions:
//   nvcc -ptx -arch=sm_90 -o cuda_functions.ptx bench/cuda_functions.cu
// Names are vyre's mnemonics. No fast-math option, so these are the accurate ones.
#define ELEMENTWISE(name, function)                                                           \
  extern "C" __global__ void name(const float* in, float* out, unsigned long long count) {    \
    const unsigned long long i = blockIdx.x * (unsigned long long)(blockDim.x) + threadIdx.x; \
    if (i < count) out[i] = function(in[i]);                                                  \
  }
ELEMENTWISE(fsin, sinf)
ELEMENTWISE(fcos, cosf)
ELEMENTWISE(ftan, tanf)
ELEMENTWISE(fasin, asinf)
ELEMENTWISE(facos, acosf)
ELEMENTWISE(fatan, atanf)
ELEMENTWISE(fexp, expf)
ELEMENTWISE(flog, logf)
ELEMENTWISE(fexp2, exp2f)
ELEMENTWISE(flog2, log2f)
ELEMENTWISE(fexp10, exp10f)
ELEMENTWISE(flog10, log10f)
