// float.<type>.atan2_approx: the angle of the point (b, a), within the bound of FATan2Approx.
#include "ops/floating.h"

namespace vyre::ops {

std::vector<Operation> floating_atan2();

std::vector<Operation> floating_atan2_approx() {
  return approximations<spec::Op::FATan2Approx>(
      floating_atan2(), "atan2_approx", "the angle of the point (b, a), within the bound of FATan2Approx");
}

}  // namespace vyre::ops
