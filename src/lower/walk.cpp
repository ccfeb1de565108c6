#include "lower/walk.h"

#include <algorithm>

#include "lower/inst_info.h"

namespace vyre::lower {

const Inst* find(const Kernel& kernel, InstKind kind) {
  const auto found = std::ranges::find(kernel.insts, kind, &Inst::kind);
  return found == kernel.insts.end() ? nullptr : &*found;
}

IdUses used_ids(const Kernel& kernel, const std::vector<bool>& live) {
  IdUses out;
  for (size_t i = 0; i < kernel.insts.size(); ++i) {
    if (!live.empty() && !live[i]) continue;
    const Inst& inst = kernel.insts[i];
    if (inst.kind == InstKind::InvocationId) out.invocation[inst.imm] = true;
    if (inst.kind == InstKind::WorkgroupId) out.group[inst.imm] = true;
    if (inst.kind == InstKind::LocalId) out.local[inst.imm] = true;
    if (inst.kind == InstKind::NumWorkgroups) out.num_groups[inst.imm] = true;
  }
  return out;
}

std::vector<bool> written_buffers(const Kernel& kernel) {
  std::vector<bool> written(kernel.buffers.size());
  for (const Inst& inst : kernel.insts) {
    if (writes_memory(inst.kind)) written[inst.target] = true;
  }
  return written;
}

Nesting::Nesting(const Kernel& kernel)
    : holder(kernel.insts.size(), kNoKBlock),
      position(kernel.insts.size(), 0),
      owner(kernel.blocks.size(), kNoValue) {
  for (uint32_t b = 0; b < kernel.blocks.size(); ++b) {
    for (uint32_t i = 0; i < kernel.blocks[b].size(); ++i) {
      const Value v = kernel.blocks[b][i];
      holder[index(v)] = KBlock{b};
      position[index(v)] = i;
      for (const KBlock inner : {kernel[v].body, kernel[v].orelse}) {
        if (inner != kNoKBlock) owner[index(inner)] = v;
      }
    }
  }
}

std::vector<uint32_t> value_numbers(const Kernel& kernel) {
  std::vector<uint32_t> numbers(kernel.insts.size(), kUnnumbered);
  uint32_t next = 0;
  walk(kernel, kernel.entry, [&](Value v) {
    if (has_number(kernel[v].kind)) numbers[index(v)] = next++;
  });
  return numbers;
}

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

}  // namespace vyre::lower
