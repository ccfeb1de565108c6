// Uniformity: what is the same in every invocation of a workgroup.
//
// The rules are those of semantics, "Uniformity", on kernels instead of programs: literals, lengths,
// workgroup ids, loads from read and uniform buffers at uniform indices, operators of uniform values; a slot
// if every Set is of a uniform value and stands under uniform control; a loop variable if both bounds are
// uniform. Control is uniform under uniform conditions, along the flow, until a return under control that is
// not; a loop's back edge counts. Facts only ever become false, each at most once, so the cost is linear.
//
// A backend that runs a workgroup in regions needs it: uniform control runs once for all invocations, and
// every barrier of a kernel made by build() or legalize() stands in uniform control.
#pragma once

#include <vector>

#include "lower/kernel.h"

namespace vyre::lower {

struct Uniformity {
  /// By Value: all invocations that execute this instruction in one iteration of the loops around it get the
  /// same result. For an If: of its condition; for a Loop: of its bounds, so of its variable.
  std::vector<bool> values;
  /// By Slot: all invocations find the same value.
  std::vector<bool> slots;
  /// By Value: all live invocations of the workgroup reach this instruction together.
  std::vector<bool> control;

  bool value(Value v) const { return values[index(v)]; }
  bool slot(Slot s) const { return slots[index(s)]; }
  bool reached_together(Value v) const { return control[index(v)]; }
};

/// Domain: semantic and legal kernels alike.
Uniformity uniformity(const Kernel& kernel);

}  // namespace vyre::lower
