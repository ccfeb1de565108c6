#include "verify/engine_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

#include "backend/transfer.h"
#include "base/bytes.h"
#include "plan/pipeline.h"
#include "verify/guard_words.h"

namespace vyre::verify {
namespace {

using backend::DeviceRange;
using ref::PlanBuffer;
using ref::PlanStep;
using ref::Segment;

static_assert(kGuardBytes % backend::kRangeAlignment == 0);
/// Places that are written and lie no further apart are written together: a call costs more than the bytes.
constexpr uint64_t kNear = uint64_t{64} << 10;
/// Of a history that is read before its length is known.
constexpr uint64_t kEventsAtFirst = 64;

uint64_t words_of(uint64_t bytes) { return (bytes + 3) / 4; }

/// Where a parameter, a scratch array or a list of words lies in the memory of a run, between guard words of
/// its own.
struct GuardedArray {
  uint64_t begin = 0, bytes = 0;
  uint64_t broken = 0;  // guard words beside it that were others when it was looked at last

  uint64_t first() const { return begin - kGuardBytes; }
  uint64_t end() const { return begin + bytes + kGuardBytes; }
  BufferBytes in(const Bytes& image) const {
    return BufferBytes(image).subspan(size_t(begin), size_t(bytes));
  }
  /// Guard words that are others there and were right before.
  uint64_t look(const Bytes& image) {
    const uint64_t now =
        broken_guard(image.data() + first(), 0) + broken_guard(image.data() + begin + bytes, kGuardWords);
    const uint64_t newly = now > broken ? now - broken : 0;
    broken = now;
    return newly;
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

  void add_parameter(uint32_t number, const opspec::Buffer& contents) {
    report_.writers.emplace_back(size_t(words_of(contents.size())), 0);
    make({PlanBuffer::Kind::Parameter, number, 0, contents.size()}, contents);
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
      free_[place_bytes(at->second.bytes)].push_back(at->second.first());
      at = arrays_.erase(at);
    }
    return walk(0, segment.steps.size());
  }

  Result<StageReport> finish(size_t parameters) {
    VYRE_CHECK(put());
    VYRE_TRY(image, get());
    for (auto& [key, array] : arrays_) {
      report_.broken += array.look(image);
      report_.guard_words += 2 * kGuardWords;
    }
    for (uint32_t p = 0; p < parameters; ++p) {
      for (auto& [key, array] : arrays_) {
        if (std::get<0>(key) != PlanBuffer::Kind::Parameter || std::get<1>(key) != p) continue;
        const BufferBytes left = array.in(image);
        report_.buffers.emplace_back(left.begin(), left.end());
      }
    }
    return std::move(report_);
  }

 private:
  /// Scratch arrays of one place and size that are not there at one time are the same memory.
  using Key = std::tuple<PlanBuffer::Kind, uint32_t, uint64_t, uint64_t>;

  static Key key_of(const PlanBuffer& buffer) {
    return {buffer.kind, buffer.number, buffer.offset, buffer.bytes};
  }
  static uint64_t place_bytes(uint64_t bytes) { return backend::range_aligned(bytes + 2 * kGuardBytes); }

  /// Where an array of so many bytes gets its place: one that a list had, or behind all others.
  uint64_t place(uint64_t bytes) {
    std::vector<uint64_t>& free = free_[bytes];
    if (free.empty()) {
      free.push_back(image_.size());
      image_.resize(image_.size() + size_t(bytes));
    }
    const uint64_t out = free.back();
    free.pop_back();
    return out;
  }

  /// An array with contents, or of zeros, for the next put().
  GuardedArray& make(const PlanBuffer& buffer, BufferBytes contents) {
    const auto [known, is_new] = arrays_.try_emplace(key_of(buffer));
    GuardedArray& array = known->second;
    if (is_new) array = {place(place_bytes(buffer.bytes)) + kGuardBytes, buffer.bytes};
    std::byte* const at = image_.data() + array.begin;
    put_guard(at - kGuardBytes, 0);
    if (contents.empty())
      std::fill_n(at, size_t(array.bytes), std::byte{0});
    else
      std::ranges::copy(contents, at);
    put_guard(at + array.bytes, kGuardWords);
    array.broken = 0;
    changed_.emplace_back(array.first(), array.end());
    return array;
  }

