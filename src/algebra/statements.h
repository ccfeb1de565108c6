// The statement of each law, one file each in laws/; law.cpp has the table of them.
#pragma once

#include "algebra/law.h"

namespace vyre::algebra {

void commutative(Terms& terms, const BoundLaw& law);
void associative(Terms& terms, const BoundLaw& law);
void identity(Terms& terms, const BoundLaw& law);
void self_inverse(Terms& terms, const BoundLaw& law);
void idempotent(Terms& terms, const BoundLaw& law);
void absorbing(Terms& terms, const BoundLaw& law);
void involution(Terms& terms, const BoundLaw& law);
void de_morgan(Terms& terms, const BoundLaw& law);
void monotone(Terms& terms, const BoundLaw& law);
void bounded(Terms& terms, const BoundLaw& law);
void complement(Terms& terms, const BoundLaw& law);
void distributive_over(Terms& terms, const BoundLaw& law);
void projection(Terms& terms, const BoundLaw& law);
void round_trip(Terms& terms, const BoundLaw& law);

}  // namespace vyre::algebra
