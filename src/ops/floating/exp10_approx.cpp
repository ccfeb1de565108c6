// float.<type>.exp10_approx: 10 to the power a, within the bound of FExp10Approx.
#include "ops/floating.h"

namespace vyre::ops {

std::vector<Operation> floating_exp10();

std::vector<Operation> floating_exp10_approx() {
  return approximations<spec::Op::FExp10Approx>(floating_exp10(), "exp10_approx",
                                                "10 to the power a, within the bound of FExp10Approx");
}

}  // namespace vyre::ops
