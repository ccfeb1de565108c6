// The Vulkan backend on the device that is here: staging, latency, streaming, floats and compiling.
//
//   bench_vulkan [N]      device N; without it the one that `--backend vulkan` takes
//
// Rates that only a rival makes sense of have one in the same run: a dispatch stands beside a bare submission
// and wait, streaming beside the driver's own copy from device memory to device memory, staging beside a copy
// by the host, floats on the device's instructions beside floats made of integers. Times are the best of
// several runs. Results are looked at first: a fast wrong answer is no answer. Exit 1 when one is wrong, 3
// when there is no device.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "backend/vulkan/device.h"
#include "backend/vulkan/vulkan.h"
#include "device_bench.h"
#include "lower/kernel.h"
#include "lower/size.h"
#include "lower/spirv/float_promises.h"
#include "lower/spirv/spirv.h"
#include "pipelines.h"

namespace {

using namespace vyre;
using namespace vyre::bench;
using backend::Backend;
using backend::DeviceRange;

/// The driver without vyre: a device of its own, and one command buffer.
class Bare {
 public:
  explicit Bare(std::optional<uint32_t> ordinal)
      : instance_(must(backend::vulkan::Instance::open("", false))),
        device_(must(backend::vulkan::Device::open(
            instance_, must(backend::vulkan::choose_device(*instance_, ordinal)), std::chrono::minutes(1)))) {
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                          .queueFamilyIndex = device_->profile().queue_family};
    must_work(api().CreateCommandPool(handle(), &pool, nullptr, &pool_));
    const VkCommandBufferAllocateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                  .commandPool = pool_,
                                                  .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                  .commandBufferCount = 1};
    must_work(api().AllocateCommandBuffers(handle(), &commands, &commands_));
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    must_work(api().CreateFence(handle(), &fence, nullptr, &fence_));
  }
  Bare(const Bare&) = delete;
  ~Bare() {
    api().DestroyFence(handle(), fence_, nullptr);
    api().DestroyCommandPool(handle(), pool_, nullptr);
  }

  /// Submits what `record` records, again and again, and waits each time: the best time.
  double time_of(int runs, const std::function<void(VkCommandBuffer)>& record) {
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    must_work(api().BeginCommandBuffer(commands_, &info));
    record(commands_);
    must_work(api().EndCommandBuffer(commands_));
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands_};
    return best_of(runs, [&] {
      must_work(api().QueueSubmit(device_->queue(), 1, &submit, fence_));
      must_work(api().WaitForFences(handle(), 1, &fence_, VK_TRUE, UINT64_MAX));
      must_work(api().ResetFences(handle(), 1, &fence_));
    });
  }
  double copy_time(uint64_t bytes) {
    const auto from = must(device_->allocate(bytes)), to = must(device_->allocate(bytes));
    return time_of(20, [&](VkCommandBuffer commands) {
      const VkBufferCopy region = {
          .srcOffset = from.allocation().offset, .dstOffset = to.allocation().offset, .size = bytes};
      api().CmdCopyBuffer(commands, backend::vulkan::buffer_of(from.allocation()),
                          backend::vulkan::buffer_of(to.allocation()), 1, &region);
    });
  }

  /// A dispatch of a thousand of the kernel kStep over one buffer, with a barrier after each: what a good
  /// engineer records.
  double thousand_time() {
    const check::Checked program = checked(kStep);
    const lower::SpirvTarget& target = device_->profile().target;
    const lower::Kernel legal = must(lower::legalize_bounded(
        lower::build(program), lower::spirv_target(target, lower::vulkan_promises(target.floats))));
    const auto module = must(lower::emit_spirv(legal, target));
    const auto code = must(
        device_->make_code({.words = module.words, .buffers = module.buffers, .watched = module.watched}));
    const auto memory = must(device_->allocate(256));
    const VkDescriptorPoolSize size = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .descriptorCount = 2};
    const VkDescriptorPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                                  .maxSets = 1,
                                                  .poolSizeCount = 1,
                                                  .pPoolSizes = &size};
    VkDescriptorPool sets = VK_NULL_HANDLE;
    must_work(api().CreateDescriptorPool(handle(), &pool_info, nullptr, &sets));
    const auto& interface = code->interface();
    const VkDescriptorSetAllocateInfo set_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                  .descriptorPool = sets,
                                                  .descriptorSetCount = 1,
                                                  .pSetLayouts = &interface.set};
    VkDescriptorSet set = VK_NULL_HANDLE;
    must_work(api().AllocateDescriptorSets(handle(), &set_info, &set));
    const std::vector<VkDescriptorBufferInfo> buffers(
        interface.descriptors(),
        {backend::vulkan::buffer_of(memory.allocation()), memory.allocation().offset, 256});
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = set,
                                        .descriptorCount = uint32_t(buffers.size()),
                                        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                        .pBufferInfo = buffers.data()};
    api().UpdateDescriptorSets(handle(), 1, &write, 0, nullptr);
    std::vector<uint32_t> counts = {64};
    counts.resize(1 + lower::kSpirvMasks);
    const double best = time_of(50, [&](VkCommandBuffer commands) {
      api().CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, code->pipeline());
      api().CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, interface.layout, 0, 1, &set, 0,
                                  nullptr);
      api().CmdPushConstants(commands, interface.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                             uint32_t(counts.size() * 4), counts.data());
      const VkMemoryBarrier barrier = {
          .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
          .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
          .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
      for (int i = 0; i < 1000; ++i) {
        api().CmdDispatch(commands, 1, 1, 1);
        api().CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                 VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier, 0, nullptr, 0,
                                 nullptr);
      }
    });
    api().DestroyDescriptorPool(handle(), sets, nullptr);
    return best / 1000;
  }

 private:
  static void must_work(VkResult result) { must_be(result == VK_SUCCESS, backend::vulkan::describe(result)); }
  const backend::vulkan::DeviceApi& api() const { return device_->api(); }
  VkDevice handle() const { return device_->handle(); }

  std::shared_ptr<backend::vulkan::Instance> instance_;
  std::shared_ptr<backend::vulkan::Device> device_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
};

