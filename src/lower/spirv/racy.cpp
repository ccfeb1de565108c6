#include "lower/spirv/racy.h"

#include "lower/inst_info.h"
#include "lower/spirv/raw.h"

namespace vyre::lower {
namespace {

/// Backwards from the places that must not be surprised to everything that is computed into them.
class Reach {
 public:
  explicit Reach(const Kernel& kernel)
      : k_(kernel), reached_(kernel.insts.size()), slots_(kernel.slots.size()), sets_(kernel.slots.size()) {
    for (const Inst& inst : k_.insts) {
      if (inst.kind == InstKind::Set) sets_[inst.target].push_back(k_.arg(inst, 0));
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

  void start(const Inst& inst) {
    if (info(inst.kind).effect == Effect::Control) reach_all(inst);
    if (inst.kind == InstKind::RawLoad || writes_memory(inst.kind)) reach(k_.arg(inst, 0));
    if (inst.kind == InstKind::Raw && spirv_raw(inst.raw).outside == SpirvOutside::Undefined) reach_all(inst);
  }

  void follow(const Inst& inst) {
    if (inst.kind == InstKind::Raw || inst.kind == InstKind::Intrinsic) reach_all(inst);
    if (inst.kind != InstKind::Get || slots_[inst.target]) return;
    slots_[inst.target] = true;
    for (const Value v : sets_[inst.target]) reach(v);
  }

  const Kernel& k_;
  std::vector<bool> reached_;             // by Value
  std::vector<bool> slots_;               // by Slot
  std::vector<std::vector<Value>> sets_;  // by Slot: what is assigned to it
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
