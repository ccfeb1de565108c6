#include "algebra/statements.h"

namespace vyre::algebra {

// f(a, e) = a and f(e, a) = a
void identity(Flow& flow, const BoundLaw& law) {
  const Column a = flow.variable(0), e = flow.constant(law.law->value);
  flow.require_equal(flow.apply(*law.f, {a, e}), a);
  flow.require_equal(flow.apply(*law.f, {e, a}), a);
}

}  // namespace vyre::algebra
