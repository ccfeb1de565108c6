// Races, statically: which accesses of a program could two invocations make at once?
//
// The program is walked once, for a symbolic invocation: every access gets its index and the
// conditions around it as values (races/race_values.h), and the barrier intervals that it may lie in. Two
// accesses can race only where their invocations share an interval, or stand in different workgroups; whether
// such a pair can meet in one element is a question about numbers. Most pairs are ruled out by linear
// arithmetic; what is left can be asked of a solver as one formula. Where nothing is left the program is free
// of races, for all inputs and all dispatches of its kind: that is a proof, since whatever the walk does not
// know (what others stored, where a loop stands) may be anything. A pair that is left says nothing by itself.
//
// Loops with barriers whose trip counts are known are unrolled, while they are few; of the others an
// arbitrary round and the one after it are walked, which is all that an interval can span where a round
// cannot go by without a barrier. Where it can, because a loop inside may have no round or a condition may
// not hold, an interval may span a round's end, any number of rounds that went by, and a later round's
// beginning: the rounds that go by are walked as what they are, on the ways that meet no barrier. Conditions
// of barriers are the same for the whole workgroup, so an interval also knows which of them held. Loops
// without barriers are one arbitrary round, another for each invocation. Source: semantics, "Memory" (data
// race), "Uniformity"; the two invocations of Betts et al., "GPUVerify" (2012).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/diag.h"
#include "ir/ir.h"
#include "races/race_values.h"
#include "smt/term.h"
#include "spec/operation.h"

namespace vyre::races {

/// The program and what its names stand for, as check made it known.
struct RaceInput {
  const ir::Program& program;
  std::span<const uint32_t> expr_target;  // by ExprId: variable, buffer or callee
  std::span<const uint32_t> node_target;  // by NodeId: variable or buffer
  std::span<const spec::DataType> types;  // by ExprId
  uint32_t variables = 0;
  std::span<const spec::OpDef* const> callees = {};
  /// Loops with barriers are unrolled while they have together, those in others too, at most so many rounds.
  uint32_t most_rounds = 64;
  /// What the arithmetic of the whole analysis may cost: rows of linear systems. A limit that does not depend
  /// on the machine, so that a verdict does not either.
  uint64_t steps = UINT64_MAX;
};

/// A place of the program that accesses a buffer, in one way of getting there.
struct Access {
  uint32_t buffer = 0;
  bool writes = false;
  bool atomic = false;
  Span span;
  std::vector<Value> indices;       // one a dimension
  std::vector<Guard> guards;        // under which it is made
  std::vector<uint32_t> intervals;  // of RaceAnalysis::intervals()
};

/// A barrier interval, one way of getting through it: what holds for an invocation that does.
using Interval = std::vector<Guard>;

/// Two accesses that could meet.
struct OpenPair {
  uint32_t first = 0, second = 0;  // of accesses()
  bool same_workgroup = false;
};

class RaceAnalysis {
 public:
  /// Walks the program and rules out what linear arithmetic can. Cost: quadratic in the accesses, with a
  /// bound beyond which the analysis is not complete.
  explicit RaceAnalysis(const RaceInput& input);

  /// Empty where every pair was looked at; else why the program is too much for it.
  const std::string& incomplete() const { return incomplete_; }
  const std::vector<Access>& accesses() const { return accesses_; }
  const std::vector<OpenPair>& open() const { return open_; }
  size_t pairs() const { return pairs_; }
  /// Axes that no id of the program mentions, neither of an invocation, in the dispatch or in its workgroup,
  /// nor of a workgroup: what is said holds where one workgroup stands along these.
  const std::array<bool, 3>& single() const { return single_; }
  /// Whether a loop was unrolled, so that fewer rounds might make the analysis smaller.
  bool unrolled() const { return unrolled_; }
  uint64_t steps_left() const { return values_.steps_left(); }

  /// Whether the pairs that are open can meet, as a formula. Variables are named local_AXIS_SIDE,
  /// group_AXIS_SIDE, length_BUFFER_a, with _a and _b for the two invocations, and the loads of read-only
  /// memory come with it.
  struct Question {
    smt::Term asked;
    std::vector<RaceFormulas::Loaded> loads;
  };
  Question question(smt::Pool& pool, const OpenPair& pair);

 private:
  friend class RaceWalk;
  bool can_meet(const Access& a, const Access& b, bool same_workgroup, bool same_access,
                const Interval& interval);
  /// Of the intervals that two accesses may share, what holds in each: an empty one where one says nothing.
  std::vector<Interval> shared(const Access& a, const Access& b) const;

  const RaceInput input_;
  RaceValues values_;
  std::vector<Access> accesses_;
  std::vector<OpenPair> open_;
  std::vector<Interval> intervals_;
  bool unrolled_ = false;
  std::array<bool, 3> single_{true, true, true};
  size_t pairs_ = 0;
  std::string incomplete_;
};

}  // namespace vyre::races
