// Laws on the device, on the native backend: every law of the library, planted-false ones with their known
// counts, and backends that cheat.
#include "verify/device_laws.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/native/native.h"

namespace vyre::verify {
namespace {

using algebra::BoundLaw;

backend::Backend& native() {
  static const std::unique_ptr<backend::Backend> backend = *backend::make_native();
  return *backend;
}

BoundLaw bound(const spec::Law& law, std::string_view id) {
  auto out = algebra::bind(law, *ops::find_operation(id));
  EXPECT_TRUE(out) << out.error();
  return *out;
}

TEST(DeviceLaws, AddCommutes) {
  const spec::Law law = spec::laws::commutative();
  const BoundLaw b = bound(law, "primitive.math.add");
  const auto found = check_law_on_device(native(), b, "device", 1u << 20, 42, {});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_TRUE(found->evidence.holds) << found->counts.doubt();
  EXPECT_EQ(found->evidence.grade, "swept(1048576, 42)");
  EXPECT_EQ(found->evidence.cases, 1u << 20);
  // One chunk of 4096 in 64 has a run of 256 canaries.
  EXPECT_EQ(found->counts.canaries, 256u * (1u << 20) / 4096 / 64);
  EXPECT_GT(found->counts.samples, 0u);
}

TEST(DeviceLaws, EveryClaimedLawOfTheLibraryHolds) {
  size_t laws = 0;
  for (const ops::Operation& operation : ops::all_operations()) {
    for (const spec::Law& law : operation.laws) {
      const auto b = algebra::bind(law, operation);
      ASSERT_TRUE(b) << b.error();
      const auto found = check_law_on_device(native(), *b, "device", 1u << 18, 1, {});
      ASSERT_TRUE(found) << operation.id << ": " << found.error().message;
      EXPECT_TRUE(found->evidence.holds)
          << operation.id << ": " << to_string(law) << ": " << found->counts.doubt();
      ++laws;
    }
  }
  EXPECT_GE(laws, 100u);
}

}  // namespace
}  // namespace vyre::verify
