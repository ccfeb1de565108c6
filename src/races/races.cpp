#include "races/races.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "analyze/uniformity.h"
#include "spec/limits.h"
#include "spec/ops.h"

namespace vyre::races {
namespace {

using analyze::Uniformity;
using ir::BlockId;
using ir::ExprId;
using ir::ExprKind;
using ir::NodeKind;
using spec::BufferAccess;
using spec::DataType;
using spec::Op;

constexpr size_t kMostAccesses = 600;  // of a program, unrolled
constexpr size_t kMostPairs = 60'000;
constexpr size_t kMostOpen = 64;  // beyond these nothing is asked any more
constexpr uint32_t kMostStatements = 20'000;

}  // namespace

/// The walk of a program by a symbolic invocation.
class RaceWalk {
 public:
  RaceWalk(const RaceInput& input, RaceAnalysis& out)
      : input_(input),
        code_(input.program.code),
        out_(out),
        values_(out.values_),
        uniformity_({.code = code_,
                     .entry = input.program.entry,
                     .buffers = input.program.buffers,
                     .expr_target = input.expr_target,
                     .node_target = input.node_target,
                     .variables = input.variables,
                     .callees = input.callees}),
        variables_(input.variables, kUnset) {}

  void run() {
    mention(input_.program.entry);
    open_ = {new_interval()};
    walk(input_.program.entry);
  }

 private:
  /// What was passed to get here holds for every invocation in it.
  uint32_t new_interval() {
    out_.intervals_.push_back(guards_);
    return uint32_t(out_.intervals_.size() - 1);
  }
  bool too_much() {
    if (out_.accesses_.size() > kMostAccesses || ++statements_ > kMostStatements)
      out_.incomplete_ = "the program, with its loops unrolled, has too many accesses";
    return !out_.incomplete_.empty();
  }
  Scope scope_of(uint32_t variable) const {
    return uniformity_.is_uniform(variable) && !goes_by_ ? Scope::Workgroup : Scope::Invocation;
  }

  /// Which axes the ids of the program are along.
  void mention(BlockId block) {
    for (const ir::NodeId id : code_.block(block)) {
      const ir::Node node = code_[id];
      for (const ExprId e : code_.args(node)) mention(e);
      if (node.body != ir::kNoBlock) mention(node.body);
      if (node.orelse != ir::kNoBlock) mention(node.orelse);
    }
  }
  void mention(ExprId id) {
    const ir::Expr& e = code_[id];
    const bool is_id =
        e.kind == ExprKind::InvocationId || e.kind == ExprKind::WorkgroupId || e.kind == ExprKind::LocalId;
    if (is_id) out_.single_[e.immediate] = false;
    for (const ExprId arg : code_.args(e)) mention(arg);
  }

  void record(uint32_t buffer, bool writes, bool atomic, Span span, std::vector<Value> indices) {
    const ir::BufferDecl& decl = input_.program.buffers[buffer];
    if (!spec::is_written_by_others(decl.access) || !records_) return;
    // Under a condition that never holds it is no access.
    for (const Guard& g : guards_) {
      const auto known = values_.constant_of(g.condition);
      if (known && (*known != 0) != g.holds) return;
    }
    out_.accesses_.push_back({buffer, writes, atomic, span, std::move(indices), guards_, open_});
  }

  // --- Expressions, in the order of their evaluation

  /// One number an axis, whichever it is.
  Value num_workgroups(uint32_t axis) {
    std::optional<Value>& known = num_workgroups_[axis];
    if (!known) known = values_.unknown(DataType::U32, Scope::Dispatch, 1, spec::kMaxGroupsPerAxis);
    return *known;
  }

