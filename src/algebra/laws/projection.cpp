#include "algebra/statements.h"

namespace vyre::algebra {

// f(f(a)) = f(a)
void projection(Terms& terms, const BoundLaw& law) {
  const Column a = terms.variable(0), once = terms.apply(*law.f, {a});
  terms.require_equal(terms.apply(*law.f, {once}), once, law.result);
}

}  // namespace vyre::algebra
