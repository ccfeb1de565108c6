// Depth and size: the checker refuses what is too deep without recursing into it, and stays linear on what is
// large.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "check/checked.h"
#include "ir/builder.h"
#include "oracle.h"
#include "spec/limits.h"
#include "spec/ops.h"

VYRE_ORACLE(SpecificationTable,
            "semantics, \"Structure\" and \"Uniformity\": the limits, and counts by hand");

namespace vyre::check {
namespace {

using ir::Expr;
using ir::ExprKind;
using ir::Node;
using ir::NodeKind;
using spec::Op;
using testing::ElementsAre;

constexpr uint32_t kMany = 1'000'000;
// A quadratic checker takes hours on a million; a linear one well under a second, on a busy machine some
// more.
constexpr auto kLinear = std::chrono::seconds(30);

std::vector<std::string> codes(ir::Program program) {
  const auto start = std::chrono::steady_clock::now();
  const auto checked = check(std::move(program), spec::OpTable());
  EXPECT_LT(std::chrono::steady_clock::now() - start, kLinear);
  std::vector<std::string> out;
  if (checked) return out;
  for (const Diag& diag : checked.error()) out.emplace_back(diag_info(diag.code).name);
  return out;
}

/// Builds straight into the arenas: the builder's closures would recurse where the checker must not.
struct Raw {
  ir::Program program;
  ir::Code& code = program.code;
  Raw() { program.name = "p"; }
  ExprId u32(uint32_t value) {
    return code.add({.kind = ExprKind::Literal, .immediate = value}, {}, Span::none());
  }
  ExprId var(const std::string& name) {
    return code.add({.kind = ExprKind::Var, .symbol = code.intern(name)}, {}, Span::none());
  }
  ExprId local_id() { return code.add({.kind = ExprKind::LocalId}, {}, Span::none()); }
  ExprId apply(Op op, std::initializer_list<ExprId> operands) {
    return code.add({.kind = ExprKind::Apply, .op = op}, std::vector(operands), Span::none());
  }
  NodeId node(Node node, std::initializer_list<ExprId> operands) {
    return code.add(node, std::vector(operands), Span::none());
  }
  NodeId let(const std::string& name, ExprId value) {
    return node({.kind = NodeKind::Let, .symbol = code.intern(name)}, {value});
  }
  BlockId block(std::vector<NodeId> nodes) { return code.add_block(nodes); }
  ir::Program finish(BlockId entry) {
    program.entry = entry;
    return std::move(program);
  }
};

ir::Program nested_blocks(uint32_t depth, NodeKind kind) {
  Raw raw;
  BlockId inner = raw.block({});
  for (uint32_t i = 0; i < depth; ++i) {
    Node node{.kind = kind, .body = inner};
    if (kind == NodeKind::Block) {
      inner = raw.block({raw.node(node, {})});
    } else {
      inner = raw.block({raw.node(node, {raw.u32(1)})});
    }
  }
  return raw.finish(inner);
}

ir::Program nested_expression(uint32_t depth) {
  Raw raw;
  ExprId value = raw.u32(1);
  for (uint32_t i = 1; i < depth; ++i) value = raw.apply(Op::BitNot, {value});
  return raw.finish(raw.block({raw.let("x", value)}));
}

TEST(Limits, NestingIsRefusedWithoutRecursion) {
  EXPECT_THAT(codes(nested_blocks(64, NodeKind::Block)), ElementsAre());
  EXPECT_THAT(codes(nested_blocks(65, NodeKind::Block)), ElementsAre("V022"));
  EXPECT_THAT(codes(nested_blocks(64, NodeKind::If)), ElementsAre());
  EXPECT_THAT(codes(nested_blocks(65, NodeKind::If)), ElementsAre("V022"));
  EXPECT_THAT(codes(nested_blocks(kMany, NodeKind::Block)), ElementsAre("V022"));
  EXPECT_THAT(codes(nested_blocks(kMany, NodeKind::If)), ElementsAre("V022"));
}

TEST(Limits, ExpressionDepthIsRefusedWithoutRecursion) {
  // Semantics, "Structure": depth 1024, a literal is 1.
  EXPECT_THAT(codes(nested_expression(1024)), ElementsAre());
  EXPECT_THAT(codes(nested_expression(1025)), ElementsAre("V023"));
  EXPECT_THAT(codes(nested_expression(kMany)), ElementsAre("V023"));
}

TEST(Limits, NodeCount) {
  const auto lets = [](uint32_t nodes) {
    Raw raw;
    std::vector<NodeId> list;
    for (uint32_t i = 0; i + 2 <= nodes; i += 2) {
      list.push_back(raw.node({.kind = NodeKind::Assign, .symbol = raw.code.intern("x")}, {raw.u32(i)}));
    }
    ir::Node first = raw.code.nodes[0];
    first.kind = NodeKind::Let;
    raw.code.nodes.set(0, first);
    if (nodes % 2 != 0) list.push_back(raw.node({.kind = NodeKind::Barrier}, {}));
    raw.u32(0);  // what is in no statement does not count
    return raw.finish(raw.block(list));
  };
  EXPECT_THAT(codes(lets(spec::kMaxNodes)), ElementsAre());
  EXPECT_THAT(codes(lets(spec::kMaxNodes + 1)), ElementsAre("V024"));
}

TEST(Limits, ManyFaultsAreCountedNotListed) {
  Raw raw;
  std::vector<NodeId> list;
  for (uint32_t i = 0; i < kMany / 4; ++i)
    list.push_back(raw.let("v" + std::to_string(i), raw.var("missing")));
  const auto checked = check(raw.finish(raw.block(list)), spec::OpTable());
  ASSERT_FALSE(checked.has_value());
  EXPECT_EQ(checked.error().size(), 10'000u);
  EXPECT_EQ(checked.error().back().notes.back().message, "240000 more problems are not shown");
}

TEST(Limits, UniformityIsLinear) {
  // Semantics, "Uniformity", by hand; the times bound what each shape costs.
  {  // A chain of variables read in the reverse of the order in which they become divergent.
    Raw raw;
    std::vector<NodeId> list, body;
    const uint32_t n = kMany / 10;
    for (uint32_t i = 0; i < n; ++i) list.push_back(raw.let("v" + std::to_string(i), raw.u32(0)));
    for (uint32_t i = 1; i < n; ++i) {
      body.push_back(
          raw.node({.kind = NodeKind::Assign, .symbol = raw.code.intern("v" + std::to_string(i - 1))},
                   {raw.var("v" + std::to_string(i))}));
    }
    body.push_back(
        raw.node({.kind = NodeKind::Assign, .symbol = raw.code.intern("v" + std::to_string(n - 1))},
                 {raw.local_id()}));
    const BlockId inner = raw.block({raw.node({.kind = NodeKind::Barrier}, {})});
    body.push_back(raw.node({.kind = NodeKind::If, .body = inner}, {raw.var("v0")}));
    list.push_back(raw.node({.kind = NodeKind::Loop, .symbol = raw.code.intern("i"), .body = raw.block(body)},
                            {raw.u32(0), raw.u32(4)}));
    EXPECT_THAT(codes(raw.finish(raw.block(list))), ElementsAre("V010"));
  }
  {  // A million barriers after one divergent return.
    Raw raw;
    const BlockId leave = raw.block({raw.node({.kind = NodeKind::Return}, {})});
    std::vector<NodeId> list = {raw.node({.kind = NodeKind::If, .body = leave}, {raw.local_id()})};
    for (uint32_t i = 0; i < kMany; ++i) list.push_back(raw.node({.kind = NodeKind::Barrier}, {}));
    EXPECT_EQ(codes(raw.finish(raw.block(list))).size(), 10'000u);
  }
  {  // Loops inside loops, a divergent return in the innermost: refused for its depth, and every barrier with
     // it.
    Raw raw;
    const BlockId leave = raw.block({raw.node({.kind = NodeKind::Return}, {})});
    BlockId inner = raw.block({raw.node({.kind = NodeKind::If, .body = leave}, {raw.local_id()})});
    for (uint32_t i = 0; i < 1000; ++i) {
      inner = raw.block({raw.node({.kind = NodeKind::Barrier}, {}),
                         raw.node({.kind = NodeKind::Loop,
                                   .symbol = raw.code.intern("level" + std::to_string(i)),
                                   .body = inner},
                                  {raw.u32(0), raw.u32(4)})});
    }
    // All but the outermost barrier stand in a loop; one block is the sixty-fifth.
    EXPECT_EQ(codes(raw.finish(inner)).size(), 999u + 1u);
  }
}

TEST(Limits, AMillionStatementsAreLinear) {
  // A program of a million statements with every kind of resolution in it is accepted.
  Raw raw;
  raw.program.buffers.push_back(
      {raw.code.intern("out"), spec::BufferAccess::ReadWrite, DataType::U32, 0, 0, {}});
  std::vector<NodeId> list;
  for (uint32_t i = 0; i < kMany / 4; ++i) {
    const std::string name = "v" + std::to_string(i);
    list.push_back(raw.let(name, raw.apply(Op::Add, {raw.u32(i), raw.u32(1)})));
    const ExprId index = raw.var("v" + std::to_string(i / 2));
    list.push_back(
        raw.node({.kind = NodeKind::Store, .symbol = raw.code.intern("out")}, {index, raw.var(name)}));
    if (i % 64 == 0) list.push_back(raw.node({.kind = NodeKind::Barrier}, {}));
  }
  EXPECT_THAT(codes(raw.finish(raw.block(list))), ElementsAre());
}

}  // namespace
}  // namespace vyre::check
