#include "ref/invocation.h"

#include <utility>

namespace vyre::ref {

using ir::ExprKind;
using ir::NodeKind;
using spec::Op;
using spec::Signature;

ReadyProgram::ReadyProgram(const check::Checked& program)
    : body_(program.program().code, program.resolution()), entry_(program.program().entry) {
  std::vector<ReadyCode*> unlinked = {&body_};
  while (!unlinked.empty()) {
    ReadyCode& caller = *unlinked.back();
    unlinked.pop_back();
    const auto& callees = caller.resolution.callees;
    caller.callees.resize(callees.size());
    for (size_t i = 0; i < callees.size(); ++i) {
      if (callees[i] == nullptr) continue;
      // References into an unordered_map stay valid while it grows.
      const auto [it, inserted] = functions_.try_emplace(callees[i], program.function(*callees[i]));
      caller.callees[i] = &it->second;
      if (inserted) unlinked.push_back(&it->second);
    }
  }
}

Invocation::Invocation(const ReadyProgram& program, Memory& memory, Budget& budget)
    : program_(program), memory_(memory), budget_(budget) {}

void Invocation::start(const Identity& identity) {
  identity_ = identity;
  code_ = &program_.body();
  base_ = 0;
  variables_.resize(code_->resolution.variables.size());
  values_.clear();
  blocks_.clear();
  open(program_.entry());
}

Event Invocation::run() { return execute(0); }

Event Invocation::execute(size_t floor) {
  while (blocks_.size() > floor) {
    if (!budget_.spend(1)) return Event::OutOfSteps;
    OpenBlock& top = blocks_.back();
    const auto statements = code_->code.block(top.block);
    if (top.next == statements.size()) {
      close_or_repeat();
    } else if (step(statements[top.next++])) {
      return event_;
    }
  }
  return Event::Return;
}

void Invocation::close_or_repeat() {
  OpenBlock& top = blocks_.back();
  if (top.loop != kNoLoop) {
    Bits& round = variable(code_->resolution.variable(top.loop));
    ++round;  // cannot wrap: round < end
    if (round < top.end) {
      top.next = 0;
      return;
    }
  }
  blocks_.pop_back();
}

void Invocation::open_loop(ir::NodeId id, Bits from, Bits end) {
  if (from >= end) return;
  variable(code_->resolution.variable(id)) = from;
  blocks_.push_back({code_->code[id].body, 0, id, end});
}

bool Invocation::step(ir::NodeId id) {
  const ir::Node& node = code_->code[id];
  const auto operand = [&](uint32_t i) { return code_->code.arg(node, i); };
  switch (node.kind) {
    case NodeKind::Let:
    case NodeKind::Assign: {
      const Bits value = evaluate(operand(0));
      variable(code_->resolution.variable(id)) = value;
      return false;
    }
    case NodeKind::Store: {
      const Bits at = evaluate(operand(0));
      const Bits value = evaluate(operand(1));
      memory_.store(code_->resolution.buffer(id), at, value);
      return false;
    }
    case NodeKind::If: {
      const Bits condition = evaluate(operand(0));
      if (condition != 0) {
        open(node.body);
      } else if (node.orelse != ir::kNoBlock) {
        open(node.orelse);
      }
      return false;
    }
    case NodeKind::Loop: {
      const Bits from = evaluate(operand(0));
      const Bits end = evaluate(operand(1));
      open_loop(id, from, end);
      return false;
    }
    case NodeKind::Block: open(node.body); return false;
    case NodeKind::Return:
      blocks_.clear();
      event_ = Event::Return;
      return true;
    case NodeKind::Barrier: event_ = Event::Barrier; return true;
  }
  std::unreachable();
}

Bits Invocation::evaluate(ir::ExprId root) {
  const auto order = code_->postfix.of(root);
  budget_.spend(order.size());  // the statement notices when nothing is left
  for (const ir::ExprId id : order) evaluate_one(id);
  return pop();
}

void Invocation::evaluate_one(ir::ExprId id) {
  const ir::Expr& e = code_->code[id];
  switch (e.kind) {
    case ExprKind::Literal: return push(e.immediate);
    case ExprKind::Var: return push(variable(code_->resolution.variable(id)));
    case ExprKind::Load: return push(memory_.load(code_->resolution.buffer(id), pop()));
    case ExprKind::BufLen: return push(memory_.length(code_->resolution.buffer(id)));
    case ExprKind::InvocationId: return push(identity_.invocation[e.immediate]);
    case ExprKind::WorkgroupId: return push(identity_.workgroup[e.immediate]);
    case ExprKind::LocalId: return push(identity_.local[e.immediate]);
    case ExprKind::Apply: return apply(id, e);
  }
  std::unreachable();
}

void Invocation::apply(ir::ExprId id, const ir::Expr& e) {
  const auto type_of = [&](uint32_t i) { return code_->resolution.type(code_->code.arg(e, i)); };
  // The operands are the topmost values, the last one on top.
  const auto replace = [&](Bits result) {
    values_.resize(values_.size() - e.args.count);
    push(result);
  };
  const std::span<const Bits> operands = std::span<const Bits>(values_).last(e.args.count);
  switch (spec::info(e.op).signature) {
    case Signature::T_T:
    case Signature::TT_T:
    case Signature::TU_T:
    case Signature::T_U:
    case Signature::TT_U:
    case Signature::T_B: return replace(eval(e.op, type_of(0), operands));
    case Signature::CTT_T: return replace(eval(e.op, type_of(1), operands));
    case Signature::Cast: return replace(eval_cast(type_of(0), e.type, e.mode, operands[0]));
    case Signature::Bitcast: return;  // the same bits, which is all that a value is here
    case Signature::Call: return call(*code_->callees[ir::index(id)]);
    case Signature::A_T:
    case Signature::AA_T: return apply_atomic(id, e);
  }
  std::unreachable();
}

void Invocation::apply_atomic(ir::ExprId id, const ir::Expr& e) {
  const Bits value = pop();
  const Bits expected = spec::info(e.op).signature == Signature::AA_T ? pop() : 0;
  const Bits at = pop();
  push(memory_.atomic(e.op, code_->resolution.buffer(id), at, expected, value));
}

void Invocation::call(const ReadyFunction& callee) {
  // A new set of variables, of which the parameters are the first; afterwards everything is as it was.
  const ReadyCode* const caller = std::exchange(code_, &callee);
  const size_t callers_base = std::exchange(base_, variables_.size());
  const size_t parameters = callee.function.parameters.size();
  variables_.resize(base_ + callee.resolution.variables.size());
  for (size_t i = parameters; i-- > 0;) variables_[base_ + i] = pop();

  const size_t floor = blocks_.size();
  open(callee.function.body);
  execute(floor);
  blocks_.resize(floor);  // when the steps ran out, the body is unfinished and the result never used
  const Bits result = evaluate(callee.function.result);

  variables_.resize(base_);
  base_ = callers_base;
  code_ = caller;
  push(result);
}

}  // namespace vyre::ref
