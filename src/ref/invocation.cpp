#include "ref/invocation.h"
#include "spec/ops.h"

#include <utility>

namespace vyre::ref {

using ir::ExprKind;
using ir::NodeKind;
using spec::Form;
using spec::Op;
using spec::Signature;

namespace {

Bits literal(const std::array<uint32_t, 4>& words) {
  return Bits(words[3]) << 96 | Bits(words[2]) << 64 | Bits(words[1]) << 32 | words[0];
}

/// Whether it reads or writes elements of a buffer.
bool accesses(const ir::Expr& e) {
  if (e.kind == ExprKind::Load) return true;
  if (e.kind != ExprKind::Apply) return false;
  const Form form = spec::form_of(e.op);
  return form == Form::Atomic || form == Form::Reduce;
}

}  // namespace

ReadyProgram::ReadyProgram(const check::Checked& program)
    : body_(program.program().code, program.resolution()),
      entry_(program.program().entry),
      private_(program.program()) {
  link([&](const spec::OpDef& def) -> const check::CheckedFunction& { return program.function(def); });
}

ReadyProgram::ReadyProgram(const check::CheckedModule& module, const check::CheckedPipeline& pipeline)
    : body_(pipeline.pipeline->code, pipeline.resolution), entry_(ir::kNoBlock) {
  link([&](const spec::OpDef& def) -> const check::CheckedFunction& { return module.function(def); });
}

ReadyProgram::ReadyProgram(const check::CheckedModule& module, const check::CheckedFunction& operation)
    : body_(operation.function->code, operation.resolution), entry_(operation.function->body) {
  link([&](const spec::OpDef& def) -> const check::CheckedFunction& { return module.function(def); });
}

void ReadyProgram::link(const Callee& function) {
  std::vector<ReadyCode*> unlinked = {&body_};
  while (!unlinked.empty()) {
    ReadyCode& caller = *unlinked.back();
    unlinked.pop_back();
    const auto& callees = caller.resolution.callees;
    caller.callees.resize(callees.size());
    for (size_t i = 0; i < callees.size(); ++i) {
      if (callees[i]->intrinsic) continue;
      // References into an unordered_map stay valid while it grows.
      const auto [it, inserted] = functions_.try_emplace(callees[i], function(*callees[i]));
      caller.callees[i] = &it->second;
      if (inserted) unlinked.push_back(&it->second);
    }
  }
}

Invocation::Invocation(const ReadyProgram& program, Memory& memory, Budget& budget)
    : program_(program), memory_(memory), budget_(budget), private_(program.private_memory()) {}

void Invocation::start(const Identity& identity) {
  identity_ = identity;
  code_ = &program_.body();
  base_ = 0;
  variables_.resize(code_->resolution.variables.size());
  private_.clear();
  values_.clear();
  blocks_.clear();
  statement_.id = kNoStatement;
  waits_for_.reset();
  stopped_ = false;
  if (program_.entry() != ir::kNoBlock) open(program_.entry());
}

Event Invocation::run() { return execute(0); }

Event Invocation::execute(size_t floor) {
  while (blocks_.size() > floor) {
    if (statement_.id == kNoStatement) {
      if (!budget_.spend(1)) return Event::OutOfSteps;
      OpenBlock& top = blocks_.back();
      const auto statements = code_->code.block(top.block);
      if (top.next == statements.size()) {
        close_or_repeat();
        continue;
      }
      statement_ = {statements[top.next++]};
    }
    if (!evaluate_operands()) return event_;
    if (code_->code[statement_.id].kind == NodeKind::Store && !private_array(statement_.id) &&
        stops_before(code_->code.span(statement_.id))) {
      return event_;
    }
    if (act(std::exchange(statement_.id, kNoStatement))) return event_;
  }
  if (floor == 0) place_ = Span::none();
  return Event::Return;
}

bool Invocation::evaluate_operands() {
  const auto operands = code_->code.args(code_->code[statement_.id]);
  for (; statement_.operand < operands.size(); ++statement_.operand, statement_.position = 0) {
    const auto order = code_->postfix.of(operands[statement_.operand]);
    if (statement_.position == 0)
      budget_.spend(order.size());  // the next statement notices when nothing is left
    while (statement_.position < order.size()) {
      const ir::ExprId id = order[statement_.position];
      if (accesses(code_->code[id]) && !private_array(id) && stops_before(code_->code.span(id))) return false;
      ++statement_.position;
      evaluate_one(id);
      if (!waits_for_) continue;
      event_ = Event::Subgroup;
      return false;
    }
  }
  return true;
}

std::optional<BufferId> Invocation::private_array(ir::NodeId id) const {
  if (private_.bytes() == 0 || code_->code[id].kind != NodeKind::Store) return std::nullopt;
  const BufferId buffer = code_->resolution.buffer(id);
  return private_.has(buffer) ? std::optional(buffer) : std::nullopt;
}
std::optional<BufferId> Invocation::private_array(ir::ExprId id) const {
  const ExprKind kind = code_->code[id].kind;
  if (private_.bytes() == 0 || (kind != ExprKind::Load && kind != ExprKind::BufLen)) return std::nullopt;
  const BufferId buffer = code_->resolution.buffer(id);
  return private_.has(buffer) ? std::optional(buffer) : std::nullopt;
}

bool Invocation::stops_before(Span place) {
  place_ = place;
  stopped_ = stops_at_accesses_ && !stopped_;
  if (stopped_) event_ = Event::Access;
  return stopped_;
}

PendingAccess Invocation::pending() const {
  const auto operands = code_->code.args(code_->code[statement_.id]);
  if (statement_.operand == operands.size()) {  // a store, whose value is on top
    const auto indices = top(operands.size()).first(operands.size() - 1);
    return {.kind = AccessKind::Write, .buffer = code_->resolution.buffer(statement_.id), .indices = indices};
  }
  const ir::ExprId id = code_->postfix.of(operands[statement_.operand])[statement_.position];
  const ir::Expr& e = code_->code[id];
  const auto given = top(e.args.count);
  PendingAccess out = {.kind = AccessKind::Read, .buffer = code_->resolution.buffer(id), .indices = given};
  if (e.kind == ExprKind::Load) return out;
  if (spec::is_reduction(e.op)) {
    const Bits length = memory_.length(out.buffer);
    out.indices = {};
    out.whole = true;
    out.to = uint32_t(given.empty() ? length : std::min(given[1], length));
    out.from = uint32_t(given.empty() ? 0 : std::min<Bits>(given[0], out.to));
    return out;
  }
  out.kind = AccessKind::Atomic;
  out.indices = given.first(1);
  out.op = e.op;
  out.value = given.back();
  if (given.size() == 3) out.expected = given[1];
  return out;
}

void Invocation::answer(Bits result) {
  replace(lane_operands().size(), result);
  waits_for_.reset();
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

bool Invocation::act(ir::NodeId id) {
  const ir::Node& node = code_->code[id];
  switch (node.kind) {
    case NodeKind::Let:
    case NodeKind::Assign: variable(code_->resolution.variable(id)) = pop(); return false;
    case NodeKind::Store: {
      const Bits value = pop();
      if (const auto array = private_array(id)) {
        private_.store(*array, pop(), value);
        return false;
      }
      memory_.store(code_->resolution.buffer(id), top(node.args.count - 1), value);
      values_.resize(values_.size() - (node.args.count - 1));
      return false;
    }
    case NodeKind::If:
      if (pop() != 0) {
        open(node.body);
      } else if (node.orelse != ir::kNoBlock) {
        open(node.orelse);
      }
      return false;
    case NodeKind::Loop: {
      const Bits end = pop();
      const Bits from = pop();
      open_loop(id, from, end);
      return false;
    }
    case NodeKind::Block: open(node.body); return false;
    case NodeKind::Return:
      blocks_.clear();
      place_ = code_->code.span(id);
      event_ = Event::Return;
      return true;
    case NodeKind::Barrier:
      barrier_ = id;
      place_ = code_->code.span(id);
      event_ = Event::Barrier;
      return true;
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
    case ExprKind::Literal: return push(literal(code_->code.literal_bits(e)));
    case ExprKind::Var: return push(variable(code_->resolution.variable(id)));
    case ExprKind::Load:
      if (const auto array = private_array(id)) return push(private_.load(*array, pop()));
      return replace(e.args.count, memory_.load(code_->resolution.buffer(id), top(e.args.count)));
    case ExprKind::BufLen:
      if (const auto array = private_array(id)) return push(private_.length(*array));
      return push(memory_.length(code_->resolution.buffer(id)));
    case ExprKind::InvocationId: return push(identity_.invocation[e.immediate]);
    case ExprKind::WorkgroupId: return push(identity_.workgroup[e.immediate]);
    case ExprKind::LocalId: return push(identity_.local[e.immediate]);
    case ExprKind::NumWorkgroups: return push(identity_.workgroups[e.immediate]);
    case ExprKind::Apply: return apply(id, e);
  }
  std::unreachable();
}

void Invocation::apply(ir::ExprId id, const ir::Expr& e) {
  const auto type_of = [&](uint32_t i) { return code_->resolution.type(code_->code.arg(e, i)); };
  const std::span<const Bits> operands = top(e.args.count);
  const auto replace_with = [&](Bits result) { replace(e.args.count, result); };
  switch (spec::form_of(e.op)) {
    case Form::Scalar: return replace_with(eval(e.op, type_of(0), operands));
    case Form::Select: return replace_with(eval(e.op, type_of(1), operands));
    case Form::MakeVector: return replace_with(eval_make(operands));
    case Form::Component: return replace_with(eval_component(operands[0], e.immediate));
    case Form::Cast: return replace_with(eval_cast(type_of(0), e.type, e.mode, operands[0]));
    case Form::Bitcast: return replace_with(eval_bitcast(type_of(0), e.type, operands[0]));
    case Form::Reduce: return apply_reduction(id, e);
    case Form::Call: return apply_call(id);
    case Form::Atomic: return apply_atomic(id, e);
  }
  std::unreachable();
}

void Invocation::apply_reduction(ir::ExprId id, const ir::Expr& e) {
  const check::BufferId buffer = code_->resolution.buffer(id);
  const Bits length = memory_.length(buffer);
  // The range is clamped to the buffer's elements.
  const Bits to = e.args.count == 0 ? length : std::min(top(2)[1], length);
  const Bits from = e.args.count == 0 ? 0 : std::min(top(2)[0], to);
  const auto load = [&](uint32_t at) {
    const Bits index = at;
    return memory_.load(buffer, {&index, 1});
  };
  // The statement notices when nothing is left; a fold that would take too long is not begun.
  if (!budget_.spend(uint64_t(to - from))) return replace(e.args.count, 0);
  const Op fold = *spec::fold_of(e.op, e.immediate);
  replace(e.args.count,
          eval_reduction(e.op, fold, code_->resolution.type(id), uint32_t(from), uint32_t(to), load));
}

void Invocation::apply_call(ir::ExprId id) {
  const spec::OpDef& def = *code_->resolution.callee(id);
  if (!def.intrinsic) return call(*code_->callees[code_->resolution.expr_target[ir::index(id)]]);
  waits_for_ = def.intrinsic;  // the operands stay where they are until there is an answer
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
  const Statement callers_statement = std::exchange(statement_, {kNoStatement});
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
  statement_ = callers_statement;
  code_ = caller;
  push(result);
}

}  // namespace vyre::ref
