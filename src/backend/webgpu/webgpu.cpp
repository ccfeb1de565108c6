#include "backend/webgpu/webgpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "backend/resources.h"
#include "backend/webgpu/device.h"

namespace vyre::backend {
namespace {

using webgpu::Device;

// WebGPU promises nothing of floats, so there is nothing to probe.
class Webgpu final : public DeviceBackend {
 public:
  Webgpu(const std::shared_ptr<Device>& device, const WebgpuOptions& options)
      : DeviceBackend(device, {.threads = options.threads, .floats = options.floats}), device_(device) {}

  Identity identity() const override {
    return {.name = "webgpu",
            .device = device_->profile().device,
            .driver = device_->profile().driver,
            .version = VYRE_VERSION,
            .kind = device_->profile().kind};
  }
  Limits limits() const override {
    const webgpu::DispatchLimits& limits = device_->profile().limits;
    return {.max_invocations_per_group = std::min(limits.invocations, limits.size_x),
            .max_workgroup_bytes = limits.workgroup_bytes,
            .max_buffer_bytes = std::min(limits.binding_bytes, limits.buffer_bytes)};
  }
  bool has(spec::Intrinsic) const override { return false; }

  // One library takes calls from several threads, another does not.
  void side_by_side(size_t count, const std::function<void(size_t)>& work) override {
    backend::Backend::side_by_side(count, work);
  }

  // Modules are printed by several threads, and then compiled by the library, many at a time.
  std::vector<Compiled> compile_batch(Programs programs) override {
    std::vector<Result<lower::WgslModule>> modules(programs.size());
    for_each(programs.size(), [&](size_t i) {
      auto kernel = lower_one(*programs[i]);
      modules[i] = kernel ? print(*kernel, *programs[i]) : std::unexpected(std::move(kernel).error());
    });
    return load(modules, programs);
  }

 private:
  lower::Target target(const lower::FloatPromises&) const override { return lower::kWgslTarget; }

  std::vector<Compiled> make(std::span<const lower::Kernel> kernels, Programs programs, bool) override {
    std::vector<Result<lower::WgslModule>> modules;
    for (size_t k = 0; k < kernels.size(); ++k) modules.push_back(print(kernels[k], *programs[k]));
    return load(modules, programs);
  }

  Result<lower::WgslModule> print(const lower::Kernel& kernel, const check::Checked& program) const {
    VYRE_TRY(module, lower::emit_wgsl(kernel, {.bounds_by_exchange = device_->profile().bounds_by_exchange}));
    VYRE_CHECK(check_workgroup_memory(*this, module.shared_bytes));
    const uint32_t allowed = device_->profile().limits.storage_buffers;
    if (module.buffers <= allowed) return std::move(module);
    return std::unexpected(exceeded("webgpu", program.program().workgroup_span,
                                    fmt::format("{} bound buffers were", module.buffers),
                                    fmt::format("{} (maxStorageBuffersPerShaderStage)", allowed),
                                    "bind fewer buffers: put several arrays into one"));
  }

  std::vector<Compiled> load(std::span<const Result<lower::WgslModule>> modules, Programs programs) const {
    std::vector<const lower::WgslModule*> good;
    for (const auto& module : modules) {
      if (module) good.push_back(&*module);
    }
    auto codes = device_->make_code(good);
    auto code = codes.begin();
    std::vector<Compiled> out;
    for (size_t i = 0; i < modules.size(); ++i) {
      if (!modules[i]) {
        out.push_back(std::unexpected(modules[i].error()));
      } else if (auto& made = *code++; !made) {
        out.push_back(std::unexpected(made.error()));
      } else {
        out.push_back(pipeline_of(*programs[i], std::move(*made)));
      }
    }
    return out;
  }

  const std::shared_ptr<Device> device_;
};

}  // namespace

Result<std::unique_ptr<Backend>> make_webgpu(const WebgpuOptions& options) {
  if (options.floats == FloatForm::Native) {
    return std::unexpected(make_diag(
        DiagCode::B002, Span::none(),
        "webgpu: no operator on floats can be native: WebGPU promises none that rounds as IEEE 754 does",
        "leave out --float native: floats are composed of integers then, with the same results"));
  }
  VYRE_TRY(instance, webgpu::Instance::open(options.library));
  VYRE_TRY(device, Device::open(instance, options.timeout));
  return std::make_unique<Webgpu>(device, options);
}

}  // namespace vyre::backend
