#include "algebra/statements.h"

namespace vyre::algebra {

// f(a, e) = a and f(e, a) = a
void identity(Terms& terms, const BoundLaw& law) {
  const Column a = terms.variable(0), e = terms.constant(law.law->value);
  terms.require_equal(terms.apply(*law.f, {a, e}), a, law.result);
  terms.require_equal(terms.apply(*law.f, {e, a}), a, law.result);
}

}  // namespace vyre::algebra
