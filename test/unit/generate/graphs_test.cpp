// Random graphs: valid at their shapes, of every operation, type and size that they promise, and shrunk to
// what fails.
#include "generate/graphs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "check/module.h"
#include "oracle.h"
#include "spec/ops.h"

VYRE_ORACLE(Property,
            "generate/graphs.h: every graph is valid at its shapes; what a sequence has is counted");

namespace vyre::generate {
namespace {

using check::NodeOp;
using spec::DataType;

const spec::OpTable& no_library() {
  static const spec::OpTable table;
  return table;
}

struct Sized {
  std::shared_ptr<const check::CheckedModule> module;
  check::SizedGraph graph;
};

/// The graph at its shapes, or nothing after a failure.
std::optional<Sized> sized(const GraphCase& c) {
  auto checked = check::check(c.module, no_library());
  if (!checked) {
    ADD_FAILURE() << render(checked.error().front(), nullptr) << describe(c);
    return std::nullopt;
  }
  const check::TensorGraph& graph = (*checked)->graphs().at(0);
  const auto dimensions = check::dimensions_of(graph, c.shapes);
  if (!dimensions) {
    ADD_FAILURE() << render(dimensions.error(), nullptr) << describe(c);
    return std::nullopt;
  }
  auto out = check::sized(graph, *dimensions);
  if (!out) {
    ADD_FAILURE() << render(out.error(), nullptr) << describe(c);
    return std::nullopt;
  }
  return Sized{*checked, std::move(*out)};
}

TEST(RandomGraphs, AreValidAndOfEverything) {
  std::set<NodeOp> ops;
  std::set<DataType> types;
  std::set<uint32_t> sizes;
  std::set<size_t> commands;
  std::set<spec::Op> scalars;
  for (uint64_t i = 0; i < 1500; ++i) {
    const GraphCase c = random_graph(1, i);
    const auto at = sized(c);
    ASSERT_TRUE(at) << i;
    commands.insert(c.module.graphs[0].commands.size());
    ASSERT_EQ(c.inputs.size(), at->graph.parameters.size());
    for (size_t p = 0; p < c.inputs.size(); ++p) {
      const auto& node = at->graph.nodes[at->graph.parameters[p].node];
      EXPECT_EQ(c.inputs[p].size(), spec::packed_bytes(node.type, check::elements(node.shape)));
    }
    for (const auto& node : at->graph.nodes) {
      ops.insert(node.op);
      types.insert(node.type);
      if (node.op == NodeOp::Apply) scalars.insert(node.scalar);
      for (const uint32_t size : node.shape) sizes.insert(size);
      EXPECT_LE(check::elements(node.shape), 200'000u);
    }
  }
  EXPECT_EQ(ops.size(), check::kNodeOpCount);
  EXPECT_EQ(types.size(), 12u);
  EXPECT_GT(scalars.size(), 60u);
  for (const uint32_t size : {0, 1, 2, 3, 13, 15, 16, 17, 31, 32, 33, 63, 64, 65})
    EXPECT_TRUE(sizes.contains(size));
  EXPECT_TRUE(commands.contains(1));
  EXPECT_GE(*commands.rbegin(), 30u);
}

TEST(RandomGraphs, AreTheSameEachTime) {
  for (uint64_t i = 0; i < 50; ++i) {
    const GraphCase a = random_graph(7, i), b = random_graph(7, i);
    EXPECT_TRUE(ir::equal(a.module.graphs[0], b.module.graphs[0]));
    EXPECT_EQ(a.inputs, b.inputs);
    EXPECT_EQ(a.shapes, b.shapes);
  }
}

TEST(RandomGraphs, ShrinkToWhatFails) {
  // "Fails" where a sort or a product of matrices has six elements: little more than that is left.
  size_t tried = 0;
  for (uint64_t i = 0; i < 400 && tried < 8; ++i) {
    const GraphCase c = random_graph(3, i);
    const auto at = sized(c);
    ASSERT_TRUE(at);
    const NodeOp wanted = tried % 2 == 0 ? NodeOp::Sort : NodeOp::Matmul;
    const auto fails = [&](const GraphCase& candidate) {
      const auto now = sized(candidate);
      return now && std::ranges::any_of(now->graph.nodes, [&](const check::SizedNode& node) {
               return node.op == wanted && check::elements(node.shape) >= 6;
             });
    };
    if (!fails(c)) continue;
    ++tried;
    const GraphCase small = shrink_graph(c, no_library(), fails);
    ASSERT_TRUE(fails(small));
    const auto left = sized(small);
    EXPECT_EQ(small.module.graphs.size(), 1u);
    EXPECT_TRUE(small.module.operations.empty());
    EXPECT_LE(small.module.graphs[0].commands.size(), 2u) << describe(small);
    EXPECT_EQ(small.module.graphs[0].outputs.size(), 1u) << describe(small);
    for (const auto& node : left->graph.nodes) EXPECT_LE(check::elements(node.shape), 24u) << describe(small);
    for (const Bytes& input : small.inputs)
      EXPECT_TRUE(std::ranges::all_of(input, [](std::byte b) { return b == std::byte(0); }));
  }
  EXPECT_EQ(tried, 8u);
}

}  // namespace
}  // namespace vyre::generate
