#include "algebra/statements.h"

namespace vyre::algebra {

// g(f(a)) = a
void round_trip(Terms& terms, const BoundLaw& law) {
  const Column a = terms.variable(0);
  terms.require_equal(terms.apply(*law.others[0], {terms.apply(*law.f, {a})}), a, law.variables[0]);
}

}  // namespace vyre::algebra
