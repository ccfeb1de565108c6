#include "lower/llvm/regions.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "lower/inst_info.h"
#include "lower/llvm/lanes.h"
#include "lower/llvm/llvm.h"
#include "lower/operators.h"
#include "lower/walk.h"
#include "spec/ops.h"

namespace vyre::lower {
namespace {

constexpr uint32_t kNoRegion = UINT32_MAX;
constexpr uint64_t kArrayAlignment = 64;
/// A value of at most this many raw operators is computed again rather than kept in memory.
constexpr uint32_t kRecomputeLimit = 4;
/// Operators between literals and what they give, each as often as it is used: a sum of itself with itself,
/// again and again, would else take time that doubles with each.
constexpr uint32_t kMostOfLiteral = 16;
/// A condition of at most this many instructions may be assumed.
constexpr uint32_t kMostAssumed = 32;
/// Rounds of the fixpoint over slots; a chain of assignments longer than this is kept per lane, which is
/// right too.
constexpr int kSlotRounds = 8;

/// No vectors compute it, so lanes in step gain nothing.
bool is_for_one_lane(RawOp op) {
  return op == RawOp::LongUMulHi || op == RawOp::LongUDiv || op == RawOp::LongURem;
}
bool is_division(RawOp op) {
  return op == RawOp::UDiv || op == RawOp::URem || op == RawOp::SDiv || op == RawOp::SRem ||
         op == RawOp::LongUDiv || op == RawOp::LongURem;
}

class Planner {
 public:
  /// The whole kernel; with `chunk` as one runs it.
  explicit Planner(const Kernel& kernel, const Nesting& nesting, const ChunkOptions* chunk = nullptr)
      : k_(kernel), chunk_(chunk), nesting_(nesting), root_(kernel.block(kernel.entry)) {}
  /// One region of a plan, as a chunk runs it.
  Planner(const Kernel& kernel, const Nesting& nesting, const ChunkOptions& chunk, const RegionPlan& outer,
          const Region& region)
      : k_(kernel), chunk_(&chunk), nesting_(nesting), root_(region.lanes), outer_(&outer) {}

  RegionPlan run() {
    const size_t values = k_.insts.size();
    plan_.has_barrier.assign(values, false);
    plan_.resolved.assign(values, false);
    inside_.assign(values, false);
    for_each_live([&](Value v) { inside_[index(v)] = true; });
    find_needed();
    if (chunk_ != nullptr) {
      resolve();
      if (!is_row()) find_lockstep();
      plan_.flat = !is_row() && !any_barrier_ && !divides_rows();
    } else {
      find_barriers();
      bool workgroup_memory = false;
      for (const KernelBuffer& b : k_.buffers) workgroup_memory |= b.access == spec::BufferAccess::Workgroup;
      plan_.flat = !any_barrier_ && !workgroup_memory;
    }
    plan_.residence.assign(values, Residence::Lane);
    plan_.scalar_slot.assign(k_.slots.size(), false);
    plan_.value_offset.assign(values, kNoOffset);
    plan_.slot_offset.assign(k_.slots.size(), kNoOffset);
    plan_.buffer_offset.assign(k_.buffers.size(), kNoOffset);
    if (plan_.flat) {
      lay_out_arrays_of_turns();
      return std::move(plan_);
    }

    while (true) {
      classify();
      if (chunk_ == nullptr || is_row() || !drop_divergent()) break;
      if (plan_.flat) return std::move(plan_);
    }
    region_of_.assign(values, kNoRegion);
    read_in_region_.assign(k_.slots.size(), kNoRegion);
    split(root_, plan_.steps);
    find_crossings();
    array_region_.assign(k_.buffers.size(), kNoRegion);
    array_crosses_.assign(k_.buffers.size(), false);
    find_arrays(plan_.steps, /*in_loop=*/false);
    bool returned = false;
    mark_live_checks(plan_.steps, returned);
    // Of a row nothing is kept from region to region.
    if (is_row() && !is_one_region()) {
      plan_.flat = true;
      return std::move(plan_);
    }
    lay_out();
    if (chunk_ != nullptr) plan_.rows_agree = agree(plan_.steps, depends_on_row());
    return std::move(plan_);
  }

 private:
  // Visits an instruction and all that is nested in it, in program order.
  template <typename F>
  void for_each_nested(Value root, F&& visit) const {
    visit(root);
    for (const KBlock inner : {k_[root].body, k_[root].orelse}) {
      if (inner != kNoKBlock) walk(k_, inner, visit);
    }
  }

  // What the root takes from outside, and what that is made of: others may stand in a block that is not
  // around the root, where what they are made of cannot be had.
  void find_needed() {
    needed_.assign(k_.insts.size(), false);
    for (size_t v = k_.insts.size(); v-- > 0;) {  // operands come before those that take them
      if (!inside_[v] && !needed_[v]) continue;
      for (const Value a : k_.args(k_.insts[v])) needed_[index(a)] = true;
    }
  }

