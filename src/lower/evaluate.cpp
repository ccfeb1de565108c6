// evaluate(): a workgroup in lock-step.
//
// One instruction is executed for all invocations ("lanes") that are active before the next one begins; an If
// splits the lanes, a Loop keeps those that still iterate, a Return drops them. Barriers then need no
// waiting: all live lanes arrive together, and if they do not, that is a fault of lowering. This is as unlike
// ref/, which runs each invocation by itself up to the next barrier, as two evaluators of one language can
// be.
#include "lower/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/bytes.h"
#include "base/random.h"
#include "lower/operators.h"
#include "lower/registers.h"

namespace vyre::lower {
namespace {

using spec::BufferAccess;
using spec::DataType;

using Lanes = std::vector<uint32_t>;

struct View {
  std::byte* data;
  uint32_t count;
};

/// A block being executed, by the lanes that are in it.
struct Frame {
  KBlock block = kNoKBlock;
  Lanes lanes;
  std::optional<Value> loop;    // whose body this is
  std::vector<Word> ends = {};  // Loop: by lane, the bound
  size_t next = 0;
  uint64_t returns_seen = 0;
};

class Evaluator {
 public:
  Evaluator(const Kernel& kernel, std::span<const layout::Binding> buffers, layout::Groups groups,
            const EvaluateOptions& options)
      : kernel_(kernel), groups_(groups), options_(options), registers_(allocate_registers(kernel)) {
    const uint32_t lanes = kernel.invocations();
    words_.resize(size_t(registers_.count) * lanes);
    workgroup_.resize(kernel.buffers.size());
    for (size_t b = 0; b < kernel.buffers.size(); ++b) {
      const KernelBuffer& buffer = kernel.buffers[b];
      if (buffer.access == BufferAccess::Workgroup) {
        workgroup_[b].resize(size_t(buffer.count) * sizeof(Word));
        views_.push_back({workgroup_[b].data(), buffer.count});
      } else {
        const layout::Binding& binding = buffers[buffer.argument];
        views_.push_back({binding.bytes.data(), binding.count});
      }
    }
  }

  Result<void> run() {
    for (uint32_t z = 0; z < groups_.z; ++z) {
      for (uint32_t y = 0; y < groups_.y; ++y) {
        for (uint32_t x = 0; x < groups_.x; ++x) {
          group_ = {x, y, z};
          VYRE_CHECK(run_workgroup());
        }
      }
    }
    return {};
  }

 private:
  Result<void> run_workgroup() {
    for (auto& memory : workgroup_) std::fill(memory.begin(), memory.end(), std::byte{0});
    Lanes everyone(kernel_.invocations());
    for (uint32_t lane = 0; lane < everyone.size(); ++lane) everyone[lane] = lane;
    live_ = uint32_t(everyone.size());
    returned_.assign(everyone.size(), false);
    frames_.clear();
    enter({.block = kernel_.entry, .lanes = std::move(everyone)});
    while (!frames_.empty()) {
      drop_returned(frames_.back());
      Frame& frame = frames_.back();
      const auto& block = kernel_.block(frame.block);
      if (frame.lanes.empty() || frame.next == block.size()) {
        if (!again(frame)) frames_.pop_back();
        continue;
      }
      VYRE_CHECK(execute(block[frame.next++]));
    }
    return {};
  }

  void enter(Frame frame) {
    frame.returns_seen = returns_;
    frames_.push_back(std::move(frame));
  }

  void drop_returned(Frame& frame) {
    if (frame.returns_seen == returns_) return;
    frame.returns_seen = returns_;
    std::erase_if(frame.lanes, [&](uint32_t lane) { return returned_[lane]; });
  }

  /// The next iteration of a loop, for the lanes that have one.
  bool again(Frame& frame) {
    if (!frame.loop) return false;
    std::erase_if(frame.lanes, [&](uint32_t lane) { return ++at(*frame.loop, lane) >= frame.ends[lane]; });
    frame.next = 0;
    return !frame.lanes.empty();
  }

