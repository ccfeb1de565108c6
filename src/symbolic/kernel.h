// Kernels as terms: what a kernel of legalization stores, in semantic or in raw instructions.
//
// Semantic instructions mean what symbolic/operators.h says; raw ones have a table here, each with its
// domain. Reading the same kernel before and after legalize() and asking whether the two Readings are one is
// to prove the rules that were used: for all operands, and without any raw operator outside its domain,
// whether its result is used or not. Kernels of words that run once from top to bottom can be read: ifs are
// taken both ways, loops whose bounds are numbers are unrolled.
#pragma once

#include <expected>
#include <string>

#include "lower/kernel.h"
#include "symbolic/reading.h"

namespace vyre::symbolic {

/// The bound buffers of a kernel, by the number under which they are bound.
std::vector<Memory::Buffer> buffers_of(const lower::Kernel& kernel);

/// One invocation. The ids are variables, any numbers: "invocation_id.x".
///
/// Domain  memory has buffers_of(kernel).
/// Errors  why it cannot: floats, atomics, barriers, subgroups, workgroup memory, 16-bit elements, a loop
/// whose
///         bounds are not numbers.
std::expected<Reading, std::string> read(smt::Pool& pool, Memory& memory, const lower::Kernel& kernel);

/// One raw operator on integers.
struct RawMeaning {
  smt::Term value, domain;  // 32 bits; a truth
};
/// Domain: not info(op).is_float. Shape  operands: 32 bits each, as many as it has.
RawMeaning encode(smt::Pool& pool, lower::RawOp op, std::span<const smt::Term> operands);

}  // namespace vyre::symbolic
