// Memory of a device. WebGPU clears every new buffer, which costs as much as a copy.
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

Result<uint64_t> Device::piece_bytes(uint64_t bytes) const {
  const uint64_t allowed = profile_.limits.buffer_bytes;
  // Of the largest buffer the class may be larger than there may be.
  if (bytes <= allowed) return std::min(size_class(bytes), allowed);
  return std::unexpected(exceeded("webgpu", Span::none(), fmt::format("{} bytes of buffers were", bytes),
                                  fmt::format("{} in one piece (maxBufferSize)", allowed),
                                  "dispatch in pieces, or use smaller buffers"));
}

Result<Allocation> Device::make_piece(uint64_t size, uint64_t) {
  VYRE_TRY(made, make_buffer(size, kDeviceUsage));
  held_bytes_ += size;
  return Allocation{.handle = reinterpret_cast<uint64_t>(made), .bytes = size};
}

void Device::destroy_piece(const Allocation& allocation) {
  held_bytes_ -= allocation.bytes;
  api().BufferRelease(buffer_of(allocation));
}

uint64_t Device::most_kept() const { return kMostKept; }

}  // namespace vyre::backend::webgpu
