// Work for a device: copies and dispatches, recorded in order and sent in as few submissions as they fit in.
//
// A small dispatch is one submission: its data goes into staging memory, is copied to the device, the kernel
// runs, results are copied back to staging, and the host waits once. What is larger than the staging memory
// of a slot takes several, in two slots in turn: while the device fetches from one, the host fills the other.
// Where the host sees the device's memory, copies are its own and nothing is staged. Barriers stand between
// whatever could depend on one another: the device may otherwise run commands of a queue in any order.
// Source: Vulkan specification, "Synchronization and Cache Control", "Host Write Ordering Guarantees".
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "backend/vulkan/device.h"

namespace vyre::backend::vulkan {

/// What a binding of a dispatch names: a piece of device memory, from `offset` in it.
struct Bound {
  const Piece* piece = nullptr;
  uint64_t offset = 0;  // in the piece; a multiple of kRangeAlignment
  uint64_t bytes = 0;
};

/// As descriptors see them: code may touch the first element of any binding, and whole words of the last.
std::vector<VkDescriptorBufferInfo> descriptors_of(std::span<const Bound> bindings);

class Work {
 public:
  /// The device for this thread alone, until it goes. B011 when the device was lost.
  static Result<std::unique_ptr<Work>> begin(const std::shared_ptr<Device>& device);
  /// Waits for what was sent, if anything was, and forgets what was not.
  ~Work();
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  // Each is done when finish() returns, not before; but `from` may change as soon as copy_in returns.
  Result<void> copy_in(const Piece& to, uint64_t offset, std::span<const std::byte> from);
  Result<void> copy_out(const Piece& from, uint64_t offset, std::span<std::byte> to);
  Result<void> fill(const Piece& to, uint64_t offset, uint64_t count, std::byte value);
  /// Shape: a binding and a count for each buffer of the code; where it is watched, one binding more.
  Result<void> dispatch(const Code& code, std::span<const Bound> bindings, std::span<const uint32_t> counts,
                        layout::Groups groups);
  /// Sends what is left and waits for everything.
  Result<void> finish();

 private:
  /// What commands touch memory for: between two of them that differ stands a barrier, and between
  /// dispatches.
  enum class Phase : uint8_t { None, In, Compute, Out };
  struct Fetch {
    const std::byte* from = nullptr;  // mapped memory
    std::span<std::byte> to;
  };
  struct State {
    bool sent = false;
    std::vector<Fetch> fetches;  // to do when the slot's fence says so
  };

  explicit Work(const std::shared_ptr<Device>& device) : device_(device), turn_(device->turn_) {}
  Slot& slot() { return device_->slots_[current_]; }
  Result<void> record();
  void enter(Phase phase);
  Result<void> send();
  Result<void> next();
  Result<void> drain(size_t which);
  Result<void> drain_all();
  /// Room for up to `wanted` bytes in the slot's staging memory; at least one.
  Result<uint64_t> reserve(uint64_t wanted, uint64_t& at);
  Result<VkDescriptorSet> set_for(const Interface& interface);

  const std::shared_ptr<Device> device_;
  const std::unique_lock<std::mutex> turn_;
  std::array<State, 2> states_;
  std::vector<Fetch> last_;  // after everything
  size_t current_ = 0;
  bool recording_ = false;
  Phase phase_ = Phase::None;
  uint64_t used_ = 0;  // of the slot's staging memory
};

}  // namespace vyre::backend::vulkan
