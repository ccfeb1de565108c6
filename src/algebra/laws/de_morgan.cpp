#include "algebra/statements.h"

namespace vyre::algebra {

// f(inner(a, b)) = dual(f(a), f(b))
void de_morgan(Terms& terms, const BoundLaw& law) {
  const Column a = terms.variable(0), b = terms.variable(1);
  const ops::Operation &inner = *law.others[0], &dual = *law.others[1];
  const Column left = terms.apply(*law.f, {terms.apply(inner, {a, b})});
  const Column right = terms.apply(dual, {terms.apply(*law.f, {a}), terms.apply(*law.f, {b})});
  terms.require_equal(left, right, dual.signature.output);
}

}  // namespace vyre::algebra
