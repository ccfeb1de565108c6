#include "verify/engine_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

#include "base/bytes.h"
#include "plan/pipeline.h"
#include "verify/guard_words.h"

namespace vyre::verify {
namespace {

using backend::DeviceBuffer;
using backend::DeviceRange;
using ref::PlanBuffer;
using ref::PlanStep;
using ref::Segment;

/// Pieces of memory that are kept between runs; sizes that come no more would gather.
constexpr size_t kMostFree = 64;
static_assert(kGuardBytes % backend::kRangeAlignment == 0);

uint64_t words_of(uint64_t bytes) { return (bytes + 3) / 4; }

/// A parameter, a scratch array or a list of words, between guard words of its own.
struct GuardedArray {
  std::unique_ptr<DeviceBuffer> memory;
  uint64_t bytes = 0;
  Bytes contents;       // as far as is known on the host
  uint64_t broken = 0;  // guard words beside it that were others when it was looked at last

  uint64_t image_bytes() const { return bytes + 2 * kGuardBytes; }
  DeviceRange range() const { return {memory.get(), kGuardBytes, bytes}; }
  Result<void> put_image() {
    Bytes image(image_bytes());
    put_guard(image.data(), 0);
    std::ranges::copy(contents, image.begin() + kGuardBytes);
    put_guard(image.data() + kGuardBytes + contents.size(), kGuardWords);
    broken = 0;
    return memory->write(0, image);
  }
  Result<void> put() { return bytes == 0 ? Result<void>() : memory->write(kGuardBytes, contents); }
  /// Its contents now; `newly` gets how many more guard words are others.
  Result<Bytes> look(uint64_t& newly) {
    Bytes image(image_bytes());
    VYRE_CHECK(memory->read(0, image));
    const uint64_t now =
        broken_guard(image.data(), 0) + broken_guard(image.data() + kGuardBytes + bytes, kGuardWords);
    newly += now > broken ? now - broken : 0;
    broken = now;
    return Bytes(image.begin() + kGuardBytes, image.end() - kGuardBytes);
  }
};

}  // namespace

const Stage* StageReport::last_writer(size_t parameter, size_t word) const {
  const uint64_t by = word < writers[parameter].size() ? writers[parameter][word] : 0;
  return by == 0 ? nullptr : &stages[size_t(by) - 1];
}

class StageRun::Runner final : public ref::PlanRunner {
 public:
  Runner(StageRun& of, const DispatchObserver& see) : of_(of), see_(see) {}
  ~Runner() override {
    for (auto& [key, array] : arrays_) of_.free_.push_back(std::move(array.memory));
    if (history_ != nullptr) of_.free_.push_back(std::move(history_));
  }

  Result<void> add_parameter(uint32_t number, const opspec::Buffer& contents) {
    report_.writers.emplace_back(size_t(words_of(contents.size())), 0);
    return make({PlanBuffer::Kind::Parameter, number, 0, contents.size()}, Bytes(contents));
  }

  Result<void> run(const Segment& segment, ref::Statements& statements) override {
    segment_ = &segment;
    statements_ = &statements;
    // Lists are numbered anew in each segment.
    for (auto at = arrays_.begin(); at != arrays_.end();) {
      if (std::get<0>(at->first) != PlanBuffer::Kind::Words) {
        ++at;
        continue;
      }
      of_.free_.push_back(std::move(at->second.memory));
      at = arrays_.erase(at);
    }
    return walk(0, segment.steps.size());
  }

  Result<StageReport> finish(size_t parameters) {
    for (auto& [key, array] : arrays_) {
      VYRE_TRY(contents, array.look(report_.broken));
      report_.guard_words += 2 * kGuardWords;
      array.contents = std::move(contents);
    }
    for (uint32_t p = 0; p < parameters; ++p)
      for (auto& [key, array] : arrays_)
        if (std::get<0>(key) == PlanBuffer::Kind::Parameter && std::get<1>(key) == p)
          report_.buffers.push_back(std::move(array.contents));
    return std::move(report_);
  }

 private:
  /// Scratch arrays of one place and size that are not there at one time are the same memory.
  using Key = std::tuple<PlanBuffer::Kind, uint32_t, uint64_t, uint64_t>;

  static Key key_of(const PlanBuffer& buffer) {
    return {buffer.kind, buffer.number, buffer.offset, buffer.bytes};
  }

  /// At least so many bytes; what the last run took, if it is not far too large.
  Result<std::unique_ptr<DeviceBuffer>> allocate(uint64_t bytes) {
    const auto fits = std::ranges::find_if(of_.free_, [&](const auto& memory) {
      return memory->bytes() >= bytes && memory->bytes() <= 4 * bytes;
    });
    if (fits == of_.free_.end()) return of_.backend_->allocate(bytes);
    std::unique_ptr<DeviceBuffer> out = std::move(*fits);
    of_.free_.erase(fits);
    return out;
  }

  Result<void> make(const PlanBuffer& buffer, Bytes contents) {
    GuardedArray& array = arrays_[key_of(buffer)];
    array.bytes = buffer.bytes;
    array.contents = std::move(contents);
    if (array.memory == nullptr) {
      VYRE_TRY(memory, allocate(array.image_bytes()));
      array.memory = std::move(memory);
    }
    return array.put_image();
  }

