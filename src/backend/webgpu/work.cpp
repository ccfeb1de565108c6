#include "backend/webgpu/work.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace vyre::backend::webgpu {
namespace {

/// Of writes to the queue, an implementation keeps a copy until the device has taken it.
constexpr uint64_t kWriteAtOnce = 16ull << 20;
constexpr uint64_t kWriteBeforeWaiting = 64ull << 20;
/// Code may touch the first element of any binding, which has up to 16 bytes.
constexpr uint64_t kLeastBinding = 16;
constexpr const char* kDoing = "running a kernel";

/// A word of which only some bytes are to change.
struct Edge {
  uint64_t at = 0;
  std::array<std::byte, 4> bytes = {};
};

uint64_t whole_words(uint64_t bytes) { return (bytes + 3) & ~uint64_t{3}; }

void take_mapping(WGPURequestStatus status, WGPUStringView message, void* self, void*) {
  auto* const slot = static_cast<Slot*>(self);
  slot->mapped = status == WGPURequestStatus_Success;
  slot->message = text(message);
  slot->done = true;
}

}  // namespace

Result<std::unique_ptr<DeviceWork>> Device::begin() {
  const Turn turn = this->turn();
  VYRE_CHECK(check_alive());
  return std::make_unique<Work>(shared_device());
}

Work::~Work() {
  if (device_->is_lost()) return;
  end_pass();
  if (encoder_ != nullptr) api().CommandEncoderRelease(encoder_);
  // After an error a caller has it already, and memory is safe to reuse once the device is done.
  for (State& state : states_) state.fetches.clear();
  for (size_t i = 0; i < states_.size(); ++i) (void)drain(i);
}

void Work::record() {
  if (encoder_ == nullptr) encoder_ = api().DeviceCreateCommandEncoder(device_->handle(), nullptr);
}

void Work::end_pass() {
  if (pass_ == nullptr) return;
  api().ComputePassEncoderEnd(pass_);
  api().ComputePassEncoderRelease(std::exchange(pass_, nullptr));
}

void Work::send() {
  if (encoder_ == nullptr) return;
  end_pass();
  if (!counts_.empty()) {
    api().QueueWriteBuffer(device_->queue(), buffer_of(device_->counts_), 0, counts_.data(),
                           4 * counts_.size());
    counts_.clear();
  }
  const WGPUCommandBuffer commands = api().CommandEncoderFinish(encoder_, nullptr);
  api().CommandEncoderRelease(std::exchange(encoder_, nullptr));
  if (commands == nullptr) return;  // the scopes know why
  api().QueueSubmit(device_->queue(), 1, &commands);
  api().CommandBufferRelease(commands);
  undrained_ = true;
  State& state = states_[current_];
  if (state.used == 0) return;
  Slot& slot = this->slot();
  slot.done = false;
  slot.future = api().BufferMapAsync(
      slot.buffer, WGPUMapMode_Read, 0, state.used,
      {.mode = WGPUCallbackMode_AllowProcessEvents, .callback = &take_mapping, .userdata1 = &slot});
  state.sent = true;
  undrained_ = false;
}

Result<void> Work::next() {
  send();
  current_ = (current_ + 1) % states_.size();
  return drain(current_);
}

Result<void> Work::drain(size_t which) {
  State& state = states_[which];
  if (!state.sent) return {};
  state.sent = false;
  const uint64_t used = std::exchange(state.used, 0);
  Slot& slot = device_->slots_[which];
  VYRE_CHECK(device_->await(slot.future, slot.done, kDoing));
  device_->written_bytes_ = 0;
  const auto* const from =
      slot.mapped ? static_cast<const std::byte*>(api().BufferGetConstMappedRange(slot.buffer, 0, used))
                  : nullptr;
  if (from == nullptr) {
    state.fetches.clear();
    if (std::exchange(slot.mapped, false)) api().BufferUnmap(slot.buffer);  // the next work wants it
    // The scopes may know more of it.
    VYRE_CHECK(scopes_.finish(kDoing));
    const std::string why = slot.message.empty() ? "it maps no memory to read from" : slot.message;
    return std::unexpected(refusal(*device_, WGPUErrorType_Unknown, kDoing, why, DiagCode::B012));
  }
  for (const Fetch& fetch : state.fetches)
    device_->copier_.copy(fetch.to, {from + fetch.at, fetch.to.size()});
  state.fetches.clear();
  api().BufferUnmap(slot.buffer);
  slot.mapped = false;
  return {};
}

Result<void> Work::wait() {
  send();
  if (undrained_) {
    // Nothing is read back: a word that is not used says that the work is done.
    VYRE_CHECK(drain(current_));
    VYRE_CHECK(prepare_slot());
    record();
    api().CommandEncoderCopyBufferToBuffer(encoder_, buffer_of(device_->counts_), 0, slot().buffer, 0, 4);
    states_[current_].used = 4;
    send();
  }
  // In the order in which they were sent.
  for (size_t i = 1; i <= states_.size(); ++i) VYRE_CHECK(drain((current_ + i) % states_.size()));
  return {};
}

