// float.<type>.acos_approx: the angle in [0, pi] whose cosine is a, within the bound of FACosApprox.
#include "ops/floating.h"

namespace vyre::ops {

std::vector<Operation> floating_acos();

std::vector<Operation> floating_acos_approx() {
  return approximations<spec::Op::FACosApprox>(
      floating_acos(), "acos_approx",
      "the angle in [0, pi] whose cosine is a, within the bound of FACosApprox");
}

}  // namespace vyre::ops