  Result<GuardedArray*> array_of(const PlanBuffer& buffer) {
    const auto known = arrays_.find(key_of(buffer));
    if (known != arrays_.end()) return &known->second;
    // A list, or scratch of no element, which has no step of its own.
    Bytes contents(buffer.bytes);
    if (buffer.kind == PlanBuffer::Kind::Words)
      contents =
          to_bytes(std::span(segment_->words).subspan(size_t(buffer.offset), size_t(buffer.bytes / 4)));
    VYRE_CHECK(make(buffer, std::move(contents)));
    return &arrays_.at(key_of(buffer));
  }

  Result<void> walk(size_t begin, size_t end) {
    for (size_t at = begin; at < end; ++at) {
      const PlanStep& step = segment_->steps[at];
      switch (step.kind) {
        case PlanStep::Kind::Dispatch: VYRE_CHECK(dispatch(step)); break;
        case PlanStep::Kind::Zero: VYRE_CHECK(take_scratch(segment_->of(step)[0])); break;
        case PlanStep::Kind::Repeat:
          VYRE_CHECK(repeat(step, at));
          at += step.count;
          break;
      }
    }
    return {};
  }

  Result<void> repeat(const PlanStep& step, size_t at) {
    SeenRepeat seen{.pipeline = step.pipeline, .command = step.command, .most = step.turns};
    const PlanBuffer looked_at = segment_->of(step)[0];
    while (seen.turns < step.turns && !seen.ended) {
      if (!statements_->spend(step.statements)) {
        const auto& commands = of_.module_->pipelines()[step.pipeline].pipeline->commands;
        return std::unexpected(ref::out_of_statements(commands[step.command].span));
      }
      VYRE_CHECK(walk(at + 1, at + 1 + step.count));
      ++seen.turns;
      ++report_.turns;
      VYRE_TRY(array, array_of(looked_at));
      const uint64_t byte = uint64_t{step.word} * 4;
      seen.ended = byte + 4 > array->bytes || load_u32(array->contents.data() + byte) == 0;
    }
    report_.repeats.push_back(seen);
    return {};
  }

  Result<void> take_scratch(const PlanBuffer& buffer) {
    // Scratch is a stack: what stood there or behind is gone.
    while (!live_.empty() &&
           std::pair(live_.back().number, live_.back().offset) >= std::pair(buffer.number, buffer.offset))
      live_.pop_back();
    live_.push_back(buffer);
    uint64_t bytes = 0;
    for (const PlanBuffer& one : live_) bytes += one.bytes;
    report_.scratch_bytes = std::max(report_.scratch_bytes, bytes);
    return make(buffer, Bytes(size_t(buffer.bytes)));
  }

  Result<void> dispatch(const PlanStep& step) {
    const StageRun::Program& program = of_.programs_[step.program];
    const auto buffers = segment_->of(step);
    std::vector<GuardedArray*> arrays;
    std::vector<DeviceRange> ranges;
    for (const PlanBuffer& buffer : buffers) {
      VYRE_TRY(array, array_of(buffer));
      DeviceRange range = array->range();
      // Only where neither is written, which the checker has seen to.
      range.shared = range.bytes != 0 && std::ranges::count(arrays, array) != 0;
      arrays.push_back(array);
      ranges.push_back(range);
    }
    std::optional<RecordedHistory> history;
    if (program.recorded) {
      VYRE_CHECK(dispatch_recorded(*program.compiled, arrays, ranges, step.groups, history));
    } else {
      VYRE_CHECK(program.compiled->dispatch_resident(ranges, step.groups));
    }
    const Stage stage{report_.dispatches++, step.program, step.pipeline, step.command, step.groups};
    report_.stages.push_back(stage);
    // All that there is, bound or not.
    std::map<const GuardedArray*, Bytes> now;
    SeenDispatch seen{.stage = stage,
                      .program = *of_.module_->programs()[step.program],
                      .buffers = buffers,
                      .history = history ? &*history : nullptr};
    std::set<const GuardedArray*> writable;
    for (size_t b = 0; b < buffers.size(); ++b) {
      const check::BufferId id = seen.program.bound_buffers()[b];
      if (seen.program.buffer(id).access == spec::BufferAccess::ReadWrite) writable.insert(arrays[b]);
    }
    for (auto& [key, array] : arrays_) {
      VYRE_TRY(contents, array.look(seen.broken));
      report_.guard_words += 2 * kGuardWords;
      const uint64_t changed = note_changes(key, array, contents);
      if (!writable.contains(&array)) seen.stray += changed;
      now[&array] = std::move(contents);
    }
    report_.broken += seen.broken;
    report_.stray += seen.stray;
    if (see_) {
      std::vector<BufferBytes> before, after;
      for (const GuardedArray* array : arrays) {
        before.emplace_back(array->contents);
        after.emplace_back(now[array]);
      }
      seen.before = before;
      seen.after = after;
      see_(seen);
    }
    for (auto& [key, array] : arrays_) array.contents = std::move(now[&array]);
    return {};
  }

