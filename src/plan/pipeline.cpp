#include "plan/pipeline.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <set>
#include <utility>

#include "backend/transfer.h"
#include "base/bytes.h"
#include "base/guard_word.h"
#include "spec/limits.h"

namespace vyre::plan {
namespace {

using backend::Command;
using backend::DeviceRange;
using backend::Taken;
using ref::PlanBuffer;
using ref::PlanStep;
using ref::Segment;

/// Words of lists begin where a range may.
constexpr uint64_t kListStride = backend::kRangeAlignment;
constexpr uint64_t kWord = 4;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

std::vector<uint32_t> programs_of(const check::CheckedModule& module, uint32_t pipeline) {
  std::set<uint32_t> programs, seen = {pipeline};
  std::vector<uint32_t> pending = {pipeline};
  while (!pending.empty()) {
    const check::CheckedPipeline& at = module.pipelines()[pending.back()];
    pending.pop_back();
    for (size_t i = 0; i < at.target.size(); ++i) {
      const ir::CommandKind kind = at.pipeline->commands[i].kind;
      if (kind == ir::CommandKind::Dispatch) programs.insert(at.target[i]);
      if (kind == ir::CommandKind::Run && seen.insert(at.target[i]).second) pending.push_back(at.target[i]);
    }
  }
  return {programs.begin(), programs.end()};
}

/// A segment on the device.
struct Executable::Prepared {
  // What it was prepared for.
  std::vector<std::array<uint64_t, 3>> ranges;  // buffer, offset, bytes
  std::vector<std::vector<std::byte>> uniforms;
  uint64_t statements = 0;  // that walking the pipeline spent, without those of repeats

  uint64_t guard_bytes = 0;

  Segment segment;
  std::unique_ptr<backend::Recording> recording;
};

/// What a run is over.
struct Executable::Parameters {
  std::vector<std::array<uint64_t, 3>> places;
  std::vector<std::vector<std::byte>> uniforms;
  std::vector<ref::PlanParameter> parameters;  // which refer to the uniforms
};

/// Prepares segments and runs them.
class Executable::Runner final : public ref::PlanRunner {
 public:
  /// again: the run may be made once more, so what it prepares is worth being kept.
  Runner(Executable& of, std::span<const DeviceRange> ranges, RunNotes& notes, bool again)
      : of_(of), ranges_(ranges), notes_(notes), again_(again && !notes.timed) {}

  Result<void> run(const Segment& segment, ref::Statements& statements) override {
    ++segments_;
    prepared_ = std::make_unique<Prepared>();
    prepared_->guard_bytes = notes_.guard_bytes;
    prepared_->segment = segment;
    prepared_->statements = ref::kMaxStatements - statements.left();
    if (only_plans_) return {};
    VYRE_CHECK(make_scratch());
    VYRE_CHECK(put_guards());
    VYRE_CHECK(make_words());
    std::deque<std::vector<DeviceRange>> ranges;
    std::vector<Command> commands;
    for (const PlanStep& step : segment.steps) commands.push_back(command_of(step, ranges));
    std::vector<Taken> taken = taken_of(segment);
    if (again_ && segments_ == 1) {
      VYRE_TRY(recording, of_.backend_->record(commands));
      prepared_->recording = std::move(recording);
      VYRE_CHECK(prepared_->recording->run(taken, statements.left()));
    } else if (notes_.timed) {
      VYRE_TRY(recording, backend::record_stepwise(*of_.backend_, commands,
                                                   [&](size_t command, double seconds) -> Result<void> {
                                                     note(prepared_->segment.steps[command], seconds);
                                                     return {};
                                                   }));
      VYRE_CHECK(recording->run(taken, statements.left()));
    } else {
      VYRE_CHECK(of_.backend_->dispatch_engine(commands, taken, statements.left()));
    }
    return count(taken, statements);
  }

  /// What was prepared for the same run, once more.
  Result<void> replay(std::unique_ptr<Prepared> prepared) {
    ++segments_;
    prepared_ = std::move(prepared);
    VYRE_CHECK(put_guards());
    std::vector<Taken> taken = taken_of(segment());
    ref::Statements statements(ref::kMaxStatements - prepared_->statements);
    VYRE_CHECK(prepared_->recording->run(taken, statements.left()));
    return count(taken, statements);
  }

