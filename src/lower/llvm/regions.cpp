#include "lower/llvm/regions.h"

#include <algorithm>

#include "lower/inst_info.h"
#include "lower/llvm/llvm.h"
#include "lower/walk.h"
#include "spec/ops.h"

namespace vyre::lower {
namespace {

constexpr uint32_t kNoRegion = UINT32_MAX;
constexpr uint64_t kAlignment = 64;
/// A value of at most this many raw operators is computed again rather than kept in memory.
constexpr uint32_t kRecomputeLimit = 4;
/// Rounds of the fixpoint over slots; a chain of assignments longer than this is kept per lane, which is
/// right too.
constexpr int kSlotRounds = 8;

bool always_at_hand(InstKind kind) {
  return info(kind).source == Source::Literal || info(kind).source == Source::Dispatch;
}

bool is_division(RawOp op) {
  return op == RawOp::UDiv || op == RawOp::URem || op == RawOp::SDiv || op == RawOp::SRem;
}

class Planner {
 public:
  explicit Planner(const Kernel& kernel) : k_(kernel) {}

  RegionPlan run() {
    const size_t values = k_.insts.size();
    find_barriers();
    bool workgroup_memory = false;
    for (const KernelBuffer& b : k_.buffers) workgroup_memory |= b.access == spec::BufferAccess::Workgroup;
    plan_.flat = !any_barrier_ && !workgroup_memory;
    plan_.residence.assign(values, Residence::Lane);
    plan_.scalar_slot.assign(k_.slots.size(), false);
    plan_.value_offset.assign(values, kNoOffset);
    plan_.slot_offset.assign(k_.slots.size(), kNoOffset);
    plan_.buffer_offset.assign(k_.buffers.size(), kNoOffset);
    if (plan_.flat) return std::move(plan_);

    classify();
    region_of_.assign(values, kNoRegion);
    read_in_region_.assign(k_.slots.size(), kNoRegion);
    plan_.steps = split(k_.entry);
    find_crossings();
    bool returned = false;
    mark_live_checks(plan_.steps, returned);
    lay_out();
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

  // A barrier marks all control around it.
  void find_barriers() {
    const Nesting nesting(k_);
    plan_.has_barrier.assign(k_.insts.size(), false);
    for (uint32_t v = 0; v < k_.insts.size(); ++v) {
      if (k_.insts[v].kind != InstKind::Barrier || nesting.holder[v] == kNoKBlock) continue;
      any_barrier_ = true;
      for (Value up{v}; up != kNoValue && !has_barrier(up); up = nesting.around(up)) {
        plan_.has_barrier[index(up)] = true;
      }
    }
  }
  bool has_barrier(Value v) const { return plan_.has_barrier[index(v)]; }

  bool is_scalar(Value v) const {
    return plan_.residence[index(v)] == Residence::Scalar || always_at_hand(k_[v].kind);
  }

  // Visits what runs once for the workgroup, as far as is known, in program order: the instructions of the
  // blocks that contain barriers, and all that is nested in scalar control. `inside` is the outermost such
  // control, or none.
  template <typename F>
  void for_each_uniform(F&& visit) const {
    Value inside = kNoValue;
    walk(
        k_, k_.entry,
        [&](Value v) {
          if (inside == kNoValue && scalar_control_[index(v)]) inside = v;
          visit(v, inside);
          return has_barrier(v) || inside != kNoValue;
        },
        [](Value) {},
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
      if (has_barrier(v) || (kind != InstKind::If && kind != InstKind::Loop)) return;
      bool effects = false;
      for_each_nested(v, [&](Value inner) {
        const InstKind k = k_[inner].kind;
        effects |= writes_memory(k) || k == InstKind::Return;
      });
      scalar_control_[index(v)] = !effects;
    });
    std::vector<uint32_t> sets(k_.slots.size(), 0);
    walk(k_, k_.entry, [&](Value v) {
      if (k_[v].kind == InstKind::Set) ++sets[k_[v].target];
    });
    plan_.scalar_slot.assign(k_.slots.size(), true);
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

  void classify_values() {
    std::vector<uint8_t> cost(k_.insts.size(), 0);
    for (Inst const& inst : k_.insts) {
      const size_t i = size_t(&inst - k_.insts.data());
      const bool is_place = info(inst.kind).source == Source::Invocation;
      plan_.residence[i] = is_place ? Residence::LaneId : Residence::Lane;
    }
    for_each_uniform([&](Value v, Value inside) {
      const Inst& inst = k_[v];
      const auto args = k_.args(inst);
      const bool scalar_args = std::ranges::all_of(args, [&](Value a) { return is_scalar(a); });
      Residence& where = plan_.residence[index(v)];
      switch (info(inst.kind).source) {
        case Source::Literal:
        case Source::Dispatch: where = Residence::Scalar; break;
        case Source::Slot:
          if (plan_.scalar_slot[inst.target]) where = Residence::Scalar;
          break;
        case Source::Memory:
          if (scalar_args && !spec::is_writable(k_.buffers[inst.target].access)) where = Residence::Scalar;
          break;
        case Source::Operands: {
          const bool loop = inst.kind == InstKind::Loop;
          if (loop ? has_barrier(v) || (inside != kNoValue && scalar_args) : scalar_args) {
            where = Residence::Scalar;
          }
          if (loop || scalar_args) break;
          uint32_t total = 1;
          bool again = !is_division(inst.raw);
          for (const Value a : args) {
            again &= plan_.residence[index(a)] != Residence::Lane || always_at_hand(k_[a].kind);
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
    uint32_t open = kNoRegion;
    const auto region = [&]() -> Region& {
      if (open == kNoRegion) {
        open = uint32_t(plan_.regions.size());
        plan_.regions.emplace_back();
        steps.push_back({.kind = Step::Kind::Region, .region = open});
      }
      return plan_.regions[open];
    };
    const auto close = [&] { open = kNoRegion; };
    for (const Value v : k_.block(block)) {
      const Inst& inst = k_[v];
      if (inst.kind == InstKind::Barrier) {
        close();
      } else if (inst.kind == InstKind::Return) {
        steps.push_back({.kind = Step::Kind::Return});
        return steps;
      } else if (has_barrier(v)) {
        close();
        Step step{.kind = inst.kind == InstKind::If ? Step::Kind::If : Step::Kind::Loop, .control = v};
        step.body = split(inst.body);
        if (inst.orelse != kNoKBlock) step.orelse = split(inst.orelse);
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
        if (!always_at_hand(inst.kind)) region().scalars.push_back(v);
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
    return steps;
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
            if (where == Residence::Scalar || where == Residence::LaneId || always_at_hand(k_[a].kind))
              continue;
            if (region_of_[index(a)] == r || input_of[index(a)] == r) continue;
            input_of[index(a)] = r;
            region.inputs.push_back(a);
            if (where == Residence::Lane) kept_[index(a)] = true;
          }
          const bool slot_access = inst.kind == InstKind::Get || inst.kind == InstKind::Set;
          if (!slot_access || plan_.scalar_slot[inst.target]) return;
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
      keep_controls(step.body);
      keep_controls(step.orelse);
    }
  }

  bool any_returns(const std::vector<Step>& steps) const {
    return std::ranges::any_of(steps, [&](const Step& s) {
      return (s.kind == Step::Kind::Region && plan_.regions[s.region].returns) || any_returns(s.body) ||
             any_returns(s.orelse);
    });
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
          returned |= any_returns(step.body);
          mark_live_checks(step.body, returned);
          break;
        case Step::Kind::If: {
          bool otherwise = returned;
          mark_live_checks(step.body, returned);
          mark_live_checks(step.orelse, otherwise);
          returned |= otherwise;
          break;
        }
        case Step::Kind::Return: break;
      }
    }
  }

  uint64_t take(uint64_t bytes) {
    const uint64_t at = plan_.bytes;
    plan_.bytes += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return at;
  }

  void lay_out() {
    for (size_t b = 0; b < k_.buffers.size(); ++b) {
      if (k_.buffers[b].access != spec::BufferAccess::Workgroup) continue;
      plan_.buffer_offset[b] = take(uint64_t{k_.buffers[b].count} * spec::info(k_.buffers[b].element).bytes);
    }
    plan_.workgroup_memory_bytes = plan_.bytes;
    const uint64_t array = uint64_t{k_.invocations()} * 4;
    const bool checked = std::ranges::any_of(plan_.regions, [](const Region& r) { return r.checks_live; });
    if (checked) plan_.live_offset = take(array);
    for (size_t s = 0; s < k_.slots.size(); ++s) {
      if (slot_crosses_[s]) plan_.slot_offset[s] = take(array);
    }
    for (size_t v = 0; v < kept_.size(); ++v) {
      if (kept_[v]) plan_.value_offset[v] = take(array);
    }
  }

  const Kernel& k_;
  RegionPlan plan_;
  bool any_barrier_ = false;
  std::vector<bool> scalar_control_;      // by Value: barrier-free control that runs once, with all in it
  std::vector<uint32_t> read_in_region_;  // by Slot: the last region with lanes that read it
  std::vector<uint32_t> region_of_;       // by Value
  std::vector<bool> kept_;                // by Value: needs an array over lanes
  std::vector<bool> slot_crosses_;
};

}  // namespace

RegionPlan plan_regions(const Kernel& kernel) { return Planner(kernel).run(); }

uint64_t workgroup_bytes(const Kernel& kernel) { return plan_regions(kernel).bytes; }

}  // namespace vyre::lower
