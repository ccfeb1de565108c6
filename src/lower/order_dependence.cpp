// Which values of a kernel depend on the order in which invocations reach its atomics.
#include <algorithm>

#include "lower/inst_info.h"
#include "lower/lift.h"

namespace vyre::lower {
namespace {

/// What depends on the order of atomics: a fixpoint over values, slots, buffers and control.
class OrderAnalysis {
 public:
  explicit OrderAnalysis(const Kernel& kernel)
      : kernel_(kernel),
        values_(kernel.insts.size(), false),
        slots_(kernel.slots.size(), false),
        buffers_(kernel.buffers.size(), false) {
    for (size_t b = 0; b < kernel.buffers.size(); ++b) buffers_[b] = kernel.buffers[b].used_atomically;
  }
  std::vector<bool> run() {
    do {
      changed_ = false;
      visit(kernel_.entry, left_early_);
    } while (changed_);
    return std::move(values_);
  }

 private:
  void raise_to_true(std::vector<bool>::reference flag, bool value) {
    if (!value || flag) return;
    flag = true;
    changed_ = true;
  }
  bool any(const Inst& inst) const {
    return std::ranges::any_of(kernel_.args(inst), [&](Value v) { return values_[index(v)]; });
  }

  /// control: whether an invocation gets here may depend on the order.
  void visit(KBlock block, bool control) {
    for (const Value v : kernel_.block(block)) {
      const Inst& inst = kernel_[v];
      bool depends = control || any(inst);
      switch (info(inst.kind).source) {
        case Source::Atomic: depends = true; break;
        case Source::Memory: depends = depends || buffers_[inst.target]; break;
        case Source::Slot: depends = depends || slots_[inst.target]; break;
        case Source::None:
        case Source::Literal:
        case Source::Dispatch:
        case Source::Invocation:
        case Source::Operands:
        case Source::Lanes: break;
      }
      raise_to_true(values_[index(v)], depends);
      switch (info(inst.kind).effect) {
        case Effect::SetsSlot: raise_to_true(slots_[inst.target], depends); break;
        case Effect::WritesMemory: raise_to_true(buffers_[inst.target], depends); break;
        case Effect::Returns:
          // An invocation that left is not there for anything that follows, nor for another round.
          if (control && !left_early_) left_early_ = changed_ = true;
          break;
        case Effect::Control:
          visit(inst.body, depends);
          if (inst.orelse != kNoKBlock) visit(inst.orelse, depends);
          break;
        case Effect::None:
        case Effect::Waits: break;
      }
    }
  }

  const Kernel& kernel_;
  std::vector<bool> values_, slots_, buffers_;
  bool left_early_ = false;
  bool changed_ = false;
};

}  // namespace

std::vector<bool> depends_on_order(const Kernel& kernel) { return OrderAnalysis(kernel).run(); }

}  // namespace vyre::lower
