// Cases of ir.shapes: valid programs, whose answers by arithmetic on the host are those of the interpreter.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "backend/backend.h"
#include "ops/operation.h"
#include "oracle.h"
#include "ref/ref.h"
#include "verify/shape_run.h"

VYRE_ORACLE(ReferenceInterpreter,
            "two definitions that share nothing: the interpreter, and sums on the host");

namespace vyre::verify {
namespace {

/// Whether the interpreter takes seconds over it.
bool is_long(const Row& row) {
  constexpr uint8_t kMillionRounds = 5;
  if (kind_of(row) == ShapeKind::Code) return level_of(row, ShapeFactor::Trip) == kMillionRounds;
  if (kind_of(row) != ShapeKind::Grid) return false;
  uint64_t n = 1;
  for (const uint32_t x : groups_of(row)) n *= x;
  for (const uint32_t x : workgroup_of(row)) n *= x;
  const auto level = [&](ShapeFactor f) { return level_of(row, f); };
  return n > 20'000 || level(ShapeFactor::Additions) == 2 ||
         shared_bytes(level(ShapeFactor::Shared)) > 20'000;
}

TEST(ShapeCases, HostArithmeticIsWhatTheInterpreterSays) {
  size_t compared = 0;
  for (const Row& row : shape_plan(2, 3)->rows) {
    const ShapeCase c = shape_case(row, 5, backend::Limits{});
    const auto checked = check::check(c.program, ops::op_table());
    ASSERT_TRUE(checked.has_value()) << describe(row) << "\n"
                                     << checked.error().front().message << "\n"
                                     << c.text;
    EXPECT_EQ(row_of(number_of(row)), row);
    if (is_long(row)) continue;
    for (const ShapeDispatch& dispatch : c.dispatches) {
      ASSERT_EQ(dispatch.before.size(), checked->bound_buffers().size());
      std::vector<Bytes> buffers = dispatch.before;
      std::vector<std::span<std::byte>> host(buffers.begin(), buffers.end());
      const auto ran = ref::run(*checked, host, dispatch.groups, {});
      ASSERT_TRUE(ran.has_value()) << describe(row) << "\n" << ran.error().message << "\n" << c.text;
      for (size_t b = 0; b < buffers.size(); ++b)
        EXPECT_EQ(buffers[b], dispatch.after[b]) << describe(row) << ": buffer " << b << " of\n" << c.text;
      if (::testing::Test::HasFailure()) return;
    }
    ++compared;
  }
  EXPECT_GT(compared, 150u);
}

}  // namespace
}  // namespace vyre::verify
