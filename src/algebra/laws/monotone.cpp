#include "algebra/statements.h"

namespace vyre::algebra {

// a <= b implies f(a) <= f(b)
void monotone(Flow& flow, const BoundLaw& law) {
  const Column a = flow.variable(0), b = flow.variable(1);
  flow.require_monotone(a, b, law.variables[0], flow.apply(*law.f, {a}), flow.apply(*law.f, {b}), law.result);
}

}  // namespace vyre::algebra
