#include "algebra/statements.h"

namespace vyre::algebra {

// f(a...) + g(a...) = u, the sum wrapping
void complement(Flow& flow, const BoundLaw& law) {
  const std::vector<Column> variables = flow.variables();
  const Column total = flow.sum(flow.apply(*law.f, variables), flow.apply(*law.others[0], variables));
  flow.require_equal(total, flow.constant(law.law->value));
}

}  // namespace vyre::algebra
