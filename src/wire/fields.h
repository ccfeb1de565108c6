// What stands in a file, field by field, in the order of its bytes: once for the encoder and the decoder.
//
// fields(io, x) hands each field of x to `io`, which writes it or reads it: a number is io.number(), a name
// io.name(), and so on. What decides which fields follow (a flag, a tag) comes before them, so that one text
// serves both: the decoder has read it by then. Blocks and operands of expressions are not in here, since a
// walk over them is no list of fields. Source: docs/wire-format.md.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "ir/module.h"
#include "spec/ops.h"
#include "spec/signature.h"
#include "wire/tags.h"

namespace vyre::wire {

/// A T to be read, or a const T to be written.
template <typename T, typename Of>
concept Is = std::same_as<std::remove_const_t<T>, Of>;

void fields(auto& io, Is<ir::Dim> auto& dim) {
  bool dynamic = dim.dynamic();
  io.flag(dynamic);
  if (dynamic) {
    io.name(dim.name);
    io.name(dim.buffer);
    io.number(dim.element);
  } else {
    io.number(dim.size);
  }
}

void fields(auto& io, Is<ir::TensorType> auto& tensor) {
  io.element_type(tensor.element);
  io.list(tensor.dims, 2, "dimensions");
  io.list(tensor.strides, 1, "strides");
}

/// Of a program or a pipeline, whose tensors stand in the order of their buffers.
void fields(auto& io, Is<ir::BufferDecl> auto& decl, auto& tensors) {
  io.name(decl.name);
  io.tag(decl.access, "buffer access");
  io.type(decl.element);
  if (decl.element == spec::DataType::Tensor) io.tensor(decl.tensor, tensors);
  io.number(spec::is_bound(decl.access) ? decl.binding : decl.count);
}

// What is said of an operation. Laws are no names of its code, so they are written out.

void fields(auto& io, Is<ir::Value> auto& value) {
  io.value_type(value.type);
  io.words(value.bits, value.type);
}

void fields(auto& io, Is<ir::LawText::Argument> auto& argument) {
  io.text(argument.operation);
  if (argument.operation.empty()) {
    for (auto& word : argument.bits) io.number(word);
  } else {
    io.number(argument.version);
  }
}

void fields(auto& io, Is<ir::LawText> auto& law) {
  io.text(law.name);
  io.list(law.arguments, 3, "arguments");
}

void fields(auto& io, Is<ir::DenialText> auto& denial) {
  fields(io, denial.law);
  io.list(denial.witness, 2, "values");
}

void fields(auto& io, Is<ir::Row> auto& row) {
  io.list(row.operands, 2, "values");
  fields(io, row.expected);
}

void fields(auto& io, Is<ir::Function::Parameter> auto& parameter) {
  io.name(parameter.name);
  io.type(parameter.type);
}

/// All that stands before the code.
void fields(auto& io, Is<ir::Operation> auto& operation) {
  io.number(operation.version);
  io.list(operation.function.parameters, 2, "parameters");
  io.type(operation.function.result_type);
  io.list(operation.claims, 2, "claims");
  io.list(operation.denials, 3, "denials");
  io.list(operation.rows, 3, "rows");
}

/// All but the bodies behind it.
void fields(auto& io, Is<ir::Command> auto& command) {
  io.tag(command.kind, "command");
  const ir::CommandShape& shape = ir::kCommandShapes[command.kind];
  if (shape.symbol) io.name(command.symbol);
  if (shape.type) io.type(command.type);
  if (shape.version) io.number(command.version);
  if (shape.arguments) io.arguments(command.arguments);
  uint32_t operands = shape.operands;
  if (command.kind == ir::CommandKind::Dispatch) io.axes(operands, command.exprs);
  io.operands(command.exprs, operands);
  if (command.kind == ir::CommandKind::If) io.flag(command.has_else);
}

void fields(auto& io, Is<ir::Argument> auto& argument) {
  io.name(argument.parameter);
  bool list = argument.buffer == ir::kNoSymbol;
  io.flag(list);
  if (list) {
    uint32_t words = argument.words.count;
    io.more_than(1, words, "further words");
    io.operands(argument.words, words);
  } else {
    io.name(argument.buffer);
  }
}

// Graphs.

void fields(auto& io, Is<ir::TensorDecl> auto& decl) {
  io.name(decl.name);
  io.type(decl.element);
  io.sizes(decl.sizes, 1);
}

/// All of a graph that stands before its commands.
void fields(auto& io, Is<ir::Graph> auto& graph) {
  io.number(graph.version);
  io.list(graph.parameters, 3, "parameters");
  io.list(graph.outputs, 3, "outputs");
}

void fields(auto& io, Is<ir::TensorCommand> auto& command) {
  using enum ir::TensorList;
  io.tag(command.op, "operation on tensors");
  io.names(command.names, command.op == ir::TensorOp::Value);
  const ir::TensorList list = ir::info(command.op).list;
  if (list == FoldAxis) io.fold(command.fold, command.order);
  if (list == CalleeAxis) {
    io.name(command.callee);
    io.number(command.version);
  }
  io.tensors(command.operands, ir::least_operands(command.op), ir::any_number(command.op));
  switch (list) {
    case Nothing: return;
    case Axes: return io.list(command.axes, 1, "axes");
    case Ranges: return io.sizes(command.sizes, 3);
    case Sizes: return io.sizes(command.sizes, 1);
    case Pads: return io.sizes(command.sizes, 2);
    case SizesAxis: io.sizes(command.sizes, 1); break;
    case CountAxis: io.tensors(command.sizes, 1, false); break;
    case Product:
      io.flag(command.typed);
      if (!command.typed) return;
      io.type(command.type);
      return io.number(command.block);
    case Axis:
    case FoldAxis:
    case CalleeAxis: break;
  }
  io.one_axis(command.axes);
}

/// All but the blocks behind it, of which `has_else` says whether there is a second one.
void fields(auto& io, Is<ir::Node> auto& node, bool& has_else) {
  io.statement(node.kind, node.unroll);
  const ir::NodeShape& shape = ir::kNodeShapes[node.kind];
  if (shape.symbol) io.name(node.symbol);
  uint32_t operands = shape.operands;
  if (shape.any_number) {  // one index at least, and the value
    operands = node.args.count;
    io.more_than(2, operands, "further indices");
  }
  io.operands(node.args, operands);
  if (shape.orelse) io.flag(has_else);
}

/// By operator: how many operands follow its tag at once, or kMore where something else stands between.
inline constexpr uint8_t kMore = 0xff;
inline constexpr auto kBareOperands = [] {
  std::array<uint8_t, spec::kOpCount> out{};
  for (size_t i = 0; i < spec::kOpCount; ++i) {
    const spec::Op op = spec::kOps[i].op;
    const bool bare = spec::is_scalar(op) || spec::form_of(op) == spec::Form::Select;
    out[i] = bare ? uint8_t(*spec::operand_count(op)) : kMore;
  }
  return out;
}();

/// What follows the tag of an operator.
void fields_of_operator(auto& io, Is<ir::Expr> auto& e, uint32_t& operands) {
  io.op(e.op);
  const uint8_t bare = kBareOperands[static_cast<size_t>(e.op)];
  if (bare != kMore) {
    operands = bare;
    return;
  }
  using spec::Form;
  switch (spec::form_of(e.op)) {
    case Form::Scalar:
    case Form::Select:
    case Form::MakeVector: break;
    case Form::Component: io.number(e.immediate); break;
    case Form::Cast:
      io.type(e.type);
      io.tag(e.mode, "rounding mode");
      break;
    case Form::Bitcast: io.type(e.type); break;
    case Form::Call:
      io.name(e.symbol);
      io.number(e.immediate);
      return io.more_than(0, operands, "arguments");
    case Form::Reduce: {
      io.name(e.symbol);
      io.fold(e);
      bool has_range = operands != 0;
      io.flag(has_range);
      operands = has_range ? 2 : 0;
      return;
    }
    case Form::Atomic: io.name(e.symbol); break;
  }
  operands = spec::operand_count(e.op).value_or(0);
}

/// All of an expression but its operands, and how many these are.
void fields(auto& io, Is<ir::Expr> auto& e, uint32_t& operands) {
  io.tag(e.kind, "expression");
  switch (e.kind) {
    case ir::ExprKind::Literal: return io.literal(e);
    case ir::ExprKind::Var:
    case ir::ExprKind::BufLen: return io.name(e.symbol);
    case ir::ExprKind::Load: io.name(e.symbol); return io.more_than(1, operands, "further indices");
    case ir::ExprKind::InvocationId:
    case ir::ExprKind::WorkgroupId:
    case ir::ExprKind::LocalId:
    case ir::ExprKind::NumWorkgroups: return io.number(e.immediate);
    case ir::ExprKind::Apply: return fields_of_operator(io, e, operands);
  }
  std::unreachable();
}

}  // namespace vyre::wire
