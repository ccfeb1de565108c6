// Levels: what a set of verdicts amounts to. Pure functions, so a certificate's levels can be recomputed by
// anyone.
//
// L1 (parity): every selected subject gave the expected bytes in every planned case, answered the same when
// asked again, kept every canary, and the two definitions of each operation agree. L2 (algebraic): L1, and
// every claimed law was verified, exhaustively on u8 and edge256 and witnessed, on the definition and on the
// backend itself, and every denied law was refuted on both. A law with no case run is not verified. Source:
// vyre-conform-spec, "Conformance Levels"; semantics, "Laws and evidence".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "verify/verdict.h"

namespace vyre::certify {

enum class Level : uint8_t { None, L1, L2 };
inline constexpr std::array<std::string_view, 3> kLevelNames = {"none", "L1", "L2"};
constexpr std::string_view text(Level level) { return kLevelNames[static_cast<size_t>(level)]; }
std::optional<Level> find_level(std::string_view name);

/// The least a parity check of an operation must have run, and a witnessed law.
uint64_t parity_cases(verify::Strength strength);
inline constexpr uint64_t kWitnessedCases = 1'000'000;

/// Why a verdict does not support a level; empty when it does.
std::vector<std::string> missing_for_parity(const verify::Verdict& verdict, verify::Strength strength);
std::vector<std::string> missing_for_laws(const verify::Verdict& verdict);

/// Whether everything planned for a law was run and came out as it was claimed or denied.
bool is_settled(const verify::LawVerdict& law);

/// The level of the integer track. None also when no operation was selected, or when some family of IR
/// programs is not among the verdicts: operations are selected, families never are.
Level integer_level(std::span<const verify::Verdict> verdicts, verify::Strength strength,
                    uint32_t registered_families);

/// "integer=L2", "integer=L2(12 of 41)", "integer=none".
std::string level_line(Level level, uint32_t selected_operations, uint32_t registered_operations);

}  // namespace vyre::certify
