// float.<type>.asin_approx: the angle in [-pi/2, pi/2] whose sine is a, within the bound of FASinApprox.
#include "ops/floating.h"

namespace vyre::ops {

std::vector<Operation> floating_asin();

std::vector<Operation> floating_asin_approx() {
  return approximations<spec::Op::FASinApprox>(
      floating_asin(), "asin_approx",
      "the angle in [-pi/2, pi/2] whose sine is a, within the bound of FASinApprox");
}

}  // namespace vyre::ops
