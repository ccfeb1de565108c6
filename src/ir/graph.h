// A graph: what is computed of tensors, before it is checked, and never how.
//
//   graph mean_rows(x: f32[n, 64]) -> (y: f32[n, 1]) {
//     let sum = reduce(fadd, tree, x, 1);
//     y = sum / 64.0;
//   }
//
// A graph is a list of commands in the order of the text, each of which gives one tensor a name (a call of a
// graph with several outputs gives several). The operands of a command are expressions over tensors that have
// names: operators and operations of scalars, each on every element. An operation on whole tensors that
// stands inside of an expression is a command of its own before it, whose name a text cannot write: `#` and
// the number of the command. It is used exactly once, and the printer writes it where it is used.
//
// Sizes are host expressions over the names of dimensions: numbers, names, + - * / and ceil_div. A dimension
// gets its size when a graph is run, from the shapes of its parameters. Source: docs/spec/graphs.md.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/ir.h"
#include "spec/limits.h"
#include "spec/ops.h"
#include "spec/table.h"

namespace vyre::ir {

/// What stands in a tensor operation beside its tensors.
enum class TensorList : uint8_t {
  Nothing,
  Axes,        // [1, 0]
  Ranges,      // [from..to step s, ...]: three sizes an axis; step 1 where none is written
  Sizes,       // [b, 4]
  Axis,        // a number
  Pads,        // [before..behind, ...]: two sizes an axis
  SizesAxis,   // [b, 4], axis
  FoldAxis,    // an operator, of floats an order, the tensor, axis
  CalleeAxis,  // the id of an operation, tensors, axis
  Product,     // the type of the accumulator and the size of a block, or nothing
  CountAxis,   // one size, axis
};

enum class TensorOp : uint8_t {
#define VYRE_TENSOR_OP(tag, Name, text, operands, list) Name,
#include "ir/tensor_ops.def"
#undef VYRE_TENSOR_OP
};

struct TensorOpInfo {
  TensorOp op;
  uint8_t wire_tag;
  std::string_view text;
  uint32_t operands;  // 0: any number
  TensorList list;
};
inline constexpr auto kTensorOps = std::to_array<TensorOpInfo>({
#define VYRE_TENSOR_OP(tag, Name, text, operands, list) \
  {TensorOp::Name, tag, text, operands, TensorList::list},
#include "ir/tensor_ops.def"
#undef VYRE_TENSOR_OP
});
inline constexpr size_t kTensorOpCount = kTensorOps.size();
constexpr const TensorOpInfo& info(TensorOp op) { return kTensorOps[size_t(op)]; }
/// By its text; Value has none.
constexpr std::optional<TensorOp> find_tensor_op(std::string_view text) {
  for (const TensorOpInfo& known : kTensorOps) {
    if (!text.empty() && known.text == text) return known.op;
  }
  return std::nullopt;
}
/// Whether it takes as many tensors as one likes, and how many it takes at least.
constexpr bool any_number(TensorOp op) { return op == TensorOp::Concat || op == TensorOp::Recur; }
constexpr uint32_t least_operands(TensorOp op) {
  return op == TensorOp::Concat ? 1 : op == TensorOp::Recur ? 2 : info(op).operands;
}

/// What reduce and scan fold with. There are no operators for the lesser and the greater of two integers;
/// those of atomics stand for them.
struct FoldInfo {
  Op op;
  std::string_view text;
  bool ordered = false;  // of floats, where the result hangs on the order
};
inline constexpr auto kFolds = std::to_array<FoldInfo>({
    {Op::FAdd, "fadd", true},
    {Op::FMul, "fmul", true},
    {Op::FMin, "fmin", true},
    {Op::FMax, "fmax", true},
    {Op::Add, "add"},
    {Op::Mul, "mul"},
    {Op::AtomicMin, "min"},
    {Op::AtomicMax, "max"},
    {Op::BitAnd, "bit_and"},
    {Op::BitOr, "bit_or"},
    {Op::BitXor, "bit_xor"},
});
constexpr const FoldInfo* find_fold(Op op) {
  const auto found = std::ranges::find(kFolds, op, &FoldInfo::op);
  return found == kFolds.end() ? nullptr : &*found;
}
constexpr const FoldInfo* find_fold(std::string_view text) {
  const auto found = std::ranges::find(kFolds, text, &FoldInfo::text);
  return found == kFolds.end() ? nullptr : &*found;
}

}  // namespace vyre::ir

template <>
struct vyre::spec::KeyCount<vyre::ir::TensorOp> : std::integral_constant<size_t, vyre::ir::kTensorOpCount> {};

namespace vyre::ir {

/// The order in which floats are reduced: ascending, or by the canonical tree. None: of integers, which have
/// one result in every order.
enum class Order : uint8_t { None, Strict, Tree };

/// One chain for all of k.
inline constexpr uint32_t kWholeBlock = 0xffffffff;

/// A parameter or an output.
struct TensorDecl {
  Symbol name = kNoSymbol;
  DataType element = DataType::F32;
  std::vector<ExprId> sizes;  // of a parameter each is a number or the name of a dimension
  Span span;
};

struct TensorCommand {
  TensorOp op{};
  std::vector<Symbol> names;      // what it gives: one, but for calls of graphs; of outputs, their names
  std::vector<ExprId> operands;   // expressions over tensors, in the order of the text
  std::vector<ExprId> sizes;      // as TensorList says
  std::vector<uint32_t> axes;     // Axes; Axis and the like: one
  Op fold{};                      // FoldAxis: one of kFolds
  Order order = Order::None;      // FoldAxis
  Symbol callee = kNoSymbol;      // CalleeAxis: the id of an operation
  uint32_t version = 1;           // of it
  DataType type = DataType::F32;  // Product: of the accumulator
  uint32_t block = kWholeBlock;   // Product
  bool typed = false;             // Product: whether the text says the accumulator's type
  Span span;
};

struct Graph {
  std::string name;  // or an id with points, of the library
  uint32_t version = 1;
  std::vector<TensorDecl> parameters, outputs;
  std::vector<TensorCommand> commands;
  Code code;  // of all expressions; it has no statements
  Span span;  // of the name
};

/// Structural equality, as of programs.
bool equal(const Graph& a, const Graph& b);

/// How deep operations on whole tensors may stand in each other.
inline constexpr uint32_t kMaxTensorNesting = spec::kMaxNesting;

/// The name of command `number` where it stands inside of an expression.
std::string nested_name(size_t number);
constexpr bool is_nested_name(std::string_view name) { return name.starts_with('#'); }
/// Whether the command stands inside of a later one.
inline bool is_nested(const Graph& graph, const TensorCommand& command) {
  return command.names.size() == 1 && is_nested_name(graph.code.name(command.names[0]));
}

/// The first command whose nesting no text can have; none of what the parser, the decoder and the builder
/// make. In a text, nested commands stand directly before the one that uses them, in the order in which it
/// names them, each once; a Value is never nested, nor is it nothing but a nested command; only a call gives
/// other than one name.
std::optional<uint32_t> misplaced(const Graph& graph);

}  // namespace vyre::ir
