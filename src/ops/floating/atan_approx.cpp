// float.<type>.atan_approx: the angle in [-pi/2, pi/2] whose tangent is a, within the bound of FATanApprox.
#include "ops/floating.h"

namespace vyre::ops {

std::vector<Operation> floating_atan();

std::vector<Operation> floating_atan_approx() {
  return approximations<spec::Op::FATanApprox>(
      floating_atan(), "atan_approx",
      "the angle in [-pi/2, pi/2] whose tangent is a, within the bound of FATanApprox");
}

}  // namespace vyre::ops
