// Algebraic verification: the laws of an operation, on its definition and on the backend itself.
//
// algebra/ knows the statements and the engines; here is the subject that they speak of: a backend, each
// application a dispatch of its own over columns, so that no compiler sees both sides of a law. Before a
// subject's verdicts are believed it must refute the planted-false laws with their known counts
// (check_planted_laws). Source: semantics, "Laws and evidence"; docs/harness.md.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "algebra/engine.h"
#include "algebra/planted_law.h"
#include "verify/culprit.h"
#include "verify/elementwise.h"
#include "verify/monitor.h"
#include "verify/verdict.h"

namespace vyre::verify {

/// Applies operations by dispatching their pipelines, compiled on first use and kept. An application that one
/// input makes the backend fail at (not answer wrongly: what is right is not known here) is attributed to
/// that input, in the verdict that was given.
class DeviceEvaluator final : public algebra::Evaluator {
 public:
  /// The table has every operation that will be applied. All must outlive this.
  DeviceEvaluator(backend::Backend& backend, const spec::OpTable& table, uint64_t seed,
                  const Monitor& monitor, Verdict& verdict);
  std::string subject() const override { return "device"; }
  /// Errors: what the backend answered; when it is of a case, the case is in the verdict by then.
  Result<void> apply(const ops::Operation& operation, std::span<const uint32_t* const> inputs, uint32_t* out,
                     size_t n) override;
  size_t slice() const override { return size_t{1} << 16; }
  /// Takes a pipeline of an operation, which need not be compiled once more then.
  void adopt(const ops::Operation& operation, std::unique_ptr<Elementwise> pipeline) {
    pipelines_[{operation.id, operation.version}] = std::move(pipeline);
  }
  /// Adds what the pipelines counted to the verdict.
  void account();
  /// Whether something went wrong that only an evaluation which settles after each application can tell from
  /// what ran before. It does so from then on; what was running is to be run again.
  bool turn_careful();
  /// A fresh start, with a known answer where one is due.
  Result<void> restart() { return culprit_search_.restart(); }

 private:
  Result<Elementwise*> pipeline_of(const ops::Operation& operation);
  Result<void> report(const ops::Operation& operation, std::span<const uint32_t* const> inputs, size_t n,
                      const Seen& seen);

  backend::Backend& backend_;
  const spec::OpTable& table_;
  uint64_t seed_;
  const Monitor& monitor_;
  Verdict& verdict_;
  CulpritSearch culprit_search_;
  uint64_t applications_ = 0;
  bool careful_ = false, wants_care_ = false;
  std::map<std::pair<std::string_view, uint32_t>, std::unique_ptr<Elementwise>> pipelines_;
};

/// Every claimed and denied law of the operation, on the definition and through the evaluator. Adds law
/// verdicts and failures. `device` names the evaluator's subject in the evidence. Errors: the evaluator's.
Result<void> check_laws(const ops::Operation& operation, DeviceEvaluator& evaluator,
                        const std::string& device, uint64_t witnessed, uint64_t seed, const Monitor& monitor,
                        Verdict& verdict);

/// The planted-false laws, or those of one track.
std::span<const algebra::PlantedLaw> planted_laws_of(std::optional<Track> track);

/// They are tried on the definition and twice on the backend: each must be refuted with its known number of
/// failures and its known smallest counterexample. Then as programs that count on the device, where the
/// numbers must be the same.
Verdict check_planted_laws(backend::Backend& backend, uint64_t seed, const Monitor& monitor,
                           std::optional<Track> track = std::nullopt);

}  // namespace vyre::verify
