#include "backend/native/native.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory_resource>
#include <new>
#include <utility>

#include "backend/compile.h"
#include "backend/native/code.h"
#include "backend/native/code_cache.h"
#include "backend/native/code_memo.h"
#include "base/float_environment.h"
#include "lower/codegen/cpu.h"
#include "lower/codegen/float_promises.h"
#include "lower/codegen/generator.h"
#include "lower/codegen/host_cpu.h"
#include "lower/kernel.h"
#include "lower/size.h"
#include "lower/ungrouped.h"
#include "spec/limits.h"

namespace vyre::backend {
namespace {

constexpr size_t kCacheLine = 64;
constexpr uint32_t kLargestElement = std::ranges::max(spec::kTypes, {}, &spec::TypeInfo::bytes).bytes;
/// A batch is compiled in modules of at most this many programs, several at once: enough to share what a
/// module costs, few enough that the memory of one is small.
constexpr size_t kModulePrograms = 128;
/// What a task should take at least, in nanoseconds, so that starting it costs little; a dispatch of less
/// than two tasks stays on the calling thread.
constexpr double kTaskTime = 30'000;
/// Invocations along x that a task has at least: the widest chunk in which code runs them, for what is no
/// whole chunk is run one by one (lower/llvm/emit.cpp).
constexpr uint64_t kTaskRow = 64;
/// What an instruction of one invocation takes, until a dispatch was timed: side by side in vectors.
constexpr double kInstructionTime = 0.05;

/// Memory aligned to a cache line, or null.
struct AlignedDelete {
  void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t{kCacheLine}); }
};
using AlignedBytes = std::unique_ptr<std::byte, AlignedDelete>;
AlignedBytes allocate(uint64_t bytes) {
  if (bytes > PTRDIFF_MAX) return nullptr;
  return AlignedBytes(static_cast<std::byte*>(
      ::operator new(static_cast<size_t>(bytes), std::align_val_t{kCacheLine}, std::nothrow)));
}

/// Code moves words and, of 16-bit elements, halves of them, and wants no more alignment than that.
uint32_t access_bytes(spec::DataType element) { return std::min(spec::info(element).bytes, 4u); }

/// What code reads of a binding without elements, of which it may touch the first, and its workgroup memory
/// where it has none. It writes to neither.
alignas(kCacheLine) constexpr std::byte kNothing[kCacheLine] = {};
std::byte* nothing() { return const_cast<std::byte*>(kNothing); }

/// A bound buffer as code takes it: in place where it can be, else through an aligned copy.
class BoundBuffer {
 public:
  BoundBuffer(const layout::Binding& binding, uint32_t alignment)
      : bytes_(binding.bytes), count_(binding.count) {
    const bool aligned = reinterpret_cast<uintptr_t>(bytes_.data()) % alignment == 0;
    if (count_ == 0) {
      data_ = nothing();
    } else if (aligned) {
      data_ = bytes_.data();
    } else {
      copy_ = allocate(bytes_.size());
      data_ = copy_.get();
      if (copy_) std::ranges::copy(bytes_, data_);
    }
  }
  BoundBuffer(BoundBuffer&& other) noexcept = default;
  BoundBuffer& operator=(BoundBuffer&&) = delete;
  ~BoundBuffer() {
    if (copy_) std::ranges::copy(std::span(data_, bytes_.size()), bytes_.begin());
  }
  bool allocated() const { return data_ != nullptr; }
  lower::CpuBuffer get() const { return {data_, count_}; }

 private:
  std::span<std::byte> bytes_;
  uint64_t count_;
  AlignedBytes copy_;
  std::byte* data_ = nullptr;
};

lower::Target target_with(const lower::FloatPromises& floats) {
  lower::Target target = lower::kLlvmTarget;
  target.floats = floats;
  return target;
}