  Value evaluate(ExprId id) {
    const ir::Expr& e = code_[id];
    const uint32_t target = input_.expr_target[ir::index(id)];
    const DataType type = input_.types[ir::index(id)];
    switch (e.kind) {
      case ExprKind::Literal: {
        const bool word = type == DataType::U32 || type == DataType::I32 || type == DataType::Bool;
        // Of a wider literal nothing is computed; that it is the same everywhere is enough.
        return word ? values_.constant(e.immediate, type) : values_.unknown(type, Scope::Dispatch);
      }
      case ExprKind::Var: return variables_[target];
      case ExprKind::BufLen: {
        const ir::BufferDecl& decl = input_.program.buffers[target];
        return spec::is_bound(decl.access) ? values_.length(target) : values_.constant(decl.count);
      }
      case ExprKind::InvocationId: return values_.invocation(e.immediate);
      case ExprKind::WorkgroupId: return values_.workgroup(e.immediate);
      case ExprKind::LocalId: return values_.local(e.immediate);
      case ExprKind::NumWorkgroups: return num_workgroups(e.immediate);
      case ExprKind::Load: {
        std::vector<Value> indices = operands(code_.args(e));
        const ir::BufferDecl& decl = input_.program.buffers[target];
        if (decl.access == BufferAccess::Read || decl.access == BufferAccess::Uniform)
          return values_.load(target, type, indices);
        record(target, false, false, code_.span(id), std::move(indices));
        return values_.unknown(type, Scope::Invocation);
      }
      case ExprKind::Apply: return apply(id, e, target, type);
    }
    return values_.unknown(type, Scope::Invocation);
  }

  std::vector<Value> operands(std::span<const ExprId> ids) {
    std::vector<Value> out;
    for (const ExprId id : ids) out.push_back(evaluate(id));
    return out;
  }

  Value apply(ExprId id, const ir::Expr& e, uint32_t target, DataType type) {
    const std::vector<Value> args = operands(code_.args(e));
    if (spec::is_atomic(e.op)) {
      record(target, true, true, code_.span(id), {args[0]});
      return values_.unknown(type, Scope::Invocation);
    }
    if (spec::is_reduction(e.op)) {
      // It reads whatever elements there are.
      record(target, false, false, code_.span(id), {values_.unknown(DataType::U32, Scope::Invocation)});
      return values_.unknown(type, Scope::Invocation);
    }
    // Another invocation, or another place in the text, may get another number within the bound.
    if (spec::is_approximate(e.op)) return values_.unknown(type, Scope::Invocation);
    if (e.op == Op::Call) {
      // A lane's answer is no function of its operands alone.
      if (target >= input_.callees.size() || input_.callees[target]->intrinsic)
        return values_.unknown(type, Scope::Invocation);
      return values_.apply(e.op, type, args, target);
    }
    const bool typed = e.op == Op::Cast || e.op == Op::Component;
    const uint32_t number = e.op == Op::Cast ? uint32_t(e.mode) : e.immediate;
    return values_.apply(e.op, type, args, typed ? number : 0);
  }

  // --- Statements

  /// Whether control never leaves the block at its end.
  bool walk(BlockId block) {
    for (const ir::NodeId id : code_.block(block)) {
      if (too_much()) return false;
      if (walk(id)) return true;
    }
    return false;
  }

  bool walk(ir::NodeId id) {
    const ir::Node node = code_[id];
    const uint32_t target = input_.node_target[ir::index(id)];
    switch (node.kind) {
      case NodeKind::Let:
      case NodeKind::Assign: variables_[target] = evaluate(code_.arg(node, 0)); return false;
      case NodeKind::Store: {
        std::vector<Value> all = operands(code_.args(node));
        all.pop_back();
        record(target, true, false, code_.span(id), std::move(all));
        return false;
      }
      case NodeKind::If: return walk_if(node);
      case NodeKind::Loop: return walk_loop(node, target);
      case NodeKind::Return: return true;
      case NodeKind::Block: return walk(node.body);
      case NodeKind::Barrier:
        if (goes_by_) return true;  // an invocation that comes here does not go by
        open_ = {new_interval()};
        return false;
    }
    return false;
  }

