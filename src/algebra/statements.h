// The statement of each law, one file each in laws/; law.cpp has the table of them.
#pragma once

#include "algebra/law.h"

namespace vyre::algebra {

void commutative(Flow& flow, const BoundLaw& law);
void associative(Flow& flow, const BoundLaw& law);
void identity(Flow& flow, const BoundLaw& law);
void self_inverse(Flow& flow, const BoundLaw& law);
void idempotent(Flow& flow, const BoundLaw& law);
void absorbing(Flow& flow, const BoundLaw& law);
void involution(Flow& flow, const BoundLaw& law);
void de_morgan(Flow& flow, const BoundLaw& law);
void monotone(Flow& flow, const BoundLaw& law);
void bounded(Flow& flow, const BoundLaw& law);
void complement(Flow& flow, const BoundLaw& law);
void distributive_over(Flow& flow, const BoundLaw& law);

}  // namespace vyre::algebra