  // A barrier marks all control around it.
  void mark(Value v) {
    any_barrier_ = true;
    for (Value up{v}; up != kNoValue && !has_barrier(up); up = nesting_.around(up)) {
      if (!plan_.resolved[index(up)]) plan_.has_barrier[index(up)] = true;
    }
  }
  void find_barriers() {
    for (uint32_t v = 0; v < k_.insts.size(); ++v) {
      if (k_.insts[v].kind == InstKind::Barrier && nesting_.holder[v] != kNoKBlock) mark(Value{v});
    }
  }
  bool has_barrier(Value v) const { return plan_.has_barrier[index(v)]; }
  bool is_step(Value v) const { return plan_.is_step(v); }

  // ---- Chunks --------------------------------------------------------------------------------------------

  bool is_one_region() const {
    const auto any = [](const std::vector<bool>& flags) {
      return std::ranges::find(flags, true) != flags.end();
    };
    return plan_.steps.size() == 1 && plan_.regions.size() == 1 && !any(kept_) && !any(slot_crosses_);
  }
  /// Whether lanes have numbers in parts of a row which are one number, or follow each other, in such a chunk
  /// but in no larger one: then it is worth its while without a loop too.
  bool divides_rows() const {
    if (chunk_->lanes < kLeastPart) return false;
    for (uint32_t v = 0; v < k_.insts.size(); ++v) {
      if ((inside_[v] || needed_[v]) && part_of_row(k_, k_.insts[v]) == chunk_->lanes) return true;
    }
    return false;
  }
  bool is_row() const { return chunk_ != nullptr && chunk_->lanes == kWholeRow; }
  ChunkOptions::Known known(Value condition) const {
    return chunk_ == nullptr ? ChunkOptions::Known::Nothing : known_[index(condition)];
  }
  /// An If that no lane of the chunk enters.
  bool is_dropped(Value v) const {
    return plan_.resolved[index(v)] && known(k_.arg(k_[v], 0)) == ChunkOptions::Known::False;
  }
  // The Ifs without else that stand in uniform control, and whose condition is known or worth to be assumed.
  void resolve() {
    known_ = chunk_->known;
    assumed_.assign(k_.insts.size(), false);
    bool wrote = false;  // before a look at a condition nothing may have happened: all would happen again
    walk_roots(
        [&](Value v) {
          const Inst& inst = k_[v];
          wrote |= writes_memory(inst.kind);
          if (inst.kind == InstKind::Loop) for_each_nested(v, [&](Value inner) { wrote |= writes(inner); });
          if (inst.kind != InstKind::If) return inst.kind == InstKind::Loop;
          const Value condition = k_.arg(inst, 0);
          if (inst.orelse == kNoKBlock) {
            if (known(condition) == ChunkOptions::Known::Nothing && !wrote) assume(v, condition);
            plan_.resolved[index(v)] = known(condition) != ChunkOptions::Known::Nothing;
          }
          if (known(condition) == ChunkOptions::Known::True && plan_.resolved[index(v)]) return true;
          if (!is_dropped(v)) for_each_nested(v, [&](Value inner) { wrote |= writes(inner); });
          return false;
        },
        [](Value) {});
  }
  bool writes(Value v) const { return writes_memory(k_[v].kind); }
  // A guard around loops is taken to hold, one around a return alone not to.
  void assume(Value v, Value condition) {
    bool in_loop = false;
    for (Value up = nesting_.around(v); up != kNoValue; up = nesting_.around(up)) {
      in_loop |= k_[up].kind == InstKind::Loop && inside_[index(up)];
    }
    if (is_row() || in_loop) return;
    bool loops = false, returns = false;
    for_each_nested(v, [&](Value inner) {
      loops |= k_[inner].kind == InstKind::Loop;
      returns |= k_[inner].kind == InstKind::Return;
    });
    uint32_t budget = kMostAssumed;
    if ((!loops && !returns) || !is_likely(condition, budget)) return;
    known_[index(condition)] = loops ? ChunkOptions::Known::True : ChunkOptions::Known::False;
    assumed_[index(v)] = true;
  }
  // Whether a condition follows from ids, lengths and what is loaded for all lanes alike: then most chunks
  // lie on one side of it.
  bool is_likely(Value v, uint32_t& budget, bool of_all = false) const {
    const Inst& inst = k_[v];
    if (info(inst.kind).source == Source::Invocation) return !of_all;
    if (given_by(inst.kind) != BuiltinInput::Nothing) return true;
    if (budget == 0) return false;
    --budget;
    const auto all = [&](const Inst& of, bool index) {
      return std::ranges::all_of(k_.args(of), [&](Value a) { return is_likely(a, budget, index || of_all); });
    };
    if (inst.kind == InstKind::Raw) return !is_for_one_lane(inst.raw) && all(inst, false);
    if (inst.kind == InstKind::RawLoad) {
      return !spec::is_writable(k_.buffers[inst.target].access) && all(inst, true);
    }
    if (inst.kind != InstKind::Get) return false;
    return std::ranges::all_of(k_.insts, [&](const Inst& set) {
      return set.kind != InstKind::Set || set.target != inst.target || all(set, false);
    });
  }

