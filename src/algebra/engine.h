// Engines: how many instances of a law are run, and what may be said afterwards.
//
// Four engines run the same statement. ExhaustiveU8 takes every tuple of operands 0..255 through the
// full-width function (i32: the sign-extended i8; floats: the 256 values of the 8-bit format e5m2, exactly).
// ExhaustiveU16 does it with 0..65535 (i32: the sign-extended i16), for integer laws of one variable, and of
// two where that is asked for. Edge256 takes every tuple of 256 structured full-width values. Witnessed takes
// generated full-width values, 10^6 and more. A law is verified when every engine that was asked for ran all
// its instances and none failed; no instance run is no verdict. A refuted law comes with one counterexample:
// the smallest there is, where exhaustion can say so, else a shrunk one, and it says which. Source:
// semantics, "Laws and evidence"; vyre-conform-spec, "Verification" of laws.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "algebra/law.h"

namespace vyre::algebra {

enum class Engine : uint8_t { ExhaustiveU8, Edge256, Witnessed, ExhaustiveU16 };
inline constexpr size_t kEngineCount = 4;
std::string_view text(Engine engine);  // "exhaustive-u8", "edge256", ...
/// What ExhaustiveU8 runs through: "u8", or of floats "e5m2", all values of that 8-bit format.
std::string_view exhausted_domain(const BoundLaw& law);

/// Tuples of Witnessed, column by column, by the types of a law's variables.
using Witnesses = std::map<std::vector<spec::DataType>, std::vector<uint32_t>>;

struct EngineOptions {
  bool exhaustive_u8 = true;
  /// ExhaustiveU16 runs on integer laws of at most so many variables: 1 is 2^16 instances, 2 is 2^32. 0: not
  /// run.
  uint32_t exhaustive_u16 = 0;
  bool edge256 = true;
  uint64_t witnessed = 1'000'000;  // instances; 0: not run
  uint64_t seed = 0;               // of Witnessed
  /// Called with the number of instances just done, from any thread.
  std::function<void(uint64_t)> progress;
  /// Where Witnessed leaves its tuples for other laws of the operation and other subjects, which then need
  /// not make them again. What is there is of this operation, number and seed.
  Witnesses* witnesses = nullptr;
  /// When it becomes true the check ends early, without a verdict.
  const std::atomic<bool>* stop = nullptr;
};

struct Counterexample {
  std::vector<uint32_t> values;  // of the law's variables, in order
  /// True: no smaller tuple of all full-width ones fails. False: the end of a descent, "shrunk".
  bool smallest = false;
};

struct EngineResult {
  Engine engine;
  uint64_t instances = 0;
  uint64_t failures = 0;
  /// The simplest failing instance that the engine met, as it met it.
  std::vector<uint32_t> first;
};

enum class Outcome : uint8_t { Verified, Refuted, NotApplicable, NotVerified };
std::string_view text(Outcome outcome);  // "verified", ...

struct LawVerdict {
  spec::Law law;
  std::string operation;  // id@version
  std::string subject;
  Outcome outcome = Outcome::NotVerified;
  std::string reason;  // NotApplicable, NotVerified: why
  std::vector<EngineResult> engines;
  std::string_view domain;                       // of ExhaustiveU8: exhausted_domain()
  std::optional<Counterexample> counterexample;  // Refuted
  /// The evidence: "exhausted(u8^2) exhausted(edge256^2) witnessed(1000000, seed 7)" or "refuted(a=0, b=1;
  /// smallest)".
  std::string grade;
  bool holds() const { return outcome == Outcome::Verified; }
  /// Whether it passed what the specification calls Combined: exhaustive u8, and at least 10^6 witnessed.
  bool combined() const;
};

/// Runs the engines. Errors: the evaluator's.
Result<LawVerdict> check_law(const spec::Law& law, const ops::Operation& operation, Evaluator& evaluator,
                             const EngineOptions& options, const Lookup& lookup = find_in_library);

struct DenialVerdict {
  spec::Law law;
  std::string operation;
  std::string subject;
  std::vector<uint32_t> witness;
  /// Refuted: the witness shows that the law fails, as claimed. Verified: the law holds at the witness, so
  /// the denial is wrong.
  Outcome outcome = Outcome::NotVerified;
  std::string reason;
  std::string grade;  // "refuted(a=0, b=1)"
  bool confirmed() const { return outcome == Outcome::Refuted; }
};

/// Evaluates a denial's witness. Errors: the evaluator's.
Result<DenialVerdict> check_denial(const spec::Denial& denial, const ops::Operation& operation,
                                   Evaluator& evaluator, const Lookup& lookup = find_in_library);

/// Whether one instance of a bound law holds.
Result<bool> holds_at(const BoundLaw& law, std::span<const uint32_t> values, Evaluator& evaluator);

}  // namespace vyre::algebra
