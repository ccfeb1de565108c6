#include "lower/kernel.h"

namespace vyre::lower {

Value Kernel::add(Inst inst, std::span<const Value> operands) {
  inst.args = {uint32_t(values.size()), uint32_t(operands.size())};
  values.insert(values.end(), operands.begin(), operands.end());
  insts.push_back(inst);
  return Value{uint32_t(insts.size() - 1)};
}

}  // namespace vyre::lower
