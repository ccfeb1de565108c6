#include "ir/builder.h"

#include <algorithm>
#include <utility>

#include "ir/expr_type.h"
#include "spec/ops.h"

namespace vyre::ir {

BuilderBase::BuilderBase() { open_.emplace_back(); }

ExprId BuilderBase::claim(Ex ex) {
  used_.resize(code_.exprs.size());
  if (!used_[index(ex.id_)]) {
    used_[index(ex.id_)] = true;
    return ex.id_;
  }
  const ExprId fresh = copy(ex.id_);
  used_.resize(code_.exprs.size(), true);
  return fresh;
}

ExprId BuilderBase::copy(ExprId id) {
  const Expr expr = code_[id];
  std::vector<ExprId> args;
  for (uint32_t i = 0; i < expr.args.count; ++i) args.push_back(copy(code_.arg(code_[id], i)));
  const ExprId fresh = code_.add(expr, args, Span::none());
  types_.push_back(types_[index(id)]);
  return fresh;
}

void BuilderBase::declare(Symbol name, DataType type) {
  declared_.resize(std::max(declared_.size(), size_t(index(name)) + 1), kNoType);
  declared_[index(name)] = type;
}

Ex BuilderBase::add(Expr expr, std::span<const Ex> operands) {
  std::vector<ExprId> ids;
  for (const Ex& operand : operands) ids.push_back(claim(operand));
  const ExprId id = code_.add(expr, ids, Span::none());
  const bool known = expr.symbol != kNoSymbol && index(expr.symbol) < declared_.size();
  types_.push_back(
      type_of(code_, code_[id], types_, known ? declared_[index(expr.symbol)] : kNoType, kNoType));
  return Ex(this, id);
}

void BuilderBase::add_statement(Node node, std::span<const Ex> operands) {
  std::vector<ExprId> ids;
  for (const Ex& operand : operands) ids.push_back(claim(operand));
  const NodeId id = code_.add(node, ids, Span::none());
  open_.back().push_back(id);
}

BlockId BuilderBase::collect(const std::function<void()>& body) {
  open_.emplace_back();
  scopes_.push_back(++last_scope_);
  body();
  const BlockId id = code_.add_block(open_.back());
  open_.pop_back();
  scopes_.pop_back();
  return id;
}

BlockId BuilderBase::finish_entry() {
  const BlockId id = code_.add_block(open_.back());
  open_.back().clear();
  return id;
}

Ex BuilderBase::literal(DataType type, const std::array<uint32_t, 4>& words) {
  uint32_t immediate = words[0];
  if (spec::info(type).bytes > 4) {
    immediate = uint32_t(code_.wide.size());
    code_.wide.push_back(words);
  }
  return add({.kind = ExprKind::Literal, .type = type, .immediate = immediate}, {});
}
Ex BuilderBase::vec2u32(Ex x, Ex y) { return apply(Op::MakeVec2U32, {x, y}); }
Ex BuilderBase::vec4u32(Ex x, Ex y, Ex z, Ex w) { return apply(Op::MakeVec4U32, {x, y, z, w}); }
Ex BuilderBase::select(Ex condition, Ex then, Ex otherwise) {
  return apply(Op::Select, {condition, then, otherwise});
}
Ex BuilderBase::component(Ex vector, uint32_t which) {
  return add({.kind = ExprKind::Apply, .op = Op::Component, .immediate = which}, {{vector}});
}
Ex Ex::x() const { return builder_->component(*this, 0); }
Ex Ex::y() const { return builder_->component(*this, 1); }
Ex Ex::z() const { return builder_->component(*this, 2); }
Ex Ex::w() const { return builder_->component(*this, 3); }
Ex BuilderBase::var(std::string_view name) {
  return add({.kind = ExprKind::Var, .symbol = code_.intern(name)}, {});
}
Ex BuilderBase::apply(Op op, std::initializer_list<Ex> operands) {
  return apply(op, std::span(operands.begin(), operands.size()));
}
Ex BuilderBase::apply(Op op, std::span<const Ex> operands) {
  return add({.kind = ExprKind::Apply, .op = op}, operands);
}
Ex BuilderBase::sign(Op integer, std::initializer_list<Ex> operands) {
  const auto typed =
      std::ranges::find_if(operands, [&](const Ex& ex) { return types_[index(ex.id())] != kNoType; });
  return apply(meant(integer, typed == operands.end() ? kNoType : types_[index(typed->id())]), operands);
}
std::optional<std::pair<Ex, uint32_t>> BuilderBase::as_sum_with_literal(Ex ex) {
  const Expr& sum = code_[ex.id()];
  if (sum.kind != ExprKind::Apply || sum.op != Op::Add) return std::nullopt;
  const ExprId right = code_.arg(sum, 1);
  const Expr& number = code_[right];
  if (number.kind != ExprKind::Literal || number.type != DataType::U32) return std::nullopt;
  return std::pair(Ex(this, code_.arg(sum, 0)), number.immediate);
}
Ex BuilderBase::cast(DataType type, Ex value, RoundingMode mode) {
  return add({.kind = ExprKind::Apply, .op = Op::Cast, .type = type, .mode = mode}, {{value}});
}
Ex BuilderBase::bitcast(DataType type, Ex value) {
  return add({.kind = ExprKind::Apply, .op = Op::Bitcast, .type = type}, {{value}});
}
Ex BuilderBase::call(std::string_view operation, std::initializer_list<Ex> arguments, uint32_t version) {
  return call(operation, std::span(arguments.begin(), arguments.size()), version);
}
Ex BuilderBase::call(std::string_view operation, std::span<const Ex> arguments, uint32_t version) {
  return add(
      {.kind = ExprKind::Apply, .op = Op::Call, .symbol = code_.intern(operation), .immediate = version},
      arguments);
}

Ex BuilderBase::let(std::string_view name, Ex value) {
  const Symbol symbol = code_.intern(name);
  add_statement({.kind = NodeKind::Let, .symbol = symbol}, {{value}});
  declare(symbol, types_[index(value.id())]);
  return var(name);
}
void BuilderBase::assign(Ex variable, Ex value) {
  add_statement({.kind = NodeKind::Assign, .symbol = code_[variable.id()].symbol}, {{value}});
}
void BuilderBase::if_(Ex condition, const std::function<void()>& then) {
  const BlockId body = collect(then);
  add_statement({.kind = NodeKind::If, .body = body}, {{condition}});
}
void BuilderBase::if_(Ex condition, const std::function<void()>& then,
                      const std::function<void()>& otherwise) {
  const BlockId body = collect(then);
  const BlockId orelse = collect(otherwise);
  add_statement({.kind = NodeKind::If, .body = body, .orelse = orelse}, {{condition}});
}
void BuilderBase::loop(std::string_view name, Ex from, Ex to, const std::function<void(Ex)>& body) {
  add_loop(name, from, to, body, /*unroll=*/false);
}
void BuilderBase::unrolled_loop(std::string_view name, Ex from, Ex to, const std::function<void(Ex)>& body) {
  add_loop(name, from, to, body, /*unroll=*/true);
}
void BuilderBase::add_loop(std::string_view name, Ex from, Ex to, const std::function<void(Ex)>& body,
                           bool unroll) {
  declare(code_.intern(name), DataType::U32);
  const BlockId id = collect([&] { body(var(name)); });
  add_statement({.kind = NodeKind::Loop, .symbol = code_.intern(name), .body = id, .unroll = unroll},
                {{from, to}});
}
void BuilderBase::block(const std::function<void()>& body) {
  const BlockId id = collect(body);
  add_statement({.kind = NodeKind::Block, .body = id}, {});
}

namespace {

/// Writes the code of a function with a builder, its parameters replaced.
class Inlining {
 public:
  Inlining(BuilderBase& builder, const Function& function, std::span<const Ex> arguments)
      : builder_(builder), function_(function), code_(function.code), arguments_(arguments) {}

