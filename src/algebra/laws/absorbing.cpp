#include "algebra/statements.h"

namespace vyre::algebra {

// f(a, z) = z and f(z, a) = z
void absorbing(Flow& flow, const BoundLaw& law) {
  const Column a = flow.variable(0), z = flow.constant(law.law->value);
  flow.require_equal(flow.apply(*law.f, {a, z}), z);
  flow.require_equal(flow.apply(*law.f, {z, a}), z);
}

}  // namespace vyre::algebra
