#include "lower/spirv/entry_point.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "lower/inst_info.h"
#include "lower/legal_emitter.h"
#include "lower/neighbours.h"
#include "lower/outline.h"
#include "lower/spirv/builder.h"
#include "lower/spirv/foldable.h"
#include "lower/spirv/memory.h"
#include "lower/spirv/racy.h"
#include "lower/spirv/raw.h"
#include "lower/spirv/subgroup.h"
#include "lower/walk.h"
#include "lower/whole_accesses.h"
#include "spec/ops.h"

namespace vyre::lower {
namespace {

using Id = SpirvId;
using spv::Op;

/// An instruction's result as it was made. Truths stay bools until a word is wanted, so that a condition is
/// not a chain of selects and comparisons.
struct Result {
  Id id{};
  bool truth = false;
};

constexpr uint32_t kOne = 0x3f800000, kMinusOne = 0xbf800000, kMinusZero = 0x80000000;  // of f32

/// Each invocation runs the kernel's own control flow, and slots are variables.
class EntryPointEmitter final : LegalEmitter {
 public:
  EntryPointEmitter(const Kernel& kernel, const SpirvTarget& target)
      : LegalEmitter(kernel),
        target_(target),
        neighbours_(find_neighbours(kernel)),
        memory_(kernel, target, b_, neighbours_.in_fours),
        leaving_(leaving_blocks(kernel)),
        once_(volatile_loads(kernel)),
        foldable_(foldable_values(kernel)),
        opaque_operands_(operands_of_floats(kernel)),
        mixed_slots_(mixed_slots(kernel)),
        outlines_(outline(kernel)),
        wants_mask_(hides_arguments() ||
                    std::ranges::find(opaque_operands_, true) != opaque_operands_.end() || chooses_signs() ||
                    std::ranges::any_of(k_.insts,
                                        [&](const Inst& i) {
                                          return has_opaque_result(i) || hides_length(i) || hides_set(i);
                                        })),
        results_(kernel.insts.size()) {
    whole_ = find_whole_accesses(k_, [this](uint32_t buffer) { return memory_.width(buffer); });
  }

  SpirvModule run() {
    const uint32_t threads = k_.invocations();
    if (target_.float_controls2) b_.strict_by_default();
    if (target_.watch_loops && has_loops()) memory_.declare_watch();
    b_.execution_mode(spv::ExecutionMode::LocalSize, {threads, 1u, 1u});
    read_ids();
    memory_.read_lengths(wants_mask_);
    if (wants_mask_) {
      memory_.read_masks(group(0));
      masks_ = {memory_.operand_mask(), memory_.result_mask()};
    }
    for (const SlotInfo& slot : k_.slots) {
      slots_.push_back(b_.variable(type_of(slot.type)));
      b_.name(slots_.back(), slot.name);
    }
    clear_workgroup_memory();
    if (!emit_block(k_.entry)) emit_return();
    ask_for_modes();
    return {.words = b_.finish(kSpirvEntry),
            .threads = threads,
            .shared_bytes = memory_.shared_bytes(),
            .buffers = memory_.bound_buffers(),
            .watched = memory_.has_watch()};
  }

 private:
  // ---- Ids -----------------------------------------------------------------------------------------------

  Id builtin(spv::BuiltIn what, Id type) {
    const Id variable = b_.global(spv::StorageClass::Input, type);
    b_.decorate(variable, spv::Decoration::BuiltIn, {what});
    return b_.emit(Op::OpLoad, type, {variable});
  }
  bool wants_thread(const IdUses& uses) const {
    const auto is_lane = [](const Inst& inst) {
      return inst.kind == InstKind::Intrinsic && spec::Intrinsic(inst.imm) == spec::Intrinsic::SubgroupLane;
    };
    constexpr std::array<bool, 3> none{};
    return uses.local != none || uses.invocation != none || memory_.shared_bytes() != 0 ||
           std::ranges::any_of(k_.insts, is_lane);
  }
  Id group(uint32_t axis) {
    if (groups_ == Id{}) groups_ = builtin(spv::BuiltIn::WorkgroupId, b_.vector(b_.word(), 3));
    return b_.emit(Op::OpCompositeExtract, b_.word(), {groups_, axis});
  }

