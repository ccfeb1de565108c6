#include "backend/vulkan/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "backend/resources.h"
#include "backend/vulkan/recording.h"
#include "backend/vulkan/work.h"

namespace vyre::backend::vulkan {
namespace {

/// Buffers of a dispatch that are this large together stand in one block of device memory, those of a larger
/// one each for itself, since a device has a limit of what is in one piece.
constexpr uint64_t kLargestBlock = 16ull << 20;

Diag foreign(const char* what) {
  return make_diag(DiagCode::B012, Span::none(),
                   fmt::format("vulkan: a {} of another backend was given", what),
                   fmt::format("give a {} of the backend that runs the program", what));
}

class VulkanBuffer final : public DeviceBuffer {
 public:
  VulkanBuffer(std::shared_ptr<Device> device, DeviceMemory memory, uint64_t bytes)
      : device_(std::move(device)), memory_(std::move(memory)), bytes_(bytes) {}

  uint64_t bytes() const override { return bytes_; }
  const Piece& piece() const { return memory_.piece(); }
  const Device* device() const { return device_.get(); }
  std::span<std::byte> host() override {
    return piece().mapped == nullptr ? std::span<std::byte>{} : std::span(piece().mapped, size_t(bytes_));
  }

  Result<void> write(uint64_t offset, std::span<const std::byte> from) override {
    return work(offset, from.size(), [&](Work& work) { return work.copy_in(piece(), offset, from); });
  }
  Result<void> read(uint64_t offset, std::span<std::byte> to) override {
    return work(offset, to.size(), [&](Work& work) { return work.copy_out(piece(), offset, to); });
  }
  Result<void> fill(uint64_t offset, uint64_t count, std::byte value) override {
    return work(offset, count, [&](Work& work) { return work.fill(piece(), offset, count, value); });
  }

 private:
  template <typename Do>
  Result<void> work(uint64_t offset, uint64_t bytes, Do&& what) {
    VYRE_CHECK(check_within(bytes_, offset, bytes));
    VYRE_TRY(work, Work::begin(device_));
    VYRE_CHECK(what(*work));
    return work->finish();
  }

  const std::shared_ptr<Device> device_;
  const DeviceMemory memory_;
  const uint64_t bytes_;
};

/// The word that a watched program sets when the driver leaves a loop early. It stays zero until then.
class Watch {
 public:
  static Result<Watch> make(const std::shared_ptr<Device>& device) {
    VYRE_TRY(memory, device->allocate(sizeof(uint32_t)));
    Watch out(std::move(memory));
    VYRE_TRY(work, Work::begin(device));
    VYRE_CHECK(out.reset(*work));
    VYRE_CHECK(work->finish());
    return out;
  }
  const Piece& piece() const { return memory_.piece(); }
  Result<void> reset(Work& work) const { return work.fill(piece(), 0, sizeof(uint32_t), std::byte{0}); }

 private:
  explicit Watch(DeviceMemory memory) : memory_(std::move(memory)) {}
  DeviceMemory memory_;
};

Diag loop_ended() {
  return make_diag(DiagCode::B003, Span::none(),
                   "vulkan: the driver ended a loop before its end; llvmpipe lets all loops of an invocation "
                   "together have 65535 turns",
                   "use another backend, or split the loop over invocations or dispatches");
}

class VulkanPipeline final : public Pipeline {
 public:
  VulkanPipeline(const check::Checked& program, std::shared_ptr<Device> device, std::shared_ptr<Code> code,
                 const lower::FloatPromises& floats, std::optional<Watch> watch)
      : program_(program),
        device_(std::move(device)),
        code_(std::move(code)),
        floats_(floats),
        watch_(std::move(watch)) {}

  const Device* device() const { return device_.get(); }
  /// Whether each dispatch has to be asked afterwards what became of it.
  bool is_watched() const { return watch_.has_value(); }
  const std::shared_ptr<Code>& device_code() const { return code_; }
  /// Which of the bound buffers it writes.
  std::vector<bool> written() const {
    std::vector<bool> out;
    for (const check::BufferId id : program_.bound_buffers())
      out.push_back(program_.buffer(id).access == spec::BufferAccess::ReadWrite);
    return out;
  }

