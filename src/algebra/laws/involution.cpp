#include "algebra/statements.h"

namespace vyre::algebra {

// f(f(a)) = a
void involution(Flow& flow, const BoundLaw& law) {
  const Column a = flow.variable(0);
  flow.require_equal(flow.apply(*law.f, {flow.apply(*law.f, {a})}), a);
}

}  // namespace vyre::algebra
