// Races, statically: which accesses of a program could two invocations make at once?
//
// The program is walked once, for an invocation that nobody knows: every access gets its index and the
// conditions around it as values (analyze/race_values.h), and the barrier intervals that it may lie in. Two
// accesses can race only where their invocations share an interval, or stand in different workgroups; whether
// such a pair can meet in one element is a question about numbers. Most pairs are ruled out by linear
// arithmetic; what is left can be asked of a solver as one formula. Where nothing is left the program is free
// of races, for all inputs and all dispatches of its kind: that is a proof, since whatever the walk does not
// know (what others stored, where a loop stands) may be anything. A pair that is left says nothing by itself.
//
// Loops with barriers whose rounds are known are unrolled; of the others an arbitrary round and the one after
// it are walked, which is all that an interval can span where a round cannot go by without a barrier. Loops
// without barriers are one arbitrary round, another for each invocation.
// Source: semantics, "Memory" (data race), "Uniformity"; the two invocations of Betts et al., "GPUVerify"
// (2012).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyze/race_values.h"
#include "base/diag.h"
#include "ir/ir.h"
#include "smt/term.h"
#include "spec/operation.h"

namespace vyre::analyze {

/// The program and what its names stand for, as check made it known.
struct RaceInput {
  const ir::Program& program;
  std::span<const uint32_t> expr_target;  // by ExprId: variable, buffer or callee
  std::span<const uint32_t> node_target;  // by NodeId: variable or buffer
  std::span<const spec::DataType> types;  // by ExprId
  uint32_t variables = 0;
  std::span<const spec::OpDef* const> callees = {};
};

/// A place of the program that accesses a buffer, in one way of getting there.
struct Access {
  uint32_t buffer = 0;
  bool writes = false;
  bool atomic = false;
  Span span;
  std::vector<Value> indices;  // one a dimension
  std::vector<Guard> guards;   // under which it is made
  std::vector<uint32_t> intervals;
};

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
  /// Axes along which the program asks for no id of a workgroup or of an invocation in the dispatch: what is
  /// said holds where one workgroup stands along these.
  const std::array<bool, 3>& single() const { return single_; }

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
  bool can_meet(const Access& a, const Access& b, bool same_workgroup, bool same_access);

  const RaceInput input_;
  RaceValues values_;
  std::vector<Access> accesses_;
  std::vector<OpenPair> open_;
  std::array<bool, 3> single_{true, true, true};
  size_t pairs_ = 0;
  std::string incomplete_;
};

}  // namespace vyre::analyze
