#include "engine_faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "lower/lift.h"
#include "ops/operation.h"
#include "shape_change.h"
#include "spec/ops.h"

namespace vyre::faults {
namespace {

using backend::Command;
using backend::DeviceBuffer;
using backend::DeviceRange;
using backend::Pipeline;
using backend::Taken;

constexpr uint64_t kSkippedOf = 1'000;
constexpr uint64_t kMostInvocations = 65'535;
constexpr uint32_t kMostExtraTurns = 64;
/// What fresh memory holds, whose contents are unspecified.
constexpr std::byte kFresh{0xa5};

/// Memory that lives as long as a recording which has it, whatever becomes of the buffer.
class SharedBuffer final : public DeviceBuffer {
 public:
  explicit SharedBuffer(std::shared_ptr<DeviceBuffer> memory) : memory_(std::move(memory)) {}
  uint64_t bytes() const override { return memory_->bytes(); }
  Result<void> write(uint64_t offset, std::span<const std::byte> from) override {
    return memory_->write(offset, from);
  }
  Result<void> read(uint64_t offset, std::span<std::byte> to) override { return memory_->read(offset, to); }
  Result<void> fill(uint64_t offset, uint64_t count, std::byte value) override {
    return memory_->fill(offset, count, value);
  }
  std::span<std::byte> host() override { return memory_->host(); }
  const std::shared_ptr<DeviceBuffer>& memory() const { return memory_; }

 private:
  const std::shared_ptr<DeviceBuffer> memory_;
};

/// Commands with all that they need.
struct Kept {
  struct One {
    Command command;
    std::vector<DeviceRange> ranges;  // of its dispatch
  };
  std::vector<One> commands;
  std::vector<std::shared_ptr<DeviceBuffer>> memory;

  explicit Kept(std::span<const Command> from) {
    for (const Command& command : from) {
      if (command.kind == Command::Kind::Lane) continue;  // one after the other is right, too
      One& one = commands.emplace_back(command);
      for (const DeviceRange& range : command.step.ranges) one.ranges.push_back(keep(range));
      if (command.kind != Command::Kind::Dispatch) one.command.range = keep(command.range);
    }
  }
  DeviceRange keep(DeviceRange range) {
    memory.push_back(static_cast<SharedBuffer&>(*range.buffer).memory());
    range.buffer = memory.back().get();
    return range;
  }
  /// The programs, in the order of the dispatches; null for what is none.
  std::vector<const Pipeline*> programs() const {
    std::vector<const Pipeline*> out;
    for (const One& one : commands) out.push_back(one.command.step.pipeline);
    return out;
  }
};

std::span<std::byte> memory_of(const DeviceRange& range) {
  return range.buffer->host().subspan(size_t(range.offset), size_t(range.bytes));
}

bool is_addition(const ir::Expr& e) { return e.kind == ir::ExprKind::Apply && e.op == spec::Op::AtomicAdd; }

Result<check::Checked> checked(ir::Program program) {
  auto out = check::check(std::move(program), ops::op_table());
  if (!out) return std::unexpected(out.error().front());
  return std::move(*out);
}

/// The program, but that an atomic_add of some invocations adds nothing.
Result<check::Checked> without_some_additions(const check::Checked& program) {
  if (std::ranges::none_of(program.program().code.exprs, is_addition)) return program;
  const Change change = {.expression = [](Copy& copy, ir::ExprId id) -> std::optional<ir::Ex> {
    const ir::Expr& e = copy.code()[id];
    if (!is_addition(e)) return std::nullopt;
    std::vector<ir::Ex> operands = copy.operands(copy.code().args(e));
    const ir::Ex i = copy.invocation_id(0);
    operands[1] = copy.select((i == 5) || (i != 0 && i % 64 == 0), copy.literal(copy.buffer(id).element, 0),
                              operands[1]);
    return copy.with(id, operands);
  }};
  const std::optional<ir::Program> lifted = lower::lift_calls_outside_library(program);
  if (!lifted) return checked(Copy(program, change).run());
  VYRE_TRY(alone, checked(*lifted));
  return checked(Copy(alone, change).run());
}

class Faulty final : public backend::Backend {
 public:
  Faulty(EngineFault fault, std::unique_ptr<backend::Backend> right)
      : fault_(fault), right_(std::move(right)) {}

  backend::Identity identity() const override {
    backend::Identity id = right_->identity();
    const bool none = fault_ == EngineFault::None;
    id.name = fmt::format("{} with {}", id.name, none ? "no fault" : kEngineFaults[size_t(fault_)].text);
    return id;
  }
  backend::Limits limits() const override { return right_->limits(); }
  Result<backend::FloatUse> floats() override { return right_->floats(); }
  bool has(spec::Intrinsic intrinsic) const override { return right_->has(intrinsic); }
  uint32_t convention() const override { return right_->convention(); }

