// The one symbol that a shared object of rivals exports.
#include "device.h"

#define VYRE_EXPORT extern "C" __attribute__((visibility("default")))
VYRE_EXPORT const vyre::bench::RivalSet* vyre_rivals() {
  static vyre::bench::RivalSet set;
  set.first = vyre::bench::first_rival();
  set.memory.allocate = [](size_t bytes) -> void* {
    void* at = nullptr;
    return cudaMalloc(&at, bytes) == cudaSuccess ? at : nullptr;
  };
  set.memory.release = [](void* at) { (void)cudaFree(at); };
  set.memory.write = [](void* to, const void* from, size_t bytes) {
    (void)cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice);
  };
  set.memory.read = [](void* to, const void* from, size_t bytes) {
    (void)cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost);
  };
  set.memory.wait = [] { (void)cudaDeviceSynchronize(); };
  set.memory.error = []() -> const char* {
    const cudaError_t error = cudaGetLastError();
    return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
  };
  return &set;
}
