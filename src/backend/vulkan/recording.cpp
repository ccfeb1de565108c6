// Recordings as one command buffer: recorded once, submitted again and again.
//
// Descriptors are written once, too. Between two commands stands a barrier only where the later one touches
// what the earlier one wrote, or writes what it read. Source: Vulkan specification, "Synchronization and
// Cache Control".
#include <algorithm>
#include <memory>
#include <utility>

#include "backend/vulkan/work.h"

namespace vyre::backend::vulkan {
namespace {

/// A part of memory that a command touches.
struct Touch {
  uint64_t buffer;
  uint64_t begin, end;
  bool written;
};

class CommandBuffer final : public Recording {
 public:
  CommandBuffer(std::shared_ptr<Device> device, std::vector<DeviceCommand> commands)
      : device_(std::move(device)), commands_(std::move(commands)) {}

  ~CommandBuffer() override {
    const DeviceApi& api = device_->api();
    if (sets_ != VK_NULL_HANDLE) api.DestroyDescriptorPool(device_->handle(), sets_, nullptr);
    if (pool_ != VK_NULL_HANDLE) api.DestroyCommandPool(device_->handle(), pool_, nullptr);
    if (done_ != VK_NULL_HANDLE) api.DestroyFence(device_->handle(), done_, nullptr);
  }

  Result<void> build() {
    VYRE_CHECK(device_->check_alive());
    VYRE_CHECK(make_objects());
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const DeviceApi& api = device_->api();
    VYRE_CHECK(check(api.BeginCommandBuffer(buffer_, &info)));
    barrier(VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    for (const DeviceCommand& command : commands_) {
      order(command);
      if (command.launch.code == nullptr) {
        fill(command.range);
      } else {
        VYRE_CHECK(dispatch(command.launch));
      }
    }
    if (device_->profile().shares_memory) host_barrier();
    return check(api.EndCommandBuffer(buffer_));
  }

  Result<void> run(std::span<Taken>, uint64_t) override { return device_->submit_and_wait(buffer_, done_); }

 private:
  Result<void> check(VkResult result) { return device_->check(result, "recording commands"); }

  Result<void> make_objects() {
    const DeviceApi& api = device_->api();
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = device_->profile().queue_family};
    VYRE_CHECK(check(api.CreateCommandPool(device_->handle(), &pool, nullptr, &pool_)));
    const VkCommandBufferAllocateInfo buffer = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                .commandPool = pool_,
                                                .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                .commandBufferCount = 1};
    VYRE_CHECK(check(api.AllocateCommandBuffers(device_->handle(), &buffer, &buffer_)));
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VYRE_CHECK(check(api.CreateFence(device_->handle(), &fence, nullptr, &done_)));
    uint32_t sets = 0, descriptors = 0;
    for (const auto& [command, launch, range] : commands_) {
      if (launch.code == nullptr || launch.bound.empty()) continue;
      ++sets;
      descriptors += uint32_t(launch.bound.size());
    }
    if (sets == 0) return {};
    const VkDescriptorPoolSize size = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                       .descriptorCount = descriptors};
    const VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = sets,
                                             .poolSizeCount = 1,
                                             .pPoolSizes = &size};
    return check(api.CreateDescriptorPool(device_->handle(), &info, nullptr, &sets_));
  }

  /// A barrier, if the command depends on one since the last.
  void order(const DeviceCommand& command) {
    std::vector<Touch> touches;
    const auto touch = [&](const Bound& bound, bool written) {
      const uint64_t begin = bound.allocation->offset + bound.offset;
      touches.push_back({bound.allocation->handle, begin, begin + bound.bytes, written});
    };
    const Launch& launch = command.launch;
    for (size_t i = 0; i < launch.bound.size(); ++i) touch(launch.bound[i], launch.written[i]);
    if (launch.code == nullptr) touch(command.range, true);
    const auto conflicts = [&](const Touch& a) {
      return std::ranges::any_of(since_barrier_, [&](const Touch& b) {
        return a.buffer == b.buffer && a.begin < b.end && b.begin < a.end && (a.written || b.written);
      });
    };
    if (std::ranges::any_of(touches, conflicts)) {
      barrier(VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
      since_barrier_.clear();
    }
    since_barrier_.insert(since_barrier_.end(), touches.begin(), touches.end());
  }

  void barrier(VkPipelineStageFlags from) {
    const VkMemoryBarrier memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_WRITE_BIT,
        .dstAccessMask =
            VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
    device_->api().CmdPipelineBarrier(buffer_, from,
                                      VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                      0, 1, &memory, 0, nullptr, 0, nullptr);
  }
  void host_barrier() {
    const VkMemoryBarrier memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    device_->api().CmdPipelineBarrier(buffer_,
                                      VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                      VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &memory, 0, nullptr, 0, nullptr);
  }

  void fill(const Bound& bound) {
    if (bound.bytes == 0) return;  // a fill of no bytes is not allowed
    // Ranges begin at multiples of 256 and memory is whole words, so what is rounded up is slack of this
    // range.
    device_->api().CmdFillBuffer(buffer_, buffer_of(*bound.allocation),
                                 bound.allocation->offset + bound.offset, (bound.bytes + 3) & ~uint64_t{3},
                                 0);
  }

  Result<void> dispatch(const Launch& launch) {
    VkDescriptorSet set = VK_NULL_HANDLE;
    if (!launch.bound.empty()) {
      VYRE_TRY(made, make_set(*device_, sets_, static_cast<const Code&>(*launch.code).interface()));
      set = made;
    }
    record_dispatch(*device_, buffer_, launch, set);
    return {};
  }

  const std::shared_ptr<Device> device_;
  const std::vector<DeviceCommand> commands_;  // whose code stays as long
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer buffer_ = VK_NULL_HANDLE;
  VkDescriptorPool sets_ = VK_NULL_HANDLE;
  VkFence done_ = VK_NULL_HANDLE;
  std::vector<Touch> since_barrier_;
};

}  // namespace

Result<std::unique_ptr<Recording>> Device::record(std::vector<DeviceCommand> commands) {
  for (const auto& [command, launch, range] : commands) {
    if (launch.code != nullptr && static_cast<const Code&>(*launch.code).watch() != nullptr) return nullptr;
  }
  auto out = std::make_unique<CommandBuffer>(shared_device(), std::move(commands));
  VYRE_CHECK(out->build());
  return out;
}

}  // namespace vyre::backend::vulkan
