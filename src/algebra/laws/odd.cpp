#include "algebra/statements.h"

namespace vyre::algebra {

// f(g(a)) = g(f(a))
void odd(Terms& terms, const BoundLaw& law) {
  const Column a = terms.variable(0);
  const auto& g = *law.others[0];
  terms.require_equal(terms.apply(*law.f, {terms.apply(g, {a})}), terms.apply(g, {terms.apply(*law.f, {a})}),
                      law.f->signature.output);
}

}  // namespace vyre::algebra