  /// How many words are others now. Of a parameter this dispatch wrote them.
  uint64_t note_changes(const Key& key, const GuardedArray& array, const Bytes& now) {
    uint64_t changed = 0;
    for (size_t at = 0; at < now.size(); at += 4) {
      const size_t size = std::min<size_t>(4, now.size() - at);
      if (std::memcmp(array.contents.data() + at, now.data() + at, size) == 0) continue;
      ++changed;
      if (std::get<0>(key) == PlanBuffer::Kind::Parameter)
        report_.writers[std::get<1>(key)][at / 4] = report_.dispatches;
    }
    return changed;
  }

  Result<void> dispatch_recorded(backend::Pipeline& compiled, std::span<GuardedArray* const> arrays,
                                 std::vector<DeviceRange> ranges, layout::Groups groups,
                                 std::optional<RecordedHistory>& history) {
    ranges.emplace_back();
    for (uint32_t run = 0; run <= of_.options_.most_reruns; ++run) {
      // What the run before changed.
      if (run != 0)
        for (GuardedArray* array : arrays) VYRE_CHECK(array->put());
      const uint64_t bytes = history_words(of_.options_.events) * 4;
      if (history_ == nullptr || history_->bytes() < bytes) {
        VYRE_TRY(memory, allocate(bytes));
        history_ = std::move(memory);
      }
      VYRE_CHECK(history_->fill(0, bytes, std::byte{0}));
      ranges.back() = {history_.get(), 0, bytes};
      VYRE_CHECK(compiled.dispatch_resident(ranges, groups));
      Bytes count(4);
      VYRE_CHECK(history_->read(0, count));
      const uint64_t kept = std::min<uint64_t>(load_u32(count.data()), of_.options_.events);
      Bytes image(history_words(kept) * 4);
      VYRE_CHECK(history_->read(0, image));
      history = events_of(image);
      if (history->events <= of_.options_.events) return {};
      // The next run may have more: who waits for whom is another each time.
      of_.options_.events = history->events + history->events / 4;
    }
    return std::unexpected(make_diag(DiagCode::B003, Span::none(),
                                     fmt::format("a history of {} atomics has no room", history->events),
                                     "record a smaller case"));
  }

  StageRun& of_;
  const DispatchObserver& see_;
  const Segment* segment_ = nullptr;
  ref::Statements* statements_ = nullptr;
  std::map<Key, GuardedArray> arrays_;
  std::vector<PlanBuffer> live_;  // scratch, as a stack
  std::unique_ptr<DeviceBuffer> history_;
  StageReport report_;
};

StageRun::StageRun(backend::Backend& backend, std::shared_ptr<const check::CheckedModule> module,
                   uint32_t pipeline, const Options& options)
    : backend_(&backend), module_(std::move(module)), pipeline_(pipeline), options_(options) {}
StageRun::StageRun(StageRun&&) noexcept = default;
StageRun::~StageRun() = default;

Result<StageRun> StageRun::make(backend::Backend& backend, std::shared_ptr<const check::CheckedModule> module,
                                uint32_t pipeline, const Options& options) {
  StageRun out(backend, std::move(module), pipeline, options);
  out.programs_.resize(out.module_->programs().size());
  for (const uint32_t number : plan::programs_of(*out.module_, pipeline)) {
    const check::Checked& original = *out.module_->programs()[number];
    Program& program = out.programs_[number];
    if (options.record && has_atomics(original)) {
      VYRE_TRY(recorded, Recorded::of(original));
      program.recorded = std::move(recorded);
    }
    VYRE_TRY(compiled, backend.compile(program.recorded ? program.recorded->program() : original));
    program.compiled = std::move(compiled);
  }
  return out;
}

Result<StageReport> StageRun::run(const opspec::Buffers& input, const DispatchObserver& see) {
  const check::Checked& head = *module_->pipelines()[pipeline_].head;
  opspec::Buffers host = input;
  const std::vector<std::span<std::byte>> spans(host.begin(), host.end());
  VYRE_CHECK(layout::bind(head, spans, {}));
  if (free_.size() > kMostFree) free_.clear();
  Runner runner(*this, see);
  std::vector<ref::PlanParameter> parameters;
  for (uint32_t i = 0; i < input.size(); ++i) {
    const bool uniform = head.buffer(head.bound_buffers()[i]).access == spec::BufferAccess::Uniform;
    parameters.push_back(
        {input[i].size(), uniform ? std::span<const std::byte>(input[i]) : std::span<const std::byte>()});
    VYRE_CHECK(runner.add_parameter(i, input[i]));
  }
  ref::PlanOptions options;
  options.max_scratch_bytes = backend_->limits().max_buffer_bytes - 2 * kGuardBytes;
  VYRE_CHECK(ref::run_plan(*module_, pipeline_, parameters, options, runner));
  return runner.finish(input.size());
}

std::string StageRun::text(const Stage& stage) const {
  return fmt::format("{} {}: {}", module_->pipelines()[stage.pipeline].pipeline->name, stage.command,
                     module_->programs()[stage.program]->program().name);
}

}  // namespace vyre::verify
