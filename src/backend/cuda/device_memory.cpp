// Memory of a device, and the ways between it and the host's.
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "backend/cuda/device.h"

namespace vyre::backend::cuda {
namespace {

/// Of the device's memory at most this part is kept unused.
constexpr uint64_t kKeptPart = 8;

/// Calls back(host bytes, where in the window) for what of the parts lies in window `begin` .. `end`, both
/// counted from the copy's base. `first` moves on past the parts that are done.
template <typename Back>
void each_in(std::span<const HostPart> parts, size_t& first, uint64_t begin, uint64_t end, Back back) {
  for (size_t i = first; i < parts.size() && parts[i].offset < end; ++i) {
    const HostPart& part = parts[i];
    const uint64_t part_end = part.offset + part.host.size();
    if (part_end <= begin) {
      first = i + 1;
      continue;
    }
    const uint64_t from = std::max(begin, part.offset);
    const uint64_t to = std::min(end, part_end);
    if (from < to) back(part.host.subspan(from - part.offset, to - from), from - begin);
  }
}

uint64_t end_of(std::span<const HostPart> parts) { return parts.back().offset + parts.back().host.size(); }

}  // namespace

Diag Device::out_of_memory(const std::string& what) {
  size_t left = 0, total = 0;
  const bool known = driver_.memory_info(&left, &total) == kSuccess;
  return make_diag(
      DiagCode::B003, Span::none(),
      fmt::format("cuda: no memory is left for {}{}", what,
                  known ? fmt::format("; {} of the device's {} bytes are free", left, total) : ""),
      "dispatch in pieces, use smaller buffers, or end what else uses the device (`nvidia-smi`)");
}

Result<Allocation> Device::make_piece(uint64_t size, uint64_t bytes) {
  VYRE_CHECK(attach());
  DevicePointer address = 0;
  const Status status = driver_.allocate(&address, size);
  if (status == kOutOfMemory)
    return std::unexpected(out_of_memory(fmt::format("{} bytes of buffers", bytes)));
  VYRE_CHECK(check(status, "allocating memory"));
  return Allocation{.handle = address, .bytes = size};
}

void Device::destroy_piece(const Allocation& allocation) {
  driver_.set_context(context_);
  driver_.release(allocation.handle);
}

uint64_t Device::most_kept() const { return limits_.max_buffer_bytes / kKeptPart; }

Result<Device::Pinned*> Device::next_pinned() {
  Pinned& p = pinned_[next_pinned_];
  next_pinned_ = (next_pinned_ + 1) % pinned_.size();
  if (p.busy) VYRE_CHECK(check(driver_.wait_event(p.done), "copying"));
  p.busy = false;
  return &p;
}

Result<void> Device::sent(Pinned& pinned, Status status, const char* doing) {
  VYRE_CHECK(check(status, doing));
  VYRE_CHECK(check(driver_.record_event(pinned.done, stream_), doing));
  pinned.busy = true;
  return {};
}

Result<void> Device::copy_in(const Turn&, DevicePointer base, std::span<const HostPart> parts) {
  if (parts.empty()) return {};
  const uint64_t end = end_of(parts);
  size_t first = 0;
  for (uint64_t at = parts.front().offset; at < end; at += kPinnedBytes) {
    VYRE_TRY(pinned, next_pinned());
    const uint64_t bytes = std::min(end - at, kPinnedBytes);
    each_in(parts, first, at, at + bytes, [&](std::span<const std::byte> host, uint64_t to) {
      copier_.copy({pinned->memory + to, host.size()}, host);
    });
    VYRE_CHECK(
        sent(*pinned, driver_.copy_in(base + at, pinned->memory, bytes, stream_), "copying to the device"));
  }
  return {};
}

Result<void> Device::copy_out(const Turn&, DevicePointer base, std::span<const HostPart> parts) {
  if (parts.empty()) return {};
  // Each part is fetched while the host takes the one before from its pinned buffer.
  struct Fetch {
    Pinned* pinned;
    uint64_t at;
    uint64_t bytes;
  };
  std::deque<Fetch> under_way;
  size_t first = 0;
  const auto take = [&]() -> Result<void> {
    const Fetch fetch = under_way.front();
    under_way.pop_front();
    VYRE_CHECK(check(driver_.wait_event(fetch.pinned->done), "running the kernel and copying its results"));
    each_in(parts, first, fetch.at, fetch.at + fetch.bytes, [&](std::span<std::byte> host, uint64_t from) {
      copier_.copy(host, {fetch.pinned->memory + from, host.size()});
    });
    fetch.pinned->busy = false;
    return {};
  };
  const uint64_t end = end_of(parts);
  for (uint64_t at = parts.front().offset; at < end; at += kPinnedBytes) {
    if (under_way.size() == pinned_.size()) VYRE_CHECK(take());
    VYRE_TRY(pinned, next_pinned());
    const uint64_t bytes = std::min(end - at, kPinnedBytes);
    VYRE_CHECK(sent(*pinned, driver_.copy_out(pinned->memory, base + at, bytes, stream_),
                    "copying from the device"));
    under_way.push_back({pinned, at, bytes});
  }
  while (!under_way.empty()) VYRE_CHECK(take());
  return {};
}

Result<void> Device::fill(const Turn&, DevicePointer at, std::byte value, uint64_t bytes) {
  if (bytes == 0) return {};
  return check(driver_.fill(at, static_cast<unsigned char>(value), bytes, stream_), "filling memory");
}

Result<void> Device::wait(const Turn&) { return check(driver_.wait(stream_), "running the kernel"); }

}  // namespace vyre::backend::cuda
