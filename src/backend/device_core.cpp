#include "backend/device_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "backend/transfer.h"
#include "base/bytes.h"

namespace vyre::backend {
namespace {

class CoreBuffer final : public DeviceBuffer {
 public:
  CoreBuffer(std::shared_ptr<DeviceCore> device, DeviceMemory memory, uint64_t bytes)
      : device_(std::move(device)), memory_(std::move(memory)), bytes_(bytes) {}

  uint64_t bytes() const override { return bytes_; }
  const Allocation& allocation() const { return memory_.allocation(); }
  const DeviceCore* device() const { return device_.get(); }
  std::span<std::byte> host() override {
    return allocation().mapped == nullptr ? std::span<std::byte>{}
                                          : std::span(allocation().mapped, size_t(bytes_));
  }

  Result<void> write(uint64_t offset, std::span<const std::byte> from) override {
    return work(offset, from.size(),
                [&](DeviceWork& work) { return work.write(allocation(), bytes_, offset, from); });
  }
  Result<void> read(uint64_t offset, std::span<std::byte> to) override {
    return work(offset, to.size(), [&](DeviceWork& work) { return work.read(allocation(), offset, to); });
  }
  Result<void> fill(uint64_t offset, uint64_t count, std::byte value) override {
    return work(offset, count,
                [&](DeviceWork& work) { return work.fill(allocation(), bytes_, offset, count, value); });
  }

 private:
  template <typename Do>
  Result<void> work(uint64_t offset, uint64_t bytes, Do&& what) {
    VYRE_CHECK(check_within(bytes_, offset, bytes));
    VYRE_TRY(work, device_->begin());
    VYRE_CHECK(what(*work));
    return work->finish();
  }

  const std::shared_ptr<DeviceCore> device_;
  const DeviceMemory memory_;
  const uint64_t bytes_;
};

/// Errors: B012 for a buffer of another device.
Result<Bound> bound_of(const DeviceCore& device, const DeviceRange& range) {
  const auto* const buffer = dynamic_cast<const CoreBuffer*>(range.buffer);
  if (buffer == nullptr || buffer->device() != &device) return std::unexpected(device.foreign("buffer"));
  // An empty range may stand at its buffer's end, behind which there may be nothing that code could touch.
  return Bound{&buffer->allocation(), range.bytes == 0 ? 0 : range.offset, range.bytes};
}

class DevicePipeline final : public Pipeline {
 public:
  DevicePipeline(const check::Checked& program, std::shared_ptr<DeviceCore> device,
                 std::shared_ptr<const DeviceCode> code)
      : program_(program), device_(std::move(device)), code_(std::move(code)) {
    for (const check::BufferId id : program_.bound_buffers())
      written_.push_back(program_.buffer(id).access == spec::BufferAccess::ReadWrite);
    for (const bool written : {false, true}) {
      for (size_t i = 0; i < written_.size(); ++i) {
        if (written_[i] == written) order_.push_back(i);
      }
    }
  }

  const DeviceCore* device() const { return device_.get(); }

  Result<void> dispatch(std::span<const std::span<std::byte>> host, layout::Groups groups) override {
    VYRE_TRY(bindings, layout::bind(program_, host, groups));
    for (const layout::Binding& binding : bindings) VYRE_CHECK(device_->check_binding(binding.bytes.size()));
    std::vector<DeviceMemory> memory;
    VYRE_TRY(bound, place(bindings, memory));
    std::vector<Transfer> in, out;
    for (const size_t i : order_) {
      in.push_back({bound[i], bindings[i].bytes});
      if (written_[i]) out.push_back(in.back());
    }
    VYRE_TRY(work, device_->begin());
    VYRE_CHECK(work->copy_in(in));
    VYRE_CHECK(work->dispatch(launch(std::move(bound), bindings, groups)));
    VYRE_CHECK(work->copy_out(out));
    return work->finish();
  }

  Result<void> dispatch_resident(std::span<const DeviceRange> ranges, layout::Groups groups) override {
    VYRE_TRY(prepared, prepare(ranges, groups));
    VYRE_TRY(work, device_->begin());
    VYRE_CHECK(work->dispatch(prepared));
    return work->finish();
  }

  Result<EmittedCode> code() override { return code_->text(program_); }

  /// A dispatch over device memory. Reads uniform buffers that dimensions may come from, so it is no part of
  /// a DeviceWork.
  Result<Launch> prepare(std::span<const DeviceRange> ranges, layout::Groups groups) const {
    std::vector<Bound> bound;
    for (const DeviceRange& range : ranges) {
      VYRE_TRY(one, bound_of(*device_, range));
      VYRE_CHECK(device_->check_binding(range.bytes));
      bound.push_back(one);
    }
    std::vector<std::vector<std::byte>> contents;
    VYRE_TRY(extents, extents_of(program_, ranges, contents));
    VYRE_TRY(bindings, layout::bind(program_, extents, groups));
    return launch(std::move(bound), bindings, groups);
  }

 private:
  Launch launch(std::vector<Bound> bound, std::span<const layout::Binding> bindings,
                layout::Groups groups) const {
    Launch out = {code_, groups, std::move(bound), written_, {}};
    for (const layout::Binding& binding : bindings) out.counts.push_back(binding.count);
    return out;
  }

