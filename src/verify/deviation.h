// Deviation: how far the answers to an approximate operation are from what the strict one gives.
//
// An approximate operation is a relation: of one input, several results are right. Two patterns of a format
// are as many steps apart as their magnitudes, read as integers, differ, where their signs agree; so a step
// is one ULP within a binade, the greatest number is a step below infinity, and subnormals and zero are steps
// like any other. An answer is right when it is at most the operation's bound of steps from the correctly
// rounded value. Where that is NaN, or an operand is a zero, an infinity or NaN, nothing is approximated: the
// answer is that value.
//
// Judging goes on as for strict operations once each right answer has been replaced by the value it stands
// for: what stays is wrong, and digests of leaves are the same on every backend that keeps the bound. Source:
// vyre-conform-spec, "Approximate track"; docs/spec/floats.md, "Approximate operators".
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "spec/float_format.h"
#include "verify/verdict.h"

namespace vyre::verify {

struct Subject;

/// How many steps two patterns are apart; none where one is NaN, unless both are the same, or their signs
/// differ.
std::optional<uint64_t> steps_between(spec::FloatFormat f, uint32_t a, uint32_t b);

/// Whether an approximate operation gives what the strict one gives: an operand is a zero, an infinity or
/// NaN.
bool is_settled_at(spec::FloatFormat f, uint32_t operand);

/// Replaces each right answer by the value that is wanted, and counts what there was. An answer that is the
/// poison was not written. Of a strict subject: nothing. Shape   columns: operands; wanted, answers: one word
/// a case.
void settle_approximate(const Subject& subject, std::span<const uint32_t* const> columns,
                        std::span<const uint32_t> wanted, std::span<uint32_t> answers, uint32_t poison,
                        Deviations* counted = nullptr);

/// As poison_for() for the subject's results; of an approximate one, whose right results are many, a NaN that
/// no operation gives.
uint32_t poison_of(const Subject& subject, std::span<const uint32_t> wanted, uint64_t seed, uint64_t index);

}  // namespace vyre::verify