  /// What was made since the last time goes to the device.
  Result<void> put() {
    const uint64_t history = of_.options_.record ? history_words(of_.options_.events) * 4 : 0;
    if (of_.memory_ == nullptr || of_.memory_->bytes() < image_.size() + history) {
      of_.memory_ = nullptr;
      // Twice the arrays, since a run grows; of what the device can have at most half beyond what is needed.
      const uint64_t needed = image_.size() + history, half = of_.backend_->limits().max_buffer_bytes / 2;
      VYRE_TRY(memory, of_.backend_->allocate(std::max(needed, std::min(needed + image_.size(), half))));
      of_.memory_ = std::move(memory);
      is_there_ = false;
    }
    if (!is_there_) changed_ = {{0, image_.size()}};
    is_there_ = true;
    std::ranges::sort(changed_);
    for (size_t first = 0; first < changed_.size();) {
      auto [begin, end] = changed_[first];
      for (++first; first < changed_.size() && changed_[first].first <= end + kNear; ++first)
        end = std::max(end, changed_[first].second);
      VYRE_CHECK(of_.memory_->write(begin, BufferBytes(image_).subspan(size_t(begin), size_t(end - begin))));
    }
    changed_.clear();
    return {};
  }
  /// All that is on the device, and so many bytes behind it.
  Result<Bytes> get(uint64_t more = 0) {
    Bytes image(image_.size() + size_t(more));
    VYRE_CHECK(of_.memory_->read(0, image));
    return image;
  }

  GuardedArray& array_of(const PlanBuffer& buffer) {
    const auto known = arrays_.find(key_of(buffer));
    if (known != arrays_.end()) return known->second;
    // A list, or scratch of no element, which has no step of its own.
    Bytes contents;
    if (buffer.kind == PlanBuffer::Kind::Words)
      contents =
          to_bytes(std::span(segment_->words).subspan(size_t(buffer.offset), size_t(buffer.bytes / 4)));
    return make(buffer, contents);
  }

  Result<void> walk(size_t begin, size_t end) {
    for (size_t at = begin; at < end; ++at) {
      const PlanStep& step = segment_->steps[at];
      switch (step.kind) {
        case PlanStep::Kind::Dispatch: VYRE_CHECK(dispatch(step)); break;
        case PlanStep::Kind::Zero: take_scratch(segment_->of(step)[0]); break;
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
      const GuardedArray& array = array_of(looked_at);
      const uint64_t byte = uint64_t{step.word} * 4;
      seen.ended = byte + 4 > array.bytes || load_u32(image_.data() + array.begin + byte) == 0;
    }
    report_.repeats.push_back(seen);
    return {};
  }

  void take_scratch(const PlanBuffer& buffer) {
    // Scratch is a stack: what stood there or behind is gone.
    while (!live_.empty() &&
           std::pair(live_.back().number, live_.back().offset) >= std::pair(buffer.number, buffer.offset))
      live_.pop_back();
    live_.push_back(buffer);
    uint64_t bytes = 0;
    for (const PlanBuffer& one : live_) bytes += one.bytes;
    report_.scratch_bytes = std::max(report_.scratch_bytes, bytes);
    make(buffer, {});
  }

  Result<void> dispatch(const PlanStep& step) {
    const StageRun::Program& program = of_.programs_[step.program];
    const auto buffers = segment_->of(step);
    std::vector<const GuardedArray*> arrays;
    for (const PlanBuffer& buffer : buffers) arrays.push_back(&array_of(buffer));
    std::optional<RecordedHistory> history;
    VYRE_TRY(now, run(program, arrays, step.groups, history));
    const Stage stage{report_.dispatches++, step.program, step.pipeline, step.command, step.groups};
    report_.stages.push_back(stage);
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
      seen.broken += array.look(now);
      report_.guard_words += 2 * kGuardWords;
      const uint64_t changed = note_changes(key, array.in(image_), array.in(now));
      if (!writable.contains(&array)) seen.stray += changed;
    }
    report_.broken += seen.broken;
    report_.stray += seen.stray;
    if (see_) {
      std::vector<BufferBytes> before, after;
      for (const GuardedArray* array : arrays) {
        before.push_back(array->in(image_));
        after.push_back(array->in(now));
      }
      seen.before = before;
      seen.after = after;
      see_(seen);
    }
    image_ = std::move(now);
    return {};
  }