  // A workgroup has one axis, so that lanes of a subgroup are in linear order.
  void read_ids() {
    const IdUses uses = used_ids(k_);
    if (wants_thread(uses)) thread_ = builtin(spv::BuiltIn::LocalInvocationIndex, b_.word());
    uint32_t before = 1;  // invocations along the axes before this one
    for (uint32_t axis = 0; axis < 3; ++axis) {
      const uint32_t size = k_.workgroup_size[axis];
      const bool invocation = uses.invocation[axis];
      if (invocation || uses.local[axis]) local_[axis] = along(before, size);
      if (invocation || uses.group[axis]) group_[axis] = group(axis);
      if (invocation) {
        const Id first = b_.emit(Op::OpIMul, b_.word(), {group_[axis], b_.number(size)});
        invocation_[axis] = b_.emit(Op::OpIAdd, b_.word(), {first, local_[axis]});
      }
      before *= size;
    }
    if (uses.num_groups == std::array<bool, 3>{}) return;
    const Id counts = builtin(spv::BuiltIn::NumWorkgroups, b_.vector(b_.word(), 3));
    for (uint32_t axis = 0; axis < 3; ++axis) {
      if (!uses.num_groups[axis]) continue;
      num_groups_[axis] = b_.emit(Op::OpCompositeExtract, b_.word(), {counts, axis});
    }
  }
  /// thread / before % size, without what changes nothing.
  Id along(uint32_t before, uint32_t size) {
    if (size == 1) return b_.number(0);
    Id at = thread_;
    if (before != 1) at = b_.emit(Op::OpUDiv, b_.word(), {at, b_.number(before)});
    if (before * size != k_.invocations()) at = b_.emit(Op::OpUMod, b_.word(), {at, b_.number(size)});
    return at;
  }

  void clear_workgroup_memory() {
    bool any = false;
    for (uint32_t i = 0; i < k_.buffers.size(); ++i) {
      const uint32_t words = memory_.shared_words(i);
      if (words == 0) continue;
      any = true;
      loop(b_.fresh(), thread_, b_.number(words), k_.invocations(), [&](Id word) {
        memory_.clear(i, word);
        return false;
      });
    }
    if (any) memory_.barrier();
  }

  // ---- Values --------------------------------------------------------------------------------------------

  void set(Value v, Id id, bool truth = false) { results_[index(v)] = {id, truth}; }
  /// Of what is no truth and not wide.
  Id type_of(spec::DataType type) { return type == spec::DataType::U64 ? b_.integer(64) : b_.word(); }
  Result made(Value v) {
    if (const auto known = parameters_.find(v); known != parameters_.end()) return {known->second};
    const Inst& inst = k_[v];
    switch (given_by(inst.kind)) {
      case BuiltinInput::Literal: return {b_.number(inst.imm)};
      case BuiltinInput::Length:
        return {wants_mask_ ? hidden_length(inst.target) : memory_.length(inst.target)};
      case BuiltinInput::InvocationId: return {invocation_[inst.imm]};
      case BuiltinInput::WorkgroupId: return {group_[inst.imm]};
      case BuiltinInput::LocalId: return {local_[inst.imm]};
      case BuiltinInput::NumWorkgroups: return {num_groups_[inst.imm]};
      case BuiltinInput::Nothing: break;
    }
    return results_[index(v)];
  }
  Id word(Value v) {
    const Result r = made(v);
    return r.truth ? b_.emit(Op::OpSelect, b_.word(), {r.id, b_.number(1), b_.number(0)}) : r.id;
  }
  Id truth(Value v) {
    const Result r = made(v);
    return r.truth ? r.id : b_.emit(Op::OpINotEqual, b_.truth(), {r.id, b_.number(0)});
  }

