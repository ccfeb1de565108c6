#include "algebra/statements.h"

namespace vyre::algebra {

// f(f(a)) = a
void involution(Terms& terms, const BoundLaw& law) {
  const Column a = terms.variable(0);
  terms.require_equal(terms.apply(*law.f, {terms.apply(*law.f, {a})}), a, law.result);
}

}  // namespace vyre::algebra
