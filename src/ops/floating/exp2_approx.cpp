// float.<type>.exp2_approx: 2 to the power a, within the bound of FExp2Approx.
#include "ops/floating.h"

namespace vyre::ops {

std::vector<Operation> floating_exp2();

std::vector<Operation> floating_exp2_approx() {
  return approximations<spec::Op::FExp2Approx>(floating_exp2(), "exp2_approx",
                                               "2 to the power a, within the bound of FExp2Approx");
}

}  // namespace vyre::ops