  /// The operators that mean on 0 and 1 what one on bools means.
  static std::optional<Op> logical(RawOp op) {
    if (op == RawOp::And) return Op::OpLogicalAnd;
    if (op == RawOp::Or) return Op::OpLogicalOr;
    if (op == RawOp::Xor) return Op::OpLogicalNotEqual;
    return std::nullopt;
  }
  /// Of what is rounded to half NVIDIA's driver (580) forgets the rounding where it is widened again, so that
  /// is hidden from it too.
  static bool has_opaque_result(const Inst& inst) {
    return inst.kind == InstKind::Raw && inst.raw == RawOp::FToF16;
  }
  /// A comparison takes a length as it is, which is what bounds of memory are made of; all else a length that
  /// is hidden: see SpirvMemory::read_masks.
  static bool compares(const Inst& inst) { return inst.kind == InstKind::Raw && gives_truth(inst.raw); }
  bool hides_length(const Inst& inst) const {
    return !compares(inst) &&
           std::ranges::any_of(k_.args(inst), [&](Value v) { return k_[v].kind == InstKind::Len; });
  }
  Id hidden_length(uint32_t buffer) { return opaque(memory_.length(buffer), masks_.operand); }
  Id opaque(Id word, Id mask) { return b_.emit(Op::OpBitwiseXor, b_.word(), {word, mask}); }
  /// By Value: operands of arithmetic on floats that a driver could work out.
  std::vector<bool> operands_of_floats(const Kernel& kernel) const {
    std::vector<bool> used(kernel.insts.size());
    for (const Inst& inst : kernel.insts) {
      if (inst.kind != InstKind::Raw || !info(inst.raw).is_float) continue;
      for (uint32_t n = 0; n < inst.args.count; ++n) {
        if (!takes_wide(inst.raw, n)) used[index(kernel.arg(inst, n))] = true;
      }
    }
    for (size_t i = 0; i < used.size(); ++i) used[i] = used[i] && foldable_[i];
    return used;
  }
  /// By Slot: those that feed arithmetic on floats and hold words as well that only a dispatch knows. What
  /// they are given of constants is hidden where it is given: a driver that unrolls a loop knows what the
  /// first turn finds.
  std::vector<bool> mixed_slots(const Kernel& kernel) const {
    std::vector<std::vector<Value>> given(kernel.slots.size());
    std::vector<bool> reached(kernel.insts.size()), out(kernel.slots.size());
    std::vector<Value> left;
    const auto reach = [&](Value v) {
      if (!reached[index(v)]) left.push_back(v);
      reached[index(v)] = true;
    };
    for (const Inst& inst : kernel.insts) {
      if (inst.kind == InstKind::Set) given[inst.target].push_back(kernel.arg(inst, 0));
      if (inst.kind != InstKind::Raw || !info(inst.raw).is_float) continue;
      for (const Value v : kernel.args(inst)) reach(v);
    }
    while (!left.empty()) {
      const Value v = left.back();
      left.pop_back();
      const Inst& inst = kernel[v];
      if (inst.kind == InstKind::Raw) {
        for (const Value from : kernel.args(inst)) reach(from);
      }
      if (inst.kind != InstKind::Get || foldable_[index(v)] || out[inst.target]) continue;
      out[inst.target] = true;
      for (const Value from : given[inst.target]) reach(from);
    }
    return out;
  }
  bool hides_set(const Inst& inst) const {
    return inst.kind == InstKind::Set && mixed_slots_[inst.target] &&
           k_.slots[inst.target].type != spec::DataType::U64 && foldable_[index(k_.arg(inst, 0))];
  }
  Id operand(Value v, bool of_floats) {
    if (!of_floats || !opaque_operands_[index(v)]) return word(v);
    return opaque(word(v), masks_.operand);
  }
  // A driver may take a choice of two constants for a conversion of the condition to a float. Mesa does so
  // for 1.0 or 0.0 and for -1.0 or -0.0, and compares zeros by value, so that 1.0 or -0.0 counts as well;
  // that the words are integers does not stop it. Without -0.0 and -1.0 as constants no wrong pair is left. A
  // variable that is assigned in an if becomes a select, too.
  bool is_sign(Value v) const {
    const Inst& inst = k_[v];
    return inst.kind == InstKind::Const && (inst.imm == kMinusZero || inst.imm == kMinusOne);
  }
  /// Of a select, a value beside the other one.
  bool is_opaque_choice(Value v, Value other) const {
    const Inst& inst = k_[v];
    const Inst& beside = k_[other];
    const bool is_literal = beside.kind == InstKind::Const;
    if (is_literal && (beside.imm & 0x7fffffff) != 0 && (beside.imm & 0x7fffffff) != kOne) return false;
    if (is_sign(v)) return true;
    return inst.kind == InstKind::Raw && foldable_[index(v)] && (is_literal || foldable_[index(other)]) &&
           !gives_truth(inst.raw);
  }
  bool chooses_signs() const {
    return std::ranges::any_of(k_.insts, [&](const Inst& inst) {
      const auto args = k_.args(inst);
      if (inst.kind == InstKind::Set) return is_sign(args[0]);
      return inst.kind == InstKind::Raw && inst.raw == RawOp::Select &&
             (is_opaque_choice(args[1], args[2]) || is_opaque_choice(args[2], args[1]));
    });
  }
  Id choice(Value v, bool is_opaque) { return is_opaque ? opaque(word(v), masks_.operand) : word(v); }

