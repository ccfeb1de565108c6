// Work for a device: copies and dispatches, recorded in order and sent in as few submissions as they fit in.
//
// A small dispatch is one submission: its data goes into staging memory, is copied to the device, the kernel
// runs, results are copied back to staging, and the host waits once. What is larger than the staging memory
// of a slot takes several, in two slots in turn: while the device fetches from one, the host fills the other.
// Where the host sees the device's memory, copies are its own and nothing is staged. Barriers stand between
// whatever could depend on one another: the device may otherwise run commands of a queue in any order.
// Source: Vulkan specification, "Synchronization and Cache Control", "Host Write Ordering Guarantees".
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "backend/vulkan/device.h"

namespace vyre::backend::vulkan {

/// A descriptor set for a program's buffers.
Result<VkDescriptorSet> make_set(Device& device, VkDescriptorPool pool, const Interface& interface);

/// The commands of one dispatch, whose buffers `set` gets; null for a program that binds none.
void record_dispatch(const Device& device, VkCommandBuffer commands, const Launch& launch,
                     VkDescriptorSet set);

class Work final : public DeviceWork {
 public:
  explicit Work(std::shared_ptr<Device> device) : device_(std::move(device)), turn_(device_->turn_) {}
  ~Work() override;

  Result<void> write(const Allocation& to, uint64_t size, uint64_t offset,
                     std::span<const std::byte> from) override;
  Result<void> fill(const Allocation& to, uint64_t size, uint64_t offset, uint64_t count,
                    std::byte value) override;
  Result<void> read(const Allocation& from, uint64_t offset, std::span<std::byte> to) override;
  Result<void> copy_in(std::span<const Transfer> parts) override;
  Result<void> copy_out(std::span<const Transfer> parts) override;
  /// Of a watched program the word is read back, and finish() says what it means.
  Result<void> dispatch(const Launch& launch) override;
  /// Errors: B003 when the driver ended a loop of a watched program early.
  Result<void> finish() override;

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

  Slot& slot() { return device_->slots_[current_]; }
  Result<void> record();
  void enter(Phase phase);
  Result<void> send();
  Result<void> next();
  Result<void> drain(size_t which);
  Result<void> drain_all();
  Result<void> wait();
  /// Room for up to `wanted` bytes in the slot's staging memory; at least one.
  Result<uint64_t> reserve(uint64_t wanted, uint64_t& at);
  Result<VkDescriptorSet> set_for(const Interface& interface);

  const std::shared_ptr<Device> device_;
  const std::unique_lock<std::mutex> turn_;
  std::array<State, 2> states_;
  std::vector<Fetch> last_;  // after everything
  struct Watched {
    const Allocation* watch = nullptr;
    uint32_t ended = 0;
  };
  std::deque<Watched> watched_;
  size_t current_ = 0;
  bool recording_ = false;
  Phase phase_ = Phase::None;
  uint64_t used_ = 0;  // of the slot's staging memory
};

}  // namespace vyre::backend::vulkan