  // Loops that lanes may run in step: nothing in them keeps their lanes from being a vector. One that has
  // returned is still run, and what it computes is dropped.
  void find_lockstep() {
    lockstep_.assign(k_.insts.size(), false);
    for_each_live([&](Value v) {
      if (k_[v].kind != InstKind::Loop) return;
      bool fits = true;
      for_each_nested(v, [&](Value inner) {
        const Inst& inst = k_[inner];
        fits &= inst.kind != InstKind::RawAtomic;
        fits &= inst.kind != InstKind::Raw || !is_for_one_lane(inst.raw);
      });
      lockstep_[index(v)] = fits;
    });
    // An If in such a loop that all lanes take or none is a step, if it is more than a guard.
    may_agree_.assign(k_.insts.size(), false);
    for_each_live([&](Value v) {
      if (k_[v].kind != InstKind::If) return;
      for_each_nested(v, [&](Value inner) {
        if (inner != v && k_[inner].kind == InstKind::If) may_agree_[index(v)] = true;
      });
    });
    mark_lockstep();
  }
  void mark_lockstep() {
    any_barrier_ = false;
    plan_.has_barrier.assign(k_.insts.size(), false);
    for (uint32_t v = 0; v < k_.insts.size(); ++v) {
      if (lockstep_[v]) mark(Value{v});
    }
    if (!any_barrier_) return;
    for (uint32_t v = 0; v < k_.insts.size(); ++v) {
      if (!may_agree_[v] || is_step(Value{v})) continue;
      const Value around = nesting_.around(Value{v});
      if (around != kNoValue && inside_[index(around)] && has_barrier(around)) mark(Value{v});
    }
  }
  // A loop whose lanes do not all run it equally often is none, nor is one around it or in it: a loop over
  // lanes with another in it is not what a vectoriser takes. True when there was any.
  bool drop_divergent() {
    bool any = false;
    for (uint32_t v = 0; v < k_.insts.size(); ++v) {
      const Inst& inst = k_.insts[v];
      if ((inst.kind != InstKind::Loop && inst.kind != InstKind::If) || !inside_[v]) continue;
      if (!has_barrier(Value{v})) {
        const bool own = inst.kind == InstKind::Loop && !scalar_control_[v];  // a loop of each lane's own
        if (own) any |= drop_around(Value{v});
        continue;
      }
      if (std::ranges::all_of(k_.args(inst), [&](Value a) { return is_scalar(a); })) continue;
      any = true;
      bool loops = false;
      for_each_nested(Value{v}, [&](Value inner) { loops |= lockstep_[index(inner)]; });
      may_agree_[v] = false;
      if (!loops) continue;  // an If that is no step leaves the loop around it one
      for_each_nested(Value{v}, [&](Value inner) { lockstep_[index(inner)] = false; });
      drop_around(Value{v});
    }
    if (!any) return false;
    mark_lockstep();
    plan_.flat = !any_barrier_ && !divides_rows();
    return true;
  }
  bool drop_around(Value v) {
    bool any = false;
    for (Value up = v; up != kNoValue; up = nesting_.around(up)) {
      any |= lockstep_[index(up)];
      lockstep_[index(up)] = false;
    }
    return any;
  }

  /// By Value: whether it, or for control how it runs, follows from an id along y.
  std::vector<bool> depends_on_row() const {
    std::vector<bool> depends(k_.insts.size(), false), slots(k_.slots.size(), false);
    for (bool changed = true; std::exchange(changed, false);) {
      for (uint32_t v = 0; v < k_.insts.size(); ++v) {
        const Inst& inst = k_.insts[v];
        bool now = info(inst.kind).source == Source::Invocation && inst.imm == 1;
        now |= inst.kind == InstKind::Get && slots[inst.target];
        now |= std::ranges::any_of(k_.args(inst), [&](Value a) { return depends[index(a)]; });
        if (inst.kind == InstKind::Set) {
          for (Value up = nesting_.around(Value{v}); up != kNoValue && !now; up = nesting_.around(up)) {
            now = depends[index(up)];
          }
          changed |= now && !slots[inst.target];
          slots[inst.target] = slots[inst.target] || now;
        }
        changed |= now && !depends[v];
        depends[v] = now;
      }
    }
    return depends;
  }
  bool agree(const std::vector<Step>& steps, const std::vector<bool>& depends) const {
    return std::ranges::all_of(steps, [&](const Step& step) {
      const bool controls = step.kind == Step::Kind::If || step.kind == Step::Kind::Loop;
      return !(controls && depends[index(step.control)]) && agree(step.body, depends) &&
             agree(step.orelse, depends);
    });
  }

