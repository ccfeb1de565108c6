// One Vulkan device: its queue, its memory and its code, with the driver's answers turned into diagnostics.
//
// Everything that is sent to the queue goes through Work (work.h), one at a time: a Turn says whose it is.
// Memory and code need no turn.
//
// A device that is lost, or has not answered in time, stays lost, and what it holds is left to the end of the
// process: nothing may be destroyed that it might still use.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/device_core.h"
#include "backend/transfer.h"
#include "backend/vulkan/profile.h"
#include "base/bytes.h"
#include "lower/kernel.h"

namespace vyre::backend::vulkan {

class Device;

/// Memory up to this size is cut from slabs, since drivers allow few allocations.
inline constexpr uint64_t kLargestPart = 1ull << 20;

inline VkBuffer buffer_of(const Allocation& allocation) {
  return reinterpret_cast<VkBuffer>(allocation.handle);
}

/// How buffers and counts reach a program that binds this many.
struct Interface {
  VkDescriptorSetLayout set = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  uint32_t buffers = 0;
  bool watched = false;  // one more, which has no count
  uint32_t descriptors() const { return buffers + (watched ? 1 : 0); }
};

/// A program on the device. `floats`: of the SPIR-V that text() shows.
class Code final : public DeviceCode {
 public:
  Code(std::shared_ptr<Device> device, VkPipeline pipeline, const Interface& interface,
       const lower::FloatPromises& floats);
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  ~Code() override;
  VkPipeline pipeline() const { return pipeline_; }
  const Interface& interface() const { return interface_; }
  /// The word that a watched program sets when the driver leaves a loop early, and that is zero until then;
  /// null for others.
  const Allocation* watch() const { return interface_.watched ? &watch_->allocation() : nullptr; }
  /// Errors: B003 when there is no memory for it.
  Result<void> make_watch();
  Result<EmittedCode> text(const check::Checked& program) const override;

 private:
  const std::shared_ptr<Device> device_;
  const VkPipeline pipeline_;
  const Interface interface_;
  const lower::FloatPromises floats_;
  std::optional<DeviceMemory> watch_;
};

/// Staging memory, and what is recorded beside it: one submission.
struct Slot {
  static constexpr uint64_t kBytes = 8ull << 20;
  static constexpr uint32_t kSets = 256;
  Allocation staging;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  VkFence done = VK_NULL_HANDLE;
  VkDescriptorPool sets = VK_NULL_HANDLE;
  uint32_t used_sets = 0;  // of the pool
  uint32_t used_descriptors = 0;
};

class Device final : public DeviceCore {
 public:
  /// Errors: B001 when the device cannot be opened.
  static Result<std::shared_ptr<Device>> open(std::shared_ptr<Instance> instance, const Profile& profile,
                                              std::chrono::milliseconds timeout);
  ~Device() override;

  const Profile& profile() const { return profile_; }
  const DeviceApi& api() const { return api_; }
  VkDevice handle() const { return handle_; }
  VkQueue queue() const { return queue_; }

  /// So many buffers may a program bind: each is a descriptor and a word of push constants.
  uint32_t max_buffers() const;
  /// Descriptors in the pool of a slot: one program with as many buffers as it may have finds room.
  uint32_t pool_descriptors() const;

  Result<std::unique_ptr<DeviceWork>> begin() override;
  Result<void> check_binding(uint64_t bytes) const override;
  /// As one command buffer; null where a program is watched, so that each dispatch has to be looked after.
  Result<std::unique_ptr<Recording>> record(std::vector<DeviceCommand> commands) override;
  bool records() const override { return true; }

  /// SPIR-V to code. `kept`: what keep() gave for the same module, or nothing. `whole_subgroups`: the module
  /// has operations of subgroups; `threads` of its workgroup.
  /// Errors  L003 when the driver refuses the module; B003 when it runs out of memory; B011.
  /// Thread  any, several at once.
  struct Source {
    std::span<const uint32_t> words;
    uint32_t buffers = 0;
    bool watched = false;  // lower::SpirvModule::watched
    bool whole_subgroups = false;
    lower::FloatPromises floats = lower::kNoFloats;
    std::span<const std::byte> kept;
    Bytes* keep = nullptr;  // where what the driver wants to be kept goes; empty when there is nothing
  };
  Result<std::shared_ptr<Code>> make_code(const Source& source);

  /// Success, or what a failed call means: B003 for exhausted memory, B011 for a lost device, which it then
  /// stays, B012 for anything else, and for whatever validation layers said.
  Result<void> check(VkResult result, const char* doing);
  /// Submits commands that may be submitted again, and waits for them.
  Result<void> submit_and_wait(VkCommandBuffer commands, VkFence done);
  /// Waits for a fence, and resets it. B011 when that takes longer than the timeout.
  Result<void> wait(VkFence fence);

 private:
  friend class Code;
  friend class Work;
  Device(std::shared_ptr<Instance> instance, const Profile& profile, std::chrono::milliseconds timeout);
  std::shared_ptr<Device> shared_device() { return std::static_pointer_cast<Device>(shared_from_this()); }
  Result<void> prepare();
  VkResult prepare_slot(Slot& slot);
  Diag out_of_memory(const std::string& what);

  /// A buffer with memory of its own. `staging`: the host's, to copy from and to; else the device's.
  VkResult make_buffer(uint64_t bytes, bool staging, Allocation& out);
  std::optional<uint32_t> memory_type(uint32_t allowed, bool staging) const;
  Result<uint64_t> piece_bytes(uint64_t bytes) const override;
  Result<Allocation> make_piece(uint64_t size, uint64_t bytes) override;
  void destroy_piece(const Allocation& allocation) override;
  uint64_t most_kept() const override;

  Bytes data_of(VkPipelineCache cache) const;
  Result<Interface> interface_for(uint32_t buffers, bool watched);
  VkResult make_interface(Interface& out);
  VkResult make_pipeline(const Source& source, VkShaderModule module, VkPipelineLayout layout,
                         VkPipelineCache cache, VkPipeline* out) const;

  const std::shared_ptr<Instance> instance_;
  const Profile profile_;
  const std::chrono::milliseconds timeout_;
  DeviceApi api_;
  VkDevice handle_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  VkCommandPool commands_ = VK_NULL_HANDLE;

  std::mutex turn_;  // of Work; the three below are his whose turn it is
  std::array<Slot, 2> slots_;
  Copier copier_;

  std::vector<Allocation> slabs_;         // what small allocations are cut from
  std::atomic<uint64_t> held_bytes_ = 0;  // of everything

  std::mutex interface_mutex_;
  std::map<std::pair<uint32_t, bool>, Interface> interfaces_;  // by buffers, watched
};

}  // namespace vyre::backend::vulkan