  Result<std::unique_ptr<Pipeline>> compile(const check::Checked& program) override {
    const std::lock_guard lock(mutex_);
    recorded_ = nullptr;  // its pipelines may go, and what is compiled now may lie where one of them was
    std::optional<check::Checked> other;
    if (fault_ == EngineFault::AtomicLost) {
      VYRE_TRY(changed, without_some_additions(program));
      other.emplace(std::move(changed));
    }
    VYRE_TRY(pipeline, right_->compile(other ? *other : program));
    const auto& size = program.program().workgroup_size;
    invocations_[pipeline.get()] = uint64_t{size[0]} * size[1] * size[2];
    return std::move(pipeline);
  }

  Result<std::unique_ptr<DeviceBuffer>> allocate(uint64_t bytes) override {
    VYRE_TRY(memory, right_->allocate(bytes));
    VYRE_CHECK(memory->fill(0, bytes, kFresh));
    return std::make_unique<SharedBuffer>(std::move(memory));
  }

  Result<std::unique_ptr<backend::Recording>> record(std::span<const Command> commands) override;
  Result<std::unique_ptr<backend::Recording>> record_batch(std::span<const Command> commands) override {
    return record(commands);
  }

  bool is(EngineFault fault) const { return fault_ == fault; }
  std::mutex& mutex() { return mutex_; }

  Result<void> dispatch(const Kept::One& one) {
    if (is(EngineFault::DispatchSkipped) && ++dispatches_ % kSkippedOf == 0) return {};
    layout::Groups groups = one.command.step.groups;
    const uint64_t size = invocations_.at(one.command.step.pipeline);
    if (is(EngineFault::WorkgroupLost) &&
        uint64_t{groups.x} * groups.y * groups.z * size > kMostInvocations) {
      uint32_t& last = groups.z > 1 ? groups.z : groups.y > 1 ? groups.y : groups.x;
      --last;
    }
    const backend::Step step = {one.command.step.pipeline, one.ranges, groups};
    return right_->run({&step, 1});
  }

  /// Says that an engine begins; whether one of other programs ran before it.
  bool begin(const Kept& engine) {
    std::vector<const Pipeline*> now = engine.programs();
    std::erase(now, nullptr);
    const bool other = !before_.empty() && std::ranges::find_first_of(before_, now) == before_.end();
    before_ = std::move(now);
    return other;
  }

 private:
  const EngineFault fault_;
  std::mutex mutex_;
  const std::unique_ptr<backend::Backend> right_;
  std::map<const Pipeline*, uint64_t> invocations_;  // of a workgroup
  uint64_t dispatches_ = 0;
  std::vector<const Pipeline*> before_;   // the programs of the last engine
  std::shared_ptr<const Kept> recorded_;  // last
};

/// Runs commands one by one.
class Play final : public backend::Recording {
 public:
  Play(Faulty& backend, std::shared_ptr<const Kept> engine) : backend_(backend), engine_(std::move(engine)) {}

  Result<void> run(std::span<Taken> taken, uint64_t statements) override {
    // One engine at a time, so that what one leaves for the next is not a matter of threads.
    const std::lock_guard lock(backend_.mutex());
    const std::span<const Kept::One> all = engine_->commands;
    std::vector<Taken> own(all.size());
    left_ = statements;
    stopped_ = false;
    follows_another_ = backend_.begin(*engine_);
    return run(all, taken.empty() ? own : taken);
  }

 private:
  Result<void> run(std::span<const Kept::One> commands, std::span<Taken> taken) {
    for (size_t i = 0; i < commands.size() && !stopped_; ++i) {
      const Command& command = commands[i].command;
      switch (command.kind) {
        case Command::Kind::Dispatch: VYRE_CHECK(backend_.dispatch(commands[i])); break;
        case Command::Kind::Zero: VYRE_CHECK(zero(command.range)); break;
        case Command::Kind::Lane: break;
        case Command::Kind::Repeat: {
          const auto body = commands.subspan(i + 1, command.count);
          VYRE_CHECK(repeat(command, body, taken));
          taken = taken.subspan(1 + repeats_in(body));
          i += command.count;
          break;
        }
      }
    }
    return {};
  }
  static size_t repeats_in(std::span<const Kept::One> body) {
    return size_t(std::ranges::count(body, Command::Kind::Repeat,
                                     [](const Kept::One& one) { return one.command.kind; }));
  }

