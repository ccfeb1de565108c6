#include "lower/wgsl/live.h"

#include <algorithm>

namespace vyre::lower {
namespace {

/// Backwards from effects to everything that they need.
class Need {
 public:
  Need(const Kernel& kernel, const std::vector<bool>& leaving)
      : k_(kernel),
        leaving_(leaving),
        live_(kernel.insts.size()),
        around_(kernel.blocks.size(), kNone),
        block_(kernel.insts.size(), kNoKBlock),
        slots_(kernel.slots.size()),
        sets_(kernel.slots.size()) {}

  std::vector<bool> run() {
    // A block has a greater number than the one that it stands in.
    std::vector<bool> reached(k_.blocks.size());
    reached[index(k_.entry)] = true;
    for (uint32_t b = 0; b < k_.blocks.size(); ++b) {
      if (reached[b]) reach(KBlock{b}, reached);
    }
    while (!left_.empty()) {
      const Value v = left_.back();
      left_.pop_back();
      follow(v);
    }
    return std::move(live_);
  }

 private:
  static constexpr Value kNone{UINT32_MAX};

  static bool has_effect(InstKind kind) {
    switch (kind) {
      case InstKind::Return:
      case InstKind::Barrier:
      case InstKind::RawStore:
      case InstKind::RawAtomic: return true;
      case InstKind::Const:
      case InstKind::Len:
      case InstKind::InvocationId:
      case InstKind::WorkgroupId:
      case InstKind::LocalId:
      case InstKind::Get:
      case InstKind::Set:
      case InstKind::If:
      case InstKind::Loop:
      case InstKind::Intrinsic:
      case InstKind::Apply:
      case InstKind::Load:
      case InstKind::Store:
      case InstKind::Atomic:
      case InstKind::Raw:
      case InstKind::RawLoad: break;
    }
    return false;
  }

  /// Notes what runs in a block, up to a return.
  void reach(KBlock block, std::vector<bool>& reached) {
    for (const Value v : k_.block(block)) {
      const Inst& inst = k_[v];
      block_[index(v)] = block;
      for (const KBlock inner : {inst.body, inst.orelse}) {
        if (inner == kNoKBlock) continue;
        reached[index(inner)] = true;
        around_[index(inner)] = v;
      }
      if (inst.kind == InstKind::Set) sets_[inst.target].push_back(v);
      if (has_effect(inst.kind)) need(v);
      if (leaves(inst, leaving_)) return;
    }
  }

  void need(Value v) {
    if (live_[index(v)]) return;
    live_[index(v)] = true;
    left_.push_back(v);
  }

  void follow(Value v) {
    const Inst& inst = k_[v];
    for (const Value arg : k_.args(inst)) need(arg);
    const KBlock block = block_[index(v)];
    if (block != kNoKBlock && around_[index(block)] != kNone) need(around_[index(block)]);
    if (inst.kind != InstKind::Get || slots_[inst.target]) return;
    slots_[inst.target] = true;
    for (const Value set : sets_[inst.target]) need(set);
  }

  const Kernel& k_;
  const std::vector<bool>& leaving_;
  std::vector<bool> live_;                // by Value
  std::vector<Value> around_;             // by KBlock: the If or Loop that it is of
  std::vector<KBlock> block_;             // by Value: the one that it runs in
  std::vector<bool> slots_;               // by Slot: some live Get reads it
  std::vector<std::vector<Value>> sets_;  // by Slot
  std::vector<Value> left_;
};

}  // namespace

bool leaves(const Inst& inst, const std::vector<bool>& leaving) {
  if (inst.kind == InstKind::Return) return true;
  return inst.kind == InstKind::If && inst.orelse != kNoKBlock && leaving[index(inst.body)] &&
         leaving[index(inst.orelse)];
}

std::vector<bool> leaving_blocks(const Kernel& kernel) {
  std::vector<bool> out(kernel.blocks.size());
  for (size_t b = out.size(); b-- > 0;) {  // inner blocks first
    out[b] = std::ranges::any_of(kernel.blocks[b], [&](Value v) { return leaves(kernel[v], out); });
  }
  return out;
}

std::vector<bool> returning_blocks(const Kernel& kernel) {
  std::vector<bool> out(kernel.blocks.size());
  const auto returns = [&](KBlock inner) { return inner != kNoKBlock && out[index(inner)]; };
  for (size_t b = out.size(); b-- > 0;) {  // inner blocks first
    out[b] = std::ranges::any_of(kernel.blocks[b], [&](Value v) {
      return kernel[v].kind == InstKind::Return || returns(kernel[v].body) || returns(kernel[v].orelse);
    });
  }
  return out;
}

std::vector<bool> used_results(const Kernel& kernel, const std::vector<bool>& live) {
  std::vector<bool> out(kernel.insts.size());
  for (size_t i = 0; i < out.size(); ++i) {
    if (!live[i]) continue;
    for (const Value arg : kernel.args(kernel.insts[i])) out[index(arg)] = true;
  }
  return out;
}

std::vector<bool> live_instructions(const Kernel& kernel, const std::vector<bool>& leaving) {
  return Need(kernel, leaving).run();
}

}  // namespace vyre::lower
