#include "algebra/statements.h"

namespace vyre::algebra {

// f(a, z) = z
void right_absorbing(Terms& terms, const BoundLaw& law) {
  const Column a = terms.variable(0), z = terms.constant(law.law->value);
  terms.require_equal(terms.apply(*law.f, {a, z}), z, law.result);
}

}  // namespace vyre::algebra