  /// Of a sum, a difference or a product of two halves that is computed in f32 and rounded to half: the same
  /// by the device's own arithmetic on halves, where its modes make that right. Rounding once is rounding
  /// twice here (lower/float_rules.cpp), and nothing is left that a driver could forget.
  std::optional<Id> on_halves(const Inst& narrow) {
    const VulkanFloats& floats = target_.floats;
    const VulkanFloatModes& modes = floats.half;
    const bool right = modes.arithmetic && modes.round_to_even && modes.keep_special &&
                       modes.keep_subnormals && floats.independent;
    if (!right || narrow.kind != InstKind::Raw || narrow.raw != RawOp::FToF16) return std::nullopt;
    const Inst& inst = k_[k_.arg(narrow, 0)];
    const auto is = [](const Inst& i, RawOp op) { return i.kind == InstKind::Raw && i.raw == op; };
    const Op op = is(inst, RawOp::FAdd)   ? Op::OpFAdd
                  : is(inst, RawOp::FSub) ? Op::OpFSub
                  : is(inst, RawOp::FMul) ? Op::OpFMul
                                          : Op::OpNop;
    if (op == Op::OpNop) return std::nullopt;
    std::array<Id, 2> halves{};
    for (uint32_t n = 0; n < 2; ++n) {
      const Inst& wide = k_[k_.arg(inst, n)];
      if (!is(wide, RawOp::FFromF16)) return std::nullopt;
      halves[n] = half_of(b_, operand(k_.arg(wide, 0), /*of_floats=*/true));
    }
    return word_of_half(b_, b_.arithmetic(op, b_.real(16), {halves[0], halves[1]}));
  }

