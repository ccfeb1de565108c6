#include "algebra/statements.h"

namespace vyre::algebra {

// f(a, g(a, b)) = a
void lattice_absorption(Terms& terms, const BoundLaw& law) {
  const Column a = terms.variable(0), b = terms.variable(1);
  terms.require_equal(terms.apply(*law.f, {a, terms.apply(*law.others[0], {a, b})}), a, law.result);
}

}  // namespace vyre::algebra
