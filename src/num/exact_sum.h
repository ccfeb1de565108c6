// Exact sums of floats: the oracle for sums of unspecified order.
//
// Every finite number of a format is an integer times its least subnormal number. Of f32 that integer has at
// most 277 bits, so 320 bits hold the sum of any 2^32 of them: integers are added, nothing is rounded, and no
// order matters. Magnitudes of positive and of negative numbers are summed apart; their difference is the
// exact sum S, and what they are together is the sum of magnitudes M, in whose last place the error of a sum
// is measured (docs/spec/floats.md, "Approximate operators"). No arithmetic on floats takes part, neither the
// host's nor num/float.h's.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "spec/float_format.h"

namespace vyre::num {

class ExactSum {
 public:
  explicit ExactSum(spec::FloatFormat format) : format_(format) {}

  /// Domain: at most 2^32 numbers in all, of a format of at most 8 bits of exponent and 23 of fraction; no
  /// NaN and no infinity.
  void add(uint32_t number);

  /// The number that is nearest to S, ties to even: infinity where it is too large, +0 where S is zero.
  uint32_t rounded() const;
  /// Whether M is beyond the greatest number, so that it has no last place in the format.
  bool overflows() const;
  /// How far a result is from S, in ULP of M, the fraction rounded up: at most t exactly where the distance
  /// is. An infinity stands for the number that would follow the greatest. Beyond 64 bits: the greatest
  /// there. None for a NaN. Domain: not overflows().
  std::optional<uint64_t> ulps_off(uint32_t result) const;

 private:
  using Wide = std::array<uint64_t, 5>;  // the least significant first

  static void add_to(Wide& sum, const Wide& more);
  /// |a - b|, and whether a < b.
  static std::pair<Wide, bool> difference(const Wide& a, const Wide& b);
  static uint32_t bits_of(const Wide& x);
  static uint64_t low_bits(const Wide& x, uint32_t from);  // 64 bits, from bit `from` on
  static bool has_bits_below(const Wide& x, uint32_t end);
  /// Its magnitude in units of the least subnormal number.
  Wide units(uint32_t number) const;

  spec::FloatFormat format_;
  Wide positive_{}, negative_{};
};

}  // namespace vyre::num