  Result<void> dispatch(std::span<const std::span<std::byte>> host, layout::Groups groups) override {
    VYRE_TRY(bindings, layout::bind(program_, host, groups));
    for (const layout::Binding& binding : bindings) VYRE_CHECK(check_size(binding.bytes.size()));
    VYRE_TRY(memory, memory_for(bindings));
    std::vector<Bound> bound;
    uint64_t at = 0;
    for (size_t i = 0; i < bindings.size(); ++i) {
      const bool alone = memory.size() == bindings.size();
      bound.push_back({&memory[alone ? i : 0].piece(), alone ? 0 : at, bindings[i].bytes.size()});
      at += room_of(bindings[i]);
    }
    VYRE_TRY(work, Work::begin(device_));
    for (size_t i = 0; i < bindings.size(); ++i)
      VYRE_CHECK(work->copy_in(*bound[i].piece, bound[i].offset, bindings[i].bytes));
    uint32_t ended = 0;
    VYRE_CHECK(record(*work, {bound, counts_of(bindings), groups}, ended));
    for (size_t i = 0; i < bindings.size(); ++i) {
      if (program_.buffer(program_.bound_buffers()[i]).access == spec::BufferAccess::ReadWrite)
        VYRE_CHECK(work->copy_out(*bound[i].piece, bound[i].offset, bindings[i].bytes));
    }
    return finish(*work, ended);
  }

  Result<void> dispatch_resident(std::span<const DeviceRange> ranges, layout::Groups groups) override {
    VYRE_TRY(prepared, prepare(ranges, groups));
    VYRE_TRY(work, Work::begin(device_));
    uint32_t ended = 0;
    VYRE_CHECK(record(*work, prepared, ended));
    return finish(*work, ended);
  }

  Result<EmittedCode> code() override {
    lower::SpirvTarget target = device_->profile().target;
    target.float_controls2 = false;  // the same instructions, said in words that every disassembler knows
    const lower::Kernel kernel =
        lower::legalize(lower::build(program_), lower::spirv_target(target, floats_));
    VYRE_TRY(module, lower::emit_spirv(kernel, target));
    VYRE_TRY(text, lower::disassemble(module.words));
    return EmittedCode{.form = "spirv-asm", .text = std::move(text)};
  }

  /// A dispatch over device memory, checked.
  struct Prepared {
    std::vector<Bound> bound;
    std::vector<uint32_t> counts;
    layout::Groups groups;
  };
  // Reads uniform buffers that dimensions may come from, so it is no part of a Work.
  Result<Prepared> prepare(std::span<const DeviceRange> ranges, layout::Groups groups) const {
    Prepared out = {.bound = {}, .counts = {}, .groups = groups};
    for (const DeviceRange& range : ranges) {
      const auto* const buffer = dynamic_cast<const VulkanBuffer*>(range.buffer);
      if (buffer == nullptr || buffer->device() != device_.get()) return std::unexpected(foreign("buffer"));
      VYRE_CHECK(check_size(range.bytes));
      // An empty range may stand at its buffer's end, and code may touch the first element of any binding.
      out.bound.push_back({&buffer->piece(), range.bytes == 0 ? 0 : range.offset, range.bytes});
    }
    std::vector<std::vector<std::byte>> contents;
    VYRE_TRY(extents, extents_of(program_, ranges, contents));
    VYRE_TRY(bindings, layout::bind(program_, extents, groups));
    out.counts = counts_of(bindings);
    return out;
  }
  /// `ended` is not zero afterwards, and when the work is done, if the driver left a loop early: judge() says
  /// what that means.
  Result<void> record(Work& work, Prepared prepared, uint32_t& ended) const {
    if (watch_) prepared.bound.push_back({&watch_->piece(), 0, sizeof ended});
    VYRE_CHECK(work.dispatch(*code_, prepared.bound, prepared.counts, prepared.groups));
    if (!watch_) return {};
    return work.copy_out(watch_->piece(), 0, std::as_writable_bytes(std::span(&ended, 1)));
  }
  Result<void> judge(Work& work, uint32_t ended) const {
    if (ended == 0) return {};
    VYRE_CHECK(watch_->reset(work));
    VYRE_CHECK(work.finish());
    return std::unexpected(loop_ended());
  }

 private:
  Result<void> finish(Work& work, const uint32_t& ended) const {
    VYRE_CHECK(work.finish());
    return judge(work, ended);
  }
  static uint64_t room_of(const layout::Binding& binding) {
    return range_aligned(std::max<uint64_t>(binding.bytes.size(), 1));
  }
  static std::vector<uint32_t> counts_of(std::span<const layout::Binding> bindings) {
    std::vector<uint32_t> out;
    for (const layout::Binding& binding : bindings) out.push_back(binding.count);
    out.insert(out.end(), lower::kSpirvMasks, 0);
    return out;
  }

