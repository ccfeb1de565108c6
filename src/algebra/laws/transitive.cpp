#include "algebra/statements.h"
#include "spec/ops.h"

namespace vyre::algebra {

// f(a, b) and f(b, c) implies f(a, c); a result is true when it is not zero
void transitive(Terms& terms, const BoundLaw& law) {
  const Column a = terms.variable(0), b = terms.variable(1), c = terms.variable(2), zero = terms.constant(0);
  const Column no_first = terms.operate(Op::Eq, {terms.apply(*law.f, {a, b}), zero});
  const Column no_second = terms.operate(Op::Eq, {terms.apply(*law.f, {b, c}), zero});
  const Column both = terms.operate(Op::Ne, {terms.apply(*law.f, {a, c}), zero});
  terms.require(terms.operate(Op::BitOr, {terms.operate(Op::BitOr, {no_first, no_second}), both}));
}

}  // namespace vyre::algebra
