// The evaluator: one invocation of a program, run until something happens that concerns the others.
//
// There is no scheduling in here. An Invocation is a cursor in the program (a stack of open blocks, and how
// far the operands of the current statement are evaluated) and the values of its variables; run() moves it on
// to its next barrier, to its next subgroup operation, where it waits for an answer within an expression, or
// to its end. A driver decides who moves when, and answers. All that it shares with other invocations is
// behind Memory. Names were resolved by check; a called operation is evaluated from its own body, by value.
// Source: execution-model, "Within an invocation"; semantics, "Operators", "Structure".
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "check/checked.h"
#include "check/module.h"
#include "ref/eval.h"
#include "ref/memory.h"
#include "ref/postfix.h"

namespace vyre::ref {

/// The code of a program or of an operation that it calls, with what evaluation looks up.
struct ReadyCode {
  ReadyCode(const ir::Code& the_code, const check::Resolution& the_resolution)
      : code(the_code), resolution(the_resolution), postfix(the_code) {}
  const ir::Code& code;
  const check::Resolution& resolution;
  Postfix postfix;
  /// By callee, those of category A: their code.
  std::vector<const struct ReadyFunction*> callees;
};

struct ReadyFunction : ReadyCode {
  explicit ReadyFunction(const check::CheckedFunction& checked)
      : ReadyCode(checked.function->code, checked.resolution), function(*checked.function) {}
  const ir::Function& function;
};

/// A program made ready for evaluation. Shared by all its invocations; refers to the Checked, which must
/// outlive it.
class ReadyProgram {
 public:
  explicit ReadyProgram(const check::Checked& program);
  /// The host expressions of a pipeline, which have no statements.
  ReadyProgram(const check::CheckedModule& module, const check::CheckedPipeline& pipeline);
  /// An operation of a module as a program of nothing but its result.
  ReadyProgram(const check::CheckedModule& module, const check::CheckedFunction& operation);
  ReadyProgram(const ReadyProgram&) = delete;
  ReadyProgram& operator=(const ReadyProgram&) = delete;

  const ReadyCode& body() const { return body_; }
  ir::BlockId entry() const { return entry_; }
  /// As an invocation finds them.
  const PrivateMemory& private_memory() const { return private_; }

 private:
  using Callee = std::function<const check::CheckedFunction&(const spec::OpDef&)>;
  void link(const Callee& callee);
  ReadyCode body_;
  ir::BlockId entry_;
  PrivateMemory private_;
  std::unordered_map<const spec::OpDef*, ReadyFunction> functions_;
};

/// The ids of an invocation, and how many workgroups there are. Invariant: invocation = workgroup *
/// workgroup_size + local, axis by axis.
struct Identity {
  std::array<uint32_t, 3> invocation{};
  std::array<uint32_t, 3> workgroup{};
  std::array<uint32_t, 3> local{};
  std::array<uint32_t, 3> workgroups{1, 1, 1};
};

/// How many statements, loop rounds and expressions may still be evaluated, by all invocations together.
class Budget {
 public:
  /// 0: no limit.
  explicit Budget(uint64_t steps) : left_(steps == 0 ? UINT64_MAX : steps) {}
  /// False when the budget does not suffice; it is then used up.
  bool spend(uint64_t steps) {
    if (steps > left_) {
      left_ = 0;
      return false;
    }
    left_ -= steps;
    return true;
  }
  uint64_t left() const { return left_; }

 private:
  uint64_t left_;
};

/// Why an invocation stopped.
enum class Event : uint8_t {
  Barrier,    // it stands behind a barrier, and goes on from there
  Subgroup,   // it stands at a subgroup operation, and goes on when it has an answer
  Access,     // it stands before an access to memory, if it is to stop there
  Return,     // it returned, or reached the end; it is no longer live
  OutOfSteps  // the budget is used up; it cannot go on
};

/// An access that is about to be made.
struct PendingAccess {
  AccessKind kind;
  BufferId buffer;
  Indices indices;     // one a dimension; of a reduction none
  bool whole = false;  // a reduction, which reads the elements from `from` to `to`
  uint32_t from = 0, to = 0;
  spec::Op op{};  // of an atomic, with what it is given
  Bits expected = 0, value = 0;
};

class Invocation {
 public:
  Invocation(const ReadyProgram& program, Memory& memory, Budget& budget);

