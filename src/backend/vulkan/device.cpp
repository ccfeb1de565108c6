#include "backend/vulkan/device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "backend/resources.h"

namespace vyre::backend::vulkan {
namespace {

constexpr DeviceTraits kTraits = {
    .name = "vulkan",
    .lost_help =
        "start a new process; if it happens again, the driver or the device is at fault (the kernel's "
        "log may tell more)",
    .largest_block = 16ull << 20,  // a device has a limit of what is in one piece
    .largest_part = kLargestPart};

}  // namespace

Device::Device(std::shared_ptr<Instance> instance, const Profile& profile, std::chrono::milliseconds timeout)
    : DeviceCore(kTraits), instance_(std::move(instance)), profile_(profile), timeout_(timeout) {}

Result<std::shared_ptr<Device>> Device::open(std::shared_ptr<Instance> instance, const Profile& profile,
                                             std::chrono::milliseconds timeout) {
  std::shared_ptr<Device> device(new Device(std::move(instance), profile, timeout));
  VYRE_CHECK(device->prepare());
  return device;
}

Result<void> Device::prepare() {
  const auto available = [&](VkResult result, const char* what) -> Result<void> {
    if (result == VK_SUCCESS) return {};
    return std::unexpected(not_available(
        fmt::format("{}: {}: {}", profile_.name, what, describe(result)),
        "see whether another process holds the device or its memory, or choose another one with vulkan:N"));
  };
  VkDevice made = VK_NULL_HANDLE;
  VYRE_CHECK(available(create_device(instance_->api(), profile_, &made), "it cannot be opened"));
  auto api = device_api(instance_->api(), made);
  if (!api) {
    const auto destroy =
        reinterpret_cast<PFN_vkDestroyDevice>(instance_->api().GetDeviceProcAddr(made, "vkDestroyDevice"));
    if (destroy != nullptr) destroy(made, nullptr);
    return std::unexpected(std::move(api).error());
  }
  api_ = *api;
  handle_ = made;
  api_.GetDeviceQueue(handle_, profile_.queue_family, 0, &queue_);
  const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                        .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                        .queueFamilyIndex = profile_.queue_family};
  VYRE_CHECK(available(api_.CreateCommandPool(handle_, &pool, nullptr, &commands_), "it takes no commands"));
  for (Slot& slot : slots_) VYRE_CHECK(available(prepare_slot(slot), "it has no memory for staging"));
  return {};
}

VkResult Device::prepare_slot(Slot& slot) {
  const VkCommandBufferAllocateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                .commandPool = commands_,
                                                .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                .commandBufferCount = 1};
  const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  const VkDescriptorPoolSize size = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                     .descriptorCount = pool_descriptors()};
  const VkDescriptorPoolCreateInfo sets = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                           .maxSets = Slot::kSets,
                                           .poolSizeCount = 1,
                                           .pPoolSizes = &size};
  VkResult result = api_.AllocateCommandBuffers(handle_, &commands, &slot.commands);
  if (result == VK_SUCCESS) result = api_.CreateFence(handle_, &fence, nullptr, &slot.done);
  if (result == VK_SUCCESS) result = api_.CreateDescriptorPool(handle_, &sets, nullptr, &slot.sets);
  if (result == VK_SUCCESS && !profile_.shares_memory) result = make_buffer(Slot::kBytes, true, slot.staging);
  return result;
}

Device::~Device() {
  if (handle_ == VK_NULL_HANDLE) return;
  // What a lost device was made of may still be in use, its instance included.
  if (is_lost()) {
    keep_for_ever(instance_);
    return;
  }
  for (const auto& [key, interface] : interfaces_) {
    api_.DestroyPipelineLayout(handle_, interface.layout, nullptr);
    api_.DestroyDescriptorSetLayout(handle_, interface.set, nullptr);
  }
  for (const Slot& slot : slots_) {
    api_.DestroyFence(handle_, slot.done, nullptr);
    api_.DestroyDescriptorPool(handle_, slot.sets, nullptr);
    destroy_piece(slot.staging);
  }
  drop_unused();
  for (const Allocation& slab : slabs_) destroy_piece(slab);
  api_.DestroyCommandPool(handle_, commands_, nullptr);
  api_.DestroyDevice(handle_, nullptr);
}

uint32_t Device::max_buffers() const {
  return std::min(profile_.max_bindings, profile_.max_push_bytes / 4 - lower::kSpirvMasks);
}

uint32_t Device::pool_descriptors() const { return std::max(4 * Slot::kSets, max_buffers()); }

Result<void> Device::check_binding(uint64_t bytes) const {
  const uint64_t allowed = profile_.limits.max_buffer_bytes;
  if (bytes <= allowed) return {};
  return std::unexpected(exceeded("vulkan", Span::none(), fmt::format("a buffer of {} bytes was", bytes),
                                  fmt::format("{} (maxStorageBufferRange)", allowed),
                                  "dispatch in pieces, or use smaller buffers"));
}

Result<void> Device::check(VkResult result, const char* doing) {
  if (const auto said = instance_->messages().take(); !said.empty()) {
    return std::unexpected(
        make_diag(DiagCode::B012, Span::none(),
                  fmt::format("vulkan: the validation layers say: {}", fmt::join(said, "; ")),
                  "report the program and the output of `vyre backends`"));
  }
  if (result == VK_SUCCESS) return {};
  if (result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY)
    return std::unexpected(out_of_memory(doing));
  std::string what = fmt::format("{}: {}", doing, describe(result));
  if (result == VK_ERROR_DEVICE_LOST) return std::unexpected(lose(std::move(what)));
  return std::unexpected(make_diag(DiagCode::B012, Span::none(),
                                   "vulkan: the driver refused a call while " + what,
                                   "report the program and the output of `vyre backends`"));
}

Result<void> Device::submit_and_wait(VkCommandBuffer commands, VkFence done) {
  const std::lock_guard turn(turn_);
  VYRE_CHECK(check_alive());
  const VkSubmitInfo info = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
  VYRE_CHECK(check(api_.QueueSubmit(queue_, 1, &info, done), "starting a recording"));
  return wait(done);
}

Result<void> Device::wait(VkFence fence) {
  const auto limit = std::chrono::duration_cast<std::chrono::nanoseconds>(timeout_);
  const VkResult result = api_.WaitForFences(handle_, 1, &fence, VK_TRUE, uint64_t(limit.count()));
  if (result == VK_TIMEOUT) {
    return std::unexpected(
        lose(fmt::format("running the kernel: it did not answer within {} ms", timeout_.count())));
  }
  // A fence that stays signalled could not be used again, so it comes before whatever else is wrong.
  const VkResult reset = result == VK_SUCCESS ? api_.ResetFences(handle_, 1, &fence) : result;
  return check(reset, "running the kernel");
}

}  // namespace vyre::backend::vulkan