  // Of a run beside others: planned first, run with all of them.
  void only_plan() { only_plans_ = true; }
  size_t segments() const { return segments_; }
  const Segment& planned() const { return segment(); }
  uint64_t statements_left() const { return ref::kMaxStatements - prepared_->statements; }
  /// Its part of the chunks of scratch begins where they end so far.
  void take_scratch(std::vector<uint64_t>& bytes) {
    const auto& chunks = segment().chunks;
    bytes.resize(std::max(bytes.size(), chunks.size()));
    for (size_t i = 0; i < chunks.size(); ++i) {
      scratch_begins_.push_back(bytes[i]);
      bytes[i] += backend::range_aligned(chunks[i]);
    }
  }
  void add_words(Bytes& contents) { put_words(contents); }
  void add_lane(std::vector<Command>& commands, std::deque<std::vector<DeviceRange>>& ranges) const {
    if (segments_ == 0) return;
    commands.push_back({.kind = Command::Kind::Lane, .count = uint32_t(segment().steps.size())});
    for (const PlanStep& step : segment().steps) commands.push_back(command_of(step, ranges));
  }
  size_t repeats() const { return segments_ == 0 ? 0 : taken_of(segment()).size(); }
  Result<void> count_lane(std::span<const Taken> taken, uint64_t left) {
    ref::Statements statements(left);
    return segments_ == 0 ? Result<void>() : count(taken, statements);
  }

  /// After the last segment.
  Result<void> look_at_guards() {
    if (prepared_ == nullptr) return {};
    return each_group(guards_from(0), [&](backend::DeviceBuffer& chunk, uint64_t begin,
                                          std::span<uint32_t> words, std::span<const Guard> guards) {
      auto read = chunk.read(begin, std::as_writable_bytes(words));
      notes_.guard_words += guards.size() * (guard_bytes() / kWord);
      for (const Guard& guard : guards) {
        const uint64_t from = (guard.begin - begin) / kWord;
        for (uint64_t i = from; i < from + guard_bytes() / kWord; ++i)
          notes_.broken_guards += words[i] != guard_word(begin / kWord + i) ? 1 : 0;
      }
      return read;
    });
  }

  /// What was prepared, if it was all and can be run again.
  std::unique_ptr<Prepared> take() {
    const bool whole = segments_ == 1 && prepared_->recording != nullptr;
    return whole ? std::move(prepared_) : nullptr;
  }

 private:
  const Segment& segment() const { return prepared_->segment; }

  Result<void> make_scratch() { return of_.make_scratch(segment().chunks); }

  void put_words(Bytes& contents) {
    places_of_words_.assign(segment().words.size() + 1, 0);
    for (const PlanBuffer& buffer : segment().buffers) {
      if (buffer.kind != PlanBuffer::Kind::Words) continue;
      contents.resize((contents.size() + kListStride - 1) / kListStride * kListStride);
      places_of_words_[buffer.offset] = contents.size();
      const auto words =
          std::as_bytes(std::span(segment().words).subspan(size_t(buffer.offset), size_t(buffer.bytes / 4)));
      contents.insert(contents.end(), words.begin(), words.end());
    }
  }
  Result<void> make_words() {
    Bytes contents;
    put_words(contents);
    return of_.write_words(contents);
  }

  DeviceRange range_of(const PlanBuffer& buffer) const {
    switch (buffer.kind) {
      case PlanBuffer::Kind::Parameter: return ranges_[buffer.number];
      case PlanBuffer::Kind::Scratch: {
        const uint64_t begin = scratch_begins_.empty() ? 0 : scratch_begins_[buffer.number];
        return {of_.scratch_[buffer.number].get(), begin + buffer.offset, buffer.bytes};
      }
      case PlanBuffer::Kind::Words: return {of_.words_.get(), places_of_words_[buffer.offset], buffer.bytes};
    }
    return {};
  }

