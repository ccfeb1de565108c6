// Code of a device: WGSL to pipelines.
#include <fmt/format.h>

#include <algorithm>

#include "backend/webgpu/device.h"

namespace vyre::backend::webgpu {
namespace {

constexpr const char* kDoing = "compiling a kernel";
/// So many are compiled at the same time: each may take a thread of the library's.
constexpr size_t kAtOnce = 16;

}  // namespace

/// A module on its way to code.
struct Device::Compiling {
  const lower::WgslModule* module = nullptr;
  WGPUShaderModule shader = nullptr;
  WGPUFuture future;
  std::shared_ptr<Answer<WGPUComputePipeline>> made = std::make_shared<Answer<WGPUComputePipeline>>();
  std::shared_ptr<Code> known;
};

Code::~Code() {
  const Turn turn = device_->turn();
  if (device_->is_lost()) return;
  device_->api().BindGroupLayoutRelease(layout_);
  device_->api().ComputePipelineRelease(pipeline_);
}

std::shared_ptr<Code> Device::find_code(const std::string& text) {
  const auto found = codes_.find(text);
  return found == codes_.end() ? nullptr : found->second.lock();
}

std::shared_ptr<Code> Device::keep_code(WGPUComputePipeline pipeline, const lower::WgslModule& module) {
  const WGPUBindGroupLayout layout = api().ComputePipelineGetBindGroupLayout(pipeline, 0);
  auto code = std::make_shared<Code>(shared_device(), pipeline, layout, module);
  // Those that are no longer used are forgotten now and then.
  if (codes_.size() >= 2 * live_codes_) {
    std::erase_if(codes_, [](const auto& entry) { return entry.second.expired(); });
    live_codes_ = std::max<size_t>(64, codes_.size());
  }
  codes_[module.text] = code;
  return code;
}

// The module and the pipeline, each with scopes of its own: what is wrong is then reported of the right one.
Result<WGPUShaderModule> Device::make_module(const lower::WgslModule& module) {
  WGPUShaderSourceWGSL source = {.code = {module.text.data(), module.text.size()}};
  const WGPUShaderModuleDescriptor descriptor = {.nextInChain = &source.chain};
  ErrorScopes scopes(*this);
  const WGPUShaderModule made = api().DeviceCreateShaderModule(handle_, &descriptor);
  auto checked = scopes.finish(kDoing, DiagCode::L003);
  if (checked) return made;
  if (made != nullptr && !is_lost()) api().ShaderModuleRelease(made);
  return std::unexpected(std::move(checked).error());
}

// wgpu-native has no other way.
Result<WGPUComputePipeline> Device::make_pipeline(WGPUShaderModule module) {
  const WGPUComputePipelineDescriptor descriptor = {
      .compute = {.module = module, .entryPoint = {lower::kWgslEntry, WGPU_STRLEN}}};
  ErrorScopes scopes(*this);
  const WGPUComputePipeline made = api().DeviceCreateComputePipeline(handle_, &descriptor);
  auto checked = scopes.finish(kDoing, DiagCode::L003);
  if (checked) return made;
  if (made != nullptr && !is_lost()) api().ComputePipelineRelease(made);
  return std::unexpected(std::move(checked).error());
}

Result<void> Device::start_code(const lower::WgslModule& module, Compiling& out) {
  out.module = &module;
  VYRE_CHECK(check_alive());
  if ((out.known = find_code(module.text)) != nullptr) return {};
  VYRE_TRY(shader, make_module(module));
  out.shader = shader;
  if (api().maker != Api::Maker::Dawn) return {};
  const WGPUComputePipelineDescriptor descriptor = {
      .compute = {.module = shader, .entryPoint = {lower::kWgslEntry, WGPU_STRLEN}}};
  out.future = api().DeviceCreateComputePipelineAsync(handle_, &descriptor,
                                                      {.mode = WGPUCallbackMode_AllowProcessEvents,
                                                       .callback = &Answer<WGPUComputePipeline>::take,
                                                       .userdata1 = out.made.get()});
  return {};
}

Result<std::shared_ptr<Code>> Device::end_code(Compiling& compiling) {
  if (compiling.known != nullptr) return compiling.known;
  const auto finish = [&]() -> Result<WGPUComputePipeline> {
    if (api().maker != Api::Maker::Dawn) return make_pipeline(compiling.shader);
    VYRE_CHECK(check_alive());
    VYRE_CHECK(await(compiling.future, compiling.made->done, kDoing));
    if (const auto loss = reports_.loss()) return std::unexpected(lose(fmt::format("{}: {}", kDoing, *loss)));
    if (compiling.made->worked) return compiling.made->handle;
    return std::unexpected(
        refusal(*this, WGPUErrorType_Internal, kDoing, compiling.made->message, DiagCode::L003));
  };
  const auto pipeline = finish();
  if (is_lost()) {
    keep_for_ever(compiling.made);  // the answer may still come
  } else {
    api().ShaderModuleRelease(compiling.shader);
  }
  if (!pipeline) return std::unexpected(pipeline.error());
  return keep_code(*pipeline, *compiling.module);
}

std::vector<Result<std::shared_ptr<Code>>> Device::make_code(
    std::span<const lower::WgslModule* const> modules) {
  const Turn turn = this->turn();
  std::vector<Result<std::shared_ptr<Code>>> out(modules.size());
  std::vector<Compiling> all(modules.size());
  std::vector<Result<void>> started(modules.size());
  const auto end = [&](size_t i) {
    if (started[i]) {
      out[i] = end_code(all[i]);
    } else {
      out[i] = std::unexpected(started[i].error());
    }
  };
  for (size_t i = 0; i < modules.size(); ++i) {
    started[i] = start_code(*modules[i], all[i]);
    if (i >= kAtOnce) end(i - kAtOnce);
  }
  for (size_t i = modules.size() - std::min(modules.size(), kAtOnce); i < modules.size(); ++i) end(i);
  return out;
}

Result<std::shared_ptr<Code>> Device::make_code(const lower::WgslModule& module) {
  const lower::WgslModule* const one = &module;
  return std::move(make_code({&one, 1}).front());
}

}  // namespace vyre::backend::webgpu
