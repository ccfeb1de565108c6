#include "algebra/statements.h"

namespace vyre::algebra {

// f(a, g(b, c)) = g(f(a, b), f(a, c))
void distributive_over(Terms& terms, const BoundLaw& law) {
  const Column a = terms.variable(0), b = terms.variable(1), c = terms.variable(2);
  const ops::Operation& g = *law.others[0];
  const Column left = terms.apply(*law.f, {a, terms.apply(g, {b, c})});
  const Column right = terms.apply(g, {terms.apply(*law.f, {a, b}), terms.apply(*law.f, {a, c})});
  terms.require_equal(left, right, g.signature.output);
}

}  // namespace vyre::algebra
