#include "algebra/statements.h"
#include "spec/ops.h"

namespace vyre::algebra {

// f(a, b) = 0 implies a = 0 or b = 0
void zero_product(Terms& terms, const BoundLaw& law) {
  const Column a = terms.variable(0), b = terms.variable(1), zero = terms.constant(0);
  const Column product = terms.operate(Op::Ne, {terms.apply(*law.f, {a, b}), zero});
  const Column factor =
      terms.operate(Op::BitOr, {terms.operate(Op::Eq, {a, zero}), terms.operate(Op::Eq, {b, zero})});
  terms.require(terms.operate(Op::BitOr, {product, factor}));
}

}  // namespace vyre::algebra
