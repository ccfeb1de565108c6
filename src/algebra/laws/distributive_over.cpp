#include "algebra/statements.h"

namespace vyre::algebra {

// f(a, g(b, c)) = g(f(a, b), f(a, c))
void distributive_over(Flow& flow, const BoundLaw& law) {
  const Column a = flow.variable(0), b = flow.variable(1), c = flow.variable(2);
  const ops::Operation& g = *law.others[0];
  const Column left = flow.apply(*law.f, {a, flow.apply(g, {b, c})});
  const Column right = flow.apply(g, {flow.apply(*law.f, {a, b}), flow.apply(*law.f, {a, c})});
  flow.require_equal(left, right);
}

}  // namespace vyre::algebra
