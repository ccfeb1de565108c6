#include "backend/backend.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <new>

#include "base/bytes.h"
#include "spec/limits.h"

namespace vyre::backend {
namespace {

/// Inputs, outputs and parameters are any number of read, read_write and uniform buffers, so every program
/// fits V1. V2 wants one buffer more than that.
Result<void> check_lookup(const check::Checked& program, uint32_t binding) {
  const auto& bound = program.bound_buffers();
  const auto found =
      std::ranges::find(bound, binding, [&](check::BufferId id) { return program.buffer(id).binding; });
  if (found == bound.end()) {
    return std::unexpected(
        make_diag(DiagCode::B007, Span::none(),
                  fmt::format("the program has no buffer at binding {}, the lookup table of V2", binding),
                  fmt::format("declare a read buffer @{}, or name the binding that has it", binding)));
  }
  const ir::BufferDecl& decl = program.buffer(*found);
  if (decl.access == spec::BufferAccess::Read) return {};
  return std::unexpected(
      make_diag(DiagCode::B007, decl.span,
                fmt::format("'{}' at binding {}, the lookup table of V2, is {}",
                            program.program().code.name(decl.name), binding, spec::text(decl.access)),
                "a lookup table is a read buffer: declare it read, or name the binding that has one"));
}

Result<void> check_convention(const check::Checked& program, const spec::Convention& convention) {
  if (convention.version == 1 && !convention.lookup_binding) return {};
  if (convention.version == 2 && convention.lookup_binding)
    return check_lookup(program, *convention.lookup_binding);
  return std::unexpected(make_diag(DiagCode::B007, Span::none(),
                                   convention.version == 2
                                       ? "V2 names the binding of its lookup table, and none is named"
                                       : fmt::format("V{} has no lookup table", convention.version),
                                   "follow V1, or V2 with the binding of a read buffer"));
}

}  // namespace

namespace {

class HostBuffer final : public DeviceBuffer {
 public:
  HostBuffer(std::byte* memory, uint64_t bytes) : memory_(memory), bytes_(bytes) {}
  HostBuffer(const HostBuffer&) = delete;
  ~HostBuffer() override { ::operator delete(memory_, std::align_val_t{kRangeAlignment}); }
  uint64_t bytes() const override { return bytes_; }
  std::span<std::byte> host() override { return {memory_, size_t(bytes_)}; }
  Result<void> write(uint64_t offset, std::span<const std::byte> from) override {
    VYRE_CHECK(check_within(bytes_, offset, from.size()));
    std::ranges::copy(from, memory_ + offset);
    return {};
  }
  Result<void> read(uint64_t offset, std::span<std::byte> to) override {
    VYRE_CHECK(check_within(bytes_, offset, to.size()));
    std::copy_n(memory_ + offset, to.size(), to.data());
    return {};
  }
  Result<void> fill(uint64_t offset, uint64_t count, std::byte value) override {
    VYRE_CHECK(check_within(bytes_, offset, count));
    std::fill_n(memory_ + offset, count, value);
    return {};
  }

