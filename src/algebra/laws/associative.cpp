#include "algebra/statements.h"

namespace vyre::algebra {

// f(f(a, b), c) = f(a, f(b, c))
void associative(Flow& flow, const BoundLaw& law) {
  const Column a = flow.variable(0), b = flow.variable(1), c = flow.variable(2);
  const Column left = flow.apply(*law.f, {flow.apply(*law.f, {a, b}), c});
  const Column right = flow.apply(*law.f, {a, flow.apply(*law.f, {b, c})});
  flow.require_equal(left, right);
}

}  // namespace vyre::algebra