  /// A guard, and where it lies. They lie in the order of their arrays in each chunk.
  struct Guard {
    uint32_t chunk = 0;
    uint64_t begin = 0;
  };
  /// Those of arrays from number `first` on, one before and one behind each.
  std::vector<Guard> guards_from(size_t first) const {
    std::vector<Guard> out;
    if (guard_bytes() == 0) return out;
    for (const PlanBuffer& array : std::span(segment().arrays).subspan(first)) {
      const uint64_t end = (array.offset + array.bytes + kWord - 1) / kWord * kWord;
      out.push_back({array.number, array.offset - guard_bytes()});
      out.push_back({array.number, end});
    }
    return out;
  }
  uint64_t guard_bytes() const { return notes_.guard_bytes / kWord * kWord; }

  /// Calls `at` for guards that lie near each other in a chunk: the chunk, where the first begins, as many
  /// words as reach to the end of the last, and the guards. A copy costs more than what lies between them.
  template <typename At>
  Result<void> each_group(std::span<const Guard> guards, At at) const {
    constexpr uint64_t kNear = uint64_t{64} << 10;
    for (size_t first = 0, last = 0; first < guards.size(); first = last) {
      const Guard& begin = guards[first];
      for (last = first + 1; last < guards.size(); ++last) {
        const uint64_t before = guards[last - 1].begin;
        if (guards[last].chunk != begin.chunk || guards[last].begin < before ||
            guards[last].begin > before + kNear)
          break;
      }
      std::vector<uint32_t> words((guards[last - 1].begin + guard_bytes() - begin.begin) / kWord);
      VYRE_CHECK(
          at(*of_.scratch_[begin.chunk], begin.begin, std::span(words), guards.subspan(first, last - first)));
    }
    return {};
  }

  /// Guards of the arrays that are new. What lies between them holds nothing yet, and gets such words, too.
  Result<void> put_guards() {
    const size_t first = std::exchange(guarded_, segment().arrays.size());
    return each_group(guards_from(first), [](backend::DeviceBuffer& chunk, uint64_t begin,
                                             std::span<uint32_t> words, std::span<const Guard>) {
      for (size_t i = 0; i < words.size(); ++i) words[i] = guard_word(begin / kWord + i);
      return chunk.write(begin, std::as_bytes(words));
    });
  }

  static std::vector<Taken> taken_of(const Segment& segment) {
    return std::vector<Taken>(
        size_t(std::ranges::count(segment.steps, PlanStep::Kind::Repeat, &PlanStep::kind)));
  }

  /// Takes what the repeats did into the notes. Errors: more statements than there were.
  Result<void> count(std::span<const Taken> taken, ref::Statements& statements) {
    struct Open {
      size_t end;
      uint64_t turns;
    };
    std::vector<Open> open = {{segment().steps.size(), 1}};
    size_t repeat = 0;
    notes_.scratch_bytes = segment().scratch_bytes;
    for (size_t i = 0; i < segment().steps.size(); ++i) {
      const PlanStep& step = segment().steps[i];
      while (open.back().end <= i) open.pop_back();
      if (step.kind == PlanStep::Kind::Dispatch) notes_.dispatches += open.back().turns;
      if (step.kind != PlanStep::Kind::Repeat) continue;
      const Taken& all = taken[repeat++];
      notes_.turns += all.turns;
      if (all.unfinished != 0) notes_.unfinished[{step.pipeline, step.command}] += all.unfinished;
      open.push_back({i + 1 + step.count, all.turns});
      if (!statements.spend(all.turns * step.statements))
        return std::unexpected(ref::out_of_statements(span_of(step)));
    }
    return {};
  }

  Command command_of(const PlanStep& step, std::deque<std::vector<DeviceRange>>& all) const {
    const auto buffers = segment().of(step);
    switch (step.kind) {
      case PlanStep::Kind::Dispatch:
        return {.kind = Command::Kind::Dispatch,
                .step = {of_.programs_[step.program].get(), ranges_of(buffers, all), step.groups}};
      case PlanStep::Kind::Zero: return {.kind = Command::Kind::Zero, .range = range_of(buffers[0])};
      case PlanStep::Kind::Repeat: break;
    }
    const DeviceRange range = range_of(buffers[0]);
    const uint64_t word = uint64_t{step.word} * 4;
    // More turns than a run may have are never wanted: one beyond is enough to see it.
    const uint64_t most = ref::kMaxStatements / step.statements + 1;
    return {.kind = Command::Kind::Repeat,
            .range = range,
            .turns = uint32_t(std::min<uint64_t>(step.turns, most)),
            .word = word,
            .looks = word + 4 <= range.bytes,
            .count = step.count,
            .statements = step.statements};
  }

