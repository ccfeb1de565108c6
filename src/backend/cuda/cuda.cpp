#include "backend/cuda/cuda.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <charconv>
#include <thread>
#include <utility>

#include "backend/cache_files.h"
#include "backend/cuda/code_cache.h"
#include "backend/cuda/device.h"
#include "backend/cuda/work.h"
#include "backend/floats.h"
#include "backend/resources.h"
#include "lower/llvm/codegen.h"
#include "lower/llvm/ptx.h"
#include "lower/size.h"

namespace vyre::backend {
namespace {

using cuda::Device;

constexpr uint32_t kFullOptimisation = 4;
/// A batch is compiled in modules of at most this many programs, several at once: enough to share what a
/// module costs, few enough that one slow kernel does not hold many up.
constexpr size_t kModulePrograms = 64;
/// A kernel of more instructions than this has a module of its own.
constexpr size_t kMaxShared = 5'000;

class Cuda final : public Backend {
 public:
  Cuda(std::shared_ptr<Device> device, lower::PtxTarget target, const CudaOptions& options, unsigned threads)
      : device_(std::move(device)),
        target_(target),
        cache_(cache_of(options)),
        optimisation_(options.optimisation),
        threads_(threads),
        arena_(int(threads), 1),
        floats_(options.floats, lower::kPtxTarget.floats, machine(), cache_of(options)) {}

  Identity identity() const override {
    return {.name = "cuda",
            .device = device_->description(),
            .driver = fmt::format("CUDA {}, LLVM {}", cuda::cuda_version(device_->driver().version),
                                  lower::llvm_version()),
            .version = VYRE_VERSION};
  }
  Limits limits() const override { return device_->limits(); }
  bool has(spec::Intrinsic) const override { return true; }  // every chip from sm_70 on has them all

  Result<std::unique_ptr<DeviceBuffer>> allocate(uint64_t bytes) override {
    return make_buffer(device_, bytes);
  }

  Result<void> run(std::span<const Step> steps) override { return run_steps(*device_, steps); }

  // One launch of a graph, which drives its repeats by itself where the driver can.
  Result<std::unique_ptr<Recording>> record(std::span<const Command> commands) override {
    return device_->drives_repeats() ? record_batch(commands) : Backend::record(commands);
  }
  Result<std::unique_ptr<Recording>> record_batch(std::span<const Command> commands) override {
    VYRE_TRY(recording, vyre::backend::record(*device_, commands));
    return recording ? std::move(recording) : Backend::record_batch(commands);
  }

  Result<FloatUse> floats() override {
    VYRE_TRY(profile, float_profile());
    return profile->use();
  }

  Result<std::unique_ptr<Pipeline>> compile(const check::Checked& program) override {
    VYRE_CHECK(check_resources(*this, program));
    const lower::Kernel kernel = lower::build(program);
    VYRE_TRY(floats, promises_for(kernel));
    const CodeKey key = {.format = cuda::kCodeFormat,
                         .program = check::digest(program),
                         .machine = device_->code_identity(),
                         .writer = fmt::format("{}, {}", writer(), floats.key())};
    const bool kept = optimisation_ == kFullOptimisation;
    if (kept) {
      // What the driver does not take is as good as damaged.
      if (const auto code = cache_.find(key); code && code->entries.size() == 1) {
        if (auto kernels = device_->load(*code))
          return pipeline_of(program, std::move(kernels->front()), floats.used);
      }
    }
    VYRE_TRY(legal, lower::legalize_bounded(kernel, cuda::target_with(floats.used)));
    VYRE_TRY(code, translate({&legal, 1}));
    VYRE_TRY(kernels, device_->load(code));
    if (kept) cache_.keep(key, code);
    return pipeline_of(program, std::move(kernels.front()), floats.used);
  }

  // Batches are of programs that run once, so they do not fill the disk.
  std::vector<Result<std::unique_ptr<Pipeline>>> compile_batch(
      std::span<const check::Checked* const> programs) override {
    return compile_all(programs, nullptr);
  }

 private:
  using Compiled = Result<std::unique_ptr<Pipeline>>;

  /// `promises`: of floats, for the probe; null: the profile's.
  std::vector<Compiled> compile_all(std::span<const check::Checked* const> programs,
                                    const lower::FloatPromises* promises) {
    std::vector<Compiled> out(programs.size());
    const size_t share = (programs.size() + threads_ - 1) / threads_;
    const size_t size = std::clamp(share, size_t{1}, kModulePrograms);
    const size_t modules = (programs.size() + size - 1) / size;
    const auto compile_one = [&](size_t module) {
      const size_t first = module * size;
      const size_t count = std::min(size, programs.size() - first);
      compile_module(programs.subspan(first, count), promises, std::span(out).subspan(first, count));
    };
    if (threads_ == 1 || modules == 1) {
      for (size_t module = 0; module < modules; ++module) compile_one(module);
    } else {
      arena_.execute([&] { tbb::parallel_for(size_t{0}, modules, compile_one); });
    }
    return out;
  }

