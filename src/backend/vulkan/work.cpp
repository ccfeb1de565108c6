#include "backend/vulkan/work.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace vyre::backend::vulkan {
namespace {

constexpr VkAccessFlags kWrites = VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_WRITE_BIT;
constexpr VkAccessFlags kAll = kWrites | VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_SHADER_READ_BIT;
constexpr VkPipelineStageFlags kStages =
    VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
/// Drivers copy what is aligned faster, and adjacent parts as one.
constexpr uint64_t kStagingAlignment = 256;

void barrier(const DeviceApi& api, VkCommandBuffer commands, VkPipelineStageFlags to, VkAccessFlags access) {
  const VkMemoryBarrier memory = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = kWrites, .dstAccessMask = access};
  api.CmdPipelineBarrier(commands, kStages, to, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

/// As descriptors see it: code may touch the first element of any binding, and whole words of the last.
VkDescriptorBufferInfo descriptor_of(const Bound& bound) {
  const uint64_t range = std::max<uint64_t>(16, (bound.bytes + 15) & ~uint64_t{15});
  return {buffer_of(*bound.allocation), bound.allocation->offset + bound.offset, range};
}

Diag loop_ended() {
  return make_diag(DiagCode::B003, Span::none(),
                   "vulkan: the driver ended a loop before its end; llvmpipe lets all loops of an invocation "
                   "together have 65535 turns",
                   "use another backend, or split the loop over invocations or dispatches");
}

}  // namespace

Result<VkDescriptorSet> make_set(Device& device, VkDescriptorPool pool, const Interface& interface) {
  const VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = pool,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &interface.set};
  VkDescriptorSet set = VK_NULL_HANDLE;
  VYRE_CHECK(
      device.check(device.api().AllocateDescriptorSets(device.handle(), &info, &set), "binding buffers"));
  return set;
}

void record_dispatch(const Device& device, VkCommandBuffer commands, const Launch& launch,
                     VkDescriptorSet set) {
  const DeviceApi& api = device.api();
  const auto& code = static_cast<const Code&>(*launch.code);
  const VkPipelineLayout layout = code.interface().layout;
  api.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, code.pipeline());
  if (set != VK_NULL_HANDLE) {
    std::vector<VkDescriptorBufferInfo> buffers;
    for (const Bound& bound : launch.bound) buffers.push_back(descriptor_of(bound));
    if (code.watch() != nullptr) buffers.push_back(descriptor_of({code.watch(), 0, sizeof(uint32_t)}));
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = set,
                                        .descriptorCount = uint32_t(buffers.size()),
                                        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                        .pBufferInfo = buffers.data()};
    api.UpdateDescriptorSets(device.handle(), 1, &write, 0, nullptr);
    api.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
  }
  // The counts of its buffers, and the masks behind them.
  std::vector<uint32_t> constants = launch.counts;
  constants.insert(constants.end(), lower::kSpirvMasks, 0);
  api.CmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                       uint32_t(constants.size() * sizeof(uint32_t)), constants.data());
  api.CmdDispatch(commands, launch.groups.x, launch.groups.y, launch.groups.z);
}

Result<std::unique_ptr<DeviceWork>> Device::begin() {
  auto work = std::make_unique<Work>(shared_device());
  VYRE_CHECK(check_alive());
  return work;
}

Work::~Work() {
  // A command buffer that is being recorded could not be begun again.
  if (recording_ && !device_->is_lost()) device_->api().EndCommandBuffer(slot().commands);
  // After an error a caller has it already, and memory is safe to reuse once the device is done.
  for (size_t i = 0; i < states_.size(); ++i) {
    if (states_[i].sent && !device_->is_lost()) (void)device_->wait(device_->slots_[i].done);
  }
}

Result<void> Work::record() {
  if (recording_) return {};
  VYRE_CHECK(drain(current_));
  const DeviceApi& api = device_->api();
  if (slot().used_sets != 0) {
    VYRE_CHECK(
        device_->check(api.ResetDescriptorPool(device_->handle(), slot().sets, 0), "recording commands"));
    slot().used_sets = slot().used_descriptors = 0;
  }
  const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                         .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
  VYRE_CHECK(device_->check(api.BeginCommandBuffer(slot().commands, &info), "recording commands"));
  recording_ = true;
  phase_ = Phase::None;
  used_ = 0;
  return {};
}

void Work::enter(Phase phase) {
  if (phase_ == phase && phase != Phase::Compute) return;
  barrier(device_->api(), slot().commands, kStages, kAll);
  phase_ = phase;
}

Result<void> Work::send() {
  if (!recording_) return {};
  recording_ = false;
  const DeviceApi& api = device_->api();
  if (phase_ == Phase::Out || device_->profile().shares_memory)
    barrier(api, slot().commands, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
  VYRE_CHECK(device_->check(api.EndCommandBuffer(slot().commands), "recording commands"));
  const VkSubmitInfo info = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &slot().commands};
  const VkResult result = api.QueueSubmit(device_->queue_, 1, &info, slot().done);
  states_[current_].sent = result == VK_SUCCESS;
  return device_->check(result, "starting a kernel");
}

Result<void> Work::next() {
  VYRE_CHECK(send());
  current_ = (current_ + 1) % states_.size();
  return record();
}

Result<void> Work::drain(size_t which) {
  State& state = states_[which];
  if (!state.sent) return {};
  state.sent = false;
  VYRE_CHECK(device_->wait(device_->slots_[which].done));
  for (const Fetch& fetch : state.fetches) device_->copier_.copy(fetch.to, {fetch.from, fetch.to.size()});
  state.fetches.clear();
  return {};
}

