// The reference: what a program means, by evaluation.
//
// It is meant to be read as the definition: one small total function an operator (ref/eval.h), one evaluator
// of statements and expressions with no scheduling in it, and drivers around it that decide in which order
// invocations run. It is slow, single-threaded and obviously right. Source: oracles, "Oracle 3";
// execution-model.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "check/checked.h"
#include "layout/dispatch.h"

namespace vyre::ref {

struct Options {
  /// Give up with B003 (ResourceExceeded) after this many evaluated statements and expressions; 0: never.
  uint64_t max_steps = 0;
  /// Lanes of a subgroup: a power of two up to 128. 0: none declared; a program that calls an operation of
  /// subgroups is then refused (B002).
  uint32_t subgroup_size = 0;
};

/// Whether the program can run with subgroups of this many lanes (0: none declared).
/// Errors  B002 when it calls a subgroup operation and none are declared, B008 when its workgroup is not made
/// of whole
///         subgroups, B003 for a size that is no power of two up to 128.
Result<void> check_subgroups(const check::Checked& program, uint32_t subgroup_size);

/// Runs one dispatch: workgroups in order, invocations of a workgroup in order between barriers.
///
/// Shape   host: one span of whole elements a bound buffer, in the order of Checked::bound_buffers(); written
/// in
///         place.
/// Errors  what layout::bind and check_subgroups refuse; X006 above 64 MiB a buffer; B003 when max_steps are
/// used up.
Result<void> run(const check::Checked& program, std::span<const std::span<std::byte>> host,
                 layout::Groups groups, const Options& options = {});

/// B003: the steps were used up.
Diag out_of_steps(const Options& options);
/// That the reference has room for it. Errors  X006, B003.
Result<void> check_sizes(const check::Checked& program, std::span<const layout::Binding> bindings);

}  // namespace vyre::ref
