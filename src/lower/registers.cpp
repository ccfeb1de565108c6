#include "lower/registers.h"

#include <algorithm>

namespace vyre::lower {
namespace {

constexpr uint32_t kNowhere = UINT32_MAX;

/// Where every instruction stands.
struct Places {
  explicit Places(const Kernel& kernel)
      : holder(kernel.insts.size(), kNowhere),
        position(kernel.insts.size(), 0),
        owner(kernel.blocks.size(), kNowhere) {
    for (uint32_t b = 0; b < kernel.blocks.size(); ++b) {
      for (uint32_t i = 0; i < kernel.blocks[b].size(); ++i) {
        const Value v = kernel.blocks[b][i];
        holder[index(v)] = b;
        position[index(v)] = i;
        if (kernel[v].body != kNoKBlock) owner[index(kernel[v].body)] = index(v);
        if (kernel[v].orelse != kNoKBlock) owner[index(kernel[v].orelse)] = index(v);
      }
    }
  }
  /// The instruction of `definition`'s block that holds `user`, or is it.
  uint32_t lift(uint32_t user, uint32_t definition) const {
    while (holder[user] != holder[definition]) user = owner[holder[user]];
    return user;
  }

  std::vector<uint32_t> holder;    // by Value: its block
  std::vector<uint32_t> position;  // by Value: where in that block
  std::vector<uint32_t> owner;     // by block: the If or Loop that it belongs to
};

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
    in_text_order(
        [&](uint32_t v) {
          const Inst& inst = kernel_.insts[v];
          if (inst.kind == InstKind::Set && first_set_[inst.target] == kNowhere) first_set_[inst.target] = v;
        },
        [](uint32_t) {});
    find_ends();
    in_text_order([&](uint32_t v) { define(v); }, [&](uint32_t v) { release(v); });
    return std::move(out_);
  }

 private:
  /// What ends with an instruction: items are values, then slots.
  uint32_t slot_item(uint32_t slot) const { return uint32_t(kernel_.insts.size()) + slot; }

  void find_ends() {
    std::vector<uint32_t> last(kernel_.insts.size() + kernel_.slots.size(), kNowhere);
    const auto use = [&](uint32_t item, uint32_t definition, uint32_t user) {
      const uint32_t at = places_.lift(user, definition);
      if (last[item] == kNowhere || places_.position[at] > places_.position[last[item]]) last[item] = at;
    };
    for (uint32_t v = 0; v < kernel_.insts.size(); ++v) {
      if (places_.holder[v] == kNowhere) continue;
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

  /// Visits every instruction before the blocks that it holds, and leaves it after them.
  template <typename Visit, typename Leave>
  void in_text_order(Visit visit, Leave leave) const {
    struct Open {
      KBlock block;
      uint32_t owner;  // left when the block ends; kNowhere where its other block follows
      size_t next = 0;
    };
    std::vector<Open> open = {{kernel_.entry, kNowhere}};
    while (!open.empty()) {
      Open& top = open.back();
      const auto& block = kernel_.block(top.block);
      if (top.next == block.size()) {
        const uint32_t owner = top.owner;
        open.pop_back();
        if (owner != kNowhere) leave(owner);
        continue;
      }
      const Value v = block[top.next++];
      const Inst& inst = kernel_[v];
      visit(index(v));
      if (inst.body == kNoKBlock) {
        leave(index(v));
        continue;
      }
      if (inst.orelse != kNoKBlock) open.push_back({inst.orelse, index(v)});
      open.push_back({inst.body, inst.orelse == kNoKBlock ? index(v) : kNowhere});
    }
  }

  const Kernel& kernel_;
  Places places_;
  std::vector<uint32_t> first_set_;            // by Slot
  std::vector<std::vector<uint32_t>> ending_;  // by Value: the items that end with this instruction
  std::vector<uint32_t> free_;
  Registers out_;
};

}  // namespace

Registers allocate_registers(const Kernel& kernel) { return Allocator(kernel).run(); }

}  // namespace vyre::lower
