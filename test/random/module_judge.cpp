#include "module_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>

#include "base/bytes.h"
#include "host/run.h"
#include "plan/pipeline.h"
#include "ref/eval.h"
#include "ref/plan.h"
#include "ref/ref.h"
#include "ref/rows.h"
#include "spec/ops.h"
#include "text/text.h"
#include "wire/wire.h"

namespace vyre::test {
namespace {

using ir::Command;
using ir::CommandKind;

/// Of the reference, for one dispatch and for a call of a host expression.
constexpr uint64_t kMaxSteps = 1'000'000;

/// A buffer as a dispatch got it.
struct BoundBuffer {
  enum class Kind : uint8_t { Parameter, Scratch, Words };
  Kind kind{};
  uint64_t number = 0;  // of a parameter of the entry; of scratch what the evaluator calls it
  uint64_t bytes = 0;
  std::vector<uint32_t> words;  // of Words
};
struct Dispatched {
  uint32_t program = 0;
  layout::Groups groups;
  std::vector<BoundBuffer> bound;
};
using Log = std::vector<Dispatched>;

/// A dispatch on the definition. Buffers that are only read may be one, so each is bound as a copy.
Result<void> dispatch(const check::Checked& program, std::span<const std::span<std::byte>> buffers,
                      layout::Groups groups) {
  std::deque<Bytes> copies;
  std::vector<std::span<std::byte>> bound;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const bool written = program.buffer(program.bound_buffers()[i]).access == spec::BufferAccess::ReadWrite;
    bound.push_back(written ? buffers[i]
                            : std::span(copies.emplace_back(buffers[i].begin(), buffers[i].end())));
  }
  return ref::run(program, bound, groups, {.max_steps = kMaxSteps});
}

// The interpreter.

/// Memory with a name of its own, which is passed to the dispatches that use it.
struct Memory {
  BoundBuffer::Kind kind{};
  uint64_t number = 0;
  Bytes* bytes = nullptr;
};

class Interpreter {
 public:
  Interpreter(const check::CheckedModule& checked, std::vector<Bytes>& buffers, Log& log)
      : checked_(checked), module_(checked.module()), buffers_(buffers), log_(log) {}

  Result<void> run(std::string_view entry) {
    std::vector<Memory> given;
    for (size_t i = 0; i < buffers_.size(); ++i)
      given.push_back({BoundBuffer::Kind::Parameter, i, &buffers_[i]});
    return run(entry, given);
  }

 private:
  struct Frame {
    const ir::Pipeline& pipeline;
    std::map<std::string_view, Memory> buffers;
    std::map<std::string_view, uint32_t> names;

    std::string_view name(ir::Symbol symbol) const { return pipeline.code.name(symbol); }
    const ir::BufferDecl* parameter(std::string_view name_of) const {
      for (const ir::BufferDecl& decl : pipeline.buffers) {
        if (name(decl.name) == name_of) return &decl;
      }
      return nullptr;
    }
    uint64_t length(std::string_view buffer) const {
      const ir::BufferDecl* decl = parameter(buffer);
      spec::DataType type = decl != nullptr ? pipeline.element(*decl) : spec::DataType::Bytes;
      for (const Command& command : pipeline.commands) {
        if (command.kind == CommandKind::Scratch && name(command.symbol) == buffer) type = command.type;
      }
      return buffers.at(buffer).bytes->size() / (type == spec::DataType::Bytes ? 4 : spec::info(type).bytes);
    }
  };

  Result<void> run(std::string_view name, std::span<const Memory> given) {
    for (const ir::Pipeline& pipeline : module_.pipelines) {
      if (pipeline.name != name) continue;
      Frame frame = {pipeline, {}, {}};
      for (size_t i = 0; i < given.size(); ++i)
        frame.buffers[frame.name(pipeline.buffers[i].name)] = given[i];
      return walk(frame, 0, pipeline.commands.size());
    }
    return {};
  }

  Result<void> walk(Frame& f, size_t begin, size_t end) {
    for (size_t at = begin; at < end; at = f.pipeline.commands[at].end) VYRE_CHECK(step(f, at));
    return {};
  }

