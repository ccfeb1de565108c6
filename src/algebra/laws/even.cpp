#include "algebra/statements.h"

namespace vyre::algebra {

// f(g(a)) = f(a)
void even(Terms& terms, const BoundLaw& law) {
  const Column a = terms.variable(0);
  terms.require_equal(terms.apply(*law.f, {terms.apply(*law.others[0], {a})}), terms.apply(*law.f, {a}),
                      law.f->signature.output);
}

}  // namespace vyre::algebra
