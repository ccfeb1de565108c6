#include "algebra/statements.h"

namespace vyre::algebra {

// f(e, a) = a
void left_identity(Terms& terms, const BoundLaw& law) {
  const Column a = terms.variable(0), e = terms.constant(law.law->value);
  terms.require_equal(terms.apply(*law.f, {e, a}), a, law.result);
}

}  // namespace vyre::algebra