  void emit_raw(Value v, const Inst& inst) override {
    if (const auto done = on_halves(inst)) return set(v, *done);
    const auto args = k_.args(inst);
    if (const auto op = logical(inst.raw); op && made(args[0]).truth && made(args[1]).truth) {
      set(v, b_.emit(*op, b_.truth(), {truth(args[0]), truth(args[1])}), /*truth=*/true);
      return;
    }
    std::vector<Id>& operands = operands_;
    operands.clear();
    for (uint32_t n = 0; n < args.size(); ++n) {
      if (selects(inst.raw) && n == 0) {
        operands.push_back(truth(args[n]));
      } else if (takes_wide(inst.raw, n) || takes_long(inst.raw, n)) {
        operands.push_back(made(args[n]).id);  // of floats the words were opaque
      } else if (inst.raw == RawOp::Select) {
        operands.push_back(choice(args[n], is_opaque_choice(args[n], args[3 - n])));
      } else {
        const Inst& arg = k_[args[n]];
        const bool plain = arg.kind == InstKind::Len && compares(inst);
        operands.push_back(plain ? memory_.length(arg.target) : operand(args[n], info(inst.raw).is_float));
      }
    }
    const Id result = spirv_raw(inst.raw).emit(b_, operands);
    set(v, has_opaque_result(inst) ? opaque(result, masks_.result) : result, gives_truth(inst.raw));
  }

  void emit_intrinsic(Value v, const Inst& inst) override {
    const auto args = k_.args(inst);
    const auto intrinsic = spec::Intrinsic(inst.imm);
    SpirvSubgroupCall call{.size = target_.subgroup_size, .word = inst.target};
    if (intrinsic == spec::Intrinsic::SubgroupLane) {
      call.lane = b_.emit(Op::OpBitwiseAnd, b_.word(), {thread_, b_.number(target_.subgroup_size - 1)});
    }
    if (!args.empty()) call.first = word(args[0]);
    if (args.size() > 1) call.second = word(args[1]);
    b_.capability(spv::Capability::GroupNonUniform);
    set(v, emit_subgroup(b_, intrinsic, call), gives_truth(intrinsic));
  }

  void emit_get(Value v, const Inst& inst) override {
    set(v, b_.emit(Op::OpLoad, type_of(inst.type), {slots_[inst.target]}));
  }
  void emit_set(const Inst& inst) override {
    const Value from = k_.arg(inst, 0);
    const Id value = choice(from, is_sign(from) || hides_set(inst));
    b_.emit(Op::OpStore, {slots_[inst.target], value});
  }

  void emit_barrier() override { memory_.barrier(); }
  // ---- Elements of several words
  // ---------------------------------------------------------------------------

  /// An index over four. What is a sum with a multiple of four stays one, so that literals can be part of an
  /// address.
  Id quarter(Value v, uint32_t depth = 0) {
    constexpr uint32_t kDeepest = 8;
    const Inst& inst = k_[v];
    if (inst.kind == InstKind::Const) return b_.number(inst.imm / 4);
    if (!neighbours_.sums[index(v)] || depth == kDeepest)
      return b_.emit(Op::OpShiftRightLogical, b_.word(), {word(v), b_.number(2)});
    const Id a = quarter(k_.arg(inst, 0), depth + 1);
    return b_.emit(Op::OpIAdd, b_.word(), {a, quarter(k_.arg(inst, 1), depth + 1)});
  }
  SpirvIndex place(const Inst& access) {
    const Value at = k_.arg(access, 0);
    return {word(at), neighbours_.in_fours[access.target] ? quarter(at) : Id{}};
  }
  void load_neighbours(const std::vector<Value>& parts) {
    const Inst& first = k_[parts.front()];
    const bool once = std::ranges::any_of(parts, [&](Value part) { return once_[index(part)]; });
    const std::vector<Id> words = memory_.load_whole(first.target, quarter(k_.arg(first, 0)), once);
    for (size_t n = 0; n < parts.size(); ++n) set(parts[n], words[n]);
  }
  void store_neighbours(const std::vector<Value>& parts) {
    std::vector<Id> words;
    for (const Value part : parts) words.push_back(word(k_.arg(k_[part], 1)));
    const Inst& first = k_[parts.front()];
    memory_.store_whole(first.target, quarter(k_.arg(first, 0)), words);
  }