  /// What is the same for all lanes without being computed.
  bool at_hand(Value v) const {
    const Inst& inst = k_[v];
    if (info(inst.kind).source == Source::Invocation) return chunk_ != nullptr && inst.imm != 0;
    if (is_row() && inst.kind == InstKind::WorkgroupId && inst.imm == 0) return false;
    return given_by(inst.kind) != BuiltinInput::Nothing;
  }
  bool is_scalar(Value v) const { return plan_.residence[index(v)] == Residence::Scalar || at_hand(v); }

  // Visits all but what no lane of a chunk enters.
  template <typename F>
  void for_each_live(F&& visit) const {
    walk_roots([&](Value v) { return visit(v), !is_dropped(v); }, [](Value) {});
  }
  template <typename Visit, typename Leave>
  void walk_roots(Visit&& visit, Leave&& leave) const {
    for (const Value root : root_) {
      if (visit(root)) {
        for (const KBlock inner : {k_[root].body, k_[root].orelse}) {
          if (inner != kNoKBlock) walk(k_, inner, visit, [](Value) {}, leave);
        }
      }
      leave(root);
    }
  }

  // Visits what runs once for the workgroup, as far as is known, in program order: the instructions of the
  // blocks that contain barriers, and all that is nested in scalar control. `inside` is the outermost such
  // control, or none.
  template <typename F>
  void for_each_uniform(F&& visit) const {
    Value inside = kNoValue;
    walk_roots(
        [&](Value v) {
          if (inside == kNoValue && scalar_control_[index(v)]) inside = v;
          visit(v, inside);
          return !is_dropped(v) && (is_step(v) || inside != kNoValue);
        },
        [&](Value v) {
          if (inside == v) inside = kNoValue;
        });
  }

  // What is the same for all lanes and can run once. The guesses, that control without side effects is scalar
  // and that slots set there alone are, only ever turn false.
  void classify() {
    scalar_control_.assign(k_.insts.size(), false);
    for_each_uniform([&](Value v, Value) {
      const InstKind kind = k_[v].kind;
      if (is_step(v) || (kind != InstKind::If && kind != InstKind::Loop)) return;
      bool effects = false;
      for_each_nested(v, [&](Value inner) {
        const InstKind k = k_[inner].kind;
        effects |= writes_memory(k) || k == InstKind::Return;
      });
      scalar_control_[index(v)] = !effects;
    });
    std::vector<uint32_t> sets(k_.slots.size(), 0);
    for_each_live([&](Value v) {
      if (k_[v].kind == InstKind::Set) ++sets[k_[v].target];
    });
    plan_.scalar_slot.assign(k_.slots.size(), true);
    if (outer_ != nullptr) {
      for (size_t s = 0; s < k_.slots.size(); ++s) {
        plan_.scalar_slot[s] = outer_->scalar_slot[s] || outer_->slot_offset[s] == kNoOffset;
      }
    }
    for (int round = 0;; ++round) {
      if (round == kSlotRounds) {
        scalar_control_.assign(k_.insts.size(), false);
        plan_.scalar_slot.assign(k_.slots.size(), false);
      }
      std::vector<uint32_t> uniform_sets(k_.slots.size(), 0);
      for_each_uniform([&](Value v, Value) {
        if (k_[v].kind == InstKind::Set) ++uniform_sets[k_[v].target];
      });
      for (size_t s = 0; s < sets.size(); ++s) {
        if (sets[s] != uniform_sets[s]) plan_.scalar_slot[s] = false;
      }
      classify_values();
      bool changed = false;
      for_each_uniform([&](Value v, Value inside) {
        const Inst& inst = k_[v];
        if (inst.kind == InstKind::Set && plan_.scalar_slot[inst.target] && !is_scalar(k_.arg(inst, 0))) {
          plan_.scalar_slot[inst.target] = false;
          changed = true;
        }
        if (inside == kNoValue || !scalar_control_[index(inside)]) return;
        bool scalar = is_scalar(v);
        if (inst.kind == InstKind::Set) scalar = plan_.scalar_slot[inst.target];
        if (inst.kind == InstKind::If) scalar = is_scalar(k_.arg(inst, 0));
        if (!scalar) {
          scalar_control_[index(inside)] = false;
          changed = true;
        }
      });
      if (!changed) return;
    }
  }

  bool is_one(const Inst& inst) const {
    return chunk_ != nullptr && is_one_for_chunk(k_, inst, chunk_->lanes);
  }

