// Waivers: failures that were expected, with a link to an explanation, so that a run ends well in spite of
// them.
//
// A waiver changes what a run ends with and nothing else: the failures stay in the verdict, and no level
// follows from a verdict that has any, waived or not. A subject is waived as a whole, when each of its
// failures is, so that a new failure never hides beside an old one. What is flaky cannot be waived: no run
// knows what it does next time. They are made in suite/expectations.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "verify/verdict.h"

namespace vyre::certify {

struct Certificate;

/// Failures of a verdict that one expectation covers.
struct Waiver {
  std::string subject;
  verify::Track track{};  // of which the verdict is
  uint64_t failures = 0;
  std::string tag;      // a short name, for people who count them
  std::string link;     // where it is being dealt with
  std::string expires;  // YYYY-MM-DD: the last day on which it waived
  bool operator==(const Waiver&) const = default;
};

/// What a verdict amounts to, apart from levels.
enum class Standing : uint8_t { Passed, PromisesFailed, LawsFailed, Failed, Flaky, Waived };
/// As the console has them in a column: "ok", "PROMISES FAILED", "LAWS FAILED", "FAILED", "FLAKY", "waived".
std::string_view text(Standing standing);
Standing standing_of(const Certificate& certificate, const verify::Verdict& verdict);

/// Whether some failure of it is by chance alone: right alone, and wrong in some of many equal runs.
bool is_flaky(const verify::Verdict& verdict);
/// Whether the certificate's waivers cover every failure of the verdict, and nothing else is wrong with it.
bool is_waived(const Certificate& certificate, const verify::Verdict& verdict);

/// Marks all failed cases of a verdict as waived.
void waive(verify::Verdict& verdict);

/// Cases of a verdict that are in none of the counts: neither answered nor failed, and nothing stopped it.
uint64_t unaccounted(const verify::Verdict& verdict);

/// Why the waivers of a certificate are not those of its verdicts; nothing when they are.
std::optional<std::string> wrong_waivers(const Certificate& certificate);

}  // namespace vyre::certify
