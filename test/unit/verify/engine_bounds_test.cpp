// Declared bounds of engines: numbers beyond words of 32 bits, and what has no number.
#include "verify/engine_bounds.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "library/library.h"
#include "ops/operation.h"
#include "oracle.h"

VYRE_ORACLE(
    SpecificationTable,
    "worked out by hand from the expressions of src/library/engines.def, and from those that stand here");

namespace vyre::verify {
namespace {

constexpr std::string_view kText = R"(
const W = 64 in {64, 128};

program copy(read data: u32 @0, read_write out: u32 @1) workgroup(W, 1, 1) {
  let i = invocation_id.x;
  out[i] = data[i];
}

pipeline main(read data: u32 @0, uniform params: u32 @1, read_write out: u32 @2) {
  dispatch copy(data, out) groups(1);
}
)";

Result<uint64_t> bound(std::string_view expression, uint64_t elements) {
  VYRE_TRY(bounds, DeclaredBounds::make(kText, {}, "1", expression, "0"));
  const std::array<std::byte, 8> params = {std::byte{7}, {}, {}, {}, std::byte{9}};
  const ref::PlanParameter parameters[] = {{elements * 4, {}}, {params.size(), params}, {16, {}}};
  VYRE_TRY(found, bounds.of(parameters));
  return found.scratch_bytes;
}

TEST(EngineBounds, AreNumbersOf64Bits) {
  EXPECT_EQ(bound("4 * len(data)", 3'000'000'000), 12'000'000'000);
  EXPECT_EQ(bound("primitive.math.max(len(data) * 2, len(out)) / 2", 3'000'000'000), 3'000'000'000);
  EXPECT_EQ(bound("ceil_div(4 * len(data), 3)", 4'000'000'001), 5'333'333'335);
  EXPECT_EQ(bound("select(8 * len(data) > 0xffffffff, params[0], params[1])", 536'870'912), 7);
  EXPECT_EQ(bound("select(8 * len(data) > 0xffffffff, params[0], params[1])", 536'870'911), 9);
  EXPECT_EQ(bound("params[2] + len(data) / 0 + len(data) % 0 + W", 5), 64);
  EXPECT_EQ(bound("32 - clz(len(data))", 1'000), 10);
}

TEST(EngineBounds, WithoutANumberAreErrors) {
  const auto code = [](const Result<uint64_t>& found) {
    return found ? std::string() : found.error().message;
  };
  const std::string over = code(bound("len(data) * len(data) * 2", 4'000'000'000));
  EXPECT_NE(over.find("is 2^64 or more: of 16000000000000000000 and 2"), std::string::npos) << over;
  const std::string sum = code(bound("len(data) * len(data) + len(data) * len(data)", 4'000'000'000));
  EXPECT_NE(sum.find("is 2^64 or more"), std::string::npos) << sum;
  const std::string below = code(bound("len(data) - 6", 5));
  EXPECT_NE(below.find("is below zero: 5 - 6"), std::string::npos) << below;
  const std::string bits = code(bound("clz(2 * len(data))", 4'000'000'000));
  EXPECT_NE(bits.find("takes the bits of 8000000000"), std::string::npos) << bits;
}

// 4 * (3 places + 9 values + 4 + 512 * 2048 + 2 * (2048 / 8 + 1)) bytes, 48 a value, where so many values
// have as many places.
TEST(EngineBounds, OfScatterGatherHoldAboveAWord) {
  const library::Engine& engine = *library::find_engine("engine.scatter_gather");
  const auto bounds = DeclaredBounds::make(library::find(engine.id)->file->text, {}, engine.dispatches,
                                           engine.scratch_bytes, engine.turns);
  ASSERT_TRUE(bounds) << bounds.error().message;
  // values, destinations, forward, places, back, conflicts, count
  const uint64_t n = 100'000'000;
  const ref::PlanParameter parameters[] = {{4 * n, {}}, {4 * n, {}}, {0, {}}, {4 * n, {}},
                                           {0, {}},     {0, {}},     {4, {}}};
  const auto found = bounds->of(parameters);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->scratch_bytes, 4'804'196'376);
  EXPECT_EQ(found->turns, 0);
}

}  // namespace
}  // namespace vyre::verify