Diag out_of_memory(const std::string& what, uint64_t bytes) {
  return make_diag(
      DiagCode::B003, Span::none(),
      fmt::format("native: {} needs {} bytes, and the host has no such memory left", what, bytes),
      "use less workgroup memory, a smaller workgroup, or fewer threads");
}

/// Of a workgroup.
uint64_t invocations(const check::Checked& program) {
  const auto& size = program.program().workgroup_size;
  return uint64_t{size[0]} * size[1] * size[2];
}

NativeKernel facts_of(const check::Checked& program, const lower::Kernel& kernel) {
  NativeKernel out{
      .steps = lower::steps_of_invocation(kernel), .width = lower::ungrouped_width(kernel), .alignments = {}};
  for (const check::BufferId id : program.bound_buffers())
    out.alignments.push_back(access_bytes(kernel.buffers[check::index(id)].element));
  return out;
}

class NativePipeline final : public Pipeline {
 public:
  NativePipeline(const check::Checked& program, const lower::FloatPromises& floats, NativeKernel kernel,
                 std::shared_ptr<const NativeCode> code, const lower::CpuImage::Entry& entry,
                 std::shared_ptr<tbb::task_arena> arena)
      : program_(program),
        floats_(floats),
        code_(std::move(code)),
        entry_(code_->entry(entry.offset)),
        scratch_bytes_(entry.workgroup_bytes),
        width_(kernel.width),
        group_time_(double(kernel.steps) * double(invocations(program)) * kInstructionTime),
        row_groups_(std::max<uint64_t>(1, kTaskRow / program.program().workgroup_size[0])),
        parallel_(arena->max_concurrency() > 1),
        quick_(program),
        alignments_(std::move(kernel.alignments)),
        arena_(std::move(arena)) {}

  Result<void> dispatch(std::span<const std::span<std::byte>> host, layout::Groups groups) override {
    // Most dispatches: what is bound is used where it lies. After a kernel has streamed through the caches,
    // every line that is touched here is fetched again, so few are.
    if (layout::QuickBinding::Counts counts; quick_.accept(host, groups, counts)) {
      std::array<lower::CpuBuffer, layout::QuickBinding::kMost> buffers;
      bool in_place = true;
      for (size_t i = 0; i < host.size(); ++i) {
        in_place &= reinterpret_cast<uintptr_t>(host[i].data()) % alignments_[i] == 0;
        buffers[i] = {counts[i] == 0 ? nothing() : host[i].data(), counts[i]};
      }
      if (in_place) return run_groups(buffers.data(), groups);
    }
    VYRE_TRY(bindings, layout::bind(program_, host, groups));
    std::vector<BoundBuffer> bound;
    std::vector<lower::CpuBuffer> buffers;
    bound.reserve(bindings.size());
    buffers.reserve(bindings.size());
    for (const layout::Binding& binding : bindings) {
      bound.emplace_back(binding, alignments_[bound.size()]);
      if (!bound.back().allocated()) return std::unexpected(out_of_memory("a copy", binding.bytes.size()));
      buffers.push_back(bound.back().get());
    }
    return run_groups(buffers.data(), groups);
  }

  Result<EmittedCode> code() override {
    const lower::Kernel legal = lower::legalize(lower::build(program_), target_with(floats_));
    VYRE_TRY(text, lower::print_llvm(lower::ungrouped(legal), true));
    return EmittedCode{.form = "llvm", .text = std::move(text)};
  }

 private:
  Result<void> run_groups(const lower::CpuBuffer* buffers, layout::Groups groups) const {
    const std::array<uint32_t, 3> extent = {groups.x * width_, groups.y, groups.z};  // of the code
    const uint64_t total = groups.total();
    const double time = group_time_.load(std::memory_order_relaxed) * double(total);
    if (!parallel_ || time < 2 * kTaskTime) {
      AlignedBytes scratch;
      if (scratch_bytes_ != 0) {
        scratch = allocate(std::max<uint64_t>(scratch_bytes_, kCacheLine));
        if (!scratch) return std::unexpected(out_of_memory("a workgroup", scratch_bytes_));
      }
      timed(total, 1, [&] { run(buffers, extent.data(), 0, total, scratch ? scratch.get() : nothing()); });
      return {};
    }
    return run_parallel(buffers, extent.data(), total, time / kTaskTime);
  }

