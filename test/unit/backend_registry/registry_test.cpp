#include "backend/registry/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "oracle.h"

VYRE_ORACLE(SpecificationTable, "commands, \"B\", and B001 and B004 of diag.def");

namespace vyre::backend {
namespace {

using testing::HasSubstr;

TEST(Registry, OpensEveryEntryUnderItsName) {
  std::set<std::string_view> names;
  for (const Entry& entry : all_backends()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_FALSE(entry.summary.empty());
    const auto backend = open(entry.name);
    // A machine without a GPU, or without a library of WebGPU; the tests of these backends have the rest.
    const bool may_be_absent =
        entry.name == "cuda" || (entry.name == "webgpu" && std::getenv("VYRE_WEBGPU_LIB") == nullptr);
    if (!backend && may_be_absent) {
      EXPECT_EQ(backend.error().code, DiagCode::B001) << backend.error().message;
      EXPECT_FALSE(backend.error().help.empty());
      continue;
    }
    ASSERT_TRUE(backend) << backend.error().message;
    EXPECT_EQ((*backend)->identity().name, entry.name);
  }
  EXPECT_TRUE(names.contains("reference"));
  EXPECT_TRUE(names.contains("native"));
}

TEST(Registry, TellsTheReferenceHowManyLanesASubgroupHas) {
  VYRE_ORACLE(
      ReferenceInterpreter,
      "backend.h: without lanes the reference has no operation of subgroups; other backends take no notice");
  for (const uint32_t lanes : {0u, 32u}) {
    const auto reference = open("reference", {.reference = {.subgroup_size = lanes}});
    ASSERT_TRUE(reference) << reference.error().message;
    EXPECT_EQ((*reference)->has(spec::Intrinsic::SubgroupBallot), lanes != 0);
    const auto native = open("native", {.reference = {.subgroup_size = lanes}});
    ASSERT_TRUE(native) << native.error().message;
    EXPECT_FALSE((*native)->has(spec::Intrinsic::SubgroupBallot));
  }
  const auto plain = open("reference");
  ASSERT_TRUE(plain);
  EXPECT_FALSE((*plain)->has(spec::Intrinsic::SubgroupBallot));
}

void expect_refused(std::string_view spec, DiagCode code, const char* message) {
  const auto backend = open(spec);
  ASSERT_FALSE(backend) << spec;
  EXPECT_EQ(backend.error().code, code) << spec;
  EXPECT_THAT(backend.error().message, HasSubstr(message));
  EXPECT_FALSE(backend.error().help.empty());
}

TEST(Registry, SaysWhatIsNotHere) {
  // What stands after the colon is a library, not a plugin, though it be a path.
  for (const char* absent : {"webgpu:libnowhere", "webgpu:/nowhere/libdawn.so", "webgpu:./a:b.so"}) {
    expect_refused(absent, DiagCode::B001, "cannot be opened");
  }
  for (const char* plugin : {"./mine.so", "/usr/lib/a:b.so", "plugin.so"}) {
    expect_refused(plugin, DiagCode::B013, "there is no plugin");
  }
}

TEST(Registry, ListsTheNamesForAnUnknownOne) {
  for (const char* unknown : {"", "nativ", "Native", "gpu", ":", "reference "}) {
    expect_refused(unknown, DiagCode::B004, "unknown backend");
    EXPECT_THAT(open(unknown).error().help, HasSubstr("reference, native"));
  }
  expect_refused("native:3", DiagCode::B004, "takes nothing after a colon");
  expect_refused("reference:x", DiagCode::B004, "takes nothing after a colon");
}

// What is malformed is so on every machine.
TEST(Registry, WantsTheNumberOfADeviceAfterCuda) {
  for (const char* malformed : {"cuda:x", "cuda:-1", "cuda:1x", "cuda: 1", "cuda:4294967296", "cuda:0:1"}) {
    expect_refused(malformed, DiagCode::B004, "not the number of a device");
  }
}

}  // namespace
}  // namespace vyre::backend
