// From a legal kernel to LLVM IR: the CPU entry point around the raw operators.
#include <fmt/format.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lower/inst_info.h"
#include "lower/llvm/emitter.h"
#include "lower/llvm/llvm.h"
#include "lower/llvm/regions.h"
#include "lower/walk.h"
#include "spec/intrinsics.h"
#include "spec/ops.h"

namespace vyre::lower {
namespace {

/// At most this many arrays get alias scopes of their own; the lists grow with the square.
constexpr size_t kMaxScopes = 24;
/// A flat kernel of at most this many instructions is emitted twice: once for invocations known to be in
/// bounds.
constexpr size_t kMaxVersioned = 600;

class CpuEmitter final : Emitter {
 public:
  CpuEmitter(const Kernel& kernel, llvm::Module& module, const std::string& symbol,
             const EmitOptions& options)
      : Emitter(kernel, module), plan_(plan_regions(kernel)), options_(options), uses_(used_ids(kernel)) {
    find_uses();
    find_merges();
    values_.assign(k_.insts.size(), nullptr);
    conditions_.assign(k_.insts.size(), nullptr);
    make_entry(symbol);
  }

  llvm::Function* run() {
    load_arguments();
    if (plan_.flat) {
      flat_shell();
    } else {
      group_shell();
    }
    return function_;
  }

 private:
  void make_entry(const std::string& symbol) {
    auto* pointer = b_.getPtrTy();
    make_function(symbol, {pointer, pointer, b_.getInt64Ty(), b_.getInt64Ty(), pointer});
    function_->addFnAttr(llvm::Attribute::WillReturn);
    const char* names[] = {"buffers", "groups", "first", "count", "scratch"};
    for (unsigned i = 0; i < 5; ++i) function_->getArg(i)->setName(names[i]);
    function_->addParamAttr(4, llvm::Attribute::getWithAlignment(context_, llvm::Align(64)));
  }

  // ---- What the kernel uses ------------------------------------------------------------------------------

  // Unused ids, lengths and words are not emitted: at level 0 nothing else removes them.
  void find_uses() {
    uses_length_.assign(k_.buffers.size(), false);
    used_as_word_.assign(k_.insts.size(), false);
    for (const Inst& inst : k_.insts) {
      if (inst.kind == InstKind::Len) uses_length_[inst.target] = true;
      const bool condition_first =
          inst.kind == InstKind::If ||
          (inst.kind == InstKind::Raw && (inst.raw == RawOp::Select || inst.raw == RawOp::WideSelect));
      const auto args = k_.args(inst);
      for (const Value v : args.subspan(condition_first ? 1 : 0)) used_as_word_[index(v)] = true;
    }
    for (size_t v = 0; v < plan_.value_offset.size(); ++v) {
      if (plan_.value_offset[v] != kNoOffset) used_as_word_[v] = true;
    }
  }

  // ---- Slots that are merges -----------------------------------------------------------------------------

  // Most slots are what a guarded access leaves behind: set, set again at the top of one arm of an if, and
  // read after it. Those are one phi and need no memory; that keeps kernels of 10^5 accesses linear, which
  // they would not be if LLVM had to find the phis.
  struct Merge {
    uint32_t slot;
    Value before;  // its value when the arm is not taken
    Value inside;
  };

  /// What is known of a slot on the way through the text.
  struct SlotUse {
    Value before{}, inside{};
    Value set = kNoValue;    // the first Set
    Value owner = kNoValue;  // the If around the second
    uint32_t sets = 0;
    bool good = true;
  };

