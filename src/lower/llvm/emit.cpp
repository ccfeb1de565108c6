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
#include <unordered_map>
#include <vector>

#include "lower/inst_info.h"
#include "lower/llvm/emitter.h"
#include "lower/llvm/lanes.h"
#include "lower/llvm/llvm.h"
#include "lower/llvm/merges.h"
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
constexpr size_t kMaxVersioned = 1000;
/// One of at most this many is run in chunks, which pay more where loops are.
constexpr size_t kMaxChunked = 5000;
/// Lanes of a chunk: at most four registers of 16 words for each value that a step keeps.
constexpr uint32_t kChunk = 64;
/// Rows of a workgroup that are run together, chunk beside chunk, where that makes at most so many
/// instructions: what one row loads, the next may use too.
constexpr uint32_t kMostRows = 4;
constexpr size_t kMostOfRows = 1000;

/// Loops over steps are written out, the first ones first, as long as that makes at most this many
/// instructions.
constexpr size_t kMostUnrolled = 400;
/// The largest growth from lane to lane of what is compared at the ends of a chunk alone.
constexpr uint32_t kMostOfEnds = 1024;
/// The largest distance between indices that begin in one place.
constexpr uint32_t kMostOffset = 1024;

class CpuEmitter final : Emitter {
 public:
  CpuEmitter(const Kernel& kernel, llvm::Module& module, const std::string& symbol,
             const EmitOptions& options)
      : Emitter(kernel, module),
        plan_(plan_regions(kernel, options.version_loops ? row_chunk(kernel) : 0)),
        options_(options),
        uses_(used_ids(kernel)) {
    if (plan_.flat && options.version_loops) {
      find_lone_conditions();
      plan_flat_chunk();
    }
    find_uses();
    choose_merges();
    values_.assign(k_.insts.size(), nullptr);
    conditions_.assign(k_.insts.size(), nullptr);
    assumed_.assign(k_.insts.size(), std::nullopt);
    settled_.assign(k_.insts.size(), false);
    linear_.assign(k_.insts.size(), {});
    make_entry(symbol);
  }

  llvm::Function* run() {
    load_arguments();
    if (plan_.flat) {
      emit_flat();
    } else {
      emit_workgroups();
    }
    return function_;
  }

