// Lifting: a kernel back into a program, with every instruction a `let` of its own, and with probes in it.
//
// The lifted program means what the kernel means, so any backend can run it; that is how one looks inside a
// run on a backend that cannot be stopped. With probes, each invocation numbers the values that it computes
// and keeps a hash of the first of them, up to a place that a uniform buffer names; at its end it writes the
// hash, and the last value it hashed, to a trace. Two backends diverge at the first place at which their
// hashes differ; host/first_difference.h finds it by bisection.
//
// A place is (phase, number). A barrier begins a phase, and so does an operation of subgroups: what one
// invocation computes from what others did is always in a later phase than theirs, so the smallest place at
// which any two traces part is a cause and not an effect. What a store left is a value as well: it is read
// back, which no other invocation can disturb in a program without races.
//
// Names of the kernel's buffers stay, positions in the text too: each statement and expression has the origin
// of its instruction.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/ir.h"
#include "lower/kernel.h"

namespace vyre::lower {

/// The program that a semantic kernel is. Not every one passes check(): inlining may have nested deeper than
/// a program may be. Cost: linear.
ir::Program lift(const Kernel& kernel);

/// The program with every call inlined, where one is of an operation that is not in the library: the decoder
/// of another process or of a plugin has no such operation. None where all are in it.
std::optional<ir::Program> lift_calls_outside_library(const check::Checked& checked);

/// What is watched.
struct Watch {
  /// By Value: whose results are numbered and hashed. A Store stands for what it left, a Loop for its
  /// variable at the beginning of each round.
  std::vector<bool> values;
  /// Instead of hashing: how often this one was computed, up to the place.
  std::optional<Value> counted;
};

/// Words of the uniform buffer that ends the bound buffers but for one.
enum class Control : uint32_t {
  Phase,   // values of earlier phases are hashed
  Number,  // and this many of the phase itself
  // Workgroups that run and leave traces, by number, x fastest; the others return at once.
  FirstGroup,
  GroupCount,
  // Of the dispatch.
  GroupsX,
  GroupsY,
};
inline constexpr uint32_t kControlWords = 6;

/// Words that an invocation leaves in the last bound buffer, workgroup by workgroup, x fastest.
enum class Trace : uint32_t {
  Hash,
  Phase,   // in which it ended
  Most,    // values in one phase, at most
  Caught,  // the last value that was hashed: 1 + the number of its instruction; 0: there is none so far
  Word0,   // its words
  Word1,
  Word2,
  Word3,
};
inline constexpr uint32_t kTraceWords = 8;

/// The lifted program with probes and the two buffers after its own.
ir::Program raise_watched(const Kernel& kernel, const Watch& watch);

/// By Value: what may differ between two right runs of a program without races, since it depends on the order
/// of atomics, and so do the invocations that get there. All false without atomics. Cost: some passes.
std::vector<bool> depends_on_order(const Kernel& kernel);

/// By Value: all that raise_watched can watch.
std::vector<bool> watchable(const Kernel& kernel);

}  // namespace vyre::lower