  Ex run() {
    write(function_.body);
    return write(function_.result);
  }

 private:
  void write(BlockId block) {
    for (const NodeId id : code_.block(block)) {
      const Node node = code_[id];
      const auto operand = [&](uint32_t k) { return write(code_.arg(node, k)); };
      switch (node.kind) {
        case NodeKind::Let: builder_.let(code_.name(node.symbol), operand(0)); break;
        case NodeKind::Assign: {
          const Ex value = operand(0);
          builder_.assign(builder_.var(code_.name(node.symbol)), value);
          break;
        }
        case NodeKind::If: {
          const Ex condition = operand(0);
          const auto then = [&] { write(node.body); };
          if (node.orelse == kNoBlock)
            builder_.if_(condition, then);
          else
            builder_.if_(condition, then, [&] { write(node.orelse); });
          break;
        }
        case NodeKind::Loop: {
          const Ex from = operand(0), to = operand(1);
          const auto body = [&](Ex) { write(node.body); };
          if (node.unroll)
            builder_.unrolled_loop(code_.name(node.symbol), from, to, body);
          else
            builder_.loop(code_.name(node.symbol), from, to, body);
          break;
        }
        case NodeKind::Block: builder_.block([&] { write(node.body); }); break;
        case NodeKind::Store:
        case NodeKind::Return:
        case NodeKind::Barrier: std::unreachable();  // not in operations
      }
    }
  }

