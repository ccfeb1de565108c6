// float.<type>.tan_approx: the tangent of a radians, within the bound of FTanApprox.
#include "ops/floating.h"

namespace vyre::ops {

std::vector<Operation> floating_tan();

std::vector<Operation> floating_tan_approx() {
  return approximations<spec::Op::FTanApprox>(floating_tan(), "tan_approx",
                                              "the tangent of a radians, within the bound of FTanApprox");
}

}  // namespace vyre::ops
