// A program in which LLVM is neither linked nor to be found: this one.
#include "lower/codegen/generator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "lower/codegen/host_cpu.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable, "generator.h and diag.def");

namespace vyre::lower {
namespace {

TEST(Generator, ThatIsNotHereIsADiagnosticWithAWayOut) {
  const auto generator = code_generator();
  ASSERT_FALSE(generator);
  EXPECT_EQ(generator.error().code, DiagCode::B001);
  EXPECT_THAT(generator.error().message, testing::HasSubstr(std::string(generator_library())));
  EXPECT_THAT(generator.error().help, testing::HasSubstr("--backend reference"));
  const auto image = make_image({}, 0);
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code, DiagCode::B001);
}

TEST(Generator, StampIsADigest) {
  EXPECT_EQ(generator_stamp().size(), 64u);
  EXPECT_TRUE(std::ranges::all_of(generator_stamp(), [](unsigned char c) { return std::isxdigit(c) != 0; }));
}

TEST(HostCpu, IsNamedWithoutAGenerator) {
  EXPECT_FALSE(host_cpu().name.empty());
  EXPECT_FALSE(host_cpu().architecture.empty());
  EXPECT_THAT(llvm_version(), testing::StartsWith("19."));
}

}  // namespace
}  // namespace vyre::lower
