#include "algebra/statements.h"

namespace vyre::algebra {

// f(a, b) = g(b, a)
void converse(Terms& terms, const BoundLaw& law) {
  const Column a = terms.variable(0), b = terms.variable(1);
  terms.require_equal(terms.apply(*law.f, {a, b}), terms.apply(*law.others[0], {b, a}), law.result);
}

}  // namespace vyre::algebra
