#include "certify/waiver.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "certify/certificate.h"

namespace vyre::certify {
namespace {

using verify::Tally;
using verify::Verdict;

constexpr std::array<std::string_view, 6> kStandingNames = {"ok",     "PROMISES FAILED", "LAWS FAILED",
                                                            "FAILED", "FLAKY",           "waived"};

/// Every count of cases that failures are in.
template <typename V, typename See>
void each_tally(V& verdict, See see) {
  for (auto& oracle : verdict.parity) see(oracle.tally);
  for (auto& leaf : verdict.leaves) see(leaf.tally);
  for (auto& promise : verdict.invariants) see(promise.cases);
  see(verdict.definition);
  see(verdict.determinism);
}

/// Failures of the verdict that waivers cover.
uint64_t covered(const Certificate& certificate, const Verdict& verdict) {
  uint64_t sum = 0;
  for (const Waiver& waiver : certificate.waivers) {
    if (waiver.subject == verdict.subject && waiver.track == verdict.track) sum += waiver.failures;
  }
  return sum;
}

}  // namespace

std::string_view text(Standing standing) { return kStandingNames[static_cast<size_t>(standing)]; }

bool is_flaky(const Verdict& verdict) {
  return std::ranges::any_of(verdict.failures,
                             [](const verify::Failure& f) { return f.fault == verify::Fault::Flaky; });
}

bool is_waived(const Certificate& certificate, const Verdict& verdict) {
  if (verdict.failure_count == 0 || !verdict.error.empty() || is_flaky(verdict)) return false;
  bool failed = false;  // and no sum, which others could make 0 by large numbers
  each_tally(verdict, [&](const Tally& tally) { failed |= tally.failed != 0; });
  return !failed && unaccounted(verdict) == 0 && covered(certificate, verdict) == verdict.failure_count;
}

Standing standing_of(const Certificate& certificate, const Verdict& verdict) {
  if (is_flaky(verdict)) return Standing::Flaky;
  if (is_waived(certificate, verdict)) return Standing::Waived;
  if (!missing_for_parity(verdict, certificate.strength).empty()) return Standing::Failed;
  if (!missing_for_laws(verdict, certificate.strength).empty()) return Standing::LawsFailed;
  return missing_for_invariants(verdict).empty() ? Standing::Passed : Standing::PromisesFailed;
}

void waive(Verdict& verdict) {
  each_tally(verdict, [](Tally& tally) { tally.waived += std::exchange(tally.failed, 0); });
}

uint64_t unaccounted(const Verdict& verdict) {
  if (!verdict.error.empty()) return 0;
  uint64_t sum = 0;
  std::vector<Tally> tallies;
  for (const verify::OracleCases& oracle : verdict.parity) tallies.push_back(oracle.tally);
  for (const verify::InvariantVerdict& promise : verdict.invariants) tallies.push_back(promise.cases);
  for (const Tally& t : tallies) {  // an answer may be a failure too, so these overlap
    uint64_t left = t.planned;
    for (const uint64_t known : {t.completed, t.failed, t.waived, t.unsupported})
      left -= std::min(left, known);
    sum += left;
  }
  return sum;
}

std::optional<std::string> wrong_waivers(const Certificate& certificate) {
  for (const Waiver& waiver : certificate.waivers) {
    const auto verdict = std::ranges::find_if(certificate.verdicts, [&](const Verdict& v) {
      return v.subject == waiver.subject && v.track == waiver.track;
    });
    if (verdict == certificate.verdicts.end() || !is_waived(certificate, *verdict))
      return fmt::format("the waiver of {} does not cover its failures", waiver.subject);
    if (waiver.link.empty() || waiver.failures == 0)
      return fmt::format("a waiver of {} has no link or no failures", waiver.subject);
  }
  for (const Verdict& verdict : certificate.verdicts) {
    bool waived = false;
    each_tally(verdict, [&](const Tally& tally) { waived |= tally.waived != 0; });
    if (waived && !is_waived(certificate, verdict))
      return fmt::format("{} has cases that no waiver covers", verdict.subject);
  }
  return std::nullopt;
}

}  // namespace vyre::certify