Result<void> Work::finish() {
  // What only writes and clears is in the queue before all that may see it.
  if (only_fills_) {
    send();
  } else {
    VYRE_CHECK(wait());
  }
  aside_.clear();
  return scopes_.finish(kDoing);
}

Result<void> Work::prepare_slot() {
  if (slot().buffer != nullptr) return {};
  VYRE_TRY(made, device_->make_buffer(Slot::kBytes, WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst));
  slot().buffer = made;
  return {};
}

Result<void> Work::copy_in(std::span<const Transfer> parts) {
  for (const auto& [to, host] : parts) {
    if (!host.empty()) VYRE_CHECK(write_words(*to.allocation, to.offset, host));
  }
  return {};
}

Result<void> Work::copy_out(std::span<const Transfer> parts) {
  for (const auto& [from, host] : parts) VYRE_CHECK(read(*from.allocation, from.offset, host));
  return {};
}

// WebGPU writes whole words: those that change as a whole are `body`'s, of those at the edges the other bytes
// are read first.
template <typename ByteAt, typename Body>
Result<void> Work::change(const Allocation& to, uint64_t size, uint64_t offset, uint64_t count,
                          ByteAt&& byte_at, Body&& body) {
  if (count == 0) return {};
  const uint64_t end = offset + count, first = offset & ~uint64_t{3}, last = (end - 1) & ~uint64_t{3};
  std::vector<Edge> edges;
  if (offset != first) edges.push_back({.at = first});
  if (end % 4 != 0 && (edges.empty() || last != first)) edges.push_back({.at = last});
  for (Edge& edge : edges) {
    const bool has_neighbours = edge.at < offset || end < std::min(edge.at + 4, size);
    if (has_neighbours) VYRE_CHECK(read(to, edge.at, edge.bytes));
  }
  if (!edges.empty()) VYRE_CHECK(wait());
  for (Edge& edge : edges) {
    for (uint64_t at = std::max(offset, edge.at); at < std::min(end, edge.at + 4); ++at)
      edge.bytes[size_t(at - edge.at)] = byte_at(at);
    VYRE_CHECK(write_words(to, edge.at, edge.bytes));
  }
  const uint64_t begin = offset == first ? first : first + 4, behind = end & ~uint64_t{3};
  return begin < behind ? body(begin, behind - begin) : Result<void>();
}

Result<void> Work::write(const Allocation& to, uint64_t size, uint64_t offset,
                         std::span<const std::byte> from) {
  const auto byte_at = [&](uint64_t at) { return from[size_t(at - offset)]; };
  return change(to, size, offset, from.size(), byte_at, [&](uint64_t at, uint64_t count) {
    return write_words(to, at, from.subspan(size_t(at - offset), size_t(count)));
  });
}

Result<void> Work::fill(const Allocation& to, uint64_t size, uint64_t offset, uint64_t count,
                        std::byte value) {
  const auto byte_at = [&](uint64_t) { return value; };
  return change(to, size, offset, count, byte_at, [&](uint64_t at, uint64_t words) -> Result<void> {
    if (value == std::byte{0}) {
      clear(to, at, words);
      return {};
    }
    const std::vector<std::byte> part(size_t(std::min<uint64_t>(words, 1 << 20)), value);
    while (words != 0) {
      const size_t now = size_t(std::min<uint64_t>(words, part.size()));
      VYRE_CHECK(write_words(to, at, std::span(part).first(now)));
      at += now;
      words -= now;
    }
    return {};
  });
}

Result<void> Work::write_words(const Allocation& to, uint64_t offset, std::span<const std::byte> from) {
  // A write to the queue comes before what is sent after it, so what was recorded before goes first.
  send();
  while (from.size() >= 4) {
    const size_t count = std::min<size_t>(from.size() & ~size_t{3}, kWriteAtOnce);
    api().QueueWriteBuffer(device_->queue(), buffer_of(to), offset, from.data(), count);
    from = from.subspan(count);
    offset += count;
    device_->written_bytes_ += count;
    if (device_->written_bytes_ >= kWriteBeforeWaiting) {
      undrained_ = true;
      VYRE_CHECK(wait());
    }
  }
  if (from.empty()) return {};
  std::array<std::byte, 4> last = {};
  std::ranges::copy(from, last.begin());
  api().QueueWriteBuffer(device_->queue(), buffer_of(to), offset, last.data(), last.size());
  return {};
}

