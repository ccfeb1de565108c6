#include "lower/spirv/foldable.h"

#include <numeric>
#include <utility>

#include "lower/inst_info.h"

namespace vyre::lower {
namespace {

/// Forwards from what only a dispatch brings to everything that is computed from it; the rest is foldable.
class Spread {
 public:
  /// `filled`: by buffer, whether all that is stored into it is unknown.
  Spread(const Kernel& kernel, const std::vector<bool>& filled)
      : k_(kernel),
        filled_(filled),
        unknown_(kernel.insts.size()),
        slots_(kernel.slots.size()),
        gets_(kernel.slots.size()),
        first_user_(kernel.insts.size() + 1),
        written_(written_buffers(kernel)) {
    for (uint32_t i = 0; i < k_.insts.size(); ++i) {
      const Inst& inst = k_.insts[i];
      for (const Value v : k_.args(inst)) ++first_user_[index(v)];
      if (inst.kind == InstKind::Get) gets_[inst.target].push_back(Value{i});
    }
    std::partial_sum(first_user_.begin(), first_user_.end(), first_user_.begin());
    users_.resize(first_user_.back());
    for (uint32_t i = 0; i < k_.insts.size(); ++i) {
      for (const Value v : k_.args(k_.insts[i])) users_[--first_user_[index(v)]] = Value{i};
    }
  }

  std::vector<bool> run() {
    for (uint32_t i = 0; i < k_.insts.size(); ++i) {
      if (is_brought(k_.insts[i])) mark(Value{i});
    }
    while (!left_.empty()) {
      const Value v = left_.back();
      left_.pop_back();
      for (uint32_t n = first_user_[index(v)]; n < first_user_[index(v) + 1]; ++n) pass(users_[n], v);
    }
    unknown_.flip();
    return std::move(unknown_);
  }

 private:
  void mark(Value v) {
    if (unknown_[index(v)]) return;
    unknown_[index(v)] = true;
    left_.push_back(v);
  }

  /// What a dispatch brings. A word of memory that the kernel writes may be one that it wrote, and of a
  /// private array one of those zeros that it begins with. Those of workgroup memory are behind a barrier.
  bool is_brought(const Inst& inst) const {
    switch (info(inst.kind).source) {
      case Source::Dispatch:
      case Source::Atomic:
      case Source::Lanes: return true;
      case Source::Invocation: return inst.kind == InstKind::InvocationId || k_.workgroup_size[inst.imm] > 1;
      case Source::Memory:
        return (!written_[inst.target] || filled_[inst.target]) &&
               k_.buffers[inst.target].access != spec::BufferAccess::Private;
      case Source::None:
      case Source::Literal:
      case Source::Slot:
      case Source::Operands: break;
    }
    return false;
  }

  /// `from`, an operand of the instruction, is not known.
  void pass(Value user, Value from) {
    const Inst& inst = k_[user];
    if (inst.kind == InstKind::Loop) mark(user);
    // An operator may be pulled into both arms of a select, so what chooses between two does not hide them.
    const bool is_choice = inst.raw == RawOp::Select && k_.arg(inst, 0) == from && k_.arg(inst, 1) != from &&
                           k_.arg(inst, 2) != from;
    if (inst.kind == InstKind::Raw && !is_choice) mark(user);
    if (inst.kind != InstKind::Set || slots_[inst.target]) return;
    slots_[inst.target] = true;
    for (const Value get : gets_[inst.target]) mark(get);
  }

  const Kernel& k_;
  const std::vector<bool>& filled_;       // by buffer
  std::vector<bool> unknown_;             // by Value
  std::vector<bool> slots_;               // by Slot: something unknown is assigned to it
  std::vector<std::vector<Value>> gets_;  // by Slot
  std::vector<Value> users_;              // of all values, those of one side by side
  std::vector<uint32_t> first_user_;      // by Value: where they begin
  const std::vector<bool> written_;       // by buffer
  std::vector<Value> left_;
};

}  // namespace

// A load gives something known only where something known was stored. So what is stored is first taken to be
// unknown, and the buffers of which that is not so are taken out, until all that are left are so by each
// other.
std::vector<bool> foldable_values(const Kernel& kernel) {
  std::vector<bool> filled(kernel.buffers.size(), true);
  for (const Inst& inst : kernel.insts) {
    if (inst.kind == InstKind::RawAtomic) filled[inst.target] = false;
  }
  while (true) {
    std::vector<bool> foldable = Spread(kernel, filled).run();
    bool changed = false;
    for (const Inst& inst : kernel.insts) {
      if (inst.kind != InstKind::RawStore || !filled[inst.target]) continue;
      if (!foldable[index(kernel.arg(inst, 1))]) continue;
      filled[inst.target] = false;
      changed = true;
    }
    if (!changed) return foldable;
  }
}

}  // namespace vyre::lower