 private:
  std::byte* const memory_;
  const uint64_t bytes_;
};

}  // namespace

uint64_t DeviceBuffer::next_id() {
  static std::atomic<uint64_t> next = 1;
  return next++;
}

Result<void> check_within(uint64_t size, uint64_t offset, uint64_t bytes) {
  if (offset <= size && bytes <= size - offset) return {};
  return std::unexpected(
      make_diag(DiagCode::B012, Span::none(),
                fmt::format("bytes {} to {} of a device buffer that has {}", offset, offset + bytes, size),
                "keep within the buffer"));
}

Result<std::unique_ptr<DeviceBuffer>> Backend::allocate(uint64_t bytes) {
  void* const memory = bytes > PTRDIFF_MAX ? nullptr
                                           : ::operator new(std::max<size_t>(bytes, kRangeAlignment),
                                                            std::align_val_t{kRangeAlignment}, std::nothrow);
  if (memory != nullptr) return std::make_unique<HostBuffer>(static_cast<std::byte*>(memory), bytes);
  return std::unexpected(
      make_diag(DiagCode::B003, Span::none(),
                fmt::format("a buffer of {} bytes, and the host has no such memory left", bytes),
                "use smaller buffers, or free some"));
}

Result<void> Pipeline::dispatch_resident(std::span<const DeviceRange> ranges, layout::Groups groups) {
  std::vector<std::span<std::byte>> host;
  std::deque<std::vector<std::byte>>
      copies;  // host memory that is bound twice is refused, even if it is only read
  for (const DeviceRange& range : ranges) {
    VYRE_CHECK(check_range(range));
    const std::span<std::byte> memory = range.buffer->host();
    if (memory.size() != range.buffer->bytes()) {
      return std::unexpected(
          make_diag(DiagCode::B012, Span::none(),
                    "a buffer of another backend was bound, or this one cannot bind its own",
                    "bind buffers of the backend that compiled the program"));
    }
    const auto part = memory.subspan(size_t(range.offset), size_t(range.bytes));
    host.push_back(range.shared ? std::span(copies.emplace_back(part.begin(), part.end())) : part);
  }
  return dispatch(host, groups);
}

Result<void> Backend::run(std::span<const Step> steps) {
  for (const Step& step : steps) VYRE_CHECK(step.pipeline->dispatch_resident(step.ranges, step.groups));
  return {};
}

Result<void> check_range(const DeviceRange& range) {
  if (range.offset % kRangeAlignment != 0) {
    return std::unexpected(
        make_diag(DiagCode::B012, Span::none(),
                  fmt::format("a range begins at byte {} of a device buffer", range.offset),
                  fmt::format("begin at a multiple of {}", kRangeAlignment)));
  }
  return check_within(range.buffer->bytes(), range.offset, range.bytes);
}

namespace {

/// Whether a dimension of some tensor is an element of this buffer.
bool names_dimensions(const check::Checked& program, check::BufferId buffer) {
  const ir::Symbol name = program.buffer(buffer).name;
  return std::ranges::any_of(program.program().tensors, [&](const ir::TensorType& tensor) {
    return std::ranges::any_of(tensor.dims,
                               [&](const ir::Dim& dim) { return dim.dynamic() && dim.buffer == name; });
  });
}

/// Commands by the interface's own means.
class HostBatch final : public Recording {
 public:
  HostBatch(Backend& backend, std::span<const Command> commands)
      : backend_(backend), commands_(commands.begin(), commands.end()) {
    for (Command& command : commands_) {
      ranges_.emplace_back(command.step.ranges.begin(), command.step.ranges.end());
      command.step.ranges = ranges_.back();
    }
  }
  Result<void> run(std::span<Taken>, uint64_t) override {
    std::vector<Step> steps;
    const auto submit = [&]() -> Result<void> {
      if (!steps.empty()) VYRE_CHECK(backend_.run(steps));
      steps.clear();
      return {};
    };
    for (const Command& command : commands_) {
      if (command.kind == Command::Kind::Dispatch) {
        steps.push_back(command.step);
        continue;
      }
      VYRE_CHECK(submit());
      VYRE_CHECK(command.range.buffer->fill(command.range.offset, command.range.bytes, std::byte{0}));
    }
    return submit();
  }

 private:
  Backend& backend_;
  std::vector<Command> commands_;
  std::deque<std::vector<DeviceRange>> ranges_;
};

/// Batches, and repeats of them that the host drives.
class HostRecording final : public Recording {
 public:
  /// after: null, or each command is a batch for itself.
  HostRecording(Backend& backend, std::span<const Command> commands, AfterCommand after)
      : backend_(backend), commands_(commands), after_(std::move(after)) {}

  Result<void> build() {
    VYRE_CHECK(build(0, commands_.size(), parts_));
    commands_ = {};
    return {};
  }

  Result<void> run(std::span<Taken> taken, uint64_t statements) override {
    std::vector<Taken> own(taken.empty() ? repeats_ : 0);
    Running running{taken.empty() ? own : taken, statements};
    return run(parts_, running);
  }

 private:
  struct Part {
    std::unique_ptr<Recording> batch;  // null: a repeat of the body
    size_t command = 0;                // the first
    size_t first_repeat = 0;           // its number, or that of the first in the batch
    std::vector<Command> repeats;      // it, or those of the batch
    std::vector<Part> body;
  };
  struct Running {
    std::span<Taken> taken;
    uint64_t left;  // of the statements
    bool stopped = false;
    void spend(uint64_t statements) {
      stopped = statements > left;
      left -= stopped ? left : statements;
    }
  };

  bool is_batched(size_t at) const {
    const auto body = commands_.subspan(at + 1, commands_[at].count);
    return !after_ && backend_.drives_repeats() &&
           std::ranges::find(body, Command::Kind::Repeat, &Command::kind) == body.end();
  }