Result<void> Work::read(const Allocation& from, uint64_t offset, std::span<std::byte> to) {
  only_fills_ = false;
  while (!to.empty()) {
    VYRE_CHECK(prepare_slot());
    State& state = states_[current_];
    if (state.used == Slot::kBytes) {
      VYRE_CHECK(next());
      continue;
    }
    // Copies are of whole words at multiples of 4; what is wanted may begin and end within one.
    const uint64_t lead = offset % 4;
    const uint64_t count = std::min<uint64_t>(to.size(), Slot::kBytes - state.used - lead);
    record();
    end_pass();
    api().CommandEncoderCopyBufferToBuffer(encoder_, buffer_of(from), offset - lead, slot().buffer,
                                           state.used, whole_words(lead + count));
    state.fetches.push_back({state.used + lead, to.first(size_t(count))});
    state.used += whole_words(lead + count);
    to = to.subspan(size_t(count));
    offset += count;
  }
  return {};
}

void Work::copy(const Allocation& from, uint64_t at, const Allocation& to, uint64_t there, uint64_t count) {
  only_fills_ = false;
  record();
  end_pass();
  api().CommandEncoderCopyBufferToBuffer(encoder_, buffer_of(from), at, buffer_of(to), there, count);
}

void Work::clear(const Allocation& to, uint64_t offset, uint64_t count) {
  record();
  end_pass();
  api().CommandEncoderClearBuffer(encoder_, buffer_of(to), offset, count);
}

Result<WGPUBuffer> Work::aside(uint64_t bytes) {
  VYRE_TRY(memory, device_->allocate(std::max(bytes, kLeastBinding)));
  aside_.push_back(std::move(memory));
  return buffer_of(aside_.back().allocation());
}

Result<std::vector<WGPUBindGroupEntry>> Work::entries_for(const Code& code, std::span<const Bound> bindings) {
  const auto is_written = [&](WGPUBuffer buffer) {
    for (size_t i = 0; i < bindings.size(); ++i) {
      if (bindings[i].bytes != 0 && code.module().writable[i] && buffer_of(*bindings[i].allocation) == buffer)
        return true;
    }
    return false;
  };
  std::vector<WGPUBindGroupEntry> out;
  for (size_t i = 0; i < bindings.size(); ++i) {
    const Bound& bound = bindings[i];
    WGPUBindGroupEntry entry = {.binding = uint32_t(i),
                                .offset = bound.offset,
                                .size = std::max(whole_words(bound.bytes), kLeastBinding)};
    if (bound.bytes == 0) {
      // An empty range may stand at its buffer's end, or in one that is bound otherwise.
      VYRE_TRY(room, aside(0));
      entry.buffer = room;
      entry.offset = 0;
    } else if (!code.module().writable[i] && is_written(buffer_of(*bound.allocation))) {
      VYRE_TRY(copy, aside(entry.size));
      record();
      end_pass();
      api().CommandEncoderCopyBufferToBuffer(encoder_, buffer_of(*bound.allocation), bound.offset, copy, 0,
                                             entry.size);
      entry.buffer = copy;
      entry.offset = 0;
    } else {
      entry.buffer = buffer_of(*bound.allocation);
    }
    out.push_back(entry);
  }
  return out;
}

uint64_t Work::put_counts(const Code& code, std::span<const uint32_t> counts) {
  const uint64_t bytes = code.module().count_bytes();
  if (range_aligned(4 * counts_.size()) + bytes > Device::kCountsBytes) send();
  const uint64_t at = range_aligned(4 * counts_.size());
  counts_.resize((at + bytes) / 4);
  std::ranges::copy(counts, counts_.begin() + ptrdiff_t(at / 4));
  return at;
}

Result<void> Work::dispatch(const Launch& launch) {
  only_fills_ = false;
  const auto& code = static_cast<const Code&>(*launch.code);
  const uint64_t at = put_counts(code, launch.counts);
  VYRE_TRY(entries, entries_for(code, launch.bound));
  entries.push_back({.binding = code.module().buffers,
                     .buffer = buffer_of(device_->counts_),
                     .offset = at,
                     .size = code.module().count_bytes()});
  const WGPUBindGroupDescriptor descriptor = {
      .layout = code.layout(), .entryCount = entries.size(), .entries = entries.data()};
  const WGPUBindGroup group = api().DeviceCreateBindGroup(device_->handle(), &descriptor);
  if (group == nullptr) return {};  // the scopes know why
  record();
  if (pass_ == nullptr) pass_ = api().CommandEncoderBeginComputePass(encoder_, nullptr);
  api().ComputePassEncoderSetPipeline(pass_, code.pipeline());
  api().ComputePassEncoderSetBindGroup(pass_, 0, group, 0, nullptr);
  api().ComputePassEncoderDispatchWorkgroups(pass_, launch.groups.x, launch.groups.y, launch.groups.z);
  api().BindGroupRelease(group);
  aside_.clear();  // what follows in the queue may use that memory again
  return {};
}

}  // namespace vyre::backend::webgpu
