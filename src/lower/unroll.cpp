#include "lower/unroll.h"

#include <algorithm>

#include "lower/operators.h"
#include "spec/ops.h"

namespace vyre::lower {
namespace {

/// By Value, whether it is the same in every run: a literal, the length of workgroup or private memory, or an
/// operator over such. Operands stand before what uses them.
std::vector<bool> known_values(const Kernel& kernel) {
  std::vector<bool> known(kernel.insts.size());
  for (size_t i = 0; i < known.size(); ++i) {
    const Inst& inst = kernel.insts[i];
    if (inst.kind == InstKind::Const) known[i] = true;
    if (inst.kind == InstKind::Len) known[i] = !spec::is_bound(kernel.buffers[inst.target].access);
    if (inst.kind != InstKind::Apply) continue;
    known[i] = std::ranges::all_of(kernel.args(inst), [&](Value v) { return known[index(v)]; });
  }
  return known;
}

}  // namespace

std::vector<Diag> unfollowed_hints(const Kernel& kernel, bool target_has_hint) {
  std::vector<Diag> out;
  const std::vector<bool> known = known_values(kernel);
  for (const Inst& inst : kernel.insts) {
    if (inst.kind != InstKind::Loop || inst.imm == 0) continue;
    if (!target_has_hint) {
      out.push_back(make_diag(DiagCode::L004, inst.origin, "this form has no word for `unroll`",
                              "nothing is lost: the compiler behind it decides by itself"));
      continue;
    }
    const bool counted = std::ranges::all_of(kernel.args(inst), [&](Value v) { return known[index(v)]; });
    if (counted) continue;
    out.push_back(make_diag(DiagCode::L004, inst.origin, "how often this loop runs is not known here",
                            "write bounds of literals and constants, or leave `unroll` out"));
  }
  return out;
}

}  // namespace vyre::lower
