#include "backend/webgpu/limits.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>

namespace vyre::backend::webgpu {
namespace {

constexpr uint64_t kMark = 0xA5A5'A5A5'A5A5'A5A5;
constexpr uint32_t kMark32 = uint32_t(kMark);

/// Members that stand in the same place in every layout, up to maxVertexBufferArrayStride.
struct Head {
  const void* nextInChain;
  uint32_t textures[4];
  uint32_t maxBindGroups;
  uint32_t maxBindGroupsPlusVertexBuffers;
  uint32_t maxBindingsPerBindGroup;
  uint32_t dynamic[2];
  uint32_t maxSampledTexturesPerShaderStage;
  uint32_t maxSamplersPerShaderStage;
  uint32_t maxStorageBuffersPerShaderStage;
  uint32_t maxStorageTexturesPerShaderStage;
  uint32_t maxUniformBuffersPerShaderStage;
  uint64_t maxUniformBufferBindingSize;
  uint64_t maxStorageBufferBindingSize;
  uint32_t minUniformBufferOffsetAlignment;
  uint32_t minStorageBufferOffsetAlignment;
  uint32_t maxVertexBuffers;
  uint64_t maxBufferSize;
  uint32_t maxVertexAttributes;
  uint32_t maxVertexBufferArrayStride;
};
/// Those behind it. An earlier layout has maxInterStageShaderComponents between the two.
struct Tail {
  uint32_t maxInterStageShaderVariables;
  uint32_t maxColorAttachments;
  uint32_t maxColorAttachmentBytesPerSample;
  uint32_t maxComputeWorkgroupStorageSize;
  uint32_t maxComputeInvocationsPerWorkgroup;
  uint32_t maxComputeWorkgroupSize[3];
  uint32_t maxComputeWorkgroupsPerDimension;
};
constexpr size_t kTailAt[] = {offsetof(Head, maxVertexBufferArrayStride) + 4,
                              offsetof(Head, maxVertexBufferArrayStride) + 8};

template <typename T>
T part_of(const LimitsMemory& memory, size_t at) {
  T out;
  std::memcpy(&out, reinterpret_cast<const std::byte*>(memory.data()) + at, sizeof out);
  return out;
}

// No adapter may have less than WebGPU's defaults, and none has so much more that it were another member.
bool is_plausible(const Head& head) {
  const auto alignment = [](uint32_t value) {
    return value != 0 && value <= 256 && (value & (value - 1)) == 0;
  };
  return head.textures[0] >= 8192 && head.textures[1] >= 8192 && head.textures[2] >= 2048 &&
         head.maxBindGroups >= 4 && head.maxBindGroups < 64 && head.maxStorageBuffersPerShaderStage >= 8 &&
         head.maxStorageBuffersPerShaderStage != kMark32 && head.maxUniformBufferBindingSize >= 65536 &&
         head.maxStorageBufferBindingSize >= 128ull << 20 &&
         alignment(head.minUniformBufferOffsetAlignment) && alignment(head.minStorageBufferOffsetAlignment) &&
         head.maxBufferSize >= 256ull << 20 && head.maxBufferSize != kMark &&
         head.maxVertexBufferArrayStride >= 2048 && head.maxVertexBufferArrayStride != kMark32;
}
bool is_plausible(const Tail& tail) {
  uint32_t words[sizeof tail / sizeof(uint32_t)];
  std::memcpy(words, &tail, sizeof tail);
  return std::ranges::find(words, kMark32) == std::end(words) && tail.maxInterStageShaderVariables >= 15 &&
         tail.maxColorAttachments >= 4 && tail.maxColorAttachments <= 64 &&
         tail.maxColorAttachmentBytesPerSample >= 32 && tail.maxColorAttachmentBytesPerSample <= 4096 &&
         tail.maxComputeWorkgroupStorageSize >= 16384 && tail.maxComputeWorkgroupStorageSize < 64u << 20 &&
         tail.maxComputeInvocationsPerWorkgroup >= 256 && tail.maxComputeInvocationsPerWorkgroup <= 65536 &&
         tail.maxComputeWorkgroupSize[0] >= 256 && tail.maxComputeWorkgroupSize[1] >= 256 &&
         tail.maxComputeWorkgroupSize[2] >= 64 && tail.maxComputeWorkgroupsPerDimension >= 65535;
}

std::optional<size_t> tail_of(const LimitsMemory& written) {
  if (!is_plausible(part_of<Head>(written, 0))) return std::nullopt;
  for (const size_t at : kTailAt) {
    if (is_plausible(part_of<Tail>(written, at))) return at;
  }
  return std::nullopt;
}

}  // namespace

LimitsMemory marked_limits() {
  LimitsMemory out;
  out.fill(kMark);
  out[0] = 0;
  return out;
}

std::optional<DispatchLimits> recognise_limits(const LimitsMemory& written) {
  // A layout that reaches the end of the memory is none that is known.
  if (written.back() != kMark) return std::nullopt;
  const auto at = tail_of(written);
  if (!at) return std::nullopt;
  const Head head = part_of<Head>(written, 0);
  const Tail tail = part_of<Tail>(written, *at);
  return DispatchLimits{.storage_buffers = head.maxStorageBuffersPerShaderStage,
                        .binding_bytes = head.maxStorageBufferBindingSize,
                        .buffer_bytes = head.maxBufferSize,
                        .workgroup_bytes = tail.maxComputeWorkgroupStorageSize,
                        .invocations = tail.maxComputeInvocationsPerWorkgroup,
                        .size_x = tail.maxComputeWorkgroupSize[0]};
}

LimitsMemory request_of(const LimitsMemory& written, const DispatchLimits& wanted) {
  LimitsMemory out;
  out.fill(UINT64_MAX);  // WGPU_LIMIT_U32_UNDEFINED and WGPU_LIMIT_U64_UNDEFINED
  out[0] = 0;
  const auto put = [&](size_t at, auto value) {
    std::memcpy(reinterpret_cast<std::byte*>(out.data()) + at, &value, sizeof value);
  };
  const size_t tail = tail_of(written).value_or(kTailAt[0]);
  put(offsetof(Head, maxStorageBuffersPerShaderStage), wanted.storage_buffers);
  put(offsetof(Head, maxStorageBufferBindingSize), wanted.binding_bytes);
  put(offsetof(Head, maxBufferSize), wanted.buffer_bytes);
  put(tail + offsetof(Tail, maxComputeWorkgroupStorageSize), wanted.workgroup_bytes);
  put(tail + offsetof(Tail, maxComputeInvocationsPerWorkgroup), wanted.invocations);
  put(tail + offsetof(Tail, maxComputeWorkgroupSize), wanted.size_x);
  return out;
}

}  // namespace vyre::backend::webgpu