  bool walk_if(const ir::Node& node) {
    const Value condition = evaluate(code_.arg(node, 0));
    const std::vector<Value> before = variables_;
    const std::vector<uint32_t> before_open = open_;
    const size_t depth = guards_.size();
    const auto known = values_.constant_of(condition);
    const auto branch = [&](BlockId body, bool holds) {
      if (known && (*known != 0) != holds) return true;  // no invocation goes there
      if (body == ir::kNoBlock) return false;
      guards_.push_back({condition, holds});
      const bool ended = walk(body);
      guards_.resize(depth);
      return ended;
    };
    const bool then_ended = branch(node.body, true);
    std::vector<Value> then_variables = std::exchange(variables_, before);
    std::vector<uint32_t> then_open = std::exchange(open_, before_open);
    const bool else_ended = branch(node.orelse, false);
    if (then_ended && else_ended) return true;
    if (then_ended || else_ended) {
      if (else_ended) {
        variables_ = std::move(then_variables);
        open_ = std::move(then_open);
      }
      // The invocations that go on are those that did not take the branch that ended: to the end of this
      // block and of those around it, since the guard is not taken back there.
      if (!known) guards_.push_back({condition, else_ended});
      return false;
    }
    for (size_t v = 0; v < variables_.size(); ++v) {
      if (variables_[v] == then_variables[v]) continue;
      const Value both[] = {condition, then_variables[v], variables_[v]};
      variables_[v] = is_set(then_variables[v]) && is_set(variables_[v])
                          ? values_.apply(Op::Select, values_[variables_[v]].type, both)
                          : kUnset;
    }
    // An invocation that goes on without a barrier is one that did not take the branch that has one.
    if (!known && then_open != open_) {
      if (open_ == before_open) open_ = doubled(open_, Guard{condition, false});
      if (then_open == before_open) then_open = doubled(then_open, Guard{condition, true});
    }
    add(open_, then_open);
    return false;
  }

  /// Forgets what a loop's rounds may have changed.
  void forget(const std::set<uint32_t>& assigned, Scope at_least) {
    for (const uint32_t v : assigned) {
      if (!is_set(variables_[v])) continue;
      const DataType type = values_[variables_[v]].type;
      variables_[v] = values_.unknown(type, std::max(scope_of(v), at_least));
    }
  }
  void in_loop(uint32_t counter, Value from, Value k, Value to) {
    variables_[counter] = k;
    const Value low[] = {from, k}, high[] = {k, to};
    guards_.push_back({values_.apply(Op::Le, DataType::U32, low)});
    guards_.push_back({values_.apply(Op::Lt, DataType::U32, high)});
  }

  /// Whether control never goes on behind it.
  bool walk_loop(const ir::Node& node, uint32_t counter) {
    const Value from = evaluate(code_.arg(node, 0)), to = evaluate(code_.arg(node, 1));
    const size_t depth = guards_.size();
    const bool barriers = has_barrier(node.body);
    const auto first = values_.constant_of(from), end = values_.constant_of(to);
    if (first && end && *first >= *end) return false;
    if (barriers && !goes_by_ && first && end && uint64_t{*end - *first} * rounds_ <= input_.most_rounds) {
      out_.unrolled_ = true;
      const uint64_t outer = std::exchange(rounds_, rounds_ * (*end - *first));
      for (uint32_t k = *first; k < *end; ++k) {
        variables_[counter] = values_.constant(k);
        const bool ended = walk(node.body);
        if (ended || too_much()) break;
      }
      rounds_ = outer;
      guards_.resize(depth);
      return false;
    }
    const uint64_t least = values_.form(from).least > 0 ? uint64_t(values_.form(from).least) : 0;
    const uint64_t most = uint64_t(std::max<int64_t>(values_.form(to).most - 1, int64_t(least)));
    const auto a_round = [&](Scope scope) {
      return values_.unknown(DataType::U32, scope, uint32_t(least), uint32_t(most));
    };
    std::set<uint32_t> assigned;
    collect_assigned(node.body, assigned);
    const Value has_rounds[] = {from, to};
    const Guard runs = {values_.apply(Op::Lt, DataType::U32, has_rounds)}, runs_not = {runs.condition, false};
    // A round of which each invocation is in its own.
    const auto any_round = [&] {
      const bool outer = std::exchange(goes_by_, true);
      forget(assigned, Scope::Invocation);
      in_loop(counter, from, a_round(Scope::Invocation), to);
      const bool ended = walk(node.body);
      goes_by_ = outer;
      return ended || contradict(guards_);
    };
    if (!barriers) {
      any_round();
      guards_.resize(depth);
      forget(assigned, Scope::Workgroup);
      return false;
    }
    // Does every round meet a barrier?
    const auto variables = variables_;
    const bool recorded = std::exchange(records_, false);
    const bool meets = any_round();
    records_ = recorded;
    variables_ = variables;
    guards_.resize(depth);
    if (goes_by_) {
      if (meets) {  // only who runs no round of it goes by
        guards_.push_back(runs_not);
        return contradict(guards_);
      }
      any_round();
      guards_.resize(depth);
      forget(assigned, Scope::Invocation);
      return false;
    }
    const std::vector<uint32_t> before = open_;
    const Value k = a_round(Scope::Workgroup);
    const Value next = [&] {
      const Value one_more[] = {k, values_.constant(1)};
      return meets ? values_.apply(Op::Add, DataType::U32, one_more) : a_round(Scope::Workgroup);
    }();
    const Value last_one[] = {next, to}, first_one[] = {k, from}, later[] = {k, next};
    const std::vector<uint32_t> without = meets ? doubled(before, runs_not) : doubled(before);
    if (meets) open_ = doubled(before, Guard{values_.apply(Op::Eq, DataType::U32, first_one)});
    forget(assigned, Scope::Workgroup);
    in_loop(counter, from, k, to);
    walk(node.body);
    guards_.resize(depth);
    const std::vector<uint32_t> tail = open_;
    // No other round follows that meets a barrier.
    const std::vector<uint32_t> last =
        meets ? doubled(tail, Guard{values_.apply(Op::Ge, DataType::U32, last_one)}) : doubled(tail);
    if (!meets) {
      // Rounds that go by, in whatever interval the ones around them leave open.
      for (const auto* more : {&before, &without, &last}) add(open_, *more);
      any_round();
      guards_.resize(depth);
      open_ = tail;
    }
    forget(assigned, Scope::Workgroup);
    if (!meets) guards_.push_back({values_.apply(Op::Lt, DataType::U32, later)});
    in_loop(counter, from, next, to);
    walk(node.body);
    guards_.resize(depth);
    open_ = without;
    add(open_, last);
    forget(assigned, Scope::Workgroup);
    return false;
  }

