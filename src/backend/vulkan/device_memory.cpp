// Memory of a device: buffers, and slabs that small ones are parts of.
#include <fmt/format.h>

#include <algorithm>

#include "backend/vulkan/device.h"

namespace vyre::backend::vulkan {
namespace {

constexpr uint64_t kSmallestSlab = 256ull << 10;
constexpr uint64_t kPartsOfSlab = 8;
/// Of the device's memory at most this part is kept unused.
constexpr uint64_t kKeptPart = 8;

constexpr VkMemoryPropertyFlags kHost =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

}  // namespace

Diag Device::out_of_memory(const std::string& what) {
  return make_diag(
      DiagCode::B003, Span::none(),
      fmt::format("vulkan: no memory is left for {}; the device has {} bytes, and this process holds "
                  "{} of them",
                  what, profile_.heap_bytes, held_bytes_.load()),
      "dispatch in pieces, use smaller buffers, or end what else uses the device");
}

std::optional<uint32_t> Device::memory_type(uint32_t allowed, bool staging) const {
  // The first that suits, of the best kind that there is: a driver lists what is faster first.
  std::vector<VkMemoryPropertyFlags> kinds;
  if (staging) {
    kinds = {kHost | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, kHost};
  } else {
    if (profile_.shares_memory) {
      const VkMemoryPropertyFlags own = kHost | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
      kinds = {own | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, own};
    }
    kinds.push_back(VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    kinds.push_back(0);
  }
  for (const VkMemoryPropertyFlags kind : kinds) {
    for (uint32_t i = 0; i < profile_.memory.memoryTypeCount; ++i) {
      const VkMemoryPropertyFlags flags = profile_.memory.memoryTypes[i].propertyFlags;
      if ((allowed >> i & 1) != 0 && (flags & kind) == kind) return i;
    }
  }
  return std::nullopt;
}

VkResult Device::make_buffer(uint64_t bytes, bool staging, Allocation& out) {
  out = {.bytes = bytes};
  const VkBufferCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
      .size = bytes,
      .usage = VkBufferUsageFlags(VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                  (staging ? 0 : VK_BUFFER_USAGE_STORAGE_BUFFER_BIT)),
      .sharingMode = VK_SHARING_MODE_EXCLUSIVE};
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  if (const VkResult result = api_.CreateBuffer(handle_, &info, nullptr, &buffer); result != VK_SUCCESS)
    return result;
  VkMemoryRequirements needs = {};
  api_.GetBufferMemoryRequirements(handle_, buffer, &needs);
  const auto type = memory_type(needs.memoryTypeBits, staging);
  VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .allocationSize = needs.size,
                                     .memoryTypeIndex = type.value_or(0)};
  VkResult result = !type || needs.size > profile_.max_allocation_bytes
                        ? VK_ERROR_OUT_OF_DEVICE_MEMORY
                        : api_.AllocateMemory(handle_, &allocation, nullptr, &memory);
  if (result == VK_SUCCESS) result = api_.BindBufferMemory(handle_, buffer, memory, 0);
  const bool visible = type && (profile_.memory.memoryTypes[*type].propertyFlags & kHost) == kHost;
  if (result == VK_SUCCESS && visible && (staging || profile_.shares_memory)) {
    void* mapped = nullptr;
    result = api_.MapMemory(handle_, memory, 0, VK_WHOLE_SIZE, 0, &mapped);
    out.mapped = static_cast<std::byte*>(mapped);
  }
  out.handle = reinterpret_cast<uint64_t>(buffer);
  out.memory = reinterpret_cast<uint64_t>(memory);
  held_bytes_ += bytes;
  if (result == VK_SUCCESS) return result;
  destroy_piece(out);
  out = {};
  return result;
}

void Device::destroy_piece(const Allocation& allocation) {
  if (allocation.handle == 0) return;
  held_bytes_ -= allocation.bytes;
  api_.DestroyBuffer(handle_, buffer_of(allocation), nullptr);
  if (allocation.memory != 0)
    api_.FreeMemory(handle_, reinterpret_cast<VkDeviceMemory>(allocation.memory), nullptr);
}

Result<uint64_t> Device::piece_bytes(uint64_t bytes) const {
  const uint64_t size = size_class(bytes);
  if (size <= profile_.max_allocation_bytes) return size;
  return std::unexpected(make_diag(
      DiagCode::B003, Span::none(),
      fmt::format("vulkan: {} bytes of buffers were asked for, and this device has at most {} in one "
                  "piece (maxMemoryAllocationSize)",
                  bytes, profile_.max_allocation_bytes),
      "dispatch in pieces, or use smaller buffers"));
}

Result<Allocation> Device::make_piece(uint64_t size, uint64_t bytes) {
  const bool is_part = size <= kLargestPart;
  const std::string what = fmt::format("{} bytes of buffers", bytes);
  Allocation made;
  VYRE_CHECK(check(make_buffer(is_part ? std::max(kSmallestSlab, size * kPartsOfSlab) : size, false, made),
                   what.c_str()));
  if (!is_part) return made;
  slabs_.push_back(made);
  const auto part = [&](uint64_t at) {
    Allocation out = made;
    out.offset = at;
    out.bytes = size;
    if (made.mapped != nullptr) out.mapped = made.mapped + at;
    return out;
  };
  for (uint64_t at = size; at < made.bytes; at += size) keep_unused(part(at));
  return part(0);
}

uint64_t Device::most_kept() const { return profile_.heap_bytes / kKeptPart; }

}  // namespace vyre::backend::vulkan
