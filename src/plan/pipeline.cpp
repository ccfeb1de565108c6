#include "plan/pipeline.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <set>

#include "base/bytes.h"
#include "spec/limits.h"

namespace vyre::plan {
namespace {

using backend::Command;
using backend::DeviceRange;
using ref::PlanBuffer;
using ref::PlanStep;
using ref::Segment;

/// Words of lists begin where a range may.
constexpr uint64_t kListStride = backend::kRangeAlignment;

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

namespace {

/// A part of a segment that is ready for the device: commands, or a repeat that the host drives over such
/// parts.
struct Node {
  std::unique_ptr<backend::Recording> recording;
  std::vector<const PlanStep*> repeats;  // those in the recording
  const PlanStep* step =
      nullptr;  // what it is: the repeat that the host drives, or the dispatch that is timed
  DeviceRange looked_at;
  std::vector<Node> body;
};

}  // namespace

/// A segment on the device.
struct Executable::Prepared {
  // What it was prepared for.
  std::vector<std::array<uint64_t, 3>> ranges;  // buffer, offset, bytes
  std::vector<std::vector<std::byte>> uniforms;
  uint64_t statements = 0;  // that walking the pipeline spent, without those of repeats

  Segment segment;
  std::unique_ptr<backend::DeviceBuffer> words;
  std::vector<Node> nodes;
};

/// Prepares segments and runs them.
class Executable::Runner final : public ref::PlanRunner {
 public:
  Runner(Executable& of, std::span<const DeviceRange> ranges, RunNotes& notes)
      : of_(of), ranges_(ranges), notes_(notes) {}

  Result<void> run(const Segment& segment, ref::Statements& statements) override {
    ++segments_;
    prepared_ = std::make_unique<Prepared>();
    prepared_->segment = segment;
    prepared_->statements = ref::kMaxStatements - statements.left();
    VYRE_CHECK(make_scratch());
    VYRE_CHECK(make_words());
    VYRE_CHECK(prepare(0, prepared_->segment.steps.size(), prepared_->nodes));
    return execute(prepared_->nodes, statements);
  }

  Result<void> execute(const std::vector<Node>& nodes, ref::Statements& statements) {
    for (const Node& node : nodes) VYRE_CHECK(execute(node, statements));
    return {};
  }

  /// What was prepared, if it was all.
  std::unique_ptr<Prepared> take() { return segments_ == 1 ? std::move(prepared_) : nullptr; }

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
    VYRE_TRY(words, of_.backend_->allocate(contents.size()));
    prepared_->words = std::move(words);
    return prepared_->words->write(0, contents);
  }

  DeviceRange range_of(const PlanBuffer& buffer) const {
    switch (buffer.kind) {
      case PlanBuffer::Kind::Parameter: return ranges_[buffer.number];
      case PlanBuffer::Kind::Scratch: return {of_.scratch_[buffer.number].get(), buffer.offset, buffer.bytes};
      case PlanBuffer::Kind::Words:
        return {prepared_->words.get(), places_of_words_[buffer.offset], buffer.bytes};
    }
    return {};
  }

  /// Whether a device may drive the repeat by itself: none stands in it.
  bool is_flat(size_t at) const {
    const auto body = std::span(segment().steps).subspan(at + 1, segment().steps[at].count);
    return !notes_.timed && std::ranges::none_of(body, [](const PlanStep& step) {
      return step.kind == PlanStep::Kind::Repeat;
    });
  }

  Result<void> prepare(size_t begin, size_t end, std::vector<Node>& nodes) {
    std::vector<Command> commands;
    std::deque<std::vector<DeviceRange>> ranges;
    Node node;
    const auto finish = [&]() -> Result<void> {
      if (commands.empty()) return {};
      VYRE_TRY(recording, of_.backend_->record(commands));
      node.recording = std::move(recording);
      nodes.push_back(std::move(node));
      node = {};
      commands.clear();
      ranges.clear();
      return {};
    };
    for (size_t i = begin; i < end; ++i) {
      const PlanStep& step = segment().steps[i];
      if (step.kind == PlanStep::Kind::Repeat && !is_flat(i)) {
        VYRE_CHECK(finish());
        Node& loop = nodes.emplace_back();
        loop.step = &step;
        loop.looked_at = range_of(segment().of(step)[0]);
        std::vector<Node> body;
        VYRE_CHECK(prepare(i + 1, i + 1 + step.count, body));
        loop.body = std::move(body);
        i += step.count;
        continue;
      }
      if (notes_.timed && step.kind == PlanStep::Kind::Dispatch) {
        VYRE_CHECK(finish());
        node.step = &step;
      }
      commands.push_back(command_of(step, ranges));
      if (step.kind == PlanStep::Kind::Repeat) node.repeats.push_back(&step);
      if (notes_.timed) VYRE_CHECK(finish());
    }
    return finish();
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
            .count = step.count};
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

  Result<void> execute(const Node& node, ref::Statements& statements) {
    if (node.step != nullptr && node.step->kind == PlanStep::Kind::Repeat) return repeat(node, statements);
    std::vector<uint32_t> turns(node.repeats.size());
    const auto begin = std::chrono::steady_clock::now();
    VYRE_CHECK(node.recording->run(turns));
    for (size_t i = 0; i < turns.size(); ++i) {
      const PlanStep& step = *node.repeats[i];
      if (!statements.spend(turns[i] * step.statements))
        return std::unexpected(ref::out_of_statements(span_of(step)));
    }
    if (node.step != nullptr) note(*node.step, begin);
    return {};
  }

