#include "algebra/statements.h"

namespace vyre::algebra {

// f(a, e) = a
void right_identity(Terms& terms, const BoundLaw& law) {
  const Column a = terms.variable(0), e = terms.constant(law.law->value);
  terms.require_equal(terms.apply(*law.f, {a, e}), a, law.result);
}

}  // namespace vyre::algebra
