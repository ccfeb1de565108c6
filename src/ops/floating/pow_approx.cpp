// float.<type>.pow_approx: a to the power b, within the bound of FPowApprox.
#include "ops/floating.h"

namespace vyre::ops {

std::vector<Operation> floating_pow();

std::vector<Operation> floating_pow_approx() {
  return approximations<spec::Op::FPowApprox>(floating_pow(), "pow_approx",
                                              "a to the power b, within the bound of FPowApprox");
}

}  // namespace vyre::ops