  std::span<const DeviceRange> ranges_of(std::span<const PlanBuffer> buffers,
                                         std::deque<std::vector<DeviceRange>>& all) const {
    std::vector<DeviceRange>& ranges = all.emplace_back();
    for (const PlanBuffer& buffer : buffers) {
      DeviceRange range = range_of(buffer);
      // Only where neither is written, which the checker has seen to. An empty range begins where another
      // does.
      range.shared =
          range.bytes != 0 && std::ranges::any_of(ranges, [&](const DeviceRange& other) {
            return other.bytes != 0 && other.buffer == range.buffer && other.offset == range.offset;
          });
      ranges.push_back(range);
    }
    return ranges;
  }

  void note(const PlanStep& step, double seconds) {
    if (step.kind != PlanStep::Kind::Dispatch) return;
    uint64_t bytes = 0;
    for (const PlanBuffer& buffer : segment().of(step)) bytes += buffer.bytes;
    const std::array<uint64_t, 6> key = {step.pipeline, step.command,  step.groups.x,
                                         step.groups.y, step.groups.z, bytes};
    auto row = rows_.find(key);
    if (row == rows_.end() && notes_.times.size() < kMostTimes) {
      row = rows_.emplace(key, notes_.times.size()).first;
      notes_.times.push_back({step.pipeline, step.command, step.program, step.groups, bytes});
    }
    DispatchTime& time = row == rows_.end() ? notes_.others : notes_.times[row->second];
    ++time.count;
    time.seconds += seconds;
  }

  Span span_of(const PlanStep& step) const {
    return of_.module_->pipelines()[step.pipeline].pipeline->commands[step.command].span;
  }