  void emit_load(Value v, const Inst& inst) override {
    if (neighbours_.joined.contains(index(v))) {
      const auto found = neighbours_.at.find(index(v));
      if (found != neighbours_.at.end()) load_neighbours(found->second);
      return;
    }
    if (!whole_.joined.contains(index(v))) return set(v, memory_.load(inst, place(inst), once_[index(v)]));
    const Id at = word(k_.arg(inst, 0));
    const auto found = whole_.at.find(index(v));
    if (found == whole_.at.end()) return;  // loaded with the first
    const bool once = std::ranges::any_of(found->second, [&](Value part) { return once_[index(part)]; });
    const std::vector<Id> words = memory_.load_whole(inst.target, at, once);
    for (const Value part : found->second) {
      const Inst& load = k_[part];
      set(part,
          words_of_access(load) == 2 ? long_of(b_, words[load.imm], words[load.imm + 1]) : words[load.imm]);
    }
  }
  void emit_store(const Inst& inst) override {
    const auto v = uint32_t(&inst - k_.insts.data());
    if (neighbours_.joined.contains(v)) {
      const auto found = neighbours_.at.find(v);
      if (found != neighbours_.at.end()) store_neighbours(found->second);
      return;
    }
    if (!whole_.joined.contains(v)) return memory_.store(inst, place(inst), word(k_.arg(inst, 1)));
    const Id at = word(k_.arg(inst, 0));
    const auto found = whole_.at.find(v);
    if (found == whole_.at.end()) return;  // stored with the last
    std::vector<Id> words;
    for (const Value part : found->second) {
      const Inst& store = k_[part];
      const Id value = word(k_.arg(store, 1));
      for (uint32_t n = 0; n < words_of_access(store); ++n)
        words.push_back(words_of_access(store) == 2 ? word_of_long(b_, value, n) : value);
    }
    memory_.store_whole(inst.target, at, words);
  }
  void emit_atomic(Value v, const Inst& inst) override {
    const auto args = k_.args(inst);
    const Id at = word(args[0]);
    const Id expected = args.size() > 2 ? word(args[1]) : Id{};
    set(v, memory_.atomic(inst, at, expected, word(args[args.size() - 1])));
  }

  // ---- Control -------------------------------------------------------------------------------------------

  void enter(Id label) {
    b_.label(label);
    current_ = label;
  }
  void go(Id label) { b_.emit(Op::OpBranch, {label}); }

  void emit_return() override { b_.emit(Op::OpReturn, {}); }

  bool emit_if(Value /*v*/, const Inst& inst) override {
    const Id condition = truth(k_.arg(inst, 0));
    const Id then = b_.fresh();
    const Id after = b_.fresh();
    const bool has_else = inst.orelse != kNoKBlock;
    const Id otherwise = has_else ? b_.fresh() : after;
    b_.emit(Op::OpSelectionMerge, {after, spv::SelectionControlMask::MaskNone});
    b_.emit(Op::OpBranchConditional, {condition, then, otherwise});
    enter(then);
    const OutlinedCall* const call = in_function_ ? nullptr : outlines_.call(inst.body);
    if (call != nullptr) emit_call(*call);
    const bool then_left = call == nullptr && emit_block(inst.body);
    if (!then_left) go(after);
    bool else_left = false;
    if (has_else) {
      enter(otherwise);
      else_left = emit_block(inst.orelse);
      if (!else_left) go(after);
    }
    enter(after);
    if (then_left && else_left) b_.emit(Op::OpUnreachable, {});
    return then_left && else_left;
  }

  // ---- Functions -----------------------------------------------------------------------------------------