  Result<void> build(size_t begin, size_t end, std::vector<Part>& parts) {
    Part batch;
    size_t from = begin;
    const auto finish = [&](size_t at) -> Result<void> {
      if (from < at) {
        VYRE_TRY(recording, backend_.record_batch(commands_.subspan(from, at - from)));
        batch.batch = std::move(recording);
        batch.command = from;
        parts.push_back(std::move(batch));
      }
      batch = {};
      from = at;
      return {};
    };
    for (size_t i = begin; i < end;) {
      const Command& command = commands_[i];
      if (command.kind != Command::Kind::Repeat) {
        ++i;
        if (after_) VYRE_CHECK(finish(i));
        continue;
      }
      const size_t behind = i + 1 + command.count;
      const size_t number = repeats_++;
      if (is_batched(i)) {
        if (batch.repeats.empty()) batch.first_repeat = number;
        batch.repeats.push_back(command);
      } else {
        VYRE_CHECK(finish(i));
        Part repeat{.batch = nullptr, .command = i, .first_repeat = number, .repeats = {command}, .body = {}};
        VYRE_CHECK(build(i + 1, behind, repeat.body));
        parts.push_back(std::move(repeat));
        from = behind;
      }
      i = behind;
    }
    return finish(end);
  }

  Result<void> run(const std::vector<Part>& parts, Running& running) {
    for (const Part& part : parts) {
      VYRE_CHECK(part.batch != nullptr ? run_batch(part, running) : run_repeat(part, running));
      if (running.stopped) return {};
    }
    return {};
  }

  Result<void> run_batch(const Part& part, Running& running) {
    std::vector<Taken> taken(part.repeats.size());
    const auto begin = std::chrono::steady_clock::now();
    VYRE_CHECK(part.batch->run(taken, running.left));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    if (after_) VYRE_CHECK(after_(part.command, seconds.count()));
    for (size_t i = 0; i < taken.size() && !running.stopped; ++i) {
      Taken& all = running.taken[part.first_repeat + i];
      all.turns += taken[i].turns;
      all.unfinished += taken[i].unfinished;
      running.spend(taken[i].turns * part.repeats[i].statements);
    }
    return {};
  }

  Result<void> run_repeat(const Part& part, Running& running) {
    const Command& repeat = part.repeats.front();
    Taken& taken = running.taken[part.first_repeat];
    for (uint32_t turn = 0; turn < repeat.turns; ++turn) {
      ++taken.turns;
      running.spend(repeat.statements);
      if (running.stopped) return {};
      VYRE_CHECK(run(part.body, running));
      if (running.stopped || !repeat.looks) return {};
      std::array<std::byte, 4> word{};
      VYRE_CHECK(repeat.range.buffer->read(repeat.range.offset + repeat.word, word));
      if (load_u32(word.data()) == 0) return {};
    }
    ++taken.unfinished;
    return {};
  }

  Backend& backend_;
  std::span<const Command> commands_;  // while it is built
  const AfterCommand after_;
  std::vector<Part> parts_;
  size_t repeats_ = 0;
};

/// Engines side by side: in each round every lane goes as far as the host need not look at a word, all that
/// they have to do until then is one batch, and the words are looked at together.
class LaneRecording final : public Recording {
 public:
  LaneRecording(Backend& backend, std::span<const Command> commands)
      : backend_(backend), commands_(commands.begin(), commands.end()) {
    for (Command& command : commands_) {
      ranges_.emplace_back(command.step.ranges.begin(), command.step.ranges.end());
      command.step.ranges = ranges_.back();
      numbers_.push_back(repeats_);
      repeats_ += command.kind == Command::Kind::Repeat ? 1 : 0;
    }
  }

  Result<void> run(std::span<Taken> taken, uint64_t statements) override {
    own_.assign(taken.empty() ? repeats_ : 0, {});
    taken_ = taken.empty() ? std::span<Taken>(own_) : taken;
    std::vector<Lane> lanes;
    for (size_t i = 0; i < commands_.size(); i += 1 + commands_[i].count)
      lanes.push_back({{{i + 1, i + 1, i + 1 + commands_[i].count}}, statements});
    for (bool done = false; !done;) {
      batch_.clear();
      in_batch_.clear();
      std::vector<Backend::Look> looks;
      std::vector<Lane*> looking;
      std::vector<std::vector<size_t>> parts(lanes.size());
      for (size_t k = 0; k < lanes.size(); ++k) {
        if (!advance(lanes[k], parts[k])) continue;
        const Command& repeat = commands_[lanes[k].frames.back().repeat];
        looks.push_back({repeat.range.buffer, repeat.range.offset + repeat.word});
        looking.push_back(&lanes[k]);
      }
      interleave(lanes, parts);
      std::vector<Taken> in_batch(in_batch_.size());
      if (!batch_.empty() || !looks.empty()) VYRE_CHECK(backend_.run_and_look(batch_, in_batch, looks));
      for (size_t i = 0; i < in_batch.size(); ++i) {
        const auto [lane, command] = in_batch_[i];
        Taken& all = taken_[numbers_[command]];
        all.turns += in_batch[i].turns;
        all.unfinished += in_batch[i].unfinished;
        spend(*lane, in_batch[i].turns * commands_[command].statements);
      }
      for (size_t i = 0; i < looks.size(); ++i) end_turn(*looking[i], looks[i].word);
      done = looks.empty();
    }
    return {};
  }