  /// How many words are others now. Of a parameter this dispatch wrote them.
  uint64_t note_changes(const Key& key, BufferBytes before, BufferBytes now) {
    uint64_t changed = 0;
    if (now.empty() || std::memcmp(before.data(), now.data(), now.size()) == 0) return changed;
    for (size_t at = 0; at < now.size(); at += 4) {
      const size_t size = std::min<size_t>(4, now.size() - at);
      if (std::memcmp(before.data() + at, now.data() + at, size) == 0) continue;
      ++changed;
      if (std::get<0>(key) == PlanBuffer::Kind::Parameter)
        report_.writers[std::get<1>(key)][at / 4] = report_.dispatches;
    }
    return changed;
  }

  /// Runs a dispatch. Return: all that there is, bound or not.
  Result<Bytes> run(const StageRun::Program& program, std::span<const GuardedArray* const> arrays,
                    layout::Groups groups, std::optional<RecordedHistory>& history) {
    for (uint32_t run = 0; run <= of_.options_.most_reruns; ++run) {
      if (run != 0) is_there_ = false;  // what the run before changed
      VYRE_CHECK(put());
      std::vector<DeviceRange> ranges;
      for (size_t b = 0; b < arrays.size(); ++b) {
        DeviceRange& range = ranges.emplace_back(of_.memory_.get(), arrays[b]->begin, arrays[b]->bytes);
        // Only where neither is written, which the checker has seen to.
        range.shared = range.bytes != 0 && std::ranges::count(arrays.first(b), arrays[b]) != 0;
      }
      if (!program.recorded) {
        VYRE_CHECK(program.compiled->dispatch_resident(ranges, groups));
        return get();
      }
      // Behind all arrays, so that its beginning comes with them.
      uint64_t& events = of_.options_.events;
      const uint64_t begin = image_.size(), bytes = history_words(events) * 4;
      VYRE_CHECK(of_.memory_->fill(begin, bytes, std::byte{0}));
      ranges.emplace_back(of_.memory_.get(), begin, bytes);
      VYRE_CHECK(program.compiled->dispatch_resident(ranges, groups));
      VYRE_TRY(now, get(history_words(std::min(events, kEventsAtFirst)) * 4));
      Bytes image(now.begin() + ptrdiff_t(begin), now.end());
      now.resize(begin);
      const size_t read = image.size();
      const uint64_t kept = std::min<uint64_t>(load_u32(image.data()), events);
      image.resize(history_words(kept) * 4);
      if (image.size() > read) VYRE_CHECK(of_.memory_->read(begin + read, std::span(image).subspan(read)));
      history = events_of(image);
      if (history->events <= events) return now;
      // The next run may have more: who waits for whom is another each time.
      events = history->events + history->events / 4;
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
  std::map<uint64_t, std::vector<uint64_t>> free_;      // places by their size
  Bytes image_;                                         // of all arrays, as far as is known on the host
  std::vector<std::pair<uint64_t, uint64_t>> changed_;  // parts of it that are not on the device
  bool is_there_ = false;                               // anything of it
  std::vector<PlanBuffer> live_;                        // scratch, as a stack
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
  Runner runner(*this, see);
  std::vector<ref::PlanParameter> parameters;
  for (uint32_t i = 0; i < input.size(); ++i) {
    const bool uniform = head.buffer(head.bound_buffers()[i]).access == spec::BufferAccess::Uniform;
    parameters.push_back(
        {input[i].size(), uniform ? std::span<const std::byte>(input[i]) : std::span<const std::byte>()});
    runner.add_parameter(i, input[i]);
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