  /// Whether no invocation is where all of these hold.
  bool contradict(std::span<const Guard> guards) {
    RaceSystem system(values_, true);
    for (const Guard& guard : guards) system.require(guard, Side::First);
    return system.is_impossible();
  }
  static void add(std::vector<uint32_t>& to, const std::vector<uint32_t>& more) {
    for (const uint32_t interval : more) {
      if (std::ranges::find(to, interval) == to.end()) to.push_back(interval);
    }
  }

  /// Intervals that begin as these did, for another way to go on from there, of which something more may be
  /// known.
  std::vector<uint32_t> doubled(const std::vector<uint32_t>& intervals, std::optional<Guard> known = {}) {
    std::vector<uint32_t> out;
    for (const uint32_t interval : intervals) {
      Interval more = out_.intervals_[interval];
      if (known) more.push_back(*known);
      out.push_back(uint32_t(out_.intervals_.size()));
      out_.intervals_.push_back(std::move(more));
      for (Access& access : out_.accesses_) {
        if (std::ranges::find(access.intervals, interval) != access.intervals.end())
          access.intervals.push_back(out.back());
      }
    }
    return out;
  }

  bool has_barrier(BlockId block) const {
    for (const ir::NodeId id : code_.block(block)) {
      const ir::Node node = code_[id];
      if (node.kind == NodeKind::Barrier) return true;
      if (node.body != ir::kNoBlock && has_barrier(node.body)) return true;
      if (node.orelse != ir::kNoBlock && has_barrier(node.orelse)) return true;
    }
    return false;
  }
  void collect_assigned(BlockId block, std::set<uint32_t>& out) const {
    for (const ir::NodeId id : code_.block(block)) {
      const ir::Node node = code_[id];
      if (node.kind == NodeKind::Assign) out.insert(input_.node_target[ir::index(id)]);
      if (node.body != ir::kNoBlock) collect_assigned(node.body, out);
      if (node.orelse != ir::kNoBlock) collect_assigned(node.orelse, out);
    }
  }

  static constexpr Value kUnset{UINT32_MAX};
  static bool is_set(Value v) { return v != kUnset; }

