#include "algebra/statements.h"

namespace vyre::algebra {

// f(a, a) = a
void idempotent(Terms& terms, const BoundLaw& law) {
  const Column a = terms.variable(0);
  terms.require_equal(terms.apply(*law.f, {a, a}), a, law.result);
}

}  // namespace vyre::algebra