 private:
  void make_entry(const std::string& symbol) {
    auto* pointer = b_.getPtrTy();
    make_function(symbol, {pointer, pointer, b_.getInt64Ty(), b_.getInt64Ty(), pointer});
    function_->addFnAttr(llvm::Attribute::WillReturn);
    // A workgroup of one invocation that knows its number and has a loop keeps several things side by side by
    // itself, and LLVM would load vectors of them from everywhere.
    const bool lone = k_.invocations() == 1 && uses_.group[0] && find(k_, InstKind::Loop) != nullptr;
    if (lone) function_->addFnAttr(llvm::Attribute::NoImplicitFloat);
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
          inst.kind == InstKind::If || (inst.kind == InstKind::Raw && selects(inst.raw));
      const auto args = k_.args(inst);
      for (const Value v : args.subspan(condition_first ? 1 : 0)) used_as_word_[index(v)] = true;
    }
    for_each_plan([&](const RegionPlan& plan) {
      for (size_t v = 0; v < plan.value_offset.size(); ++v) {
        if (plan.value_offset[v] != kNoOffset) used_as_word_[v] = true;
      }
    });
  }
  template <typename Visit>
  void for_each_plan(Visit&& visit) const {
    visit(plan_);
    for (const RegionPlan& chunk : plan_.chunks) visit(chunk);
  }

  // ---- Chunks --------------------------------------------------------------------------------------------

  static bool has_private(const Kernel& kernel) {
    return std::ranges::find(kernel.buffers, spec::BufferAccess::Private, &KernelBuffer::access) !=
           kernel.buffers.end();
  }
  /// Lanes of a chunk of a workgroup: of one row of it.
  static uint32_t row_chunk(const Kernel& kernel) {
    const uint32_t wx = kernel.workgroup_size[0];
    const uint32_t lanes = std::min(kChunk, wx & -wx);
    return lanes < kLeastChunk || kernel.insts.size() > kMaxChunked || has_private(kernel) ? 0 : lanes;
  }
  // A flat kernel's chunk is one of a row of invocations, whatever their workgroups, but where they can be
  // seen.
  void plan_flat_chunk() {
    if (k_.insts.size() > kMaxChunked || has_private(k_)) return;
    const uint32_t wx = k_.workgroup_size[0];
    ChunkOptions chunk{.lanes = kChunk, .known = std::vector(k_.insts.size(), ChunkOptions::Known::Nothing)};
    for (size_t v = 0; v < k_.insts.size(); ++v) {
      const Inst& inst = k_.insts[v];
      const bool sees = inst.kind == InstKind::WorkgroupId || inst.kind == InstKind::LocalId;
      if (sees && inst.imm == 0) chunk.lanes = std::min(chunk.lanes, wx & -wx);
      const auto guard = x_guard(inst);
      if (guard) chunk.known[v] = guard->inside ? ChunkOptions::Known::True : ChunkOptions::Known::False;
    }
    for (const auto& known : {lone_, lone_ands_})
      for (const Value v : known) chunk.known[index(v)] = ChunkOptions::Known::True;
    for (const uint32_t lanes : {chunk.lanes, kWholeRow}) {
      if (lanes == kWholeRow ? k_.insts.size() > kMaxVersioned : lanes < kLeastChunk) continue;
      chunk.lanes = lanes;
      RegionPlan plan = plan_chunk(k_, chunk);
      if (plan.flat) continue;
      chunk_lanes_ = plan.lanes;
      plan_.chunks.push_back(std::move(plan));
      return;
    }
  }

  /// Rows that are run together.
  uint32_t rows_of(const RegionPlan& plan) const {
    const uint32_t words = plan.kept_words * plan.lanes;
    uint32_t rows = 1;
    const auto fits = [&](uint32_t more) {
      return more <= kMostRows && k_.workgroup_size[1] % more == 0 && words * more <= kKeptWords &&
             k_.insts.size() * more <= kMostOfRows;
    };
    while (plan.rows_agree && words != 0 && fits(2 * rows)) rows *= 2;
    return rows;
  }

  /// An index in 64 bits, where the loop over lanes is known to stay in bounds: begin + stride * counter_.
  struct Linear {
    Ir begin = nullptr;
    uint32_t stride = 0;
    llvm::PHINode* counter = nullptr;  // of the loop in which `at` is the index
    Ir at = nullptr;
  };
  /// A load from an index that wraps around an edge, in the loop over lanes that is being emitted.
  struct WrappedLoad {
    Value load;
    Wrap wrap;
    Ir at_edge;  // what is loaded there
  };
  /// What differs from row to row where rows are run together.
  struct RowState {
    Ir local_y, invocation_y, chunk_first;
    std::vector<Ir> values, conditions, slot_values;
    std::vector<Linear> linear;
    std::vector<WrappedLoad> wrapped;
    std::vector<llvm::AllocaInst*> slots;
    std::vector<Memory> chunk_slots, chunk_values;
    Memory chunk_live;
  };
  llvm::IRBuilder<> at_entry() {
    return llvm::IRBuilder<>(&function_->getEntryBlock(), function_->getEntryBlock().begin());
  }
  /// From here on `count` rows, which know what is known here.
  void open_rows(uint32_t count) {
    llvm::IRBuilder<> entry = at_entry();
    for (uint32_t r = 1; r < count; ++r) {
      RowState& row = rows_.emplace_back(RowState{.values = values_,
                                                  .conditions = conditions_,
                                                  .slot_values = slot_values_,
                                                  .linear = linear_,
                                                  .slots = slots_});
      for (uint32_t s = 0; s < k_.slots.size(); ++s) {
        if (row.slots[s] != nullptr)
          row.slots[s] = entry.CreateAlloca(slot_type(s), nullptr, k_.slots[s].name);
      }
    }
  }
  void close_rows() { rows_.clear(); }
  void swap_row(RowState& row) {
    std::swap(local_[1], row.local_y);
    std::swap(invocation_[1], row.invocation_y);
    std::swap(chunk_first_, row.chunk_first);
    std::swap(values_, row.values);
    std::swap(conditions_, row.conditions);
    std::swap(slot_values_, row.slot_values);
    std::swap(linear_, row.linear);
    std::swap(wrapped_, row.wrapped);
    std::swap(slots_, row.slots);
    std::swap(chunk_slots_, row.chunk_slots);
    std::swap(chunk_values_, row.chunk_values);
    std::swap(chunk_live_, row.chunk_live);
  }
  /// `emit(r)` emits what row r does, with the state of that row.
  template <typename Emit>
  void for_each_row(Emit&& emit) {
    emit(0u);
    for (uint32_t r = 0; r < rows_.size(); ++r) {
      swap_row(rows_[r]);
      emit(r + 1);
      swap_row(rows_[r]);
    }
  }
  /// What one row has set, the others have.
  void share(Value v) {
    for (RowState& row : rows_) {
      row.values[index(v)] = values_[index(v)];
      row.conditions[index(v)] = conditions_[index(v)];
    }
  }

  /// From here on by the plan of a chunk, whose first lane has this number within its row.
  void enter_chunk(const RegionPlan& plan, Ir first) {
    chunk_ = &plan;
    for_each_row([&](uint32_t) {
      make_chunk_arrays(plan, first);
      set_chunk_ids(imm(0));
      for (const Value v : plan.scalars) emit(v);
    });
  }
  void make_chunk_arrays(const RegionPlan& plan, Ir first) {
    Ir row = first_lane_of_row();
    chunk_first_ = row == nullptr ? first : b_.CreateAdd(row, first, "first", true, true);
    chunk_slots_.assign(k_.slots.size(), {});
    chunk_values_.assign(k_.insts.size(), {});
    llvm::IRBuilder<> entry = at_entry();
    const auto keep = [&](llvm::Type* type) {
      llvm::AllocaInst* array = entry.CreateAlloca(llvm::ArrayType::get(type, chunk_lanes_), nullptr, "kept");
      array->setAlignment(llvm::Align(64));
      return Memory{.base = array};
    };
    for (uint32_t s = 0; s < k_.slots.size(); ++s) {
      if (plan.slot_offset[s] != kNoOffset) chunk_slots_[s] = keep(slot_type(s));
    }
    for (size_t v = 0; v < k_.insts.size(); ++v) {
      if (plan.value_offset[v] != kNoOffset) chunk_values_[v] = keep(value_type(Value(v)));
    }
    if (plan.live_offset == kNoOffset) return;
    chunk_live_ = keep(word());
    LoopFrame lanes = open_loop(b_.getInt64(0), b_.getInt64(chunk_lanes_), "lane");
    store_word(chunk_live_, lanes.index, imm(1));
    close_lanes(lanes, false, Lanes::Chunk);
  }
  /// Leaves a chunk all lanes of which have returned.
  void leave_if_none_lives() {
    Ir any = imm(0);
    for_each_row([&](uint32_t) {
      llvm::BasicBlock* before = b_.GetInsertBlock();
      LoopFrame lanes = open_loop(b_.getInt64(0), b_.getInt64(chunk_lanes_), "lane");
      llvm::PHINode* alive = b_.CreatePHI(word(), 2, "alive");
      alive->addIncoming(any, before);
      any = b_.CreateOr(alive, load_word(chunk_live_, lanes.index));
      close_lanes(lanes, false, Lanes::Chunk);
      alive->addIncoming(any, lanes.latch);
    });
    llvm::BasicBlock* on = block("on");
    b_.CreateCondBr(b_.CreateICmpNE(any, imm(0)), on, group_exit_);
    b_.SetInsertPoint(on);
  }
  // Chunk by chunk, below `safe`; what is no whole chunk there, or is none by what its lanes do, goes lane by
  // lane.
  void flat_chunks(Ir from, Ir safe, Ir to) {
    LoopFrame chunks = open_loop(from, to, "chunk", Range::MaybeEmpty, chunk_lanes_);
    base_x_ = chunks.index;
    const uint32_t wx = k_.workgroup_size[0];
    Ir group_x = group_[0];
    if (uses_.group[0]) group_[0] = b_.CreateUDiv(base_x_, imm(wx), "group.x");
    local_base_ = uses_.local[0] ? b_.CreateURem(base_x_, imm(wx), "local.x") : nullptr;
    const RegionPlan& plan = plan_.chunks.front();
    Ir end = b_.CreateAdd(base_x_, imm(chunk_lanes_), "end", true, true);
    llvm::BasicBlock* whole = block("whole");
    apart_ = llvm::BasicBlock::Create(context_, "apart");
    b_.CreateCondBr(b_.CreateICmpULE(end, safe), whole, apart_);
    b_.SetInsertPoint(whole);
    in_bounds_ = true;
    group_exit_ = chunks.latch;
    const bool left = settled(plan, [&] {
      enter_chunk(plan, b_.getInt64(0));
      const bool all_left = emit_steps(chunk_->steps);
      leave_chunk();
      return all_left;
    });
    if (!left) b_.CreateBr(chunks.latch);
    in_bounds_ = false;
    enter(apart_);
    end = least(end, to);
    for_each_row([&](uint32_t) { x_loop(base_x_, end, nullptr, /*short_tail=*/true); });
    close_loop(chunks, false);
    group_[0] = group_x;
  }
  /// What a value is at least and at most, in 64 bits, in all lanes of a row's chunk and all turns of its
  /// loops, where `fits`: no operator on the way wraps, but for a difference below zero to which something is
  /// added, as in row + (x - 1).
  struct Interval {
    Ir low, high, fits;
    bool may_be_negative = false;
  };
  Interval not_negative(Interval of) {
    if (of.may_be_negative) of.fits = b_.CreateAnd(of.fits, b_.CreateICmpSGE(of.low, b_.getInt64(0)));
    of.may_be_negative = false;
    return of;
  }
  /// Of a row, by Value: those looked for so far.
  using Intervals = std::unordered_map<Value, std::optional<Interval>>;
  std::optional<Interval> interval(Value v, Intervals& of) {
    if (const auto at = of.find(v); at != of.end()) return at->second;
    return of[v] = find_interval(v, of);
  }
  std::optional<Interval> find_interval(Value v, Intervals& of) {
    const Inst& inst = k_[v];
    const auto wide = [&](Ir word) { return b_.CreateZExt(word, b_.getInt64Ty()); };
    const auto number = [&](uint64_t n) { return b_.getInt64(n); };
    const auto exactly = [&](Ir n) { return Interval{n, n, b_.getTrue()}; };
    if (const auto literal = literal_of(k_, v)) return exactly(number(*literal));
    if (info(inst.kind).source == Source::Invocation && inst.imm == 0) {
      Ir first = wide(inst.kind == InstKind::InvocationId ? base_x_ : local_base_);
      return Interval{first, b_.CreateAdd(first, number(chunk_lanes_ - 1)), b_.getTrue()};
    }
    const bool at_hand = given_by(inst.kind) != BuiltinInput::Nothing;
    if (at_hand || (plan_.residence[index(v)] == Residence::Scalar && values_[index(v)] != nullptr)) {
      if (inst.type == spec::DataType::U64) return std::nullopt;
      return exactly(wide(operand(v)));
    }
    if (inst.kind == InstKind::Loop) {
      auto from = interval(k_.arg(inst, 0), of), to = interval(k_.arg(inst, 1), of);
      if (!from || !to) return std::nullopt;
      from = not_negative(*from), to = not_negative(*to);
      Ir last = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, to->high, number(1));
      return Interval{from->low, b_.CreateSub(last, number(1)), b_.CreateAnd(from->fits, to->fits)};
    }
    if (inst.kind != InstKind::Raw || (inst.args.count != 2 && inst.raw != RawOp::Select))
      return std::nullopt;
    const uint32_t last = inst.args.count - 1;
    auto a = interval(k_.arg(inst, last - 1), of), b = interval(k_.arg(inst, last), of);
    if (!a || !b) return std::nullopt;
    if (inst.raw == RawOp::Add && a->may_be_negative != b->may_be_negative) {
      Ir low = b_.CreateAdd(a->low, b->low), high = b_.CreateAdd(a->high, b->high);
      Ir below = b_.CreateICmpSLE(high, number(UINT32_MAX));
      return Interval{low, high, b_.CreateAnd(b_.CreateAnd(a->fits, b->fits), below), true};
    }
    a = not_negative(*a), b = not_negative(*b);
    Ir fit = b_.CreateAnd(a->fits, b->fits);
    if (inst.raw == RawOp::Select) {
      // The lesser of two is at most the lesser of their greatest, and so on.
      const auto of_both = [&](llvm::Intrinsic::ID low, llvm::Intrinsic::ID high) {
        return Interval{b_.CreateBinaryIntrinsic(low, a->low, b->low),
                        b_.CreateBinaryIntrinsic(high, a->high, b->high), fit};
      };
      using namespace llvm::Intrinsic;
      const Inst& test = k_[k_.arg(inst, 0)];
      if (test.kind == InstKind::Raw && (test.raw == RawOp::ULt || test.raw == RawOp::ULe)) {
        const std::pair asked(k_.arg(test, 0), k_.arg(test, 1));
        if (asked == std::pair(k_.arg(inst, 1), k_.arg(inst, 2))) return of_both(umin, umin);
        if (asked == std::pair(k_.arg(inst, 2), k_.arg(inst, 1))) return of_both(umax, umax);
      }
      return of_both(umin, umax);
    }
    const auto by = literal_of(k_, k_.arg(inst, 1));
    const auto checked = [&](Ir low, Ir high) {
      return Interval{low, high, b_.CreateAnd(fit, b_.CreateICmpULE(high, number(UINT32_MAX)))};
    };
    const bool shifts = by && *by < 32;
    if (inst.raw == RawOp::Add) return checked(b_.CreateAdd(a->low, b->low), b_.CreateAdd(a->high, b->high));
    if (inst.raw == RawOp::Mul) return checked(b_.CreateMul(a->low, b->low), b_.CreateMul(a->high, b->high));
    if (inst.raw == RawOp::Shl && shifts)
      return checked(b_.CreateShl(a->low, number(*by)), b_.CreateShl(a->high, number(*by)));
    if (inst.raw == RawOp::LShr && shifts)
      return Interval{b_.CreateLShr(a->low, number(*by)), b_.CreateLShr(a->high, number(*by)), fit};
    if (inst.raw == RawOp::UDiv && by && *by != 0)
      return Interval{b_.CreateUDiv(a->low, number(*by)), b_.CreateUDiv(a->high, number(*by)), fit};
    if (inst.raw == RawOp::URem && by && *by != 0) return Interval{number(0), number(*by - 1), fit};
    if (inst.raw == RawOp::And)
      return Interval{number(0), b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, a->high, b->high), fit};
    if (inst.raw != RawOp::Sub) return std::nullopt;
    return Interval{b_.CreateSub(a->low, b->high), b_.CreateSub(a->high, b->low), fit, true};
  }
  /// How many numbers a word has: below it an index does not wrap.
  Ir number_of_words() { return b_.getInt64(uint64_t{1} << 32); }
  /// Emits a chunk, and where a look at the ends of its lanes and loops settles guards, twice: without these,
  /// and for where one of them fails. `emit` says whether the chunk was left; so does this.
  template <typename Emit>
  bool settled(const RegionPlan& plan, Emit&& emit) {
    if (k_.insts.size() * (1 + rows_.size()) > kMostOfRows) return emit();
    const std::vector<LinearGuard> guards = lanes_of_plan(plan).all_guards();
    Ir all = b_.getTrue();
    std::vector<bool> found(guards.size(), true);
    std::vector<Ir> looks;
    for_each_row([&](uint32_t) {
      Intervals of;
      for (size_t i = 0; i < guards.size(); ++i) {
        auto index_of = interval(guards[i].index, of);
        auto bound = guards[i].bound == kNoValue
                         ? std::optional(Interval{number_of_words(), nullptr, b_.getTrue()})
                         : interval(guards[i].bound, of);
        found[i] = found[i] && index_of && bound;
        if (found[i]) index_of = not_negative(*index_of), bound = not_negative(*bound);
        looks.push_back(found[i] ? b_.CreateAnd(b_.CreateAnd(index_of->fits, bound->fits),
                                                b_.CreateICmpULT(index_of->high, bound->low))
                                 : nullptr);
      }
    });
    for (size_t i = 0; i < looks.size(); ++i) {
      if (found[i % guards.size()]) all = b_.CreateAnd(all, looks[i]);
    }
    std::vector<LinearGuard> kept;
    for (size_t i = 0; i < guards.size(); ++i) {
      if (found[i]) kept.push_back(guards[i]);
    }
    if (kept.empty()) return emit();
    llvm::BasicBlock* inside = block("settled");
    llvm::BasicBlock* guarded = llvm::BasicBlock::Create(context_, "unsettled");
    llvm::BasicBlock* after = llvm::BasicBlock::Create(context_, "after");
    b_.CreateCondBr(all, inside, guarded);
    b_.SetInsertPoint(inside);
    const auto settle = [&](bool is) {
      for (const LinearGuard& g : kept) {
        if (g.condition != kNoValue) assumed_[index(g.condition)] = is ? std::optional(true) : std::nullopt;
        settled_[index(g.index)] = is;
      }
    };
    settle(true);
    if (!emit()) b_.CreateBr(after);
    settle(false);
    enter(guarded);
    versions_ = false;  // few chunks come here
    if (!emit()) b_.CreateBr(after);
    versions_ = true;
    if (after->hasNPredecessors(0)) {
      delete after;
      return true;
    }
    enter(after);
    return false;
  }
  /// Whether a condition is `expected` in all lanes of the chunk, the ids being those of its first, by a look
  /// at two of them; null where that is not enough.
  Ir at_ends(Value condition_of, bool expected) {
    const Inst& inst = k_[condition_of];
    if (inst.kind != InstKind::Raw) return nullptr;
    const Value left = k_.arg(inst, 0), right = k_.arg(inst, 1);
    if (inst.raw == (expected ? RawOp::And : RawOp::Or)) {
      Ir a = at_ends(left, expected), b = a == nullptr ? nullptr : at_ends(right, expected);
      return b == nullptr ? nullptr : b_.CreateAnd(a, b);
    }
    if (inst.raw != RawOp::ULt && inst.raw != RawOp::ULe) return nullptr;
    const LanesOf along = lanes_of_plan(*chunk_);
    const auto growth = [&](Value v) { return along.is_shared(v) ? 0 : along.stride_of(v); };
    const auto a = growth(left), b = growth(right);
    if (!a || !b || std::max(*a, *b) > kMostOfEnds || (*a != 0 && *b != 0)) return nullptr;
    // The end at which the comparison is hardest to be as expected decides, if nothing wraps on the way.
    const auto end = [&](Value v, uint32_t stride, bool is_last) {
      Ir first = b_.CreateZExt(in_lane(along, v), b_.getInt64Ty());
      return is_last ? b_.CreateAdd(first, b_.getInt64(uint64_t{stride} * (chunk_lanes_ - 1))) : first;
    };
    Ir x = end(left, *a, expected), y = end(right, *b, !expected);
    Ir holds = inst.raw == RawOp::ULt ? b_.CreateICmpULT(x, y) : b_.CreateICmpULE(x, y);
    if (!expected) holds = b_.CreateNot(holds);
    const Value grows = *a != 0 ? left : right;
    return b_.CreateAnd(holds, b_.CreateICmpULT(end(grows, std::max(*a, *b), true), number_of_words()));
  }
  /// Goes on where what the steps behind assume holds in all lanes of the rows at hand, and elsewhere lane by
  /// lane.
  void emit_assumption(const Step& step) {
    const Value condition_of = k_.arg(k_[step.control], 0);
    if (assumed_[index(condition_of)] == step.holds) return;
    Ir all = b_.getTrue();
    const auto look = [&](Ir holds) { return b_.CreateAnd(all, step.holds ? holds : b_.CreateNot(holds)); };
    for_each_row([&](uint32_t) {
      if (residence(condition_of) == Residence::Scalar) {
        all = look(condition(condition_of));
        return;
      }
      set_chunk_ids(imm(0));
      if (Ir holds = at_ends(condition_of, step.holds)) {
        all = b_.CreateAnd(all, holds);
        return;
      }
      llvm::BasicBlock* before = b_.GetInsertBlock();
      LoopFrame x = open_loop(imm(0), imm(chunk_lanes_), "x");
      llvm::PHINode* so_far = b_.CreatePHI(b_.getInt1Ty(), 2, "all");
      so_far->addIncoming(all, before);
      set_chunk_ids(x.index);
      lane_ = b_.CreateZExt(x.index, b_.getInt64Ty(), "lane");
      Ir holds = take_input(condition_of);
      if (!holds->getType()->isIntegerTy(1)) holds = b_.CreateICmpNE(holds, imm(0));
      all = so_far;
      all = look(holds);
      close_lanes(x, false, Lanes::Chunk);
      so_far->addIncoming(all, x.latch);
    });
    llvm::BasicBlock* together = block("together");
    b_.CreateCondBr(all, together, apart_);
    b_.SetInsertPoint(together);
    assumed_[index(condition_of)] = step.holds;
  }
  void leave_chunk() {
    for (const Step& step : chunk_->steps) forget(step);
    chunk_ = nullptr;
  }
  void forget(const Step& step) {
    if (step.kind == Step::Kind::Assume) assumed_[index(k_.arg(k_[step.control], 0))] = std::nullopt;
    for (const Step& inner : step.body) forget(inner);
    for (const Step& inner : step.orelse) forget(inner);
  }
  void set_chunk_ids(Ir lane) {
    const auto id = [&](Ir base, const char* name) {
      return lane == imm(0) ? base : b_.CreateAdd(base, lane, name, true, true);
    };
    if (uses_.invocation[0]) invocation_[0] = id(base_x_, "id.x");
    if (uses_.local[0]) local_[0] = id(local_base_, "local.x");
  }
  // A region of the rows at hand, chunk by chunk; of lanes below a bound alone, where those are all that do
  // anything.
  void emit_chunks(const Region& region, const std::optional<LaneGuard>& below) {
    const RegionPlan& plan = plan_.chunks[region.chunk];
    Ir to = imm(k_.workgroup_size[0]);
    if (below) to = least(uniform(below->bound), to);
    Ir whole = below ? b_.CreateAnd(to, imm(-chunk_lanes_), "whole") : to;
    LoopFrame chunks =
        open_loop(imm(0), whole, "chunk", below ? Range::MaybeEmpty : Range::NotEmpty, chunk_lanes_);
    Ir first = b_.CreateZExt(chunks.index, b_.getInt64Ty(), "first");
    Ir base_x = base_x_;
    if (uses_.invocation[0]) base_x_ = b_.CreateAdd(base_x, chunks.index, "base.x", true, true);
    local_base_ = chunks.index;
    apart_ = llvm::BasicBlock::Create(context_, "apart");
    const auto assume_below = [&](std::optional<bool> holds) {
      if (below) assumed_[index(below->condition)] = holds;
    };
    settled(plan, [&] {
      assume_below(true);
      enter_chunk(plan, first);
      for_each_row([&](uint32_t) { copy_slots(region.slots_in, true); });
      emit_steps(chunk_->steps);
      for_each_row([&](uint32_t) { copy_slots(region.slots_out, false); });
      leave_chunk();
      return false;
    });
    assume_below(true);
    if (apart_->hasNPredecessors(0)) {
      delete apart_;
    } else {
      b_.CreateBr(chunks.latch);
      enter(apart_);
      Ir end = b_.CreateAdd(chunks.index, imm(chunk_lanes_), "end", true, true);
      for_each_row([&](uint32_t) {
        emit_lanes(region, chunks.index, end, first_lane_of_row(), /*maybe_empty=*/false, /*watch=*/false);
      });
    }
    close_loop(chunks, false);
    base_x_ = base_x;
    if (below && whole != to) {
      for_each_row([&](uint32_t) {
        emit_lanes(region, whole, to, first_lane_of_row(), /*maybe_empty=*/true, /*watch=*/false);
      });
    }
    assume_below(std::nullopt);
  }
  /// Between the arrays of the workgroup and those of the chunk.
  void copy_slots(const std::vector<Slot>& slots, bool into_chunk) {
    for (const Slot s : slots) {
      LoopFrame lanes = open_loop(b_.getInt64(0), b_.getInt64(chunk_lanes_), "lane");
      Ir whole = b_.CreateAdd(chunk_first_, lanes.index, "", true, true);
      if (into_chunk) {
        keep_slot(chunk_slots_, s, lanes.index, load_slot(kept_slots_, s, whole));
      } else {
        keep_slot(kept_slots_, s, whole, load_slot(chunk_slots_, s, lanes.index));
      }
      close_loop(lanes, false);
    }
  }

  // ---- Slots that are merges -----------------------------------------------------------------------------

  void choose_merges() {
    merged_.assign(k_.slots.size(), false);
    slot_values_.assign(k_.slots.size(), nullptr);
    merges_.resize(k_.insts.size());
    for (const Merge& merge : find_merges(k_)) {
      bool kept = false, is_step = false;
      for_each_plan([&](const RegionPlan& plan) {
        kept |= plan.slot_offset[merge.slot] != kNoOffset;
        is_step |= plan.is_step(merge.owner);
      });
      // An if that is a step of its own is emitted by emit_steps(), which makes no phi.
      if (kept || is_step) continue;
      merged_[merge.slot] = true;
      merges_[index(merge.owner)].push_back(merge);
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
      if (buffer.access == spec::BufferAccess::Private) {
        const bool on_stack = plan_.buffer_offset[i] == kNoOffset;
        m = on_stack
                ? make_private(buffer)
                : Memory{.base = scratch(plan_.buffer_offset[i], buffer.name), .length = imm(buffer.count)};
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
    for (uint32_t axis = 0; axis < 3; ++axis) {
      if (axis >= axes && !uses_.num_groups[axis]) continue;
      Ir at = byte_address(function_->getArg(1), uint64_t{axis} * sizeof(uint32_t));
      groups_[axis] = b_.CreateAlignedLoad(word(), at, llvm::Align(4), "groups");
    }
    for (size_t s = 0; s < k_.slots.size(); ++s) {
      slots_.push_back(merged_[s] ? nullptr : make_slot(uint32_t(s)));
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

  // ---- Private arrays ------------------------------------------------------------------------------------

  /// Those that each lane has for itself, at hand for the lane that runs.
  void find_arrays_of_lane() {
    for (size_t i = 0; i < k_.buffers.size(); ++i) {
      const KernelBuffer& buffer = k_.buffers[i];
      if (buffer.access != spec::BufferAccess::Private || !plan_.is_kept_per_lane(i)) continue;
      const uint64_t bytes = uint64_t{buffer.count} * spec::info(buffer.element).bytes;
      Ir offset = b_.CreateMul(lane_, b_.getInt64(bytes), "", true, true);
      memory_[i].base =
          b_.CreateInBoundsGEP(b_.getInt8Ty(), scratch(plan_.buffer_offset[i], ""), offset, buffer.name);
    }
  }
  void clear_array(size_t i) {
    const uint32_t bytes = private_bytes(k_.buffers[i]);
    if (options_.memset) {
      b_.CreateMemSet(memory_[i].base, b_.getInt8(0), bytes, llvm::Align(16));
      return;
    }
    LoopFrame clear = open_loop(b_.getInt64(0), b_.getInt64(bytes / sizeof(uint64_t)), "clear");
    Ir at = b_.CreateInBoundsGEP(b_.getInt64Ty(), memory_[i].base, clear.index);
    b_.CreateAlignedStore(b_.getInt64(0), at, llvm::Align(sizeof(uint64_t)));
    close_loop(clear, false);
  }
  void clear_arrays() {
    for (size_t i = 0; i < k_.buffers.size(); ++i) {
      if (k_.buffers[i].access == spec::BufferAccess::Private) clear_array(i);
    }
  }

  // ---- Loops ---------------------------------------------------------------------------------------------

  enum class Lanes : uint8_t {
    Row,    // any number of them
    Chunk,  // as many as a chunk has: in the vectorised form, unrolled, a vector is some registers
    Few     // not worth the vectoriser's while
  };
  /// Closes a loop over lanes, and says of it what the optimiser cannot know: no lane waits for another, so
  /// their accesses may go in any order (where two of them race, what is read is unspecified).
  void close_lanes(LoopFrame& loop, bool terminated, Lanes lanes) {
    llvm::BasicBlock* const body = loop.body;
    close_loop(loop, terminated);
    const auto text = [&](const char* name) { return llvm::MDString::get(context_, name); };
    const auto flag = [&](const char* name, llvm::Constant* value) -> llvm::Metadata* {
      return llvm::MDNode::get(context_, {text(name), llvm::ConstantAsMetadata::get(value)});
    };
    llvm::SmallVector<llvm::Metadata*> parts = {nullptr};
    if (lanes != Lanes::Row) parts.push_back(llvm::MDNode::get(context_, {text("llvm.loop.unroll.disable")}));
    if (lanes == Lanes::Few) {
      parts.push_back(flag("llvm.loop.vectorize.enable", b_.getFalse()));
    } else if (!has_private(k_)) {  // one array serves lane after lane
      llvm::MDNode* group = llvm::MDNode::getDistinct(context_, {});
      for (llvm::BasicBlock* b = body; b != nullptr && b != loop.exit; b = b->getNextNode()) {
        for (llvm::Instruction& inst : *b) {
          // Variables are every lane's own, though not before LLVM has made values of them.
          const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&inst);
          if (pointer == nullptr || llvm::isa<llvm::AllocaInst>(pointer)) continue;
          inst.setMetadata(llvm::LLVMContext::MD_access_group, group);
        }
      }
      parts.push_back(llvm::MDNode::get(context_, {text("llvm.loop.parallel_accesses"), group}));
    }
    if (lanes == Lanes::Chunk) {
      llvm::Metadata* unroll = llvm::MDNode::get(context_, {text("llvm.loop.unroll.full")});
      parts.push_back(llvm::MDNode::get(context_, {text("llvm.loop.vectorize.followup_vectorized"),
                                                   flag("llvm.loop.isvectorized", b_.getInt32(1)), unroll}));
    }
    llvm::MDNode* id = llvm::MDNode::getDistinct(context_, parts);
    id->replaceOperandWith(0, id);
    loop.latch->getTerminator()->setMetadata(llvm::LLVMContext::MD_loop, id);
  }

  // ---- Entry points --------------------------------------------------------------------------------------

  // No lane waits for another: whole rows of groups are one loop over x, whose variable is invocation_id.x.
  void emit_flat() {
    const uint32_t size_x = k_.workgroup_size[0];
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
    Ir x_begin = b_.CreateMul(group_[0], imm(size_x), "x.begin", true, true);
    Ir x_end =
        b_.CreateAdd(x_begin, b_.CreateMul(b_.CreateTrunc(take, word()), imm(size_x)), "x.end", true, true);

    const std::vector<Value> guards = guarded_by_x();
    const bool chunks = !plan_.chunks.empty();
    const bool steps = chunks && chunk_lanes_ != kWholeRow;
    Rows rows = open_loops_over_rows(steps ? rows_of(plan_.chunks.front()) : 1);
    llvm::BasicBlock* const beside = lone_.empty() ? nullptr : llvm::BasicBlock::Create(context_, "beside");
    if (beside != nullptr) {
      Ir holds = b_.getTrue();
      for (const Value v : lone_) {
        emit(v);
        holds = b_.CreateAnd(holds, condition(v));
      }
      llvm::BasicBlock* const held = block("held");
      b_.CreateCondBr(holds, held, beside);
      b_.SetInsertPoint(held);
    }
    for (const auto& known : {lone_, lone_ands_})
      for (const Value v : known) assumed_[index(v)] = true;
    if (guards.empty() && !chunks) {
      x_loop(x_begin, x_end);
    } else {
      // Below every guarding bound the guards hold: there the body is emitted without them.
      Ir safe = x_end;
      for (const Value bound : guards) {
        const auto literal = literal_of(k_, bound);
        safe = least(safe, literal ? imm(*literal) : memory_[k_[bound].target].length);
      }
      safe = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, safe, x_begin);
      if (steps) {
        flat_chunks(x_begin, safe, x_end);
      } else {
        in_bounds_ = true;
        x_loop(x_begin, safe, chunks ? &plan_.chunks.front().regions.front() : nullptr);
        in_bounds_ = false;
        x_loop(safe, x_end, nullptr, /*short_tail=*/true);
      }
    }
    if (beside != nullptr) {
      b_.CreateBr(beside);
      enter(beside);
    }
    close_loops_over_rows(rows);

    Ir next = b_.CreateAdd(group, take);
    group->addIncoming(next, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpULT(next, end), row, finish);
    enter(finish);
    b_.CreateRetVoid();
  }

  // The whole kernel in each lane, or what of it `row` leaves to lanes.
  void x_loop(Ir from, Ir to, const Region* row = nullptr, bool short_tail = false) {
    if (row != nullptr) {
      for (const Value v : row->scalars) emit(v);
      invocation_[0] = from;
      in_versions(plan_.chunks.front(), row->lanes, from, to,
                  [&] { x_loop_over(from, to, row, short_tail); });
    } else {
      x_loop_over(from, to, row, short_tail);
    }
  }
  void x_loop_over(Ir from, Ir to, const Region* row, bool short_tail) {
    LoopFrame x = open_loop(from, to, "x", Range::MaybeEmpty);
    invocation_[0] = counter_ = x.index;
    const uint32_t wx = k_.workgroup_size[0];
    Ir group_x = group_[0];
    if (uses_.group[0]) group_[0] = wx == 1 ? x.index : b_.CreateUDiv(x.index, imm(wx), "group.x");
    if (uses_.local[0]) local_[0] = wx == 1 ? imm(0) : b_.CreateURem(x.index, imm(wx), "local.x");
    lane_exit_ = x.latch;
    clear_arrays();
    const bool terminated = row == nullptr
                                ? emit_block(k_.entry)
                                : std::ranges::any_of(row->lanes, [&](Value v) { return emit(v); });
    close_lanes(x, terminated, short_tail ? Lanes::Few : Lanes::Row);
    group_[0] = group_x;
  }

  // What some invocation_id.x is compared with: lengths, each once, and the bound of all that is done.
  std::vector<Value> guarded_by_x() {
    std::vector<Value> found;
    if (!options_.version_loops || (plan_.chunks.empty() && k_.insts.size() > kMaxVersioned)) return found;
    for (const Inst& inst : k_.insts) {
      if (const auto guard = x_guard(inst)) {
        const auto same = [&](Value bound) {
          return bound == guard->bound ||
                 (k_[bound].kind == InstKind::Len && k_[guard->bound].kind == InstKind::Len &&
                  k_[bound].target == k_[guard->bound].target);
        };
        if (std::ranges::none_of(found, same)) found.push_back(guard->bound);
      }
    }
    return found;
  }
  /// What all that the kernel does stands under. A comparison of what all lanes of a row share, lengths above
  /// all, is looked at once a row (lone_); and one of invocation_id.x with a literal, the number of elements
  /// of a program that is made for one, says where the row ends (literal_guards_).
  void find_lone_conditions() {
    for (KBlock at = k_.entry; at != kNoKBlock;) {
      const std::vector<Value>& block = k_.block(at);
      at = kNoKBlock;
      for (const Value v : block) {
        const Inst& inst = k_[v];
        if (inst.kind == InstKind::If && v == block.back() && inst.orelse == kNoKBlock) {
          if (is_lone(k_.arg(inst, 0))) at = inst.body;
          break;
        }
        const bool pure = inst.kind == InstKind::Const || inst.kind == InstKind::Len ||
                          inst.kind == InstKind::InvocationId || inst.kind == InstKind::WorkgroupId ||
                          inst.kind == InstKind::LocalId || inst.kind == InstKind::Raw ||
                          inst.kind == InstKind::Get || inst.kind == InstKind::Set;
        if (!pure) break;
      }
    }
  }
  /// Notes the parts of a condition, and whether that was all of it.
  bool is_lone(Value condition) {
    const Inst& test = k_[condition];
    if (test.kind != InstKind::Raw) return false;
    if (test.raw == RawOp::And) {
      const bool left = is_lone(k_.arg(test, 0)), right = is_lone(k_.arg(test, 1));
      if (left && right) lone_ands_.push_back(condition);
      return left && right;
    }
    if (test.raw != RawOp::ULt && test.raw != RawOp::ULe) return false;
    const Value left = k_.arg(test, 0), right = k_.arg(test, 1);
    if (of_a_row(left) && of_a_row(right)) {
      lone_.push_back(condition);
      return true;
    }
    const bool is_x = k_[left].kind == InstKind::InvocationId && k_[left].imm == 0;
    if (test.raw != RawOp::ULt || !is_x || !literal_of(k_, right)) return false;
    literal_guards_.push_back(condition);
    return true;
  }
  /// Whether all lanes of a row share a value that is at hand everywhere, and so do rows that are run
  /// together.
  bool of_a_row(Value v) const {
    const Inst& inst = k_[v];
    if (inst.kind == InstKind::Const || inst.kind == InstKind::Len) return true;
    if (inst.kind == InstKind::WorkgroupId) return inst.imm != 0;
    return inst.kind == InstKind::InvocationId && inst.imm != 0 && k_.workgroup_size[inst.imm] == 1;
  }
  /// A comparison of invocation_id.x with the length of a buffer: x < length, or length <= x; or the lone
  /// one with a literal.
  struct Guard {
    Value bound;
    bool inside;  // what the comparison gives below the bound
  };
  std::optional<Guard> x_guard(const Inst& inst) const {
    if (inst.kind != InstKind::Raw || (inst.raw != RawOp::ULt && inst.raw != RawOp::ULe)) return std::nullopt;
    const Value v{uint32_t(&inst - k_.insts.data())};
    if (std::ranges::find(literal_guards_, v) != literal_guards_.end()) return Guard{k_.arg(inst, 1), true};
    const bool inside = inst.raw == RawOp::ULt;
    const Inst& x = k_[k_.arg(inst, inside ? 0 : 1)];
    const Value bound = k_.arg(inst, inside ? 1 : 0);
    const Inst& length = k_[bound];
    if (x.kind != InstKind::InvocationId || x.imm != 0 || length.kind != InstKind::Len) return std::nullopt;
    if (!spec::is_bound(k_.buffers[length.target].access)) return std::nullopt;
    return Guard{bound, inside};
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

  /// The loops over z and y of a workgroup, whose body is for some rows.
  struct Rows {
    std::optional<LoopFrame> z, y;
  };
  Rows open_loops_over_rows(uint32_t together) {
    const auto& size = k_.workgroup_size;
    Rows rows;
    if (size[2] > 1) rows.z = open_loop(imm(0), imm(size[2]), "z");
    if (size[1] > 1) rows.y = open_loop(imm(0), imm(size[1]), "y", Range::NotEmpty, together);
    local_[2] = rows.z ? rows.z->index : imm(0);
    open_rows(together);
    for_each_row([&](uint32_t r) {
      local_[1] = !rows.y  ? imm(0)
                  : r == 0 ? rows.y->index
                           : b_.CreateAdd(rows.y->index, imm(r), "y", true, true);
      set_row_ids();
    });
    return rows;
  }
  void close_loops_over_rows(Rows& rows) {
    close_rows();
    if (rows.y) close_loop(*rows.y, false);
    if (rows.z) close_loop(*rows.z, false);
  }
  /// The number of the row's first lane in the workgroup; null for 0.
  Ir first_lane_of_row() {
    const auto& size = k_.workgroup_size;
    if (plan_.flat || (size[1] == 1 && size[2] == 1)) return nullptr;
    Ir row = size[1] > 1 ? local_[1] : local_[2];
    if (size[1] > 1 && size[2] > 1)
      row = b_.CreateAdd(b_.CreateMul(local_[2], imm(size[1]), "", true, true), row, "", true, true);
    return b_.CreateZExt(b_.CreateMul(row, imm(size[0]), "", true, true), b_.getInt64Ty(), "row");
  }

  void emit_workgroups() {
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
        case Step::Kind::Region:
          emit_region((chunk_ == nullptr ? plan_ : *chunk_).regions[step.region]);
          break;
        case Step::Kind::Return: b_.CreateBr(group_exit_); return true;
        case Step::Kind::Assume: emit_assumption(step); break;
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
          Ir from = uniform(k_.arg(inst, 0)), to = uniform(k_.arg(inst, 1));
          if (const auto turns = unrolled(step, from, to)) {
            for (uint32_t i = turns->first; i < turns->second; ++i) {
              set(step.control, imm(i));
              share(step.control);
              if (emit_steps(step.body)) return true;
            }
            break;
          }
          // What is in its steps are loops over lanes, and those are what LLVM should see.
          emit_loop_over(
              step.control, from, to,
              [&] {
                share(step.control);
                if (emit_steps(step.body)) return true;
                if (chunk_ != nullptr && chunk_->any_returns(step.body)) leave_if_none_lives();
                return false;
              },
              /*follow_hint=*/false);
          break;
        }
      }
    }
    return false;
  }

  static bool has_loop(const std::vector<Step>& steps) {
    return std::ranges::any_of(steps, [](const Step& step) {
      return step.kind == Step::Kind::Loop || has_loop(step.body) || has_loop(step.orelse);
    });
  }
  /// The bounds of a loop of few turns, whose steps are written out: then LLVM knows how many lanes each turn
  /// of a reduction by halves has.
  std::optional<std::pair<uint32_t, uint32_t>> unrolled(const Step& loop, Ir from, Ir to) {
    const auto* first = llvm::dyn_cast<llvm::ConstantInt>(from);
    const auto* last = llvm::dyn_cast<llvm::ConstantInt>(to);
    if (!options_.version_loops || first == nullptr || last == nullptr || has_loop(loop.body))
      return std::nullopt;
    const uint64_t begin = first->getZExtValue(), end = last->getZExtValue();
    size_t size = 0;
    walk(k_, k_[loop.control].body, [&](Value) { ++size; });
    const uint64_t makes = begin < end ? (end - begin) * size : 0;
    if (unrolled_ + makes > kMostUnrolled) return std::nullopt;
    unrolled_ += makes;
    return std::pair(uint32_t(begin), uint32_t(end));
  }

  // A value as uniform control sees it: lane 0 has kept what every lane has.
  Ir uniform(Value v) {
    if (chunk_ != nullptr) return operand(v);
    if (const Memory& m = kept_values_[index(v)]; m.base != nullptr) return load_value(m, v, b_.getInt64(0));
    return operand(v);
  }
  Ir uniform_condition(Value v) {
    if (chunk_ == nullptr && kept_values_[index(v)].base != nullptr)
      return b_.CreateICmpNE(uniform(v), imm(0));
    return condition(v);
  }

  void emit_region(const Region& region) {
    if (chunk_ != nullptr) set_chunk_ids(imm(0));
    for_each_row([&](uint32_t) {
      for (const Value v : region.scalars) {
        emit(v);
        if (chunk_ != nullptr) keep_for_all(v);
      }
    });
    if (region.lanes.empty()) return;
    if (chunk_ != nullptr) return emit_chunk_region(region);
    const bool watch = live_.base != nullptr && region.returns;
    if (watch) b_.CreateStore(imm(0), any_live_);

    auto guard = lanes_of_plan(plan_).lone_guard(region);
    if (region.chunk != kNoChunk) {
      const RegionPlan& chunk = plan_.chunks[region.chunk];
      // Rows that are run together share a bound.
      const bool shared = guard && info(k_[guard->bound].kind).source != Source::Invocation;
      if (!shared || guard->relation != LaneGuard::Relation::Below) guard = std::nullopt;
      chunk_lanes_ = chunk.lanes;
      Rows rows = open_loops_over_rows(rows_of(chunk));
      emit_chunks(region, guard);
      close_loops_over_rows(rows);
      return;
    }
    Rows rows = open_loops_over_rows(1);
    Ir row = first_lane_of_row();
    Ir from = imm(0), to = imm(k_.workgroup_size[0]);
    if (guard) {
      assumed_[index(guard->condition)] = true;
      Ir bound = uniform(guard->bound);
      switch (guard->relation) {
        case LaneGuard::Relation::Below: to = least(bound, to); break;
        case LaneGuard::Relation::From: from = least(bound, to); break;
        case LaneGuard::Relation::Only:
          from = least(bound, to);
          to = least(b_.CreateAdd(from, imm(1), "", true, true), to);
          break;
      }
    }
    const auto lanes = [&](bool maybe_empty) {
      local_[0] = from;
      if (uses_.invocation[0]) invocation_[0] = b_.CreateAdd(base_x_, from, "", true, true);
      in_versions(plan_, region.lanes, from, to,
                  [&] { emit_lanes(region, from, to, row, maybe_empty, watch); });
      return false;
    };
    const auto parts = [&] {
      LoopFrame part = open_loop(from, to, "part", Range::NotEmpty, kLeastPart);
      in_parts_ = true;
      from = part.index;
      to = b_.CreateAdd(from, imm(kLeastPart), "", true, true);
      lanes(/*maybe_empty=*/true);
      in_parts_ = false;
      from = imm(0), to = imm(k_.workgroup_size[0]);
      close_loop(part, false);
      return false;
    };
    Ir has_parts = guard ? b_.getFalse() : parts_of(region);
    if (has_parts == b_.getFalse()) {
      lanes(guard.has_value());
    } else if (has_parts == b_.getTrue()) {
      parts();
    } else {
      emit_branch(has_parts, parts, true, [&] { return lanes(/*maybe_empty=*/false); });
    }
    if (guard) assumed_[index(guard->condition)] = std::nullopt;
    close_loops_over_rows(rows);
    if (watch) {
      // A return in uniform control was taken by all: then no later barrier or bound of a loop may be met.
      llvm::BasicBlock* on = block("on");
      b_.CreateCondBr(b_.CreateICmpNE(b_.CreateLoad(word(), any_live_), imm(0)), on, group_exit_);
      b_.SetInsertPoint(on);
    }
    returning_ = false;
  }
  // The loop over the lanes of a row. Its first invocation has lane number `row`.
  void emit_lanes(const Region& region, Ir from, Ir to, Ir row, bool maybe_empty, bool watch) {
    LoopFrame x = open_loop(from, to, "x", maybe_empty ? Range::MaybeEmpty : Range::NotEmpty);
    // invocation_id.x counts beside local_id.x, so that both are affine without a wrap to disprove.
    llvm::PHINode* id = nullptr;
    if (uses_.invocation[0]) {
      id = b_.CreatePHI(word(), 2, "id.x");
      llvm::BasicBlock* before = x.index->getIncomingBlock(0);
      id->addIncoming(
          maybe_empty ? llvm::IRBuilder<>(before->getTerminator()).CreateAdd(base_x_, from, "", true, true)
                      : base_x_,
          before);
    }
    local_[0] = x.index;
    invocation_[0] = id;
    counter_ = x.index;
    lane_ = b_.CreateZExt(x.index, b_.getInt64Ty(), "lane");
    if (row != nullptr) lane_ = b_.CreateAdd(row, lane_, "lane", true, true);
    lane_exit_ = x.latch;
    returning_ = watch;
    find_arrays_of_lane();

    if (region.checks_live) {
      llvm::BasicBlock* alive = block("alive");
      Ir live = load_word(live_, lane_);
      b_.CreateCondBr(b_.CreateICmpNE(live, imm(0)), alive, x.latch);
      b_.SetInsertPoint(alive);
    }
    for (const uint32_t array : region.arrays) clear_array(array);
    for (const Value v : region.inputs) set(v, take_input(v));
    for (const Slot s : region.slots_in) {
      b_.CreateStore(load_slot(kept_slots_, s, lane_), slots_[index(s)]);
    }
    bool terminated = false;
    for (const Value v : region.lanes) {
      if ((terminated = emit(v))) break;
      if (const Memory& m = kept_values_[index(v)]; m.base != nullptr) keep_value(m, v, lane_);
    }
    if (!terminated) {
      for (const Slot s : region.slots_out) {
        keep_slot(kept_slots_, s, lane_, b_.CreateLoad(slot_type(index(s)), slots_[index(s)]));
      }
      if (watch) b_.CreateStore(imm(1), any_live_);
    }
    close_lanes(x, terminated, lanes_of_plan(plan_).scatters(region.lanes) ? Lanes::Few : Lanes::Row);
    if (id != nullptr) {
      b_.SetInsertPoint(x.latch->getTerminator());
      id->addIncoming(b_.CreateAdd(id, imm(1), "", true, true), x.latch);
      b_.SetInsertPoint(x.exit);
    }
  }

  Ir least(Ir a, Ir b) { return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, a, b); }

  void emit_chunk_region(const Region& region) {
    set_chunk_ids(imm(0));
    in_versions(*chunk_, region.lanes, imm(0), imm(chunk_lanes_),
                [&] { for_each_row([&](uint32_t) { emit_chunk_lanes(region); }); });
  }
  void emit_chunk_lanes(const Region& region) {
    LoopFrame x = open_loop(imm(0), imm(chunk_lanes_), "x");
    set_chunk_ids(x.index);
    counter_ = x.index;
    lane_ = b_.CreateZExt(x.index, b_.getInt64Ty(), "lane");
    for (const Value v : region.outer) set(v, take_input(v));
    for (const Value v : region.inputs) set(v, take_input(v));
    for (const WrappedLoad& load : wrapped_) in_lane(lanes_of_plan(*chunk_), k_.arg(k_[load.wrap.select], 0));
    for (const Slot s : region.slots_in) {
      b_.CreateStore(load_slot(chunk_slots_, s, lane_), slots_[index(s)]);
    }
    // Lanes that leave meet the others before anything is kept, so that it is kept for all, without a mask.
    const bool leaves = region.returns || region.checks_live;
    lane_exit_ = leaves ? llvm::BasicBlock::Create(context_, "leave") : x.latch;
    if (leaves) begin_lane(region);
    std::vector<std::pair<Value, llvm::AllocaInst*>> behind;
    bool terminated = false;
    for (const Value v : region.lanes) {
      if ((terminated = emit(v))) break;
      if (leaves && chunk_values_[index(v)].base != nullptr) {
        behind.emplace_back(v, at_entry().CreateAlloca(value_type(v)));
        b_.CreateStore(operand(v), behind.back().second);
      } else {
        keep(v);
      }
    }
    if (leaves) {
      if (!terminated) b_.CreateBr(lane_exit_);
      terminated = false;
      enter(lane_exit_);
      for (const auto& [v, variable] : behind) {
        store_of(chunk_values_[index(v)], value_type(v), lane_, b_.CreateLoad(value_type(v), variable));
      }
      if (chunk_live_.base != nullptr) store_word(chunk_live_, lane_, b_.CreateLoad(word(), alive_));
      alive_ = nullptr;
    }
    if (!terminated) {
      for (const Slot s : region.slots_out) {
        keep_slot(chunk_slots_, s, lane_, b_.CreateLoad(slot_type(index(s)), slots_[index(s)]));
      }
    }
    close_lanes(x, terminated, lanes_of_plan(*chunk_).scatters(region.lanes) ? Lanes::Few : Lanes::Chunk);
  }
  void begin_lane(const Region& region) {
    alive_ = at_entry().CreateAlloca(word(), nullptr, "alive");
    Ir alive = region.checks_live ? load_word(chunk_live_, lane_) : imm(1);
    b_.CreateStore(alive, alive_);
    llvm::BasicBlock* body = block("alive");
    b_.CreateCondBr(b_.CreateICmpNE(alive, imm(0)), body, lane_exit_);
    b_.SetInsertPoint(body);
  }
  // What other regions want of a value, of this chunk or of the workgroup.
  void keep(Value v) {
    if (const Memory& m = chunk_values_[index(v)]; m.base != nullptr) keep_value(m, v, lane_);
    if (const Memory& m = kept_values_[index(v)]; m.base != nullptr)
      keep_value(m, v, b_.CreateAdd(chunk_first_, lane_, "", true, true));
  }
  // What is one value for the chunk may still be an array over the workgroup.
  void keep_for_all(Value v) {
    const Memory& m = kept_values_[index(v)];
    if (m.base == nullptr) return;
    LoopFrame lanes = open_loop(b_.getInt64(0), b_.getInt64(chunk_lanes_), "lane");
    keep_value(m, v, b_.CreateAdd(chunk_first_, lanes.index, "", true, true));
    close_loop(lanes, false);
  }

  // What another region made: kept in memory, or a few operators over what every lane has.
  Ir take_input(Value v) {
    const Inst& inst = k_[v];
    const bool here = chunk_ != nullptr && chunk_values_[index(v)].base != nullptr;
    if (here) return load_value(chunk_values_[index(v)], v, lane_);
    if (const Memory& m = kept_values_[index(v)]; m.base != nullptr) {
      return load_value(m, v, chunk_ == nullptr ? lane_ : b_.CreateAdd(chunk_first_, lane_, "", true, true));
    }
    if (given_by(inst.kind) != BuiltinInput::Nothing) return operand(v);
    for (const Value a : k_.args(inst)) {
      if (residence(a) == Residence::Recomputable) set(a, take_input(a));
    }
    return raw_operator(inst);
  }
  Residence residence(Value v) const {
    if (chunk_ != nullptr && chunk_->residence[index(v)] != Residence::Lane)
      return chunk_->residence[index(v)];
    return plan_.residence[index(v)];
  }

  // ---- Accesses along lanes ------------------------------------------------------------------------------

  /// The lanes that a plan runs; of a flat kernel's row those of many workgroups.
  LanesOf lanes_of_plan(const RegionPlan& plan) const {
    return {k_, plan_, plan, &plan != &plan_ && chunk_lanes_ == kWholeRow, in_parts_};
  }
  /// A value that has a stride, in the lane whose ids are set.
  Ir in_lane(const LanesOf& lanes, Value v) {
    const Inst& inst = k_[v];
    if (given_by(inst.kind) != BuiltinInput::Nothing || lanes.is_shared(v)) return operand(v);
    for (const Value a : k_.args(inst)) in_lane(lanes, a);
    set(v, raw_operator(inst));
    return operand(v);
  }
  void find_masks(const LanesOf& lanes, Value v, std::vector<Value>& masks) const {
    if (const auto mask = lanes.mask_of_lane(v)) {
      masks.push_back(*mask);
    } else if (k_[v].kind == InstKind::Raw && !lanes.is_shared(v)) {
      for (const Value a : k_.args(k_[v])) find_masks(lanes, a, masks);
    }
  }
  /// Whether rows are run part by part, since there indices grow from lane to lane that do not in a whole
  /// row: those made of local_id.x & (distance - 1), as butterflies have, where that distance is large
  /// enough.
  Ir parts_of(const Region& region) {
    const uint32_t wx = k_.workgroup_size[0];
    if (!versions_ || k_.insts.size() > kMaxVersioned || wx <= kLeastPart || !is_aligned(k_, kLeastPart))
      return b_.getFalse();
    const LanesOf whole(k_, plan_, plan_, false), parts(k_, plan_, plan_, false, /*parts=*/true);
    const auto guards = parts.linear_guards(region.lanes);
    if (guards.size() <= whole.linear_guards(region.lanes).size()) return b_.getFalse();
    std::vector<Value> masks;
    for (const LinearGuard& guard : guards) find_masks(whole, guard.index, masks);
    Ir all = b_.getTrue();
    Ir ones = imm(kLeastPart - 1);
    for (const Value mask : masks)
      all = b_.CreateAnd(all, b_.CreateICmpEQ(b_.CreateAnd(operand(mask), ones), ones));
    return all;
  }
  /// A value in the lane whose ids are set, with one of the two that a Select in it gives.
  Ir picked(const LanesOf& lanes, Value v, Value select, Value gives) {
    if (v == select) return in_lane(lanes, gives);
    const Inst& inst = k_[v];
    if (given_by(inst.kind) != BuiltinInput::Nothing || lanes.is_shared(v)) return operand(v);
    for (const Value a : k_.args(inst)) set(a, picked(lanes, a, select, gives));
    return raw_operator(inst);
  }
  /// The loads behind a guard on an index that wraps: at the edge once, before the loop over lanes. Both that
  /// place and those along the lanes are known to be in bounds.
  void load_at_edge(const LanesOf& along, const std::vector<Value>& lanes, const LinearGuard& guard,
                    Ir edge) {
    const auto visit = [&](Value v) {
      const Inst& inst = k_[v];
      if (inst.kind != InstKind::RawLoad || k_.arg(inst, 0) != guard.index) return;
      if (inst.target != k_[guard.bound].target) return;
      linear_[index(guard.index)] = {.begin = edge, .counter = counter_, .at = edge};
      Emitter::emit_load(v, inst);
      wrapped_.push_back({v, *along.wrap_of(guard.index), values_[index(v)]});
    };
    for (const Value top : lanes) {
      visit(top);
      for (const KBlock inner : {k_[top].body, k_[top].orelse}) {
        if (inner != kNoKBlock) walk(k_, inner, visit);
      }
    }
  }
  void emit_load(Value v, const Inst& access) override {
    Emitter::emit_load(v, access);
    const auto wrapped = std::ranges::find(wrapped_, v, &WrappedLoad::load);
    if (wrapped == wrapped_.end()) return;
    const Inst& select = k_[wrapped->wrap.select];
    Ir is_first = condition(k_.arg(select, 0)), along = operand(v);
    const bool edge_first = k_.arg(select, 1) == wrapped->wrap.at_edge;
    set(v, b_.CreateSelect(is_first, edge_first ? wrapped->at_edge : along,
                           edge_first ? along : wrapped->at_edge));
  }
  /// Whether a value that has a stride is a difference, or made of one: then it may wrap where an index that
  /// is made of it does not.
  bool subtracts(Value v) const {
    const Inst& inst = k_[v];
    if (inst.kind != InstKind::Raw || residence(v) == Residence::Scalar) return false;
    return inst.raw == RawOp::Sub ||
           std::ranges::any_of(k_.args(inst), [&](Value a) { return subtracts(a); });
  }
  /// Where an index that has a stride begins, in 64 bits. Those that differ by a small literal begin in one
  /// place, so that LLVM sees what lies side by side in a lane: eight neighbours are some whole vectors. It
  /// is the index where that does not wrap, and else above all words.
  Ir begin_of(const LanesOf& lanes, Value v) {
    const Inst& inst = k_[v];
    if (inst.kind == InstKind::Raw && inst.raw == RawOp::Add && !lanes.is_shared(v)) {
      const Value base = k_.arg(inst, 0);
      const auto offset = literal_of(k_, k_.arg(inst, 1));
      if (offset && *offset <= kMostOffset && lanes.stride_of(base) && !subtracts(base))
        return b_.CreateAdd(begin_of(lanes, base), b_.getInt64(*offset), "", true, true);
    }
    return b_.CreateZExt(in_lane(lanes, v), b_.getInt64Ty());
  }
  /// Emits a loop over lanes [from, to) twice where it has guards that a look at its ends can spare, and
  /// takes the one without guards where they hold. Ids are those of lane `from`. Then no index wraps either,
  /// and LLVM sees accesses that lie side by side.
  template <typename Loop>
  void in_versions(const RegionPlan& plan, const std::vector<Value>& lanes, Ir from, Ir to, Loop&& loop) {
    if (!versions_ || k_.insts.size() > kMaxVersioned) return loop();
    const LanesOf along = lanes_of_plan(plan);
    std::vector<LinearGuard> guards = along.linear_guards(lanes);
    const auto is_settled = [&](const LinearGuard& g) { return settled_[index(g.index)]; };
    std::erase_if(guards, [&](const LinearGuard& g) {
      if (g.around != kNoValue && chunk_ == nullptr) return true;
      return g.condition != kNoValue && known(k_[g.condition]).has_value() && !is_settled(g);
    });
    if (guards.empty()) return loop();
    auto* wide = b_.getInt64Ty();
    Ir first = b_.CreateZExt(from, wide), steps = b_.CreateSub(b_.CreateZExt(to, wide), first);
    steps = b_.CreateSub(steps, b_.getInt64(1));
    Ir all = b_.getTrue();
    std::vector<Linear> linear;  // row by row
    std::vector<Ir> edges;       // likewise: of indices that wrap
    for_each_row([&](uint32_t) {
      for (const LinearGuard& g : guards) {
        const auto wrap = g.around != kNoValue ? along.wrap_of(g.index) : std::nullopt;
        Ir begin = wrap ? b_.CreateZExt(picked(along, g.index, g.around, wrap->along), wide)
                        : begin_of(along, g.index);
        Ir last = b_.CreateAdd(begin, b_.CreateMul(steps, b_.getInt64(g.stride)));
        Ir bound = g.bound == kNoValue ? number_of_words() : b_.CreateZExt(in_lane(along, g.bound), wide);
        // That an index is in bounds says little of the two that it is one of: it may be the lesser of them.
        const bool is_known = !wrap && is_settled(g) && (g.condition == kNoValue || known(k_[g.condition]));
        if (!is_known) all = b_.CreateAnd(all, b_.CreateICmpULT(last, bound));
        Ir edge = wrap ? b_.CreateZExt(picked(along, g.index, g.around, wrap->at_edge), wide) : nullptr;
        if (wrap && !is_known) all = b_.CreateAnd(all, b_.CreateICmpULT(edge, bound));
        edges.push_back(edge);
        begin = b_.CreateSub(begin, b_.CreateMul(first, b_.getInt64(g.stride)), "begin");
        linear.push_back({.begin = begin, .stride = g.stride});
      }
    });
    const auto go_along = [&](bool go) {
      for_each_row([&](uint32_t r) {
        wrapped_.clear();
        for (size_t i = 0; i < guards.size(); ++i) {
          const LinearGuard& g = guards[i];
          Ir edge = edges[r * guards.size() + i];
          if (go && edge != nullptr) load_at_edge(along, lanes, g, edge);
          linear_[index(g.index)] = go ? linear[r * guards.size() + i] : Linear{};
        }
      });
    };
    if (all == b_.getTrue()) {
      go_along(true);
      loop();
      go_along(false);
      return;
    }
    std::vector<Value> open;  // conditions that are looked at here
    for (const LinearGuard& g : guards) {
      if (g.condition != kNoValue && !known(k_[g.condition])) open.push_back(g.condition);
    }
    const auto assume = [&](std::optional<bool> holds) {
      for (const Value condition : open) assumed_[index(condition)] = holds;
    };
    llvm::BasicBlock* fast = block("inside");
    llvm::BasicBlock* slow = llvm::BasicBlock::Create(context_, "guarded");
    llvm::BasicBlock* after = llvm::BasicBlock::Create(context_, "after");
    b_.CreateCondBr(all, fast, slow);
    b_.SetInsertPoint(fast);
    assume(true);
    go_along(true);
    loop();
    b_.CreateBr(after);
    assume(std::nullopt);
    go_along(false);
    enter(slow);
    loop();
    b_.CreateBr(after);
    enter(after);
  }
  Ir wide_index(Value v) override {
    Linear& linear = linear_[index(v)];
    if (linear.begin == nullptr) return Emitter::wide_index(v);
    if (linear.counter == counter_) return linear.at;
    // Where a lane begins, once for all its ways: accesses on two ways then have one address.
    llvm::IRBuilder<> top(counter_->getParent(), counter_->getParent()->getFirstInsertionPt());
    Ir at = top.CreateMul(top.CreateZExt(counter_, top.getInt64Ty()), top.getInt64(linear.stride));
    linear.counter = counter_;
    linear.at = top.CreateAdd(linear.begin, at, "at");
    return linear.at;
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
    if (const auto is = known(k_[v])) return imm(*is ? 1 : 0);
    return values_[index(v)];
  }
  /// What a comparison is known to give in the loop that is being emitted.
  std::optional<bool> known(const Inst& inst) const {
    if (const auto is = assumed_[size_t(&inst - k_.insts.data())]) return is;
    if (!in_bounds_) return std::nullopt;
    const auto guard = x_guard(inst);
    return guard ? std::optional(guard->inside) : std::nullopt;
  }
  Ir condition(Value v) override {
    if (const auto is = known(k_[v])) return b_.getInt1(*is);
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

  // An array over lanes has elements of the slot's or value's type.
  llvm::Type* value_type(Value v) {
    const Inst& inst = k_[v];
    if (inst.type != spec::DataType::U64) return word();
    return inst.kind == InstKind::Raw && gives_wide(inst.raw) ? b_.getDoubleTy() : b_.getInt64Ty();
  }
  Ir load_of(const Memory& m, llvm::Type* type, Ir lane) {
    return tag(b_.CreateAlignedLoad(type, b_.CreateInBoundsGEP(type, m.base, lane), llvm::Align(4)), m);
  }
  void store_of(const Memory& m, llvm::Type* type, Ir lane, Ir value) {
    tag(b_.CreateAlignedStore(value, b_.CreateInBoundsGEP(type, m.base, lane), llvm::Align(4)), m);
  }
  Ir load_slot(const std::vector<Memory>& arrays, Slot s, Ir lane) {
    return load_of(arrays[index(s)], slot_type(index(s)), lane);
  }
  void keep_slot(const std::vector<Memory>& arrays, Slot s, Ir lane, Ir value) {
    store_of(arrays[index(s)], slot_type(index(s)), lane, value);
  }
  Ir load_value(const Memory& m, Value v, Ir lane) { return load_of(m, value_type(v), lane); }
  void keep_value(const Memory& m, Value v, Ir lane) { store_of(m, value_type(v), lane, operand(v)); }

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
      llvm::PHINode* phi = b_.CreatePHI(before[i]->getType(), 2, k_.slots[merges[i].slot].name);
      phi->addIncoming(before[i], from);
      if (arm != nullptr) phi->addIncoming(inside[i], arm);
      slot_values_[merges[i].slot] = phi;
    }
  }

  bool emit_if(Value v, const Inst& inst) override {
    const Value c = k_.arg(inst, 0);
    const auto is = known(k_[c]);
    if (is && !*is && inst.orelse == kNoKBlock) {
      for (const Merge& m : merges_[index(v)]) slot_values_[m.slot] = operand(m.before);
      return false;
    }
    if (is && *is) {
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
    if (alive_ != nullptr) b_.CreateStore(imm(0), alive_);
    b_.CreateBr(lane_exit_);
  }
  void emit_barrier() override {}  // regions end there
  void emit_raw(Value v, const Inst& inst) override {
    const auto is = known(inst);
    if (!is) return Emitter::emit_raw(v, inst);
    set(v, b_.getInt1(*is));
  }

  RegionPlan plan_;
  const RegionPlan* chunk_ = nullptr;  // the one whose steps are being emitted
  uint32_t chunk_lanes_ = 0;
  const EmitOptions options_;
  const IdUses uses_;
  std::vector<bool> uses_length_;   // by buffer
  std::vector<bool> used_as_word_;  // by Value: not only as a condition

  std::vector<bool> merged_;                // by Slot
  std::vector<Ir> slot_values_;             // by Slot: of merges
  std::vector<std::vector<Merge>> merges_;  // by Value: an If's
  std::vector<Memory> kept_slots_;          // by Slot: its array over lanes, if it has one
  std::vector<Memory> kept_values_;         // by Value: likewise
  std::vector<Memory> chunk_slots_;         // by Slot: its array over the lanes of the chunk
  std::vector<Memory> chunk_values_;        // by Value: likewise
  Memory chunk_live_;                       // of lanes of the chunk: whether each has not returned
  llvm::AllocaInst* alive_ = nullptr;       // likewise, of the lane that runs
  Memory live_;
  llvm::AllocaInst* any_live_ = nullptr;

  bool versions_ = options_.version_loops;  // of loops over lanes: with and without guards
  std::vector<bool> settled_;   // by Value: an index that does not wrap, by a look at the chunk's ends
  size_t unrolled_ = 0;         // instructions that were written out
  std::vector<RowState> rows_;  // of rows that are run beside the one at hand

  std::vector<Ir> values_;                    // by Value: as a word, where it is used as one
  std::vector<Ir> conditions_;                // by Value: as one bit, where it is one
  std::vector<std::optional<bool>> assumed_;  // by Value: of a condition, in the chunk that is being emitted
  std::vector<Linear> linear_;                // by Value
  std::vector<WrappedLoad> wrapped_;          // in the loop over lanes that is being emitted
  llvm::PHINode* counter_ = nullptr;          // of the loop over lanes
  bool in_parts_ = false;                     // the loop is over kLeastPart lanes, where masks have ones
  Ir base_x_ = nullptr;                       // invocation_id.x of the first invocation of the group or chunk
  Ir local_base_ = nullptr;                   // local_id.x of the first lane of the chunk
  Ir chunk_first_ = nullptr;                  // i64: the number of that lane in the workgroup
  Ir lane_ = nullptr;                         // i64
  llvm::BasicBlock* lane_exit_ = nullptr;
  llvm::BasicBlock* group_exit_ = nullptr;
  llvm::BasicBlock* apart_ = nullptr;    // where a chunk goes on lane by lane
  bool returning_ = false;               // a lane that returns must say so
  std::vector<Value> literal_guards_;    // comparisons of invocation_id.x, which end a row
  std::vector<Value> lone_, lone_ands_;  // conditions of a row around everything, and what they make
  bool in_bounds_ = false;               // invocation_id.x is below every length it is compared with
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