  void classify_values() {
    std::vector<uint8_t> cost(k_.insts.size(), 0);
    plan_.scalars.clear();
    for (Inst const& inst : k_.insts) {
      const size_t i = size_t(&inst - k_.insts.data());
      if (outer_ != nullptr && !inside_[i]) {
        const Residence outside = outer_->residence[i];
        const bool all = std::ranges::all_of(k_.args(inst), [&](Value a) { return is_scalar(a); });
        const bool again = outside == Residence::Recomputable && (all || is_one(inst));
        if (again && needed_[i]) plan_.scalars.push_back(Value(i));
        if (again || outside == Residence::Scalar) {
          plan_.residence[i] = Residence::Scalar;
          continue;
        }
      }
      const bool is_id = info(inst.kind).source == Source::Invocation || inst.kind == InstKind::WorkgroupId;
      plan_.residence[i] = at_hand(Value(i)) ? Residence::Scalar
                           : is_id           ? Residence::LaneId
                                             : Residence::Lane;
    }
    for_each_uniform([&](Value v, Value inside) {
      const Inst& inst = k_[v];
      const auto args = k_.args(inst);
      const bool scalar_args = std::ranges::all_of(args, [&](Value a) { return is_scalar(a); });
      Residence& where = plan_.residence[index(v)];
      switch (info(inst.kind).source) {
        case Source::Literal: where = Residence::Scalar; break;
        case Source::Dispatch:
          if (at_hand(v)) where = Residence::Scalar;
          break;
        case Source::Slot:
          if (plan_.scalar_slot[inst.target]) where = Residence::Scalar;
          break;
        case Source::Memory:
          if (scalar_args && !spec::is_writable(k_.buffers[inst.target].access)) where = Residence::Scalar;
          break;
        case Source::Operands: {
          const bool loop = inst.kind == InstKind::Loop;
          const bool one = !loop && (scalar_args || is_one(inst));
          if (loop ? has_barrier(v) || (inside != kNoValue && scalar_args) : one) {
            where = Residence::Scalar;
          }
          if (loop || one) break;
          uint32_t total = 1;
          bool again = !is_division(inst.raw);
          for (const Value a : args) {
            again &= plan_.residence[index(a)] != Residence::Lane || at_hand(a);
            total += cost[index(a)];
          }
          if (again && inside == kNoValue && total <= kRecomputeLimit) {
            where = Residence::Recomputable;
            cost[index(v)] = uint8_t(total);
          }
          break;
        }
        case Source::None:
        case Source::Invocation:
        case Source::Atomic:
        case Source::Lanes: break;
      }
    });
  }

  // The steps of one uniform block. Nests as deep as blocks do, which check/ bounds.
  std::vector<Step> split(KBlock block) {
    std::vector<Step> steps;
    if (block != kNoKBlock) split(k_.block(block), steps);
    return steps;
  }
  void split(std::span<const Value> block, std::vector<Step>& steps) {
    uint32_t open = kNoRegion;
    split(block, steps, open);
  }
  /// True when all lanes return.
  bool split(std::span<const Value> block, std::vector<Step>& steps, uint32_t& open) {
    const auto region = [&]() -> Region& {
      if (open == kNoRegion) {
        open = uint32_t(plan_.regions.size());
        plan_.regions.emplace_back();
        steps.push_back({.kind = Step::Kind::Region, .region = open});
      }
      return plan_.regions[open];
    };
    const auto close = [&] { open = kNoRegion; };
    const auto look = [&](Value v, bool holds) {
      close();
      steps.push_back({.kind = Step::Kind::Assume, .control = v, .holds = holds});
    };
    for (const Value v : block) {
      const Inst& inst = k_[v];
      if (inst.kind == InstKind::Barrier) {
        close();
      } else if (inst.kind == InstKind::Return) {
        steps.push_back({.kind = Step::Kind::Return});
        return true;
      } else if (is_dropped(v)) {
        if (assumed_[index(v)]) look(v, false);
      } else if (plan_.resolved[index(v)]) {
        if (assumed_[index(v)]) look(v, true);
        if (split(k_.block(inst.body), steps, open)) return true;
      } else if (has_barrier(v)) {
        close();
        Step step{.kind = inst.kind == InstKind::If ? Step::Kind::If : Step::Kind::Loop, .control = v};
        step.body = split(inst.body);
        step.orelse = split(inst.orelse);
        steps.push_back(std::move(step));
      } else if (scalar_control_[index(v)] ||
                 (inst.kind == InstKind::Set && plan_.scalar_slot[inst.target])) {
        // Scalars run before the lanes of their region, so a slot may not change under a lane that reads it.
        bool conflict = false;
        for_each_nested(v, [&](Value inner) {
          if (open == kNoRegion || k_[inner].kind != InstKind::Set) return;
          conflict |= read_in_region_[k_[inner].target] == open;
        });
        if (conflict) close();
        region().scalars.push_back(v);
      } else if (plan_.residence[index(v)] == Residence::Scalar) {
        if (!at_hand(v)) region().scalars.push_back(v);
      } else {
        Region& r = region();
        r.lanes.push_back(v);
        for_each_nested(v, [&](Value inner) {
          region_of_[index(inner)] = open;
          const Inst& i = k_[inner];
          if (i.kind == InstKind::Return) r.returns = true;
          if (i.kind == InstKind::Get) read_in_region_[i.target] = open;
        });
      }
    }
    return false;
  }

