#include "backend/vulkan/vulkan.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "backend/cache_files.h"
#include "backend/resources.h"
#include "backend/vulkan/device.h"
#include "lower/spirv/float_promises.h"

namespace vyre::backend {
namespace {

using vulkan::Device;

/// Changes whenever the files have another layout.
constexpr std::string_view kFormat = "vyre-vulkan-code/2";

class Vulkan final : public DeviceBackend {
 public:
  Vulkan(const std::shared_ptr<Device>& device, const VulkanOptions& options)
      : DeviceBackend(device, {.threads = options.threads,
                               .floats = options.floats,
                               .promised = lower::vulkan_promises(device->profile().target.floats),
                               .machine = fmt::format("vulkan {} vyre {}", device->profile().cache_identity,
                                                      VYRE_VERSION),
                               .verdicts = cache_folder(options.cache, "vulkan")}),
        device_(device),
        cache_(cache_folder(options.cache, "vulkan"), ".pipeline") {}

  Identity identity() const override {
    return {.name = "vulkan",
            .device = device_->profile().description(),
            .driver = device_->profile().driver,
            .version = VYRE_VERSION,
            .kind = device_->profile().type == VK_PHYSICAL_DEVICE_TYPE_CPU ? spec::DeviceKind::Cpu
                                                                           : spec::DeviceKind::Gpu};
  }
  Limits limits() const override { return device_->profile().limits; }
  bool has(spec::Intrinsic) const override { return limits().subgroup_size != 0; }

 private:
  lower::Target target(const lower::FloatPromises& floats) const override {
    return lower::spirv_target(device_->profile().target, floats);
  }

  std::vector<Compiled> make(std::span<const lower::Kernel> kernels, Programs programs, bool keep) override {
    std::vector<Compiled> out;
    for (size_t k = 0; k < kernels.size(); ++k) out.push_back(make_one(kernels[k], *programs[k], keep));
    return out;
  }

  Compiled make_one(const lower::Kernel& kernel, const check::Checked& program, bool keep) {
    VYRE_TRY(module, lower::emit_spirv(kernel, device_->profile().target));
    VYRE_CHECK(check_module(program, module));
    Device::Source source = {.words = module.words,
                             .buffers = module.buffers,
                             .watched = module.watched,
                             .whole_subgroups = !program.intrinsics().empty(),
                             .floats = kernel.floats,
                             .kept = {},
                             .keep = nullptr};
    const CodeKey key = {.format = kFormat,
                         .program = check::digest(program),
                         .machine = device_->profile().cache_identity,
                         .writer = fmt::format("vyre {}, {}", VYRE_VERSION, float_key(kernel.floats))};
    VYRE_TRY(code, keep ? make_kept(source, key) : device_->make_code(source));
    return pipeline_of(program, std::move(code));
  }

  /// With what the driver left on disk when it compiled the program before.
  Result<std::shared_ptr<vulkan::Code>> make_kept(Device::Source& source, const CodeKey& key) {
    const auto kept = cache_.find(digest_of(key));
    if (kept) {
      // What the driver does not take is as good as damaged.
      source.kept = *kept;
      if (auto code = device_->make_code(source)) return code;
      source.kept = {};
    }
    Bytes fresh;
    source.keep = &fresh;
    auto code = device_->make_code(source);
    if (code && !fresh.empty()) cache_.keep(digest_of(key), fresh);
    return code;
  }

  Result<void> check_module(const check::Checked& program, const lower::SpirvModule& module) const {
    VYRE_CHECK(check_workgroup_memory(*this, module.shared_bytes));
    const vulkan::Profile& profile = device_->profile();
    if (module.buffers > device_->max_buffers()) {
      const bool push = profile.max_push_bytes / 4 - lower::kSpirvMasks < profile.max_bindings;
      return std::unexpected(exceeded("vulkan", program.program().workgroup_span,
                                      fmt::format("{} bound buffers were", module.buffers),
                                      fmt::format("{} ({})", device_->max_buffers(),
                                                  push ? "maxPushConstantsSize, a word for each and two more"
                                                       : "maxPerStageDescriptorStorageBuffers"),
                                      "bind fewer buffers: put several arrays into one"));
    }
    const uint32_t size = profile.target.subgroup_size;
    const bool required = profile.must_require_size && !program.intrinsics().empty();
    if (!required || module.threads / size <= profile.max_required_subgroups) return {};
    return std::unexpected(
        exceeded("vulkan", program.program().workgroup_span,
                 fmt::format("a workgroup of {} subgroups was", module.threads / size),
                 fmt::format("{} (maxComputeWorkgroupSubgroups)", profile.max_required_subgroups),
                 "use a smaller workgroup"));
  }

  const std::shared_ptr<Device> device_;
  const CacheFiles cache_;
};

bool wants_validation(const VulkanOptions& options) {
  const char* const asked = std::getenv("VYRE_VULKAN_VALIDATE");
  return options.validate || (asked != nullptr && std::string_view(asked) == "1");
}

}  // namespace

Result<uint32_t> parse_vulkan_ordinal(std::string_view argument) {
  return parse_ordinal("vulkan", argument, "vulkaninfo --summary");
}

Result<std::unique_ptr<Backend>> make_vulkan(const VulkanOptions& options) {
  VYRE_TRY(instance, vulkan::Instance::open(options.library, wants_validation(options)));
  VYRE_TRY(profile, vulkan::choose_device(*instance, options.ordinal));
  VYRE_TRY(device, Device::open(instance, profile, options.timeout));
  return std::make_unique<Vulkan>(device, options);
}

}  // namespace vyre::backend
