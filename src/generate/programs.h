// Random programs that every backend must agree on.
//
// Program (seed, index) is well-typed, terminates soon, and has no data race by construction, so its bytes
// are the same on every backend; check() accepts all of them. It uses every statement and expression kind,
// every operator, casts, calls, loops, early returns, barriers under uniform control, workgroup memory,
// atomics, and on purpose what goes wrong elsewhere: out-of-bounds accesses, empty buffers, shifts of 32 and
// more, division by zero, MIN / -1.
//
// How races are kept out. Each buffer has a discipline:
//   read, uniform        anyone reads anything.
//   own  (oN)            an invocation touches only elements own + k * total, own being its number in the
//   dispatch;
//                        any access and any atomic goes, since nobody else comes near.
//   sum  (aN)            atomics of one commutative operator, at any index, results never used.
//   shared (wN, gN)      workgroup memory, or a workgroup's own region of a storage buffer. In each phase,
//   all may
//                        read, or each invocation has one slot (a permutation of the local numbers), or (gN)
//                        all apply one commutative atomic; a phase ends at a barrier.
// An index with its high bits set is out of bounds whoever computes it, and so no access at all.
//
// The choices come from a Choices, which is Philox for (seed, index) and the bytes of a fuzzer's input in
// fuzz/. Source: issue list of the spec: "GeneratedProgram"; semantics, "Memory" (data race), "Uniformity".
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/random.h"
#include "ir/ir.h"
#include "layout/dispatch.h"
#include "spec/operation.h"

namespace vyre::generate {

struct ProgramOptions {
  /// What calls may name; null: no calls. Must outlive nothing: programs hold names only.
  const spec::OpTable* ops = nullptr;
  uint32_t max_statements = 40;
  uint32_t max_nesting = 5;
  uint32_t max_depth = 5;          // of expressions; at least 1
  uint32_t max_invocations = 512;  // of the dispatch
  uint32_t max_steps = 30'000;     // a bound on evaluated statements and expressions, roughly kept
  bool barriers = true;
  bool atomics = true;
};

/// A program with an input: one buffer a bound buffer, in the order of check::Checked::bound_buffers().
struct ProgramCase {
  ir::Program program;
  std::vector<Bytes> buffers;
  layout::Groups groups;
};

/// A source of decisions. 0 always means the simplest one, so that an exhausted source ends the program.
class Choices {
 public:
  virtual ~Choices() = default;
  virtual uint32_t next() = 0;
  /// In [0, bound), bound > 0.
  uint32_t below(uint32_t bound) { return uint32_t((uint64_t(next()) * bound) >> 32); }
  /// True one time in n.
  bool chance(uint32_t n) { return below(n) == n - 1; }
};

class RandomChoices final : public Choices {
 public:
  RandomChoices(uint64_t seed, uint64_t index) : stream_(seed, index) {}
  uint32_t next() override { return stream_.next(); }

 private:
  RandomStream stream_;
};

/// The bytes of an input as decisions, then zeros.
class ByteChoices final : public Choices {
 public:
  explicit ByteChoices(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  uint32_t next() override;

 private:
  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
};

/// Program `index` of the sequence `seed`.
ProgramCase random_program(uint64_t seed, uint64_t index, const ProgramOptions& options);
ProgramCase random_program(Choices& choices, const ProgramOptions& options);

/// How many of each kind a set of programs has; what is never generated is never tested, so runs print this.
class ProgramCoverage {
 public:
  void add(const ir::Program& program);
  void add(const ProgramCoverage& other);
  uint64_t programs() const { return programs_; }
  uint64_t count(ir::NodeKind kind) const { return nodes_[size_t(kind)]; }
  uint64_t count(ir::ExprKind kind) const { return exprs_[size_t(kind)]; }
  uint64_t count(spec::Op op) const { return ops_[size_t(op)]; }
  /// A few lines for people; kinds that never came up are named as missing.
  std::string print() const;

 private:
  uint64_t programs_ = 0;
  std::array<uint64_t, ir::kNodeKindCount> nodes_{};
  std::array<uint64_t, ir::kExprKindCount> exprs_{};
  std::array<uint64_t, spec::kOpCount> ops_{};
};

/// Makes a failing case smaller while `fails` says that it still fails: drops statements, replaces ifs and
/// loops by their bodies, expressions by operands or literals, shrinks groups and buffers. Every candidate is
/// checked and keeps the disciplines above, so that no race creeps in. Deterministic. Cost  at most
/// max_evaluations calls of `fails`.
using ProgramFails = std::function<bool(const ProgramCase&)>;
ProgramCase shrink_program(ProgramCase failing, const spec::OpTable& ops, const ProgramFails& fails,
                           size_t max_evaluations = 3'000);

}  // namespace vyre::generate
