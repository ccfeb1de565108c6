// Oracles: where an expected value may come from, in the order of their strength.
//
// Every test, every case of a certification and every row of a corpus names one of these. The strongest that
// applies is the one to take, and the order of the enumerators is that order: a law speaks of every input, a
// row was decided by a person, the interpreter and the reference functions are definitions of their own, a
// theorem speaks of compositions, a corpus of its few inputs, and a property pins no value down. A regression
// is weaker than all: its values were recorded from what this project's code gave, so it shows that something
// has changed and not that it is right; tests have such, certifications never. The names are written into
// certificates and never change. Source: oracles, "The hierarchy, in full".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace vyre::spec {

enum class Oracle : uint8_t {
  Law,
  SpecificationTable,
  ReferenceInterpreter,
  CpuReference,
  CompositionTheorem,
  ExternalCorpus,
  Property,
  Regression,
};
inline constexpr std::array<std::string_view, 8> kOracleNames = {"law",
                                                                 "specification table",
                                                                 "reference interpreter",
                                                                 "cpu reference function",
                                                                 "composition theorem",
                                                                 "external corpus",
                                                                 "property",
                                                                 "regression"};
constexpr std::string_view text(Oracle oracle) { return kOracleNames[static_cast<size_t>(oracle)]; }

/// The oracle of that name, in text()'s words.
constexpr std::optional<Oracle> find_oracle(std::string_view name) {
  for (size_t i = 0; i < kOracleNames.size(); ++i) {
    if (kOracleNames[i] == name) return static_cast<Oracle>(i);
  }
  return std::nullopt;
}

}  // namespace vyre::spec