 private:
  /// A body under way, or the whole lane.
  struct Frame {
    size_t begin = 0, at = 0, end = 0;
    size_t repeat = SIZE_MAX;  // the command
    uint32_t turns = 0;
  };
  struct Lane {
    std::vector<Frame> frames;  // none: it is done, or has no statements left
    uint64_t left = 0;
  };

  static void spend(Lane& lane, uint64_t statements) {
    if (statements > lane.left) lane.frames.clear();
    lane.left -= std::min(lane.left, statements);
  }
  void begin_turn(Lane& lane) {
    Frame& frame = lane.frames.back();
    frame.at = frame.begin;
    ++frame.turns;
    ++taken_[numbers_[frame.repeat]].turns;
    spend(lane, commands_[frame.repeat].statements);
  }
  void end_turn(Lane& lane, uint32_t word) {
    if (lane.frames.empty()) return;
    const Frame& frame = lane.frames.back();
    if (word != 0 && frame.turns < commands_[frame.repeat].turns) return begin_turn(lane);
    if (word != 0) ++taken_[numbers_[frame.repeat]].unfinished;
    lane.frames.pop_back();
  }
  bool is_batched(size_t at) const {
    const auto body = std::span(commands_).subspan(at + 1, commands_[at].count);
    return backend_.drives_repeats() &&
           std::ranges::find(body, Command::Kind::Repeat, &Command::kind) == body.end();
  }
  /// Into the batch, one command of each lane in turn: a device may run neighbours at one time.
  void interleave(std::vector<Lane>& lanes, std::span<const std::vector<size_t>> parts) {
    bool more = true;
    for (size_t i = 0; more; ++i) {
      more = false;
      for (size_t k = 0; k < lanes.size(); ++k) {
        if (i >= parts[k].size()) continue;
        more = true;
        const size_t at = parts[k][i];
        const bool repeats = commands_[at].kind == Command::Kind::Repeat;
        if (repeats) in_batch_.emplace_back(&lanes[k], at);
        const auto begin = commands_.begin() + ptrdiff_t(at);
        batch_.insert(batch_.end(), begin, begin + 1 + (repeats ? ptrdiff_t(commands_[at].count) : 0));
      }
    }
  }
  /// The commands that the lane does until it is done or a word decides. True: a word decides.
  bool advance(Lane& lane, std::vector<size_t>& part) {
    while (!lane.frames.empty()) {
      Frame& frame = lane.frames.back();
      if (frame.at == frame.end) {
        if (frame.repeat != SIZE_MAX && commands_[frame.repeat].looks) return true;
        lane.frames.pop_back();
        continue;
      }
      const size_t at = frame.at;
      const Command& command = commands_[at];
      const size_t behind = at + 1 + (command.kind == Command::Kind::Repeat ? command.count : 0);
      frame.at = behind;
      if (command.kind == Command::Kind::Repeat && !is_batched(at)) {
        if (command.turns == 0) continue;
        lane.frames.push_back({at + 1, at + 1, behind, at});
        begin_turn(lane);
        continue;
      }
      part.push_back(at);
    }
    return false;
  }

