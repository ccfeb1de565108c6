#include "algebra/statements.h"
#include "spec/ops.h"

namespace vyre::algebra {

// exactly one of f(a, b), f(b, a), a = b; a result is true when it is not zero
void trichotomy(Terms& terms, const BoundLaw& law) {
  const Column a = terms.variable(0), b = terms.variable(1), zero = terms.constant(0);
  const Column below = terms.operate(Op::Ne, {terms.apply(*law.f, {a, b}), zero});
  const Column above = terms.operate(Op::Ne, {terms.apply(*law.f, {b, a}), zero});
  const Column equal = terms.operate(Op::Eq, {a, b});
  const Column many = terms.operate(Op::Add, {terms.operate(Op::Add, {below, above}), equal});
  terms.require(terms.operate(Op::Eq, {many, terms.constant(1)}));
}

}  // namespace vyre::algebra
