// Graphs as text: each read, printed and formatted, and what the parser makes of them.
#include <gtest/gtest.h>

#include <array>
#include <fstream>

#include "ir/graph.h"
#include "oracle.h"
#include "text/text.h"

VYRE_ORACLE(SpecificationTable, "docs/text-format.md, \"Graphs\", by hand");

namespace vyre::text {
namespace {

using ir::ExprKind;
using ir::TensorOp;
using spec::DataType;
using spec::Op;

ir::Module module_of(const std::string& text) {
  auto module = parse_module(text);
  if (module) return std::move(*module);
  const Source source("test.vyre", text);
  ADD_FAILURE() << render(module.error(), &source);
  return {};
}

/// A graph over a, b (f32[n, m]), u, v (u32[n, m]), s (f32[]) and one output y of this type; its commands.
ir::Graph graph_of(const std::string& body, const std::string& type = "f32") {
  ir::Module module =
      module_of("graph g(a: f32[n, m], b: f32[n, m], u: u32[n, m], v: u32[n, m], s: f32[]) -> (y: " + type +
                "[n, m]) {\n" + body + "\n}\n");
  if (module.graphs.empty()) return {};
  return std::move(module.graphs[0]);
}

/// The graphs of graphs.txt: each as the printer writes it.
std::vector<std::string> canonical_graphs() {
  std::vector<std::string> out;
  std::ifstream in(VYRE_SOURCE_DIR "/test/unit/text/graphs.txt");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("===")) {
      out.emplace_back();
    } else if (!out.empty()) {
      out.back() += line + "\n";
    }
  }
  return out;
}

TEST(Graphs, CanonicalTextsAreKept) {
  const std::vector<std::string> all = canonical_graphs();
  EXPECT_GE(all.size(), 30u);
  for (const std::string& text : all) {
    const ir::Module module = module_of(text);
    EXPECT_FALSE(module.graphs.empty()) << text;
    EXPECT_EQ(print(module), text);
    EXPECT_EQ(format(text).value_or("no text"), text);
    for (const ir::Graph& graph : module.graphs) EXPECT_FALSE(ir::misplaced(graph)) << text;
    EXPECT_TRUE(ir::equal(module, module_of(print(module)))) << text;
  }
}

TEST(Graphs, AnyTwoAreDifferent) {
  const std::vector<std::string> all = canonical_graphs();
  std::vector<ir::Module> modules;
  for (const std::string& text : all) modules.push_back(module_of(text));
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t k = 0; k < all.size(); ++k)
      EXPECT_EQ(ir::equal(modules[i], modules[k]), i == k) << all[i] << all[k];
  }
}

TEST(Graphs, NestedOperationsAreCommands) {
  const ir::Graph g = graph_of("let h = matmul(transpose(a, [1, 0]), b) + a;\ny = (sort(h, 0));");
  ASSERT_EQ(g.commands.size(), 4u);
  const std::array<TensorOp, 4> ops = {TensorOp::Transpose, TensorOp::Matmul, TensorOp::Value,
                                       TensorOp::Sort};
  const std::array<std::string_view, 4> names = {"#0", "#1", "h", "y"};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(g.commands[i].op, ops[i]);
    ASSERT_EQ(g.commands[i].names.size(), 1u);
    EXPECT_EQ(g.code.name(g.commands[i].names[0]), names[i]);
  }
  const ir::Expr& sum = g.code[g.commands[2].operands[0]];
  EXPECT_EQ(sum.op, Op::FAdd);
  EXPECT_EQ(g.code.name(g.code[g.code.arg(sum, 0)].symbol), "#1");
}

TEST(Graphs, SignsFollowTheTypesOfTensors) {
  const auto op_of = [](const std::string& value, const std::string& type) {
    const ir::Graph g = graph_of("y = " + value + ";", type);
    return g.commands.empty() ? Op::Call : g.code[g.commands.back().operands[0]].op;
  };
  EXPECT_EQ(op_of("a + b", "f32"), Op::FAdd);
  EXPECT_EQ(op_of("u + v", "u32"), Op::Add);
  EXPECT_EQ(op_of("a < b", "bool"), Op::FLt);
  EXPECT_EQ(op_of("-s", "f32"), Op::FNeg);
  EXPECT_EQ(op_of("n * m", "u32"), Op::Mul);
  EXPECT_EQ(op_of("index([n, m], 0) + index([n, m], 1)", "u32"), Op::Add);
  EXPECT_EQ(op_of("argsort(a, 1) * argsort(a, 0)", "u32"), Op::Mul);
  EXPECT_EQ(op_of("arg_top_k(a, 1, 1) * arg_top_k(a, 1, 0)", "u32"), Op::Mul);
  EXPECT_EQ(op_of("top_k(a, 1, 1) * top_k(a, 1, 0)", "f32"), Op::FMul);
  EXPECT_EQ(op_of("gather(a, u, 0) * gather(a, u, 0)", "f32"), Op::FMul);
  EXPECT_EQ(op_of("matmul(a, b) - matmul(b, a)", "f32"), Op::FSub);
  EXPECT_EQ(op_of("matmul(u, v) - matmul(v, u)", "u32"), Op::Sub);
  EXPECT_EQ(op_of("cast<u32>(a) - cast<u32>(b)", "u32"), Op::Sub);
  EXPECT_EQ(op_of("reduce(fadd, tree, a, 0) / reduce(fmax, strict, a, 0)", "f32"), Op::FDiv);
  EXPECT_EQ(op_of("recur(my.op, s, a, 0) / recur(my.op, s, a, 0)", "f32"), Op::FDiv);
  EXPECT_EQ(op_of("select(u < v, a, b) * select(u < v, a, b)", "f32"), Op::FMul);
  // Of graphs by their outputs, wherever they stand.
  const ir::Module module = module_of(
      "graph g(x: u32[n]) -> (y: f32[n], z: u32[n]) {\n"
      "  y = f(x) + f(x);\n  let (p, q) = h(x);\n  z = select(p < p, q + q, x);\n}\n"
      "graph f(x: u32[n]) -> (r: f32[n]) {\n  r = cast<f32>(x);\n}\n"
      "graph h(x: u32[n]) -> (r: f32[n], k: u32[n]) {\n  r = cast<f32>(x);\n  k = x;\n}\n");
  const ir::Graph& g = module.graphs[0];
  EXPECT_EQ(g.code[g.commands[0].operands[0]].op, Op::FAdd);
  const ir::Expr& select = g.code[g.commands[2].operands[0]];
  EXPECT_EQ(g.code[g.code.arg(select, 0)].op, Op::FLt);
  EXPECT_EQ(g.code[g.code.arg(select, 1)].op, Op::Add);
}

