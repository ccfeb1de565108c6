#include "algebra/statements.h"

namespace vyre::algebra {

// f(inner(a, b)) = dual(f(a), f(b))
void de_morgan(Flow& flow, const BoundLaw& law) {
  const Column a = flow.variable(0), b = flow.variable(1);
  const ops::Operation &inner = *law.others[0], &dual = *law.others[1];
  const Column left = flow.apply(*law.f, {flow.apply(inner, {a, b})});
  const Column right = flow.apply(dual, {flow.apply(*law.f, {a}), flow.apply(*law.f, {b})});
  flow.require_equal(left, right);
}

}  // namespace vyre::algebra
