// float.<type>.log10_approx: the logarithm of a to base 10, within the bound of FLog10Approx.
#include "ops/floating.h"

namespace vyre::ops {

std::vector<Operation> floating_log10();

std::vector<Operation> floating_log10_approx() {
  return approximations<spec::Op::FLog10Approx>(
      floating_log10(), "log10_approx", "the logarithm of a to base 10, within the bound of FLog10Approx");
}

}  // namespace vyre::ops
