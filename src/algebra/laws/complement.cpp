#include "algebra/statements.h"

namespace vyre::algebra {

// f(a...) + g(a...) = u, the sum wrapping
void complement(Terms& terms, const BoundLaw& law) {
  const std::vector<Column> variables = terms.variables();
  const Column total = terms.sum(terms.apply(*law.f, variables), terms.apply(*law.others[0], variables));
  terms.require_equal(total, terms.constant(law.law->value), law.result);
}

}  // namespace vyre::algebra
