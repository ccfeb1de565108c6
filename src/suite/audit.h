// Audits: some leaves of a certificate, run again.
//
// A certificate says what a backend answered; its reader has to believe that. An auditor who has the
// backend need not: a fresh number, the nonce, chooses leaves, their cases are run again,
// and the digests of the answers are compared. Leaves that were made up are found with odds that follow
// from how many were chosen. Source: docs/certificate.md, "Audits"; commands, "verify --audit".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "certify/certificate.h"
#include "verify/monitor.h"

namespace vyre::suite {

/// A leaf of a certificate that was run again.
struct AuditedLeaf {
  std::string subject;
  verify::Track track{};
  verify::Leaf claimed;
  verify::Leaf found;  // without planned cases when it did not come to be
  std::string error;   // what ended its subject
  /// Whether a failure was waived is not the backend's to answer.
  bool agrees() const;
};

struct Audit {
  std::vector<AuditedLeaf> leaves;  // in the order of the certificate
  uint64_t population = 0;          // leaves that have a digest, and can be run by this build on this backend
  uint64_t left_out = 0;            // others
  bool agrees() const;
};

/// Runs `count` leaves again, or all when there are no more, that nonce and certificate choose.
/// Cost    a leaf of an operation is at most 2^20 cases; one of a family takes the whole family's check.
/// Errors  C002 when there is no leaf that could be run; those of the backend when it cannot be restarted.
Result<Audit> audit(backend::Backend& backend, const certify::Certificate& certificate, uint64_t count,
                    uint64_t nonce, const verify::Monitor& monitor);

/// The odds that at least one of `made_up` leaves is among `count` chosen of `population`.
/// Domain  made_up, count <= population
double odds_of_catching(uint64_t population, uint64_t count, uint64_t made_up);

/// What people read of it: each leaf that differs, and the odds.
std::string report(const Audit& audit, uint64_t nonce);

}  // namespace vyre::suite
