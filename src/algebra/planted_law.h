// Planted-false laws: one false law for each kind of law, and some of floats, with the number of its failures
// known from mathematics.
//
// A checker that is broken, folded away or never run says "holds" of everything. So before it is believed it
// must refute each of these on the subject at hand, with exactly the known count over u8 and the known
// smallest counterexample. Zero failures must not look like not having run. Source: docs/harness.md.
#pragma once

#include <cstdint>
#include <span>

#include "algebra/engine.h"

namespace vyre::algebra {

struct PlantedLaw {
  const ops::Operation* operation;
  spec::Law law;       // false
  uint64_t instances;  // of exhaustive u8
  uint64_t failures;
  std::vector<uint32_t> smallest;  // of floats: what shrinking comes to
  std::string_view proof;          // why the count is what it is
  /// How many words fail when variable `walker` takes each of the 2^32 and the others stand at `others`, of
  /// which it has one for each variable; by the same proof, read full-width.
  size_t walker;
  uint64_t (*walked)(std::span<const uint32_t> others);
  /// Of floats: how many fail over the patterns 0..255, which the device's grid runs through.
  uint64_t pattern_failures = 0;

  bool of_floats() const;
  /// Over tuples of the words 0..255.
  uint64_t failures_on_words() const { return of_floats() ? pattern_failures : failures; }
};

/// One a law kind, in the order of the kinds; then those of floats.
const std::vector<PlantedLaw>& planted_laws();
/// The two parts of these.
std::span<const PlantedLaw> integer_planted_laws();
std::span<const PlantedLaw> float_planted_laws();
/// The small operations that the planted-false laws speak of ("twin.sub"); they have references and
/// compositions. Ids and the family keep an older name, twin, which tokens and certificates have.
const std::vector<ops::Operation>& planted_operations();
const ops::Operation* find_planted_operation(std::string_view id, uint32_t version);
/// The same, for programs that call them.
const spec::OpTable& planted_table();

struct PlantedVerdict {
  const PlantedLaw* planted;
  LawVerdict verdict;
  bool caught;  // refuted, with the known count and counterexample
};
/// Runs exhaustive u8 on every planted-false law, or some of them. Errors: the evaluator's.
Result<std::vector<PlantedVerdict>> check_planted_laws(Evaluator& evaluator,
                                                       std::span<const PlantedLaw> which = planted_laws());

}  // namespace vyre::algebra
