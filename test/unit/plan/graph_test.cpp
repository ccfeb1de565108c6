// Graphs on backends, from text to bytes: sizes come from shapes, each set of them is compiled once, and the
// results are those of the definition.
#include "plan/graph.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "backend/registry/registry.h"
#include "base/random.h"
#include "ops/operation.h"
#include "oracle.h"
#include "ref/graph.h"
#include "text/text.h"

VYRE_ORACLE(SpecificationTable, "docs/spec/graphs.md, as ref/graph.h computes it node by node");

namespace vyre::plan {
namespace {

using Shapes = std::vector<std::vector<uint32_t>>;

constexpr std::string_view kGraphs = R"(
operation test.leaky(x: f32) -> f32 {
  return select(x < 0.0, x * 0.125, x);
}

graph norm(x: f32[n, d], eps: f32[]) -> (y: f32[n, d]) {
  let s = reduce(fadd, tree, x * x, 1);
  y = x / fsqrt(s + eps);
}

graph mlp(x: f32[b, k], w: f32[k, h], bias: f32[h]) -> (y: f32[b, h], top: u32[b, 2]) {
  let a = matmul(norm(x, 0.5), w) + bias;
  y = test.leaky(a);
  top = arg_top_k(transpose(reshape(y, [b, h]), [0, 1]), 2, 1);
}
)";

std::shared_ptr<const check::CheckedModule> graphs_of(std::string_view text) {
  auto parsed = text::parse_module(text, &ops::op_table());
  if (!parsed) throw std::runtime_error(render(parsed.error(), nullptr));
  auto checked = check::check(*std::move(parsed), ops::op_table());
  if (!checked) throw std::runtime_error(render(checked.error().front(), nullptr));
  return *checked;
}

std::unique_ptr<backend::Backend> backend_of_test() {
  const char* name = std::getenv("VYRE_TEST_BACKEND");
  auto opened = backend::open(name == nullptr ? "native" : name, {});
  if (!opened) throw std::runtime_error(opened.error().message);
  return std::move(*opened);
}

/// Small numbers of either sign.
std::vector<Bytes> small_numbers(const Shapes& shapes, uint64_t seed) {
  std::vector<Bytes> out;
  for (const auto& shape : shapes) {
    Bytes& bytes = out.emplace_back(size_t(check::elements(shape)) * 4);
    for (size_t i = 0; i < bytes.size() / 4; ++i) {
      const float value = float(int32_t(philox(seed, i, out.size())[0] % 2001) - 1000) / 256;
      std::memcpy(bytes.data() + i * 4, &value, 4);
    }
  }
  return out;
}

void expect_defined(GraphExecutable& graph, const check::CheckedModule& module, const Shapes& shapes) {
  std::vector<Bytes> memory = small_numbers(shapes, 5);
  const auto sized = graph.at(shapes);
  ASSERT_TRUE(sized) << render(sized.error(), nullptr);
  const std::vector<std::span<const std::byte>> given(memory.begin(), memory.end());
  const auto expected = ref::run_graph(module, (*sized)->graph, given);
  ASSERT_TRUE(expected) << render(expected.error(), nullptr);
  const std::vector<uint64_t> bytes = (*sized)->bytes();
  for (size_t i = shapes.size(); i < bytes.size(); ++i) memory.emplace_back(bytes[i]);
  const std::vector<std::span<std::byte>> host(memory.begin(), memory.end());
  const auto ran = graph.run_host(shapes, host);
  ASSERT_TRUE(ran) << render(ran.error(), nullptr);
  for (size_t i = 0; i < expected->size(); ++i) EXPECT_TRUE(memory[shapes.size() + i] == (*expected)[i]) << i;
}

TEST(GraphOnBackend, IsCompiledOnceForEachSetOfSizes) {
  const auto module = graphs_of(kGraphs);
  const auto backend = backend_of_test();
  GraphExecutable graph(*backend, module, 1, ops::op_table());
  const Shapes small = {{3, 20}, {20, 7}, {7}}, large = {{40, 33}, {33, 65}, {65}};
  for (const Shapes& shapes : {small, large, small}) expect_defined(graph, *module, shapes);
  const auto before = graph.at(small), other = graph.at(large), after = graph.at(small);
  EXPECT_EQ(*before, *after);
  EXPECT_NE(*before, *other);
}

TEST(GraphOnBackend, RefusesShapesThatDoNotFit) {
  const auto module = graphs_of(kGraphs);
  const auto backend = backend_of_test();
  GraphExecutable graph(*backend, module, 1, ops::op_table());
  EXPECT_FALSE(graph.at(Shapes{{3, 20}, {21, 7}, {7}}));
  EXPECT_FALSE(graph.at(Shapes{{3, 20}, {20, 1}, {1}}));  // no two of one
}

TEST(GraphOnBackend, RunsOverMemoryOfTheDevice) {
  const auto module = graphs_of(kGraphs);
  const auto backend = backend_of_test();
  GraphExecutable graph(*backend, module, 0, ops::op_table());
  const Shapes shapes = {{2, 3}, {}};
  const float x[] = {1, 2, 2, 0, 3, 4}, zero[] = {0}, expected[] = {1.f / 3, 2.f / 3, 2.f / 3, 0, 0.6f, 0.8f};
  std::vector<std::unique_ptr<backend::DeviceBuffer>> buffers;
  std::vector<backend::DeviceRange> ranges;
  const auto add = [&](std::span<const std::byte> bytes) {
    buffers.push_back(*backend->allocate(bytes.size()));
    ASSERT_TRUE(buffers.back()->write(0, bytes));
    ranges.push_back({buffers.back().get(), 0, bytes.size()});
  };
  add(std::as_bytes(std::span(x)));
  add(std::as_bytes(std::span(zero)));
  add(std::as_bytes(std::span(x)));
  for (int again = 0; again < 2; ++again) {
    RunNotes notes;
    const auto ran = graph.run(shapes, ranges, &notes);
    ASSERT_TRUE(ran) << render(ran.error(), nullptr);
    EXPECT_EQ(notes.dispatches, 1u);  // a line, its norm and its quotients are one
    float found[6];
    ASSERT_TRUE(buffers[2]->read(0, std::as_writable_bytes(std::span(found))));
    for (int i = 0; i < 6; ++i) EXPECT_EQ(found[i], expected[i]) << i;
  }
}

}  // namespace
}  // namespace vyre::plan