  void find_merges() {
    const Nesting nesting(k_);
    std::vector<SlotUse> uses(k_.slots.size());
    std::vector<bool> finished(k_.insts.size(),
                               false);  // Ifs that the walk has left: their slots may be read
    const auto note_set = [&](Value v, SlotUse& use) {
      const Value value = k_.arg(k_[v], 0);
      if (++use.sets == 1) {
        use.set = v;
        use.before = value;
        return;
      }
      use.owner = nesting.around(v);
      use.inside = value;
      use.good &= use.sets == 2 && use.owner != kNoValue && k_[use.owner].kind == InstKind::If &&
                  k_[use.owner].orelse == kNoKBlock &&
                  nesting.holder[index(use.owner)] == nesting.holder[index(use.set)];
    };
    walk(
        k_, k_.entry,
        [&](Value v) {
          const Inst& inst = k_[v];
          if (inst.kind == InstKind::Set) note_set(v, uses[inst.target]);
          if (inst.kind == InstKind::Get) {
            SlotUse& use = uses[inst.target];
            use.good &= use.sets == 2 && use.owner != kNoValue && finished[index(use.owner)];
          }
          return true;
        },
        [](Value) {}, [&](Value v) { finished[index(v)] = true; });
    merged_.assign(k_.slots.size(), false);
    slot_values_.assign(k_.slots.size(), nullptr);
    merges_.resize(k_.insts.size());
    for (uint32_t s = 0; s < uses.size(); ++s) {
      const SlotUse& use = uses[s];
      const bool kept = s < plan_.slot_offset.size() && plan_.slot_offset[s] != kNoOffset;
      // An if that is a step of its own is emitted by emit_steps(), which makes no phi.
      if (!use.good || use.sets != 2 || kept || plan_.is_step(use.owner)) continue;
      merged_[s] = true;
      merges_[index(use.owner)].push_back({s, use.before, use.inside});
    }
  }

  // ---- Arguments -----------------------------------------------------------------------------------------

  void load_arguments() {
    Ir buffers = function_->getArg(0);
    memory_.resize(k_.buffers.size());
    for (size_t i = 0; i < k_.buffers.size(); ++i) {
      const KernelBuffer& buffer = k_.buffers[i];
      Memory& m = memory_[i];
      if (buffer.access == spec::BufferAccess::Workgroup) {
        m.base = scratch(plan_.buffer_offset[i], buffer.name);
        m.length = imm(buffer.count);
        continue;
      }
      const uint64_t entry = uint64_t{buffer.argument} * sizeof(CpuBuffer);
      Ir base = byte_address(buffers, entry + offsetof(CpuBuffer, data));
      m.base = b_.CreateAlignedLoad(b_.getPtrTy(), base, llvm::Align(8), buffer.name);
      if (!uses_length_[i]) continue;
      Ir count = byte_address(buffers, entry + offsetof(CpuBuffer, count));
      Ir wide = b_.CreateAlignedLoad(b_.getInt64Ty(), count, llvm::Align(8));
      m.length = b_.CreateTrunc(wide, word(), buffer.name + ".len");
    }
    const uint32_t axes = wants_rows() ? 2 : 1;  // the z part is what is left
    for (uint32_t axis = 0; axis < axes; ++axis) {
      Ir at = byte_address(function_->getArg(1), uint64_t{axis} * sizeof(uint32_t));
      groups_[axis] = b_.CreateAlignedLoad(word(), at, llvm::Align(4), "groups");
    }
    for (size_t s = 0; s < k_.slots.size(); ++s) {
      slots_.push_back(merged_[s] ? nullptr : b_.CreateAlloca(word(), nullptr, k_.slots[s].name));
    }
    for (size_t s = 0; s < k_.slots.size(); ++s) kept_slots_.push_back(kept_array(plan_.slot_offset, s));
    for (size_t v = 0; v < k_.insts.size(); ++v) kept_values_.push_back(kept_array(plan_.value_offset, v));
    if (plan_.live_offset != kNoOffset) {
      live_.base = scratch(plan_.live_offset, "live");
      any_live_ = b_.CreateAlloca(word(), nullptr, "any_live");
    }
    if (options_.alias_scopes) make_scopes();
  }

  Ir byte_address(Ir base, uint64_t offset, const std::string& name = "") {
    if (offset == 0) return base;
    return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), base, offset, name);
  }
  Ir scratch(uint64_t offset, const std::string& name) {
    return byte_address(function_->getArg(4), offset, name);
  }
  Memory kept_array(const std::vector<uint64_t>& offsets, size_t i) {
    if (i >= offsets.size() || offsets[i] == kNoOffset) return {};
    return {.base = scratch(offsets[i], "kept")};
  }