  bool hides_arguments() const {
    return std::ranges::any_of(outlines_.calls, [&](const auto& call) {
      return std::ranges::any_of(call.second.arguments, [&](Value v) { return foldable_[index(v)]; });
    });
  }
  /// What a driver could work out is hidden from it, for it may make a function for each call.
  void emit_call(const OutlinedCall& call) {
    const Id function = function_of(call.function);
    std::vector<Id> arguments;
    for (const Value v : call.arguments) {
      const Id argument = word(v);
      arguments.push_back(foldable_[index(v)] ? opaque(argument, masks_.operand) : argument);
    }
    if (wants_mask_) arguments.insert(arguments.end(), {masks_.operand, masks_.result});
    b_.emit(Op::OpStore, {slots_[index(call.result)], b_.call(function, arguments)});
  }
  /// Written when it is called first. Its parameters are the values, and the masks.
  Id function_of(uint32_t number) {
    if (functions_.empty()) functions_.resize(outlines_.functions.size());
    if (functions_[number] != Id{}) return functions_[number];
    const OutlinedFunction& outlined = outlines_.functions[number];
    std::vector<Id> ids(outlined.parameters.size() + (wants_mask_ ? kSpirvMasks : 0));
    const auto function = b_.begin_function(ids);
    const Id outside = std::exchange(current_, function.label);
    const Masks masks = masks_;
    const std::vector<Id> slots = slots_;
    for (size_t n = 0; n < outlined.parameters.size(); ++n)
      parameters_.emplace(outlined.parameters[n], ids[n]);
    if (wants_mask_) masks_ = {ids[ids.size() - 2], ids[ids.size() - 1]};
    declare_slots(outlined.body);
    in_function_ = true;
    emit_block(outlined.body);
    in_function_ = false;
    b_.end_function(b_.emit(Op::OpLoad, b_.word(), {slots_[index(outlined.result)]}));
    parameters_.clear();
    slots_ = slots;
    masks_ = masks;
    current_ = outside;
    return functions_[number] = function.id;
  }
  void declare_slots(KBlock block) {
    std::set<uint32_t> seen;
    walk(k_, block, [&](Value v) {
      const Inst& inst = k_[v];
      const bool names = inst.kind == InstKind::Get || inst.kind == InstKind::Set;
      if (names && seen.insert(inst.target).second) slots_[inst.target] = b_.variable(b_.word());
    });
  }

  bool has_loops() const { return memory_.shared_bytes() != 0 || find(k_, InstKind::Loop) != nullptr; }
  /// After a loop: an invocation that gets here has done all of it.
  void watch(Id i, Id to) {
    if (!memory_.has_watch()) return;
    const Id early = b_.emit(Op::OpULessThan, b_.truth(), {i, to});
    const Id raise = b_.fresh();
    const Id after = b_.fresh();
    b_.emit(Op::OpSelectionMerge, {after, spv::SelectionControlMask::MaskNone});
    b_.emit(Op::OpBranchConditional, {early, raise, after});
    enter(raise);
    memory_.raise_watch();
    go(after);
    enter(after);
  }

  /// for (i = from; i < to; i += step) body(i). Domain: i + step does not wrap where i < to. `body` says
  /// whether it returned on every way.
  template <typename Body>
  void loop(Id i, Id from, Id to, uint32_t step, Body&& body, bool unroll = false) {
    const Id before = current_;
    const Id head = b_.fresh();
    const Id run = b_.fresh();
    const Id next_turn = b_.fresh();
    const Id after = b_.fresh();
    const Id next = b_.fresh();
    go(head);
    enter(head);
    b_.emit_as(i, Op::OpPhi, b_.word(), {from, before, next, next_turn});
    const Id more = b_.emit(Op::OpULessThan, b_.truth(), {i, to});
    b_.emit(Op::OpLoopMerge,
            {after, next_turn, unroll ? spv::LoopControlMask::Unroll : spv::LoopControlMask::MaskNone});
    b_.emit(Op::OpBranchConditional, {more, run, after});
    enter(run);
    if (!body(i)) go(next_turn);
    enter(next_turn);
    b_.emit_as(next, Op::OpIAdd, b_.word(), {i, b_.number(step)});
    go(head);
    enter(after);
    watch(i, to);
  }

