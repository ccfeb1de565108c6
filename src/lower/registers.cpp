#include "lower/registers.h"

#include "lower/walk.h"

namespace vyre::lower {
namespace {

constexpr uint32_t kNowhere = UINT32_MAX;

class Allocator {
 public:
  explicit Allocator(const Kernel& kernel)
      : kernel_(kernel),
        places_(kernel),
        first_set_(kernel.slots.size(), kNowhere),
        ending_(kernel.insts.size()) {
    out_.values.assign(kernel.insts.size(), 0);
    out_.slots.assign(kernel.slots.size(), 0);
  }

  Registers run() {
    walk(kernel_, kernel_.entry, [&](Value v) {
      const Inst& inst = kernel_[v];
      if (inst.kind == InstKind::Set && first_set_[inst.target] == kNowhere)
        first_set_[inst.target] = index(v);
    });
    find_ends();
    walk(
        kernel_, kernel_.entry, [&](Value v) { return define(index(v)), true; }, [](Value) {},
        [&](Value v) { release(index(v)); });
    return std::move(out_);
  }

 private:
  /// What ends with an instruction: items are values, then slots.
  uint32_t slot_item(uint32_t slot) const { return uint32_t(kernel_.insts.size()) + slot; }

  void find_ends() {
    std::vector<uint32_t> last(kernel_.insts.size() + kernel_.slots.size(), kNowhere);
    const auto use = [&](uint32_t item, uint32_t definition, uint32_t user) {
      const uint32_t at = index(places_.lift(Value{user}, Value{definition}));
      if (last[item] == kNowhere || places_.position[at] > places_.position[last[item]]) last[item] = at;
    };
    for (uint32_t v = 0; v < kernel_.insts.size(); ++v) {
      if (places_.holder[v] == kNoKBlock) continue;
      const Inst& inst = kernel_.insts[v];
      use(v, v, v);
      for (const Value a : kernel_.args(inst)) use(index(a), index(a), v);
      if (inst.kind == InstKind::Get || inst.kind == InstKind::Set)
        use(slot_item(inst.target), first_set_[inst.target], v);
    }
    for (uint32_t item = 0; item < last.size(); ++item) {
      if (last[item] != kNowhere) ending_[last[item]].push_back(item);
    }
  }

  uint32_t take() {
    if (free_.empty()) return out_.count++;
    const uint32_t taken = free_.back();
    free_.pop_back();
    return taken;
  }
  void define(uint32_t v) {
    const Inst& inst = kernel_.insts[v];
    out_.values[v] = take();
    if (inst.kind == InstKind::Set && first_set_[inst.target] == v) out_.slots[inst.target] = take();
  }
  void release(uint32_t inst) {
    for (const uint32_t item : ending_[inst]) {
      const bool is_value = item < kernel_.insts.size();
      free_.push_back(is_value ? out_.values[item] : out_.slots[item - kernel_.insts.size()]);
    }
  }

  const Kernel& kernel_;
  const Nesting places_;
  std::vector<uint32_t> first_set_;            // by Slot
  std::vector<std::vector<uint32_t>> ending_;  // by Value: the items that end with this instruction
  std::vector<uint32_t> free_;
  Registers out_;
};

}  // namespace

Registers allocate_registers(const Kernel& kernel) { return Allocator(kernel).run(); }

}  // namespace vyre::lower
