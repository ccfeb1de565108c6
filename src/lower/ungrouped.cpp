#include "lower/ungrouped.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "lower/inst_info.h"

namespace vyre::lower {

uint32_t ungrouped_width(const Kernel& kernel) {
  const bool waits_or_asks = std::ranges::any_of(kernel.insts, [](const Inst& inst) {
    return info(inst.kind).effect == Effect::Waits || info(inst.kind).source == Source::Lanes;
  });
  const bool shares = std::ranges::find(kernel.buffers, spec::BufferAccess::Workgroup,
                                        &KernelBuffer::access) != kernel.buffers.end();
  const IdUses uses = used_ids(kernel);
  const auto sees = [](const std::array<bool, 3>& axes) { return std::ranges::count(axes, true) != 0; };
  if (waits_or_asks || shares || sees(uses.group) || sees(uses.local) || sees(uses.num_groups)) return 1;
  return kernel.workgroup_size[1] == 1 && kernel.workgroup_size[2] == 1 ? kernel.workgroup_size[0] : 1;
}

Kernel ungrouped(Kernel kernel) {
  if (ungrouped_width(kernel) != 1) kernel.workgroup_size = {1, 1, 1};
  return kernel;
}

namespace {

// Each structure is taken apart by name, so that one with another member does not compile until it is clear
// whether code depends on it.

class KernelHasher {
 public:
  /// Of at most 32 bits each.
  void numbers(auto... values) { (words_.push_back(uint32_t(values)), ...); }
  template <typename List>
  void each(const List& list, auto&& one) {
    numbers(list.size());
    for (const auto& element : list) one(element);
  }

  void add(const KernelDim& dim) {
    const auto& [dynamic, size, buffer, element] = dim;
    numbers(dynamic, size, buffer, element);
  }
  void add(const KernelBuffer& buffer) {
    const auto& [name, access, element, binding, argument, count, used_atomically, dims, strides] = buffer;
    numbers(access, element, binding, argument, count, used_atomically);
    each(dims, [&](const KernelDim& dim) { add(dim); });
    each(strides, [&](uint32_t stride) { numbers(stride); });
  }
  void add(const Inst& inst) {
    const auto& [kind, op, raw, type, operand_type, mode, access, imm, target, args, body, orelse, origin] =
        inst;
    numbers(kind, op, raw, type, operand_type, mode, access, imm, target, args.first, args.count, index(body),
            index(orelse));
  }
  void add(const FloatPromises& floats) {
    const auto& [name, by_op] = floats;
    each(by_op, [&](const Promise& promise) {
      const auto& [given, flushes_operands, flushes_results, fused, half_ulps, only_normal] = promise;
      numbers(given, flushes_operands, flushes_results, fused, half_ulps, only_normal);
    });
  }
  void add(const Kernel& kernel) {
    const auto& [name, workgroup_size, buffers, slots, insts, values, wide, blocks, entry, legal, floats] =
        kernel;
    numbers(workgroup_size[0], workgroup_size[1], workgroup_size[2], index(entry), legal);
    each(buffers, [&](const KernelBuffer& buffer) { add(buffer); });
    each(slots, [&](const SlotInfo& slot) { numbers(slot.type); });
    each(insts, [&](const Inst& inst) { add(inst); });
    each(values, [&](Value value) { numbers(index(value)); });
    each(wide, [&](const auto& words) { numbers(words[0], words[1], words[2], words[3]); });
    each(blocks, [&](const auto& block) { each(block, [&](Value value) { numbers(index(value)); }); });
    add(floats);
  }
  Digest finish() const { return sha256(std::as_bytes(std::span(words_))); }

 private:
  std::vector<uint32_t> words_;
};

}  // namespace

Digest code_digest(const Kernel& kernel) {
  KernelHasher hasher;
  hasher.add(kernel);
  return hasher.finish();
}

}  // namespace vyre::lower