  // Arrays do not overlap: bindings may not (layout::bind refuses it), and scratch memory is ours.
  void make_scopes() {
    std::vector<Memory*> arrays;
    for (Memory& m : memory_) arrays.push_back(&m);
    if (live_.base != nullptr) arrays.push_back(&live_);
    for (auto* list : {&kept_slots_, &kept_values_}) {
      for (Memory& m : *list) {
        if (m.base != nullptr) arrays.push_back(&m);
      }
    }
    if (arrays.size() < 2 || arrays.size() > kMaxScopes) return;
    llvm::MDBuilder md(context_);
    llvm::MDNode* domain = md.createAnonymousAliasScopeDomain(function_->getName());
    std::vector<llvm::Metadata*> scopes;
    for (size_t i = 0; i < arrays.size(); ++i) scopes.push_back(md.createAnonymousAliasScope(domain));
    for (size_t i = 0; i < arrays.size(); ++i) {
      std::vector<llvm::Metadata*> rest;
      for (size_t j = 0; j < arrays.size(); ++j) {
        if (j != i) rest.push_back(scopes[j]);
      }
      arrays[i]->scope = llvm::MDNode::get(context_, scopes[i]);
      arrays[i]->others = llvm::MDNode::get(context_, rest);
    }
  }

  // ---- Loops ---------------------------------------------------------------------------------------------

  /// Tells the optimiser that a loop is not worth its while.
  void keep_scalar(const LoopFrame& loop) {
    const auto flag = [&](const char* name, llvm::Metadata* value) -> llvm::Metadata* {
      if (value == nullptr) return llvm::MDNode::get(context_, {llvm::MDString::get(context_, name)});
      return llvm::MDNode::get(context_, {llvm::MDString::get(context_, name), value});
    };
    llvm::Metadata* parts[] = {
        nullptr, flag("llvm.loop.vectorize.enable", llvm::ConstantAsMetadata::get(b_.getFalse())),
        flag("llvm.loop.unroll.disable", nullptr)};
    llvm::MDNode* id = llvm::MDNode::getDistinct(context_, parts);
    id->replaceOperandWith(0, id);
    loop.latch->getTerminator()->setMetadata(llvm::LLVMContext::MD_loop, id);
  }

  // ---- Entry points
  // ----------------------------------------------------------------------------------------

