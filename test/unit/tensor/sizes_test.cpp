// Tensors as large as there may be: what kernels count stays below 2^32, shown without running them; and what
// is larger is refused.
//
// Of what a lowered program branches on, and of the places that it stores to where those branches let it, the
// greatest value is worked out in exact integers, from the groups of its dispatch and the numbers in it: a
// sum or a product that could be 2^32 or more is an overflow. What hangs on memory, or on a variable that is
// assigned, is not known and not judged; and kernels may load from anywhere what they do not use.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "check/module.h"
#include "graph_maker.h"
#include "ops/operation.h"
#include "oracle.h"
#include "spec/limits.h"
#include "tensor/lower.h"
#include "tensor/nodes.h"
#include "text/text.h"

VYRE_ORACLE(
    SpecificationTable,
    "docs/spec/graphs.md, \"Sizes\", and the limits of dispatches (spec/limits.h); bounds of sums and "
    "products by exact integers");

namespace vyre::tensor {
namespace {

using Bound = std::optional<uint64_t>;  // the greatest value; none: not known

class Bounds {
 public:
  Bounds(const check::Checked& program, std::array<uint64_t, 3> groups)
      : p_(program.program()), resolution_(program.resolution()), groups_(groups) {
    const size_t variables = resolution_.variables.size();
    lets_.resize(variables);
    below_.resize(variables);
    block(p_.entry);
  }
  std::string overflow;  // the first

 private:
  void block(ir::BlockId id) {
    if (id == ir::kNoBlock) return;
    for (const ir::NodeId n : p_.code.block(id)) {
      const ir::Node node = p_.code[n];
      const auto arg = [&](uint32_t i) { return p_.code.arg(node, i); };
      const uint32_t variable = check::index(resolution_.variable(n));
      switch (node.kind) {
        case ir::NodeKind::Let:
          if (!resolution_.variables[variable].assigned) lets_[variable] = arg(0);
          break;
        case ir::NodeKind::Store: of(arg(0)); break;
        case ir::NodeKind::Loop: {
          const Bound end = of(arg(1));
          if (end) below_[variable] = *end;
          break;
        }
        case ir::NodeKind::If: of(arg(0)); break;
        case ir::NodeKind::Assign:
        case ir::NodeKind::Return:
        case ir::NodeKind::Block:
        case ir::NodeKind::Barrier: break;
      }
      const auto before = below_;
      if (node.kind == ir::NodeKind::If) holds(arg(0));
      block(node.body);
      below_ = before;
      block(node.orelse);
    }
  }

  /// Where a condition holds: a variable is below a number.
  void holds(ir::ExprId id) {
    const ir::Expr& e = p_.code[id];
    if (e.kind != ir::ExprKind::Apply) return;
    if (e.op == Op::BitAnd) {
      for (const ir::ExprId part : p_.code.args(e)) holds(part);
    }
    if (e.op != Op::Lt) return;
    const ir::Expr &left = p_.code[p_.code.arg(e, 0)], &right = p_.code[p_.code.arg(e, 1)];
    if (left.kind != ir::ExprKind::Var || right.kind != ir::ExprKind::Literal) return;
    Bound& below = below_[check::index(resolution_.variable(p_.code.arg(e, 0)))];
    below = std::min<uint64_t>(below.value_or(right.immediate), right.immediate);
  }

  Bound of(ir::ExprId id) {
    const ir::Expr& e = p_.code[id];
    if (e.kind == ir::ExprKind::Var) {
      const uint32_t variable = check::index(resolution_.variable(id));
      const Bound& below = below_[variable];
      const Bound known = lets_[variable] ? of(*lets_[variable]) : Bound();
      if (!below) return known;
      return std::min(known.value_or(UINT32_MAX), *below == 0 ? 0 : *below - 1);
    }
    if (e.kind == ir::ExprKind::Literal) return e.type == DataType::U32 ? Bound(e.immediate) : Bound();
    if (e.kind == ir::ExprKind::InvocationId)
      return groups_[e.immediate] * p_.workgroup_size[e.immediate] - 1;
    if (e.kind == ir::ExprKind::WorkgroupId) return groups_[e.immediate] - 1;
    if (e.kind == ir::ExprKind::LocalId) return p_.workgroup_size[e.immediate] - 1;
    if (e.kind != ir::ExprKind::Apply) return {};
    std::vector<Bound> a;
    for (const ir::ExprId arg : p_.code.args(e)) a.push_back(of(arg));
    if (resolution_.type(id) != DataType::U32) return {};
    const ir::Expr* const b = a.size() == 2 ? &p_.code[p_.code.arg(e, 1)] : nullptr;
    const Bound number = b != nullptr && b->kind == ir::ExprKind::Literal ? Bound(b->immediate) : Bound();
    using enum Op;
    if (e.op == Select && a[1] && a[2]) return std::max(*a[1], *a[2]);
    if (e.op == Mod && number) return std::min(a[0].value_or(UINT32_MAX), *number - 1);
    if (e.op == BitAnd && number) return std::min(a[0].value_or(UINT32_MAX), *number);
    if (e.op == Div && number && a[0]) return *a[0] / *number;
    if (e.op == Shr && number && a[0]) return *a[0] >> *number;
    if ((e.op != Add && e.op != Mul) || !a[0] || !a[1]) return {};
    if (e.op == Add && number.value_or(0) > INT32_MAX) return a[0];  // less a number
    const uint64_t value = e.op == Add ? *a[0] + *a[1] : *a[0] * *a[1];
    if (value <= UINT32_MAX) return value;
    if (overflow.empty())
      overflow = std::to_string(*a[0]) + (e.op == Add ? " + " : " * ") + std::to_string(*a[1]);
    return {};
  }

