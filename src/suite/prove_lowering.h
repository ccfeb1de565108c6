// What the proofs of lowering found: every rule, every row of a target's instructions, and the code that
// compilers leave, each against the definition for all inputs.
//
// The claims are symbolic/lowering.h's; here they are shared out among threads, counted by subject and shown.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "symbolic/lowering.h"

namespace vyre::suite {

struct LoweringOptions {
  std::function<bool(std::string_view operation)> wanted = [](std::string_view) { return true; };
  solver::ProverOptions prover = {.limits = {.seconds = 12}, .smallest = false};
  unsigned threads = 0;                     // 0: one a core; each has solvers of its own
  const std::atomic<bool>* stop = nullptr;  // when it becomes true, nothing more is begun
  /// Called with each proof as it comes, from any thread, one at a time.
  std::function<void(size_t done, size_t all, const symbolic::LoweringProof&)> progress;
};

struct LoweringReport {
  std::vector<symbolic::LoweringProof> proofs;  // by subject, then operation
  std::string solver;                           // Prover::about()
  double seconds = 0;
  /// Nothing is refuted.
  bool good() const;
};

/// Proves legalization for each target, the raw rows and the emitted code of what is wanted: "div i32",
/// "primitive.math.add", "udiv.raw".
/// Cost    minutes of two cores for everything. Memory: the proofs.
/// Thread  one call at a time.
LoweringReport prove_lowering(const LoweringOptions& options);

/// What an operation of a proof is called where operations are chosen: "div" of "div i32" and "udiv.raw".
std::string_view operator_of(std::string_view operation);

/// A line a subject with its counts and time; then what is open or refuted, by name.
std::string lowering_table(const LoweringReport& report);
nlohmann::json lowering_json(const LoweringReport& report);

}  // namespace vyre::suite