  // Which values and slots are used in a region that is not their own.
  void find_crossings() {
    std::vector<uint32_t> input_of(k_.insts.size(), kNoRegion);  // the last region that took it
    std::vector<uint32_t> slot_region(k_.slots.size(), kNoRegion);
    std::vector<bool> slot_crosses(k_.slots.size(), false);
    kept_.assign(k_.insts.size(), false);
    for (uint32_t r = 0; r < plan_.regions.size(); ++r) {
      Region& region = plan_.regions[r];
      for (const Value top : region.lanes) {
        for_each_nested(top, [&](Value v) {
          const Inst& inst = k_[v];
          for (const Value a : k_.args(inst)) {
            const Residence where = plan_.residence[index(a)];
            if (where == Residence::Scalar || where == Residence::LaneId) continue;
            if (region_of_[index(a)] == r || input_of[index(a)] == r) continue;
            input_of[index(a)] = r;
            if (!inside_[index(a)]) {
              region.outer.push_back(a);
              continue;
            }
            region.inputs.push_back(a);
            if (where == Residence::Lane) kept_[index(a)] = true;
          }
          const bool slot_access = inst.kind == InstKind::Get || inst.kind == InstKind::Set;
          if (!slot_access || plan_.scalar_slot[inst.target]) return;
          if (outer_ != nullptr && outer_->slot_offset[inst.target] != kNoOffset) {
            slot_crosses[inst.target] = true;
          }
          uint32_t& first = slot_region[inst.target];
          if (first == kNoRegion) {
            first = r;
            // A region in a loop sees what its own last run left, unless it sets the slot first.
            if (inst.kind == InstKind::Get) slot_crosses[inst.target] = true;
          } else if (first != r) {
            slot_crosses[inst.target] = true;
          }
        });
      }
    }
    // Uniform control reads what lane 0 kept.
    keep_controls(plan_.steps);
    std::vector<uint32_t> in(k_.slots.size(), kNoRegion), out(k_.slots.size(), kNoRegion);
    for (uint32_t r = 0; r < plan_.regions.size(); ++r) {
      Region& region = plan_.regions[r];
      for (const Value top : region.lanes) {
        for_each_nested(top, [&](Value v) {
          const Inst& inst = k_[v];
          if (inst.kind != InstKind::Get && inst.kind != InstKind::Set) return;
          if (!slot_crosses[inst.target]) return;
          if (in[inst.target] != r) region.slots_in.push_back(Slot{inst.target});
          in[inst.target] = r;
          if (inst.kind != InstKind::Set) return;
          if (out[inst.target] != r) region.slots_out.push_back(Slot{inst.target});
          out[inst.target] = r;
        });
      }
    }
    slot_crosses_ = std::move(slot_crosses);
  }

  void keep_controls(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      if (step.kind == Step::Kind::If || step.kind == Step::Kind::Loop) {
        for (const Value a : k_.args(k_[step.control])) {
          if (!is_scalar(a)) kept_[index(a)] = true;
        }
      }
      if (step.kind == Step::Kind::Assume) {
        const Value condition = k_.arg(k_[step.control], 0);
        if (plan_.residence[index(condition)] == Residence::Lane && inside_[index(condition)])
          kept_[index(condition)] = true;
      }
      keep_controls(step.body);
      keep_controls(step.orelse);
    }
  }

  // Which regions touch which private arrays. In a loop a region finds what its last run left.
  void find_arrays(const std::vector<Step>& steps, bool in_loop) {
    for (const Step& step : steps) {
      if (step.kind == Step::Kind::Region) {
        for (const Value top : plan_.regions[step.region].lanes) {
          for_each_nested(top, [&](Value v) {
            const Inst& inst = k_[v];
            const bool access = inst.kind == InstKind::RawLoad || inst.kind == InstKind::RawStore;
            if (!access || k_.buffers[inst.target].access != spec::BufferAccess::Private) return;
            uint32_t& first = array_region_[inst.target];
            if (in_loop || (first != kNoRegion && first != step.region)) array_crosses_[inst.target] = true;
            first = step.region;
          });
        }
      }
      find_arrays(step.body, in_loop || step.kind == Step::Kind::Loop);
      find_arrays(step.orelse, in_loop);
    }
  }

  // A region after one that returns asks each lane whether it still lives; a loop's back edge counts.
  void mark_live_checks(const std::vector<Step>& steps, bool& returned) {
    for (const Step& step : steps) {
      switch (step.kind) {
        case Step::Kind::Region: {
          Region& region = plan_.regions[step.region];
          region.checks_live = returned;
          returned |= region.returns;
          break;
        }
        case Step::Kind::Loop:
          returned |= plan_.any_returns(step.body);
          mark_live_checks(step.body, returned);
          break;
        case Step::Kind::If: {
          bool otherwise = returned;
          mark_live_checks(step.body, returned);
          mark_live_checks(step.orelse, otherwise);
          returned |= otherwise;
          break;
        }
        case Step::Kind::Return:
        case Step::Kind::Assume: break;
      }
    }
  }

  uint64_t take(uint64_t bytes) {
    const uint64_t at = plan_.bytes;
    plan_.bytes += (bytes + kArrayAlignment - 1) / kArrayAlignment * kArrayAlignment;
    return at;
  }

