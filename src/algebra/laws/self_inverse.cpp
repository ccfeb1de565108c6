#include "algebra/statements.h"

namespace vyre::algebra {

// f(a, a) = r
void self_inverse(Terms& terms, const BoundLaw& law) {
  const Column a = terms.variable(0);
  terms.require_equal(terms.apply(*law.f, {a, a}), terms.constant(law.law->value), law.result);
}

}  // namespace vyre::algebra