  Word& at(uint32_t reg, uint32_t lane) { return words_[size_t(reg) * kernel_.invocations() + lane]; }
  Word& at(Value v, uint32_t lane) { return at(registers_.values[index(v)], lane); }
  Word& at(Slot s, uint32_t lane) { return at(registers_.slots[index(s)], lane); }
  Word argument(const Inst& inst, uint32_t n, uint32_t lane) { return at(kernel_.arg(inst, n), lane); }
  std::array<Word, 3> arguments(const Inst& inst, uint32_t lane) {
    std::array<Word, 3> out{};
    for (uint32_t n = 0; n < inst.args.count; ++n) out[n] = argument(inst, n, lane);
    return out;
  }
  uint32_t local_id(uint32_t lane, uint32_t axis) const {
    const auto& size = kernel_.workgroup_size;
    if (axis == 0) return lane % size[0];
    return axis == 1 ? lane / size[0] % size[1] : lane / (size[0] * size[1]);
  }

  /// What nothing promises anything about: another word each time.
  Word unspecified() { return philox(options_.seed, unspecified_++)[0]; }

  template <typename Compute>
  Result<void> each(Value v, Compute compute) {
    for (const uint32_t lane : frames_.back().lanes) at(v, lane) = compute(lane);
    return {};
  }

  Result<void> execute(Value v) {
    const Inst& inst = kernel_[v];
    Frame& frame = frames_.back();
    steps_ += frame.lanes.size();
    if (options_.max_steps != 0 && steps_ > options_.max_steps) return std::unexpected(out_of_steps());
    switch (inst.kind) {
      case InstKind::Const: return each(v, [&](uint32_t) { return inst.imm; });
      case InstKind::Len: return each(v, [&](uint32_t) { return views_[inst.target].count; });
      case InstKind::InvocationId:
        return each(v, [&](uint32_t lane) {
          return group_[inst.imm] * kernel_.workgroup_size[inst.imm] + local_id(lane, inst.imm);
        });
      case InstKind::WorkgroupId: return each(v, [&](uint32_t) { return group_[inst.imm]; });
      case InstKind::LocalId: return each(v, [&](uint32_t lane) { return local_id(lane, inst.imm); });
      case InstKind::Get: return each(v, [&](uint32_t lane) { return at(Slot{inst.target}, lane); });
      case InstKind::Set:
        for (const uint32_t lane : frame.lanes) at(Slot{inst.target}, lane) = argument(inst, 0, lane);
        return {};
      case InstKind::If: return branch(inst);
      case InstKind::Loop: return loop(v);
      case InstKind::Return:
        for (const uint32_t lane : frame.lanes) returned_[lane] = true;
        live_ -= uint32_t(frame.lanes.size());
        ++returns_;
        return {};
      case InstKind::Barrier:
        if (frame.lanes.size() == live_) return {};
        return fault(v, frame.lanes.front(),
                     fmt::format("{} of {} live invocations reach it", frame.lanes.size(), live_));
      case InstKind::Intrinsic: return fault(v, frame.lanes.front(), "no subgroups yet");
      case InstKind::Apply:
        return each(v, [&](uint32_t lane) {
          return apply_semantic(inst.op, inst.operand_type, inst.type, arguments(inst, lane).data());
        });
      case InstKind::Load: return each(v, [&](uint32_t lane) { return load(inst, lane); });
      case InstKind::Store:
        for (const uint32_t lane : frame.lanes) store(inst, lane);
        return {};
      case InstKind::Atomic: return each(v, [&](uint32_t lane) { return atomic(inst, lane); });
      case InstKind::Raw: return raw(v);
      case InstKind::RawLoad:
        VYRE_CHECK(check_access(v));
        return each(v, [&](uint32_t lane) { return beyond(inst, lane) ? unspecified() : word(inst, lane); });
      case InstKind::RawStore:
        VYRE_CHECK(check_access(v));
        for (const uint32_t lane : frame.lanes) store(inst, lane);
        return {};
      case InstKind::RawAtomic:
        VYRE_CHECK(check_access(v));
        return each(v,
                    [&](uint32_t lane) { return beyond(inst, lane) ? unspecified() : atomic(inst, lane); });
    }
    return {};
  }

  Result<void> branch(const Inst& inst) {
    Lanes yes, no;
    for (const uint32_t lane : frames_.back().lanes)
      (argument(inst, 0, lane) != 0 ? yes : no).push_back(lane);
    if (inst.orelse != kNoKBlock && !no.empty()) enter({.block = inst.orelse, .lanes = std::move(no)});
    if (!yes.empty()) enter({.block = inst.body, .lanes = std::move(yes)});
    return {};
  }

