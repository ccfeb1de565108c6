// Constants and tables of the estimates, made once by MPFR.
#pragma once

#include <array>
#include <cstdint>

#include "num/ball.h"

namespace vyre::num {

struct Constants {
  // Each rounded down: the number is in [constant, constant + one unit).
  Wide log2_e = 0, log2_10 = 0;                  // units of 2^-126
  Wide pi = 0, half_pi = 0;                      // units of 2^-64
  uint64_t ln_2 = 0;                             // units of 2^-64
  Ball log2_e_ball, log10_e_ball, half_pi_ball;  // radius 1
  std::array<uint64_t, 6> two_over_pi{};         // its bits, 64 zeros first
  std::array<uint64_t, 128> powers{};            // 2^(i / 128), units of 2^-63
  std::array<uint64_t, 65> angles{};             // atan(i / 64), units of 2^-64
  /// ln(256 / r), units of 2^-64, where r is the reciprocal that reduces arguments (reciprocal()).
  std::array<int64_t, 192> logarithms{};
};

/// About 2^16 / (i + 192.5), which is 256 / c for c in the middle of the i-th of the intervals of 1/256 that
/// [3/4, 3/2) has. Of both intervals at 1 it is 256: there logarithms are as small as c - 1, and exact.
constexpr uint32_t reciprocal(uint32_t i) {
  if (i == 63 || i == 64) return 256;
  return (2 * 65536 * 2 / (2 * i + 385) + 1) / 2;
}

const Constants& constants();

}  // namespace vyre::num
