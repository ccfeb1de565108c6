#include "algebra/statements.h"

namespace vyre::algebra {

// a <= b implies f(b) <= f(a)
void antitone(Terms& terms, const BoundLaw& law) {
  const Column a = terms.variable(0), b = terms.variable(1);
  terms.require_monotone(a, b, law.variables[0], terms.apply(*law.f, {b}), terms.apply(*law.f, {a}),
                         law.result);
}

}  // namespace vyre::algebra