  /// A loop whose body always returns: an if, for there is no second turn. NVIDIA's driver (580) goes on
  /// behind such a loop as if it had not returned (test/regress, loops-that-return).
  void emit_only_turn(Value v, Id from, Id to, KBlock body) {
    const Id run = b_.fresh();
    const Id after = b_.fresh();
    set(v, from);
    const Id more = b_.emit(Op::OpULessThan, b_.truth(), {from, to});
    b_.emit(Op::OpSelectionMerge, {after, spv::SelectionControlMask::MaskNone});
    b_.emit(Op::OpBranchConditional, {more, run, after});
    enter(run);
    emit_block(body);
    enter(after);
  }

  void emit_loop(Value v, const Inst& inst) override {
    const Id from = word(k_.arg(inst, 0));
    const Id to = word(k_.arg(inst, 1));
    if (leaving_[index(inst.body)]) return emit_only_turn(v, from, to, inst.body);
    const Id i = b_.fresh();
    set(v, i);
    loop(i, from, to, 1, [&](Id) { return emit_block(inst.body); }, /*unroll=*/inst.imm != 0);
  }

  // ---- Modes of floats -----------------------------------------------------------------------------------

  void ask_for_mode(spv::Capability capability, spv::ExecutionMode mode, uint32_t bits) {
    b_.capability(capability);
    b_.execution_mode(mode, {bits});
  }
  void ask_for_modes(const VulkanFloatModes& modes, uint32_t bits) {
    if (!b_.uses_real(bits)) return;
    // Rounding and subnormals may have to be the same for all widths; what is kept never has.
    const bool settable = bits == 32 || target_.floats.independent;
    if (modes.round_to_even && settable) {
      ask_for_mode(spv::Capability::RoundingModeRTE, spv::ExecutionMode::RoundingModeRTE, bits);
    }
    if (modes.keep_subnormals && settable) {
      ask_for_mode(spv::Capability::DenormPreserve, spv::ExecutionMode::DenormPreserve, bits);
    }
    if (modes.keep_special && !target_.float_controls2) {
      ask_for_mode(spv::Capability::SignedZeroInfNanPreserve, spv::ExecutionMode::SignedZeroInfNanPreserve,
                   bits);
    }
  }
  void ask_for_modes() {
    ask_for_modes(target_.floats.half, 16);
    ask_for_modes(target_.floats.single, 32);
    ask_for_modes(target_.floats.wide, 64);
  }

  const SpirvTarget& target_;
  SpirvBuilder b_;
  const Neighbours neighbours_;
  SpirvMemory memory_;
  const std::vector<bool> leaving_;          // by KBlock: every way through it returns
  const std::vector<bool> once_;             // by Value: loads that happen exactly once
  const std::vector<bool> foldable_;         // by Value
  const std::vector<bool> opaque_operands_;  // by Value
  const std::vector<bool> mixed_slots_;      // by Slot
  const Outlines outlines_;
  WholeAccesses whole_;
  const bool wants_mask_;
  struct Masks {
    Id operand{}, result{};
  } masks_;                         // of the function that is being written
  bool in_function_ = false;        // not of the entry point
  std::map<Value, Id> parameters_;  // of that function; none of the entry point
  std::vector<Id> functions_;       // by number; none until it is called
  std::vector<Result> results_;     // by Value
  std::vector<Id> slots_;           // by Slot
  std::vector<Id> operands_;        // of the raw operator at hand
  Id current_ = b_.entry_label();   // the block that is being written
  Id thread_{};                     // linear local id
  Id groups_{};                     // the workgroup's, of all axes
  std::array<Id, 3> local_{}, group_{}, invocation_{}, num_groups_{};
};

}  // namespace

SpirvModule emit_shell(const Kernel& kernel, const SpirvTarget& target) {
  return EntryPointEmitter(kernel, target).run();
}

}  // namespace vyre::lower