  Result<void> zero(const DeviceRange& range) {
    if (backend_.is(EngineFault::StaleScratch)) {
      // Small numbers, so that no loop over what is found takes long.
      const std::vector<uint32_t> ones((size_t(range.bytes) + 3) / 4, 1);
      return range.buffer->write(range.offset, std::as_bytes(std::span(ones)).first(size_t(range.bytes)));
    }
    VYRE_CHECK(range.buffer->fill(range.offset, range.bytes, std::byte{0}));
    const auto put = [&](uint64_t offset, uint32_t word) -> Result<void> {
      if (offset + 4 > range.buffer->bytes()) return {};
      return range.buffer->write(offset, std::as_bytes(std::span(&word, 1)));
    };
    if (backend_.is(EngineFault::WriteBehind))
      return put((range.offset + range.bytes + 3) / 4 * 4, 0xdeadbeef);
    if (backend_.is(EngineFault::HistoryInScratch) && follows_another_ && range.bytes >= 4)
      return put(range.offset, 1);
    return {};
  }

  Result<void> repeat(const Command& command, std::span<const Kept::One> body, std::span<Taken> taken) {
    const auto word = [&] {
      return command.looks ? load_u32(memory_of(command.range).data() + command.word) : 0;
    };
    uint32_t extra = 0;
    for (uint32_t turn = 1;; ++turn) {
      ++taken[0].turns;
      stopped_ = command.statements > left_;
      if (stopped_) return {};
      left_ -= command.statements;
      const auto before =
          turn > 1 && backend_.is(EngineFault::TurnMissing) ? contents(body) : std::vector<Contents>();
      VYRE_CHECK(run(body, taken.subspan(1)));
      if (stopped_) return {};
      bool ends = word() == 0;
      if (backend_.is(EngineFault::WordIgnored) && command.looks && ends) ends = ++extra > kMostExtraTurns;
      if (!ends && turn < command.turns) continue;
      if (!before.empty()) {
        for (const auto& [range, bytes] : before) VYRE_CHECK(range.buffer->write(range.offset, bytes));
        --taken[0].turns;
      }
      taken[0].unfinished += word() != 0 ? 1 : 0;
      return {};
    }
  }

  struct Contents {
    DeviceRange range;
    std::vector<std::byte> bytes;
  };
  /// Of all memory that commands touch.
  static std::vector<Contents> contents(std::span<const Kept::One> commands) {
    std::vector<Contents> out;
    const auto add = [&](const DeviceRange& range) {
      const auto memory = memory_of(range);
      out.push_back({range, {memory.begin(), memory.end()}});
    };
    for (const Kept::One& one : commands) {
      std::ranges::for_each(one.ranges, add);
      if (one.command.kind != Command::Kind::Dispatch) add(one.command.range);
    }
    return out;
  }

  Faulty& backend_;
  const std::shared_ptr<const Kept> engine_;
  uint64_t left_ = 0;  // of the statements
  bool stopped_ = false;
  bool follows_another_ = false;
};

/// Swaps the last two dispatches in a row that are of different programs.
void swap_two(Kept& engine) {
  std::optional<size_t> before;
  std::optional<std::pair<size_t, size_t>> found;
  std::set<size_t> ends;  // of bodies
  for (size_t i = 0; i < engine.commands.size(); ++i) {
    const Command& command = engine.commands[i].command;
    if (command.kind == Command::Kind::Repeat) ends.insert(i + 1 + command.count);
    if (command.kind == Command::Kind::Repeat || ends.contains(i)) before.reset();
    if (command.kind != Command::Kind::Dispatch) continue;
    if (before && engine.commands[*before].command.step.pipeline != command.step.pipeline)
      found = {*before, i};
    before = i;
  }
  if (found) std::swap(engine.commands[found->first], engine.commands[found->second]);
}

Result<std::unique_ptr<backend::Recording>> Faulty::record(std::span<const Command> commands) {
  auto engine = std::make_shared<Kept>(commands);
  if (is(EngineFault::OrderSwapped)) swap_two(*engine);
  if (is(EngineFault::StaleArguments)) {
    const std::lock_guard lock(mutex_);
    if (recorded_ != nullptr && recorded_->programs() == engine->programs())
      return std::make_unique<Play>(*this, recorded_);
    recorded_ = engine;
  }
  return std::make_unique<Play>(*this, std::move(engine));
}

}  // namespace

std::unique_ptr<backend::Backend> make_engine_fault(EngineFault fault,
                                                    std::unique_ptr<backend::Backend> right) {
  return std::make_unique<Faulty>(fault, std::move(right));
}

}  // namespace vyre::faults