  Result<void> check_size(uint64_t bytes) const {
    const uint64_t allowed = device_->profile().limits.max_buffer_bytes;
    if (bytes <= allowed) return {};
    return std::unexpected(exceeded("vulkan", Span::none(), fmt::format("a buffer of {} bytes was", bytes),
                                    fmt::format("{} (maxStorageBufferRange)", allowed),
                                    "dispatch in pieces, or use smaller buffers"));
  }

  /// One block for all, or a block for each.
  Result<std::vector<DeviceMemory>> memory_for(std::span<const layout::Binding> bindings) const {
    std::vector<DeviceMemory> out;
    uint64_t together = 0;
    for (const layout::Binding& binding : bindings) together += room_of(binding);
    if (together == 0) return out;
    if (together <= kLargestBlock) {
      VYRE_TRY(block, device_->allocate(together));
      out.push_back(std::move(block));
      return out;
    }
    for (const layout::Binding& binding : bindings) {
      VYRE_TRY(block, device_->allocate(room_of(binding)));
      out.push_back(std::move(block));
    }
    return out;
  }

  const check::Checked program_;
  const std::shared_ptr<Device> device_;
  const std::shared_ptr<Code> code_;
  const lower::FloatPromises floats_;
  const std::optional<Watch> watch_;
};

}  // namespace

Result<std::unique_ptr<Pipeline>> make_pipeline(const check::Checked& program, std::shared_ptr<Device> device,
                                                std::shared_ptr<Code> code,
                                                const lower::FloatPromises& floats) {
  std::optional<Watch> watch;
  if (code->interface().watched) {
    VYRE_TRY(made, Watch::make(device));
    watch.emplace(std::move(made));
  }
  return std::make_unique<VulkanPipeline>(program, std::move(device), std::move(code), floats,
                                          std::move(watch));
}

Result<std::unique_ptr<DeviceBuffer>> make_buffer(const std::shared_ptr<Device>& device, uint64_t bytes) {
  VYRE_TRY(memory, device->allocate(bytes));
  return std::make_unique<VulkanBuffer>(device, std::move(memory), bytes);
}

Result<void> run_steps(const std::shared_ptr<Device>& device, std::span<const Step> steps) {
  std::vector<std::pair<const VulkanPipeline*, VulkanPipeline::Prepared>> all;
  for (const Step& step : steps) {
    const auto* const pipeline = dynamic_cast<const VulkanPipeline*>(step.pipeline);
    if (pipeline == nullptr || pipeline->device() != device.get()) return std::unexpected(foreign("program"));
    VYRE_TRY(prepared, pipeline->prepare(step.ranges, step.groups));
    all.emplace_back(pipeline, std::move(prepared));
  }
  std::vector<uint32_t> ended(all.size());
  VYRE_TRY(work, Work::begin(device));
  for (size_t i = 0; i < all.size(); ++i) VYRE_CHECK(all[i].first->record(*work, all[i].second, ended[i]));
  VYRE_CHECK(work->finish());
  for (size_t i = 0; i < all.size(); ++i) VYRE_CHECK(all[i].first->judge(*work, ended[i]));
  return {};
}

Result<std::unique_ptr<Recording>> record(const std::shared_ptr<Device>& device,
                                          std::span<const Command> commands) {
  std::vector<RecordedCommand> recorded;
  for (const Command& command : commands) {
    RecordedCommand& out = recorded.emplace_back();
    if (command.kind != Command::Kind::Dispatch) {
      VYRE_CHECK(check_range(command.range));
      const auto* const buffer = dynamic_cast<const VulkanBuffer*>(command.range.buffer);
      if (buffer == nullptr || buffer->device() != device.get()) return std::unexpected(foreign("buffer"));
      out.bound.push_back({&buffer->piece(), command.range.offset, command.range.bytes});
      out.written.push_back(true);
      continue;
    }
    const auto* const pipeline = dynamic_cast<const VulkanPipeline*>(command.step.pipeline);
    if (pipeline == nullptr || pipeline->device() != device.get()) return std::unexpected(foreign("program"));
    if (pipeline->is_watched()) return nullptr;
    VYRE_TRY(prepared, pipeline->prepare(command.step.ranges, command.step.groups));
    out = {pipeline->device_code(), std::move(prepared.bound), pipeline->written(),
           std::move(prepared.counts), prepared.groups};
  }
  return record_commands(device, std::move(recorded));
}

}  // namespace vyre::backend::vulkan
