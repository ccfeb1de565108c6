// Memory of a device: buffers, and the pool of unused ones. WebGPU clears every new buffer, which
// costs as much as a copy, so buffers are kept for the next request of their size class.
#include <fmt/format.h>

#include <algorithm>

#include "backend/resources.h"
#include "backend/webgpu/device.h"

namespace vyre::backend::webgpu {
namespace {

/// At most this much is kept unused. WebGPU does not tell how much memory a device has.
constexpr uint64_t kMostKept = 256ull << 20;

constexpr WGPUFlags kDeviceUsage =
    WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc | WGPUBufferUsage_CopyDst;

}  // namespace

Diag Device::out_of_memory(const std::string& what) const {
  return make_diag(
      DiagCode::B003, Span::none(),
      fmt::format("webgpu: no memory is left for {}; this process holds {} bytes of the device's", what,
                  held_bytes_),
      "dispatch in pieces, use smaller buffers, or end what else uses the device");
}

Result<WGPUBuffer> Device::make_buffer(uint64_t bytes, WGPUFlags usage) {
  const std::string what = fmt::format("{} bytes of buffers", bytes);
  ErrorScopes scopes(*this);
  const WGPUBufferDescriptor descriptor = {.usage = usage, .size = bytes};
  const WGPUBuffer made = api().DeviceCreateBuffer(handle_, &descriptor);
  auto checked = scopes.finish(what.c_str());
  if (checked && made == nullptr) checked = std::unexpected(out_of_memory(what));
  if (checked) return made;
  if (made != nullptr && !is_lost()) api().BufferRelease(made);
  return std::unexpected(std::move(checked).error());
}

void Device::drop_unused() {
  for (const auto& [bytes, buffer] : free_) {
    api().BufferRelease(buffer);
    held_bytes_ -= bytes;
  }
  free_.clear();
  free_bytes_ = 0;
}

Result<DeviceMemory> Device::allocate(uint64_t bytes) {
  const Turn turn = this->turn();
  VYRE_CHECK(check_alive());
  const uint64_t allowed = profile_.limits.buffer_bytes;
  if (bytes > allowed) {
    return std::unexpected(exceeded("webgpu", Span::none(), fmt::format("{} bytes of buffers were", bytes),
                                    fmt::format("{} in one piece (maxBufferSize)", allowed),
                                    "dispatch in pieces, or use smaller buffers"));
  }
  // Of the largest buffer the class may be larger than there may be.
  const uint64_t size = std::min(size_class(bytes), allowed);
  const auto memory_of = [&](WGPUBuffer buffer, uint64_t class_bytes) {
    return DeviceMemory(shared_from_this(),
                        {.handle = reinterpret_cast<uint64_t>(buffer), .bytes = class_bytes});
  };
  if (const auto kept = free_.find(size); kept != free_.end()) {
    const WGPUBuffer buffer = kept->second;
    free_.erase(kept);
    free_bytes_ -= size;
    return memory_of(buffer, size);
  }
  auto made = make_buffer(size, kDeviceUsage);
  if (!made && made.error().code == DiagCode::B003 && !free_.empty()) {
    drop_unused();
    made = make_buffer(size, kDeviceUsage);
  }
  if (!made) return std::unexpected(std::move(made).error());
  held_bytes_ += size;
  return memory_of(*made, size);
}

void Device::release(const Piece& piece) {
  const Turn turn = this->turn();
  // What a lost device still holds goes with the process.
  if (is_lost()) return;
  if (free_bytes_ + piece.bytes > kMostKept) {
    held_bytes_ -= piece.bytes;
    return api().BufferRelease(buffer_of(piece));
  }
  free_.emplace(piece.bytes, buffer_of(piece));
  free_bytes_ += piece.bytes;
}

}  // namespace vyre::backend::webgpu
