// Which inputs a sweep runs over, by their numbers: every one, or ones that are hard.
#pragma once

#include <cstdint>
#include <span>

#include "operation.h"

namespace vyre::sweep {

/// Everything: of one operand all its patterns, of two 16-bit ones all pairs. nullopt where that is more than
/// 2^32.
std::optional<uint64_t> whole(const Operation& operation);
/// Rows first .. first + n - 1 of the whole domain. Shape  columns: one an operand, of n rows.
void fill_whole(const Operation& operation, uint64_t first, std::span<const std::span<uint32_t>> columns);

/// Hard inputs, row k a pure function of the operation, the seed and k: mixed in blocks of 64 rows, uniform
/// bits and specials (a sixteenth each), and the rest such that ties, cancellation, results at the border of
/// the subnormals and at that of overflow come up all the time. Of three operands of 16 bits: in the ways of
/// generate/float_values.h. Of one operand, two of 16 bits, and integers: uniform bits.
void fill_directed(const Operation& operation, uint64_t seed, uint64_t first,
                   std::span<const std::span<uint32_t>> columns);

}  // namespace vyre::sweep
