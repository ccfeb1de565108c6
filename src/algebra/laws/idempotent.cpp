#include "algebra/statements.h"

namespace vyre::algebra {

// f(a, a) = a
void idempotent(Flow& flow, const BoundLaw& law) {
  const Column a = flow.variable(0);
  flow.require_equal(flow.apply(*law.f, {a, a}), a);
}

}  // namespace vyre::algebra
