#include "backend/native/native.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <memory_resource>
#include <new>
#include <utility>

#include "backend/compile.h"
#include "backend/native/jit.h"
#include "base/float_environment.h"
#include "lower/kernel.h"
#include "lower/llvm/codegen.h"
#include "lower/llvm/float_promises.h"
#include "lower/llvm/llvm.h"
#include "spec/limits.h"

namespace vyre::backend {
namespace {

constexpr size_t kCacheLine = 64;
constexpr uint32_t kLargestElement = std::ranges::max(spec::kTypes, {}, &spec::TypeInfo::bytes).bytes;
/// A batch is compiled in modules of at most this many programs, several at once: enough to share what a
/// module costs, few enough that the memory of one is small.
constexpr size_t kModulePrograms = 128;
/// Instructions that a task should run at least, so that starting it costs little; a dispatch below it stays
/// on the calling thread. Loops inside a kernel are not foreseen: they only make tasks longer.
constexpr uint64_t kTaskInstructions = 200'000;

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

class NativePipeline final : public Pipeline {
 public:
  NativePipeline(const check::Checked& program, const lower::Kernel& kernel, std::shared_ptr<const Code> code,
                 lower::CpuEntry entry, std::shared_ptr<tbb::task_arena> arena)
      : program_(program),
        floats_(kernel.floats),
        code_(std::move(code)),
        entry_(entry),
        scratch_bytes_(lower::workgroup_bytes(kernel)),
        grain_(std::max<uint64_t>(
            1,
            kTaskInstructions / std::max<uint64_t>(1, uint64_t{kernel.invocations()} * kernel.insts.size()))),
        parallel_(arena->max_concurrency() > 1),
        quick_(program),
        arena_(std::move(arena)) {
    for (const check::BufferId id : program.bound_buffers()) {
      alignments_.push_back(access_bytes(kernel.buffers[check::index(id)].element));
    }
  }

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
    VYRE_TRY(text, lower::print_llvm(lower::legalize(lower::build(program_), target_with(floats_)), true));
    return EmittedCode{.form = "llvm", .text = std::move(text)};
  }

 private:
  Result<void> run_groups(const lower::CpuBuffer* buffers, layout::Groups groups) const {
    const std::array<uint32_t, 3> extent = {groups.x, groups.y, groups.z};
    const uint64_t total = groups.total();
    if (!parallel_ || total <= grain_) {
      AlignedBytes scratch;
      if (scratch_bytes_ != 0) {
        scratch = allocate(std::max<uint64_t>(scratch_bytes_, kCacheLine));
        if (!scratch) return std::unexpected(out_of_memory("a workgroup", scratch_bytes_));
      }
      run(buffers, extent.data(), 0, total, scratch ? scratch.get() : nothing());
      return {};
    }
    return run_parallel(buffers, extent.data(), total);
  }

  /// On the calling thread, whatever mode of arithmetic it is in.
  void run(const lower::CpuBuffer* buffers, const uint32_t* extent, uint64_t first, uint64_t count,
           std::byte* scratch) const {
    const DefaultFloatEnvironment environment;
    entry_(buffers, extent, first, count, scratch);
  }

  Result<void> run_parallel(const lower::CpuBuffer* buffers, const uint32_t* extent, uint64_t total) const {
    std::vector<AlignedBytes> scratch(size_t(arena_->max_concurrency()));
    // All at once and before any group runs: a dispatch that lacks memory has changed nothing.
    for (AlignedBytes& s : scratch) {
      s = allocate(std::max<uint64_t>(scratch_bytes_, kCacheLine));
      if (!s) return std::unexpected(out_of_memory("a workgroup", scratch_bytes_));
    }
    arena_->execute([&] {
      tbb::parallel_for(tbb::blocked_range<uint64_t>(0, total, grain_),
                        [&](const tbb::blocked_range<uint64_t>& range) {
                          const auto thread = size_t(tbb::this_task_arena::current_thread_index());
                          run(buffers, extent, range.begin(), range.size(), scratch[thread].get());
                        });
    });
    return {};
  }

  const check::Checked program_;
  const lower::FloatPromises floats_;
  const std::shared_ptr<const Code> code_;
  const lower::CpuEntry entry_;
  const uint64_t scratch_bytes_;
  const uint64_t grain_;  // groups of a task
  const bool parallel_;
  const layout::QuickBinding quick_;
  std::vector<uint32_t> alignments_;              // by bound buffer
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
  Native(std::shared_ptr<Jit> jit, const NativeOptions& options)
      : CompilingBackend({.threads = options.threads,
                          .module_programs = kModulePrograms,
                          .floats = options.floats,
                          .promised = lower::host_target().floats,
                          .machine = machine(options),
                          .verdicts = cache_folder(options.cache, "floats")}),
        jit_(std::move(jit)),
        level_(options.optimisation) {}

  Identity identity() const override {
    const lower::HostCpu& host = lower::host_cpu();
    const int threads = arena()->max_concurrency();
    return {.name = "native",
            .device = fmt::format("{} {} ({}), {} thread{}", host.architecture, host.name, host.vectors,
                                  threads, threads == 1 ? "" : "s"),
            .driver = "LLVM " + lower::llvm_version(),
            .version = VYRE_VERSION};
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

  std::vector<Compiled> make(std::span<const lower::Kernel> kernels, Programs programs, bool) override {
    const auto code = jit_->compile(kernels, lower::is_optimised(kernels.front()) ? level_ : 0);
    std::vector<Compiled> out;
    for (size_t k = 0; k < kernels.size(); ++k) {
      if (!code) {
        out.push_back(std::unexpected(code.error()));
      } else if (const auto& entry = (*code)->entry(k); !entry) {
        out.push_back(std::unexpected(entry.error()));
      } else {
        out.push_back(std::make_unique<NativePipeline>(*programs[k], kernels[k], *code, *entry, arena()));
      }
    }
    return out;
  }

  const std::shared_ptr<Jit> jit_;
  const int level_;
};

}  // namespace

Result<std::unique_ptr<Backend>> make_native(const NativeOptions& options) {
  VYRE_TRY(jit, make_jit());
  return std::make_unique<Native>(std::move(jit), options);
}

}  // namespace vyre::backend
