// Raw float operators as what they are: relations, of which an adversary picks one answer.
//
// A promise (lower/promise.h) leaves open which NaN comes, whether a subnormal vanishes on the way in or out,
// how far off a result is, whether a product is rounded before it is added to. Each is drawn from random
// words here, for each application and lane anew; what is drawn is at least what the promise leaves open, in
// places a little more. A kernel that is right under every choice is right on every target that keeps the
// promise.
#pragma once

#include <array>

#include "lower/operators.h"
#include "lower/promise.h"

namespace vyre::lower {

/// One of the answers that the promise allows. Without a choice to make it is apply_raw's.
///
/// Domain: a float operator, not a wide one, whose promise is given; in_domain(op, operands); random: four
/// random words.
Word choose_result(RawOp op, const Promise& promise, const Word* operands,
                   const std::array<uint32_t, 4>& random);
/// The same of a wide relation: which NaN comes, and whether a product is rounded before it is added to.
uint64_t choose_wide(RawOp op, const Promise& promise, const uint64_t* operands,
                     const std::array<uint32_t, 4>& random);

}  // namespace vyre::lower
