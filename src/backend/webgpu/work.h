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

/// What a binding of a dispatch names: a part of a buffer.
struct Bound {
  const Piece* piece = nullptr;
  uint64_t offset = 0;  // a multiple of kRangeAlignment
  uint64_t bytes = 0;
};

class Work {
 public:
  /// The device for this thread alone, until it goes. B011 when the device was lost.
  static Result<std::unique_ptr<Work>> begin(const std::shared_ptr<Device>& device);
  /// Waits for what was sent, if anything was, and forgets what was not.
  ~Work();
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  // Each is done when finish() returns, not before; but `from` may change as soon as copy_in returns. Copies
  // into buffers start at multiples of 4 bytes and write whole words, zeros behind the last byte.
  Result<void> copy_in(const Piece& to, uint64_t offset, std::span<const std::byte> from);
  Result<void> copy_out(const Piece& from, uint64_t offset, std::span<std::byte> to);
  /// Shape: all multiples of 4.
  void copy(const Piece& from, uint64_t at, const Piece& to, uint64_t there, uint64_t count);
  void clear(const Piece& to, uint64_t offset, uint64_t count);
  /// Shape: a binding and a count for each buffer of the code.
  Result<void> dispatch(const Code& code, std::span<const Bound> bindings, std::span<const uint32_t> counts,
                        layout::Groups groups);
  /// Sends what was recorded and waits for it.
  Result<void> wait();
  /// The same, and asks what was wrong with any of it.
  Result<void> finish();

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

  explicit Work(const std::shared_ptr<Device>& device)
      : device_(device), turn_(device->turn()), scopes_(*device) {}
  const Api& api() const { return device_->api(); }
  Slot& slot() { return device_->slots_[current_]; }
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
  bool undrained_ = false;  // something was sent that no mapping follows yet
};

}  // namespace vyre::backend::webgpu
