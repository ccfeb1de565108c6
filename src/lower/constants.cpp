#include "lower/constants.h"

#include <algorithm>
#include <array>

#include "lower/operators.h"
#include "spec/ops.h"

namespace vyre::lower {

void fold_constants(Kernel& kernel) {
  const auto bits_of = [&](const Inst& constant) {
    return spec::value_words(constant.type) > 1 ? kernel.wide[constant.imm] : Bits{constant.imm, 0, 0, 0};
  };
  // Operands come before what uses them in Kernel::insts too, as build() writes them.
  for (Inst& inst : kernel.insts) {
    if (inst.kind != InstKind::Apply || spec::is_approximate(inst.op)) continue;
    std::array<Bits, 4> operands{};
    const auto args = kernel.args(inst);
    if (!std::ranges::all_of(args, [&](Value v) { return kernel[v].kind == InstKind::Const; })) continue;
    std::ranges::transform(args, operands.begin(), [&](Value v) { return bits_of(kernel[v]); });
    const Bits result = apply_semantic(inst, operands.data());
    Inst constant = {.kind = InstKind::Const, .type = inst.type, .imm = result[0], .origin = inst.origin};
    if (spec::value_words(inst.type) > 1) {
      constant.imm = uint32_t(kernel.wide.size());
      kernel.wide.push_back(result);
    }
    inst = constant;
  }
}

}  // namespace vyre::lower
