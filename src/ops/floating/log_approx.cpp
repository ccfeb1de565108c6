// float.<type>.log_approx: the natural logarithm of a, within the bound of FLogApprox.
#include "ops/floating.h"

namespace vyre::ops {

std::vector<Operation> floating_log();

std::vector<Operation> floating_log_approx() {
  return approximations<spec::Op::FLogApprox>(floating_log(), "log_approx",
                                              "the natural logarithm of a, within the bound of FLogApprox");
}

}  // namespace vyre::ops
