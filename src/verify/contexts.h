// Operators on floats applied to results of others: what an optimiser may not fuse, reorder or cancel.
//
// Each operator can be right alone and wrong beside another: a * b + c with one rounding instead of two is
// the best known way. Random programs hold such expressions too, but seldom with operands on which they
// differ; here they are subjects of their own, run on operands that cancel, tie and underflow. Source:
// vyre-conform-spec, "Float semantics" (forbidden patterns).
#pragma once

#include <vector>

#include "verify/parity.h"

namespace vyre::verify {

/// Members of Family::Operators: "fadd.fmul.f32" is the sum of a product and a third operand.
std::vector<Subject> context_subjects();

}  // namespace vyre::verify
