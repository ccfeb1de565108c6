// The reference behind the backend interface.
#include <gtest/gtest.h>

#include "backend/backend.h"
#include "base/bytes.h"
#include "oracle.h"
#include "text/text.h"

VYRE_ORACLE(SpecificationTable,
            "backend.h, the names that certificates print, and the limits of semantics, \"Structure\"; "
            "values by hand");

namespace vyre::backend {
namespace {

check::Checked checked_program(std::string_view text) {
  auto result = check::check(*text::parse(text), spec::OpTable{});
  EXPECT_TRUE(result.has_value());
  return *std::move(result);
}

constexpr std::string_view kDouble =
    "program p(read_write data: u32 @0) workgroup(2, 1, 1) {"
    " data[invocation_id.x] = data[invocation_id.x] * 2; }";
constexpr std::string_view kNegate =
    "program p(read_write data: u32 @0) workgroup(1, 1, 1) { data[0] = -data[0]; }";

std::vector<uint32_t> dispatch(Pipeline& pipeline, std::vector<uint32_t> words, layout::Groups groups) {
  const std::vector<std::span<std::byte>> host = {std::as_writable_bytes(std::span(words))};
  EXPECT_TRUE(pipeline.dispatch(host, groups).has_value());
  return words;
}

TEST(Reference, CompilesOnceAndDispatchesOften) {
  // Doubling by hand, over as many invocations as are dispatched; a pipeline outlives program and backend,
  // and a second dispatch knows nothing of the first.
  std::unique_ptr<Pipeline> pipeline;
  {
    const auto backend = make_reference();
    const auto checked = checked_program(kDouble);
    auto compiled = backend->compile(checked);
    ASSERT_TRUE(compiled);
    pipeline = *std::move(compiled);
  }
  EXPECT_EQ(dispatch(*pipeline, {1, 2, 3, 4, 0x80000001}, {.x = 2}),
            (std::vector<uint32_t>{2, 4, 6, 8, 0x80000001}));
  EXPECT_EQ(dispatch(*pipeline, {5, 6}, {}), (std::vector<uint32_t>{10, 12}));
}

TEST(Reference, CompilesABatch) {
  const auto backend = make_reference();
  const auto twice = checked_program(kDouble), negate = checked_program(kNegate);
  const auto pipelines = backend->compile_batch(std::vector{&twice, &negate, &twice});
  ASSERT_EQ(pipelines.size(), 3u);
  EXPECT_EQ(dispatch(**pipelines[0], {3}, {}), (std::vector<uint32_t>{6}));
  EXPECT_EQ(dispatch(**pipelines[1], {3}, {}), (std::vector<uint32_t>{0xfffffffd}));
  EXPECT_EQ(dispatch(**pipelines[2], {4}, {}), (std::vector<uint32_t>{8}));
}

TEST(Reference, RefusesWhatDoesNotFit) {
  const auto backend = make_reference();
  const auto checked = checked_program(kDouble);
  const auto pipeline = backend->compile(checked);
  ASSERT_TRUE(pipeline);
  const auto result = (*pipeline)->dispatch({}, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, DiagCode::X009);
}

TEST(Reference, SaysWhoItIs) {
  const auto backend = make_reference();
  EXPECT_EQ(backend->identity().name, "reference");
  EXPECT_FALSE(backend->identity().version.empty());
  EXPECT_EQ(backend->identity().kind, spec::DeviceKind::Cpu);
  EXPECT_EQ(backend->limits().max_invocations_per_group, 1024u);
  EXPECT_EQ(backend->limits().max_workgroup_bytes, 64u << 20);
  EXPECT_EQ(backend->limits().max_buffer_bytes, 64u << 20);
}

}  // namespace
}  // namespace vyre::backend
