#include "algebra/statements.h"

namespace vyre::algebra {

// f(a, b) = f(b, a)
void commutative(Flow& flow, const BoundLaw& law) {
  const Column a = flow.variable(0), b = flow.variable(1);
  flow.require_equal(flow.apply(*law.f, {a, b}), flow.apply(*law.f, {b, a}));
}

}  // namespace vyre::algebra
