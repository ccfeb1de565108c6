// Sums and products of floats without rounding, by MPFR: what the exact sum and the exact product are
// compared with.
#pragma once

#include <mpfr.h>

#include <bit>

#include "num/float.h"

namespace vyre::num {

inline constexpr spec::FloatFormat kFormats[] = {spec::kBinary16, spec::kBFloat16, spec::kBinary32};

/// A number of MPFR that begins at `start`, 0 or 1, with so many bits that what the test computes is exact.
class Exactly {
 public:
  Exactly(mpfr_prec_t bits, int start) { mpfr_init2(value_, bits), mpfr_set_si(value_, start, MPFR_RNDN); }
  Exactly(const Exactly&) = delete;
  Exactly& operator=(const Exactly&) = delete;
  ~Exactly() { mpfr_clear(value_); }
  mpfr_ptr operator*() { return value_; }

 private:
  mpfr_t value_;
};

/// A finite number; f16 and bf16 are exact in f32. As an infinity the number after the greatest.
inline void set(mpfr_ptr to, spec::FloatFormat f, uint32_t pattern) {
  if (f.is_infinite(pattern)) {
    mpfr_set_si_2exp(to, (pattern & f.sign_bit()) != 0 ? -1 : 1, f.max_exponent() + 1, MPFR_RNDN);
    return;
  }
  mpfr_set_flt(to, std::bit_cast<float>(convert(f, spec::kBinary32, pattern)), MPFR_RNDN);
}

}  // namespace vyre::num