  /// Room for every binding: one block for all, those that are written behind the others, so that they come
  /// back together; or a block for each. Shape: bounds point into `memory`.
  Result<std::vector<Bound>> place(std::span<const layout::Binding> bindings,
                                   std::vector<DeviceMemory>& memory) const {
    const auto block_of = [&](size_t i) { return device_->traits().separates_written && written_[i]; };
    const auto room_of = [&](size_t i) {
      return range_aligned(std::max<uint64_t>(bindings[i].bytes.size(), 1));
    };
    uint64_t together[2] = {}, used[2] = {};
    for (const size_t i : order_) together[block_of(i)] += room_of(i);
    const Allocation* block[2] = {};
    memory.reserve(bindings.size());
    std::vector<Bound> out(bindings.size());
    for (const size_t i : order_) {
      const bool which = block_of(i), alone = together[which] > device_->traits().largest_block;
      if (alone || block[which] == nullptr) {
        VYRE_TRY(made, device_->allocate(alone ? room_of(i) : together[which]));
        memory.push_back(std::move(made));
        block[which] = &memory.back().allocation();
        used[which] = 0;
      }
      out[i] = {block[which], used[which], bindings[i].bytes.size()};
      used[which] += room_of(i);
    }
    return out;
  }

  const check::Checked program_;
  const std::shared_ptr<DeviceCore> device_;
  const std::shared_ptr<const DeviceCode> code_;
  std::vector<bool> written_;  // by bound buffer
  std::vector<size_t> order_;  // bound buffers, those that are written last
};

/// Commands of a device without recordings of its own: each run is one work, which is waited for once.
class WorkRecording final : public Recording {
 public:
  WorkRecording(std::shared_ptr<DeviceCore> device, std::vector<DeviceCommand> commands)
      : device_(std::move(device)), commands_(std::move(commands)) {}
  Result<void> run(std::span<Taken>, uint64_t) override {
    VYRE_TRY(work, device_->begin());
    VYRE_CHECK(put(*work, commands_));
    return work->finish();
  }
  static Result<void> put(DeviceWork& work, std::span<const DeviceCommand> commands) {
    for (const auto& [command, launch, range] : commands) {
      if (launch.code != nullptr) {
        VYRE_CHECK(work.dispatch(launch));
      } else if (range.bytes != 0) {
        // Ranges begin at multiples of 256 and memory is whole words: what is rounded up is slack of this
        // one.
        const uint64_t bytes = (range.bytes + 3) & ~uint64_t{3};
        VYRE_CHECK(work.fill(*range.allocation, range.offset + bytes, range.offset, bytes, std::byte{0}));
      }
    }
    return {};
  }

