#include "lower/registers.h"

namespace vyre::lower {
namespace {

constexpr uint32_t kNowhere = UINT32_MAX;

/// By Value: the last instruction of its own block that needs it.
std::vector<uint32_t> last_uses(const Kernel& kernel) {
  std::vector<uint32_t> holder(kernel.insts.size(), kNowhere), position(kernel.insts.size(), 0);
  std::vector<uint32_t> owner(kernel.blocks.size(), kNowhere);
  for (uint32_t b = 0; b < kernel.blocks.size(); ++b) {
    for (uint32_t i = 0; i < kernel.blocks[b].size(); ++i) {
      const Value v = kernel.blocks[b][i];
      holder[index(v)] = b;
      position[index(v)] = i;
      if (kernel[v].body != kNoKBlock) owner[index(kernel[v].body)] = index(v);
      if (kernel[v].orelse != kNoKBlock) owner[index(kernel[v].orelse)] = index(v);
    }
  }
  std::vector<uint32_t> last(kernel.insts.size());
  for (uint32_t v = 0; v < last.size(); ++v) last[v] = v;
  for (uint32_t user = 0; user < kernel.insts.size(); ++user) {
    if (holder[user] == kNowhere) continue;
    for (const Value v : kernel.args(kernel.insts[user])) {
      uint32_t at = user;
      while (holder[at] != holder[index(v)]) at = owner[holder[at]];
      if (position[at] > position[last[index(v)]]) last[index(v)] = at;
    }
  }
  return last;
}

}  // namespace

Registers allocate_registers(const Kernel& kernel) {
  const std::vector<uint32_t> last = last_uses(kernel);
  std::vector<std::vector<uint32_t>> ending(kernel.insts.size());
  for (uint32_t v = 0; v < last.size(); ++v) ending[last[v]].push_back(v);

  Registers out{std::vector<uint32_t>(kernel.insts.size(), 0), 0};
  std::vector<uint32_t> free;
  const auto define = [&](uint32_t v) {
    if (free.empty()) free.push_back(out.count++);
    out.of[v] = free.back();
    free.pop_back();
  };
  const auto release = [&](uint32_t inst) {
    for (const uint32_t v : ending[inst]) free.push_back(out.of[v]);
  };
  struct Open {
    KBlock block;
    uint32_t owner;  // released when the block ends; kNowhere where another block of the owner follows
    size_t next = 0;
  };
  std::vector<Open> open = {{kernel.entry, kNowhere}};
  while (!open.empty()) {
    Open& top = open.back();
    const auto& block = kernel.block(top.block);
    if (top.next == block.size()) {
      const uint32_t owner = top.owner;
      open.pop_back();
      if (owner != kNowhere) release(owner);
      continue;
    }
    const Value v = block[top.next++];
    const Inst& inst = kernel[v];
    define(index(v));
    if (inst.body == kNoKBlock) {
      release(index(v));
      continue;
    }
    if (inst.orelse != kNoKBlock) open.push_back({inst.orelse, index(v)});
    open.push_back({inst.body, inst.orelse == kNoKBlock ? index(v) : kNowhere});
  }
  return out;
}

}  // namespace vyre::lower
