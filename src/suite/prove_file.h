// What was found out about the operations of a file, as text for people and as JSON.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "check/module.h"
#include "suite/laws.h"
#include "suite/prove.h"

namespace vyre::suite {

/// A file that was read and checked.
struct OperationsFile {
  std::string path;
  std::shared_ptr<const Source> source;  // null of a wire file
  std::shared_ptr<const check::CheckedModule> module;
};

/// Errors: C004 of a file without operations.
Result<void> expect_operations(const OperationsFile& file);

struct ProveFileRequest {
  bool suggest = true;     // laws that hold and are not claimed, too
  double suggesting = 20;  // seconds that these take at most
  bool json = false;
  const std::atomic<bool>* stop = nullptr;
};

/// Proves what the operations of the file claim, deny and show; progress goes to stderr where it is a
/// terminal. Good is a file of which nothing is refuted that it claims, and nothing open. Errors: C007 when
/// `stop` became true; C004 of a file without operations. The JSON is documented in docs/proofs.md.
Result<Proved> prove_file(const OperationsFile& file, const ProveFileRequest& request);

/// The claims and denials of the file with their evidence, as law_table() has those of the library. Errors:
/// as of prove_file().
Result<LawTable> law_table(const OperationsFile& file, uint64_t seed, const std::atomic<bool>* stop);

}  // namespace vyre::suite
