// build(): a checked program in linear form, calls inlined.
//
// A machine with a stack of tasks, a stack of values and a stack of open blocks, so that neither the depth of
// an expression nor that of calls costs native stack. Tasks run last in, first out: whatever an expression or
// a statement needs is pushed in reverse and so runs in the order of evaluation, which is the order of the
// instructions. Operand ids say nothing about that order (a builder may make the right operand first).
#include <map>
#include <memory>
#include <utility>

#include "lower/composition.h"
#include "lower/kernel.h"
#include "lower/reduction.h"
#include "spec/ops.h"

namespace vyre::lower {
namespace {

using check::VarId;
using ir::ExprId;
using ir::NodeId;
using spec::DataType;

/// What a variable is in the kernel: the value it was given once, or a slot.
struct VariableValue {
  bool is_slot = false;
  uint32_t id = 0;
};

/// One activation of code: the program's, or that of an operation being inlined.
struct Activation {
  const ir::Code* code;
  const check::Resolution* resolution;
  std::vector<VariableValue> places;  // by VarId
  Span call_site;                     // where the program called, for inlined code
};

enum class TaskKind : uint8_t { Evaluate, FinishExpr, Run, FinishNode, Enter, Leave, EndCall };
struct Task {
  TaskKind kind;
  uint32_t id;  // an ExprId, a NodeId or a KBlock
};

class Linearizer {
 public:
  Kernel run(const check::Checked& program) {
    program_ = &program;
    const ir::Program& source = program.program();
    kernel_.name = source.name;
    kernel_.workgroup_size = source.workgroup_size;
    declare_buffers();
    activations_.push_back(activate(source.code, program.resolution(), Span::none()));
    kernel_.entry = kernel_.add_block();
    push_body(source.entry, kernel_.entry);
    run_tasks();
    return std::move(kernel_);
  }

  Composition run(const check::CheckedFunction& function) {
    activations_.push_back(activate(function.function->code, function.resolution, Span::none()));
    kernel_.entry = kernel_.add_block();
    open_.push_back(kernel_.entry);
    Composition out;
    for (uint32_t i = 0; i < function.function->parameters.size(); ++i) {
      const DataType type = function.resolution.variables[i].type;
      out.parameters.push_back(kernel_.add({.kind = InstKind::Const, .type = type}, {}));
      define(VarId{i}, out.parameters.back(), Span::none());
    }
    push(TaskKind::Evaluate, ir::index(function.function->result));
    push_nodes(function.function->body);
    run_tasks();
    out.result = pop();
    out.kernel = std::move(kernel_);
    return out;
  }

 private:
  void run_tasks() {
    while (!tasks_.empty()) {
      const Task task = tasks_.back();
      tasks_.pop_back();
      step(task);
    }
  }

  void declare_buffers() {
    for (const ir::BufferDecl& decl : program_->program().buffers) {
      kernel_.buffers.push_back({.name = std::string(program_->program().code.name(decl.name)),
                                 .access = decl.access,
                                 .element = program_->program().element(decl),
                                 .binding = decl.binding,
                                 .argument = 0,
                                 .count = decl.count,
                                 .used_atomically = false,
                                 .dims = {},
                                 .strides = {}});
    }
    declare_shapes();
    uint32_t argument = 0;
    for (const check::BufferId id : program_->bound_buffers()) {
      kernel_.buffers[check::index(id)].argument = argument++;
    }
  }

  void declare_shapes() {
    const ir::Program& source = program_->program();
    std::map<ir::Symbol, uint32_t> by_name;
    for (uint32_t b = 0; b < source.buffers.size(); ++b) by_name.emplace(source.buffers[b].name, b);
    for (uint32_t b = 0; b < source.buffers.size(); ++b) {
      const ir::TensorType* tensor = source.tensor(source.buffers[b]);
      if (tensor == nullptr) continue;
      KernelBuffer& buffer = kernel_.buffers[b];
      buffer.strides = tensor->strides;
      for (const ir::Dim& dim : tensor->dims) {
        KernelDim out{.dynamic = dim.dynamic(), .size = dim.size};
        if (out.dynamic) out.buffer = by_name.at(dim.buffer), out.element = dim.element;
        buffer.dims.push_back(out);
      }
    }
  }

  static std::shared_ptr<Activation> activate(const ir::Code& code, const check::Resolution& resolution,
                                              Span call_site) {
    return std::make_shared<Activation>(
        Activation{&code, &resolution, std::vector<VariableValue>(resolution.variables.size()), call_site});
  }

  // The current activation.
  Activation& here() { return *activations_.back(); }
  const ir::Code& code() { return *here().code; }
  const check::Resolution& resolution() { return *here().resolution; }
  Span origin(Span span) { return activations_.size() == 1 ? span : here().call_site; }

