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

#include "base/random.h"
#include "lower/memory.h"
#include "lower/operators.h"
#include "lower/registers.h"
#include "lower/relation.h"

namespace vyre::lower {
namespace {

using Lanes = std::vector<uint32_t>;

/// Of random words: memory.cpp draws from stream 0.
constexpr uint64_t kFloatStream = 1;

/// Words a register: those of the kernel's widest value, of which a legal kernel's all have one.
uint32_t register_words(const Kernel& kernel) {
  uint32_t most = 1;
  for (const Inst& inst : kernel.insts) most = std::max(most, spec::value_words(inst.type));
  for (const SlotInfo& slot : kernel.slots) most = std::max(most, spec::value_words(slot.type));
  return most;
}

/// A block being executed, by the lanes that are in it.
struct Frame {
  KBlock block = kNoKBlock;
  Lanes lanes;
  std::optional<Value> loop;    // whose body this is
  std::vector<Word> ends = {};  // Loop: by lane, the bound
  size_t next = 0;
  uint64_t returns_seen = 0;
};

/// By the words that a register has, of which everything here is a loop: known, they are a move.
template <uint32_t kWidth>
class Evaluator {
 public:
  Evaluator(const Kernel& kernel, std::span<const layout::Binding> buffers, layout::Groups groups,
            const EvaluateOptions& options)
      : kernel_(kernel),
        groups_(groups),
        options_(options),
        registers_(allocate_registers(kernel)),
        invocations_(kernel.invocations()),
        memory_(kernel, buffers, options.seed) {
    words_.resize(size_t(registers_.count) * invocations_ * kWidth);
  }