  const ir::Program& p_;
  const check::Resolution& resolution_;
  const std::array<uint64_t, 3> groups_;
  std::vector<std::optional<ir::ExprId>> lets_;  // by VarId
  std::vector<Bound> below_;                     // by VarId, where the walk is
};

const check::CheckedModule& operations() {
  static const auto module = [] {
    auto parsed = text::parse_module("operation test.join(y: f32, a: f32) -> f32 {\n  return y * a;\n}\n",
                                     &ops::op_table());
    if (!parsed) throw std::runtime_error(render(parsed.error(), nullptr));
    auto checked = check::check(std::move(*parsed), ops::op_table());
    if (!checked) throw std::runtime_error(render(checked.error().front(), nullptr));
    return *checked;
  }();
  return *module;
}
Result<ir::Module> lowered(const GraphMaker& g, Device device) {
  VYRE_CHECK(check_countable(g.graph));
  return lower(g.graph, operations().module().operations, {.device = device});
}

void expect_counted(const GraphMaker& g, const std::string& name) {
  for (const Device device : {Device::Gpu, Device::Cpu}) {
    SCOPED_TRACE(name);
    const auto module = lowered(g, device);
    ASSERT_TRUE(module) << render(module.error(), nullptr);
    auto checked = check::check(*module, ops::op_table());
    ASSERT_TRUE(checked) << render(checked.error().front(), nullptr);
    const ir::Pipeline& pipeline = (*checked)->module().pipelines[0];
    size_t seen = 0;
    for (const ir::Command& command : pipeline.commands) {
      if (command.kind != ir::CommandKind::Dispatch) continue;
      std::array<uint64_t, 3> groups = {1, 1, 1};
      for (uint32_t axis = 0; axis < command.exprs.count; ++axis) {
        const ir::Expr& count = pipeline.code[pipeline.code.expr_list[command.exprs.first + axis]];
        ASSERT_EQ(count.kind, ir::ExprKind::Literal);
        groups[axis] = count.immediate;
        EXPECT_LE(count.immediate, spec::kMaxGroupsPerAxis);
      }
      const auto& programs = (*checked)->module().programs;
      const auto program =
          std::ranges::find(programs, pipeline.code.name(command.symbol), &ir::Program::name);
      const Bounds bounds(*(*checked)->programs()[size_t(program - programs.begin())], groups);
      EXPECT_EQ(bounds.overflow, "") << text::print(*program);
      ++seen;
    }
    EXPECT_GT(seen, 0u);
  }
}

constexpr uint32_t kMost = uint32_t(kMostOfKernels);  // 2^31

TEST(Sizes, KernelsCountUpToTheirLimit) {
  struct Case {
    Shape shape;
    uint32_t axis;
  };
  const Case cases[] = {{{kMost}, 0},        {{kMost - 1}, 0},    {{2, kMost / 2}, 1},   {{2, kMost / 2}, 0},
                        {{kMost / 2, 2}, 0}, {{32768, 65536}, 0}, {{32768, 65536}, 1},   {{3, kMost / 3}, 1},
                        {{1, kMost}, 0},     {{46340, 46340}, 0}, {{7, 17, 18046032}, 1}};
  for (const auto& [shape, axis] : cases) {
    const std::string at = "axis " + std::to_string(axis) + " of " + check::shape_text(DataType::F32, shape);
    const auto one = [&](const std::string& name, const auto& made) {
      GraphMaker g;
      g.output(made(g, g.parameter(shape)));
      expect_counted(g, name + ", " + at);
    };
    for (const Order order : {Order::Tree, Order::Strict}) {
      one("reduce",
          [&](GraphMaker& g, uint32_t t) { return g.fold(NodeOp::Reduce, Op::FAdd, order, t, axis); });
      one("scan", [&](GraphMaker& g, uint32_t t) { return g.fold(NodeOp::Scan, Op::FAdd, order, t, axis); });
    }
    one("sort", [&](GraphMaker& g, uint32_t t) { return g.sort(NodeOp::Sort, t, axis); });
    one("argsort", [&](GraphMaker& g, uint32_t t) { return g.sort(NodeOp::Argsort, t, axis); });
    one("top_k", [&](GraphMaker& g, uint32_t t) {
      return g.sort(NodeOp::TopK, t, axis, std::min(shape[axis], 100u));
    });
    one("top_k of all",
        [&](GraphMaker& g, uint32_t t) { return g.sort(NodeOp::TopK, t, axis, shape[axis]); });
    one("recur", [&](GraphMaker& g, uint32_t t) {
      Shape of = shape;
      of.erase(of.begin() + axis);
      return g.recur(*operations().ops().find("test.join", 1), {g.parameter(of), t}, axis);
    });
    one("scatter_add", [&](GraphMaker& g, uint32_t t) {
      Shape updates = shape;
      updates[axis] = 40;
      return check::elements(updates) > kMost
                 ? t
                 : g.scatter_add(t, g.parameter({40}, DataType::U32), g.parameter(updates), axis);
    });
  }
  GraphMaker scattered;
  scattered.output(scattered.scatter_add(scattered.parameter({kMost}),
                                         scattered.parameter({kMost}, DataType::U32),
                                         scattered.parameter({kMost}), 0));
  expect_counted(scattered, "scatter_add of as many");
}

TEST(Sizes, ProductsCountUpToTheirLimit) {
  struct Case {
    uint32_t batch, m, k, n, block;
  };
  const Case cases[] = {{1, 32768, 65536, 32768, ir::kWholeBlock},
                        {1, 1, kMost, 1, ir::kWholeBlock},
                        {1, 1, kMost, 1, 64},
                        {1, 1, kMost, 1, 1u << 30},
                        {1, kMost, 1, 1, ir::kWholeBlock},
                        {1, 1, 1, kMost, 32},
                        {70000, 5, 30, 7, 8},
                        {1u << 20, 1, 2048, 1, 32},
                        {1u << 20, 32, 64, 32, ir::kWholeBlock},
                        {2, 32768, 32768, 16, 32},
                        {1, 46340, 3, 46340, 2}};
  for (const Case& c : cases) {
    for (const DataType type : {DataType::F32, DataType::U64}) {
      GraphMaker g;
      g.output(
          g.matmul(g.parameter({c.batch, c.m, c.k}, type), g.parameter({c.batch, c.k, c.n}, type), c.block));
      expect_counted(g, "matmul " + std::to_string(c.batch) + ": " + std::to_string(c.m) + ", " +
                            std::to_string(c.k) + ", " + std::to_string(c.n));
    }
  }
}

TEST(Sizes, ElementwiseCountsAllThereAre) {
  GraphMaker g;
  const uint32_t a = g.parameter({UINT32_MAX}), b = g.parameter({65537, 65535});
  g.output(g.apply(Op::FNeg, {a}));
  g.output(g.transpose(g.apply(Op::FNeg, {b}), {1, 0}));
  g.output(g.pad(g.slice(a, {5, UINT32_MAX, 1}), {5, 0}, g.number(1)));
  expect_counted(g, "2^32 - 1 elements");
}

TEST(Sizes, WhatKernelsCannotCountIsRefused) {
  const auto code_of = [](const auto& made) {
    GraphMaker g;
    g.output(made(g));
    const auto module = lowered(g, Device::Gpu);
    return module ? "" : std::string(diag_info(module.error().code).name);
  };
  for (const Shape& shape : {Shape{kMost + 1}, Shape{2, kMost / 2 + 1}, Shape{65537, 65535}}) {
    EXPECT_EQ(code_of([&](GraphMaker& g) { return g.sort(NodeOp::Sort, g.parameter(shape), 0); }), "L005");
    EXPECT_EQ(code_of([&](GraphMaker& g) { return g.sort(NodeOp::ArgTopK, g.parameter(shape), 0, 1); }),
              "L005");
    EXPECT_EQ(code_of([&](GraphMaker& g) { return g.reduce(Op::FAdd, g.parameter(shape), 0); }), "L005");
    EXPECT_EQ(code_of([&](GraphMaker& g) { return g.apply(Op::FNeg, {g.parameter(shape)}); }), "");
  }
  // The operands of a product are small, and the result is not.
  EXPECT_EQ(
      code_of([&](GraphMaker& g) { return g.matmul(g.parameter({65536, 1}), g.parameter({1, 65535})); }),
      "L005");
  // What a kernel reads through a view counts as it is seen.
  EXPECT_EQ(code_of([&](GraphMaker& g) {
              return g.sort(NodeOp::Sort, g.slice(g.parameter({UINT32_MAX}), {0, 1000, 1}), 0);
            }),
            "");
}

}  // namespace
}  // namespace vyre::tensor