  Value emit(Inst inst, std::span<const Value> operands) {
    const Value value = kernel_.add(inst, operands);
    kernel_.blocks[index(open_.back())].push_back(value);
    return value;
  }
  Value pop() {
    const Value value = values_.back();
    values_.pop_back();
    return value;
  }
  std::vector<Value> pop(uint32_t count) {
    std::vector<Value> out(values_.end() - count, values_.end());
    values_.resize(values_.size() - count);
    return out;
  }

  void push(TaskKind kind, uint32_t id) { tasks_.push_back({kind, id}); }
  void push_operands(std::span<const ExprId> operands) {
    for (size_t i = operands.size(); i-- > 0;) push(TaskKind::Evaluate, ir::index(operands[i]));
  }
  void push_nodes(ir::BlockId block) {
    const auto nodes = code().block(block);
    for (size_t i = nodes.size(); i-- > 0;) push(TaskKind::Run, ir::index(nodes[i]));
  }
  /// The statements of `source` into the new block `target`.
  void push_body(ir::BlockId source, KBlock target) {
    push(TaskKind::Leave, 0);
    push_nodes(source);
    push(TaskKind::Enter, index(target));
  }

  void step(Task task) {
    switch (task.kind) {
      case TaskKind::Evaluate: return evaluate(ExprId{task.id});
      case TaskKind::FinishExpr: return finish(ExprId{task.id});
      case TaskKind::Run:
        push(TaskKind::FinishNode, task.id);
        return push_operands(code().args(code()[NodeId{task.id}]));
      case TaskKind::FinishNode: return finish(NodeId{task.id});
      case TaskKind::Enter: return open_.push_back(KBlock{task.id});
      case TaskKind::Leave: return open_.pop_back();
      case TaskKind::EndCall: return activations_.pop_back();
    }
  }

  /// The literal's bits, or where the kernel keeps them.
  uint32_t literal(const ir::Expr& expr) {
    if (spec::value_words(expr.type) <= 1) return expr.immediate;
    kernel_.wide.push_back(code().literal_bits(expr));
    return uint32_t(kernel_.wide.size() - 1);
  }

  /// Operands first, then the expression itself.
  void evaluate(ExprId id) {
    push(TaskKind::FinishExpr, ir::index(id));
    push_operands(code().args(code()[id]));
  }

  /// T of an application: of a vector being made, the vector's own type.
  DataType operand_type(const ir::Expr& expr, DataType result) {
    const auto first = spec::first_of_type(expr.op);
    return first ? resolution().type(code().arg(expr, *first)) : result;
  }

  void finish(ExprId id) {
    const ir::Expr& expr = code()[id];
    Inst inst{.type = resolution().type(id), .origin = origin(code().span(id))};
    switch (expr.kind) {
      case ir::ExprKind::Literal:
        inst.kind = InstKind::Const;
        inst.imm = literal(expr);
        break;
      case ir::ExprKind::Var: return values_.push_back(read(resolution().variable(id), inst));
      case ir::ExprKind::Load:
        inst.kind = InstKind::Load;
        inst.target = check::index(resolution().buffer(id));
        break;
      case ir::ExprKind::BufLen:
        inst.kind = InstKind::Len;
        inst.target = check::index(resolution().buffer(id));
        break;
      case ir::ExprKind::InvocationId:
        inst.kind = InstKind::InvocationId;
        inst.imm = expr.immediate;
        break;
      case ir::ExprKind::WorkgroupId:
        inst.kind = InstKind::WorkgroupId;
        inst.imm = expr.immediate;
        break;
      case ir::ExprKind::LocalId:
        inst.kind = InstKind::LocalId;
        inst.imm = expr.immediate;
        break;
      case ir::ExprKind::NumWorkgroups:
        inst.kind = InstKind::NumWorkgroups;
        inst.imm = expr.immediate;
        break;
      case ir::ExprKind::Apply:
        if (expr.op == spec::Op::Call) return call(id);
        if (spec::is_reduction(expr.op)) return reduce(id, inst);
        inst.op = expr.op;
        inst.mode = expr.mode;
        if (spec::is_atomic(expr.op)) {
          inst.kind = InstKind::Atomic;
          inst.target = check::index(resolution().buffer(id));
          kernel_.buffers[inst.target].used_atomically = true;
        } else {
          inst.kind = InstKind::Apply;
          inst.operand_type = operand_type(expr, inst.type);
          if (expr.op == spec::Op::Component) inst.imm = expr.immediate;
        }
        break;
    }
    const std::vector<Value> operands = pop(expr.args.count);
    values_.push_back(emit(inst, operands));
  }

