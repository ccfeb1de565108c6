// Work for a device: copies and dispatches, recorded in order and sent in as few submissions as they fit in.
//
// What the host gives is written to the queue, which orders it before the next submission. Results are copied
// to memory that the host maps, in two slots in turn, and the mapping is what tells that the work is done.
// WebGPU orders everything itself, so there are no barriers; but it forbids a dispatch to bind one buffer
// both as read-only and as writable, so of a buffer that is given for both, what is read is copied aside
// first. Source: W3C WebGPU, "Resource Usages", "Queues".
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/webgpu/device.h"

namespace vyre::backend::webgpu {

class Work final : public DeviceWork {
 public:
  explicit Work(std::shared_ptr<Device> device)
      : device_(std::move(device)), turn_(device_->turn()), scopes_(*device_) {}
  ~Work() override;

  Result<void> write(const Allocation& to, uint64_t size, uint64_t offset,
                     std::span<const std::byte> from) override;
  Result<void> fill(const Allocation& to, uint64_t size, uint64_t offset, uint64_t count,
                    std::byte value) override;
  Result<void> read(const Allocation& from, uint64_t offset, std::span<std::byte> to) override;
  Result<void> copy_in(std::span<const Transfer> parts) override;
  Result<void> copy_out(std::span<const Transfer> parts) override;
  Result<void> dispatch(const Launch& launch) override;
  /// Sends what was recorded, waits for it, and asks what was wrong with any of it.
  Result<void> finish() override;

  /// Shape: all multiples of 4.
  void copy(const Allocation& from, uint64_t at, const Allocation& to, uint64_t there, uint64_t count);

 private:
  struct Fetch {
    uint64_t at = 0;  // in the slot
    std::span<std::byte> to;
  };
  struct State {
    bool sent = false;
    uint64_t used = 0;
    std::vector<Fetch> fetches;  // to do when the slot is mapped
  };

  const Api& api() const { return device_->api(); }
  Slot& slot() { return device_->slots_[current_]; }
  /// From a multiple of 4 on, whole words: zeros behind the last byte.
  Result<void> write_words(const Allocation& to, uint64_t offset, std::span<const std::byte> from);
  template <typename ByteAt, typename Body>
  Result<void> change(const Allocation& to, uint64_t size, uint64_t offset, uint64_t count, ByteAt&& byte_at,
                      Body&& body);
  void clear(const Allocation& to, uint64_t offset, uint64_t count);
  Result<void> wait();
  void record();
  void end_pass();
  void send();
  Result<void> next();
  Result<void> drain(size_t which);
  Result<void> prepare_slot();
  Result<WGPUBuffer> aside(uint64_t bytes);
  Result<std::vector<WGPUBindGroupEntry>> entries_for(const Code& code, std::span<const Bound> bindings);
  uint64_t put_counts(const Code& code, std::span<const uint32_t> counts);

  const std::shared_ptr<Device> device_;
  const Turn turn_;
  ErrorScopes scopes_;
  size_t current_ = 0;
  std::array<State, 2> states_;
  WGPUCommandEncoder encoder_ = nullptr;
  WGPUComputePassEncoder pass_ = nullptr;
  std::vector<uint32_t> counts_;  // of dispatches that were not sent yet
  std::vector<DeviceMemory> aside_;
  bool only_fills_ = true;
  bool undrained_ = false;  // something was sent that no mapping follows yet
};

}  // namespace vyre::backend::webgpu
