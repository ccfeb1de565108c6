#include "plan/pipeline.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <set>
#include <utility>

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

  Result<void> make_scratch() {
    // A chunk that grows holds nothing.
    const auto& chunks = segment().chunks;
    of_.scratch_.resize(std::max(of_.scratch_.size(), chunks.size()));
    for (size_t i = 0; i < chunks.size(); ++i) {
      auto& chunk = of_.scratch_[i];
      if (chunk != nullptr && chunk->bytes() >= chunks[i]) continue;
      chunk.reset();
      VYRE_TRY(larger, of_.backend_->allocate(chunks[i]));
      chunk = std::move(larger);
    }
    return {};
  }

  Result<void> make_words() {
    Bytes contents;
    places_of_words_.assign(segment().words.size() + 1, 0);
    for (const PlanBuffer& buffer : segment().buffers) {
      if (buffer.kind != PlanBuffer::Kind::Words) continue;
      contents.resize((contents.size() + kListStride - 1) / kListStride * kListStride);
      places_of_words_[buffer.offset] = contents.size();
      const auto words =
          std::as_bytes(std::span(segment().words).subspan(size_t(buffer.offset), size_t(buffer.bytes / 4)));
      contents.insert(contents.end(), words.begin(), words.end());
    }
    if (contents.empty()) return {};
    if (of_.words_ == nullptr || of_.words_->bytes() < contents.size()) {
      of_.words_.reset();
      VYRE_TRY(larger, of_.backend_->allocate(contents.size()));
      of_.words_ = std::move(larger);
    }
    return of_.words_->write(0, contents);
  }

  DeviceRange range_of(const PlanBuffer& buffer) const {
    switch (buffer.kind) {
      case PlanBuffer::Kind::Parameter: return ranges_[buffer.number];
      case PlanBuffer::Kind::Scratch: return {of_.scratch_[buffer.number].get(), buffer.offset, buffer.bytes};
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
  for (const uint32_t program : programs_of(*out.module_, pipeline)) {
    const auto begin = std::chrono::steady_clock::now();
    VYRE_TRY(compiled, backend.compile(*out.module_->programs()[program]));
    out.programs_[program] = std::move(compiled);
    out.compile_seconds_.emplace_back(program, seconds_since(begin));
  }
  return out;
}

Result<void> Executable::run(std::span<const DeviceRange> ranges, RunNotes* notes, Contents contents) {
  RunNotes nothing;
  return run(ranges, notes != nullptr ? *notes : nothing, /*again=*/true, contents);
}

Result<void> Executable::run(std::span<const DeviceRange> ranges, RunNotes& notes, bool again,
                             Contents contents) {
  const check::Checked& head = *module_->pipelines()[pipeline_].head;
  notes.dispatches = notes.scratch_bytes = notes.turns = notes.guard_words = notes.broken_guards = 0;
  notes.unfinished.clear();
  std::vector<std::array<uint64_t, 3>> places;
  std::vector<std::vector<std::byte>> uniforms(ranges.size());
  std::vector<ref::PlanParameter> parameters;
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
