#include "algebra/statements.h"

namespace vyre::algebra {

// a <= b implies f(a) <= f(b)
void monotone(Terms& terms, const BoundLaw& law) {
  const Column a = terms.variable(0), b = terms.variable(1);
  terms.require_monotone(a, b, law.variables[0], terms.apply(*law.f, {a}), terms.apply(*law.f, {b}),
                         law.result);
}

}  // namespace vyre::algebra