  Result<const FloatProfile*> float_profile() {
    return floats_.profile(
        [&](std::span<const check::Checked* const> programs, const lower::FloatPromises& promises) {
          return compile_all(programs, &promises);
        });
  }
  /// For a kernel as lower::build() makes it. One without floats does not ask the device.
  Result<FloatProfile> promises_for(const lower::Kernel& kernel) {
    if (!has_float_arithmetic(kernel)) return FloatProfile{};
    VYRE_TRY(profile, float_profile());
    return *profile;
  }

  std::string writer() const {
    return fmt::format("vyre {}, LLVM {}, sm_{}", VYRE_VERSION, lower::llvm_version(), target_.sm);
  }
  /// All that decides what arithmetic does here.
  std::string machine() const {
    return fmt::format("cuda {} {} level {}", device_->code_identity(), writer(), optimisation_);
  }
  static std::filesystem::path cache_of(const CudaOptions& options) {
    if (options.cache == "none") return {};
    return options.cache.empty() ? cache_folder("cuda") : std::filesystem::path(options.cache);
  }

  /// Kernels to machine code, as one module.
  Result<cuda::Code> translate(std::span<const lower::Kernel> kernels) {
    VYRE_TRY(ptx, lower::emit_ptx(kernels, target_));
    cuda::Code code;
    for (lower::PtxEntry& entry : ptx.entries) {
      VYRE_CHECK(check_workgroup_memory(*this, entry.shared_bytes));
      code.entries.push_back({std::move(entry.name), entry.threads, entry.shared_bytes});
    }
    VYRE_TRY(binary, device_->assemble(ptx.text, optimisation_));
    code.binary = std::move(binary);
    return code;
  }

  void compile_module(std::span<const check::Checked* const> programs, const lower::FloatPromises* promises,
                      std::span<Compiled> out) {
    std::vector<lower::Kernel> kernels;
    std::vector<size_t> positions;
    for (size_t i = 0; i < programs.size(); ++i) {
      auto legal = lower_one(*programs[i], promises);
      if (!legal) {
        out[i] = std::unexpected(std::move(legal).error());
      } else if (legal->insts.size() > kMaxShared) {
        load({&*legal, 1}, {&i, 1}, programs, out);
      } else {
        kernels.push_back(std::move(*legal));
        positions.push_back(i);
      }
    }
    if (!kernels.empty()) load(kernels, positions, programs, out);
  }

  Result<lower::Kernel> lower_one(const check::Checked& program, const lower::FloatPromises* promises) {
    VYRE_CHECK(check_resources(*this, program));
    const lower::Kernel kernel = lower::build(program);
    if (promises != nullptr) return lower::legalize_bounded(kernel, cuda::target_with(*promises));
    VYRE_TRY(floats, promises_for(kernel));
    return lower::legalize_bounded(kernel, cuda::target_with(floats.used));
  }

  void load(std::span<const lower::Kernel> kernels, std::span<const size_t> positions,
            std::span<const check::Checked* const> programs, std::span<Compiled> out) {
    const auto code = translate(kernels);
    auto loaded =
        code ? device_->load(*code) : Result<std::vector<cuda::LoadedKernel>>(std::unexpected(code.error()));
    if (loaded) {
      for (size_t k = 0; k < kernels.size(); ++k) {
        const size_t i = positions[k];
        out[i] = pipeline_of(*programs[i], std::move((*loaded)[k]), kernels[k].floats);
      }
    } else if (kernels.size() == 1) {
      out[positions[0]] = std::unexpected(loaded.error());
    } else {
      // One of them is at fault, and each is to have its own answer.
      for (size_t k = 0; k < kernels.size(); ++k)
        load(kernels.subspan(k, 1), positions.subspan(k, 1), programs, out);
    }
  }

  std::unique_ptr<Pipeline> pipeline_of(const check::Checked& program, cuda::LoadedKernel kernel,
                                        const lower::FloatPromises& floats) const {
    return make_pipeline(program, device_,
                         std::make_shared<cuda::Program>(std::move(kernel), target_, floats));
  }

  const std::shared_ptr<Device> device_;
  const lower::PtxTarget target_;
  const cuda::CodeCache cache_;
  const uint32_t optimisation_;
  const unsigned threads_;
  tbb::task_arena arena_;
  FloatSupport floats_;
};

}  // namespace

Result<uint32_t> parse_cuda_ordinal(std::string_view argument) {
  uint32_t ordinal = 0;
  const char* const end = argument.data() + argument.size();
  const auto [at, error] = std::from_chars(argument.data(), end, ordinal);
  if (error == std::errc() && at == end) return ordinal;
  return std::unexpected(
      make_diag(DiagCode::B004, Span::none(),
                fmt::format("'cuda:{}': what stands after the colon is not the number of a device", argument),
                "write cuda, or cuda:N with N from 0 on; `nvidia-smi -L` lists the devices"));
}

Result<std::unique_ptr<Backend>> make_cuda(const CudaOptions& options) {
  VYRE_TRY(driver, cuda::open_driver(options.library));
  VYRE_TRY(device, Device::open(driver, options.ordinal));
  VYRE_TRY(target, lower::ptx_target(device->compute_capability()));
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  return std::make_unique<Cuda>(std::move(device), target, options,
                                options.threads == 0 ? cores : options.threads);
}

}  // namespace vyre::backend