  Result<void> run() {
    VYRE_CHECK(check_subgroups());
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
    memory_.clear_workgroup();
    Lanes everyone(invocations_);
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
        // A round is a step of its own: an empty body has no other.
        if (frame.loop && !spend(frame.lanes.size())) return std::unexpected(out_of_steps());
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

  /// False when the steps are used up.
  bool spend(uint64_t steps) {
    steps_ += steps;
    return options_.max_steps == 0 || steps_ <= options_.max_steps;
  }

  /// The next iteration of a loop, for the lanes that have one.
  bool again(Frame& frame) {
    if (!frame.loop) return false;
    std::erase_if(frame.lanes, [&](uint32_t lane) { return ++at(*frame.loop, lane) >= frame.ends[lane]; });
    frame.next = 0;
    return !frame.lanes.empty();
  }

  // Registers: the first word, which is the whole of most values, or all of them.
  Word& at(uint32_t reg, uint32_t lane) { return row(reg)[size_t(lane) * kWidth]; }
  /// Of all lanes.
  Word* row(uint32_t reg) { return words_.data() + size_t(reg) * invocations_ * kWidth; }
  Word* row(Value v) { return row(registers_.values[index(v)]); }
  /// Of an instruction's operands. Domain: at most three.
  using Rows = std::array<const Word*, 3>;
  Rows rows(const Inst& inst) {
    Rows out{};
    for (uint32_t n = 0; n < inst.args.count; ++n) out[n] = row(kernel_.arg(inst, n));
    return out;
  }
  Word& at(Value v, uint32_t lane) { return at(registers_.values[index(v)], lane); }
  Word& at(Slot s, uint32_t lane) { return at(registers_.slots[index(s)], lane); }
  static Bits bits(const Word& first) {
    Bits out{};
    std::copy_n(&first, kWidth, out.data());
    return out;
  }
  static void put(Word& first, const Bits& value) { std::copy_n(value.data(), kWidth, &first); }

  Word argument(const Inst& inst, uint32_t n, uint32_t lane) { return at(kernel_.arg(inst, n), lane); }
  Bits argument_bits(const Inst& inst, uint32_t n, uint32_t lane) {
    return bits(at(kernel_.arg(inst, n), lane));
  }
  /// Of a raw operator.
  static std::array<Word, 3> arguments(const Rows& rows, uint32_t count, uint32_t lane) {
    std::array<Word, 3> out{};
    for (uint32_t n = 0; n < count; ++n) out[n] = rows[n][size_t(lane) * kWidth];
    return out;
  }
  uint32_t local_id(uint32_t lane, uint32_t axis) const {
    const auto& size = kernel_.workgroup_size;
    if (axis == 0) return lane % size[0];
    return axis == 1 ? lane / size[0] % size[1] : lane / (size[0] * size[1]);
  }

  uint32_t num_groups(uint32_t axis) const {
    return std::array<uint32_t, 3>{groups_.x, groups_.y, groups_.z}[axis];
  }

  template <typename Compute>
  Result<void> each(Value v, Compute compute) {
    Word* const out = row(v);
    for (const uint32_t lane : frames_.back().lanes)
      put(out[size_t(lane) * kWidth], {compute(lane), 0, 0, 0});
    return {};
  }

  template <typename Compute>
  Result<void> each_bits(Value v, Compute compute) {
    Word* const out = row(v);
    for (const uint32_t lane : frames_.back().lanes) put(out[size_t(lane) * kWidth], compute(lane));
    return {};
  }

  Result<void> execute(Value v) {
    const Inst& inst = kernel_[v];
    Frame& frame = frames_.back();
    if (!spend(frame.lanes.size())) return std::unexpected(out_of_steps());
    switch (inst.kind) {
      case InstKind::Const: return each_bits(v, [value = constant(inst)](uint32_t) { return value; });
      case InstKind::Len: return each(v, [&](uint32_t) { return memory_.length(inst.target); });
      case InstKind::InvocationId:
        return each(v, [&](uint32_t lane) {
          return group_[inst.imm] * kernel_.workgroup_size[inst.imm] + local_id(lane, inst.imm);
        });
      case InstKind::WorkgroupId: return each(v, [&](uint32_t) { return group_[inst.imm]; });
      case InstKind::LocalId: return each(v, [&](uint32_t lane) { return local_id(lane, inst.imm); });
      case InstKind::NumWorkgroups: return each(v, [&](uint32_t) { return num_groups(inst.imm); });
      case InstKind::Get:
        return each_bits(v, [from = row(registers_.slots[inst.target])](uint32_t lane) {
          return bits(from[size_t(lane) * kWidth]);
        });
      case InstKind::Set: {
        Word* const to = row(registers_.slots[inst.target]);
        const Word* const from = row(kernel_.arg(inst, 0));
        for (const uint32_t lane : frame.lanes)
          put(to[size_t(lane) * kWidth], bits(from[size_t(lane) * kWidth]));
        return {};
      }
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
      case InstKind::Intrinsic: return intrinsic(v);
      case InstKind::Apply: return each_bits(v, [&](uint32_t lane) { return apply(inst, lane); });
      case InstKind::Load: return each_bits(v, [&](uint32_t lane) { return load(inst, lane); });
      case InstKind::Store:
        for (const uint32_t lane : frame.lanes) store(inst, lane);
        return {};
      case InstKind::Atomic: return each(v, [&](uint32_t lane) { return atomic(inst, lane); });
      case InstKind::Raw: return raw(v);
      case InstKind::RawLoad:
        VYRE_CHECK(check_access(v));
        return each_bits(v, [&](uint32_t lane) {
          memory_.of_lane(lane);
          return load_raw(inst, argument(inst, 0, lane));
        });
      case InstKind::RawStore:
        VYRE_CHECK(check_access(v));
        for (const uint32_t lane : frame.lanes) {
          memory_.of_lane(lane);
          store_raw(inst, argument(inst, 0, lane), argument_bits(inst, 1, lane));
        }
        return {};
      case InstKind::RawAtomic:
        VYRE_CHECK(check_access(v));
        return each(v, [&](uint32_t lane) { return raw_atomic(inst, lane); });
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
    Frame body{.block = inst.body, .loop = v, .ends = std::vector<Word>(invocations_)};
    for (const uint32_t lane : frames_.back().lanes) {
      const Word from = argument(inst, 0, lane), to = argument(inst, 1, lane);
      if (from >= to) continue;
      put(at(v, lane), {from, 0, 0, 0});
      body.ends[lane] = to;
      body.lanes.push_back(lane);
    }
    if (!body.lanes.empty()) enter(std::move(body));
    return {};
  }

  Bits constant(const Inst& inst) const {
    if (spec::value_words(inst.type) > 1) return kernel_.wide[inst.imm];
    return {inst.imm, 0, 0, 0};
  }
  Bits apply(const Inst& inst, uint32_t lane) {
    std::array<Bits, 4> operands{};
    for (uint32_t n = 0; n < inst.args.count; ++n) operands[n] = argument_bits(inst, n, lane);
    return apply_semantic(inst, operands.data());
  }

  /// Where all lanes are together; the operands of all of them are there before any result is.
  Result<void> intrinsic(Value v) {
    const Inst& inst = kernel_[v];
    const uint32_t lanes = invocations_, size = options_.subgroup_size;
    if (frames_.back().lanes.size() != lanes) {
      return fault(v, frames_.back().lanes.front(),
                   fmt::format("{} of {} invocations reach it", frames_.back().lanes.size(), lanes));
    }
    const auto operands = [&](uint32_t n) {
      std::vector<Word> out(lanes, 0);
      for (uint32_t lane = 0; n < inst.args.count && lane < lanes; ++lane)
        out[lane] = argument(inst, n, lane);
      return out;
    };
    const std::vector<Word> first = operands(0), second = operands(1);
    return each_bits(v, [&](uint32_t lane) {
      const std::span subgroup = std::span(first).subspan(lane / size * size, size);
      const Bits all = apply_intrinsic(spec::Intrinsic(inst.imm), subgroup, lane % size, second[lane]);
      return kernel_.legal ? Bits{all[inst.target], 0, 0, 0} : all;
    });
  }

  // Memory. The operands of every access begin with the index, of a tensor one a dimension.
  std::optional<size_t> element(const Inst& inst, uint32_t indices, uint32_t lane) {
    memory_.of_lane(lane);
    indices_.clear();
    for (uint32_t n = 0; n < indices; ++n) indices_.push_back(argument(inst, n, lane));
    return memory_.element(inst.target, indices_);
  }
  Bits load(const Inst& inst, uint32_t lane) {
    const auto at_index = element(inst, inst.args.count, lane);
    return at_index ? memory_.load(inst.target, *at_index) : Bits{};
  }
  void store(const Inst& inst, uint32_t lane) {
    const uint32_t value = inst.args.count - 1;
    const auto at_index = element(inst, value, lane);
    if (at_index) memory_.store(inst.target, *at_index, argument_bits(inst, value, lane));
  }
  /// What an atomic leaves where `before` was. Its operands after the index: [expected,] value.
  Word after(const Inst& inst, uint32_t lane, Word before) {
    const Word expected = argument(inst, 1, lane);  // of a compare-exchange; else the value itself
    return apply_atomic(inst.op, before, expected, argument(inst, inst.args.count - 1, lane));
  }
  Word atomic(const Inst& inst, uint32_t lane) {
    const auto at_index = element(inst, 1, lane);
    if (!at_index) return 0;
    const Word before = memory_.load(inst.target, *at_index)[0];
    memory_.store(inst.target, *at_index, {after(inst, lane, before), 0, 0, 0});
    return before;
  }
  /// The other word of an access of two.
  static Inst second_word(Inst access) {
    ++access.imm;
    return access;
  }
  Bits load_raw(const Inst& inst, Word i) {
    const Word low = memory_.load_raw(inst, i);
    return {low, inst.type == DataType::U64 ? memory_.load_raw(second_word(inst), i) : 0, 0, 0};
  }
  void store_raw(const Inst& inst, Word i, const Bits& value) {
    memory_.store_raw(inst, i, value[0]);
    if (inst.type == DataType::U64) memory_.store_raw(second_word(inst), i, value[1]);
  }
  Word raw_atomic(const Inst& inst, uint32_t lane) {
    const Word i = argument(inst, 0, lane), before = memory_.load_raw(inst, i);
    memory_.store_raw(inst, i, after(inst, lane, before));
    return before;
  }

  // Raw instructions are checked for every active lane before any has an effect.
  Result<void> raw(Value v) {
    const Inst& inst = kernel_[v];
    if (is_wide(inst.raw)) return raw_wide(v);
    if (is_long(inst.raw)) return raw_long(v);
    const RawFunctions functions = functions_of(inst.raw);
    const Rows operands = rows(inst);
    const uint32_t count = inst.args.count;
    if (functions.in_domain != nullptr) {
      for (const uint32_t lane : frames_.back().lanes) {
        if (functions.in_domain(arguments(operands, count, lane).data())) continue;
        return fault(v, lane, fmt::format("its domain is: {}", info(inst.raw).domain));
      }
    }
    if (info(inst.raw).is_float) return raw_float(v);
    return each(v, [&](uint32_t lane) { return functions.apply(arguments(operands, count, lane).data()); });
  }
  Result<void> promised(Value v) {
    if (kernel_.floats[kernel_[v].raw].given) return {};
    return fault(v, frames_.back().lanes.front(),
                 fmt::format("the profile `{}` promises nothing of it", kernel_.floats.name));
  }
  /// Of a wide or a long operator: its operands, and by operand whether it is of both words.
  struct LongOperands {
    Rows rows{};
    std::array<bool, 3> of_both{};
    uint32_t count = 0;
    std::array<uint64_t, 3> at(uint32_t lane) const {
      std::array<uint64_t, 3> x{};
      for (uint32_t n = 0; n < count; ++n) {
        const Bits words = bits(rows[n][size_t(lane) * kWidth]);
        x[n] = words[0] | (of_both[n] ? uint64_t{words[1]} << 32 : 0);
      }
      return x;
    }
  };
  LongOperands long_operands(const Inst& inst) {
    LongOperands out{.rows = rows(inst), .count = inst.args.count};
    for (uint32_t n = 0; n < out.count; ++n)
      out.of_both[n] = takes_wide(inst.raw, n) || takes_long(inst.raw, n);
    return out;
  }
  Result<void> raw_long(Value v) {
    const Inst& inst = kernel_[v];
    const LongOperands operands = long_operands(inst);
    for (const uint32_t lane : frames_.back().lanes) {
      if (in_long_domain(inst.raw, operands.at(lane).data())) continue;
      return fault(v, lane, fmt::format("its domain is: {}", info(inst.raw).domain));
    }
    return each_bits(v, [&](uint32_t lane) {
      const uint64_t result = apply_long(inst.raw, operands.at(lane).data());
      return Bits{Word(result), Word(result >> 32), 0, 0};
    });
  }
  Result<void> raw_wide(Value v) {
    const Inst& inst = kernel_[v];
    VYRE_CHECK(promised(v));
    const LongOperands operands = long_operands(inst);
    for (const uint32_t lane : frames_.back().lanes) {
      if (inst.raw != RawOp::WideSelect || operands.at(lane)[0] <= 1) continue;
      return fault(v, lane, fmt::format("its domain is: {}", info(inst.raw).domain));
    }
    return each_bits(v, [&](uint32_t lane) {
      const auto x = operands.at(lane);
      const auto random = philox(options_.seed, choices_++, kFloatStream);
      const uint64_t result = choose_wide(inst.raw, kernel_.floats[inst.raw], x.data(), random);
      return Bits{Word(result), Word(result >> 32), 0, 0};
    });
  }
  Result<void> raw_float(Value v) {
    const Inst& inst = kernel_[v];
    VYRE_CHECK(promised(v));
    const Promise& promise = kernel_.floats[inst.raw];
    const Rows operands = rows(inst);
    return each(v, [&](uint32_t lane) {
      const auto random = philox(options_.seed, choices_++, kFloatStream);
      return choose_result(inst.raw, promise, arguments(operands, inst.args.count, lane).data(), random);
    });
  }
  Result<void> check_access(Value v) {
    const Inst& inst = kernel_[v];
    const uint32_t units = memory_.domain(inst);
    const std::string_view unit = inst.access == Access::Words ? "words" : "elements";
    const Word* const at_index = row(kernel_.arg(inst, 0));
    for (const uint32_t lane : frames_.back().lanes) {
      if (at_index[size_t(lane) * kWidth] < units) continue;
      return fault(v, lane, fmt::format("the binding has {} {}", units, unit));
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
  Result<void> check_subgroups() const {
    const uint32_t size = options_.subgroup_size;
    for (const Inst& inst : kernel_.insts) {
      if (inst.kind != InstKind::Intrinsic) continue;
      const spec::IntrinsicInfo& intrinsic = spec::info(spec::Intrinsic(inst.imm));
      if (size == 0) {
        return std::unexpected(
            make_diag(DiagCode::B002, inst.origin,
                      fmt::format("the kernel evaluator has no {} without a subgroup size", intrinsic.id),
                      "give it a subgroup size, a power of two up to 128"));
      }
      if (invocations_ % size != 0) {
        return std::unexpected(
            make_diag(DiagCode::B008, inst.origin,
                      fmt::format("kernel `{}` has {} invocations a workgroup, its subgroups have {}",
                                  kernel_.name, invocations_, size),
                      "choose a workgroup size that is a multiple of the subgroup size"));
      }
    }
    return {};
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
  const uint32_t invocations_;  // of a workgroup
  Memory memory_;
  std::vector<Word> words_;    // [register][lane][word]
  std::vector<Word> indices_;  // of the access at hand
  std::array<uint32_t, 3> group_{};
  std::vector<Frame> frames_;
  std::vector<bool> returned_;  // by lane
  uint32_t live_ = 0;
  uint64_t returns_ = 0;  // how many Returns were executed: frames notice a change
  uint64_t steps_ = 0;
  uint64_t choices_ = 0;  // how many the adversary has made for float operators
};

}  // namespace

Result<void> evaluate(const Kernel& kernel, std::span<const layout::Binding> buffers, layout::Groups groups,
                      const EvaluateOptions& options) {
  const uint32_t words = register_words(kernel);
  if (words == 1) return Evaluator<1>(kernel, buffers, groups, options).run();
  if (words == 2) return Evaluator<2>(kernel, buffers, groups, options).run();
  return Evaluator<4>(kernel, buffers, groups, options).run();
}

}  // namespace vyre::lower
