#include "algebra/statements.h"

namespace vyre::algebra {

// lo <= f(a...) <= hi
void bounded(Terms& terms, const BoundLaw& law) {
  const Column value = terms.apply(*law.f, terms.variables());
  terms.require_ordered(terms.constant(law.law->value), value, law.result);
  terms.require_ordered(value, terms.constant(law.law->high), law.result);
}

}  // namespace vyre::algebra
