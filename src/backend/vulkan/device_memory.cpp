// Memory of a device: buffers, and the pool of unused ones.
#include <fmt/format.h>

#include <algorithm>

#include "backend/vulkan/device.h"

namespace vyre::backend::vulkan {
namespace {

/// Pieces up to this size are cut from slabs.
constexpr uint64_t kLargestPiece = 1ull << 20;
constexpr uint64_t kSmallestSlab = 256ull << 10;
constexpr uint64_t kPiecesOfSlab = 8;
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

VkResult Device::make_buffer(uint64_t bytes, bool staging, Piece& out) {
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
  destroy_buffer(out);
  out = {};
  return result;
}

void Device::destroy_buffer(const Piece& piece) {
  if (piece.handle == 0) return;
  held_bytes_ -= piece.bytes;
  api_.DestroyBuffer(handle_, buffer_of(piece), nullptr);
  if (piece.memory != 0) api_.FreeMemory(handle_, reinterpret_cast<VkDeviceMemory>(piece.memory), nullptr);
}

void Device::drop_unused() {
  std::erase_if(free_, [&](const auto& entry) {
    if (entry.first <= kLargestPiece) return false;
    destroy_buffer(entry.second);
    return true;
  });
  free_bytes_ = 0;
}

VkResult Device::allocate_slab(uint64_t size) {
  Piece slab;
  const VkResult result = make_buffer(std::max(kSmallestSlab, size * kPiecesOfSlab), false, slab);
  if (result != VK_SUCCESS) return result;
  slabs_.push_back(slab);
  for (uint64_t at = 0; at < slab.bytes; at += size) {
    Piece piece = slab;
    piece.offset = at;
    piece.bytes = size;
    if (slab.mapped != nullptr) piece.mapped = slab.mapped + at;
    free_.emplace(size, piece);
  }
  return result;
}

VkResult Device::allocate_large(uint64_t size) {
  Piece piece;
  const VkResult result = make_buffer(size, false, piece);
  if (result != VK_SUCCESS) return result;
  free_.emplace(size, piece);
  free_bytes_ += size;
  return result;
}

Result<DeviceMemory> Device::allocate(uint64_t bytes) {
  VYRE_CHECK(check_alive());
  const std::string what = fmt::format("{} bytes of buffers", bytes);
  const uint64_t size = size_class(bytes);
  if (size > profile_.max_allocation_bytes) {
    return std::unexpected(
        make_diag(DiagCode::B003, Span::none(),
                  fmt::format("vulkan: {} were asked for, and this device has at most {} in one "
                              "piece (maxMemoryAllocationSize)",
                              what, profile_.max_allocation_bytes),
                  "dispatch in pieces, or use smaller buffers"));
  }
  const std::lock_guard lock(pool_mutex_);
  const auto make = [&] { return size <= kLargestPiece ? allocate_slab(size) : allocate_large(size); };
  auto kept = free_.find(size);
  if (kept == free_.end()) {
    VkResult result = make();
    if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY && free_bytes_ != 0) {
      drop_unused();
      result = make();
    }
    VYRE_CHECK(check(result, what.c_str()));
    kept = free_.find(size);
  }
  const Piece piece = kept->second;
  free_.erase(kept);
  if (size > kLargestPiece) free_bytes_ -= size;
  return DeviceMemory(shared_from_this(), piece);
}

void Device::release(const Piece& piece) {
  const std::lock_guard lock(pool_mutex_);
  // What a lost device still holds goes with the process.
  if (is_lost()) return;
  if (piece.bytes > kLargestPiece) {
    if (free_bytes_ + piece.bytes > profile_.heap_bytes / kKeptPart) return destroy_buffer(piece);
    free_bytes_ += piece.bytes;
  }
  free_.emplace(piece.bytes, piece);
}

}  // namespace vyre::backend::vulkan
