// What Vulkan promises, by what a device advertises.
#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lower/spirv/float_promises.h"
#include "oracle.h"

VYRE_ORACLE(
    SpecificationTable,
    "the specification's appendix \"Precision and Operation of SPIR-V Instructions\", read here once more");

namespace vyre::lower {
namespace {

using testing::UnorderedElementsAre;

constexpr VulkanFloatModes kNothing{};
constexpr VulkanFloatModes kUsual{.arithmetic = true, .round_to_even = true, .keep_special = true};
constexpr VulkanFloatModes kAll{
    .arithmetic = true, .round_to_even = true, .keep_special = true, .keep_subnormals = true};

std::vector<std::string> given(const VulkanFloats& floats) {
  const FloatPromises promises = vulkan_promises(floats);
  std::vector<std::string> out;
  for (const RawOpInfo& info : kRawOps) {
    if (promises[info.op].given) out.emplace_back(info.mnemonic);
  }
  return out;
}

TEST(VulkanPromises, AreNothingWithoutTheModesOf32Bits) {
  for (const bool rounds : {false, true}) {
    for (const bool special : {false, true}) {
      const VulkanFloatModes single{
          .arithmetic = true, .round_to_even = rounds, .keep_special = special, .keep_subnormals = true};
      const auto promised = given({.half = kAll, .single = single, .wide = kAll, .independent = true});
      EXPECT_EQ(promised.empty(), !(rounds && special));
    }
  }
}

TEST(VulkanPromises, OfTheUsualDevice) {
  EXPECT_THAT(given({.half = kNothing, .single = kUsual, .wide = kNothing, .independent = true}),
              UnorderedElementsAre("fadd", "fsub", "fmul", "fdiv", "fsqrt", "finverse_sqrt", "ffrom_s32",
                                   "ffrom_u32", "fto_s32", "fto_u32"));
}

// Fma is inherited from a product and a sum: two roundings, unless more is known of the driver.
TEST(VulkanPromises, OfAMultiplyAddOnlyWhereItIsKnownToBeFused) {
  for (const bool keeps : {false, true}) {
    const VulkanFloatModes single = keeps ? kAll : kUsual;
    EXPECT_FALSE(
        vulkan_promises({.half = kAll, .single = single, .wide = kAll, .independent = true})[RawOp::FMulAdd]
            .given);
    const FloatPromises p = vulkan_promises({.single = single, .fused = true});
    EXPECT_EQ(p[RawOp::FMulAdd], p[RawOp::FAdd]);
  }
}

// By the specification subnormals may vanish unless the device offers to keep them.
TEST(VulkanPromises, OfSubnormalsInSumsAndProductsWhereTheyAreKnownToBeKept) {
  const FloatPromises p = vulkan_promises({.single = kUsual, .fused = true, .keeps_unasked = true});
  for (const RawOp op : {RawOp::FAdd, RawOp::FSub, RawOp::FMul}) EXPECT_TRUE(p[op].exact());
  EXPECT_FALSE(p[RawOp::FMulAdd].exact());
  EXPECT_TRUE(p[RawOp::FMulAdd].flushes_operands && p[RawOp::FMulAdd].flushes_results);
  const VulkanFloatModes rounds_only{.arithmetic = true, .round_to_even = true};
  EXPECT_TRUE(given({.single = rounds_only, .keeps_unasked = true}).empty());
}

TEST(VulkanPromises, OfOtherWidthsWhereTheyHaveModesOfTheirOwn) {
  const auto has = [](const VulkanFloats& floats, const char* mnemonic) {
    return std::ranges::count(given(floats), mnemonic) == 1;
  };
  for (const bool independent : {false, true}) {
    const VulkanFloats floats{.half = kAll, .single = kUsual, .wide = kUsual, .independent = independent};
    for (const char* mnemonic : {"fwide_mul_add", "fwide_low", "ffrom_f16", "fto_f16"}) {
      EXPECT_EQ(has(floats, mnemonic), independent) << mnemonic;
    }
  }
  // Subnormal halves are numbers that a conversion may lose.
  EXPECT_FALSE(has({.half = kUsual, .single = kUsual, .wide = kUsual, .independent = true}, "ffrom_f16"));
}

// Correctly rounded: addition, subtraction, multiplication. 2.5 ULP: division; 2 ULP: inversesqrt; keeping
// subnormals binds them not.
TEST(VulkanPromises, SayHowFarOff) {
  for (const bool keeps : {false, true}) {
    const FloatPromises p = vulkan_promises(
        {.half = kNothing, .single = keeps ? kAll : kUsual, .wide = kNothing, .independent = true});
    for (const RawOp op : {RawOp::FAdd, RawOp::FSub, RawOp::FMul}) EXPECT_EQ(p[op].exact(), keeps);
    EXPECT_EQ(p[RawOp::FDiv].half_ulps, 5);
    EXPECT_GE(p[RawOp::FSqrt].half_ulps, 2 * (4 + 5));
    EXPECT_EQ(p[RawOp::FInverseSqrt].half_ulps, 4);
    for (const RawOp op : {RawOp::FDiv, RawOp::FSqrt, RawOp::FInverseSqrt}) {
      EXPECT_TRUE(p[op].only_normal && p[op].flushes_operands && p[op].flushes_results);
    }
  }
}

}  // namespace
}  // namespace vyre::lower
