// Kernels as terms: what a kernel of legalization stores, in semantic or in raw instructions.
//
// Semantic instructions mean what symbolic/operators.h says; raw ones have a table here, each with its
// domain. Reading the same kernel before and after legalize() and asking whether the two Readings are one is
// to prove the rules that were used: for all operands, and without any raw operator outside its domain,
// whether its result is used or not. Kernels of words that run once from top to bottom can be read: ifs are
// taken both ways, loops whose bounds are numbers are unrolled. Of a loop whose count depends on the operands
// one turn is read, and a theorem says where many turns lead (symbolic/long_division.h).
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "lower/kernel.h"
#include "symbolic/reading.h"

namespace vyre::symbolic {

/// The bound buffers of a kernel, by the number under which they are bound.
std::vector<Memory::Buffer> buffers_of(const lower::Kernel& kernel);

/// A loop that runs from 0 to a count that is no number: one turn of it, for any state in which it may begin.
/// Shape  all but count and index: one term a slot that the body sets, in the order of slots.
struct LoopTurn {
  smt::Term path;                 // the condition under which the code gets to the loop
  smt::Term count, index;         // turns, 32 bits; the number of this one, a variable
  std::vector<smt::Term> before;  // when the loop begins
  std::vector<smt::Term> held;    // when the turn begins: variables
  std::vector<smt::Term> made;    // when it ends
};

/// What such a loop leaves in its slots, by a theorem on loops whose premises are owed as obligations.
class LoopTheorem {
 public:
  virtual ~LoopTheorem() = default;
  /// What is true of the slots whenever a turn begins; `made` is not known yet. Obligations of the body are
  /// owed under it.
  virtual smt::Term invariant(smt::Pool& pool, const LoopTurn& turn) = 0;
  /// The slots after the loop, and the premises under which they are so. None: the theorem is not about such
  /// a loop.
  virtual std::optional<std::vector<smt::Term>> conclusion(smt::Pool& pool, const LoopTurn& turn,
                                                           std::vector<Obligation>& premises) = 0;
};

/// One invocation. The ids are variables, any numbers: "invocation_id.x". `theorem`, or null, is asked about
/// loops whose bounds are not numbers.
///
/// Domain  memory has buffers_of(kernel).
/// Errors  why it cannot: floats, atomics, barriers, subgroups, workgroup memory, 16-bit elements, a loop
///         whose bounds are not numbers and that no theorem is about.
std::expected<Reading, std::string> read(smt::Pool& pool, Memory& memory, const lower::Kernel& kernel,
                                         LoopTheorem* theorem = nullptr);

/// One raw operator on integers.
struct RawMeaning {
  smt::Term value, domain;  // 32 bits, 64 where it gives a long value; a truth
};
/// Domain: not info(op).is_float. Shape  operands: 32 bits each, long ones 64, as many as it has.
RawMeaning encode(smt::Pool& pool, lower::RawOp op, std::span<const smt::Term> operands);

}  // namespace vyre::symbolic