TEST(Graphs, ConstantsAreTheirValues) {
  const ir::Module module = module_of(
      "const N = 4;\nconst AXIS = 1;\n"
      "graph g(x: u32[N, m]) -> (y: u32[N, m]) {\n  y = sort(slice(x, [0..N, 0..m step AXIS]) + N, "
      "AXIS);\n}\n");
  EXPECT_EQ(print(module),
            "graph g(x: u32[4, m]) -> (y: u32[4, m]) {\n  y = sort(slice(x, [0..4, 0..m]) + 4, 1);\n}\n");
}

TEST(Graphs, WhatOperationsTakeIsKept) {
  const ir::Graph g = graph_of(
      "let p = matmul(a, b, f16, 64);\nlet q = matmul(a, b);\nlet r = reduce(min, u, 1);\n"
      "let t = scan(fmul, strict, a, 1);\ny = recur(my.op@3, s, a, b, 1);");
  ASSERT_EQ(g.commands.size(), 5u);
  EXPECT_TRUE(g.commands[0].typed);
  EXPECT_EQ(g.commands[0].type, DataType::F16);
  EXPECT_EQ(g.commands[0].block, 64u);
  EXPECT_FALSE(g.commands[1].typed);
  EXPECT_EQ(g.commands[1].block, ir::kWholeBlock);
  EXPECT_EQ(g.commands[2].fold, Op::AtomicMin);
  EXPECT_EQ(g.commands[2].order, ir::Order::None);
  EXPECT_EQ(g.commands[3].fold, Op::FMul);
  EXPECT_EQ(g.commands[3].order, ir::Order::Strict);
  EXPECT_EQ(g.commands[4].version, 3u);
  EXPECT_EQ(g.commands[4].operands.size(), 3u);
  EXPECT_EQ(g.commands[4].axes, std::vector<uint32_t>{1});
}

/// The lines of marked_graphs.txt: each is refused with its code, at the place that is marked, with that
/// help.
TEST(Graphs, WhatIsRefused) {
  std::ifstream in(VYRE_SOURCE_DIR "/test/unit/text/marked_graphs.txt");
  size_t rows = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#")) continue;
    ++rows;
    const size_t help = line.find('\t') + 1, marked = line.find('\t', help) + 1;
    std::string text = line.substr(marked);
    if (text.starts_with("G "))
      text = "graph g(a: f32[n, m], u: u32[n]) -> (y: f32[n, m]) {" + text.substr(1);
    const size_t begin = text.find("\xC2\xAB");
    ASSERT_NE(begin, text.npos) << line;
    text.erase(begin, 2);
    const size_t end = text.find("\xC2\xBB");
    ASSERT_NE(end, text.npos) << line;
    text.erase(end, 2);
    const auto module = parse_module(text);
    ASSERT_FALSE(module.has_value()) << line;
    const Source source("t.vyre", text);
    const std::string shown = render(module.error(), &source);
    EXPECT_EQ(diag_info(module.error().code).name, line.substr(0, help - 1)) << shown;
    EXPECT_EQ(module.error().span, (Span{uint32_t(begin), uint32_t(end)})) << shown;
    const std::string wanted = line.substr(help, marked - 1 - help);
    EXPECT_NE(module.error().help.find(wanted), std::string::npos) << wanted << "\n" << shown;
  }
  EXPECT_GE(rows, 70u);
}

TEST(Graphs, NestingHasALimit) {
  const auto nested = [](size_t depth) {
    std::string before, behind;
    for (size_t i = 0; i < depth; ++i) {
      before += "sort(";
      behind += ", 0)";
    }
    return parse_module("graph g(a: f32[n]) -> (y: f32[n]) {\n  y = " + before + "a" + behind + " + a;\n}\n");
  };
  EXPECT_TRUE(nested(64).has_value());
  ASSERT_FALSE(nested(65).has_value());
  EXPECT_EQ(nested(65).error().code, DiagCode::V023);
  EXPECT_EQ(nested(100000).error().code, DiagCode::V023);
  // Parentheses and operators cost no depth.
  std::string deep = "a";
  for (int i = 0; i < 500; ++i) deep = "(" + deep + " + sort(a, 0))";
  EXPECT_TRUE(parse_module("graph g(a: f32[n]) -> (y: f32[n]) {\n  y = " + deep + ";\n}\n").has_value());
}

}  // namespace
}  // namespace vyre::text
