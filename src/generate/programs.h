// Random programs that every backend must agree on.
//
// Program (seed, index) is well-typed, terminates soon, and has no data race by construction, so its bytes
// are the same on every backend; check() accepts all of them. It uses every statement and expression kind,
// every operator at every type, every cast, vectors, tensors, calls, loops, early returns, barriers under
// uniform control, workgroup memory, atomics, and on purpose what goes wrong elsewhere: out-of-bounds
// accesses, empty buffers, shifts of the width and more, division by zero, MIN / -1, the odd bit patterns of
// floats.
//
// How races are kept out. Each buffer has a discipline:
//   read, uniform (rN, uN, dN)  every invocation reads any element. dN holds the dimensions of tensors.
//   own  (oN)     an invocation touches only elements own + k * total, own being its number in the
//                 dispatch, or of a tensor those with the coordinate own; any access and any atomic is
//                 allowed, since no other invocation touches them.
//   sum  (aN)     atomics of one commutative operator, at any index, results never used.
//   private (pN)  each invocation's own; any access.
//   shared (wN, gN)  workgroup memory, or a workgroup's own region of a storage buffer. In each phase,
//                 all may read, or each invocation has one slot (a permutation of the local numbers), or (gN)
//                 all apply one commutative atomic; a phase ends at a barrier.
// An index with its high bits set is out of bounds in every invocation, and so no access at all. The element
// is the location, so this holds for 16-bit elements as well.
//
// Source: docs/generate.md, "Random programs"; semantics, "Memory" (data race), "Uniformity".
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "generate/choices.h"
#include "ir/ir.h"
#include "layout/dispatch.h"
#include "spec/operation.h"

namespace vyre::generate {

struct ProgramOptions {
  /// What calls may name; null: no calls. Must outlive the generator.
  const spec::OpTable* ops = nullptr;
  uint32_t max_nodes = 400;        // statements and expressions of the program; at least 16
  uint32_t max_expr_nodes = 40;    // of one expression; at least 1
  uint32_t max_nesting = 5;        // of blocks
  uint32_t max_invocations = 512;  // of the dispatch
  uint32_t max_steps = 30'000;     // a bound on evaluated statements and expressions, roughly kept
  bool barriers = true;
  bool atomics = true;
  /// Lanes of a subgroup, a power of two up to 128: then programs call operations of category C. 0: none
  /// does.
  uint32_t subgroup_size = 0;
  /// Every program has one race, which ProgramCase::race names.
  bool racy = false;
  /// Programs have private arrays, ask for group counts and unroll loops. Without it the draws are those of
  /// before there were such: certificates rest on them.
  bool additions = false;

  /// Many small programs: for millions of runs. From here on a fault is found sooner by another program than
  /// by a larger one.
  static ProgramOptions small(const spec::OpTable* ops) {
    return {.ops = ops,
            .max_nodes = 32,
            .max_expr_nodes = 16,
            .max_nesting = 3,
            .max_invocations = 24,
            .max_steps = 2'000};
  }
};

/// Two accesses of one element by different invocations that nothing orders; at least one writes.
struct Race {
  uint32_t buffer = 0;             // index into Program::buffers
  uint32_t element = 0;            // of a workgroup buffer: of that of workgroup 0
  uint32_t first = 0, second = 0;  // the invocations, by their linear number in the dispatch, x fastest
  bool operator==(const Race&) const = default;
};

struct ProgramCase;
/// Judges what a run of a case left in its buffers, where more than one outcome is allowed.
/// Return  why it is none of those; empty where it is one.
using Outcome = std::string (*)(const ProgramCase& c, std::span<const Bytes> after);

/// A program with an input: one buffer a bound buffer, in the order of check::Checked::bound_buffers().
struct ProgramCase {
  ir::Program program;
  std::vector<Bytes> buffers;
  layout::Groups groups;
  std::optional<Race> race = std::nullopt;
  Outcome outcome = nullptr;  // none: the bytes are the same in every run
  bool approximate = false;   // or they are not, and results are right within tolerances (verify/sums.h)
};

class ProgramWriter;

/// Makes one program after another, with the memory of the last. Not for two threads at once.
class ProgramGenerator {
 public:
  explicit ProgramGenerator(const ProgramOptions& options);
  ~ProgramGenerator();
  /// Program `index` of the sequence `seed`, into `out`, whose memory is used again. Cost: microseconds for a
  /// small one.
  void make(uint64_t seed, uint64_t index, ProgramCase& out);
  void make(Choices& choices, ProgramCase& out);

 private:
  std::unique_ptr<ProgramWriter> writer_;
};

/// One program from a generator of its own.
ProgramCase random_program(uint64_t seed, uint64_t index, const ProgramOptions& options);
ProgramCase random_program(Choices& choices, const ProgramOptions& options);

/// Makes a failing case smaller while `fails` says that it still fails: drops statements, replaces ifs and
/// loops by their bodies, expressions by operands or literals, shrinks groups and buffers. Every candidate is
/// checked and keeps the disciplines above, so that no race creeps in, and what is bound fits its tensors.
/// Deterministic. Cost  at most max_evaluations calls of `fails`.
using ProgramFails = std::function<bool(const ProgramCase&)>;
ProgramCase shrink_program(ProgramCase failing, const spec::OpTable& ops, const ProgramFails& fails,
                           size_t max_evaluations = 3'000);

}  // namespace vyre::generate
