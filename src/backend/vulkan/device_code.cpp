// Code of a device: SPIR-V to pipelines, and what the driver wants to be kept of them.
#include <fmt/format.h>

#include "backend/vulkan/device.h"

namespace vyre::backend::vulkan {
namespace {

/// Of what a driver gives to keep, the header that it must begin with. A driver that has no more than that to
/// say keeps nothing.
constexpr size_t kCacheHeader = sizeof(VkPipelineCacheHeaderVersionOne);

Diag refused(VkResult result) {
  return make_diag(DiagCode::L003, Span::none(), "the Vulkan driver refuses the SPIR-V: " + describe(result),
                   "report the program; another backend can run it");
}

}  // namespace

Code::Code(std::shared_ptr<Device> device, VkPipeline pipeline, const Interface& interface,
           const lower::FloatPromises& floats)
    : device_(std::move(device)), pipeline_(pipeline), interface_(interface), floats_(floats) {}

Code::~Code() {
  if (!device_->is_lost()) device_->api_.DestroyPipeline(device_->handle_, pipeline_, nullptr);
}

Result<void> Code::make_watch() {
  VYRE_TRY(memory, device_->allocate(sizeof(uint32_t)));
  watch_.emplace(std::move(memory));
  VYRE_TRY(work, device_->begin());
  VYRE_CHECK(work->fill(watch_->allocation(), sizeof(uint32_t), 0, sizeof(uint32_t), std::byte{0}));
  return work->finish();
}

Result<EmittedCode> Code::text(const check::Checked& program) const {
  lower::SpirvTarget target = device_->profile().target;
  target.float_controls2 = false;  // the same instructions, said in words that every disassembler knows
  const lower::Kernel kernel = lower::legalize(lower::build(program), lower::spirv_target(target, floats_));
  VYRE_TRY(module, lower::emit_spirv(kernel, target));
  VYRE_TRY(text, lower::disassemble(module.words));
  return EmittedCode{.form = "spirv-asm", .text = std::move(text)};
}

VkResult Device::make_interface(Interface& out) {
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (uint32_t i = 0; i < out.descriptors(); ++i) {
    bindings.push_back({.binding = i,
                        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                        .descriptorCount = 1,
                        .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT});
  }
  const VkDescriptorSetLayoutCreateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                               .bindingCount = out.descriptors(),
                                               .pBindings = bindings.data()};
  if (const VkResult result = api_.CreateDescriptorSetLayout(handle_, &set, nullptr, &out.set);
      result != VK_SUCCESS)
    return result;
  const VkPushConstantRange counts = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
                                      .size = 4 * (out.buffers + lower::kSpirvMasks)};
  const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                             .setLayoutCount = 1,
                                             .pSetLayouts = &out.set,
                                             .pushConstantRangeCount = 1,
                                             .pPushConstantRanges = &counts};
  const VkResult result = api_.CreatePipelineLayout(handle_, &layout, nullptr, &out.layout);
  if (result != VK_SUCCESS) api_.DestroyDescriptorSetLayout(handle_, out.set, nullptr);
  return result;
}

Result<Interface> Device::interface_for(uint32_t buffers, bool watched) {
  const std::lock_guard lock(interface_mutex_);
  if (const auto known = interfaces_.find({buffers, watched}); known != interfaces_.end())
    return known->second;
  Interface made = {.buffers = buffers, .watched = watched};
  const VkResult result = make_interface(made);
  if (result == VK_SUCCESS) interfaces_.emplace(std::pair(buffers, watched), made);
  VYRE_CHECK(check(result, "making the layout of a program's buffers"));
  return made;
}

VkResult Device::make_pipeline(const Source& source, VkShaderModule module, VkPipelineLayout layout,
                               VkPipelineCache cache, VkPipeline* out) const {
  const VkPipelineShaderStageRequiredSubgroupSizeCreateInfoEXT size = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO_EXT,
      .requiredSubgroupSize = profile_.target.subgroup_size};
  VkPipelineShaderStageCreateInfo stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                           .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                           .module = module,
                                           .pName = lower::kSpirvEntry};
  if (source.whole_subgroups) {
    stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT_EXT;
    if (profile_.must_require_size) stage.pNext = &size;
  }
  const VkComputePipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .stage = stage, .layout = layout};
  return api_.CreateComputePipelines(handle_, cache, 1, &info, nullptr, out);
}

Bytes Device::data_of(VkPipelineCache cache) const {
  Bytes out;
  size_t size = 0;
  if (api_.GetPipelineCacheData(handle_, cache, &size, nullptr) != VK_SUCCESS || size <= kCacheHeader)
    return out;
  out.resize(size);
  if (api_.GetPipelineCacheData(handle_, cache, &size, out.data()) != VK_SUCCESS) return {};
  out.resize(size);
  return out;
}

Result<std::shared_ptr<Code>> Device::make_code(const Source& source) {
  VYRE_CHECK(check_alive());
  VYRE_TRY(interface, interface_for(source.buffers, source.watched));
  const VkShaderModuleCreateInfo module_info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                .codeSize = source.words.size_bytes(),
                                                .pCode = source.words.data()};
  const VkPipelineCacheCreateInfo cache_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
                                                .initialDataSize = source.kept.size(),
                                                .pInitialData = source.kept.data()};
  VkShaderModule module = VK_NULL_HANDLE;
  VkPipelineCache cache = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
  VkResult result = api_.CreateShaderModule(handle_, &module_info, nullptr, &module);
  // A driver without a cache compiles all the same.
  const bool caches = source.keep != nullptr || !source.kept.empty();
  if (result == VK_SUCCESS && caches &&
      api_.CreatePipelineCache(handle_, &cache_info, nullptr, &cache) != VK_SUCCESS)
    cache = VK_NULL_HANDLE;
  if (result == VK_SUCCESS) result = make_pipeline(source, module, interface.layout, cache, &pipeline);
  if (result == VK_SUCCESS && cache != VK_NULL_HANDLE && source.keep != nullptr)
    *source.keep = data_of(cache);
  if (cache != VK_NULL_HANDLE) api_.DestroyPipelineCache(handle_, cache, nullptr);
  if (module != VK_NULL_HANDLE) api_.DestroyShaderModule(handle_, module, nullptr);
  // Whatever is neither exhausted memory nor a lost device says that the driver does not take the module.
  const bool is_ours = result == VK_SUCCESS || result == VK_ERROR_OUT_OF_HOST_MEMORY ||
                       result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_DEVICE_LOST;
  if (!is_ours) return std::unexpected(refused(result));
  std::shared_ptr<Code> code;
  if (pipeline != VK_NULL_HANDLE)
    code = std::make_shared<Code>(shared_device(), pipeline, interface, source.floats);
  VYRE_CHECK(check(result, "compiling a kernel"));
  if (source.watched) VYRE_CHECK(code->make_watch());
  return code;
}

}  // namespace vyre::backend::vulkan
