// float.<type>.cos_approx: the cosine of a radians, within the bound of FCosApprox.
#include "ops/floating.h"

namespace vyre::ops {

std::vector<Operation> floating_cos();

std::vector<Operation> floating_cos_approx() {
  return approximations<spec::Op::FCosApprox>(floating_cos(), "cos_approx",
                                              "the cosine of a radians, within the bound of FCosApprox");
}

}  // namespace vyre::ops
