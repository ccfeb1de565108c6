// Code of a device: WGSL to pipelines.
#include <fmt/format.h>

#include <algorithm>

#include "backend/webgpu/device.h"

namespace vyre::backend::webgpu {
namespace {

struct Made {
  std::atomic<bool> done = false;
  bool worked = false;
  WGPUComputePipeline pipeline = nullptr;
  std::string message;

  static void take(WGPURequestStatus status, WGPUComputePipeline pipeline, WGPUStringView message, void* self,
                   void*) {
    auto* const made = static_cast<Made*>(self);
    made->worked = status == WGPURequestStatus_Success && pipeline != nullptr;
    made->pipeline = pipeline;
    made->message = text(message);
    made->done = true;
  }
};

constexpr const char* kDoing = "compiling a kernel";

}  // namespace

Code::~Code() {
  const Turn turn = device_->turn();
  if (device_->is_lost_) return;
  device_->api().BindGroupLayoutRelease(layout_);
  device_->api().ComputePipelineRelease(pipeline_);
}

std::shared_ptr<Code> Device::find_code(const std::string& text) {
  const auto found = codes_.find(text);
  return found == codes_.end() ? nullptr : found->second.lock();
}

std::shared_ptr<Code> Device::keep_code(WGPUComputePipeline pipeline, const lower::WgslModule& module) {
  const WGPUBindGroupLayout layout = api().ComputePipelineGetBindGroupLayout(pipeline, 0);
  auto code = std::make_shared<Code>(shared_from_this(), pipeline, layout, module);
  // Those that nobody has any more are forgotten now and then.
  if (codes_.size() >= 2 * live_codes_) {
    std::erase_if(codes_, [](const auto& entry) { return entry.second.expired(); });
    live_codes_ = std::max<size_t>(64, codes_.size());
  }
  codes_[module.text] = code;
  return code;
}

// The module and the pipeline, each with scopes of its own: what is wrong is then told of the right one.
Result<WGPUShaderModule> Device::make_module(const lower::WgslModule& module) {
  WGPUShaderSourceWGSL source = {.code = {module.text.data(), module.text.size()}};
  const WGPUShaderModuleDescriptor descriptor = {.nextInChain = &source.chain};
  ErrorScopes scopes(*this);
  const WGPUShaderModule made = api().DeviceCreateShaderModule(handle_, &descriptor);
  auto checked = scopes.finish(kDoing, DiagCode::L003);
  if (checked) return made;
  if (made != nullptr && !is_lost_) api().ShaderModuleRelease(made);
  return std::unexpected(std::move(checked).error());
}

Result<WGPUComputePipeline> Device::make_pipeline(WGPUShaderModule module) {
  const WGPUComputePipelineDescriptor descriptor = {
      .compute = {.module = module, .entryPoint = {lower::kWgslEntry, WGPU_STRLEN}}};
  if (api().maker != Api::Maker::Dawn) {
    // wgpu-native has no other way.
    ErrorScopes scopes(*this);
    const WGPUComputePipeline made = api().DeviceCreateComputePipeline(handle_, &descriptor);
    auto checked = scopes.finish(kDoing, DiagCode::L003);
    if (checked) return made;
    if (made != nullptr && !is_lost_) api().ComputePipelineRelease(made);
    return std::unexpected(std::move(checked).error());
  }
  const auto made = std::make_shared<Made>();
  const WGPUFuture future = api().DeviceCreateComputePipelineAsync(
      handle_, &descriptor,
      {.mode = WGPUCallbackMode_AllowProcessEvents, .callback = &Made::take, .userdata1 = made.get()});
  if (auto answered = await(future, made->done, kDoing); !answered) {
    keep_for_ever(made);
    return std::unexpected(std::move(answered).error());
  }
  if (const auto loss = reports_.loss()) return std::unexpected(lose(fmt::format("{}: {}", kDoing, *loss)));
  if (made->worked) return made->pipeline;
  return std::unexpected(refusal(*this, WGPUErrorType_Internal, kDoing, made->message, DiagCode::L003));
}

Result<std::shared_ptr<Code>> Device::make_code(const lower::WgslModule& module) {
  const Turn turn = this->turn();
  VYRE_CHECK(check_alive());
  if (auto known = find_code(module.text)) return known;
  VYRE_TRY(shader, make_module(module));
  const auto pipeline = make_pipeline(shader);
  if (!is_lost_) api().ShaderModuleRelease(shader);
  if (!pipeline) return std::unexpected(pipeline.error());
  return keep_code(*pipeline, module);
}

}  // namespace vyre::backend::webgpu
