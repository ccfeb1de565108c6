#include "ir/graph_builder.h"

#include <charconv>
#include <utility>

namespace vyre::ir {
namespace {

/// The name of an operation that waits; texts have no such name.
std::string waiting_name(size_t number) { return "#?" + std::to_string(number); }

}  // namespace

GraphBuilder::GraphBuilder(std::string name, uint32_t version) {
  graph_.name = std::move(name);
  graph_.version = version;
}

TensorDecl GraphBuilder::decl(std::string_view name, DataType element, Sizes sizes) {
  TensorDecl out{.name = graph_.code.intern(name), .element = element};
  for (const Size& size : sizes) out.sizes.push_back(placed(size));
  return out;
}
Ex GraphBuilder::parameter(std::string_view name, DataType element, Sizes sizes) {
  graph_.parameters.push_back(decl(name, element, sizes));
  declare(code_.intern(name), element);
  return var(name);
}
void GraphBuilder::output(std::string_view name, DataType element, Sizes sizes) {
  graph_.outputs.push_back(decl(name, element, sizes));
}
Ex GraphBuilder::dimension(std::string_view name) {
  declare(code_.intern(name), DataType::U32);
  return var(name);
}

Ex GraphBuilder::let(std::string_view name, Ex value) {
  add_let({&name, 1}, value);
  declare(code_.intern(name), known_type(value));
  return var(name);
}
std::vector<Ex> GraphBuilder::let(std::initializer_list<std::string_view> names, Ex call,
                                  std::initializer_list<DataType> types) {
  add_let({names.begin(), names.size()}, call);
  std::vector<Ex> out;
  for (size_t i = 0; i < names.size(); ++i) {
    declare(code_.intern(names.begin()[i]), types.begin()[i]);
    out.push_back(var(names.begin()[i]));
  }
  return out;
}
Ex GraphBuilder::graph(std::string_view callee, std::initializer_list<Ex> arguments, DataType type) {
  const Ex out = call(callee, arguments);
  known_type(out) = type;
  return out;
}

void GraphBuilder::add_let(std::span<const std::string_view> names, Ex value) {
  const Waiting* const operation = names.size() == 1 ? waiting(value) : nullptr;
  TensorCommand command{.op = TensorOp::Value};
  if (operation != nullptr) {
    command = placed(*operation);
  } else {
    command.operands = {placed(value)};
  }
  for (const std::string_view name : names) command.names.push_back(graph_.code.intern(name));
  graph_.commands.push_back(std::move(command));
}

const GraphBuilder::Waiting* GraphBuilder::waiting(Ex ex) const {
  const Expr& e = code_[ex.id()];
  if (e.kind != ExprKind::Var || !code_.name(e.symbol).starts_with("#?")) return nullptr;
  const std::string_view digits = code_.name(e.symbol).substr(2);
  size_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return &waiting_[number];
}

TensorCommand GraphBuilder::placed(const Waiting& waiting) {
  TensorCommand out = waiting.command;
  for (const Ex operand : waiting.operands) out.operands.push_back(placed(operand));
  for (const Size& size : waiting.sizes) out.sizes.push_back(placed(size));
  return out;
}

ExprId GraphBuilder::placed(Ex ex) {
  Code& code = graph_.code;
  if (const Waiting* const operation = waiting(ex)) {
    TensorCommand command = placed(*operation);
    const Symbol name = code.intern(nested_name(graph_.commands.size()));
    command.names = {name};
    graph_.commands.push_back(std::move(command));
    return code.add({.kind = ExprKind::Var, .symbol = name}, {}, Span::none());
  }
  Expr e = code_[ex.id()];
  std::vector<ExprId> operands;
  for (const ExprId operand : code_.args(e)) operands.push_back(placed(handle(operand)));
  if (e.symbol != kNoSymbol) e.symbol = code.intern(code_.name(e.symbol));
  if (e.kind == ExprKind::Literal && spec::info(e.type).bytes > 4) {
    code.wide.push_back(code_.literal_bits(code_[ex.id()]));
    e.immediate = uint32_t(code.wide.size() - 1);
  }
  return code.add(e, operands, Span::none());
}

ExprId GraphBuilder::placed(const Size& size) {
  if (const Ex* const ex = std::get_if<Ex>(&size.value)) return placed(*ex);
  if (const std::string* const name = std::get_if<std::string>(&size.value)) {
    return graph_.code.add({.kind = ExprKind::Var, .symbol = graph_.code.intern(*name)}, {}, Span::none());
  }
  return graph_.code.add(
      {.kind = ExprKind::Literal, .type = DataType::U32, .immediate = std::get<uint32_t>(size.value)}, {},
      Span::none());
}

Ex GraphBuilder::tensor(TensorCommand command, std::span<const Ex> operands, std::span<const Size> sizes) {
  DataType type = operands.empty() ? DataType::U32 : known_type(operands[0]);
  if (command.op == TensorOp::Argsort || command.op == TensorOp::ArgTopK) type = DataType::U32;
  if (command.op == TensorOp::Matmul && (command.typed || spec::kFloats.contains(type))) type = command.type;
  if (command.op == TensorOp::Matmul && !command.typed && spec::kSmall.contains(type))
    type = spec::wide_type(type) == DataType::F32 ? DataType::F32 : DataType::I32;
  const std::string name = waiting_name(waiting_.size());
  waiting_.push_back({std::move(command), {operands.begin(), operands.end()}, {sizes.begin(), sizes.end()}});
  declare(code_.intern(name), type);
  return var(name);
}
Ex GraphBuilder::along(TensorOp op, std::initializer_list<Ex> operands, uint32_t axis) {
  return tensor({.op = op, .axes = {axis}}, {operands.begin(), operands.size()});
}

Ex GraphBuilder::transpose(Ex t, std::initializer_list<uint32_t> axes) {
  return tensor({.op = TensorOp::Transpose, .axes = axes}, {{t}});
}
Ex GraphBuilder::slice(Ex t, std::initializer_list<SizeRange> ranges) {
  std::vector<Size> sizes;
  for (const SizeRange& range : ranges) sizes.insert(sizes.end(), {range.from, range.to, range.step});
  return tensor({.op = TensorOp::Slice}, {{t}}, sizes);
}
Ex GraphBuilder::concat(uint32_t axis, std::initializer_list<Ex> tensors) {
  return along(TensorOp::Concat, tensors, axis);
}
Ex GraphBuilder::pad(Ex t, std::initializer_list<Padding> axes, Ex value) {
  std::vector<Size> sizes;
  for (const Padding& axis : axes) sizes.insert(sizes.end(), {axis.before, axis.behind});
  return tensor({.op = TensorOp::Pad}, {{t, value}}, sizes);
}
Ex GraphBuilder::index(Sizes sizes, uint32_t axis) {
  return tensor({.op = TensorOp::Index, .axes = {axis}}, {}, sizes);
}
Ex GraphBuilder::reduce(Op fold, Order order, Ex t, uint32_t axis) {
  return tensor({.op = TensorOp::Reduce, .axes = {axis}, .fold = fold, .order = order}, {{t}});
}
Ex GraphBuilder::scan(Op fold, Order order, Ex t, uint32_t axis) {
  return tensor({.op = TensorOp::Scan, .axes = {axis}, .fold = fold, .order = order}, {{t}});
}
Ex GraphBuilder::recur(std::string_view operation, Ex init, std::initializer_list<Ex> tensors, uint32_t axis,
                       uint32_t version) {
  std::vector<Ex> operands = {init};
  operands.insert(operands.end(), tensors.begin(), tensors.end());
  return tensor(
      {.op = TensorOp::Recur, .axes = {axis}, .callee = graph_.code.intern(operation), .version = version},
      operands);
}
Ex GraphBuilder::matmul(Ex a, Ex b) { return tensor({.op = TensorOp::Matmul}, {{a, b}}); }
Ex GraphBuilder::matmul(Ex a, Ex b, DataType accumulator, uint32_t block) {
  return tensor({.op = TensorOp::Matmul, .type = accumulator, .block = block, .typed = true}, {{a, b}});
}
Ex GraphBuilder::top_k(Ex t, const Size& k, uint32_t axis) {
  return tensor({.op = TensorOp::TopK, .axes = {axis}}, {{t}}, {&k, 1});
}
Ex GraphBuilder::arg_top_k(Ex t, const Size& k, uint32_t axis) {
  return tensor({.op = TensorOp::ArgTopK, .axes = {axis}}, {{t}}, {&k, 1});
}

}  // namespace vyre::ir
