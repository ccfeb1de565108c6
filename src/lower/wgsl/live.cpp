#include "lower/wgsl/live.h"

#include "lower/inst_info.h"
#include "lower/walk.h"

namespace vyre::lower {
namespace {

/// Backwards from effects to everything that they need.
class Need {
 public:
  Need(const Kernel& kernel, const std::vector<bool>& leaving)
      : k_(kernel),
        nesting_(kernel),
        leaving_(leaving),
        live_(kernel.insts.size()),
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
  /// Notes what runs in a block, up to a return.
  void reach(KBlock block, std::vector<bool>& reached) {
    for (const Value v : k_.block(block)) {
      const Inst& inst = k_[v];
      for (const KBlock inner : {inst.body, inst.orelse}) {
        if (inner != kNoKBlock) reached[index(inner)] = true;
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
    if (const Value around = nesting_.around(v); around != kNoValue) need(around);
    if (inst.kind != InstKind::Get || slots_[inst.target]) return;
    slots_[inst.target] = true;
    for (const Value set : sets_[inst.target]) need(set);
  }

  const Kernel& k_;
  const Nesting nesting_;
  const std::vector<bool>& leaving_;
  std::vector<bool> live_;                // by Value
  std::vector<bool> slots_;               // by Slot: some live Get reads it
  std::vector<std::vector<Value>> sets_;  // by Slot
  std::vector<Value> left_;
};

}  // namespace

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