  const RaceInput& input_;
  const ir::Code& code_;
  RaceAnalysis& out_;
  RaceValues& values_;
  Uniformity uniformity_;
  std::vector<Value> variables_;
  std::vector<Guard> guards_;
  std::vector<uint32_t> open_;  // the intervals that the next access may lie in
  uint64_t rounds_ = 1;         // of the unrolled loops around
  uint32_t statements_ = 0;
  bool goes_by_ = false;  // in a round that meets no barrier, perhaps another one than others
  bool records_ = true;
  std::array<std::optional<Value>, 3> num_workgroups_;  // by axis, once it was asked for
};

std::vector<Interval> RaceAnalysis::shared(const Access& a, const Access& b) const {
  std::vector<Interval> out;
  for (const uint32_t interval : a.intervals) {
    if (std::ranges::find(b.intervals, interval) == b.intervals.end()) continue;
    if (intervals_[interval].empty()) return {{}};
    out.push_back(intervals_[interval]);
  }
  return out;
}

RaceAnalysis::RaceAnalysis(const RaceInput& input)
    : input_(input), values_(input.program.workgroup_size, input.steps) {
  RaceWalk(input, *this).run();
  const bool one_workgroup = single_[0] && single_[1] && single_[2];
  for (uint32_t i = 0; i < accesses_.size() && incomplete_.empty(); ++i) {
    for (uint32_t j = i; j < accesses_.size(); ++j) {
      const Access &a = accesses_[i], &b = accesses_[j];
      if (a.buffer != b.buffer || !(a.writes || b.writes) || (a.atomic && b.atomic)) continue;
      const std::vector<Interval> intervals = shared(a, b);
      const bool storage = input.program.buffers[a.buffer].access != BufferAccess::Workgroup;
      for (const bool same : {true, false}) {
        if (same ? intervals.empty() : !storage || one_workgroup) continue;
        if (++pairs_ > kMostPairs) {
          incomplete_ = "the program has too many pairs of accesses";
          return;
        }
        const bool meet = same ? std::ranges::any_of(intervals,
                                                     [&](const Interval& interval) {
                                                       return can_meet(a, b, true, i == j, interval);
                                                     })
                               : can_meet(a, b, false, i == j, {});
        if (meet) open_.push_back({i, j, same});
        if (values_.steps_left() == 0) {
          incomplete_ = "the program takes more arithmetic than is spent on one";
          return;
        }
        if (open_.size() > kMostOpen) {
          incomplete_ = "too many pairs of accesses are beyond linear arithmetic";
          return;
        }
      }
    }
  }
}

namespace {

/// An element is in its buffer: what every index has to be below. None where that cannot be said as a value.
std::vector<std::optional<Value>> bounds_of(const ir::Program& program, RaceValues& values, uint32_t buffer) {
  const ir::BufferDecl& decl = program.buffers[buffer];
  const ir::TensorType* tensor = program.tensor(decl);
  if (decl.access == BufferAccess::Workgroup) return {values.constant(decl.count)};
  if (tensor == nullptr) return {values.length(buffer)};
  std::vector<std::optional<Value>> out;
  for (const ir::Dim& dim : tensor->dims) {
    if (!dim.dynamic()) {
      out.push_back(values.constant(dim.size));
      continue;
    }
    const auto named = std::ranges::find(program.buffers, dim.buffer, &ir::BufferDecl::name);
    const Value element[] = {values.constant(dim.element)};
    if (named == program.buffers.end()) {
      out.push_back(std::nullopt);
    } else {
      out.push_back(values.load(uint32_t(named - program.buffers.begin()), DataType::U32, element));
    }
  }
  return out;
}

/// Whether equal elements have equal indices: not where strides were chosen, which may overlap.
bool is_injective(const ir::Program& program, uint32_t buffer) {
  const ir::TensorType* tensor = program.tensor(program.buffers[buffer]);
  return tensor == nullptr || tensor->strides.empty();
}

}  // namespace

bool RaceAnalysis::can_meet(const Access& a, const Access& b, bool same_workgroup, bool same_access,
                            const Interval& interval) {
  const auto bounds = bounds_of(input_.program, values_, a.buffer);
  // They are two: their places differ first in one of the axes, one way or the other.
  for (uint32_t axis = 0; axis < 3; ++axis) {
    const auto place = [&](uint32_t x) { return same_workgroup ? values_.local(x) : values_.workgroup(x); };
    const bool one = same_workgroup ? input_.program.workgroup_size[axis] == 1 : single_[axis];
    if (one) continue;
    for (const bool first_is_less : {true, false}) {
      if (same_access && !first_is_less) continue;
      RaceSystem system(values_, same_workgroup);
      for (uint32_t before = 0; before < axis; ++before)
        system.equal(place(before), Side::First, place(before), Side::Second);
      const Side low = first_is_less ? Side::First : Side::Second;
      system.less(place(axis), low, place(axis), low == Side::First ? Side::Second : Side::First);
      for (uint32_t x = 0; x < 3; ++x) {
        if (single_[x]) {
          system.equal(values_.workgroup(x), Side::First, values_.constant(0), Side::First);
          system.equal(values_.workgroup(x), Side::Second, values_.constant(0), Side::Second);
        }
      }
      for (size_t k = 0; k < bounds.size(); ++k) {
        if (bounds[k]) {
          system.less(a.indices[k], Side::First, *bounds[k], Side::First);
          system.less(b.indices[k], Side::Second, *bounds[k], Side::Second);
        }
        if (!is_injective(input_.program, a.buffer)) continue;
        const auto [x, y] = values_.peeled(a.indices[k], b.indices[k], same_workgroup);
        system.equal(x, Side::First, y, Side::Second);
        if (x != a.indices[k]) system.equal(a.indices[k], Side::First, b.indices[k], Side::Second);
      }
      for (const Guard& guard : a.guards) system.require(guard, Side::First);
      for (const Guard& guard : b.guards) system.require(guard, Side::Second);
      for (const Guard& guard : interval) {
        system.require(guard, Side::First);
        system.require(guard, Side::Second);
      }
      if (!system.is_impossible()) return true;
    }
  }
  return false;
}

RaceAnalysis::Question RaceAnalysis::question(smt::Pool& pool, const OpenPair& pair) {
  const Access &a = accesses_[pair.first], &b = accesses_[pair.second];
  RaceFormulas formulas(values_, pool, pair.same_workgroup);
  std::vector<smt::Term> all, differ;
  const auto both = [&](Value v) {
    return pool.eq(formulas.of(v, Side::First), formulas.of(v, Side::Second));
  };
  for (uint32_t axis = 0; axis < 3; ++axis) {
    const Value group = values_.workgroup(axis);
    if (single_[axis]) {
      for (const Side side : {Side::First, Side::Second})
        all.push_back(pool.is_zero(formulas.of(group, side)));
    }
    differ.push_back(pool.not_(both(pair.same_workgroup ? values_.local(axis) : group)));
  }
  all.push_back(pool.any(differ));
  const auto bounds = bounds_of(input_.program, values_, a.buffer);
  for (size_t k = 0; k < bounds.size(); ++k) {
    const smt::Term x = formulas.of(a.indices[k], Side::First), y = formulas.of(b.indices[k], Side::Second);
    if (bounds[k]) {
      all.push_back(pool.ult(x, formulas.of(*bounds[k], Side::First)));
      all.push_back(pool.ult(y, formulas.of(*bounds[k], Side::Second)));
    }
    if (!is_injective(input_.program, a.buffer)) continue;
    const auto [left, right] = values_.peeled(a.indices[k], b.indices[k], pair.same_workgroup);
    all.push_back(pool.eq(formulas.of(left, Side::First), formulas.of(right, Side::Second)));
  }
  for (const Guard& guard : a.guards) all.push_back(formulas.holds(guard, Side::First));
  for (const Guard& guard : b.guards) all.push_back(formulas.holds(guard, Side::Second));
  if (pair.same_workgroup) {
    std::vector<smt::Term> ways;
    for (const Interval& interval : shared(a, b)) {
      std::vector<smt::Term> way;
      for (const Side side : {Side::First, Side::Second}) {
        for (const Guard& guard : interval) way.push_back(formulas.holds(guard, side));
      }
      ways.push_back(pool.all(way));
    }
    all.push_back(pool.any(ways));
  }
  all.push_back(formulas.facts());
  return {pool.all(all), formulas.loads()};
}

}  // namespace vyre::races
