// Engines as subjects of a certificate: the promises of each one of the library, and generated engines.
//
// A promise has as many cases as the plan says, each judged by the rule of its invariant (verify/engine.h).
// What breaks one is made smaller and reported with the stage that did it. Generated engines are random
// chains of pieces of the library (generate/generated_engine.h), all of one subject: of each the bytes are
// compared with those of the composed references, and its promises are judged as those of the others.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "verify/engine.h"
#include "verify/token.h"

namespace vyre::verify {

/// The subject of all generated engines.
inline constexpr std::string_view kGeneratedEngines = "engine.generated";

/// What the strategy of a token says of a case of an engine: "Ordered", "Ordered-n5" (of size 5); of a
/// generated engine with its number, and the stages that are left: "Ordered-17", "cases-17-k0.2.3-n5".
struct EngineStrategy {
  std::optional<library::Invariant> invariant;  // none: "cases", all bytes
  std::optional<uint64_t> engine;
  std::optional<std::vector<uint32_t>> stages;
  std::optional<uint32_t> size;
};
std::string print(const EngineStrategy& strategy);
std::optional<EngineStrategy> parse_engine_strategy(std::string_view text);

/// Judges promises of an engine, all or those of some of their leaves. The verdict has them, failures, leaves
/// of the oracle Property, one a promise, and the counts of runs alone.
Verdict check_promises(backend::Backend& backend, const library::Engine& engine, const EnginePlan& plan,
                       uint64_t seed, const Monitor& monitor,
                       std::optional<std::span<const Leaf>> some = std::nullopt);

/// The digest of the texts of so many of them.
std::string generated_digest(uint64_t seed, uint64_t engines);
inline constexpr uint64_t kChainsAUnit = 20;
size_t generated_units(const EnginePlan& plan);
/// The verdict on a unit of generated engines. Its leaves are two: of all bytes, and, of the oracle Property,
/// of all promises.
Verdict check_generated_unit(backend::Backend& backend, const EnginePlan& plan, size_t unit, uint64_t seed,
                             const Monitor& monitor);
/// How many promises generated engines of a plan make: cases of each invariant.
std::map<library::Invariant, uint64_t> generated_promises(const EnginePlan& plan, uint64_t seed);

/// The engine that a token names, of the library or generated, and its case. None for another token.
struct EngineCase {
  EngineModel model;
  EngineStrategy strategy;
  bool thorough = false;  // as EngineJudge::judge() has it
  opspec::Buffers input(const EngineJudge& judge, const Token& token) const;
};
std::optional<EngineCase> engine_case_of(const Token& token);

}  // namespace vyre::verify
