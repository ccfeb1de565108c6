// Admission: the gates that an operation passes before it enters the registry.
//
// Every caller relies on an operation, so it is checked once, before it enters the registry: is it a
// composition that is inlined away or one instruction of the hardware (gate 1), is its signature true (2),
// does nothing of it remain at run time (3), is its reference function deterministic (4), and neither empty
// nor constant (5), and is there anything to hold it to (6)? A candidate is judged by all gates that can
// still judge it, and each refusal is one diagnostic with the gate's own code. Source: vyre-conform-spec,
// "Admission Gates", "The Category A+C rule".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "library/library.h"
#include "ops/operation.h"
#include "opspec/opspec.h"
#include "spec/intrinsics.h"

namespace vyre::admit {

enum class Gate : uint8_t { Category, Signature, ZeroOverhead, Deterministic, Observable, Rules };
inline constexpr std::array<std::string_view, 6> kGateNames = {
    "category",     "signature", "zero overhead", "deterministic reference", "observable reference",
    "rules present"};
constexpr std::string_view text(Gate gate) { return kGateNames[static_cast<size_t>(gate)]; }

/// What asks to be admitted. It need not be in the library; what it calls has to be.
struct Candidate {
  const ops::Operation* operation = nullptr;
  /// Category C: the instruction that it is.
  std::optional<spec::Intrinsic> intrinsic = std::nullopt;
  /// How many LLVM instructions the hand-written alternative has; none: none was declared.
  std::optional<uint32_t> hand_written = std::nullopt;
};

/// A candidate for what the library already has: with the alternative that handwritten.def declares.
Candidate candidate_for(const ops::Operation& operation);

/// The instructions of the hand-written alternative to an operation of the library, if one is declared.
std::optional<uint32_t> hand_written(std::string_view id);

/// All gates. Empty: admitted. Errors: C008 to C013 by gate, C016 for oracles that cannot fail.
/// Cost: a compilation by LLVM (0.1 s) and some 10^4 calls of the reference function. Thread: any.
Diagnostics admit(const Candidate& candidate);

/// The same of an operation over buffers: a pipeline over programs that every device runs (gate 1), cases and
/// a reference of its buffers (2), nothing that no run uses (3), a reference that is deterministic (4) and
/// observable (5), rows, a class and laws that can fail (6). Cost: some ten cases and checks of the text.
Diagnostics admit(const library::Entry& entry);
/// The same with other cases and another reference than those of src/opspec; null: there are none.
Diagnostics admit(const library::Entry& entry, const opspec::OperationSpec* judge);

/// Of the text of an operation of the library what is checked of any file: its types and laws, its rows and
/// witnesses, which are run on the definition. Domain: read_operation() takes it, and the library is whole.
Diagnostics check_text(std::string_view text);

// The gates one by one; each appends what it refuses. Those after the second expect that it was passed.
void check_category(const Candidate& candidate, Diagnostics& refusals);
void check_signature(const Candidate& candidate, Diagnostics& refusals);
void check_overhead(const Candidate& candidate, Diagnostics& refusals);
void check_deterministic(const Candidate& candidate, Diagnostics& refusals);
void check_observable(const Candidate& candidate, Diagnostics& refusals);
/// With the registry's policy: a law, four boundary values, a class, eight rows, a formula where nothing
/// loops; and no tautologies.
void check_rules(const Candidate& candidate, Diagnostics& refusals);

/// The instructions of the operation's own code: optimised LLVM IR, without loads, stores and what surrounds
/// it. Errors: what check, legalization or LLVM say.
Result<uint32_t> count_instructions(const ops::Operation& operation);

/// Inputs that an operation is tried on: its rows, boundary values and representatives that have the right
/// number of operands, and random ones of its types.
std::vector<std::vector<uint32_t>> witnesses(const ops::Operation& operation, size_t random);

}  // namespace vyre::admit