  /// Workgroups of the program, on the calling thread, whatever mode of arithmetic it is in.
  void run(const lower::CpuBuffer* buffers, const uint32_t* extent, uint64_t first, uint64_t count,
           std::byte* scratch) const {
    const DefaultFloatEnvironment environment;
    entry_(buffers, extent, first * width_, count * width_, scratch);
  }

  /// Runs a dispatch of so many groups, and learns from it what a group takes.
  template <typename Work>
  void timed(uint64_t total, int threads, Work&& work) const {
    if (!parallel_) return work();
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    if (total != 0) group_time_.store(time.count() * threads / double(total), std::memory_order_relaxed);
  }

  Result<void> run_parallel(const lower::CpuBuffer* buffers, const uint32_t* extent, uint64_t total,
                            double tasks) const {
    std::vector<AlignedBytes> scratch(size_t(arena_->max_concurrency()));
    // All at once and before any group runs: a dispatch that lacks memory has changed nothing.
    for (AlignedBytes& s : scratch) {
      s = allocate(std::max<uint64_t>(scratch_bytes_, kCacheLine));
      if (!s) return std::unexpected(out_of_memory("a workgroup", scratch_bytes_));
    }
    timed(total, arena_->max_concurrency(), [&] {
      arena_->execute([&] {
        const uint64_t rows = (total + row_groups_ - 1) / row_groups_;
        const auto grain = std::max<uint64_t>(1, uint64_t(double(rows) / tasks));
        tbb::parallel_for(tbb::blocked_range<uint64_t>(0, rows, grain),
                          [&](const tbb::blocked_range<uint64_t>& range) {
                            const uint64_t first = range.begin() * row_groups_;
                            const uint64_t count = std::min(total, range.end() * row_groups_) - first;
                            const auto thread = size_t(tbb::this_task_arena::current_thread_index());
                            run(buffers, extent, first, count, scratch[thread].get());
                          });
      });
    });
    return {};
  }

  const check::Checked program_;
  const lower::FloatPromises floats_;
  const std::shared_ptr<const NativeCode> code_;
  const lower::CpuEntry entry_;
  const uint64_t scratch_bytes_;
  const uint32_t width_;
  mutable std::atomic<double> group_time_;  // of one thread, in nanoseconds: the last dispatch's, or a guess
  const uint64_t row_groups_;               // workgroups that are not divided between tasks
  const bool parallel_;
  const layout::QuickBinding quick_;
  const std::vector<uint32_t> alignments_;        // by bound buffer
  const std::shared_ptr<tbb::task_arena> arena_;  // of the backend
};

/// All that decides what arithmetic does here.
std::string machine(const NativeOptions& options) {
  const lower::HostCpu& host = lower::host_cpu();
  return fmt::format("native {} {} {} LLVM {} level {}", host.architecture, host.name, host.features,
                     lower::llvm_version(), options.optimisation);
}

class Native final : public CompilingBackend {
 public:
  explicit Native(const NativeOptions& options)
      : CompilingBackend({.threads = options.threads,
                          .module_programs = kModulePrograms,
                          .floats = options.floats,
                          .promised = lower::host_target().floats,
                          .machine = machine(options),
                          .verdicts = cache_folder(options.cache, "floats")}),
        machine_(machine(options)),
        keeps_code_(options.keeps_code),
        cache_(cache_folder(options.cache, kNativeCodePart)),
        level_(options.optimisation) {}

