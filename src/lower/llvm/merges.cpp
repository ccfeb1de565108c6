#include "lower/llvm/merges.h"

#include "lower/walk.h"

namespace vyre::lower {
namespace {

/// What is known of a slot on the way through the text.
struct SlotUse {
  Value before{}, inside{};
  Value set = kNoValue;    // the first Set
  Value owner = kNoValue;  // the If around the second
  uint32_t sets = 0;
  bool good = true;
};

}  // namespace

std::vector<Merge> find_merges(const Kernel& kernel) {
  const Nesting nesting(kernel);
  std::vector<SlotUse> uses(kernel.slots.size());
  std::vector<bool> finished(kernel.insts.size(),
                             false);  // Ifs that the walk has left: their slots may be read
  const auto note_set = [&](Value v, SlotUse& use) {
    const Value value = kernel.arg(kernel[v], 0);
    if (++use.sets == 1) {
      use.set = v;
      use.before = value;
      return;
    }
    use.owner = nesting.around(v);
    use.inside = value;
    use.good &= use.sets == 2 && use.owner != kNoValue && kernel[use.owner].kind == InstKind::If &&
                kernel[use.owner].orelse == kNoKBlock &&
                nesting.holder[index(use.owner)] == nesting.holder[index(use.set)];
  };
  walk(
      kernel, kernel.entry,
      [&](Value v) {
        const Inst& inst = kernel[v];
        if (inst.kind == InstKind::Set) note_set(v, uses[inst.target]);
        if (inst.kind == InstKind::Get) {
          SlotUse& use = uses[inst.target];
          use.good &= use.sets == 2 && use.owner != kNoValue && finished[index(use.owner)];
        }
        return true;
      },
      [](Value) {}, [&](Value v) { finished[index(v)] = true; });
  std::vector<Merge> merges;
  for (uint32_t s = 0; s < uses.size(); ++s) {
    const SlotUse& use = uses[s];
    if (use.good && use.sets == 2) merges.push_back({s, use.owner, use.before, use.inside});
  }
  return merges;
}

}  // namespace vyre::lower