  Ex write(ExprId id) {
    const Expr e = code_[id];
    std::vector<Ex> operands;
    for (const ExprId operand : code_.args(e)) operands.push_back(write(operand));
    switch (e.kind) {
      case ExprKind::Literal:
        return spec::info(e.type).bytes > 4 ? builder_.literal(e.type, code_.wide[e.immediate])
                                            : builder_.literal(e.type, e.immediate);
      case ExprKind::Var: {
        const auto parameter = std::ranges::find(function_.parameters, e.symbol, &Function::Parameter::name);
        if (parameter == function_.parameters.end()) return builder_.var(code_.name(e.symbol));
        return arguments_[size_t(parameter - function_.parameters.begin())];
      }
      case ExprKind::Apply: {
        if (e.op == Op::Call) return builder_.call(code_.name(e.symbol), operands, e.immediate);
        if (e.op == Op::Cast) return builder_.cast(e.type, operands[0], e.mode);
        if (e.op == Op::Bitcast) return builder_.bitcast(e.type, operands[0]);
        if (e.op == Op::Component) return builder_.component(operands[0], e.immediate);
        return builder_.apply(e.op, operands);
      }
      case ExprKind::Load:
      case ExprKind::BufLen:
      case ExprKind::InvocationId:
      case ExprKind::WorkgroupId:
      case ExprKind::LocalId:
      case ExprKind::NumWorkgroups: std::unreachable();  // not in operations
    }
    std::unreachable();
  }

