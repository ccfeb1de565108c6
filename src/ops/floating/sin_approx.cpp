// float.<type>.sin_approx: the sine of a radians, within the bound of FSinApprox.
#include "ops/floating.h"

namespace vyre::ops {

std::vector<Operation> floating_sin();

std::vector<Operation> floating_sin_approx() {
  return approximations<spec::Op::FSinApprox>(floating_sin(), "sin_approx",
                                              "the sine of a radians, within the bound of FSinApprox");
}

}  // namespace vyre::ops
