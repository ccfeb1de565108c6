#include "algebra/statements.h"

namespace vyre::algebra {

// f(f(a, b), c) = f(a, f(b, c))
void associative(Terms& terms, const BoundLaw& law) {
  const Column a = terms.variable(0), b = terms.variable(1), c = terms.variable(2);
  const Column left = terms.apply(*law.f, {terms.apply(*law.f, {a, b}), c});
  const Column right = terms.apply(*law.f, {a, terms.apply(*law.f, {b, c})});
  terms.require_equal(left, right, law.result);
}

}  // namespace vyre::algebra