  void finish(NodeId id) {
    const ir::Node& node = code()[id];
    Inst inst{.origin = origin(code().span(id))};
    switch (node.kind) {
      case ir::NodeKind::Let: return define(resolution().variable(id), pop(), inst.origin);
      case ir::NodeKind::Assign: return set(resolution().variable(id), pop(), inst.origin);
      case ir::NodeKind::Store:
        inst.kind = InstKind::Store;
        inst.target = check::index(resolution().buffer(id));
        emit(inst, pop(node.args.count));
        return;
      case ir::NodeKind::If:
        inst.kind = InstKind::If;
        inst.body = kernel_.add_block();
        if (node.orelse != ir::kNoBlock) inst.orelse = kernel_.add_block();
        emit(inst, pop(1));
        if (node.orelse != ir::kNoBlock) push_body(node.orelse, inst.orelse);
        return push_body(node.body, inst.body);
      case ir::NodeKind::Loop: {
        inst.kind = InstKind::Loop;
        inst.type = DataType::U32;
        inst.body = kernel_.add_block();
        inst.imm = node.unroll ? 1 : 0;
        const Value variable = emit(inst, pop(2));
        here().places[check::index(resolution().variable(id))] = {false, index(variable)};
        return push_body(node.body, inst.body);
      }
      case ir::NodeKind::Return:
        inst.kind = InstKind::Return;
        emit(inst, {});
        return;
      case ir::NodeKind::Block: return push_nodes(node.body);  // a scope for names alone
      case ir::NodeKind::Barrier:
        inst.kind = InstKind::Barrier;
        emit(inst, {});
        return;
    }
  }

  /// Gives a variable its first value, each time its Let (or call) is executed.
  void define(VarId id, Value value, Span span) {
    const check::Variable& variable = resolution().variables[check::index(id)];
    VariableValue& place = here().places[check::index(id)];
    if (!variable.assigned) {
      place = {false, index(value)};
      return;
    }
    kernel_.slots.push_back({std::string(code().name(variable.name)), variable.type});
    place = {true, uint32_t(kernel_.slots.size() - 1)};
    set(id, value, span);
  }

  void set(VarId id, Value value, Span span) {
    const Inst inst{.kind = InstKind::Set, .target = here().places[check::index(id)].id, .origin = span};
    emit(inst, {{value}});
  }

  Value read(VarId id, Inst inst) {
    const VariableValue place = here().places[check::index(id)];
    if (!place.is_slot) return Value{place.id};
    inst.kind = InstKind::Get;
    inst.target = place.id;
    return emit(inst, {});
  }

  /// A reduction is the loop that it stands for.
  void reduce(ExprId id, const Inst& at) {
    const ir::Expr& expr = code()[id];
    const std::vector<Value> range = pop(expr.args.count);
    Reduction reduction{.op = expr.op,
                        .fold = *spec::fold_of(expr.op, expr.immediate),
                        .type = at.type,
                        .buffer = check::index(resolution().buffer(id))};
    if (!range.empty()) reduction.range = {range[0], range[1]};
    values_.push_back(write_reduction(kernel_, open_.back(), at.origin, reduction));
  }

  /// An intrinsic stays a call; anything else is inlined: parameters by value, the body, the result.
  void call(ExprId id) {
    const spec::OpDef& def = *resolution().callee(id);
    if (def.intrinsic) {
      const Inst inst{.kind = InstKind::Intrinsic,
                      .type = def.signature.output,
                      .imm = uint32_t(*def.intrinsic),
                      .origin = origin(code().span(id))};
      values_.push_back(emit(inst, pop(uint32_t(def.signature.inputs.size()))));
      return;
    }
    const check::CheckedFunction& callee = program_->function(def);
    const ir::Function& function = *callee.function;
    const std::vector<Value> arguments = pop(uint32_t(function.parameters.size()));
    const Span call_site = origin(code().span(id));
    activations_.push_back(activate(function.code, callee.resolution, call_site));
    for (uint32_t i = 0; i < arguments.size(); ++i) define(VarId{i}, arguments[i], call_site);
    push(TaskKind::EndCall, 0);
    push(TaskKind::Evaluate, ir::index(function.result));
    push_nodes(function.body);
  }

  const check::Checked* program_ = nullptr;  // none for a function
  Kernel kernel_;
  std::vector<Task> tasks_;
  std::vector<Value> values_;
  std::vector<KBlock> open_;
  std::vector<std::shared_ptr<Activation>> activations_;
};

}  // namespace

Kernel build(const check::Checked& program) { return Linearizer().run(program); }

Composition build_composition(const check::CheckedFunction& function) { return Linearizer().run(function); }

}  // namespace vyre::lower
