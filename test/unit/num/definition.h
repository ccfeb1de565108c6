// Rounding by the words of the standard: of all numbers of a small format the nearest, of two the even one.
//
// Numbers are integers in units of the least product; results are found by search, not computed. Source: IEEE
// 754-2019, 4.3.1 (roundTiesToEven).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "spec/float_format.h"

namespace vyre::num::test {

using spec::FloatFormat;

/// Domain: formats whose products fit 126 bits: of up to 8 bits.
class Definition {
 public:
  __extension__ using Integer = __int128;

  explicit Definition(FloatFormat f) : f_(f), sign_(1u << (f.exponent_bits + f.fraction_bits)) {
    // In units of the least subnormal number; one step above the greatest number, what would come next.
    for (uint32_t a = 0; a <= f.infinity(); ++a) {
      const uint32_t field = a >> f.fraction_bits;
      const uint32_t fraction = a % (1u << f.fraction_bits);
      const uint32_t leading = field == 0 ? 0 : 1u << f.fraction_bits;
      values_.push_back(Integer{leading + fraction} << (field == 0 ? 0 : field - 1));
    }
    // The least subnormal number, in units of its square.
    const uint32_t places = (1u << (f.exponent_bits - 1)) - 2 + f.fraction_bits;
    for (const Integer value : values_) wide_.push_back(value << places);
  }

  /// a * b + c is finite and not zero, so that nothing but the definition is needed.
  bool has_nonzero_sum(uint32_t a, uint32_t b, uint32_t c) const {
    const uint32_t infinity = f_.infinity();
    if (a % sign_ >= infinity || b % sign_ >= infinity || c % sign_ >= infinity) return false;
    return sum(a, b, c) != 0;
  }
  uint32_t mul_add(uint32_t a, uint32_t b, uint32_t c) const {
    const Integer exact = sum(a, b, c);
    return exact < 0 ? sign_ + nearest(-exact) : nearest(exact);
  }

 private:
  Integer sum(uint32_t a, uint32_t b, uint32_t c) const {
    const Integer product = values_[a % sign_] * values_[b % sign_];
    return ((a ^ b) >= sign_ ? -product : product) + (c >= sign_ ? -wide_[c % sign_] : wide_[c % sign_]);
  }
  uint32_t nearest(Integer exact) const {
    const auto above = std::lower_bound(wide_.begin(), wide_.end(), exact);
    if (above == wide_.end()) return f_.infinity();
    const auto index = uint32_t(above - wide_.begin());
    if (*above == exact) return index;
    const Integer to_above = *above - exact;
    const Integer to_below = exact - wide_[index - 1];
    if (to_above != to_below) return to_above < to_below ? index : index - 1;
    return index % 2 == 0 ? index : index - 1;
  }

  FloatFormat f_;
  uint32_t sign_;
  std::vector<Integer> values_;
  std::vector<Integer> wide_;
};

}  // namespace vyre::num::test