  Result<void> loop(Value v) {
    const Inst& inst = kernel_[v];
    Frame body{.block = inst.body, .loop = v, .ends = std::vector<Word>(kernel_.invocations())};
    for (const uint32_t lane : frames_.back().lanes) {
      const Word from = argument(inst, 0, lane), to = argument(inst, 1, lane);
      if (from >= to) continue;
      at(v, lane) = from;
      body.ends[lane] = to;
      body.lanes.push_back(lane);
    }
    if (!body.lanes.empty()) enter(std::move(body));
    return {};
  }

  // Memory. The operands of every access begin with the index.
  std::byte* place(const Inst& inst, uint32_t lane) {
    return views_[inst.target].data + size_t(argument(inst, 0, lane)) * sizeof(Word);
  }
  /// Whether the index lies behind the last element.
  bool beyond(const Inst& inst, uint32_t lane) {
    return argument(inst, 0, lane) >= views_[inst.target].count;
  }
  Word word(const Inst& inst, uint32_t lane) { return load_u32(place(inst, lane)); }

  Word load(const Inst& inst, uint32_t lane) {
    if (beyond(inst, lane)) return 0;
    const Word bits = word(inst, lane);
    return inst.type == DataType::Bool ? Word(bits != 0) : bits;
  }
  void store(const Inst& inst, uint32_t lane) {
    if (!beyond(inst, lane)) store_u32(place(inst, lane), argument(inst, 1, lane));
  }
  Word atomic(const Inst& inst, uint32_t lane) {
    if (beyond(inst, lane)) return 0;
    const Word before = word(inst, lane);
    const Word expected = argument(inst, 1, lane);  // of a compare-exchange; else the value itself
    store_u32(place(inst, lane),
              apply_atomic(inst.op, before, expected, argument(inst, inst.args.count - 1, lane)));
    return before;
  }

  // Raw instructions are checked for every active lane before any has an effect.
  Result<void> raw(Value v) {
    const Inst& inst = kernel_[v];
    for (const uint32_t lane : frames_.back().lanes) {
      if (in_domain(inst.raw, arguments(inst, lane).data())) continue;
      return fault(v, lane, fmt::format("its domain is: {}", info(inst.raw).domain));
    }
    return each(v, [&](uint32_t lane) { return apply_raw(inst.raw, arguments(inst, lane).data()); });
  }
  Result<void> check_access(Value v) {
    const Inst& inst = kernel_[v];
    const uint32_t elements = std::max(views_[inst.target].count, 1u);
    for (const uint32_t lane : frames_.back().lanes) {
      if (argument(inst, 0, lane) < elements) continue;
      return fault(v, lane, fmt::format("the binding has {} elements", elements));
    }
    return {};
  }

  std::unexpected<Diag> fault(Value v, uint32_t lane, std::string_view why) {
    const Inst& inst = kernel_[v];
    std::string operands;
    for (uint32_t n = 0; n < inst.args.count; ++n) {
      operands += fmt::format("{}{:#x}", n == 0 ? " with operands " : ", ", argument(inst, n, lane));
    }
    return std::unexpected(
        make_diag(DiagCode::L001, inst.origin,
                  fmt::format("`{}` in kernel `{}`, workgroup ({}, {}, {}), local id ({}, {}, {}){}: {}",
                              print(kernel_, v), kernel_.name, group_[0], group_[1], group_[2],
                              local_id(lane, 0), local_id(lane, 1), local_id(lane, 2), operands, why),
                  "report this with the program and its input: legalization is wrong, the program is not"));
  }
  Diag out_of_steps() const {
    return make_diag(
        DiagCode::B003, Span::none(),
        fmt::format("kernel `{}` needs more than the allowed {} steps", kernel_.name, options_.max_steps),
        "allow more steps, or dispatch less work");
  }

  const Kernel& kernel_;
  const layout::Groups groups_;
  const EvaluateOptions options_;
  const Registers registers_;
  std::vector<Word> words_;                        // [register][lane]
  std::vector<std::vector<std::byte>> workgroup_;  // by buffer; empty for bound ones
  std::vector<View> views_;                        // by buffer
  std::array<uint32_t, 3> group_{};
  std::vector<Frame> frames_;
  std::vector<bool> returned_;  // by lane
  uint32_t live_ = 0;
  uint64_t returns_ = 0;  // how many Returns were executed: frames notice a change
  uint64_t steps_ = 0;
  uint64_t unspecified_ = 0;
};

}  // namespace

Result<void> evaluate(const Kernel& kernel, std::span<const layout::Binding> buffers, layout::Groups groups,
                      const EvaluateOptions& options) {
  return Evaluator(kernel, buffers, groups, options).run();
}

}  // namespace vyre::lower
