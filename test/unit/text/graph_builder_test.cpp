// Graphs built in C++ against the parser: two ways to one graph.
#include "ir/graph_builder.h"

#include <gtest/gtest.h>

#include "ir/module_builder.h"
#include "oracle.h"
#include "text/text.h"

VYRE_ORACLE(Property, "text::parse_module on the same graphs as text");

namespace vyre::text {
namespace {

using ir::Ex;
using ir::GraphBuilder;
using ir::Order;
using spec::DataType;
using spec::Op;

constexpr DataType kF32 = DataType::F32, kU32 = DataType::U32;

/// That the graphs are those of the text, print as it, and stand as a text can have them.
void expect_is(std::initializer_list<ir::Graph> graphs, const std::string& text) {
  ir::ModuleBuilder m;
  for (const ir::Graph& graph : graphs) {
    EXPECT_FALSE(ir::misplaced(graph)) << text;
    m.graph(graph);
  }
  const ir::Module built = m.finish();
  EXPECT_EQ(print(built), text);
  const auto parsed = parse_module(text);
  ASSERT_TRUE(parsed.has_value()) << render(parsed.error(), nullptr);
  EXPECT_TRUE(ir::equal(built, *parsed)) << text;
}

TEST(GraphBuilder, LetsOutputsAndSigns) {
  GraphBuilder g("mlp");
  const Ex x = g.parameter("x", kF32, {"b", 784}), w = g.parameter("w", kF32, {784, 128});
  const Ex bias = g.parameter("bias", kF32, {128});
  g.output("y", kF32, {"b", 128});
  g.output("z", DataType::Bool, {"b", 128});
  const Ex h = g.let("h", g.matmul(x, w));
  g.set("y", g.apply(Op::FMax, {h + bias, g.f32(0)}) * g.f32(0.5));
  g.set("z", h < bias);
  expect_is(
      {g.finish()},
      "graph mlp(x: f32[b, 784], w: f32[784, 128], bias: f32[128]) -> (y: f32[b, 128], z: bool[b, 128]) {\n"
      "  let h = matmul(x, w);\n"
      "  y = fmax(h + bias, 0.0) * 0.5;\n"
      "  z = h < bias;\n"
      "}\n");
}

TEST(GraphBuilder, EveryOperation) {
  GraphBuilder g("my.all", 2);
  const Ex a = g.parameter("a", kF32, {"n", "m"}), u = g.parameter("u", kU32, {"n", 4});
  const Ex n = g.dimension("n");
  g.output("y", kF32, {n * 2, g.ceil_div(n + 1, g.u32(2))});
  g.let("a0", g.transpose(a, {1, 0}));
  g.let("a1", g.slice(a, {{0u, n - 1}, {1u, "m", 2u}}));
  g.let("a2", g.broadcast(a, {3, "n", "m"}));
  g.let("a3", g.reshape(a, {n * g.dimension("m")}));
  g.let("a4", g.concat(1, {a, a, a}));
  g.let("a5", g.pad(a, {{1u, n}, {0u, 2u}}, g.f32(1)));
  g.let("a6", g.gather(a, u, 0));
  g.let("a7", g.scatter_add(a, u, a, 1));
  g.let("a8", g.index({"n", 4}, 1));
  g.let("a9", g.reduce(Op::FAdd, Order::Tree, a, 1));
  g.let("b0", g.reduce(Op::AtomicMax, Order::None, u, 0));
  g.let("b1", g.scan(Op::FMin, Order::Strict, a, 1));
  g.let("b2", g.recur("my.op", g.f32(0), {a, a}, 1, 2));
  g.let("b3", g.matmul(a, a));
  g.let("b4", g.matmul(a, a, DataType::BF16));
  g.let("b5", g.matmul(a, a, kF32, 32));
  g.let("b6", g.sort(a, 0));
  g.let("b7", g.argsort(a, 0));
  g.let("b8", g.top_k(a, 3u, 0));
  g.let("b9", g.arg_top_k(a, n, 0));
  expect_is({g.finish()},
            "graph my.all@2(a: f32[n, m], u: u32[n, 4]) -> (y: f32[n * 2, ceil_div(n + 1, 2)]) {\n"
            "  let a0 = transpose(a, [1, 0]);\n"
            "  let a1 = slice(a, [0..n - 1, 1..m step 2]);\n"
            "  let a2 = broadcast(a, [3, n, m]);\n"
            "  let a3 = reshape(a, [n * m]);\n"
            "  let a4 = concat(1, a, a, a);\n"
            "  let a5 = pad(a, [1..n, 0..2], 1.0);\n"
            "  let a6 = gather(a, u, 0);\n"
            "  let a7 = scatter_add(a, u, a, 1);\n"
            "  let a8 = index([n, 4], 1);\n"
            "  let a9 = reduce(fadd, tree, a, 1);\n"
            "  let b0 = reduce(max, u, 0);\n"
            "  let b1 = scan(fmin, strict, a, 1);\n"
            "  let b2 = recur(my.op@2, 0.0, a, a, 1);\n"
            "  let b3 = matmul(a, a);\n"
            "  let b4 = matmul(a, a, bf16);\n"
            "  let b5 = matmul(a, a, f32, 32);\n"
            "  let b6 = sort(a, 0);\n"
            "  let b7 = argsort(a, 0);\n"
            "  let b8 = top_k(a, 3, 0);\n"
            "  let b9 = arg_top_k(a, n, 0);\n"
            "}\n");
}

TEST(GraphBuilder, NestedOperationsStandInTheOrderOfTheirUse) {
  GraphBuilder g("g");
  const Ex a = g.parameter("a", DataType::F16, {"n", "n"});
  g.output("y", kF32, {"n", "n"});
  // Made in another order than they are used, and one of them used twice.
  const Ex product = g.matmul(a, g.sort(a, 1)), turned = g.cast(kF32, g.transpose(a, {1, 0}));
  g.set("y", turned - product / (product + g.f32(1)));
  expect_is({g.finish()},
            "graph g(a: f16[n, n]) -> (y: f32[n, n]) {\n"
            "  y = cast<f32>(transpose(a, [1, 0])) - matmul(a, sort(a, 1)) / (matmul(a, sort(a, 1)) + 1.0);\n"
            "}\n");
}

TEST(GraphBuilder, CallsOfGraphs) {
  GraphBuilder f("f");
  const Ex x = f.parameter("x", kF32, {"n"});
  f.output("p", kF32, {"n"});
  f.output("q", kU32, {"n"});
  f.set("p", x);
  f.set("q", f.literal(DataType::U64, {1, 2, 0, 0}));
  GraphBuilder half("half");
  const Ex z = half.parameter("z", kF32, {"n"});
  half.output("y", kF32, {"n"});
  half.set("y", z * half.f32(0.5));
  GraphBuilder g("g");
  const Ex t = g.parameter("t", kF32, {"n"});
  g.output("y", kF32, {"n"});
  g.output("w", kU32, {"n"});
  const auto both = g.let({"r", "w"}, g.call("f", {t}), {kF32, kU32});
  g.set("y", g.graph("half", {both[0] + both[0]}) + g.graph("half", {both[0]}));
  expect_is({f.finish(), half.finish(), g.finish()},
            "graph f(x: f32[n]) -> (p: f32[n], q: u32[n]) {\n"
            "  p = x;\n"
            "  q = 0x200000001u64;\n"
            "}\n\n"
            "graph half(z: f32[n]) -> (y: f32[n]) {\n"
            "  y = z * 0.5;\n"
            "}\n\n"
            "graph g(t: f32[n]) -> (y: f32[n], w: u32[n]) {\n"
            "  let (r, w) = f(t);\n"
            "  y = half(r + r) + half(r);\n"
            "}\n");
}

}  // namespace
}  // namespace vyre::text