  Backend& backend_;
  std::vector<Command> commands_;
  std::deque<std::vector<DeviceRange>> ranges_;
  std::vector<size_t> numbers_;  // by command: of how many repeats before it
  size_t repeats_ = 0;
  std::vector<Taken> own_;
  std::span<Taken> taken_;
  std::vector<Command> batch_;
  std::vector<std::pair<Lane*, size_t>> in_batch_;  // repeats of it, and the command of each
};

}  // namespace

Result<void> Backend::run_and_look(std::span<const Command> commands, std::span<Taken> taken,
                                   std::span<Look> looks) {
  if (!commands.empty()) {
    VYRE_TRY(recording, record_batch(commands));
    VYRE_CHECK(recording->run(taken, UINT64_MAX));
  }
  for (Look& look : looks) {
    std::array<std::byte, 4> word{};
    VYRE_CHECK(look.buffer->read(look.offset, word));
    look.word = load_u32(word.data());
  }
  return {};
}

Result<std::unique_ptr<Recording>> record_stepwise(Backend& backend, std::span<const Command> commands,
                                                   AfterCommand after) {
  auto out = std::make_unique<HostRecording>(backend, commands, std::move(after));
  VYRE_CHECK(out->build());
  return out;
}

Result<std::unique_ptr<Recording>> Backend::record(std::span<const Command> commands) {
  if (!commands.empty() && commands.front().kind == Command::Kind::Lane)
    return std::make_unique<LaneRecording>(*this, commands);
  return record_stepwise(*this, commands, nullptr);
}

Result<void> Backend::dispatch_engine(std::span<const Command> commands, std::span<Taken> taken,
                                      uint64_t statements) {
  VYRE_TRY(recording, record(commands));
  return recording->run(taken, statements);
}

Result<std::unique_ptr<Recording>> Backend::record_batch(std::span<const Command> commands) {
  return std::make_unique<HostBatch>(*this, commands);
}

Result<std::vector<layout::Extent>> extents_of(const check::Checked& program,
                                               std::span<const DeviceRange> ranges,
                                               std::vector<std::vector<std::byte>>& contents) {
  std::vector<layout::Extent> extents;
  contents.resize(ranges.size());
  const auto& bound = program.bound_buffers();
  for (size_t i = 0; i < ranges.size(); ++i) {
    const DeviceRange& range = ranges[i];
    VYRE_CHECK(check_range(range));
    // A uniform buffer that is too large is refused by layout::bind; it need not be read for that.
    const bool wanted =
        i < bound.size() && range.bytes <= spec::kMaxUniformBytes && names_dimensions(program, bound[i]);
    if (wanted) {
      contents[i].resize(size_t(range.bytes));
      VYRE_CHECK(range.buffer->read(range.offset, contents[i]));
    }
    extents.push_back({range.buffer, range.offset, range.bytes, contents[i], range.shared});
  }
  return extents;
}

std::string FloatUse::line() const {
  std::string out = form;
  const auto add = [&](std::string_view separator, std::string_view name,
                       const std::vector<std::string>& operators) {
    if (!operators.empty()) out += fmt::format("{}{} {}", separator, name, fmt::join(operators, " "));
  };
  add(": ", "native", native);
  add(native.empty() ? ": " : "; ", "composed", composed);
  return out;
}

bool Backend::has(spec::Intrinsic) const { return false; }

Result<void> check_intrinsics(const Backend& backend, const check::Checked& program) {
  for (const auto& [intrinsic, span] : program.intrinsics()) {
    if (backend.has(intrinsic)) continue;
    const spec::IntrinsicInfo& info = spec::info(intrinsic);
    return std::unexpected(make_diag(
        DiagCode::B002, span,
        fmt::format("the {} backend has no {}@{}", backend.identity().name, info.id, info.version),
        fmt::format(
            "there is no software fallback: choose a backend that has it (`vyre ops {}` tells which), or "
            "do without it",
            info.id)));
  }
  return {};
}

Result<void> negotiate(const Backend& backend, const check::Checked& program,
                       const spec::Convention& convention) {
  const uint32_t newest = std::min(backend.convention(), spec::kLatestConvention);
  if (convention.version < 1 || convention.version > newest) {
    return std::unexpected(
        make_diag(DiagCode::B006, Span::none(),
                  fmt::format("the host follows V{}, and the {} backend knows V1 to V{}", convention.version,
                              backend.identity().name, newest),
                  fmt::format("follow V{} or an older one, or use a newer backend", newest)));
  }
  return check_convention(program, convention);
}

Result<std::unique_ptr<Pipeline>> make_pipeline(Backend& backend, const check::Checked& program,
                                                const spec::Convention& convention) {
  VYRE_CHECK(negotiate(backend, program, convention));
  return backend.compile(program);
}

void Backend::side_by_side(size_t count, const std::function<void(size_t)>& work) {
  for (size_t i = 0; i < count; ++i) work(i);
}

std::vector<Result<std::unique_ptr<Pipeline>>> Backend::compile_batch(
    std::span<const check::Checked* const> programs) {
  std::vector<Result<std::unique_ptr<Pipeline>>> out;
  out.reserve(programs.size());
  for (const check::Checked* program : programs) out.push_back(compile(*program));
  return out;
}

}  // namespace vyre::backend
