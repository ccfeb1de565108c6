// The statement of each law, one file each in laws/; law.cpp has the table of them.
#pragma once

#include "algebra/law.h"

namespace vyre::algebra {

using spec::Op;

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
void left_identity(Terms& terms, const BoundLaw& law);
void right_identity(Terms& terms, const BoundLaw& law);
void left_absorbing(Terms& terms, const BoundLaw& law);
void right_absorbing(Terms& terms, const BoundLaw& law);
void inverse_of(Terms& terms, const BoundLaw& law);
void antitone(Terms& terms, const BoundLaw& law);
void lattice_absorption(Terms& terms, const BoundLaw& law);
void trichotomy(Terms& terms, const BoundLaw& law);
void zero_product(Terms& terms, const BoundLaw& law);
void transitive(Terms& terms, const BoundLaw& law);
void converse(Terms& terms, const BoundLaw& law);
void custom(Terms& terms, const BoundLaw& law);
void odd(Terms& terms, const BoundLaw& law);
void even(Terms& terms, const BoundLaw& law);

}  // namespace vyre::algebra
