// Covering arrays: few rows in which every combination of a few levels occurs.
//
// A system with many factors (the size of a workgroup, the type of an element, ...) of some levels each has
// far too many combinations to run. Most faults need one level, or two or three together; an array of
// strength t has every t levels of different factors in some row. Some combinations make no sense: the first
// factor says which others apply at all, and `allows` which levels go together. A tuple that no allowed row
// has is infeasible: it is not covered, and counted. Rows are made one at a time, greedily, each around a
// tuple that none has yet (Cohen et al., "The AETG system", 1997; constraints as in Cohen, Dwyer, Shi, 2007).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace vyre::generate {

/// The level of each factor.
using Row = std::vector<uint8_t>;
inline constexpr uint8_t kUnset = 255;   // of a row under way
inline constexpr uint8_t kAbsent = 254;  // the factor does not apply

struct Factors {
  std::vector<uint8_t> levels;  // how many each has, at most 16; the first factor always applies
  /// Of each factor the levels of the first factor with which it applies, a bit each.
  std::vector<uint32_t> with;
  /// Whether the levels go together that are set. Once false for a row under way, false for all rows that
  /// have its levels. Empty: all go.
  std::function<bool(std::span<const uint8_t> row)> allows;

  bool applies(size_t factor, uint8_t first) const { return (with[factor] >> first & 1) != 0; }
};

struct Covering {
  std::vector<Row> rows;
  uint64_t feasible = 0;    // tuples, all of which are in the rows
  uint64_t infeasible = 0;  // tuples that no allowed row has
};

/// Every feasible tuple of `strength` levels of different factors. A pure function of its arguments.
/// Domain  1 <= strength <= number of factors; some row is allowed.
/// Cost    strength 2 of 30 factors: milliseconds; 4: seconds.
Covering cover(const Factors& factors, uint32_t strength, uint64_t seed);

/// How many different tuples of `strength` levels of different factors are in some row.
uint64_t count_tuples(std::span<const Row> rows, uint32_t strength);

}  // namespace vyre::generate
