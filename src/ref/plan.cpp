#include "ref/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "ref/invocation.h"
#include "spec/limits.h"

namespace vyre::ref {
namespace {

using check::BufferId;
using check::CheckedPipeline;
using ir::Command;
using ir::CommandKind;

uint64_t aligned(uint64_t bytes) {
  return (bytes + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
}

/// Scratch as a stack: what a pipeline takes is given back when it ends. Chunks that exist are filled before
/// another one is made. With guards places are not given back but kept for arrays of the same size.
class Scratch {
 public:
  explicit Scratch(uint64_t guard_bytes) : guard_(guard_bytes) {}

  struct Mark {
    uint32_t chunk = 0;
    uint64_t used = 0;
    uint64_t bytes = 0;  // of the arrays
    size_t taken = 0;
  };
  Mark mark() const { return top_; }
  void release(Mark mark) {
    if (guard_ == 0) {
      top_ = mark;
      return;
    }
    for (; taken_.size() > mark.taken; taken_.pop_back()) free_[taken_.back().bytes].push_back(taken_.back());
    top_.bytes = mark.bytes;
    top_.taken = mark.taken;
  }

  PlanBuffer take(uint64_t bytes) {
    top_.bytes += bytes;
    most_bytes_ = std::max(most_bytes_, top_.bytes);
    if (guard_ == 0) return place(aligned(bytes), 0, bytes);
    std::vector<PlanBuffer>& free = free_[bytes];
    if (free.empty()) {
      free.push_back(place(aligned(bytes) + 2 * guard_, guard_, bytes));
      arrays_.push_back(free.back());
    }
    taken_.push_back(free.back());
    free.pop_back();
    ++top_.taken;
    return taken_.back();
  }
  const std::vector<uint64_t>& chunks() const { return chunks_; }
  const std::vector<PlanBuffer>& arrays() const { return arrays_; }
  uint64_t most_bytes() const { return most_bytes_; }

 private:
  /// An array that begins `before` bytes into the next `size` bytes.
  PlanBuffer place(uint64_t size, uint64_t before, uint64_t bytes) {
    while (top_.chunk < chunks_.size() && top_.used + size > chunks_[top_.chunk]) {
      if (top_.used == 0 && top_.chunk + 1 == chunks_.size()) {
        chunks_[top_.chunk] = size;  // nothing lies in it
      } else {
        ++top_.chunk;
        top_.used = 0;
      }
    }
    if (top_.chunk == chunks_.size()) chunks_.push_back(std::max(size, kLeastChunk));
    const PlanBuffer out = {PlanBuffer::Kind::Scratch, top_.chunk, top_.used + before, bytes};
    top_.used += size;
    return out;
  }

  static constexpr uint64_t kLeastChunk = 64 << 10;
  const uint64_t guard_;
  std::vector<uint64_t> chunks_;
  Mark top_;
  uint64_t most_bytes_ = 0;
  // With guards: all places, those in use in the order in which they were taken, and the others by size.
  std::vector<PlanBuffer> arrays_, taken_;
  std::map<uint64_t, std::vector<PlanBuffer>> free_;
};

/// What host expressions read: lengths, and uniform buffers.
class HostMemory final : public Memory {
 public:
  struct HostBuffer {
    uint32_t count = 0;
    std::span<const std::byte> uniform;
  };
  explicit HostMemory(size_t buffers) : buffers_(buffers) {}
  HostBuffer& at(BufferId id) { return buffers_[check::index(id)]; }
  uint32_t length(BufferId buffer) const override { return buffers_[check::index(buffer)].count; }
  Bits load(BufferId buffer, Indices indices) override {
    const HostBuffer& host = buffers_[check::index(buffer)];
    return indices[0] < host.count ? load_u32(host.uniform.data() + size_t(indices[0]) * 4) : 0;
  }
  // No host expression does either.
  void store(BufferId, Indices, Bits) override {}
  Bits atomic(spec::Op, BufferId, Bits, Bits, Bits) override { return 0; }

 private:
  std::vector<HostBuffer> buffers_;
};

class Walk {
 public:
  Walk(const check::CheckedModule& module, std::span<const PlanParameter> parameters,
       const PlanOptions& options, PlanRunner& runner)
      : module_(module),
        parameters_(parameters),
        options_(options),
        runner_(runner),
        ready_(module.pipelines().size()),
        scratch_(aligned(options.guard_bytes)) {}

  Result<void> run(uint32_t pipeline) {
    std::vector<PlanBuffer> given;
    std::vector<std::span<const std::byte>> uniform;
    for (uint32_t i = 0; i < parameters_.size(); ++i) {
      given.push_back({PlanBuffer::Kind::Parameter, i, 0, parameters_[i].bytes});
      uniform.push_back(parameters_[i].uniform);
    }
    VYRE_CHECK(enter(pipeline, std::move(given), std::move(uniform)));
    return flush();
  }

 private:
  /// A pipeline that is being walked.
  struct Frame {
    Frame(const check::CheckedModule& module, const ReadyProgram& ready, uint32_t number_of)
        : number(number_of),
          checked(module.pipelines()[number_of]),
          memory(checked.buffers.size()),
          budget(0),
          host(ready, memory, budget),
          buffers(checked.buffers.size()),
          uniform(checked.buffers.size()) {
      host.start({});
    }
    uint32_t number;
    const CheckedPipeline& checked;
    HostMemory memory;
    Budget budget;
    Invocation host;  // of the host expressions
    std::vector<PlanBuffer> buffers;
    std::vector<std::span<const std::byte>> uniform;

    uint32_t value(ir::ExprId root) { return uint32_t(host.evaluate(root)); }
    const Command& command(uint32_t at) const { return checked.pipeline->commands[at]; }
    uint32_t value(const Command& command_of, uint32_t which) {
      return value(checked.pipeline->exprs(command_of.exprs)[which]);
    }
  };

  /// Begins a pipeline, whose parameters are these, and walks it to its end.
  Result<void> enter(uint32_t number, std::vector<PlanBuffer> given,
                     std::vector<std::span<const std::byte>> uniform) {
    if (ready_[number] == nullptr)
      ready_[number] = std::make_unique<ReadyProgram>(module_, module_.pipelines()[number]);
    Frame frame(module_, *ready_[number], number);
    // A uniform buffer is looked into, of the others only sizes count; two may be one.
    std::vector<layout::Extent> extents;
    for (size_t i = 0; i < given.size(); ++i) extents.push_back({&given[i], 0, given[i].bytes, uniform[i]});
    VYRE_TRY(bindings, layout::bind(*frame.checked.head, extents, {}));
    for (uint32_t i = 0; i < given.size(); ++i) {
      frame.memory.at(BufferId{i}) = {bindings[i].count, uniform[i]};
      frame.buffers[i] = given[i];
      frame.uniform[i] = uniform[i];
    }
    const Scratch::Mark mark = scratch_.mark();
    VYRE_CHECK(walk(frame, 0, uint32_t(frame.checked.pipeline->commands.size())));
    scratch_.release(mark);
    return {};
  }

  Result<void> walk(Frame& frame, uint32_t begin, uint32_t end) {
    for (uint32_t at = begin; at < end; at = frame.command(at).end) {
      VYRE_CHECK(spend(frame.command(at).span));
      VYRE_CHECK(step(frame, at));
      if (repeats_.empty() && segment_.steps.size() >= options_.segment_steps) VYRE_CHECK(flush());
    }
    return {};
  }

  /// Statements of the body of a repeat count for its turns.
  Result<void> spend(Span span) {
    if (!repeats_.empty()) {
      // The first turn is walked, and every turn is like it, so this alone bounds the walk.
      if (++segment_.steps[repeats_.back()].statements <= kMaxStatements) return {};
    } else if (statements_.spend(1)) {
      return {};
    }
    return std::unexpected(out_of_statements(span));
  }

  Result<void> step(Frame& frame, uint32_t at) {
    const Command& command = frame.command(at);
    const auto variable = [&] { return check::VarId{frame.checked.target[at]}; };
    switch (command.kind) {
      case CommandKind::Scratch: return take_scratch(frame, at);
      case CommandKind::Let: frame.host.set(variable(), frame.value(command, 0)); return {};
      case CommandKind::Dispatch: return dispatch(frame, at);
      case CommandKind::Run: return run_other(frame, at);
      case CommandKind::Loop: {
        const uint32_t from = frame.value(command, 0), to = frame.value(command, 1);
        for (uint32_t i = from; i < to; ++i) {
          VYRE_CHECK(spend(command.span));
          frame.host.set(variable(), i);
          VYRE_CHECK(walk(frame, at + 1, command.end));
        }
        return {};
      }
      case CommandKind::Repeat: return repeat(frame, at);
      case CommandKind::If:
        if (frame.value(command, 0) != 0) return walk(frame, at + 1, command.orelse);
        return walk(frame, command.orelse, command.end);
    }
    return {};
  }

  PlanStep& add(PlanStep::Kind kind, const Frame& frame, uint32_t at) {
    return segment_.steps.emplace_back(PlanStep{.kind = kind, .pipeline = frame.number, .command = at});
  }
  ir::Range add(std::span<const PlanBuffer> buffers) {
    const ir::Range out = {uint32_t(segment_.buffers.size()), uint32_t(buffers.size())};
    segment_.buffers.insert(segment_.buffers.end(), buffers.begin(), buffers.end());
    return out;
  }

  Result<void> take_scratch(Frame& frame, uint32_t at) {
    const Command& command = frame.command(at);
    const uint32_t count = frame.value(command, 0);
    const uint64_t bytes = uint64_t{count} * spec::info(spec::element_value_type(command.type)).bytes;
    if (bytes > options_.max_scratch_bytes) {
      return std::unexpected(
          make_diag(DiagCode::B003, command.span,
                    fmt::format("scratch '{}' of {} elements has {} bytes, and {} are allowed here",
                                frame.checked.pipeline->code.name(command.symbol), count, bytes,
                                options_.max_scratch_bytes),
                    "work in parts, or run it on another backend"));
    }
    const uint32_t buffer = frame.checked.target[at];
    frame.buffers[buffer] = scratch_.take(bytes);
    frame.memory.at(BufferId{buffer}) = {count, {}};
    if (bytes != 0 && options_.zero_scratch)
      add(PlanStep::Kind::Zero, frame, at).buffers = add({{frame.buffers[buffer]}});
    return {};
  }

  /// The words of a list, in the segment.
  PlanBuffer words(Frame& frame, ir::Range list) {
    const PlanBuffer out = {PlanBuffer::Kind::Words, 0, segment_.words.size(), uint64_t{list.count} * 4};
    const auto& ids = frame.checked.pipeline->code.expr_list;
    for (uint32_t i = 0; i < list.count; ++i) segment_.words.push_back(frame.value(ids[list.first + i]));
    return out;
  }

  /// A buffer of the frame. The words of a list were perhaps in an earlier segment.
  PlanBuffer use(Frame& frame, BufferId id) {
    PlanBuffer out = frame.buffers[check::index(id)];
    if (out.kind != PlanBuffer::Kind::Words) return out;
    out.offset = segment_.words.size();
    const std::span<const std::byte> contents = frame.uniform[check::index(id)];
    for (size_t i = 0; i < contents.size(); i += 4) segment_.words.push_back(load_u32(contents.data() + i));
    return out;
  }

  Result<void> dispatch(Frame& frame, uint32_t at) {
    const Command& command = frame.command(at);
    std::vector<PlanBuffer> buffers;
    for (const check::BoundArgument& given : frame.checked.of(at))
      buffers.push_back(given.list ? words(frame, given.words) : use(frame, given.buffer));
    std::array<uint32_t, 3> groups = {1, 1, 1};
    for (uint32_t i = 0; i < command.exprs.count; ++i) groups[i] = frame.value(command, i);
    if (std::ranges::find(groups, 0u) != groups.end()) return {};
    for (uint32_t axis = 0; axis < 3; ++axis) {
      if (groups[axis] <= spec::kMaxGroupsPerAxis) continue;
      return std::unexpected(make_diag(
          DiagCode::X005, command.span, fmt::format("{} workgroups on axis {}", groups[axis], "xyz"[axis]),
          fmt::format("an axis has at most {}: use a second axis, or more work in each",
                      spec::kMaxGroupsPerAxis)));
    }
    const ir::Range range = add(buffers);
    PlanStep& out = add(PlanStep::Kind::Dispatch, frame, at);
    out.program = frame.checked.target[at];
    out.groups = {groups[0], groups[1], groups[2]};
    out.buffers = range;
    return {};
  }

  Result<void> run_other(Frame& frame, uint32_t at) {
    std::vector<PlanBuffer> buffers;
    std::vector<std::span<const std::byte>> uniform;
    std::vector<std::vector<uint32_t>> lists;  // outlive the frame that reads them
    lists.reserve(frame.checked.of(at).size());
    for (const check::BoundArgument& given : frame.checked.of(at)) {
      if (given.list) {
        std::vector<uint32_t>& list = lists.emplace_back();
        const auto& ids = frame.checked.pipeline->code.expr_list;
        for (uint32_t i = 0; i < given.words.count; ++i)
          list.push_back(frame.value(ids[given.words.first + i]));
        buffers.push_back({PlanBuffer::Kind::Words, 0, 0, uint64_t{list.size()} * 4});
        uniform.push_back(std::as_bytes(std::span(list)));
      } else {
        buffers.push_back(frame.buffers[check::index(given.buffer)]);
        uniform.push_back(frame.uniform[check::index(given.buffer)]);
      }
    }
    return enter(frame.checked.target[at], std::move(buffers), std::move(uniform));
  }

  Result<void> repeat(Frame& frame, uint32_t at) {
    const Command& command = frame.command(at);
    const uint32_t turns = frame.value(command, 0);
    // The index is evaluated after each turn, and is the same after each.
    const uint32_t word = frame.value(command, 1);
    if (turns == 0) return {};
    const size_t place = segment_.steps.size();
    const ir::Range looked_at = add({{use(frame, BufferId{frame.checked.target[at]})}});
    PlanStep& head = add(PlanStep::Kind::Repeat, frame, at);
    head.buffers = looked_at;
    head.turns = turns;
    head.word = word;
    head.statements = 1;
    repeats_.push_back(place);
    VYRE_CHECK(walk(frame, at + 1, command.end));
    repeats_.pop_back();
    segment_.steps[place].count = uint32_t(segment_.steps.size() - place - 1);
    return {};
  }

  Result<void> flush() {
    if (segment_.steps.empty()) return {};
    segment_.chunks = scratch_.chunks();
    segment_.arrays = scratch_.arrays();
    segment_.scratch_bytes = scratch_.most_bytes();
    VYRE_CHECK(runner_.run(segment_, statements_));
    segment_.steps.clear();
    segment_.buffers.clear();
    segment_.words.clear();
    return {};
  }

  const check::CheckedModule& module_;
  std::span<const PlanParameter> parameters_;
  const PlanOptions& options_;
  PlanRunner& runner_;
  std::vector<std::unique_ptr<ReadyProgram>> ready_;  // by pipeline
  Scratch scratch_;
  Statements statements_{kMaxStatements};
  Segment segment_;
  std::vector<size_t> repeats_;  // the steps of those whose body is being walked
};

}  // namespace

Diag out_of_statements(Span span) {
  return make_diag(DiagCode::B005, span,
                   fmt::format("the run executes more than {} statements of pipelines", kMaxStatements),
                   "move loops into programs, or give each dispatch more to do");
}

Result<void> run_plan(const check::CheckedModule& module, uint32_t pipeline,
                      std::span<const PlanParameter> parameters, const PlanOptions& options,
                      PlanRunner& runner) {
  return Walk(module, parameters, options, runner).run(pipeline);
}

}  // namespace vyre::ref
