// What the proof engine found, as text for people and as JSON.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "base/result.h"
#include "symbolic/prove.h"

namespace vyre::suite {

struct Proved {
  std::string text;
  bool good = false;  // everything is as declared
};

/// Asks everything about the operations that match; progress goes to stderr where it is a terminal. Errors:
/// C004; C007 when `stop` became true before everything was asked. The JSON is documented in docs/proofs.md.
Result<Proved> prove(std::string_view pattern, bool json, const std::atomic<bool>* stop);

/// The report as a table: operation, law, subject, grade, time; what no solver proved, by name; totals;
/// coverage.
std::string prove_table(const symbolic::ProveReport& report);
std::string prove_json(const symbolic::ProveReport& report);

}  // namespace vyre::suite