  void note(const PlanStep& step, std::chrono::steady_clock::time_point begin) {
    const double seconds = seconds_since(begin);
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

  Result<void> repeat(const Node& node, ref::Statements& statements) {
    const PlanStep& step = *node.step;
    for (uint32_t turn = 0; turn < step.turns; ++turn) {
      if (!statements.spend(step.statements)) return std::unexpected(ref::out_of_statements(span_of(step)));
      VYRE_CHECK(execute(node.body, statements));
      VYRE_TRY(word, look(node.looked_at, step.word));
      if (word == 0) return {};
    }
    ++notes_.unfinished[{step.pipeline, step.command}];
    return {};
  }

  /// Word `index` of a buffer; beyond it 0.
  static Result<uint32_t> look(const DeviceRange& range, uint32_t index) {
    const uint64_t offset = uint64_t{index} * 4;
    if (offset + 4 > range.bytes) return 0u;
    std::array<std::byte, 4> word{};
    VYRE_CHECK(range.buffer->read(range.offset + offset, word));
    return load_u32(word.data());
  }

  Span span_of(const PlanStep& step) const {
    return of_.module_->pipelines()[step.pipeline].pipeline->commands[step.command].span;
  }

  Executable& of_;
  std::span<const DeviceRange> ranges_;
  RunNotes& notes_;
  std::map<std::array<uint64_t, 6>, size_t> rows_;  // of notes_.times
  std::unique_ptr<Prepared> prepared_;              // that is being run
  size_t segments_ = 0;
  std::vector<uint64_t> places_of_words_;  // by the first word of a list: where it lies on the device
};

Executable::Executable(backend::Backend& backend, std::shared_ptr<const check::CheckedModule> module,
                       uint32_t pipeline)
    : backend_(&backend), module_(std::move(module)), pipeline_(pipeline) {}
Executable::Executable(Executable&&) noexcept = default;
Executable::~Executable() = default;

Result<Executable> Executable::make(backend::Backend& backend,
                                    std::shared_ptr<const check::CheckedModule> module, uint32_t pipeline) {
  Executable out(backend, std::move(module), pipeline);
  out.programs_.resize(out.module_->programs().size());
  for (const uint32_t program : programs_of(*out.module_, pipeline)) {
    const auto begin = std::chrono::steady_clock::now();
    VYRE_TRY(compiled, backend.compile(*out.module_->programs()[program]));
    out.programs_[program] = std::move(compiled);
    out.compile_seconds_.emplace_back(program, seconds_since(begin));
  }
  return out;
}

Result<void> Executable::run(std::span<const DeviceRange> ranges, RunNotes* notes) {
  const check::Checked& head = *module_->pipelines()[pipeline_].head;
  RunNotes nothing;
  RunNotes& noted = notes != nullptr ? *notes : nothing;
  std::vector<std::array<uint64_t, 3>> places;
  std::vector<std::vector<std::byte>> uniforms(ranges.size());
  std::vector<ref::PlanParameter> parameters;
  std::vector<layout::Extent> extents;
  for (size_t i = 0; i < ranges.size(); ++i) {
    VYRE_CHECK(backend::check_range(ranges[i]));
    const bool uniform = i < head.bound_buffers().size() &&
                         head.buffer(head.bound_buffers()[i]).access == spec::BufferAccess::Uniform;
    if (uniform && ranges[i].bytes <= spec::kMaxUniformBytes) {
      uniforms[i].resize(size_t(ranges[i].bytes));
      VYRE_CHECK(ranges[i].buffer->read(ranges[i].offset, uniforms[i]));
    }
    places.push_back({ranges[i].buffer->id(), ranges[i].offset, ranges[i].bytes});
    parameters.push_back({ranges[i].bytes, uniforms[i]});
    extents.push_back({ranges[i].buffer, ranges[i].offset, ranges[i].bytes, uniforms[i]});
  }
  VYRE_CHECK(layout::bind(head, extents, {}));
  Runner runner(*this, ranges, noted);
  if (prepared_ && !noted.timed && prepared_->ranges == places && prepared_->uniforms == uniforms) {
    ref::Statements statements(ref::kMaxStatements - prepared_->statements);
    return runner.execute(prepared_->nodes, statements);
  }
  prepared_.reset();
  ref::PlanOptions options;
  options.max_scratch_bytes = backend_->limits().max_buffer_bytes;
  VYRE_CHECK(ref::run_plan(*module_, pipeline_, parameters, options, runner));
  prepared_ = noted.timed ? nullptr : runner.take();
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
  if (notes != nullptr) notes->copy_in_seconds = seconds_since(begin);
  VYRE_CHECK(run(ranges, notes));
  prepared_.reset();  // no later run has these buffers
  begin = std::chrono::steady_clock::now();
  for (size_t i = 0; i < host.size(); ++i) {
    const bool written = head.buffer(head.bound_buffers()[i]).access == spec::BufferAccess::ReadWrite;
    if (written && !host[i].empty()) VYRE_CHECK(buffers[i]->read(0, host[i]));
  }
  if (notes != nullptr) notes->copy_out_seconds = seconds_since(begin);
  return {};
}

}  // namespace vyre::plan
