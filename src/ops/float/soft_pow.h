// The value of a power before it is rounded to its format, for tests of the bound of its error.
#pragma once

#include "ops/float/soft_words.h"

namespace vyre::ops {

/// |x|^y as soft_pow has it before it cuts digits off: words * 2^whole, words in [1/2, 1) or hardly less.
struct PowerDigits {
  Words words;
  Ex whole;       // in two's complement
  Ex too_great;   // 0 or 1: the exponent is 512 or more either way, and the rest is void
  uint32_t good;  // words are less than 2^-good off
};
/// Of the first step or the second. Domain: x and y are not zero, and finite.
PowerDigits power_digits(Composer& c, Ex x, Ex y, bool second);

}  // namespace vyre::ops