  uint64_t array_bytes(const KernelBuffer& buffer) const {
    return uint64_t{buffer.count} * spec::info(buffer.element).bytes;
  }

  // Private arrays that need not outlive a lane's turn: there is one of each, on the stack, of which the
  // threads that run this need not have much, or in scratch memory.
  void lay_out_arrays_of_turns() {
    constexpr uint64_t kMostOnStack = 4 * 1024;
    uint64_t on_stack = 0;
    for (uint32_t b = 0; b < k_.buffers.size(); ++b) {
      if (k_.buffers[b].access != spec::BufferAccess::Private || plan_.buffer_offset[b] != kNoOffset)
        continue;
      on_stack += array_bytes(k_.buffers[b]);
      if (on_stack > kMostOnStack) plan_.buffer_offset[b] = take(array_bytes(k_.buffers[b]));
      if (!plan_.flat && array_region_[b] != kNoRegion) plan_.regions[array_region_[b]].arrays.push_back(b);
    }
  }

  // The others: one for each lane, zeroed with workgroup memory.
  void lay_out_arrays_of_lanes() {
    for (size_t b = 0; b < k_.buffers.size(); ++b) {
      if (array_crosses_[b]) plan_.buffer_offset[b] = take(array_bytes(k_.buffers[b]) * k_.invocations());
    }
  }

  void lay_out() {
    for (size_t b = 0; b < k_.buffers.size(); ++b) {
      if (k_.buffers[b].access != spec::BufferAccess::Workgroup) continue;
      plan_.buffer_offset[b] = take(uint64_t{k_.buffers[b].count} * spec::info(k_.buffers[b].element).bytes);
    }
    lay_out_arrays_of_lanes();
    plan_.workgroup_memory_bytes = plan_.bytes;
    lay_out_arrays_of_turns();
    const uint64_t array = uint64_t{chunk_ == nullptr ? k_.invocations() : chunk_->lanes} * 4;
    const auto keep = [&](spec::DataType type) {
      const uint32_t words = spec::value_words(type);
      plan_.kept_words += words;
      plan_.keeps_long |= words == 2;
      return take(array * words);
    };
    const bool checked = std::ranges::any_of(plan_.regions, [](const Region& r) { return r.checks_live; });
    if (checked) plan_.live_offset = chunk_ == nullptr ? take(array) : keep(spec::DataType::U32);
    for (size_t s = 0; s < k_.slots.size(); ++s) {
      if (slot_crosses_[s]) plan_.slot_offset[s] = keep(k_.slots[s].type);
    }
    for (size_t v = 0; v < kept_.size(); ++v) {
      if (kept_[v]) plan_.value_offset[v] = keep(k_.insts[v].type);
    }
  }

  const Kernel& k_;
  const ChunkOptions* chunk_;
  const Nesting& nesting_;
  const std::span<const Value> root_;
  const RegionPlan* outer_ = nullptr;  // of the workgroup, where the plan is for a chunk of its lanes
  RegionPlan plan_;
  bool any_barrier_ = false;
  std::vector<ChunkOptions::Known> known_;  // by Value: with what is assumed
  std::vector<bool> assumed_;               // by Value: an If whose condition is
  std::vector<bool> inside_;                // by Value: in the root, or nested in it
  std::vector<bool> needed_;                // by Value: an operand of these, or of one that is needed
  std::vector<bool> lockstep_;              // by Value: a loop that the lanes of a chunk run in step
  std::vector<bool> may_agree_;             // by Value: an If that is a step where all lanes agree on it
  std::vector<bool> scalar_control_;        // by Value: barrier-free control that runs once, with all in it
  std::vector<uint32_t> read_in_region_;    // by Slot: the last region with lanes that read it
  std::vector<uint32_t> region_of_;         // by Value
  std::vector<bool> kept_;                  // by Value: needs an array over lanes
  std::vector<bool> slot_crosses_;
  std::vector<uint32_t> array_region_;  // by buffer: the last region that touches the private array
  std::vector<bool> array_crosses_;     // by buffer: likewise, whether it has to outlive a region
};

std::optional<uint32_t> literal_of(const Kernel& kernel, Value v, uint32_t& budget) {
  const Inst& inst = kernel[v];
  if (inst.kind == InstKind::Const) return inst.imm;
  if (inst.kind != InstKind::Raw || info(inst.raw).is_float || is_wide(inst.raw) || is_long(inst.raw))
    return std::nullopt;
  if (budget == 0) return std::nullopt;
  --budget;
  Word operands[3];
  for (uint32_t n = 0; n < inst.args.count; ++n) {
    const auto word = literal_of(kernel, kernel.arg(inst, n), budget);
    if (!word) return std::nullopt;
    operands[n] = *word;
  }
  return in_domain(inst.raw, operands) ? std::optional(apply_raw(inst.raw, operands)) : std::nullopt;
}

/// With so many lanes that registers hold what is kept: first as many as there may be, then half of them.
template <typename Plan>
RegionPlan with_fewer_lanes(ChunkOptions options, Plan&& plan_with) {
  while (true) {
    RegionPlan plan = plan_with(options);
    plan.lanes = options.lanes;
    const bool fits = plan.kept_words * options.lanes <= kKeptWords;
    // Eight lanes are a register of 64-bit values, but half a register of words.
    const bool least = options.lanes <= kLeastChunk || (options.lanes <= 2 * kLeastChunk && !plan.keeps_long);
    if (plan.flat || options.lanes == kWholeRow || fits || least) return plan;
    options.lanes /= 2;
  }
}

}  // namespace

