// Which float operators are given where.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "lower/codegen/float_promises.h"
#include "lower/codegen/host_cpu.h"
#include "lower/llvm/codegen.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable,
            "the processors' manuals, as rows written by hand: what exists from which extension on");

namespace vyre::lower {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// Float operators that a CPU is not given, by mnemonic. FInverseSqrt never is: CPUs have estimates of it.
/// Nor are those of BF16: where a CPU has them they flush.
std::set<std::string> missing(std::string_view architecture, const std::set<std::string>& features) {
  const FloatPromises promises =
      cpu_promises(architecture, [&](std::string_view f) { return features.contains(std::string(f)); });
  std::set<std::string> out;
  for (const RawOpInfo& info : kRawOps) {
    if (info.is_float && !promises[info.op].given) out.insert(std::string(info.mnemonic));
  }
  for (const char* never : {"finverse_sqrt", "ffrom_bf16", "fto_bf16"}) EXPECT_EQ(out.erase(never), 1u);
  return out;
}

TEST(CpuPromises, FollowTheExtensions) {
  EXPECT_THAT(missing("x86_64", {}), UnorderedElementsAre("wide_mul_add", "fmul_add", "ffloor", "fceil",
                                                          "fround", "ftrunc", "ffrom_f16", "fto_f16"));
  EXPECT_THAT(missing("x86_64", {"sse4.1", "avx"}),
              UnorderedElementsAre("wide_mul_add", "fmul_add", "ffrom_f16", "fto_f16"));
  EXPECT_THAT(missing("x86_64", {"sse4.1", "avx", "f16c"}), UnorderedElementsAre("wide_mul_add", "fmul_add"));
  EXPECT_THAT(missing("x86_64", {"sse4.1", "avx", "f16c", "fma", "avx2"}), IsEmpty());
  EXPECT_THAT(missing("aarch64", {}), IsEmpty());
}

TEST(CpuPromises, WhatIsGivenIsExact) {
  const FloatPromises promises = cpu_promises("x86_64", [](std::string_view) { return true; });
  for (const RawOpInfo& info : kRawOps) {
    const bool promised = info.is_float && info.op != RawOp::FInverseSqrt && !is_bfloat(info.op);
    EXPECT_EQ(promises[info.op].exact(), promised) << info.name;
  }
}

TEST(CpuPromises, OtherArchitecturesPromiseNothing) {
  const auto all = [](std::string_view) { return true; };
  for (const char* other : {"i686", "arm", "riscv64", "powerpc64le"}) {
    const FloatPromises promises = cpu_promises(other, all);
    for (const RawOpInfo& info : kRawOps) EXPECT_FALSE(promises[info.op].given) << other << ' ' << info.name;
  }
}

TEST(CpuPromises, TheHostIsAskedForItsFeatures) {
  const HostCpu& host = host_cpu();
  if (host.architecture != "x86_64") GTEST_SKIP() << "this host is " << host.architecture;
  const std::string list = "," + host.features + ",";
  EXPECT_EQ(host_target().floats[RawOp::FMulAdd].given, list.find(",+fma,") != list.npos);
  EXPECT_EQ(host_target().floats[RawOp::FToF16].given, list.find(",+f16c,") != list.npos);
  EXPECT_TRUE(host_target().floats[RawOp::FAdd].exact());
}

}  // namespace
}  // namespace vyre::lower
