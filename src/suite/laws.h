// The laws of the library as a table: what is claimed, what is denied, and the evidence on the definition.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "suite/suite.h"

namespace vyre::suite {

struct LawTable {
  std::string text;  // for people
  uint64_t laws = 0;
  uint64_t unsettled = 0;  // claimed and not verified, or denied and not refuted
  uint64_t refuted = 0;    // claimed and refuted
  uint64_t denied = 0;     // denied and refuted
  uint64_t undenied = 0;   // denied and not refuted
  /// "5 laws: 2 verified, 1 refuted, 2 refuted as denied".
  std::string counts() const;
};

/// Verifies the laws of the operations that match, on their definitions alone; the best grade comes first:
/// what a solver proved, then what was run. Errors: C004. Cost  up to 2^24 evaluations a law and engine, and
/// a second of a solver.
Result<LawTable> law_table(std::string_view pattern, uint64_t seed, const std::atomic<bool>* stop);

}  // namespace vyre::suite
