#include "lower/spirv/racy.h"

#include <algorithm>

#include "lower/inst_info.h"
#include "lower/spirv/raw.h"
#include "lower/walk.h"

namespace vyre::lower {
namespace {

bool is_undefined_outside(const Inst& inst) {
  return inst.kind == InstKind::Raw && spirv_raw(inst.raw).outside == SpirvOutside::Undefined;
}

/// By KBlock: whether all it does is to compute and to set variables, so that a wrong turn into it is no more
/// than wrong data.
std::vector<bool> computing_blocks(const Kernel& kernel) {
  std::vector<bool> out(kernel.blocks.size());
  for (size_t b = out.size(); b-- > 0;) {  // a block has a smaller number than those in it
    out[b] = std::ranges::all_of(kernel.blocks[b], [&](Value v) {
      const Inst& inst = kernel[v];
      if (inst.kind == InstKind::If)
        return out[index(inst.body)] && (inst.orelse == kNoKBlock || out[index(inst.orelse)]);
      const Source from = info(inst.kind).source;
      const bool touches = from == Source::Memory || from == Source::Atomic || from == Source::Lanes;
      const Effect effect = info(inst.kind).effect;
      return !touches && (effect == Effect::None || effect == Effect::SetsSlot) &&
             !is_undefined_outside(inst);
    });
  }
  return out;
}

/// Backwards from the places that must not be surprised to everything that is computed into them.
class Reach {
 public:
  explicit Reach(const Kernel& kernel)
      : k_(kernel),
        nesting_(kernel),
        computes_(computing_blocks(kernel)),
        reached_(kernel.insts.size()),
        chosen_(kernel.blocks.size()),
        slots_(kernel.slots.size()),
        sets_(kernel.slots.size()) {
    for (uint32_t v = 0; v < k_.insts.size(); ++v) {
      if (k_.insts[v].kind == InstKind::Set) sets_[k_.insts[v].target].push_back(Value{v});
    }
  }

  std::vector<bool> run() {
    for (const Inst& inst : k_.insts) start(inst);
    while (!left_.empty()) {
      const Value v = left_.back();
      left_.pop_back();
      follow(k_[v]);
    }
    return std::move(reached_);
  }

 private:
  void reach(Value v) {
    if (reached_[index(v)]) return;
    reached_[index(v)] = true;
    left_.push_back(v);
  }
  void reach_all(const Inst& inst) {
    for (const Value v : k_.args(inst)) reach(v);
  }

  /// The conditions on which the block runs, where nothing but variables depends on them.
  void reach_choice(KBlock block) {
    for (Value around = nesting_.owner[index(block)]; around != kNoValue && !chosen_[index(block)];
         around = nesting_.owner[index(block)]) {
      chosen_[index(block)] = true;
      reach_all(k_[around]);
      block = nesting_.holder[index(around)];
    }
  }

  /// Whether the condition decides nothing but what variables hold. Of the two forms of a doubled loop each
  /// does what the other does, and both load what is inside of arrays.
  bool chooses_data(const Inst& inst) const {
    if (inst.kind == InstKind::If && inst.imm == kInDoubt) return true;
    return inst.kind == InstKind::If && computes_[index(inst.body)] &&
           (inst.orelse == kNoKBlock || computes_[index(inst.orelse)]);
  }

  void start(const Inst& inst) {
    if (info(inst.kind).effect == Effect::Control && !chooses_data(inst)) reach_all(inst);
    if (inst.kind == InstKind::RawLoad || writes_memory(inst.kind)) reach(k_.arg(inst, 0));
    if (is_undefined_outside(inst)) reach_all(inst);
  }

  void follow(const Inst& inst) {
    if (inst.kind == InstKind::Raw || inst.kind == InstKind::Intrinsic) reach_all(inst);
    if (inst.kind != InstKind::Get || slots_[inst.target]) return;
    slots_[inst.target] = true;
    for (const Value set : sets_[inst.target]) {
      reach(k_.arg(k_[set], 0));
      reach_choice(nesting_.holder[index(set)]);
    }
  }

  const Kernel& k_;
  const Nesting nesting_;
  const std::vector<bool> computes_;      // by KBlock
  std::vector<bool> reached_;             // by Value
  std::vector<bool> chosen_;              // by KBlock: on which conditions it runs was reached
  std::vector<bool> slots_;               // by Slot
  std::vector<std::vector<Value>> sets_;  // by Slot: what sets it
  std::vector<Value> left_;
};

}  // namespace

std::vector<bool> volatile_loads(const Kernel& kernel) {
  const std::vector<bool> written = written_buffers(kernel);  // without a write here there is no race
  std::vector<bool> out = Reach(kernel).run();
  for (size_t i = 0; i < out.size(); ++i) {
    const Inst& inst = kernel.insts[i];
    out[i] = out[i] && inst.kind == InstKind::RawLoad && written[inst.target] &&
             spec::is_written_by_others(kernel.buffers[inst.target].access);
  }
  return out;
}

}  // namespace vyre::lower
