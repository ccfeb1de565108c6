#include "algebra/statements.h"

namespace vyre::algebra {

// f(a, a) = r
void self_inverse(Flow& flow, const BoundLaw& law) {
  const Column a = flow.variable(0);
  flow.require_equal(flow.apply(*law.f, {a, a}), flow.constant(law.law->value));
}

}  // namespace vyre::algebra
