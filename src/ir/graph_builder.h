// Building graphs in C++.
//
//   ir::GraphBuilder g("mean_rows");
//   const auto x = g.parameter("x", DataType::F32, {"n", 64});
//   g.output("y", DataType::F32, {"n", 1});
//   const auto sum = g.let("sum", g.reduce(Op::FAdd, Order::Tree, x, 1));
//   g.set("y", sum / g.f32(64));
//   ir::Graph graph = g.finish();
//
// Tensors are handles like the expressions of programs, with the same signs and operators; operations on
// whole tensors may stand in each other, as in text. The graph is the one that the parser makes of the
// printed text: a handle that is used twice stands there twice, so what is to be computed once is given a
// name by let(). Nothing that check/ checks is checked here.
#pragma once

#include <concepts>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/builder.h"
#include "ir/graph.h"

namespace vyre::ir {

/// A size: a number, the name of a dimension, or an expression of these.
struct Size {
  Size(uint32_t number) : value(number) {}  // NOLINT: shapes are lists of numbers and names
  Size(Ex ex) : value(ex) {}                // NOLINT
  template <std::convertible_to<std::string_view> Name>
  Size(const Name& dimension) : value(std::string(std::string_view(dimension))) {}  // NOLINT
  std::variant<uint32_t, std::string, Ex> value;
};
struct SizeRange {
  Size from, to, step = 1u;
};
/// How many elements stand before and behind an axis.
struct Padding {
  Size before, behind;
};
using Sizes = std::initializer_list<Size>;

class GraphBuilder : public BuilderBase {
 public:
  explicit GraphBuilder(std::string name, uint32_t version = 1);

  Ex parameter(std::string_view name, DataType element, Sizes sizes);
  void output(std::string_view name, DataType element, Sizes sizes);
  /// The size of an axis, a u32, in sizes and among scalars.
  Ex dimension(std::string_view name);
  Ex ceil_div(Ex a, Ex b) { return call("ceil_div", {a, b}); }

  Ex let(std::string_view name, Ex value);
  /// What a call of a graph gives, by the types of its outputs. An output among the names gets its value so.
  std::vector<Ex> let(std::initializer_list<std::string_view> names, Ex call,
                      std::initializer_list<DataType> types);
  void set(std::string_view output, Ex value) { let(output, value); }
  /// A call of a graph with one output of this type; other types are let()'s to say.
  Ex graph(std::string_view callee, std::initializer_list<Ex> arguments, DataType type = DataType::F32);

  Ex transpose(Ex t, std::initializer_list<uint32_t> axes);
  Ex slice(Ex t, std::initializer_list<SizeRange> ranges);
  Ex broadcast(Ex t, Sizes sizes) { return tensor({.op = TensorOp::Broadcast}, {{t}}, sizes); }
  Ex reshape(Ex t, Sizes sizes) { return tensor({.op = TensorOp::Reshape}, {{t}}, sizes); }
  Ex concat(uint32_t axis, std::initializer_list<Ex> tensors);
  Ex pad(Ex t, std::initializer_list<Padding> axes, Ex value);
  Ex gather(Ex t, Ex indices, uint32_t axis) { return along(TensorOp::Gather, {t, indices}, axis); }
  Ex scatter_add(Ex t, Ex indices, Ex updates, uint32_t axis) {
    return along(TensorOp::ScatterAdd, {t, indices, updates}, axis);
  }
  Ex index(Sizes sizes, uint32_t axis);
  /// With one of kFolds; floats in an order, integers in none.
  Ex reduce(Op fold, Order order, Ex t, uint32_t axis);
  Ex scan(Op fold, Order order, Ex t, uint32_t axis);
  Ex recur(std::string_view operation, Ex init, std::initializer_list<Ex> tensors, uint32_t axis,
           uint32_t version = 1);
  Ex matmul(Ex a, Ex b);
  Ex matmul(Ex a, Ex b, DataType accumulator, uint32_t block = kWholeBlock);
  Ex sort(Ex t, uint32_t axis) { return along(TensorOp::Sort, {t}, axis); }
  Ex argsort(Ex t, uint32_t axis) { return along(TensorOp::Argsort, {t}, axis); }
  Ex top_k(Ex t, const Size& k, uint32_t axis);
  Ex arg_top_k(Ex t, const Size& k, uint32_t axis);

  /// The graph; the builder is spent.
  Graph finish() { return std::move(graph_); }

 private:
  // Statements of programs.
  using BuilderBase::assign;
  using BuilderBase::block;
  using BuilderBase::if_;
  using BuilderBase::inlined;
  using BuilderBase::loop;
  using BuilderBase::unrolled_loop;

  /// An operation that waits for the let it stands in, where it gets its number. Ids are those of code_.
  struct Waiting {
    TensorCommand command;
    std::vector<Ex> operands;
    std::vector<Size> sizes;
  };
  Ex tensor(TensorCommand command, std::span<const Ex> operands, std::span<const Size> sizes = {});
  Ex tensor(TensorCommand command, std::span<const Ex> operands, Sizes sizes) {
    return tensor(std::move(command), operands, std::span(sizes.begin(), sizes.size()));
  }
  Ex along(TensorOp op, std::initializer_list<Ex> operands, uint32_t axis);
  TensorDecl decl(std::string_view name, DataType element, Sizes sizes);

  const Waiting* waiting(Ex ex) const;
  /// The command with its operands, before which those that stand in it are appended.
  TensorCommand placed(const Waiting& waiting);
  ExprId placed(Ex ex);
  ExprId placed(const Size& size);
  void add_let(std::span<const std::string_view> names, Ex value);

  Graph graph_;  // its code has what was placed; code_ has the handles
  std::vector<Waiting> waiting_;
};

}  // namespace vyre::ir
