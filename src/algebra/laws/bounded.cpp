#include "algebra/statements.h"

namespace vyre::algebra {

// lo <= f(a...) <= hi
void bounded(Flow& flow, const BoundLaw& law) {
  const Column value = flow.apply(*law.f, flow.variables());
  flow.require_ordered(flow.constant(law.law->value), value, law.result);
  flow.require_ordered(value, flow.constant(law.law->high), law.result);
}

}  // namespace vyre::algebra