  Identity identity() const override {
    const lower::HostCpu& host = lower::host_cpu();
    const int threads = arena()->max_concurrency();
    return {.name = "native",
            .device = fmt::format("{} {} ({}), {} thread{}", host.architecture, host.name, host.vectors,
                                  threads, threads == 1 ? "" : "s"),
            .driver = "LLVM " + lower::llvm_version(),
            .version = VYRE_VERSION,
            .kind = spec::DeviceKind::Cpu};
  }
  Limits limits() const override {
    return {.max_invocations_per_group = spec::kMaxInvocationsPerGroup,
            .max_workgroup_bytes = spec::kMaxWorkgroupBytes,
            .max_buffer_bytes = uint64_t{UINT32_MAX} * kLargestElement};
  }

 private:
  lower::Target target(const lower::FloatPromises& floats) const override { return target_with(floats); }
  Result<void> accept(const check::Checked& program) const override {
    return check_intrinsics(*this, program);
  }
  bool shares_module(const lower::Kernel& kernel) const override { return lower::is_optimised(kernel); }

  CodeKey key_of(const check::Checked& program, const lower::FloatPromises& floats) const {
    return {.format = kNativeCodeFormat,
            .program = check::digest(program),
            .machine = machine_,
            .writer = fmt::format("{}, {}", lower::generator_stamp(), float_key(floats))};
  }

  std::unique_ptr<Pipeline> find_kept(const check::Checked& program,
                                      const lower::FloatPromises& floats) override {
    if (!keeps_code_) return nullptr;
    auto kept = cache_.find(key_of(program, floats));
    if (!kept || kept->kernel.alignments.size() != program.bound_buffers().size()) return nullptr;
    auto code = NativeCode::load(kept->image);
    if (!code) return nullptr;
    return std::make_unique<NativePipeline>(program, floats, std::move(kept->kernel), std::move(*code),
                                            *kept->image.entries.front(), arena());
  }

  std::vector<Compiled> make(std::span<const lower::Kernel> kernels, Programs programs, bool keep) override {
    std::vector<lower::Kernel> emitted;
    for (const lower::Kernel& kernel : kernels) emitted.push_back(lower::ungrouped(kernel));
    // Programs of a batch are all different, and run once.
    std::optional<Digest> alone;
    if (kernels.size() == 1 && !(keep && keeps_code_)) alone = lower::code_digest(emitted.front());
    const auto pipeline = [&](size_t k, std::shared_ptr<const NativeCode> code,
                              const lower::CpuImage::Entry& entry) {
      return std::make_unique<NativePipeline>(*programs[k], kernels[k].floats,
                                              facts_of(*programs[k], kernels[k]), std::move(code), entry,
                                              arena());
    };
    std::vector<Compiled> out;
    if (alone) {
      if (auto made = memo_.find(*alone)) {
        out.push_back(pipeline(0, std::move(made->memory), made->entry));
        return out;
      }
    }
    auto image = lower::make_image(emitted, lower::is_optimised(emitted.front()) ? level_ : 0);
    auto code = image ? NativeCode::load(*image)
                      : Result<std::shared_ptr<const NativeCode>>(std::unexpected(image.error()));
    for (size_t k = 0; k < kernels.size(); ++k) {
      if (image && !image->entries[k]) {  // first: where no kernel has code there is none to load
        out.push_back(std::unexpected(image->entries[k].error()));
      } else if (!code) {
        out.push_back(std::unexpected(code.error()));
      } else {
        out.push_back(pipeline(k, *code, *image->entries[k]));
      }
    }
    if (alone && out.front()) memo_.keep(*alone, {*code, *image->entries.front()});
    if (keep && keeps_code_ && out.front())
      cache_.keep(key_of(*programs.front(), kernels.front().floats),
                  {std::move(*image), facts_of(*programs.front(), kernels.front())});
    return out;
  }

  const std::string machine_;
  const bool keeps_code_;
  const NativeCodeCache cache_;
  CodeMemo memo_;
  const int level_;
};

}  // namespace

Result<std::unique_ptr<Backend>> make_native(const NativeOptions& options) {
  return std::make_unique<Native>(options);
}

}  // namespace vyre::backend