  Result<void> step(Frame& f, size_t at) {
    const Command& c = f.pipeline.commands[at];
    std::vector<uint32_t> values;
    if (c.kind != CommandKind::Dispatch) {
      for (const ir::ExprId root : f.pipeline.exprs(c.exprs)) values.push_back(eval(f, root));
    }
    switch (c.kind) {
      case CommandKind::Scratch: {
        Bytes& zeros = memory_.emplace_back(
            values[0] * size_t{c.type == spec::DataType::Bytes ? 4 : spec::info(c.type).bytes});
        f.buffers[f.name(c.symbol)] = {BoundBuffer::Kind::Scratch, memory_.size(), &zeros};
        return {};
      }
      case CommandKind::Let: f.names[f.name(c.symbol)] = values[0]; return {};
      case CommandKind::Loop:
        for (uint64_t i = values[0]; i < values[1]; ++i) {
          f.names[f.name(c.symbol)] = uint32_t(i);
          VYRE_CHECK(walk(f, at + 1, c.end));
        }
        return {};
      case CommandKind::Repeat:
        for (uint64_t turn = 0; turn < values[0]; ++turn) {
          VYRE_CHECK(walk(f, at + 1, c.end));
          const Bytes& looked_at = *f.buffers.at(f.name(c.symbol)).bytes;
          if (uint64_t{values[1]} * 4 + 4 > looked_at.size()) return {};
          if (load_u32(looked_at.data() + uint64_t{values[1]} * 4) == 0) return {};
        }
        return {};
      case CommandKind::If: return values[0] != 0 ? walk(f, at + 1, c.orelse) : walk(f, c.orelse, c.end);
      case CommandKind::Run: {
        for (const ir::Pipeline& callee : module_.pipelines) {
          if (callee.name == f.name(c.symbol))
            return run(callee.name, arguments(f, c, callee.buffers, callee.code));
        }
        return {};
      }
      case CommandKind::Dispatch: break;
    }
    return run_program(f, c);
  }

  Result<void> run_program(Frame& f, const Command& c) {
    uint32_t number = 0;
    while (module_.programs[number].name != f.name(c.symbol)) ++number;
    const ir::Program& program = module_.programs[number];
    std::vector<ir::BufferDecl> bound = program.buffers;
    std::erase_if(bound, [](const auto& decl) { return !spec::is_bound(decl.access); });
    const std::vector<Memory> given = arguments(f, c, bound, program.code);
    uint32_t groups[3] = {1, 1, 1};
    for (uint32_t i = 0; i < c.exprs.count; ++i) groups[i] = eval(f, f.pipeline.exprs(c.exprs)[i]);
    if (groups[0] == 0 || groups[1] == 0 || groups[2] == 0) return {};
    Dispatched& out = log_.emplace_back(Dispatched{number, {groups[0], groups[1], groups[2]}, {}});
    std::vector<std::span<std::byte>> spans;
    for (const Memory& memory : given) {
      spans.emplace_back(*memory.bytes);
      BoundBuffer& got =
          out.bound.emplace_back(BoundBuffer{memory.kind, memory.number, memory.bytes->size(), {}});
      if (memory.kind != BoundBuffer::Kind::Words) continue;
      got.number = 0;
      for (size_t i = 0; i < memory.bytes->size(); i += 4)
        got.words.push_back(load_u32(memory.bytes->data() + i));
    }
    return dispatch(*checked_.programs()[number], spans, out.groups);
  }

  /// What each parameter gets, in the order of `wanted`.
  std::vector<Memory> arguments(Frame& f, const Command& c, std::span<const ir::BufferDecl> wanted,
                                const ir::Code& callee) {
    std::vector<Memory> out;
    for (const ir::BufferDecl& decl : wanted) {
      for (const ir::Argument& argument : f.pipeline.of(c.arguments)) {
        if (f.name(argument.parameter) != callee.name(decl.name)) continue;
        if (argument.buffer != ir::kNoSymbol) {
          out.push_back(f.buffers.at(f.name(argument.buffer)));
          continue;
        }
        Bytes& words = memory_.emplace_back(argument.words.count * size_t{4});
        for (uint32_t i = 0; i < argument.words.count; ++i)
          store_u32(words.data() + i * size_t{4},
                    eval(f, f.pipeline.code.expr_list[argument.words.first + i]));
        out.push_back({BoundBuffer::Kind::Words, 0, &words});
      }
    }
    return out;
  }