  BuilderBase& builder_;
  const Function& function_;
  const Code& code_;
  std::span<const Ex> arguments_;
};

}  // namespace

Ex BuilderBase::inlined(const Function& function, std::span<const Ex> arguments) {
  return Inlining(*this, function, arguments).run();
}

BufferRef BufferBuilder::declare(std::string_view name, BufferAccess access, DataType element,
                                 uint32_t binding, uint32_t count) {
  const Symbol symbol = code_.intern(name);
  BuilderBase::declare(symbol, spec::element_value_type(element));
  buffers_.push_back({.name = symbol,
                      .access = access,
                      .element = element,
                      .binding = binding,
                      .count = count,
                      .span = Span::none()});
  return {symbol};
}
BufferRef BufferBuilder::declare(std::string_view name, BufferAccess access, const Tensor& tensor,
                                 uint32_t binding) {
  const BufferRef buffer = declare(name, access, DataType::Tensor, binding, 0);
  BuilderBase::declare(buffer.name, tensor.element);
  buffers_.back().tensor = uint32_t(tensors_.size());
  TensorType type{tensor.element, {}, tensor.strides};
  for (const Dimension& dim : tensor.dims) {
    const bool fixed = dim.buffer == kNoSymbol;
    type.dims.push_back({.size = dim.size,
                         .name = fixed ? kNoSymbol : code_.intern(dim.name),
                         .buffer = dim.buffer,
                         .element = dim.element});
  }
  tensors_.push_back(std::move(type));
  return buffer;
}
BufferRef BufferBuilder::read(std::string_view name, const Tensor& tensor, uint32_t binding) {
  return declare(name, BufferAccess::Read, tensor, binding);
}
BufferRef BufferBuilder::read_write(std::string_view name, const Tensor& tensor, uint32_t binding) {
  return declare(name, BufferAccess::ReadWrite, tensor, binding);
}
BufferRef BufferBuilder::uniform(std::string_view name, const Tensor& tensor, uint32_t binding) {
  return declare(name, BufferAccess::Uniform, tensor, binding);
}
BufferRef BufferBuilder::read(std::string_view name, DataType element, uint32_t binding) {
  return declare(name, BufferAccess::Read, element, binding, 0);
}
BufferRef BufferBuilder::read_write(std::string_view name, DataType element, uint32_t binding) {
  return declare(name, BufferAccess::ReadWrite, element, binding, 0);
}
BufferRef BufferBuilder::uniform(std::string_view name, DataType element, uint32_t binding) {
  return declare(name, BufferAccess::Uniform, element, binding, 0);
}

Ex BufferBuilder::load(BufferRef buffer, std::initializer_list<Ex> indices) {
  return add({.kind = ExprKind::Load, .symbol = buffer.name}, std::span(indices.begin(), indices.size()));
}
Ex BufferBuilder::len(BufferRef buffer) { return add({.kind = ExprKind::BufLen, .symbol = buffer.name}, {}); }

ProgramBuilder::ProgramBuilder(std::string name) { program_.name = std::move(name); }
BufferRef ProgramBuilder::workgroup(std::string_view name, DataType element, uint32_t count) {
  return declare(name, BufferAccess::Workgroup, element, 0, count);
}
BufferRef ProgramBuilder::private_(std::string_view name, DataType element, uint32_t count) {
  return declare(name, BufferAccess::Private, element, 0, count);
}
Ex ProgramBuilder::invocation_id(uint32_t axis) {
  return add({.kind = ExprKind::InvocationId, .immediate = axis}, {});
}
Ex ProgramBuilder::workgroup_id(uint32_t axis) {
  return add({.kind = ExprKind::WorkgroupId, .immediate = axis}, {});
}
Ex ProgramBuilder::local_id(uint32_t axis) { return add({.kind = ExprKind::LocalId, .immediate = axis}, {}); }
Ex ProgramBuilder::num_workgroups(uint32_t axis) {
  return add({.kind = ExprKind::NumWorkgroups, .immediate = axis}, {});
}
Ex ProgramBuilder::atomic(Op op, BufferRef buffer, Ex index, Ex value) {
  return add({.kind = ExprKind::Apply, .op = op, .symbol = buffer.name}, {{index, value}});
}
Ex ProgramBuilder::atomic_compare_exchange(BufferRef buffer, Ex index, Ex expected, Ex value) {
  return add({.kind = ExprKind::Apply, .op = Op::AtomicCompareExchange, .symbol = buffer.name},
             {{index, expected, value}});
}
Ex ProgramBuilder::reduce_approx(Op fold, BufferRef buffer, uint32_t tolerance) {
  return reduce(Op::FReduceApprox, fold, buffer, tolerance, {});
}
Ex ProgramBuilder::reduce_approx(Op fold, BufferRef buffer, uint32_t tolerance, Ex from, Ex to) {
  return reduce(Op::FReduceApprox, fold, buffer, tolerance, {from, to});
}
Ex ProgramBuilder::reduce(Op op, Op fold, BufferRef buffer, uint32_t tolerance,
                          std::initializer_list<Ex> range) {
  return add({.kind = ExprKind::Apply,
              .op = op,
              .symbol = buffer.name,
              .immediate = spec::reduction_immediate(fold, tolerance)},
             range);
}
void ProgramBuilder::store(BufferRef buffer, std::initializer_list<Ex> indices, Ex value) {
  std::vector<Ex> operands(indices);
  operands.push_back(value);
  add_statement({.kind = NodeKind::Store, .symbol = buffer.name}, operands);
}
void ProgramBuilder::return_() { add_statement({.kind = NodeKind::Return}, {}); }
void ProgramBuilder::barrier() { add_statement({.kind = NodeKind::Barrier}, {}); }

Program ProgramBuilder::finish() {
  program_.entry = finish_entry();
  program_.buffers = std::move(buffers_);
  program_.tensors = std::move(tensors_);
  program_.code = std::move(code_);
  return std::move(program_);
}

FunctionBuilder::FunctionBuilder(std::string id) { function_.id = std::move(id); }

Ex FunctionBuilder::parameter(std::string_view name, DataType type) {
  function_.parameters.push_back({code_.intern(name), type});
  declare(function_.parameters.back().name, type);
  return var(name);
}

Function FunctionBuilder::finish(Ex result, DataType result_type) {
  function_.result = claim(result);
  function_.result_type = result_type;
  function_.body = finish_entry();
  function_.code = std::move(code_);
  return std::move(function_);
}

#define VYRE_EX_BINARY(symbol, Name) \
  Ex operator symbol(Ex a, Ex b) { return a.builder().sign(Op::Name, {a, b}); }
VYRE_EX_BINARY(+, Add)
VYRE_EX_BINARY(-, Sub)
VYRE_EX_BINARY(*, Mul)
VYRE_EX_BINARY(/, Div)
VYRE_EX_BINARY(%, Mod)
VYRE_EX_BINARY(&, BitAnd)
VYRE_EX_BINARY(|, BitOr)
VYRE_EX_BINARY(^, BitXor)
VYRE_EX_BINARY(<<, Shl)
VYRE_EX_BINARY(>>, Shr)
VYRE_EX_BINARY(==, Eq)
VYRE_EX_BINARY(!=, Ne)
VYRE_EX_BINARY(<, Lt)
VYRE_EX_BINARY(>, Gt)
VYRE_EX_BINARY(<=, Le)
VYRE_EX_BINARY(>=, Ge)
VYRE_EX_BINARY(&&, And)
VYRE_EX_BINARY(||, Or)
#undef VYRE_EX_BINARY
Ex operator-(Ex a) { return a.builder().sign(Op::Negate, {a}); }
Ex operator~(Ex a) { return a.builder().apply(Op::BitNot, {a}); }
Ex operator!(Ex a) { return a.builder().apply(Op::LogicalNot, {a}); }

}  // namespace vyre::ir
