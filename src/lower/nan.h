// Canonical NaNs: where a raw NaN must be replaced by the one of vyre.
//
// Arithmetic gives one NaN, but raw float operators promise none in particular, and neither does any
// optimiser: x * 1.0 may be x. So a raw NaN is replaced by a select, but only where its bits can be seen:
// arithmetic takes all NaNs alike, so a chain of it, an accumulator in a loop included, costs nothing until
// its result is stored, bitcast, handed to another invocation, or has its sign changed on the way there.
//
// Of each float value the flow knows one of three things. Clean: no NaN, or the canonical one. Raw: a result
// of arithmetic, any NaN stands for the one. Kept: bits that must stay, from memory, a bitcast or a literal.
// Where a raw value and a kept one merge, in a select or a slot, nothing can distinguish them later, so the
// raw one is made canonical before, if the bits of the merged value are ever seen. Workgroup memory and
// private arrays are such merges too: a sum by halves is made canonical once, at its end. Source: semantics,
// "Floats"; docs/adr/0019.
#pragma once

#include <vector>

#include "lower/rewrite.h"

namespace vyre::lower {

class NanFlow {
 public:
  /// Domain: a semantic kernel, to be legalized for these promises. Cost: some passes; none without floats.
  NanFlow(const Kernel& kernel, const FloatPromises& floats);

  /// Whether an operand must be made canonical before an instruction.
  bool must_canonicalise(Value user, uint32_t operand) const;

  /// Whether raw and kept values merge in a variable that arithmetic reads too. It becomes two: one that
  /// holds what was assigned, raw, for arithmetic; and one of which the bits may be seen. Where a later
  /// assignment or the next time around a loop overtakes that one, any optimiser finds its select unused, so
  /// that an accumulator that begins with a loaded value costs no more than one that begins with a number.
  bool is_split(Slot slot) const { return !split_.empty() && split_[index(slot)]; }
  /// Whether a Get of such a variable is for arithmetic alone. Domain: a Get.
  bool reads_raw(Value get) const { return is_split(Slot{kernel_[get].target}) && !seen_[index(get)]; }

 private:
  enum class Nan : uint8_t { Clean, Raw, Kept };  // merged: the greatest

  /// Whether what is stored is only ever loaded by the kernel itself.
  bool is_internal(uint32_t buffer) const;
  /// A constant that is no NaN.
  bool is_number(Value v) const;
  Nan result(const Inst& inst) const;
  Nan operand(const Inst& inst, uint32_t n) const { return values_[index(kernel_.arg(inst, n))]; }
  bool sees(Value user, uint32_t operand) const;
  void find_values();
  void find_seen();
  void find_split();

  const Kernel& kernel_;
  const FloatPromises& floats_;
  bool any_raw_ = false;
  std::vector<Nan> values_, slots_, arrays_;           // by Value, by Slot, by buffer
  std::vector<bool> seen_, seen_slots_, seen_arrays_;  // whether the bits of a NaN are ever seen
  std::vector<bool> split_;                            // by Slot; empty: none
};

/// The pattern of a float, of a NaN the canonical one.
Value canonical(Rewriter& r, spec::DataType type, Value a);

}  // namespace vyre::lower