  uint32_t eval(const Frame& f, ir::ExprId id) {
    const ir::Expr& e = f.pipeline.code[id];
    switch (e.kind) {
      case ir::ExprKind::Literal: return e.immediate;
      case ir::ExprKind::Var: return f.names.at(f.name(e.symbol));
      case ir::ExprKind::BufLen: return uint32_t(f.length(f.name(e.symbol)));
      case ir::ExprKind::Load: {
        const uint64_t at = uint64_t{eval(f, f.pipeline.code.arg(e, 0))} * 4;
        const Bytes& bytes = *f.buffers.at(f.name(e.symbol)).bytes;
        return at + 4 <= bytes.size() ? load_u32(bytes.data() + at) : 0;
      }
      case ir::ExprKind::InvocationId:
      case ir::ExprKind::WorkgroupId:
      case ir::ExprKind::LocalId:
      case ir::ExprKind::NumWorkgroups: return 0;  // never in a host expression
      case ir::ExprKind::Apply: break;
    }
    std::vector<ref::Bits> operands;
    for (const ir::ExprId arg : f.pipeline.code.args(e)) operands.push_back(eval(f, arg));
    if (e.op != spec::Op::Call) return uint32_t(ref::eval(e.op, spec::DataType::U32, operands));
    const std::string_view callee = f.name(e.symbol);
    if (callee == "ceil_div") {
      const uint64_t a = uint64_t(operands[0]), b = uint64_t(operands[1]);
      return b == 0 ? 0 : uint32_t((a + b - 1) / b);
    }
    const spec::OpDef* def = checked_.ops().find(callee, e.immediate);
    auto [applied, fresh] = applied_.try_emplace(def, nullptr);
    if (fresh) applied->second = std::make_unique<ref::Applied>(checked_, *def);
    return uint32_t((*applied->second)(operands, kMaxSteps).value_or(0));
  }

  const check::CheckedModule& checked_;
  const ir::Module& module_;
  std::vector<Bytes>& buffers_;
  Log& log_;
  std::deque<Bytes> memory_;  // of scratch and lists
  std::map<const spec::OpDef*, std::unique_ptr<ref::Applied>> applied_;
};

// The plan, over memory of the host.

class PlanOnHost final : public ref::PlanRunner {
 public:
  PlanOnHost(const check::CheckedModule& module, std::vector<Bytes>& buffers, Planted planted, Log& log)
      : module_(module), buffers_(buffers), planted_(planted), log_(log) {}

  Result<void> run(const ref::Segment& segment, ref::Statements& statements) override {
    if (chunks_.size() < segment.chunks.size()) chunks_.resize(segment.chunks.size());
    for (size_t i = 0; i < segment.chunks.size(); ++i) {
      // Not zeros, so that scratch that nothing fills shows.
      if (chunks_[i].size() < segment.chunks[i]) chunks_[i].assign(segment.chunks[i], std::byte{0xa5});
    }
    return steps(segment, 0, segment.steps.size(), statements);
  }

 private:
  Result<void> steps(const ref::Segment& segment, size_t begin, size_t end, ref::Statements& statements) {
    for (size_t at = begin; at < end; ++at) {
      const ref::PlanStep& step = segment.steps[at];
      switch (step.kind) {
        case ref::PlanStep::Kind::Dispatch: VYRE_CHECK(dispatched(segment, step)); break;
        case ref::PlanStep::Kind::Zero: {
          const ref::PlanBuffer& buffer = segment.of(step)[0];
          if (planted_ == Planted::SecondZeroSkipped && ++zeros_[buffer.number] == 2) break;
          std::ranges::fill(memory(segment, buffer), std::byte{0});
          break;
        }
        case ref::PlanStep::Kind::Repeat: {
          for (uint32_t turn = 0; turn < step.turns; ++turn) {
            if (!statements.spend(step.statements))
              return std::unexpected(ref::out_of_statements(Span::none()));
            VYRE_CHECK(steps(segment, at + 1, at + 1 + step.count, statements));
            const auto bytes = memory(segment, segment.of(step)[0]);
            if ((uint64_t{step.word} + 1) * 4 > bytes.size() ||
                load_u32(bytes.data() + step.word * size_t{4}) == 0)
              break;
          }
          at += step.count;
          break;
        }
      }
    }
    return {};
  }

