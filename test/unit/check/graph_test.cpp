// Graphs: what each operation on tensors takes, the shape that it gives, and what flattening makes of it.
#include "check/graph.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "check/module.h"
#include "oracle.h"
#include "spec/ops.h"
#include "text/text.h"

VYRE_ORACLE(
    SpecificationTable,
    "graphs: the table of operations and \"Sizes\"; shapes, nodes and codes read by hand from the text");

namespace vyre::check::graphs {
namespace {

using ir::ExprId;
using ir::Order;
using ir::TensorCommand;
using ir::TensorOp;
using spec::DataType;
using spec::Op;
using testing::ElementsAre;

/// Graphs by hand, as no text is needed for.
struct Builder {
  ir::Graph graph;
  Builder(std::string name) { graph.name = std::move(name); }
  ExprId add(ir::Expr e, std::vector<ExprId> args = {}) { return graph.code.add(e, args, Span::none()); }
  ExprId number(uint32_t value) {
    return add({.kind = ir::ExprKind::Literal, .type = DataType::U32, .immediate = value});
  }
  ExprId f32(float value) {
    return add(
        {.kind = ir::ExprKind::Literal, .type = DataType::F32, .immediate = std::bit_cast<uint32_t>(value)});
  }
  ExprId var(std::string_view name) {
    return add({.kind = ir::ExprKind::Var, .symbol = graph.code.intern(name)});
  }
  ExprId apply(Op op, std::vector<ExprId> args) { return add({.kind = ir::ExprKind::Apply, .op = op}, args); }
  ExprId call(std::string_view id, std::vector<ExprId> args) {
    return add({.kind = ir::ExprKind::Apply, .op = Op::Call, .symbol = graph.code.intern(id), .immediate = 1},
               args);
  }
  void parameter(std::string_view name, DataType type, std::vector<ExprId> sizes) {
    graph.parameters.push_back({graph.code.intern(name), type, std::move(sizes), Span::none()});
  }
  void output(std::string_view name, DataType type, std::vector<ExprId> sizes) {
    graph.outputs.push_back({graph.code.intern(name), type, std::move(sizes), Span::none()});
  }
  TensorCommand& command(TensorOp op, std::string_view name, std::vector<ExprId> operands) {
    graph.commands.push_back({.op = op, .names = {graph.code.intern(name)}, .operands = std::move(operands)});
    return graph.commands.back();
  }
};

std::string codes(const Diagnostics& diags) {
  std::string out;
  for (const Diag& diag : diags) out += render(diag, nullptr);
  return out;
}

std::shared_ptr<const CheckedModule> accept(std::vector<ir::Graph> list) {
  ir::Module module;
  module.graphs = std::move(list);
  static const spec::OpTable none;
  auto checked = check(std::move(module), none);
  if (!checked) {
    ADD_FAILURE() << codes(checked.error());
    return nullptr;
  }
  return *checked;
}

Builder mlp() {
  Builder g("mlp");
  g.parameter("x", DataType::F32, {g.var("b"), g.number(784)});
  g.parameter("w", DataType::F32, {g.number(784), g.number(128)});
  g.parameter("bias", DataType::F32, {g.number(128)});
  g.output("y", DataType::F32, {g.var("b"), g.number(128)});
  g.command(TensorOp::Matmul, "h", {g.var("x"), g.var("w")});
  g.command(TensorOp::Value, "y",
            {g.apply(Op::FMax, {g.apply(Op::FAdd, {g.var("h"), g.var("bias")}), g.f32(0)})});
  return g;
}

std::vector<std::string> shapes(const TensorGraph& graph) {
  std::vector<std::string> out;
  for (const auto& node : graph.nodes) out.push_back(shape_text(node.type, node.shape));
  return out;
}

TEST(Graph, IsFlattened) {
  const auto checked = accept({mlp().graph});
  ASSERT_NE(checked, nullptr);
  const TensorGraph& graph = checked->graphs().at(0);
  EXPECT_THAT(shapes(graph),
              ElementsAre("f32[b, 784]", "f32[784, 128]", "f32[128]", "f32[b, 128]", "f32[b, 128]",
                          "f32[b, 128]", "f32[]", "f32[b, 128]", "f32[b, 128]"));
  std::vector<NodeOp> ops;
  for (const auto& node : graph.nodes) ops.push_back(node.op);
  using enum NodeOp;
  EXPECT_THAT(
      ops, ElementsAre(Parameter, Parameter, Parameter, Matmul, Broadcast, Apply, Literal, Broadcast, Apply));
  EXPECT_THAT(graph.nodes[5].operands, ElementsAre(3u, 4u));
  EXPECT_THAT(graph.nodes[8].operands, ElementsAre(5u, 7u));
  EXPECT_EQ(graph.nodes[8].scalar, Op::FMax);
  ASSERT_EQ(graph.outputs.size(), 1u);
  EXPECT_EQ(graph.outputs[0].node, 8u);
}

TEST(Graph, HasSizesWhenItIsRun) {
  const auto checked = accept({mlp().graph});
  ASSERT_NE(checked, nullptr);
  const TensorGraph& graph = checked->graphs().at(0);
  const std::vector<std::vector<uint32_t>> shapes = {{5, 784}, {784, 128}, {128}};
  const auto dimensions = dimensions_of(graph, shapes);
  ASSERT_TRUE(dimensions);
  EXPECT_EQ(*dimensions, (Dimensions{{"b", 5}}));
  const auto at = sized(graph, *dimensions);
  ASSERT_TRUE(at);
  EXPECT_THAT(at->nodes[8].shape, ElementsAre(5u, 128u));
}

TEST(Graph, CallsAreInlined) {
  Builder twice("twice");
  twice.parameter("x", DataType::F32, {twice.var("b"), twice.var("m")});
  twice.parameter("w", DataType::F32, {twice.var("m"), twice.number(128)});
  twice.parameter("c", DataType::F32, {twice.number(128)});
  twice.output("y", DataType::F32, {twice.var("b"), twice.number(128)});
  twice.command(TensorOp::Value, "y", {twice.call("mlp", {twice.var("x"), twice.var("w"), twice.var("c")})});
  ir::Module module;
  module.graphs = {twice.graph, mlp().graph};
  const auto refused = check(module, spec::OpTable());
  ASSERT_FALSE(refused);  // m is not 784
  EXPECT_EQ(diag_info(refused.error()[0].code).name, "G001");

  module.graphs[0].code.exprs[1].kind = ir::ExprKind::Literal;
  module.graphs[0].code.exprs[1].symbol = ir::kNoSymbol;
  module.graphs[0].code.exprs[1].immediate = 784;
  module.graphs[0].code.exprs[2] = module.graphs[0].code.exprs[1];
  const auto checked = accept(module.graphs);
  ASSERT_NE(checked, nullptr);
  EXPECT_EQ(checked->graphs()[0].nodes.size(), checked->graphs()[1].nodes.size());
}

/// A graph of this text, in a file with an operation for recurrences.
std::expected<std::shared_ptr<const CheckedModule>, Diagnostics> check_text(const std::string& text) {
  static const spec::OpTable none;
  auto module =
      text::parse_module("operation t.step(y: f32, x: f32) -> f32 {\n  return y * 0.5 + x;\n}\n" + text);
  if (!module) {
    ADD_FAILURE() << render(module.error(), nullptr) << text;
    return std::unexpected(Diagnostics());
  }
  return check(std::move(*module), none);
}

TEST(Graph, ShapesOfResults) {
  // What an expression is, as an output may be declared; with one axis more it is refused.
  struct Case {
    const char *expression, *result;
  };
  const Case cases[] = {
      {"x + v", "f32[n, 4]"},
      {"x * 2.0", "f32[n, 4]"},
      {"b + x", "f32[m, n, 4]"},
      {"reshape(v, [4, 1]) + v", "f32[4, 4]"},
      {"x < v", "u32[n, 4]"},
      {"select(x < v, 1, 0)", "u32[n, 4]"},
      {"cast<f16>(x)", "f16[n, 4]"},
      {"bitcast<u32>(x)", "u32[n, 4]"},
      {"t.step(x, 1.0)", "f32[n, 4]"},
      {"1.0", "f32[]"},
      {"n", "u32[]"},
      {"cast<f32>(n) * v", "f32[4]"},
      {"transpose(b, [2, 0, 1])", "f32[4, m, n]"},
      {"slice(x, [0..n, 1..4 step 2])", "f32[n, 2]"},
      {"slice(x, [1..n, 0..4])", "f32[n - 1, 4]"},
      {"slice(x, [0..n step 2, 4..4])", "f32[ceil_div(n, 2), 0]"},
      {"broadcast(v, [m, 4])", "f32[m, 4]"},
      {"broadcast(1.0, [m * n])", "f32[n * m]"},
      {"reshape(x, [2, n, 2])", "f32[2, n, 2]"},
      {"reshape(x, [n * 4])", "f32[n + 3 * n]"},
      {"reshape(z, [2 * (n / 2)])", "i32[n / 2 * 2]"},
      {"concat(0, x, x, broadcast(v, [3, 4]))", "f32[2 * n + 3, 4]"},
      {"pad(x, [1..2, 0..m], 0.0)", "f32[n + 3, m + 4]"},
      {"gather(x, i, 0)", "f32[k, 2, 4]"},
      {"gather(b, i, 2)", "f32[m, n, k, 2]"},
      {"gather(x, 3, 0)", "f32[4]"},
      {"scatter_add(x, i, broadcast(1.0, [k, 2, 4]), 0)", "f32[n, 4]"},
      {"index([m, 3], 1)", "u32[m, 3]"},
      {"reduce(fadd, tree, x, 1)", "f32[n, 1]"},
      {"reduce(max, z, 0)", "i32[1]"},
      {"scan(fmul, strict, x, 0)", "f32[n, 4]"},
      {"recur(t.step, v, x, 0)", "f32[n, 4]"},
      {"matmul(x, reshape(v, [4, 1]))", "f32[n, 1]"},
      {"matmul(b, transpose(x, [1, 0]))", "f32[m, n, n]"},
      {"matmul(reshape(b, [m, 1, n, 4]), transpose(reshape(b, [1, m, n, 4]), [0, 1, 3, 2]))",
       "f32[m, m, n, n]"},
      {"matmul(cast<f16>(x), reshape(cast<f16>(v), [4, 1]))", "f32[n, 1]"},
      {"matmul(cast<f16>(x), reshape(cast<f16>(v), [4, 1]), f16, 32)", "f16[n, 1]"},
      {"matmul(i, transpose(i, [1, 0]))", "u32[k, k]"},
      {"sort(x, 1)", "f32[n, 4]"},
      {"argsort(x, 0)", "u32[n, 4]"},
      {"top_k(x, 3, 1)", "f32[n, 3]"},
      {"arg_top_k(x, n, 0)", "u32[n, 4]"},
      {"arg_top_k(x, m / 2, 0)", "u32[m / 2, 4]"},
  };
  for (const Case& c : cases) {
    const auto graph = [&](const std::string& result) {
      return fmt::format(
          "graph g(x: f32[n, 4], v: f32[4], b: f32[m, n, 4], i: u32[k, 2], z: i32[n]) -> (y: {}) {{\n  y = "
          "{};\n}}\n",
          result, c.expression);
    };
    const auto good = check_text(graph(c.result));
    EXPECT_TRUE(good) << c.expression << "\n" << codes(good ? Diagnostics() : good.error());
    std::string longer = c.result;
    longer.back() = longer[longer.size() - 2] == '[' ? '1' : ',';
    longer += longer.back() == ',' ? " 1]" : "]";
    const auto bad = check_text(graph(longer));
    ASSERT_FALSE(bad) << longer;
    EXPECT_EQ(diag_info(bad.error()[0].code).name, "G001") << longer;
  }
}

TEST(Graph, WhatOnlySizesDecide) {
  const auto checked = check_text(R"(
graph g(x: f32[n], w: f32[m]) -> (y: f32[4], z: f32[m - 2], u: f32[2 * (n / 2)]) {
  y = slice(x, [0..4]);
  z = slice(w, [2..m]);
  u = reshape(x, [2 * (n / 2)]);
}
graph top(x: f32[n, k]) -> (y: f32[k, k], z: f32[n, k, n, k]) {
  y = top_k(x, k, 0);
  z = broadcast(1.0, [n, k, n, k]);
}
)");
  ASSERT_TRUE(checked) << codes(checked.error());
  const auto at = [&](size_t graph, const Dimensions& dimensions) -> std::string {
    const auto out = sized((*checked)->graphs()[graph], dimensions);
    return out ? "" : std::string(diag_info(out.error().code).name);
  };
  EXPECT_EQ(at(0, {{"n", 4}, {"m", 2}}), "");
  EXPECT_EQ(at(0, {{"n", 2}, {"m", 2}}), "G006");  // 0..4 of 2
  EXPECT_EQ(at(0, {{"n", 4}, {"m", 1}}), "G006");  // 2..1 of 1
  EXPECT_EQ(at(0, {{"n", 5}, {"m", 2}}), "G007");  // 5 elements, and 4
  EXPECT_EQ(at(0, {{"n", 4}}), "G015");            // m has no size
  EXPECT_EQ(at(1, {{"n", 5}, {"k", 5}}), "");
  EXPECT_EQ(at(1, {{"n", 4}, {"k", 5}}), "G020");
  EXPECT_EQ(at(1, {{"n", 65536}, {"k", 1}}), "G005");
  EXPECT_EQ(at(1, {{"n", 0xffffffff}, {"k", 0}}), "");
}

TEST(Graph, WhatNoOutputNeedsHasNoEffect) {
  const auto checked = check_text(R"(
graph inner(x: f32[n]) -> (y: f32[n], z: f32[4]) {
  y = x + 1.0;
  z = slice(x, [0..4]);
}
graph g(x: f32[n], unused: f32[m]) -> (y: f32[n]) {
  let a = slice(x, [0..4]);
  let (b, c) = inner(x);
  y = b * 2.0;
}
)");
  ASSERT_TRUE(checked) << codes(checked.error());
  const TensorGraph& graph = (*checked)->graphs()[1];
  EXPECT_THAT(shapes(graph),
              ElementsAre("f32[n]", "f32[m]", "f32[]", "f32[n]", "f32[n]", "f32[]", "f32[n]", "f32[n]"));
  EXPECT_TRUE(sized(graph, {{"n", 2}, {"m", 0}}));
  EXPECT_FALSE(sized((*checked)->graphs()[0], {{"n", 2}}));
  ASSERT_EQ(graph.named.size(), 1u);
  EXPECT_EQ(graph.named[0].name, "b");
}

TEST(Graph, ShapesGiveDimensions) {
  const auto checked = check_text("graph g(x: f32[n, 4], w: f32[m, n]) -> (y: f32[n, 4]) {\n  y = x;\n}\n");
  ASSERT_TRUE(checked);
  const TensorGraph& graph = (*checked)->graphs()[0];
  using Shapes = std::vector<std::vector<uint32_t>>;
  EXPECT_EQ(*dimensions_of(graph, Shapes{{3, 4}, {0, 3}}), (Dimensions{{"n", 3}, {"m", 0}}));
  for (const Shapes& wrong : {Shapes{{3, 4}}, {{3, 5}, {1, 3}}, {{3}, {1, 3}}, {{3, 4}, {1, 4}}}) {
    const auto out = dimensions_of(graph, wrong);
    ASSERT_FALSE(out);
    EXPECT_EQ(diag_info(out.error().code).name, "G015");
    EXPECT_FALSE(out.error().help.empty());
  }
}

TEST(Graph, InlinesSeveralOutputs) {
  const auto checked = check_text(R"(
graph normal(x: f32[rows, n]) -> (y: f32[rows, n], s: f32[rows, 1]) {
  s = reduce(fadd, tree, x, 1) / cast<f32>(n);
  y = x - s;
}
graph g(a: f32[b, 8]) -> (y: f32[b * 2, 4], s: f32[2 * b, 1]) {
  let (p, q) = normal(reshape(a, [b * 2, 4]));
  y = p;
  s = q;
}
)");
  ASSERT_TRUE(checked) << codes(checked.error());
  const auto at = sized((*checked)->graphs()[1], {{"b", 3}});
  ASSERT_TRUE(at);
  EXPECT_THAT(at->nodes[at->outputs[0].node].shape, ElementsAre(6u, 4u));
  EXPECT_THAT(at->nodes[at->outputs[1].node].shape, ElementsAre(6u, 1u));
  // n of the callee is 4 here.
  const auto four = std::ranges::find_if(at->nodes, [](const SizedNode& node) {
    return node.op == NodeOp::Literal && node.type == DataType::U32;
  });
  ASSERT_NE(four, at->nodes.end());
  EXPECT_EQ(four->bits[0], 4u);
  EXPECT_TRUE(four->sizes.empty());
}

TEST(Graph, NothingShadows) {
  const auto codes_of = [](const std::string& text) {
    const auto checked = check_text(text);
    return checked ? std::string() : std::string(diag_info(checked.error()[0].code).name);
  };
  const std::string header = "graph g(x: f32[n]) -> (y: f32[n]) {\n";
  EXPECT_EQ(codes_of(header + "  let a = x;\n  y = a;\n}\n"), "");
  EXPECT_EQ(codes_of(header + "  let x = x;\n  y = x;\n}\n"), "V001");
  EXPECT_EQ(codes_of(header + "  let n = x;\n  y = n;\n}\n"), "V001");
  EXPECT_EQ(codes_of(header + "  let a = x;\n  let a = x;\n  y = a;\n}\n"), "V001");
  EXPECT_EQ(codes_of("const a = 3;\n" + header + "  let a = x;\n  y = x;\n}\n"), "V001");
  EXPECT_EQ(codes_of("graph g(n: f32[n]) -> (y: f32[n]) {\n  y = n;\n}\n"), "G018");
  EXPECT_EQ(codes_of(header + "  y = a;\n}\n"), "V003");
  EXPECT_EQ(codes_of(header + "  y = x;\n}\n" + header + "  y = x;\n}\n"), "V045");
  EXPECT_EQ(codes_of("program g() workgroup(1, 1, 1) {}\n" + header + "  y = x;\n}\n"), "");
  EXPECT_EQ(codes_of(header + "  y = x + 1;\n}\n"), "V008");
}

/// The first code of a graph by hand, or nothing.
std::string code_of(const ir::Graph& graph) {
  ir::Module module;
  module.graphs = {graph};
  const auto checked = check(module, spec::OpTable());
  return checked ? std::string() : std::string(diag_info(checked.error()[0].code).name);
}

TEST(Graph, WhatNoTextSays) {
  const auto with = [](const auto& change) {
    Builder g("g");
    g.parameter("x", DataType::F32, {g.var("n")});
    g.output("y", DataType::F32, {g.number(1)});
    TensorCommand& c = g.command(TensorOp::Reduce, "y", {g.var("x")});
    c.fold = Op::FAdd;
    c.order = Order::Tree;
    c.axes = {0};
    change(g, g.graph.commands[0]);
    return code_of(g.graph);
  };
  EXPECT_EQ(with([](Builder&, TensorCommand&) {}), "");
  EXPECT_EQ(with([](Builder&, TensorCommand& c) { c.order = Order::None; }), "G013");
  EXPECT_EQ(with([](Builder&, TensorCommand& c) { c.fold = Op::FSub; }), "G013");
  EXPECT_EQ(with([](Builder&, TensorCommand& c) { c.fold = Op::AtomicMin; }), "G002");
  EXPECT_EQ(with([](Builder&, TensorCommand& c) { c.axes = {}; }), "V036");
  EXPECT_EQ(with([](Builder&, TensorCommand& c) { c.axes = {0, 0}; }), "V036");
  EXPECT_EQ(with([](Builder&, TensorCommand& c) { c.block = 4; }), "V036");
  EXPECT_EQ(with([](Builder&, TensorCommand& c) { c.names = {}; }), "V036");
  EXPECT_EQ(with([](Builder&, TensorCommand& c) { c.operands = {}; }), "G012");
  EXPECT_EQ(with([](Builder&, TensorCommand& c) { c.operands.push_back(c.operands[0]); }), "V036");
  EXPECT_EQ(with([](Builder&, TensorCommand& c) { c.operands = {ExprId{77}}; }), "V036");
  EXPECT_EQ(with([](Builder& g, TensorCommand& c) { c.sizes = {g.number(1)}; }), "V036");
  EXPECT_EQ(
      with([](Builder& g, TensorCommand& c) { c.operands = {g.add({.kind = ir::ExprKind::InvocationId})}; }),
      "G017");
  EXPECT_EQ(with([](Builder& g, TensorCommand& c) {
              c.operands = {g.add({.kind = ir::ExprKind::Load, .symbol = g.graph.code.intern("x")})};
            }),
            "G017");
  EXPECT_EQ(with([](Builder& g, TensorCommand&) { g.graph.commands.push_back(g.graph.commands[0]); }),
            "V036");
  EXPECT_EQ(with([](Builder& g, TensorCommand& c) { c.names = {g.graph.code.intern("#0")}; }), "V036");
  EXPECT_EQ(with([](Builder& g, TensorCommand&) { g.graph.outputs.clear(); }), "G009");
  EXPECT_EQ(with([](Builder& g, TensorCommand&) { g.graph.version = 0; }), "V036");
  // Versions are of ids with a point; without one a name is not that of an operator.
  EXPECT_EQ(with([](Builder& g, TensorCommand&) { g.graph.version = 2; }), "V036");
  EXPECT_EQ(with([](Builder& g, TensorCommand&) { g.graph.name = "nn.g", g.graph.version = 2; }), "");
  EXPECT_EQ(with([](Builder& g, TensorCommand&) { g.graph.name = "nn.g", g.graph.version = 0; }), "V036");
  for (const char* name : {"matmul", "fsqrt"}) {
    EXPECT_EQ(with([&](Builder& g, TensorCommand&) { g.graph.name = name; }), "V031") << name;
    EXPECT_EQ(with([&](Builder& g, TensorCommand&) { g.graph.name = std::string("nn.") + name; }), "")
        << name;
  }
  EXPECT_EQ(with([](Builder& g, TensorCommand&) { g.graph.name = "a..b"; }), "V031");
  EXPECT_EQ(with([](Builder& g, TensorCommand&) { g.graph.parameters[0].name = g.graph.code.intern("#0"); }),
            "V031");
  EXPECT_EQ(with([](Builder& g, TensorCommand&) {
              g.graph.parameters[0].sizes = {g.apply(Op::Add, {g.number(1), g.number(2)})};
            }),
            "G008");
}

TEST(Graph, CallsThatGrowTooLargeEnd) {
  // 2^k sums each; what does not end is refused before it is made.
  const auto doubled = [](int graphs) {
    std::string text = "graph g0(x: f32[n]) -> (y: f32[n]) {\n  y = x + x;\n}\n";
    for (int i = 1; i <= graphs; ++i)
      text += fmt::format("graph g{0}(x: f32[n]) -> (y: f32[n]) {{\n  y = g{1}(g{1}(x));\n}}\n", i, i - 1);
    return check_text(text);
  };
  const auto fits = doubled(12);
  ASSERT_TRUE(fits);
  EXPECT_EQ((*fits)->graphs()[12].nodes.size(), 4097u);
  const auto large = doubled(30);
  ASSERT_FALSE(large);
  ASSERT_EQ(large.error().size(), 1u);
  EXPECT_EQ(diag_info(large.error()[0].code).name, "G011");
}

TEST(Graph, DeepExpressionsEnd) {
  Builder g("g");
  g.parameter("x", DataType::F32, {});
  g.output("y", DataType::F32, {});
  ExprId at = g.var("x");
  for (int i = 0; i < 100'000; ++i) at = g.apply(Op::FNeg, {at});
  g.command(TensorOp::Value, "y", {at});
  EXPECT_EQ(code_of(g.graph), "V023");
}

}  // namespace
}  // namespace vyre::check::graphs
