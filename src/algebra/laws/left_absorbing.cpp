#include "algebra/statements.h"

namespace vyre::algebra {

// f(z, a) = z
void left_absorbing(Terms& terms, const BoundLaw& law) {
  const Column a = terms.variable(0), z = terms.constant(law.law->value);
  terms.require_equal(terms.apply(*law.f, {z, a}), z, law.result);
}

}  // namespace vyre::algebra