  std::span<std::byte> memory(const ref::Segment& segment, const ref::PlanBuffer& buffer) {
    switch (buffer.kind) {
      case ref::PlanBuffer::Kind::Parameter: return buffers_[buffer.number];
      case ref::PlanBuffer::Kind::Scratch:
        return std::span(chunks_[buffer.number]).subspan(buffer.offset, buffer.bytes);
      case ref::PlanBuffer::Kind::Words: break;
    }
    Bytes& out = words_.emplace_back(buffer.bytes);
    std::memcpy(out.data(), segment.words.data() + buffer.offset, buffer.bytes);
    return out;
  }

  Result<void> dispatched(const ref::Segment& segment, const ref::PlanStep& step) {
    if (planted_ == Planted::SeventhDispatchDropped && ++dispatches_ % 7 == 0) return {};
    Dispatched& out = log_.emplace_back(Dispatched{step.program, step.groups, {}});
    std::vector<std::span<std::byte>> spans;
    for (const ref::PlanBuffer& buffer : segment.of(step)) {
      spans.push_back(memory(segment, buffer));
      BoundBuffer& got = out.bound.emplace_back();
      got.bytes = buffer.bytes;
      switch (buffer.kind) {
        case ref::PlanBuffer::Kind::Parameter: got.number = buffer.number; break;
        case ref::PlanBuffer::Kind::Scratch:
          got.kind = BoundBuffer::Kind::Scratch;
          got.number = uint64_t{buffer.number} << 40 | buffer.offset;
          break;
        case ref::PlanBuffer::Kind::Words:
          got.kind = BoundBuffer::Kind::Words;
          got.words.assign(segment.words.begin() + ptrdiff_t(buffer.offset),
                           segment.words.begin() + ptrdiff_t(buffer.offset + buffer.bytes / 4));
          break;
      }
    }
    return dispatch(*module_.programs()[step.program], spans, step.groups);
  }

  const check::CheckedModule& module_;
  std::vector<Bytes>& buffers_;
  const Planted planted_;
  Log& log_;
  std::vector<Bytes> chunks_;
  std::deque<Bytes> words_;
  std::map<uint32_t, uint32_t> zeros_;  // by chunk
  uint64_t dispatches_ = 0;
};

/// How the two sequences differ; empty where they do not. Scratch of the interpreter is distinguished from
/// all other by its number, so each number has one place in the plan, and two of one dispatch have two.
std::string difference(const ir::Module& module, const Log& a, const Log& b) {
  if (a.size() != b.size()) return fmt::format("{} dispatches, the plan makes {}", a.size(), b.size());
  std::map<uint64_t, uint64_t> scratch_numbers;
  for (size_t i = 0; i < a.size(); ++i) {
    const std::string where = fmt::format("dispatch {}, of {}: ", i, module.programs[a[i].program].name);
    if (a[i].program != b[i].program) return where + "the plan has " + module.programs[b[i].program].name;
    const auto &g = a[i].groups, &h = b[i].groups;
    if (g.x != h.x || g.y != h.y || g.z != h.z)
      return fmt::format("{}groups {},{},{}, the plan has {},{},{}", where, g.x, g.y, g.z, h.x, h.y, h.z);
    if (a[i].bound.size() != b[i].bound.size()) return where + "another number of buffers";
    for (size_t k = 0; k < a[i].bound.size(); ++k) {
      const BoundBuffer &p = a[i].bound[k], &q = b[i].bound[k];
      if (p.kind != q.kind || p.bytes != q.bytes || p.words != q.words)
        return fmt::format("{}buffer {} is another", where, k);
      if (p.kind == BoundBuffer::Kind::Parameter && p.number != q.number)
        return fmt::format("{}buffer {} is parameter {}, the plan has {}", where, k, p.number, q.number);
      if (p.kind != BoundBuffer::Kind::Scratch || p.bytes == 0) continue;
      if (scratch_numbers.try_emplace(p.number, q.number).first->second != q.number)
        return fmt::format("{}buffer {} has moved", where, k);
      for (size_t j = 0; j < k; ++j) {
        const BoundBuffer &other = a[i].bound[j], &mine = b[i].bound[j];
        if (other.kind == p.kind && other.bytes != 0 &&
            (other.number == p.number) != (mine.number == q.number))
          return fmt::format("{}buffers {} and {} lie in one place", where, j, k);
      }
    }
  }
  return {};
}

// The judge.

class Judge {
 public:
  Judge(const generate::ModuleCase& c, const spec::OpTable& ops) : case_(c), ops_(ops) {}