 private:
  const std::shared_ptr<DeviceCore> device_;
  const std::vector<DeviceCommand> commands_;  // whose code stays as long
};

Result<Launch> prepare_step(const DeviceCore& device, const Step& step) {
  const auto* const pipeline = dynamic_cast<const DevicePipeline*>(step.pipeline);
  if (pipeline == nullptr || pipeline->device() != &device) return std::unexpected(device.foreign("program"));
  return pipeline->prepare(step.ranges, step.groups);
}

}  // namespace

Result<uint32_t> parse_ordinal(std::string_view backend, std::string_view argument, std::string_view lists) {
  uint32_t ordinal = 0;
  const char* const end = argument.data() + argument.size();
  const auto [at, error] = std::from_chars(argument.data(), end, ordinal);
  if (error == std::errc() && at == end) return ordinal;
  return std::unexpected(make_diag(
      DiagCode::B004, Span::none(),
      fmt::format("'{}:{}': what stands after the colon is not the number of a device", backend, argument),
      fmt::format("write {0}, or {0}:N with N from 0 on; `{1}` lists the devices", backend, lists)));
}

DeviceMemory::~DeviceMemory() {
  if (device_ != nullptr) device_->release(allocation_);
}

Result<uint64_t> DeviceCore::piece_bytes(uint64_t bytes) const { return size_class(bytes); }

Result<DeviceMemory> DeviceCore::allocate(uint64_t bytes) {
  const std::lock_guard lock(memory_mutex_);
  VYRE_CHECK(check_alive());
  VYRE_TRY(size, piece_bytes(bytes));
  if (const auto kept = unused_.find(size); kept != unused_.end()) {
    const Allocation allocation = kept->second;
    unused_.erase(kept);
    if (size > traits_.largest_part) unused_bytes_ -= size;
    return DeviceMemory(shared_from_this(), allocation);
  }
  auto made = make_piece(size, bytes);
  if (!made && made.error().code == DiagCode::B003 && unused_bytes_ != 0) {
    drop_unused();
    made = make_piece(size, bytes);
  }
  if (!made) return std::unexpected(std::move(made).error());
  return DeviceMemory(shared_from_this(), *made);
}

void DeviceCore::keep_unused(const Allocation& allocation) {
  unused_.emplace(allocation.bytes, allocation);
  if (allocation.bytes > traits_.largest_part) unused_bytes_ += allocation.bytes;
}

void DeviceCore::drop_unused() {
  std::erase_if(unused_, [&](const auto& entry) {
    if (entry.first <= traits_.largest_part) return false;
    destroy_piece(entry.second);
    return true;
  });
  unused_bytes_ = 0;
}

void DeviceCore::release(const Allocation& allocation) {
  const std::lock_guard lock(memory_mutex_);
  // What a lost device still holds goes with it.
  const bool stays =
      allocation.bytes <= traits_.largest_part || is_lost_ || unused_bytes_ + allocation.bytes <= most_kept();
  if (stays) {
    keep_unused(allocation);
  } else {
    destroy_piece(allocation);
  }
}

Diag DeviceCore::foreign(std::string_view what) const {
  return make_diag(DiagCode::B012, Span::none(),
                   fmt::format("{}: a {} of another backend was given", traits_.name, what),
                   fmt::format("give a {} of the backend that runs the program", what));
}

Result<std::unique_ptr<Recording>> DeviceCore::record(std::vector<DeviceCommand>) { return nullptr; }

Diag DeviceCore::lost() const {
  return make_diag(DiagCode::B011, Span::none(),
                   fmt::format("{}: the device was lost while {}", traits_.name, lost_),
                   std::string(traits_.lost_help));
}

Diag DeviceCore::lose(std::string why) {
  const std::lock_guard lock(lost_mutex_);
  if (!is_lost_) {
    lost_ = std::move(why);
    is_lost_ = true;
    on_loss();
  }
  return lost();
}

Result<void> DeviceCore::check_alive() {
  if (!is_lost_) return {};
  const std::lock_guard lock(lost_mutex_);
  return std::unexpected(lost());
}

void keep_for_ever(std::shared_ptr<void> what) {
  static std::mutex mutex;
  static auto* const kept = new std::vector<std::shared_ptr<void>>;
  const std::lock_guard lock(mutex);
  kept->push_back(std::move(what));
}

Result<std::unique_ptr<DeviceBuffer>> DeviceBackend::allocate(uint64_t bytes) {
  VYRE_TRY(memory, core_->allocate(bytes));
  return std::make_unique<CoreBuffer>(core_, std::move(memory), bytes);
}

std::unique_ptr<Pipeline> DeviceBackend::pipeline_of(const check::Checked& program,
                                                     std::shared_ptr<const DeviceCode> code) const {
  return std::make_unique<DevicePipeline>(program, core_, std::move(code));
}

Result<void> DeviceBackend::run(std::span<const Step> steps) {
  std::vector<Launch> all;
  for (const Step& step : steps) {
    VYRE_TRY(launch, prepare_step(*core_, step));
    all.push_back(std::move(launch));
  }
  VYRE_TRY(work, core_->begin());
  for (const Launch& launch : all) VYRE_CHECK(work->dispatch(launch));
  return work->finish();
}

Result<std::vector<DeviceCommand>> DeviceBackend::prepare(std::span<const Command> commands) const {
  std::vector<DeviceCommand> all;
  for (const Command& command : commands) {
    DeviceCommand& made = all.emplace_back(DeviceCommand{.command = command, .launch = {}, .range = {}});
    if (command.kind == Command::Kind::Dispatch) {
      VYRE_TRY(launch, prepare_step(*core_, command.step));
      made.launch = std::move(launch);
      continue;
    }
    VYRE_CHECK(check_range(command.range));
    VYRE_TRY(range, bound_of(*core_, command.range));
    made.range = range;
  }
  return all;
}

Result<std::unique_ptr<Recording>> DeviceBackend::record_batch(std::span<const Command> commands) {
  VYRE_TRY(all, prepare(commands));
  if (core_->records()) {
    VYRE_TRY(recording, core_->record(all));
    if (recording) return std::move(recording);
  }
  return std::make_unique<WorkRecording>(core_, std::move(all));
}

Result<void> DeviceBackend::run_and_look(std::span<const Command> commands, std::span<Taken> taken,
                                         std::span<Look> looks) {
  const bool records = core_->records() && !commands.empty();
  if (records) {
    VYRE_TRY(recording, record_batch(commands));
    VYRE_CHECK(recording->run(taken, UINT64_MAX));
    if (looks.empty()) return {};
  }
  VYRE_TRY(all, prepare(records ? std::span<const Command>() : commands));
  std::vector<std::array<std::byte, 4>> words(looks.size());
  VYRE_TRY(work, core_->begin());
  VYRE_CHECK(WorkRecording::put(*work, all));
  for (size_t i = 0; i < looks.size(); ++i) {
    VYRE_CHECK(check_within(looks[i].buffer->bytes(), looks[i].offset, 4));
    VYRE_TRY(bound, bound_of(*core_, {looks[i].buffer, 0, looks[i].buffer->bytes()}));
    VYRE_CHECK(work->read(*bound.allocation, looks[i].offset, words[i]));
  }
  VYRE_CHECK(work->finish());
  for (size_t i = 0; i < looks.size(); ++i) looks[i].word = load_u32(words[i].data());
  return {};
}

}  // namespace vyre::backend