  Executable& of_;
  std::span<const DeviceRange> ranges_;
  RunNotes& notes_;
  const bool again_;
  std::map<std::array<uint64_t, 6>, size_t> rows_;  // of notes_.times
  std::unique_ptr<Prepared> prepared_;              // that is being run
  size_t segments_ = 0;
  bool only_plans_ = false;
  std::vector<uint64_t> scratch_begins_;   // in each chunk; none: at 0
  size_t guarded_ = 0;                     // how many arrays have guards
  std::vector<uint64_t> places_of_words_;  // by the first word of a list: where it lies on the device
};

Executable::Executable(backend::Backend& backend, std::shared_ptr<const check::CheckedModule> module,
                       uint32_t pipeline, Scratch scratch)
    : backend_(&backend), module_(std::move(module)), pipeline_(pipeline), begins_(scratch) {}
Executable::Executable(Executable&&) noexcept = default;
Executable::~Executable() = default;

Result<Executable> Executable::make(backend::Backend& backend,
                                    std::shared_ptr<const check::CheckedModule> module, uint32_t pipeline,
                                    Scratch scratch) {
  Executable out(backend, std::move(module), pipeline, scratch);
  out.programs_.resize(out.module_->programs().size());
  const std::vector<uint32_t> wanted = programs_of(*out.module_, pipeline);
  std::vector<Result<std::unique_ptr<backend::Pipeline>>> compiled(wanted.size());
  out.compile_seconds_.resize(wanted.size());
  std::atomic<bool> refused = false;
  backend.side_by_side(wanted.size(), [&](size_t i) {
    if (refused.load(std::memory_order_relaxed)) return;
    const auto begin = std::chrono::steady_clock::now();
    compiled[i] = backend.compile(*out.module_->programs()[wanted[i]]);
    out.compile_seconds_[i] = {wanted[i], seconds_since(begin)};
    if (!compiled[i]) refused.store(true, std::memory_order_relaxed);
  });
  for (auto& one : compiled)
    if (!one) return std::unexpected(std::move(one).error());
  for (size_t i = 0; i < wanted.size(); ++i) out.programs_[wanted[i]] = *std::move(compiled[i]);
  return out;
}

Result<void> Executable::run(std::span<const DeviceRange> ranges, RunNotes* notes, Contents contents) {
  RunNotes nothing;
  return run(ranges, notes != nullptr ? *notes : nothing, /*again=*/true, contents);
}

Result<void> Executable::make_scratch(std::span<const uint64_t> chunks) {
  // A chunk that grows holds nothing.
  scratch_.resize(std::max(scratch_.size(), chunks.size()));
  for (size_t i = 0; i < chunks.size(); ++i) {
    auto& chunk = scratch_[i];
    if (chunk != nullptr && chunk->bytes() >= chunks[i]) continue;
    chunk.reset();
    VYRE_TRY(larger, backend_->allocate(chunks[i]));
    chunk = std::move(larger);
  }
  return {};
}

Result<void> Executable::write_words(std::span<const std::byte> contents) {
  if (contents.empty()) return {};
  if (words_ == nullptr || words_->bytes() < contents.size()) {
    words_.reset();
    VYRE_TRY(larger, backend_->allocate(contents.size()));
    words_ = std::move(larger);
  }
  return words_->write(0, contents);
}

Result<Executable::Parameters> Executable::parameters_of(std::span<const DeviceRange> ranges,
                                                         Contents contents) const {
  const check::Checked& head = *module_->pipelines()[pipeline_].head;
  Parameters out;
  auto& [places, uniforms, parameters] = out;
  uniforms.resize(ranges.size());
  std::vector<layout::Extent> extents;
  for (size_t i = 0; i < ranges.size(); ++i) {
    VYRE_CHECK(backend::check_range(ranges[i]));
    const bool uniform = i < head.bound_buffers().size() &&
                         head.buffer(head.bound_buffers()[i]).access == spec::BufferAccess::Uniform;
    if (uniform && ranges[i].bytes <= spec::kMaxUniformBytes) {
      if (i < contents.size()) {
        uniforms[i].assign(contents[i].begin(), contents[i].end());
      } else {
        uniforms[i].resize(size_t(ranges[i].bytes));
        VYRE_CHECK(ranges[i].buffer->read(ranges[i].offset, uniforms[i]));
      }
    }
    places.push_back({ranges[i].buffer->id(), ranges[i].offset, ranges[i].bytes});
    parameters.push_back({ranges[i].bytes, uniforms[i]});
    extents.push_back({ranges[i].buffer, ranges[i].offset, ranges[i].bytes, uniforms[i]});
  }
  VYRE_CHECK(layout::bind(head, extents, {}));
  return out;
}

Result<void> Executable::run_together(std::span<const Together> runs) {
  prepared_.reset();
  RunNotes notes;
  std::deque<Parameters> parameters;
  std::deque<Runner> lanes;
  std::vector<uint64_t> scratch;
  Bytes words;
  bool one_segment = true;
  for (const Together& one : runs) {
    VYRE_TRY(made, parameters_of(one.ranges, one.contents));
    parameters.push_back(std::move(made));
    Runner& lane = lanes.emplace_back(*this, one.ranges, notes, /*again=*/false);
    lane.only_plan();
    ref::PlanOptions options;
    options.max_scratch_bytes = backend_->limits().max_buffer_bytes;
    options.zero_scratch = begins_ == Scratch::Zero;
    VYRE_CHECK(ref::run_plan(*module_, pipeline_, parameters.back().parameters, options, lane));
    one_segment = one_segment && lane.segments() <= 1;
    if (!one_segment || lane.segments() == 0) continue;
    lane.take_scratch(scratch);
    lane.add_words(words);
  }
  const uint64_t most = backend_->limits().max_buffer_bytes;
  if (!one_segment || std::ranges::any_of(scratch, [&](uint64_t bytes) { return bytes > most; })) {
    for (const Together& one : runs) VYRE_CHECK(run(one.ranges, notes, /*again=*/false, one.contents));
    return {};
  }
  VYRE_CHECK(make_scratch(scratch));
  VYRE_CHECK(write_words(words));
  std::vector<Command> commands;
  std::deque<std::vector<DeviceRange>> ranges;
  size_t repeats = 0;
  uint64_t statements = ref::kMaxStatements;
  for (const Runner& lane : lanes) {
    lane.add_lane(commands, ranges);
    repeats += lane.repeats();
    if (lane.segments() != 0) statements = std::min(statements, lane.statements_left());
  }
  std::vector<Taken> taken(repeats);
  if (!commands.empty()) VYRE_CHECK(backend_->dispatch_engine(commands, taken, statements));
  std::span<const Taken> left = taken;
  for (Runner& lane : lanes) {
    // One that ran out of the statements of another is as one that ran out of its own.
    VYRE_CHECK(lane.count_lane(left.first(lane.repeats()), statements));
    left = left.subspan(lane.repeats());
  }
  return {};
}

Result<void> Executable::run(std::span<const DeviceRange> ranges, RunNotes& notes, bool again,
                             Contents contents) {
  notes.dispatches = notes.scratch_bytes = notes.turns = notes.guard_words = notes.broken_guards = 0;
  notes.unfinished.clear();
  VYRE_TRY(parameters_made, parameters_of(ranges, contents));
  auto& [places, uniforms, parameters] = parameters_made;
  Runner runner(*this, ranges, notes, again);
  if (prepared_ && !notes.timed && prepared_->guard_bytes == notes.guard_bytes &&
      prepared_->ranges == places && prepared_->uniforms == uniforms) {
    VYRE_CHECK(runner.replay(std::move(prepared_)));
  } else {
    prepared_.reset();
    ref::PlanOptions options;
    const uint64_t guards = 2 * ((uint64_t{notes.guard_bytes} + ref::kScratchAlignment - 1) /
                                 ref::kScratchAlignment * ref::kScratchAlignment);
    const uint64_t most = backend_->limits().max_buffer_bytes;
    options.max_scratch_bytes = most - std::min(most, guards);
    options.guard_bytes = notes.guard_bytes;
    options.zero_scratch = begins_ == Scratch::Zero;
    VYRE_CHECK(ref::run_plan(*module_, pipeline_, parameters, options, runner));
  }
  VYRE_CHECK(runner.look_at_guards());
  prepared_ = runner.take();
  if (prepared_) {
    prepared_->ranges = std::move(places);
    prepared_->uniforms = std::move(uniforms);
  }
  return {};
}

void Executable::forget() { prepared_.reset(); }

Result<void> Executable::spoil(std::byte value) {
  for (const auto& chunk : scratch_)
    if (chunk != nullptr) VYRE_CHECK(chunk->fill(0, chunk->bytes(), value));
  return {};
}

Result<void> Executable::run_host(std::span<const std::span<std::byte>> host, RunNotes* notes) {
  const check::Checked& head = *module_->pipelines()[pipeline_].head;
  VYRE_CHECK(layout::bind(head, host, {}));
  auto begin = std::chrono::steady_clock::now();
  std::vector<std::unique_ptr<backend::DeviceBuffer>> buffers;
  std::vector<backend::DeviceRange> ranges;
  for (const std::span<std::byte> bytes : host) {
    VYRE_TRY(buffer, backend_->allocate(std::max<uint64_t>(bytes.size(), 4)));
    if (!bytes.empty()) VYRE_CHECK(buffer->write(0, bytes));
    ranges.push_back({buffer.get(), 0, bytes.size()});
    buffers.push_back(std::move(buffer));
  }
  RunNotes nothing;
  RunNotes& noted = notes != nullptr ? *notes : nothing;
  noted.copy_in_seconds = seconds_since(begin);
  const std::vector<std::span<const std::byte>> contents(host.begin(), host.end());
  VYRE_CHECK(run(ranges, noted, /*again=*/false, contents));  // no later run has these buffers
  begin = std::chrono::steady_clock::now();
  for (size_t i = 0; i < host.size(); ++i) {
    const bool written = head.buffer(head.bound_buffers()[i]).access == spec::BufferAccess::ReadWrite;
    if (written && !host[i].empty()) VYRE_CHECK(buffers[i]->read(0, host[i]));
  }
  noted.copy_out_seconds = seconds_since(begin);
  return {};
}

}  // namespace vyre::plan
