#include "algebra/statements.h"

namespace vyre::algebra {

// f(g(a, b), b) = a
void inverse_of(Terms& terms, const BoundLaw& law) {
  const Column a = terms.variable(0), b = terms.variable(1);
  terms.require_equal(terms.apply(*law.f, {terms.apply(*law.others[0], {a, b}), b}), a, law.result);
}

}  // namespace vyre::algebra
