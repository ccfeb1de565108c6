// Operators of constants are constants.
//
// A driver that finds an operator of constants computes it in ways of its own, and not every driver survives
// that: NVIDIA's crashes on some programs that are made of constants alone. So what is known when
// a kernel is lowered is not left to it. Operators mean what they mean everywhere (lower/operators.h), to the
// last bit.
#pragma once

#include "lower/kernel.h"

namespace vyre::lower {

/// Replaces each operator whose operands are all constants by what it gives; approximate ones stay, since
/// their results are not decided. Domain: a semantic kernel. Cost: linear.
void fold_constants(Kernel& kernel);

}  // namespace vyre::lower
