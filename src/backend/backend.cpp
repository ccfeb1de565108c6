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

}  // namespace

Result<std::unique_ptr<Recording>> record_stepwise(Backend& backend, std::span<const Command> commands,
                                                   AfterCommand after) {
  auto out = std::make_unique<HostRecording>(backend, commands, std::move(after));
  VYRE_CHECK(out->build());
  return out;
}

Result<std::unique_ptr<Recording>> Backend::record(std::span<const Command> commands) {
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

std::vector<Result<std::unique_ptr<Pipeline>>> Backend::compile_batch(
    std::span<const check::Checked* const> programs) {
  std::vector<Result<std::unique_ptr<Pipeline>>> out;
  out.reserve(programs.size());
  for (const check::Checked* program : programs) out.push_back(compile(*program));
  return out;
}

}  // namespace vyre::backend