  /// Puts it at the beginning of the program.
  void start(const Identity& identity);
  /// Of an operation: its parameters, then run(), then the result.
  void set(check::VarId id, Bits value) { variable(id) = value; }
  /// The value of an expression where it stands now, between statements: a host expression, or the result of
  /// an operation. Domain: no access that it would stop at, and no subgroup operation.
  Bits evaluate(ir::ExprId root);
  Event run();
  /// From now on it stops before each access too.
  void stop_at_accesses() { stops_at_accesses_ = true; }
  /// The load, store, atomic or reduction that is being made, or that it stands before at Event::Access; the
  /// barrier that it waits at; the statement that it returned by, none at the program's end.
  Span place() const { return place_; }
  /// At Event::Barrier: which one.
  ir::NodeId barrier() const { return barrier_; }
  /// At Event::Access: what it will access. The spans are valid until it moves on.
  PendingAccess pending() const;

  /// At Event::Subgroup: the operation, the operands of this lane, and the way to give its result.
  spec::Intrinsic waits_for() const { return *waits_for_; }
  std::span<const Bits> lane_operands() const { return top(spec::info(*waits_for_).input_count); }
  void answer(Bits result);

 private:
  /// A block that is being executed, in `code_`.
  struct OpenBlock {
    ir::BlockId block;
    uint32_t next;    // position of the next statement
    ir::NodeId loop;  // the loop whose body this is, or kNoLoop
    Bits end;         // of that loop
  };
  static constexpr ir::NodeId kNoLoop{UINT32_MAX};

  /// The statement that is being executed, and how far: its operands are evaluated in order onto values_,
  /// each in its postfix order, and then it acts.
  struct Statement {
    ir::NodeId id;
    uint32_t operand = 0;   // the one being evaluated
    uint32_t position = 0;  // of the next expression in its postfix order
  };
  static constexpr ir::NodeId kNoStatement{UINT32_MAX};

  /// Executes statements until the blocks opened above `floor` are closed, or an event.
  Event execute(size_t floor);
  /// False when there is an event in between, which is then in event_.
  bool evaluate_operands();
  /// Whether it stops now, before an access at this place, where it has not stopped yet.
  bool stops_before(Span place);
  /// What the statement does once its operands are evaluated; true when that is an event, which is then in
  /// event_.
  bool act(ir::NodeId id);
  void open(ir::BlockId block) { blocks_.push_back({block, 0, kNoLoop, 0}); }
  void open_loop(ir::NodeId id, Bits from, Bits end);
  /// At the end of a block: the next round of a loop, or out of it.
  void close_or_repeat();

  void evaluate_one(ir::ExprId id);
  void apply(ir::ExprId id, const ir::Expr& e);
  void apply_atomic(ir::ExprId id, const ir::Expr& e);
  void apply_reduction(ir::ExprId id, const ir::Expr& e);
  void apply_call(ir::ExprId id);
  void call(const ReadyFunction& callee);

  Bits& variable(check::VarId id) { return variables_[base_ + check::index(id)]; }
  void push(Bits value) { values_.push_back(value); }
  Bits pop() {
    const Bits value = values_.back();
    values_.pop_back();
    return value;
  }
  std::span<const Bits> top(size_t count) const { return std::span(values_).last(count); }
  /// Puts a result in the place of its operands, which are the topmost values, the last one on top.
  void replace(size_t count, Bits result) {
    values_.resize(values_.size() - count);
    push(result);
  }

  /// What the statement or expression accesses, where that is a private array: an access that concerns no
  /// other invocation.
  std::optional<BufferId> private_array(ir::NodeId id) const;
  std::optional<BufferId> private_array(ir::ExprId id) const;

  const ReadyProgram& program_;
  Memory& memory_;
  Budget& budget_;
  PrivateMemory private_;
  Identity identity_;
  const ReadyCode* code_ = nullptr;  // the program's, or that of the operation being called
  size_t base_ = 0;                  // where its variables begin
  std::vector<Bits> variables_;
  std::vector<Bits> values_;  // of the expressions being evaluated
  std::vector<OpenBlock> blocks_;
  Statement statement_{kNoStatement};
  std::optional<spec::Intrinsic> waits_for_;
  Span place_ = Span::none();
  ir::NodeId barrier_ = kNoStatement;
  bool stops_at_accesses_ = false;
  bool stopped_ = false;  // before the access that comes next
  Event event_ = Event::Return;
};

}  // namespace vyre::ref
