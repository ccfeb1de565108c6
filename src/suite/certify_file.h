// A backend judged on the operations of a file: no certificate, whose subjects are the library's, but a
// report, and each failing case as a program that calls nothing of the file.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "suite/minimise.h"
#include "suite/prove_file.h"
#include "verify/verdict.h"

namespace vyre::suite {

struct CertifyFileRequest {
  verify::Strength strength = verify::Strength::Standard;
  uint64_t seed = 1;
  std::string backend;  // as --backend names it
  const std::atomic<bool>* stop = nullptr;
};

struct CertifiedFile {
  std::string text;  // a line an operation, what failed, and last "level: file=L2(20 of 20)"
  bool good = false;
  std::vector<verify::Verdict> verdicts;  // of each operation; their failures have no tokens
  std::vector<Found> found;               // what failed
};

/// Runs the rows and witnesses of the file on the definition, and then each operation on the backend. Errors:
/// C004 of a file without operations; C007 when `stop` became true; V050 or V051 of a file that contradicts
/// itself, since no backend can be judged by it.
Result<CertifiedFile> certify_file(backend::Backend& backend, const OperationsFile& file,
                                   const CertifyFileRequest& request);

}  // namespace vyre::suite
