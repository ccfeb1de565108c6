// Rivals of graphs: a chain of operators written by hand, and what a copy of as much takes.
#include "chain20.h"
#include "device.h"

namespace {

__global__ void chain20_kernel(const float4* __restrict__ x, float4* __restrict__ y, u32 n) {
  const u32 i = global_x();
  if (i >= n) return;
  const float4 v = x[i];
  y[i] = {chain20(v.x), chain20(v.y), chain20(v.z), chain20(v.w)};
}
VYRE_HAND(chain20) {
  const size_t n = a.count<float4>(0);
  launch(chain20_kernel, groups_of(n, 256), 256, a.at<float4>(0), a.at<float4>(1), u32(n));
}

VYRE_BANDWIDTH(graph_copy, "cudaMemcpy") {
  (void)cudaMemcpyAsync(a.data[1], a.data[0], a.bytes[0], cudaMemcpyDeviceToDevice);
}

}  // namespace
