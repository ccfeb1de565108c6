#include "generate/graph_sketch.h"

#include "ir/module.h"
#include "spec/ops.h"

namespace vyre::generate {
namespace {

using ir::Expr;
using ir::ExprId;
using ir::ExprKind;
using ir::Op;

class Layout {
 public:
  explicit Layout(ir::Code& code) : code_(code) {}

  ExprId size(const SizeTree& tree) {
    if (tree.parts.empty() && tree.name.empty())
      return add({.kind = ExprKind::Literal, .type = ir::DataType::U32, .immediate = tree.number}, {});
    if (tree.parts.empty()) return add({.kind = ExprKind::Var, .symbol = code_.intern(tree.name)}, {});
    const std::vector<ExprId> parts = {size(tree.parts[0]), size(tree.parts[1])};
    Expr e = {.kind = ExprKind::Apply, .op = tree.op};
    if (tree.op == Op::Call) {
      e.symbol = code_.intern(ir::kCeilDiv);
      e.immediate = 1;
    }
    return add(e, parts);
  }

  ExprId value(const ValueTree& tree) {
    std::vector<ExprId> operands;
    for (const ValueTree& operand : tree.operands) operands.push_back(value(operand));
    Expr e = {.kind = tree.kind, .op = tree.op, .type = tree.type, .mode = tree.mode};
    if (!tree.name.empty()) e.symbol = code_.intern(tree.name);
    if (tree.kind == ExprKind::Literal) {
      e.immediate = tree.bits[0];
      if (spec::info(tree.type).bytes > 4) {
        e.immediate = uint32_t(code_.wide.size());
        code_.wide.push_back(tree.bits);
      }
    }
    if (tree.kind == ExprKind::Apply && tree.op == Op::Call) e.immediate = tree.version;
    return add(e, operands);
  }

  std::vector<ExprId> sizes(const std::vector<SizeTree>& trees) {
    std::vector<ExprId> out;
    for (const SizeTree& tree : trees) out.push_back(size(tree));
    return out;
  }

 private:
  ExprId add(const Expr& e, const std::vector<ExprId>& operands) {
    return code_.add(e, operands, Span::none());
  }
  ir::Code& code_;
};

SizeTree size_of(const ir::Code& code, ExprId id) {
  const Expr& e = code[id];
  if (e.kind == ExprKind::Literal) return {.number = e.immediate};
  if (e.kind == ExprKind::Var) return {.name = std::string(code.name(e.symbol))};
  return {.op = e.op, .parts = {size_of(code, code.arg(e, 0)), size_of(code, code.arg(e, 1))}};
}

ValueTree value_of(const ir::Code& code, ExprId id) {
  const Expr& e = code[id];
  ValueTree out = {.kind = e.kind, .op = e.op, .type = e.type, .mode = e.mode};
  out.name = code.name(e.symbol);
  if (e.kind == ExprKind::Literal) out.bits = code.literal_bits(e);
  if (e.kind == ExprKind::Apply && e.op == Op::Call) out.version = e.immediate;
  for (const ExprId operand : code.args(e)) out.operands.push_back(value_of(code, operand));
  return out;
}

std::vector<SizeTree> sizes_of(const ir::Code& code, const std::vector<ExprId>& ids) {
  std::vector<SizeTree> out;
  for (const ExprId id : ids) out.push_back(size_of(code, id));
  return out;
}

}  // namespace

ir::Graph to_graph(const GraphSketch& sketch) {
  ir::Graph out;
  out.name = sketch.name;
  out.version = sketch.version;
  Layout layout(out.code);
  const auto declare = [&](const SketchedTensor& tensor) {
    const ir::Symbol name = out.code.intern(tensor.name);
    return ir::TensorDecl{name, tensor.type, layout.sizes(tensor.sizes), Span::none()};
  };
  for (const SketchedTensor& parameter : sketch.parameters) out.parameters.push_back(declare(parameter));
  for (const SketchedTensor& output : sketch.outputs) out.outputs.push_back(declare(output));
  for (const SketchedCommand& command : sketch.commands) {
    ir::TensorCommand made = {.op = command.op,
                              .axes = command.axes,
                              .fold = command.fold,
                              .order = command.order,
                              .version = command.version,
                              .type = command.type,
                              .block = command.block,
                              .typed = command.typed};
    for (const std::string& name : command.names) made.names.push_back(out.code.intern(name));
    for (const ValueTree& operand : command.operands) made.operands.push_back(layout.value(operand));
    made.sizes = layout.sizes(command.sizes);
    if (!command.callee.empty()) made.callee = out.code.intern(command.callee);
    out.commands.push_back(std::move(made));
  }
  return out;
}

GraphSketch sketch_of(const ir::Graph& graph) {
  const ir::Code& code = graph.code;
  GraphSketch out = {.name = graph.name, .version = graph.version};
  const auto declared = [&](const ir::TensorDecl& decl) {
    return SketchedTensor{std::string(code.name(decl.name)), decl.element, sizes_of(code, decl.sizes)};
  };
  for (const ir::TensorDecl& decl : graph.parameters) out.parameters.push_back(declared(decl));
  for (const ir::TensorDecl& decl : graph.outputs) out.outputs.push_back(declared(decl));
  for (const ir::TensorCommand& command : graph.commands) {
    SketchedCommand made = {.op = command.op,
                            .sizes = sizes_of(code, command.sizes),
                            .axes = command.axes,
                            .fold = command.fold,
                            .order = command.order,
                            .callee = std::string(code.name(command.callee)),
                            .version = command.version,
                            .type = command.type,
                            .block = command.block,
                            .typed = command.typed};
    for (const ir::Symbol name : command.names) made.names.emplace_back(code.name(name));
    for (const ExprId operand : command.operands) made.operands.push_back(value_of(code, operand));
    out.commands.push_back(std::move(made));
  }
  return out;
}

}  // namespace vyre::generate
