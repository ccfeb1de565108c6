// Limits of a device: what every WebGPU device has, and more where the adapter has it.
//
// A device that is asked for without limits has WebGPU's defaults, which are portable and small: 8 storage
// buffers, 128 MiB in one of them. More must be asked for, through WGPULimits, whose members changed in 2025
// without a sign of it: one was removed from its middle, some were added at its end. So the adapter writes
// its limits into marked memory that is larger than any known layout, the layout is recognised by values that
// only stand in their places, and the request is memory in which everything that is not asked for says
// "undefined", whatever member it may be. What is not recognised is not asked for.
// Source: W3C WebGPU, "Limits".
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace vyre::backend::webgpu {

/// Those that matter to a dispatch, with WebGPU's defaults.
struct DispatchLimits {
  uint32_t storage_buffers = 8;           // maxStorageBuffersPerShaderStage
  uint64_t binding_bytes = 128ull << 20;  // maxStorageBufferBindingSize
  uint64_t buffer_bytes = 256ull << 20;   // maxBufferSize
  uint32_t workgroup_bytes = 16384;       // maxComputeWorkgroupStorageSize
  uint32_t invocations = 256;             // maxComputeInvocationsPerWorkgroup
  uint32_t size_x = 256;                  // maxComputeWorkgroupSizeX
  bool operator==(const DispatchLimits&) const = default;
};

/// Memory for a WGPULimits of any layout; the first word is nextInChain.
using LimitsMemory = std::array<uint64_t, 64>;

/// What to hand to wgpuAdapterGetLimits.
LimitsMemory marked_limits();
/// What came: nothing when no known layout fits, or when values make no sense.
std::optional<DispatchLimits> recognise_limits(const LimitsMemory& written);
/// What to hand to wgpuAdapterRequestDevice, in the layout of `written`, which was recognised.
LimitsMemory request_of(const LimitsMemory& written, const DispatchLimits& wanted);

}  // namespace vyre::backend::webgpu