  ModuleTrial run(backend::Backend& reference, backend::Backend& backend, Planted planted) {
    judge(reference, backend, planted);
    return std::move(trial_);
  }

 private:
  void judge(backend::Backend& reference, backend::Backend& backend, Planted planted) {
    auto checked = check::check(case_.module, ops_);
    if (!checked) {
      std::string all = "check refuses it:\n";
      for (const Diag& diag : checked.error()) all += render(diag, nullptr);
      trial_.invalid = true;
      return complain(std::move(all));
    }
    trial_.checked = std::move(*checked);
    const auto entry = std::ranges::find(case_.module.pipelines, case_.entry, &ir::Pipeline::name);
    number_ = uint32_t(entry - case_.module.pipelines.begin());
    trial_.invalid = true;
    if (!interpret()) return;
    trial_.invalid = false;
    if (round_trips() && plan(planted) && on_reference(reference)) on_backend(backend);
  }

  void complain(std::string complaint) { trial_.judgement = {Verdict::Differ, std::move(complaint)}; }
  bool refuse(std::string complaint) {
    complain(std::move(complaint));
    return false;
  }
  bool accepted(const Result<void>& result, std::string_view who) {
    if (result) return true;
    if (result.error().code == DiagCode::B003) {
      trial_.judgement.verdict = Verdict::TooLong;
      return false;
    }
    return refuse(fmt::format("{}: {}", who, render(result.error(), nullptr)));
  }

  bool round_trips() {
    const ir::Module& module = case_.module;
    const std::string text = text::print(module);
    const auto parsed = text::parse_module(text, &ops_);
    if (!parsed) return refuse("text: " + render(parsed.error(), nullptr));
    if (!ir::equal(*parsed, module)) return refuse("text: another module comes back\n");
    if (text::print(*parsed) != text) return refuse("text: other characters the second time\n");
    const auto formatted = text::format(text);
    if (!formatted || *formatted != text) return refuse("text: format changes what is printed\n");
    const generate::NamedText named = generate::with_constants(module);
    const auto chosen = text::parse_module(named.text, &ops_, named.chosen);
    if (!chosen) return refuse("constants: " + render(chosen.error(), nullptr) + named.text);
    if (!ir::equal(*chosen, module)) return refuse("constants: another module comes back\n" + named.text);
    const Bytes bytes = wire::encode(module);
    const auto decoded = wire::decode_module(bytes);
    if (!decoded) return refuse("wire: " + render(decoded.error(), nullptr));
    if (!ir::equal(*decoded, module)) return refuse("wire: another module comes back\n");
    if (wire::encode(*decoded) != bytes) return refuse("wire: other bytes the second time\n");
    return true;
  }

  bool interpret() {
    once_ = case_.buffers;
    if (!accepted(Interpreter(*trial_.checked, once_, log_).run(case_.entry), "interpreter")) return false;
    twice_ = once_;
    Log again;
    return accepted(Interpreter(*trial_.checked, twice_, again).run(case_.entry),
                    "interpreter, a second time");
  }