bool RegionPlan::any_returns(const std::vector<Step>& of) const {
  return std::ranges::any_of(of, [&](const Step& step) {
    return (step.kind == Step::Kind::Region && regions[step.region].returns) || any_returns(step.body) ||
           any_returns(step.orelse);
  });
}

bool is_aligned(const Kernel& kernel, uint32_t lanes) {
  return lanes != kWholeRow && kernel.workgroup_size[0] % lanes == 0;
}
bool is_one_for_chunk(const Kernel& kernel, const Inst& inst, uint32_t lanes) {
  if (inst.kind != InstKind::Raw || inst.args.count != 2 || !is_aligned(kernel, lanes)) return false;
  const Inst& id = kernel[kernel.arg(inst, 0)];
  if (info(id.kind).source != Source::Invocation || id.imm != 0) return false;
  const auto by = literal_of(kernel, kernel.arg(inst, 1));
  if (!by) return false;
  if (inst.raw == RawOp::And) return *by % lanes == 0;
  if (inst.raw == RawOp::LShr) return *by < 32 && (1u << *by) % lanes == 0;
  return inst.raw == RawOp::UDiv && *by != 0 && *by % lanes == 0;
}
std::optional<uint32_t> part_of_row(const Kernel& kernel, const Inst& inst) {
  if (inst.kind != InstKind::Raw || inst.args.count != 2) return std::nullopt;
  const Inst& id = kernel[kernel.arg(inst, 0)];
  if (info(id.kind).source != Source::Invocation || id.imm != 0) return std::nullopt;
  const auto by = literal_of(kernel, kernel.arg(inst, 1));
  uint32_t lanes = 0;
  if (by && inst.raw == RawOp::LShr) lanes = *by < 32 ? 1u << *by : 0;
  if (by && inst.raw == RawOp::And) lanes = *by + 1;
  if (by && (inst.raw == RawOp::UDiv || inst.raw == RawOp::URem)) lanes = *by;
  return std::has_single_bit(lanes) && is_aligned(kernel, lanes) ? std::optional(lanes) : std::nullopt;
}
std::optional<uint32_t> literal_of(const Kernel& kernel, Value v) {
  uint32_t budget = kMostOfLiteral;
  return literal_of(kernel, v, budget);
}

RegionPlan plan_regions(const Kernel& kernel, uint32_t chunk_lanes) {
  const Nesting nesting(kernel);
  RegionPlan plan = Planner(kernel, nesting).run();
  if (plan.flat || chunk_lanes == 0) return plan;
  ChunkOptions options{.lanes = chunk_lanes,
                       .known = std::vector(kernel.insts.size(), ChunkOptions::Known::Nothing)};
  // Where rows are divided into parts, a chunk has no more lanes than one of these.
  for (const Inst& inst : kernel.insts) {
    const uint32_t part = part_of_row(kernel, inst).value_or(0);
    if (part >= kLeastPart) options.lanes = std::min(options.lanes, part);
  }
  const LanesOf lanes(kernel, plan, plan, /*many_workgroups=*/false);
  for (Region& region : plan.regions) {
    if (region.returns || region.checks_live) continue;
    ChunkOptions of_region = options;
    // Where few lanes do all there is to do, a chunk has no more of them.
    if (const auto guard = lanes.lone_guard(region)) {
      const auto bound = literal_of(kernel, guard->bound);
      if (guard->relation == LaneGuard::Relation::Only) continue;
      if (guard->relation == LaneGuard::Relation::Below && bound)
        of_region.lanes = std::min(of_region.lanes, std::bit_floor(*bound));
      if (of_region.lanes < kLeastChunk) continue;
    }
    RegionPlan chunk = with_fewer_lanes(
        of_region, [&](const ChunkOptions& of) { return Planner(kernel, nesting, of, plan, region).run(); });
    if (chunk.flat) continue;
    region.chunk = uint32_t(plan.chunks.size());
    plan.chunks.push_back(std::move(chunk));
  }
  return plan;
}
RegionPlan plan_chunk(const Kernel& kernel, const ChunkOptions& chunk) {
  const Nesting nesting(kernel);
  return with_fewer_lanes(chunk, [&](const ChunkOptions& of) { return Planner(kernel, nesting, &of).run(); });
}

}  // namespace vyre::lower
