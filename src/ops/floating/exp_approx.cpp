// float.<type>.exp_approx: e to the power a, within the bound of FExpApprox.
#include "ops/floating.h"

namespace vyre::ops {

std::vector<Operation> floating_exp();

std::vector<Operation> floating_exp_approx() {
  return approximations<spec::Op::FExpApprox>(floating_exp(), "exp_approx",
                                              "e to the power a, within the bound of FExpApprox");
}

}  // namespace vyre::ops
