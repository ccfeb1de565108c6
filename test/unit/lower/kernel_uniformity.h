// Uniformity of kernels: what is the same in every invocation of a workgroup, worked out apart from
// analyze::Uniformity, which does it for programs. With it tests show that build() and legalize() keep
// barriers in uniform control.
//
// The rules are those of semantics, "Uniformity", on kernels instead of programs: literals, lengths,
// workgroup ids, loads from read and uniform buffers at uniform indices, operators of uniform values; a slot
// if every Set is of a uniform value and stands under uniform control; a loop variable if both bounds are
// uniform. Control is uniform under uniform conditions, along the flow, until a return under control that is
// not; a loop's back edge counts. Facts only ever become false, each at most once, so the cost is linear.
#pragma once

#include <vector>

#include "lower/inst_info.h"
#include "lower/kernel.h"
#include "lower/walk.h"
#include "spec/intrinsics.h"

namespace vyre::lower {

struct Uniformity {
  /// By Value: all invocations that execute this instruction in one iteration of the loops around it get the
  /// same result. For an If: of its condition; for a Loop: of its bounds, so of its variable.
  std::vector<bool> values;
  /// By Slot: all invocations find the same value.
  std::vector<bool> slots;
  /// By Value: all live invocations of the workgroup reach this instruction together.
  std::vector<bool> control;

  bool value(Value v) const { return values[index(v)]; }
  bool slot(Slot s) const { return slots[index(s)]; }
  bool reached_together(Value v) const { return control[index(v)]; }
};

class UniformityAnalysis {
 public:
  explicit UniformityAnalysis(const Kernel& kernel)
      : kernel_(kernel),
        nesting_(kernel),
        gets_(kernel.slots.size()),
        divergent_from_(kernel.blocks.size()),
        left_(kernel.blocks.size(), false) {
    facts_.values.assign(kernel.insts.size(), true);
    facts_.slots.assign(kernel.slots.size(), true);
    facts_.control.assign(kernel.insts.size(), true);
    index_users();
    for (size_t b = 0; b < kernel.blocks.size(); ++b) {
      divergent_from_[b] = uint32_t(kernel.blocks[b].size());
      for (const Value v : kernel.blocks[b]) {
        if (kernel[v].kind == InstKind::Get) gets_[kernel[v].target].push_back(v);
      }
    }
  }

  Uniformity run() {
    for (uint32_t v = 0; v < kernel_.insts.size(); ++v) {
      if (varies_by_itself(kernel_.insts[v])) spoil(Value{v});
    }
    while (!spoilt_.empty()) {
      const Value v = spoilt_.back();
      spoilt_.pop_back();
      for (uint32_t u = first_user_[index(v)]; u < first_user_[index(v) + 1]; ++u) use(users_[u]);
    }
    return std::move(facts_);
  }

 private:
  /// users_ lists, value by value, the instructions that have it as an operand.
  void index_users() {
    first_user_.assign(kernel_.insts.size() + 1, 0);
    for (const Inst& inst : kernel_.insts) {
      for (const Value v : kernel_.args(inst)) ++first_user_[index(v) + 1];
    }
    for (size_t i = 1; i < first_user_.size(); ++i) first_user_[i] += first_user_[i - 1];
    users_.resize(first_user_.back());
    std::vector<uint32_t> next(first_user_.begin(), first_user_.end() - 1);
    for (uint32_t u = 0; u < kernel_.insts.size(); ++u) {
      for (const Value v : kernel_.args(kernel_.insts[u])) users_[next[index(v)]++] = Value{u};
    }
  }

  bool varies_by_itself(const Inst& inst) const {
    switch (info(inst.kind).source) {
      case Source::Invocation:
      case Source::Atomic: return true;
      case Source::Lanes: return !spec::info(spec::Intrinsic(inst.imm)).uniform;
      case Source::Memory: {
        const spec::BufferAccess access = kernel_.buffers[inst.target].access;
        return access == spec::BufferAccess::ReadWrite || access == spec::BufferAccess::Workgroup ||
               access == spec::BufferAccess::Private;
      }
      case Source::None:
      case Source::Literal:
      case Source::Dispatch:
      case Source::Slot:
      case Source::Operands: break;
    }
    return false;
  }

  void spoil(Value v) {
    if (!facts_.values[index(v)]) return;
    facts_.values[index(v)] = false;
    spoilt_.push_back(v);
  }
  void spoil(Slot s) {
    if (!facts_.slots[index(s)]) return;
    facts_.slots[index(s)] = false;
    for (const Value get : gets_[index(s)]) spoil(get);
  }

  /// An operand of `user` varies.
  void use(Value user) {
    const Inst& inst = kernel_[user];
    spoil(user);
    if (inst.kind == InstKind::Set) spoil(Slot{inst.target});
    if (inst.body != kNoKBlock) diverge(inst.body, 0);
    if (inst.orelse != kNoKBlock) diverge(inst.orelse, 0);
  }

  /// Control in `block` is not uniform from instruction number `from` on.
  void diverge(KBlock block, uint32_t from) {
    std::vector<std::pair<KBlock, uint32_t>> work = {{block, from}};
    while (!work.empty()) {
      const auto [b, first] = work.back();
      work.pop_back();
      const uint32_t end = divergent_from_[index(b)];
      if (first >= end) continue;
      divergent_from_[index(b)] = first;
      for (uint32_t i = first; i < end; ++i) {
        const Value v = kernel_.block(b)[i];
        const Inst& inst = kernel_[v];
        facts_.control[index(v)] = false;
        if (inst.kind == InstKind::Set) spoil(Slot{inst.target});
        if (inst.body != kNoKBlock) work.push_back({inst.body, 0});
        if (inst.orelse != kNoKBlock) work.push_back({inst.orelse, 0});
        if (inst.kind == InstKind::Return) leave(b, work);
      }
    }
  }

  /// Some invocations may have returned within `block`: whatever comes later, in it and around it, is reached
  /// by the others alone; a loop around it comes back to its beginning.
  void leave(KBlock block, std::vector<std::pair<KBlock, uint32_t>>& work) {
    for (KBlock b = block; !left_[index(b)];) {
      left_[index(b)] = true;
      const Value owner = nesting_.owner[index(b)];
      if (owner == kNoValue) return;
      if (kernel_[owner].kind == InstKind::Loop) work.push_back({b, 0});
      const KBlock around = nesting_.holder[index(owner)];
      work.push_back({around, nesting_.position[index(owner)] + 1});
      b = around;
    }
  }

  const Kernel& kernel_;
  const Nesting nesting_;
  Uniformity facts_;
  std::vector<Value> users_;
  std::vector<uint32_t> first_user_;
  std::vector<std::vector<Value>> gets_;  // by Slot
  std::vector<uint32_t> divergent_from_;  // by KBlock: its first instruction under divergent control
  std::vector<bool> left_;                // by KBlock: some invocations may return in it
  std::vector<Value> spoilt_;
};

/// Domain: semantic and legal kernels alike.
inline Uniformity uniformity(const Kernel& kernel) { return UniformityAnalysis(kernel).run(); }

}  // namespace vyre::lower
