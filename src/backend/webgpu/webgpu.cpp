#include "backend/webgpu/webgpu.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "backend/floats.h"
#include "backend/resources.h"
#include "backend/webgpu/device.h"
#include "lower/size.h"

namespace vyre::backend {
namespace {

using webgpu::Device;

class Webgpu final : public Backend {
 public:
  Webgpu(std::shared_ptr<Device> device, FloatForm floats, unsigned threads)
      : device_(std::move(device)), floats_(floats), threads_(threads), arena_(int(threads), 1) {}

  Identity identity() const override {
    return {.name = "webgpu",
            .device = device_->profile().device,
            .driver = device_->profile().driver,
            .version = VYRE_VERSION};
  }
  Limits limits() const override {
    const webgpu::DispatchLimits& limits = device_->profile().limits;
    return {.max_invocations_per_group = std::min(limits.invocations, limits.size_x),
            .max_workgroup_bytes = limits.workgroup_bytes,
            .max_buffer_bytes = std::min(limits.binding_bytes, limits.buffer_bytes)};
  }
  bool has(spec::Intrinsic) const override { return false; }

  // WebGPU promises nothing of floats, so there is nothing to probe.
  Result<FloatUse> floats() override { return FloatProfile{.form = floats_}.use(); }

  Result<std::unique_ptr<DeviceBuffer>> allocate(uint64_t bytes) override {
    return make_buffer(device_, bytes);
  }
  Result<void> run(std::span<const Step> steps) override { return run_steps(*device_, steps); }

  Result<std::unique_ptr<Pipeline>> compile(const check::Checked& program) override {
    VYRE_TRY(module, print(program));
    return load(program, device_->make_code(module));
  }

  std::vector<Result<std::unique_ptr<Pipeline>>> compile_batch(
      std::span<const check::Checked* const> programs) override {
    std::vector<Result<lower::WgslModule>> modules(programs.size());
    const auto one = [&](size_t i) { modules[i] = print(*programs[i]); };
    if (threads_ == 1 || programs.size() <= 1) {
      for (size_t i = 0; i < programs.size(); ++i) one(i);
    } else {
      arena_.execute([&] { tbb::parallel_for(size_t{0}, programs.size(), one); });
    }
    std::vector<const lower::WgslModule*> good;
    for (const auto& module : modules) {
      if (module) good.push_back(&*module);
    }
    auto codes = device_->make_code(good);
    auto code = codes.begin();
    std::vector<Result<std::unique_ptr<Pipeline>>> out;
    for (size_t i = 0; i < programs.size(); ++i) {
      if (!modules[i]) {
        out.push_back(std::unexpected(modules[i].error()));
      } else {
        out.push_back(load(*programs[i], std::move(*code++)));
      }
    }
    return out;
  }

 private:
  Result<lower::WgslModule> print(const check::Checked& program) const {
    VYRE_CHECK(check_resources(*this, program));
    VYRE_TRY(kernel, lower::legalize_bounded(lower::build(program), lower::kWgslTarget));
    VYRE_TRY(module, lower::emit_wgsl(kernel, {.bounds_by_exchange = device_->profile().bounds_by_exchange}));
    VYRE_CHECK(check_workgroup_memory(*this, module.shared_bytes));
    const uint32_t allowed = device_->profile().limits.storage_buffers;
    if (module.buffers <= allowed) return std::move(module);
    return std::unexpected(exceeded("webgpu", program.program().workgroup_span,
                                    fmt::format("{} bound buffers were", module.buffers),
                                    fmt::format("{} (maxStorageBuffersPerShaderStage)", allowed),
                                    "bind fewer buffers: put several arrays into one"));
  }
  Result<std::unique_ptr<Pipeline>> load(const check::Checked& program,
                                         Result<std::shared_ptr<webgpu::Code>> code) const {
    if (!code) return std::unexpected(std::move(code).error());
    return make_pipeline(program, device_, std::move(*code));
  }

  const std::shared_ptr<Device> device_;
  const FloatForm floats_;
  const unsigned threads_;
  tbb::task_arena arena_;
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
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  return std::make_unique<Webgpu>(std::move(device), options.floats,
                                  options.threads == 0 ? cores : options.threads);
}

}  // namespace vyre::backend
