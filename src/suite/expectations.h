// Expectations: failures that are known, written down in a file with a link to the issue about them and a day
// on which the excuse ends.
//
//   [[failure]]
//   subject = "ir.atomics"                        # of a verdict; * and ? as in --ops
//   fault   = "wrong value"                       # optional, as are oracle (a pattern) and token
//   tag     = "driver-atomics"
//   link    = "https://tracker.example/1234"
//   expires = 2026-12-31                          # the last day
//
// The file is TOML: people read and diff it line by line, it has comments, days are a type of it, and its
// parser knows the line of everything that it reads, so that a message can name it (docs/expectations.md).
// Reading is strict, since an entry that says nothing would not be noticed.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diag.h"
#include "base/result.h"
#include "certify/certificate.h"
#include "suite/failing_case.h"

namespace vyre::suite {

/// A day, in UTC.
using Day = std::chrono::year_month_day;
/// "2026-12-31".
std::string text(Day day);
/// Reads "2026-12-31"; nothing for what is no day.
std::optional<Day> parse_day(std::string_view text);
/// What the clock says now. A run asks once (Plan::today).
Day today();

struct Expectation {
  std::string subject;  // a pattern of subjects of verdicts
  std::string oracle;   // a pattern; empty: any
  std::optional<verify::Fault> fault;
  std::string token;  // of one case; empty: any
  std::string tag, link;
  Day expires{};
  uint32_t line = 0;  // in the file, for messages

  /// Whether it says of a failure that it is known.
  bool covers(const verify::Failure& failure) const;
  /// Whether it says so of any failure of its subjects, also of those that a verdict only counts.
  bool covers_all() const { return oracle.empty() && !fault && token.empty(); }
};

/// Reads a file of expectations. `subjects`: those of the registry. Errors  C015: no TOML, an unknown or a
/// missing key, a value of another type, a link that is none, a fault that cannot be waived; C004: a subject
/// that the registry has not. The span is in `source`.
Result<std::vector<Expectation>> parse_expectations(const Source& source,
                                                    std::span<const std::string> subjects);

/// The subjects that a verdict of this build may have: operations and families.
std::vector<std::string> registered_subjects();

/// Whether a kept case that fails again is known: an entry that has not expired covers what its story says
/// was found. `today`: of the run.
bool waives(std::span<const Expectation> expectations, Day today, const Story& story);

/// Waives what the expectations cover, and says of each entry what became of it where that is news: that it
/// has expired, that nothing failed, that what failed is flaky, or that others failed beside.
/// `today`: of the run. Return: lines for people.
std::vector<std::string> apply(std::span<const Expectation> expectations, Day today,
                               certify::Certificate& certificate);

}  // namespace vyre::suite
