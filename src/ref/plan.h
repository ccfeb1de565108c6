// Plans: what a pipeline does, unrolled to a list of dispatches.
//
// The control flow of a pipeline depends on its uniform buffers and on the lengths of its buffers, which are
// known before it begins, and on nothing that a dispatch computes, but for the word that a `repeat` looks at.
// So a pipeline is walked here on the host, where its host expressions are evaluated as any expression is,
// and comes out as steps: dispatches with their buffers and group counts, scratch to be zeroed, and repeats,
// whose body is the same in every turn, since host names are never assigned. Run one after the other over
// memory of the host, or recorded for a device, steps give the same bytes. Steps are handed over in segments,
// so that a loop of millions of dispatches takes no memory for them.
// Source: docs/spec/pipelines.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "check/module.h"
#include "layout/dispatch.h"

namespace vyre::ref {

/// A buffer that a step uses.
struct PlanBuffer {
  enum class Kind : uint8_t {
    Parameter,  // number: of the pipeline's parameters
    Scratch,    // number: the chunk it lies in, offset in bytes
    Words,      // of a list; offset: of the first in Segment::words, in words
  };
  Kind kind{};
  uint32_t number = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

struct PlanStep {
  enum class Kind : uint8_t {
    Dispatch,  // program, buffers in the order of its bound buffers, groups
    Zero,      // buffers: the one to fill with zeros
    Repeat,    // turns, buffers: the one to look at, word; the body is the `count` steps that follow
  };
  Kind kind{};
  uint32_t program = 0;
  layout::Groups groups;
  ir::Range buffers;        // in Segment::buffers
  uint32_t turns = 0;       // at most, and at least one
  uint32_t word = 0;        // which word of the buffer; beyond it is 0
  uint32_t count = 0;       // steps of the body
  uint64_t statements = 0;  // of pipelines that a turn executes, without the turns of repeats in it
  uint32_t pipeline = 0;    // where the step stands: which pipeline,
  uint32_t command = 0;     // and which of its commands
};

struct Segment {
  std::vector<PlanStep> steps;
  std::vector<PlanBuffer> buffers;
  std::vector<uint32_t> words;
  /// Bytes of each chunk of scratch that steps so far use. A chunk keeps its contents from segment to
  /// segment.
  std::vector<uint64_t> chunks;
  /// With PlanOptions::guard_bytes: every place that an array of scratch has had so far.
  std::vector<PlanBuffer> arrays;
  /// The most that arrays of scratch so far had at once, in bytes.
  uint64_t scratch_bytes = 0;

  std::span<const PlanBuffer> of(const PlanStep& step) const {
    return {buffers.data() + step.buffers.first, step.buffers.count};
  }
};

/// How many statements of pipelines a run may still execute.
class Statements {
 public:
  explicit Statements(uint64_t most) : left_(most) {}
  uint64_t left() const { return left_; }
  /// False when they do not suffice.
  bool spend(uint64_t statements) {
    if (statements > left_) return false;
    left_ -= statements;
    return true;
  }

 private:
  uint64_t left_;
};

/// Runs segments, in their order, each to its end.
class PlanRunner {
 public:
  virtual ~PlanRunner() = default;
  /// Every turn of a repeat spends its statements; out_of_statements() when they do not suffice. A word that
  /// is not zero after the last turn is no error.
  virtual Result<void> run(const Segment& segment, Statements& statements) = 0;
};

/// Where a range of scratch begins is a multiple of this, and so can be bound on every device.
inline constexpr uint64_t kScratchAlignment = 256;
/// Statements of pipelines that one run may execute, each turn of a loop counted as one more.
inline constexpr uint64_t kMaxStatements = 16'777'216;

/// What a pipeline is run over: for each parameter how much there is, and what a uniform one holds.
struct PlanParameter {
  uint64_t bytes = 0;
  std::span<const std::byte> uniform;
};

struct PlanOptions {
  uint64_t max_scratch_bytes = UINT64_MAX;  // of one buffer: the reference allows 64 MiB
  size_t segment_steps = 4096;              // a segment ends after so many, outside of repeats
  /// Room before and behind each array of scratch, a multiple of kScratchAlignment, in which nothing else
  /// ever lies: a place is used again only for an array of the same size.
  uint64_t guard_bytes = 0;
  /// Without, scratch begins with anything: for pipelines of which it is known that they write each element
  /// of theirs before they read it.
  bool zero_scratch = true;
};

/// Walks a pipeline and hands its steps over.
///
/// Shape   parameters: one a parameter, in their order; sizes are whole elements.
/// Errors  X001 and X002 of parameters; X005 for group counts that are too many; B003 for scratch that is too
///         large, by its name; B005 after kMaxStatements; shapes of tensor parameters (X007, X011, X012);
///         what the runner answers. What stands before the error has been run.
Result<void> run_plan(const check::CheckedModule& module, uint32_t pipeline,
                      std::span<const PlanParameter> parameters, const PlanOptions& options,
                      PlanRunner& runner);

/// B005: the run executes more statements than one may.
Diag out_of_statements(Span span);

}  // namespace vyre::ref