  bool plan(Planted planted) {
    std::vector<Bytes> buffers = case_.buffers;
    Log log;
    std::vector<ref::PlanParameter> parameters;
    for (const Bytes& bytes : case_.buffers) parameters.push_back({bytes.size(), {}});
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (case_.module.pipelines[number_].buffers[i].access == spec::BufferAccess::Uniform)
        parameters[i].uniform = case_.buffers[i];
    }
    // Few steps a segment, so that contents have to last from one to the next.
    PlanOnHost runner(*trial_.checked, buffers, planted, log);
    const ref::PlanOptions options = {.max_scratch_bytes = 1 << 20, .segment_steps = 3};
    if (!accepted(ref::run_plan(*trial_.checked, number_, parameters, options, runner), "plan")) return false;
    if (const std::string other = difference(case_.module, log_, log); !other.empty())
      return refuse(other + "\n");
    return equal(buffers, once_, "the plan");
  }

  bool equal(std::span<const Bytes> actual, std::span<const Bytes> expected, std::string_view who) {
    for (size_t i = 0; i < actual.size(); ++i) {
      if (actual[i] == expected[i]) continue;
      size_t at = 0;
      while (actual[i][at] == expected[i][at]) ++at;
      const ir::Pipeline& pipeline = case_.module.pipelines[number_];
      return refuse(fmt::format("{}: byte {} of {} is {:#04x}, the interpreter has {:#04x}\n", who, at,
                                pipeline.code.name(pipeline.buffers[i].name), uint8_t(actual[i][at]),
                                uint8_t(expected[i][at])));
    }
    return true;
  }

  /// As `vyre run` does.
  bool on_reference(backend::Backend& reference) {
    const host::Step step = {trial_.checked->pipelines()[number_].head, {}, trial_.checked, number_};
    auto buffers = host::declare_buffers({&step, 1});
    if (!buffers) return refuse(buffers.error().message);
    for (size_t i = 0; i < case_.buffers.size(); ++i)
      buffers->by_name.at(buffers->order[i]).bytes = case_.buffers[i];
    if (!accepted(host::run_steps(reference, {&step, 1}, *buffers), "reference")) return false;
    std::vector<Bytes> after;
    for (const std::string& name : buffers->order) after.push_back(buffers->by_name.at(name).bytes);
    return equal(after, once_, "reference");
  }

  /// Over memory of the device, and a second time, which is a replay where nothing has to be made again.
  void on_backend(backend::Backend& backend) {
    std::vector<std::unique_ptr<backend::DeviceBuffer>> memory;
    const std::string name = backend.identity().name;
    const auto run = [&]() -> Result<void> {
      std::vector<backend::DeviceRange> ranges;
      for (const Bytes& bytes : case_.buffers) {
        VYRE_TRY(buffer, backend.allocate(std::max<uint64_t>(bytes.size(), 4)));
        if (!bytes.empty()) VYRE_CHECK(buffer->write(0, bytes));
        ranges.push_back({buffer.get(), 0, bytes.size()});
        memory.push_back(std::move(buffer));
      }
      VYRE_TRY(executable, plan::Executable::make(backend, trial_.checked, number_));
      for (const std::vector<Bytes>* expected : {&once_, &twice_}) {
        VYRE_CHECK(executable.run(ranges));
        std::vector<Bytes> after = case_.buffers;
        for (size_t i = 0; i < after.size(); ++i) {
          if (!after[i].empty()) VYRE_CHECK(memory[i]->read(0, after[i]));
        }
        if (!equal(after, *expected, expected == &once_ ? name : name + ", the second time")) break;
      }
      return {};
    };
    accepted(run(), name);
  }

  const generate::ModuleCase& case_;
  const spec::OpTable& ops_;
  ModuleTrial trial_;
  uint32_t number_ = 0;  // of the entry
  Log log_;
  std::vector<Bytes> once_, twice_;  // what the interpreter leaves
};

}  // namespace

ModuleTrial judge_module(const generate::ModuleCase& c, const spec::OpTable& ops, backend::Backend& reference,
                         backend::Backend& backend, Planted planted) {
  return Judge(c, ops).run(reference, backend, planted);
}

}  // namespace vyre::test
