// Counting and turning bits, as terms: what readers of code make of the instructions for it.
//
// Any width that is a power of two. Results have the width of the operand.
#pragma once

#include "smt/term.h"

namespace vyre::symbolic {

/// How many bits are set.
smt::Term count_bits(smt::Pool& pool, smt::Term a);
/// Zeros above the highest bit that is set; of zero the width.
smt::Term count_leading_zeros(smt::Pool& pool, smt::Term a);
/// Zeros below the lowest bit that is set; of zero the width.
smt::Term count_trailing_zeros(smt::Pool& pool, smt::Term a);
/// Bit i becomes bit width - 1 - i.
smt::Term reverse(smt::Pool& pool, smt::Term a);
/// The bytes in the other order. Domain: a width of 16 or more.
smt::Term swap_bytes(smt::Pool& pool, smt::Term a);

}  // namespace vyre::symbolic
