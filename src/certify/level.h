// Levels: what a set of verdicts amounts to. Pure functions, so a certificate's levels can be recomputed by
// anyone.
//
// L1 (parity): every selected subject gave the expected bytes in every planned case, answered the same when
// asked again, kept every canary, and the two definitions of each operation agree. L2 (algebraic): L1, and
// every claimed law was verified, exhaustively on u8 and edge256 and witnessed, on the definition and on the
// backend itself, and every denied law was refuted on both. A law with no case run is not verified. L3,
// of the integer track: L2, engines are among the subjects, and every promise of each, generated ones too,
// held in all of its cases. There is a level for each track: L1f and L2f are the same of what has a float in
// its types, and L3f is L2f with operations on tensors among the subjects; a verdict is of one track. L1a, of
// the approximate track, is L1 with "within the bound" in the place of "the expected bytes"; there is nothing
// above it. Operations of files are graded in suite/certify_file.cpp, since no certificate says their level.
// Source: vyre-conform-spec, "Conformance Levels"; semantics, "Laws and evidence".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "verify/verdict.h"

namespace vyre::certify {

enum class Level : uint8_t { None, L1, L2, L3 };
inline constexpr std::array<std::string_view, 4> kLevelNames = {"none", "L1", "L2", "L3"};
constexpr std::string_view text(Level level) { return kLevelNames[static_cast<size_t>(level)]; }
/// "L2", of floats "L2f", of the approximate track "L1a"; "none".
std::string text(verify::Track track, Level level);

/// A level of a track, as people ask for it.
struct Requirement {
  verify::Track track{};
  Level level{};
  bool operator==(const Requirement&) const = default;
};
/// "L1", "L3f", "L1a", "integer=L2", "float=L1f", "approximate=L1a"; nothing for what is no level to reach.
std::optional<Requirement> find_requirement(std::string_view name);

/// The least a parity check of an operation must have run, and a witnessed law.
constexpr uint64_t parity_cases(verify::Strength strength,
                                verify::SubjectKind kind = verify::SubjectKind::Operation) {
  return verify::info(kind).cases[size_t(strength)];
}
inline constexpr uint64_t kWitnessedCases = 1'000'000;

/// Why a verdict does not support a level; empty when it does.
std::vector<std::string> missing_for_parity(const verify::Verdict& verdict, verify::Strength strength);
std::vector<std::string> missing_for_laws(const verify::Verdict& verdict, verify::Strength strength);
std::vector<std::string> missing_for_invariants(const verify::Verdict& verdict);
/// Why a promise of an engine was not kept; empty when it was.
std::vector<std::string> missing_for_promise(const verify::InvariantVerdict& promise);

/// Whether everything planned for a law was run and came out as it was claimed or denied. A law of an
/// operator, "add.u64: Commutative", is witnessed as often as the tier wants cases of an operation; one of an
/// operation over buffers is witnessed alone.
bool is_settled(verify::SubjectKind kind, const verify::LawVerdict& law, verify::Strength strength);

/// The level of a track. None also when none of its operations was selected, or when as many families of IR
/// programs as were selected are not among the verdicts.
Level level_of(verify::Track track, std::span<const verify::Verdict> verdicts, verify::Strength strength,
               uint32_t selected_families);

/// The greatest level that a track has; and of what was judged: there is no L3 without an engine, and no L3f
/// without an operation on tensors.
constexpr Level greatest_level(verify::Track track) {
  switch (track) {
    case verify::Track::Integer: return Level::L3;
    case verify::Track::Float: return Level::L3;
    case verify::Track::Approximate: return Level::L1;
  }
  return Level::None;
}
Level greatest_level(verify::Track track, std::span<const verify::Verdict> verdicts);

/// How many of those that are registered were judged.
struct Share {
  uint32_t judged = 0, registered = 0;
};
/// "L2"; "L2(3 of N families)" where families were left out; "none".
std::string level_text(verify::Track track, Level level, Share families);
/// "integer=L2", "float=L2f(12 of N)", "integer=L2(1 of N, 0 of M families)", "integer=none",
/// "approximate=L1a".
std::string level_line(verify::Track track, Level level, Share operations, Share families);

}  // namespace vyre::certify