/// A chain of operations on floats that nothing else waits for.
void floats(const backend::VulkanOptions& options, uint32_t invocations, uint32_t rounds) {
  for (const auto& [name, step] :
       {std::pair("add, mul", "x = x * 0.999 + y; y = y * 1.001 - x;"),
        std::pair("div", "x = y / x; y = y + 0.5;"), std::pair("sqrt", "x = fsqrt(x) + y; y = y + 0.5;"),
        std::pair("fma", "x = fmul_add(x, 0.999, y); y = fmul_add(y, 1.001, -x);")}) {
    auto parsed = text::parse(fmt::format(R"(
program chain(read a: f32 @0, read_write out: f32 @1) workgroup(256, 1, 1) {{
  let i = invocation_id.x;
  let x = a[i];
  let y = a[i] + 1.0;
  for k in 0..{} {{ {} }}
  out[i] = x + y;
}})",
                                          rounds, step));
    if (!parsed) stop(parsed.error());
    auto program = check::check(std::move(*parsed), ops::op_table());
    if (!program) stop(program.error().front());
    std::vector<float> input(invocations);
    for (uint32_t i = 0; i < invocations; ++i) input[i] = 1.0f + float(i) / float(invocations);
    double times[2] = {};
    std::vector<std::byte> results[2];
    for (const bool native : {false, true}) {
      backend::VulkanOptions wanted = options;
      wanted.floats = native ? backend::FloatForm::Native : backend::FloatForm::Composed;
      const auto gpu = must(backend::make_vulkan(wanted));
      const auto pipeline = must(gpu->compile(*program));
      const uint64_t bytes = input.size() * 4;
      const auto from = must(gpu->allocate(bytes)), to = must(gpu->allocate(bytes));
      must(from->write(0, std::as_bytes(std::span(input))));
      const DeviceRange ranges[] = {{from.get(), 0, bytes}, {to.get(), 0, bytes}};
      times[native] =
          best_of(3, [&] { must(pipeline->dispatch_resident(ranges, {invocations / 256, 1, 1})); });
      results[native].resize(bytes);
      must(to->read(0, results[native]));
    }
    must_be(results[0] == results[1], name);
    fmt::print("floats, {:<14} native {:8.2f} ms          composed {:8.2f} ms          ratio {:.1f}\n", name,
               times[1] * 1e3, times[0] * 1e3, times[0] / times[1]);
  }
}

void compiling(const backend::VulkanOptions& options, uint32_t programs_wanted) {
  compiling_one([&](const std::string& folder) {
    backend::VulkanOptions kept_here = options;
    kept_here.cache = folder;
    return must(backend::make_vulkan(kept_here));
  });
  const RandomPrograms programs(programs_wanted);
  for (const unsigned threads : {1u, 0u}) {
    backend::VulkanOptions wanted = options;
    wanted.threads = threads;
    wanted.floats = backend::FloatForm::Composed;
    const auto gpu = must(backend::make_vulkan(wanted));
    const double time = programs.time_to_compile(*gpu);
    fmt::print("compiling {} random programs, {}: {:6.2f} ms a program\n", programs_wanted,
               threads == 1 ? "one thread" : "all cores ", time * 1e3);
  }
}

}  // namespace

int main(int argc, char** argv) {
  backend::VulkanOptions options = {.cache = "none"};
  if (argc > 1) options.ordinal = must(backend::parse_vulkan_ordinal(argv[1]));
  const auto gpu = must(backend::make_vulkan(options));
  fmt::print("{}; {}\n", gpu->identity().device, gpu->identity().driver);
  Bare bare(options.ordinal);
  // A device that is a CPU, or small, gets less to do.
  const uint64_t most = std::min<uint64_t>(1ull << 30, std::bit_floor(gpu->limits().max_buffer_bytes));
  const bool large = most == 1ull << 30;
  staging(*gpu, size_t(large ? 512 << 20 : 64 << 20));
  latency(*gpu, "bare submission", [&] { return bare.time_of(500, [](VkCommandBuffer) {}); });
  pipelines(*gpu, bare.thousand_time());
  bench::streaming(*gpu, most, 256, bare.copy_time(most));
  floats(options, large ? 1u << 20 : 1u << 12, large ? 1000 : 100);
  compiling(options, large ? 1024 : 64);
  return 0;
}
