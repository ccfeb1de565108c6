#include "algebra/predicate.h"
#include "algebra/statements.h"

namespace vyre::algebra {

// The law's own predicate, which is not zero.
void custom(Terms& terms, const BoundLaw& law) { terms.require(write_predicate(terms, law)); }

}  // namespace vyre::algebra
