#include "backend/cuda/cuda.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "backend/cache_files.h"
#include "backend/cuda/code_cache.h"
#include "backend/cuda/device.h"
#include "backend/cuda/work.h"
#include "backend/resources.h"
#include "lower/codegen/generator.h"
#include "lower/codegen/host_cpu.h"
#include "lower/codegen/ptx.h"

namespace vyre::backend {
namespace {

using cuda::Device;

constexpr uint32_t kFullOptimisation = 4;
/// A batch is compiled in modules of at most this many programs, several at once: enough to share what a
/// module costs, few enough that one slow kernel does not hold many up.
constexpr size_t kModulePrograms = 64;
/// A kernel of more instructions than this has a module of its own.
constexpr size_t kMaxShared = 5'000;

std::string writer(const lower::PtxTarget& target) {
  return fmt::format("vyre {}, LLVM {}, sm_{}", lower::generator_stamp(), lower::llvm_version(), target.sm);
}

class Cuda final : public DeviceBackend {
 public:
  Cuda(const std::shared_ptr<Device>& device, lower::PtxTarget target, const CudaOptions& options)
      : DeviceBackend(device, {.threads = options.threads,
                               .module_programs = kModulePrograms,
                               .floats = options.floats,
                               .promised = lower::ptx_promises(target),
                               .machine = fmt::format("cuda {} {} level {}", device->code_identity(),
                                                      writer(target), options.optimisation),
                               .verdicts = cache_folder(options.cache, "cuda")}),
        device_(device),
        target_(target),
        cache_(cache_folder(options.cache, "cuda")),
        optimisation_(options.optimisation) {}

  Identity identity() const override {
    return {.name = "cuda",
            .device = device_->description(),
            .driver = fmt::format("CUDA {}, LLVM {}", cuda::cuda_version(device_->driver().version),
                                  lower::llvm_version()),
            .version = VYRE_VERSION};
  }
  Limits limits() const override { return device_->limits(); }
  bool has(spec::Intrinsic) const override { return true; }  // every chip from sm_70 on has them all

 private:
  lower::Target target(const lower::FloatPromises& floats) const override {
    return cuda::target_with(floats);
  }
  bool shares_module(const lower::Kernel& kernel) const override { return kernel.insts.size() <= kMaxShared; }

  bool keeps() const { return optimisation_ == kFullOptimisation; }
  CodeKey key_of(const check::Checked& program, const lower::FloatPromises& floats) const {
    return {.format = cuda::kCodeFormat,
            .program = check::digest(program),
            .machine = device_->code_identity(),
            .writer = fmt::format("{}, {}", writer(target_), float_key(floats))};
  }

  std::unique_ptr<Pipeline> find_kept(const check::Checked& program,
                                      const lower::FloatPromises& floats) override {
    const auto code = keeps() ? cache_.find(key_of(program, floats)) : std::nullopt;
    if (!code || code->entries.size() != 1) return nullptr;
    // What the driver does not take is as good as damaged.
    auto kernels = device_->load(*code);
    return kernels ? pipeline_for(program, std::move(kernels->front()), floats) : nullptr;
  }

  /// Kernels to machine code, as one module.
  Result<cuda::Code> translate(std::span<const lower::Kernel> kernels) const {
    VYRE_TRY(ptx, lower::emit_ptx(kernels, target_));
    cuda::Code code;
    for (lower::PtxEntry& entry : ptx.entries) {
      VYRE_CHECK(check_workgroup_memory(*this, entry.shared_bytes));
      code.entries.push_back({std::move(entry.name), entry.block, entry.shared_bytes});
    }
    VYRE_TRY(binary, device_->assemble(ptx.text, optimisation_));
    code.binary = std::move(binary);
    return code;
  }

  std::vector<Compiled> make(std::span<const lower::Kernel> kernels, Programs programs, bool keep) override {
    const auto code = translate(kernels);
    auto loaded =
        code ? device_->load(*code) : Result<std::vector<cuda::LoadedKernel>>(std::unexpected(code.error()));
    std::vector<Compiled> out;
    for (size_t k = 0; k < kernels.size(); ++k) {
      if (loaded) {
        out.push_back(pipeline_for(*programs[k], std::move((*loaded)[k]), kernels[k].floats));
      } else if (kernels.size() == 1) {
        out.push_back(std::unexpected(loaded.error()));
      } else {
        // One of them is at fault, and each is to have its own answer.
        out.push_back(std::move(make(kernels.subspan(k, 1), programs.subspan(k, 1), keep).front()));
      }
    }
    if (loaded && keep && keeps()) cache_.keep(key_of(*programs.front(), kernels.front().floats), *code);
    return out;
  }

  std::unique_ptr<Pipeline> pipeline_for(const check::Checked& program, cuda::LoadedKernel kernel,
                                         const lower::FloatPromises& floats) const {
    return pipeline_of(program, std::make_shared<cuda::Program>(std::move(kernel), target_, floats));
  }

  const std::shared_ptr<Device> device_;
  const lower::PtxTarget target_;
  const cuda::CodeCache cache_;
  const uint32_t optimisation_;
};

}  // namespace

Result<uint32_t> parse_cuda_ordinal(std::string_view argument) {
  return parse_ordinal("cuda", argument, "nvidia-smi -L");
}

Result<std::unique_ptr<Backend>> make_cuda(const CudaOptions& options) {
  VYRE_TRY(driver, cuda::open_driver(options.library));
  VYRE_TRY(device, Device::open(driver, options.ordinal));
  VYRE_TRY(target, lower::ptx_target(device->compute_capability()));
  return std::make_unique<Cuda>(device, target, options);
}

}  // namespace vyre::backend