  // No lane waits for another: whole rows of groups are one loop over x, whose variable is invocation_id.x.
  void flat_shell() {
    const auto& size = k_.workgroup_size;
    Ir first = function_->getArg(2);
    Ir end = b_.CreateAdd(first, function_->getArg(3), "end");
    llvm::BasicBlock* before = b_.GetInsertBlock();
    llvm::BasicBlock* row = block("row");
    llvm::BasicBlock* finish = llvm::BasicBlock::Create(context_, "finish");
    b_.CreateCondBr(b_.CreateICmpULT(first, end), row, finish);
    b_.SetInsertPoint(row);
    llvm::PHINode* group = b_.CreatePHI(b_.getInt64Ty(), 2, "group");
    group->addIncoming(first, before);
    split_group_index(group);
    Ir groups_x = b_.CreateZExt(groups_[0], b_.getInt64Ty());
    Ir left = b_.CreateSub(end, group);
    Ir in_row = b_.CreateSub(groups_x, b_.CreateZExt(group_[0], b_.getInt64Ty()));
    Ir take = b_.CreateSelect(b_.CreateICmpULT(left, in_row), left, in_row, "take");
    Ir x_begin = b_.CreateMul(group_[0], imm(size[0]), "x.begin", true, true);
    Ir x_end =
        b_.CreateAdd(x_begin, b_.CreateMul(b_.CreateTrunc(take, word()), imm(size[0])), "x.end", true, true);

    const std::vector<uint32_t> guards = guarded_by_x();
    std::optional<LoopFrame> z, y;
    if (size[2] > 1) z = open_loop(imm(0), imm(size[2]), "z");
    if (size[1] > 1) y = open_loop(imm(0), imm(size[1]), "y");
    local_[2] = z ? z->index : imm(0);
    local_[1] = y ? y->index : imm(0);
    set_row_ids();
    if (guards.empty()) {
      x_loop(x_begin, x_end);
    } else {
      // Below every guarding length the guards hold: there the body is emitted without them.
      Ir safe = x_end;
      for (const uint32_t buffer : guards) {
        safe = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, safe, memory_[buffer].length);
      }
      safe = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, safe, x_begin);
      in_bounds_ = true;
      x_loop(x_begin, safe);
      in_bounds_ = false;
      x_loop(safe, x_end, /*short_tail=*/true);
    }
    if (y) close_loop(*y, false);
    if (z) close_loop(*z, false);

    Ir next = b_.CreateAdd(group, take);
    group->addIncoming(next, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpULT(next, end), row, finish);
    enter(finish);
    b_.CreateRetVoid();
  }

  void x_loop(Ir from, Ir to, bool short_tail = false) {
    LoopFrame x = open_loop(from, to, "x", Range::MaybeEmpty);
    invocation_[0] = x.index;
    const uint32_t wx = k_.workgroup_size[0];
    Ir group_x = group_[0];
    if (uses_.group[0]) group_[0] = wx == 1 ? x.index : b_.CreateUDiv(x.index, imm(wx), "group.x");
    if (uses_.local[0]) local_[0] = wx == 1 ? imm(0) : b_.CreateURem(x.index, imm(wx), "local.x");
    lane_exit_ = x.latch;
    close_loop(x, emit_block(k_.entry));
    if (short_tail) keep_scalar(x);
    group_[0] = group_x;
  }

  // Buffers whose length some invocation_id.x is compared with: the usual guard of an access.
  std::vector<uint32_t> guarded_by_x() {
    std::vector<uint32_t> found;
    if (!options_.version_loops || k_.insts.size() > kMaxVersioned) return found;
    for (const Inst& inst : k_.insts) {
      if (const auto buffer = x_guard(inst)) {
        if (std::find(found.begin(), found.end(), *buffer) == found.end()) found.push_back(*buffer);
      }
    }
    return found;
  }
  std::optional<uint32_t> x_guard(const Inst& inst) const {
    if (inst.kind != InstKind::Raw || inst.raw != RawOp::ULt) return std::nullopt;
    const Inst& left = k_[k_.arg(inst, 0)];
    const Inst& right = k_[k_.arg(inst, 1)];
    if (left.kind != InstKind::InvocationId || left.imm != 0 || right.kind != InstKind::Len)
      return std::nullopt;
    if (k_.buffers[right.target].access == spec::BufferAccess::Workgroup) return std::nullopt;
    return right.target;
  }

  /// Whether the y or z part of workgroup_id is wanted.
  bool wants_rows() const {
    return uses_.group[1] || uses_.invocation[1] || uses_.group[2] || uses_.invocation[2];
  }
  // The linear index of a group, x fastest, as workgroup_id. The x part is always wanted, for rows.
  void split_group_index(Ir group) {
    Ir gx = b_.CreateZExt(groups_[0], b_.getInt64Ty());
    group_[0] = b_.CreateTrunc(b_.CreateURem(group, gx), word(), "group.x");
    if (!wants_rows()) return;
    const bool y = uses_.group[1] || uses_.invocation[1];
    const bool z = uses_.group[2] || uses_.invocation[2];
    Ir row = b_.CreateUDiv(group, gx);
    Ir gy = b_.CreateZExt(groups_[1], b_.getInt64Ty());
    if (y) group_[1] = b_.CreateTrunc(b_.CreateURem(row, gy), word(), "group.y");
    if (z) group_[2] = b_.CreateTrunc(b_.CreateUDiv(row, gy), word(), "group.z");
  }
  // invocation_id of the group's first invocation. Ids stay below 65,535 * 1,024, so nothing wraps.
  Ir first_of_group(uint32_t axis) {
    const uint32_t size = k_.workgroup_size[axis];
    return size == 1 ? group_[axis] : b_.CreateMul(group_[axis], imm(size), "", true, true);
  }
  void set_row_ids() {
    for (const uint32_t axis : {1u, 2u}) {
      if (!uses_.invocation[axis]) continue;
      invocation_[axis] = first_of_group(axis);
      if (k_.workgroup_size[axis] == 1) continue;
      invocation_[axis] = b_.CreateAdd(invocation_[axis], local_[axis], "", true, true);
    }
  }

  void group_shell() {
    Ir first = function_->getArg(2);
    Ir end = b_.CreateAdd(first, function_->getArg(3), "end");
    LoopFrame group = open_loop(first, end, "group", Range::MaybeEmpty);
    split_group_index(group.index);
    if (uses_.invocation[0]) base_x_ = first_of_group(0);
    clear_workgroup_memory();
    if (live_.base != nullptr) {
      LoopFrame lanes = open_loop(b_.getInt64(0), b_.getInt64(k_.invocations()), "lane");
      store_word(live_, lanes.index, imm(1));
      close_loop(lanes, false);
    }
    group_exit_ = group.latch;
    close_loop(group, emit_steps(plan_.steps));
    b_.CreateRetVoid();
  }

  void clear_workgroup_memory() {
    const uint64_t bytes = plan_.workgroup_memory_bytes;  // of whole cache lines
    if (bytes == 0) return;
    Ir base = function_->getArg(4);
    if (options_.memset) {
      b_.CreateMemSet(base, b_.getInt8(0), bytes, llvm::Align(64));
      return;
    }
    LoopFrame clear = open_loop(b_.getInt64(0), b_.getInt64(bytes / sizeof(uint64_t)), "clear");
    Ir at = b_.CreateInBoundsGEP(b_.getInt64Ty(), base, clear.index);
    b_.CreateAlignedStore(b_.getInt64(0), at, llvm::Align(sizeof(uint64_t)));
    close_loop(clear, false);
  }

  /// True when the block was left for the end of the workgroup.
  bool emit_steps(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      switch (step.kind) {
        case Step::Kind::Region: emit_region(plan_.regions[step.region]); break;
        case Step::Kind::Return: b_.CreateBr(group_exit_); return true;
        case Step::Kind::If: {
          const Ir condition = uniform_condition(k_.arg(k_[step.control], 0));
          if (emit_branch(
                  condition, [&] { return emit_steps(step.body); }, !step.orelse.empty(),
                  [&] { return emit_steps(step.orelse); })) {
            return true;
          }
          break;
        }
        case Step::Kind::Loop: {
          const Inst& inst = k_[step.control];
          emit_loop_over(step.control, uniform(k_.arg(inst, 0)), uniform(k_.arg(inst, 1)),
                         [&] { return emit_steps(step.body); });
          break;
        }
      }
    }
    return false;
  }

  // A value as uniform control sees it: lane 0 has kept what every lane has.
  Ir uniform(Value v) {
    if (const Memory& m = kept_values_[index(v)]; m.base != nullptr) return load_word(m, b_.getInt64(0));
    return operand(v);
  }
  Ir uniform_condition(Value v) {
    if (kept_values_[index(v)].base != nullptr) return b_.CreateICmpNE(uniform(v), imm(0));
    return condition(v);
  }

  void emit_region(const Region& region) {
    for (const Value v : region.scalars) emit(v);
    if (region.lanes.empty()) return;
    const auto& size = k_.workgroup_size;
    const bool watch = live_.base != nullptr && region.returns;
    if (watch) b_.CreateStore(imm(0), any_live_);

    std::optional<LoopFrame> z, y;
    if (size[2] > 1) z = open_loop(imm(0), imm(size[2]), "z");
    if (size[1] > 1) y = open_loop(imm(0), imm(size[1]), "y");
    local_[2] = z ? z->index : imm(0);
    local_[1] = y ? y->index : imm(0);
    set_row_ids();
    Ir row = nullptr;  // the lane number of the row's first invocation
    if (y || z) {
      row = y ? local_[1] : local_[2];
      if (y && z)
        row = b_.CreateAdd(b_.CreateMul(local_[2], imm(size[1]), "", true, true), row, "", true, true);
      row = b_.CreateZExt(b_.CreateMul(row, imm(size[0]), "", true, true), b_.getInt64Ty(), "row");
    }
    llvm::BasicBlock* before = b_.GetInsertBlock();
    LoopFrame x = open_loop(imm(0), imm(size[0]), "x");
    // invocation_id.x counts beside local_id.x, so that both are affine without a wrap to disprove.
    llvm::PHINode* id = nullptr;
    if (uses_.invocation[0]) {
      id = b_.CreatePHI(word(), 2, "id.x");
      id->addIncoming(base_x_, before);
    }
    local_[0] = x.index;
    invocation_[0] = id;
    lane_ = b_.CreateZExt(x.index, b_.getInt64Ty(), "lane");
    if (row != nullptr) lane_ = b_.CreateAdd(row, lane_, "lane", true, true);
    lane_exit_ = x.latch;
    returning_ = watch;

    if (region.checks_live) {
      llvm::BasicBlock* alive = block("alive");
      Ir live = load_word(live_, lane_);
      b_.CreateCondBr(b_.CreateICmpNE(live, imm(0)), alive, x.latch);
      b_.SetInsertPoint(alive);
    }
    for (const Value v : region.inputs) set(v, take_input(v));
    for (const Slot s : region.slots_in) {
      b_.CreateStore(load_word(kept_slots_[index(s)], lane_), slots_[index(s)]);
    }
    bool terminated = false;
    for (const Value v : region.lanes) {
      if ((terminated = emit(v))) break;
      if (const Memory& m = kept_values_[index(v)]; m.base != nullptr) store_word(m, lane_, operand(v));
    }
    if (!terminated) {
      for (const Slot s : region.slots_out) {
        store_word(kept_slots_[index(s)], lane_, b_.CreateLoad(word(), slots_[index(s)]));
      }
      if (watch) b_.CreateStore(imm(1), any_live_);
    }
    close_loop(x, terminated);
    if (id != nullptr) {
      b_.SetInsertPoint(x.latch->getTerminator());
      id->addIncoming(b_.CreateAdd(id, imm(1), "", true, true), x.latch);
      b_.SetInsertPoint(x.exit);
    }
    if (y) close_loop(*y, false);
    if (z) close_loop(*z, false);
    if (watch) {
      // A return in uniform control was taken by all: then no later barrier or bound of a loop may be met.
      llvm::BasicBlock* on = block("on");
      b_.CreateCondBr(b_.CreateICmpNE(b_.CreateLoad(word(), any_live_), imm(0)), on, group_exit_);
      b_.SetInsertPoint(on);
    }
    returning_ = false;
  }

  // What another region made: kept in memory, or a few operators over what every lane has.
  Ir take_input(Value v) {
    const Inst& inst = k_[v];
    if (plan_.residence[index(v)] == Residence::Lane) return load_word(kept_values_[index(v)], lane_);
    for (const Value a : k_.args(inst)) {
      if (plan_.residence[index(a)] == Residence::Recomputable) set(a, take_input(a));
    }
    return raw_operator(inst);
  }

  // ---- Instructions --------------------------------------------------------------------------------------

  void set(Value v, Ir value) override {
    if (value->getType()->isIntegerTy(1)) {
      conditions_[index(v)] = value;
      value = used_as_word_[index(v)] ? b_.CreateZExt(value, word()) : nullptr;
    } else {
      conditions_[index(v)] = nullptr;
    }
    values_[index(v)] = value;
  }

  Ir operand(Value v) override {
    if (Ir given = builtin(k_[v])) return given;
    return holds(v) ? imm(1) : values_[index(v)];
  }
  /// Whether a guard is known to hold in the loop that is being emitted.
  bool holds(Value v) const { return in_bounds_ && x_guard(k_[v]).has_value(); }
  Ir condition(Value v) override {
    if (holds(v)) return b_.getTrue();
    if (Ir known = conditions_[index(v)]) return known;
    return b_.CreateICmpNE(operand(v), imm(0));
  }

  Ir element(const Memory& m, Ir index64) { return b_.CreateInBoundsGEP(word(), m.base, index64); }
  Ir load_word(const Memory& m, Ir index64) {
    return tag(b_.CreateAlignedLoad(word(), element(m, index64), llvm::Align(4)), m);
  }
  void store_word(const Memory& m, Ir index64, Ir value) {
    tag(b_.CreateAlignedStore(value, element(m, index64), llvm::Align(4)), m);
  }

  // An if without else whose arm gives some slots another value.
  void emit_merging_if(Value v) {
    const Inst& inst = k_[v];
    const auto& merges = merges_[index(v)];
    std::vector<Ir> before;
    for (const Merge& m : merges) before.push_back(operand(m.before));
    llvm::BasicBlock* from = b_.GetInsertBlock();
    std::vector<Ir> inside;
    llvm::BasicBlock* arm = nullptr;
    emit_branch(
        condition(k_.arg(inst, 0)),
        [&] {
          const bool left = emit_block(inst.body);
          arm = left ? nullptr : b_.GetInsertBlock();
          if (!left) {
            for (const Merge& m : merges) inside.push_back(operand(m.inside));
          }
          return left;
        },
        false, [] { return false; });
    for (size_t i = 0; i < merges.size(); ++i) {
      llvm::PHINode* phi = b_.CreatePHI(word(), 2, k_.slots[merges[i].slot].name);
      phi->addIncoming(before[i], from);
      if (arm != nullptr) phi->addIncoming(inside[i], arm);
      slot_values_[merges[i].slot] = phi;
    }
  }

  bool emit_if(Value v, const Inst& inst) override {
    const Value c = k_.arg(inst, 0);
    if (holds(c)) {
      const bool left = emit_block(inst.body);
      for (const Merge& m : merges_[index(v)]) slot_values_[m.slot] = operand(m.inside);
      return left;
    }
    if (!merges_[index(v)].empty()) {
      emit_merging_if(v);
      return false;
    }
    const bool has_else = inst.orelse != kNoKBlock && !k_.block(inst.orelse).empty();
    return emit_branch(
        condition(c), [&] { return emit_block(inst.body); }, has_else,
        [&] { return emit_block(inst.orelse); });
  }
  void emit_get(Value v, const Inst& inst) override {
    if (!merged_[inst.target]) return Emitter::emit_get(v, inst);
    set(v, slot_values_[inst.target]);
  }
  void emit_set(const Inst& inst) override {
    if (!merged_[inst.target]) Emitter::emit_set(inst);
  }
  void emit_return() override {
    if (returning_) store_word(live_, lane_, imm(0));
    b_.CreateBr(lane_exit_);
  }
  void emit_barrier() override {}  // regions end there
  void emit_raw(Value v, const Inst& inst) override {
    if (!in_bounds_ || !x_guard(inst)) return Emitter::emit_raw(v, inst);
    set(v, b_.getTrue());
  }

  const RegionPlan plan_;
  const EmitOptions options_;
  const IdUses uses_;
  std::vector<bool> uses_length_;   // by buffer
  std::vector<bool> used_as_word_;  // by Value: not only as a condition

  std::vector<bool> merged_;                // by Slot
  std::vector<Ir> slot_values_;             // by Slot: of merges
  std::vector<std::vector<Merge>> merges_;  // by Value: an If's
  std::vector<Memory> kept_slots_;          // by Slot: its array over lanes, if it has one
  std::vector<Memory> kept_values_;         // by Value: likewise
  Memory live_;
  llvm::AllocaInst* any_live_ = nullptr;

  std::vector<Ir> values_;      // by Value: as a word, where it is used as one
  std::vector<Ir> conditions_;  // by Value: as one bit, where it is one
  Ir groups_[3] = {};           // of the dispatch
  Ir base_x_ = nullptr;         // invocation_id.x of the group's first invocation
  Ir lane_ = nullptr;           // i64
  llvm::BasicBlock* lane_exit_ = nullptr;
  llvm::BasicBlock* group_exit_ = nullptr;
  bool returning_ = false;  // a lane that returns must say so
  bool in_bounds_ = false;  // invocation_id.x is below every length it is compared with
};

/// Backends for CPUs refuse operations of subgroups before they lower; `vyre lower` and plugins come here.
Result<void> check_subgroups(const Kernel& kernel) {
  const Inst* const call = find(kernel, InstKind::Intrinsic);
  if (call == nullptr) return {};
  return std::unexpected(
      make_diag(DiagCode::B002, call->origin,
                fmt::format("code for CPUs has no {}", spec::info(spec::Intrinsic(call->imm)).id),
                "choose a form that has it, such as ptx or legal, or do without it"));
}

}  // namespace

Result<void> emit_cpu(const Kernel& kernel, llvm::Module& module, const std::string& symbol,
                      const EmitOptions& options) {
  VYRE_CHECK(check_subgroups(kernel));
  llvm::Function* function = CpuEmitter(kernel, module, symbol, options).run();
  if (options.verify) {
    std::string message;
    llvm::raw_string_ostream out(message);
    if (llvm::verifyFunction(*function, &out)) {
      return std::unexpected(
          make_diag(DiagCode::L003, Span::none(),
                    "the LLVM verifier refuses the code of `" + kernel.name + "`: " + message,
                    "report the program; the reference backend can still run it"));
    }
  }
  return {};
}

}  // namespace vyre::lower
