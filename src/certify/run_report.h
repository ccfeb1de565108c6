// Run reports: what a certificate may not say, beside it.
//
// A certificate is the same bytes for the same answers, so no time, rate or host is in it, and of failures it
// keeps a few. A run report has all of that, for people who work on what failed or ask where the time went.
// It is not verified. docs/certificate.md describes its members.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/diag.h"
#include "certify/certificate.h"

namespace vyre::certify {

struct RunFacts {
  std::string backend;              // as --backend names it
  std::span<const double> seconds;  // a verdict each
  double total_seconds = 0;
  std::span<const std::vector<verify::FailingCases>> failing;  // a verdict each
  uint64_t units = 0;                                          // of the run
  uint64_t kept = 0;                                           // of these, judged by an earlier run
  std::span<const std::string> devices;                        // that judged them, where there are several
  std::span<const Diag> damage;                                // what of a state directory was lost
};

/// JSON, indented, with a newline at its end; host name and clock are asked now.
std::string run_report(const Certificate& certificate, const RunFacts& facts);

/// "cert.report.json" beside "cert.json".
std::filesystem::path report_path(const std::filesystem::path& certificate);

/// The digest of a list of failing cases, as a certificate has it; empty for an empty list.
std::string digest_of(std::span<const verify::FailingCases> failing);

}  // namespace vyre::certify