Result<void> Work::drain_all() {
  VYRE_CHECK(send());
  // In the order in which they were sent.
  for (size_t i = 1; i <= states_.size(); ++i) VYRE_CHECK(drain((current_ + i) % states_.size()));
  return {};
}

Result<void> Work::finish() {
  VYRE_CHECK(wait());
  std::erase_if(watched_, [](const Watched& one) { return one.ended == 0; });
  if (watched_.empty()) return {};
  // Each program has a word of its own, which its next dispatch wants to be zero.
  for (const Watched& one : watched_)
    VYRE_CHECK(fill(*one.watch, sizeof(uint32_t), 0, sizeof(uint32_t), std::byte{0}));
  VYRE_CHECK(wait());
  return std::unexpected(loop_ended());
}

Result<void> Work::wait() {
  VYRE_CHECK(drain_all());
  for (const Fetch& fetch : last_) device_->copier_.copy(fetch.to, {fetch.from, fetch.to.size()});
  last_.clear();
  return {};
}

Result<uint64_t> Work::reserve(uint64_t wanted, uint64_t& at) {
  VYRE_CHECK(record());
  at = (used_ + kStagingAlignment - 1) / kStagingAlignment * kStagingAlignment;
  if (at >= Slot::kBytes) {
    VYRE_CHECK(next());
    at = 0;
  }
  const uint64_t got = std::min(wanted, Slot::kBytes - at);
  used_ = at + got;
  return got;
}

Result<void> Work::copy_in(std::span<const Transfer> parts) {
  for (const auto& [to, host] : parts) VYRE_CHECK(write(*to.allocation, to.bytes, to.offset, host));
  return {};
}

Result<void> Work::copy_out(std::span<const Transfer> parts) {
  for (const auto& [from, host] : parts) VYRE_CHECK(read(*from.allocation, from.offset, host));
  return {};
}

Result<void> Work::write(const Allocation& to, uint64_t, uint64_t offset, std::span<const std::byte> from) {
  if (to.mapped != nullptr) {
    // What was recorded before comes before; a dispatch copies first, so this waits for nothing.
    VYRE_CHECK(drain_all());
    device_->copier_.copy({to.mapped + offset, from.size()}, from);
    return {};
  }
  while (!from.empty()) {
    uint64_t at = 0;
    VYRE_TRY(count, reserve(from.size(), at));
    device_->copier_.copy({slot().staging.mapped + at, size_t(count)}, from.first(size_t(count)));
    enter(Phase::In);
    const VkBufferCopy region = {.srcOffset = at, .dstOffset = to.offset + offset, .size = count};
    device_->api().CmdCopyBuffer(slot().commands, buffer_of(slot().staging), buffer_of(to), 1, &region);
    from = from.subspan(size_t(count));
    offset += count;
  }
  return {};
}

Result<void> Work::read(const Allocation& from, uint64_t offset, std::span<std::byte> to) {
  if (to.empty()) return {};
  if (from.mapped != nullptr) {
    last_.push_back({from.mapped + offset, to});
    return {};
  }
  while (!to.empty()) {
    uint64_t at = 0;
    VYRE_TRY(count, reserve(to.size(), at));
    enter(Phase::Out);
    const VkBufferCopy region = {.srcOffset = from.offset + offset, .dstOffset = at, .size = count};
    device_->api().CmdCopyBuffer(slot().commands, buffer_of(from), buffer_of(slot().staging), 1, &region);
    states_[current_].fetches.push_back({slot().staging.mapped + at, to.first(size_t(count))});
    to = to.subspan(size_t(count));
    offset += count;
  }
  return {};
}

Result<void> Work::fill(const Allocation& to, uint64_t size, uint64_t offset, uint64_t count,
                        std::byte value) {
  if (count == 0) return {};
  if (to.mapped != nullptr) {
    VYRE_CHECK(drain_all());
    std::memset(to.mapped + offset, int(value), size_t(count));
    return {};
  }
  // The device fills whole words; what stands before and behind them is copied.
  const std::array<std::byte, 4> edge = {value, value, value, value};
  const uint64_t head = std::min(count, (4 - offset % 4) % 4);
  VYRE_CHECK(write(to, size, offset, std::span(edge).first(size_t(head))));
  const uint64_t words = (count - head) & ~uint64_t{3};
  if (words != 0) {
    VYRE_CHECK(record());
    enter(Phase::In);
    device_->api().CmdFillBuffer(slot().commands, buffer_of(to), to.offset + offset + head, words,
                                 uint32_t(value) * 0x01010101u);
  }
  return write(to, size, offset + head + words, std::span(edge).first(size_t(count - head - words)));
}

Result<VkDescriptorSet> Work::set_for(const Interface& interface) {
  const bool full = slot().used_sets == Slot::kSets ||
                    slot().used_descriptors + interface.descriptors() > device_->pool_descriptors();
  if (full) VYRE_CHECK(next());
  ++slot().used_sets;
  slot().used_descriptors += interface.descriptors();
  return make_set(*device_, slot().sets, interface);
}

Result<void> Work::dispatch(const Launch& launch) {
  const auto& code = static_cast<const Code&>(*launch.code);
  VYRE_CHECK(record());
  VkDescriptorSet set = VK_NULL_HANDLE;
  if (code.interface().descriptors() != 0) {
    VYRE_TRY(made, set_for(code.interface()));
    set = made;
  }
  enter(Phase::Compute);
  record_dispatch(*device_, slot().commands, launch, set);
  if (code.watch() == nullptr) return {};
  Watched& watched = watched_.emplace_back(Watched{.watch = code.watch()});
  return read(*code.watch(), 0, std::as_writable_bytes(std::span(&watched.ended, 1)));
}

}  // namespace vyre::backend::vulkan
