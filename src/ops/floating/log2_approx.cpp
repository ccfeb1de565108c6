// float.<type>.log2_approx: the logarithm of a to base 2, within the bound of FLog2Approx.
#include "ops/floating.h"

namespace vyre::ops {

std::vector<Operation> floating_log2();

std::vector<Operation> floating_log2_approx() {
  return approximations<spec::Op::FLog2Approx>(
      floating_log2(), "log2_approx", "the logarithm of a to base 2, within the bound of FLog2Approx");
}

}  // namespace vyre::ops
