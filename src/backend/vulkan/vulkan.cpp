#include "backend/vulkan/vulkan.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <thread>
#include <utility>

#include "backend/cache_files.h"
#include "backend/resources.h"
#include "backend/vulkan/device.h"
#include "lower/size.h"
#include "lower/spirv/float_promises.h"

namespace vyre::backend {
namespace {

using vulkan::Device;

/// Changes whenever the files have another layout.
constexpr std::string_view kFormat = "vyre-vulkan-code/2";

class Vulkan final : public Backend {
 public:
  Vulkan(std::shared_ptr<Device> device, const VulkanOptions& options, unsigned threads)
      : device_(std::move(device)),
        cache_(cache_of(options), ".pipeline"),
        threads_(threads),
        arena_(int(threads), 1),
        floats_(options.floats, lower::vulkan_promises(target().floats), machine(), cache_of(options)) {}

  Identity identity() const override {
    return {.name = "vulkan",
            .device = device_->profile().description(),
            .driver = device_->profile().driver,
            .version = VYRE_VERSION};
  }
  Limits limits() const override { return device_->profile().limits; }
  bool has(spec::Intrinsic) const override { return limits().subgroup_size != 0; }

  Result<std::unique_ptr<DeviceBuffer>> allocate(uint64_t bytes) override {
    return make_buffer(device_, bytes);
  }
  Result<void> run(std::span<const Step> steps) override { return run_steps(*device_, steps); }

  Result<std::unique_ptr<Recording>> record_batch(std::span<const Command> commands) override {
    VYRE_TRY(recording, vyre::backend::record(*device_, commands));
    return recording ? std::move(recording) : Backend::record_batch(commands);
  }

  Result<FloatUse> floats() override {
    VYRE_TRY(profile, float_profile());
    return profile->use();
  }

  Result<std::unique_ptr<Pipeline>> compile(const check::Checked& program) override {
    return compile_one(program, nullptr, true);
  }

  // Batches are of programs that run once, so they do not fill the disk.
  std::vector<Result<std::unique_ptr<Pipeline>>> compile_batch(
      std::span<const check::Checked* const> programs) override {
    return compile_all(programs, nullptr);
  }

 private:
  using Compiled = Result<std::unique_ptr<Pipeline>>;

  const lower::SpirvTarget& target() const { return device_->profile().target; }

  /// `promises`: of floats, for the probe; null: the profile's.
  std::vector<Compiled> compile_all(std::span<const check::Checked* const> programs,
                                    const lower::FloatPromises* promises) {
    std::vector<Compiled> out(programs.size());
    const auto one = [&](size_t i) { out[i] = compile_one(*programs[i], promises, false); };
    if (threads_ == 1 || programs.size() <= 1) {
      for (size_t i = 0; i < programs.size(); ++i) one(i);
    } else {
      arena_.execute([&] { tbb::parallel_for(size_t{0}, programs.size(), one); });
    }
    return out;
  }

  Compiled compile_one(const check::Checked& program, const lower::FloatPromises* promises, bool keep) {
    VYRE_CHECK(check_resources(*this, program));
    const lower::Kernel kernel = lower::build(program);
    FloatProfile floats;
    if (promises != nullptr) {
      floats.used = *promises;
    } else if (has_float_arithmetic(kernel)) {
      VYRE_TRY(profile, float_profile());
      floats = *profile;
    }
    VYRE_TRY(legal, lower::legalize_bounded(kernel, lower::spirv_target(target(), floats.used)));
    VYRE_TRY(module, lower::emit_spirv(legal, target()));
    VYRE_CHECK(check_module(program, module));
    Device::Source source = {.words = module.words,
                             .buffers = module.buffers,
                             .watched = module.watched,
                             .whole_subgroups = !program.intrinsics().empty(),
                             .floats = floats.used,
                             .kept = {},
                             .keep = nullptr};
    const CodeKey key = {.format = kFormat,
                         .program = check::digest(program),
                         .machine = device_->profile().cache_identity,
                         .writer = fmt::format("vyre {}, {}", VYRE_VERSION, floats.key())};
    VYRE_TRY(code, keep ? make_kept(source, key) : device_->make_code(source));
    return make_pipeline(program, device_, std::move(code));
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

  Result<const FloatProfile*> float_profile() {
    return floats_.profile(
        [&](std::span<const check::Checked* const> programs, const lower::FloatPromises& promises) {
          return compile_all(programs, &promises);
        });
  }

  /// All that decides what arithmetic does here.
  std::string machine() const {
    return fmt::format("vulkan {} vyre {}", device_->profile().cache_identity, VYRE_VERSION);
  }
  static std::filesystem::path cache_of(const VulkanOptions& options) {
    if (options.cache == "none") return {};
    return options.cache.empty() ? cache_folder("vulkan") : std::filesystem::path(options.cache);
  }

  const std::shared_ptr<Device> device_;
  const CacheFiles cache_;
  const unsigned threads_;
  tbb::task_arena arena_;
  FloatSupport floats_;
};

bool wants_validation(const VulkanOptions& options) {
  const char* const asked = std::getenv("VYRE_VULKAN_VALIDATE");
  return options.validate || (asked != nullptr && std::string_view(asked) == "1");
}

}  // namespace

Result<uint32_t> parse_vulkan_ordinal(std::string_view argument) {
  uint32_t ordinal = 0;
  const char* const end = argument.data() + argument.size();
  const auto [at, error] = std::from_chars(argument.data(), end, ordinal);
  if (error == std::errc() && at == end) return ordinal;
  return std::unexpected(make_diag(
      DiagCode::B004, Span::none(),
      fmt::format("'vulkan:{}': what stands after the colon is not the number of a device", argument),
      "write vulkan, or vulkan:N with N from 0 on; `vulkaninfo --summary` lists the devices"));
}

Result<std::unique_ptr<Backend>> make_vulkan(const VulkanOptions& options) {
  VYRE_TRY(instance, vulkan::Instance::open(options.library, wants_validation(options)));
  VYRE_TRY(profile, vulkan::choose_device(*instance, options.ordinal));
  VYRE_TRY(device, Device::open(instance, profile, options.timeout));
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  return std::make_unique<Vulkan>(std::move(device), options, options.threads == 0 ? cores : options.threads);
}

}  // namespace vyre::backend
