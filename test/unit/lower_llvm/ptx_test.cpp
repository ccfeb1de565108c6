// PTX as text: what has to be in it and what may not. That it runs right is for tests with a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "golden.h"
#include "oracle.h"
#include "ptx_programs.h"
#include "two_products.h"

VYRE_ORACLE(SpecificationTable,
            "the PTX ISA, CUDA's limits, NVIDIA's list of compute capabilities and LLVM's rules; semantics, "
            "backend.h, and explain L001 to L003; counts by hand");

namespace vyre::lower {
namespace {

namespace fs = std::filesystem;
using test::ptx_kernel;
using testing::HasSubstr;
using testing::Not;

PtxModule emitted(std::string_view text, uint32_t sm = 70) {
  auto module = emit_ptx(ptx_kernel(text), {sm});
  if (!module) throw std::runtime_error(module.error().message);
  return std::move(*module);
}

size_t count(std::string_view text, std::string_view part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

TEST(Ptx, TheNewestTargetThatAChipRuns) {
  const std::pair<uint32_t, uint32_t> cases[] = {{70, 70},  {72, 70},  {75, 75}, {80, 80}, {86, 86},
                                                 {87, 87},  {88, 87},  {89, 89}, {90, 90}, {100, 90},
                                                 {103, 90}, {120, 90}, {121, 90}};
  for (const auto& [capability, sm] : cases) {
    const auto target = ptx_target(capability);
    ASSERT_TRUE(target) << capability;
    EXPECT_EQ(target->sm, sm) << capability;
  }
  for (const uint32_t old : {0u, 35u, 61u, 69u}) {
    const auto target = ptx_target(old);
    ASSERT_FALSE(target) << old;
    EXPECT_EQ(target.error().code, DiagCode::B001);
  }
}

TEST(Ptx, EachTargetNamesItselfAndOthersAreRefused) {
  const Kernel kernel = ptx_kernel("program p(read_write out: u32 @0) workgroup(1, 1, 1) { out[0] = 1; }");
  EXPECT_EQ(ptx_targets().size(), 7u);
  for (const PtxTarget target : ptx_targets()) {
    const auto module = emit_ptx(kernel, target);
    ASSERT_TRUE(module);
    EXPECT_THAT(module->text, HasSubstr(".target sm_" + std::to_string(target.sm) + "\n"));
  }
  for (const uint32_t sm : {0u, 60u, 71u, 100u}) {
    const auto refused = emit_ptx(kernel, {sm});
    ASSERT_FALSE(refused) << sm;
    EXPECT_EQ(refused.error().code, DiagCode::B001);
  }
}

TEST(Ptx, PrivateArraysAreLocalMemoryOrRegisters) {
  // With indices that a program knows, once its loops are unrolled, nothing is left of an array.
  const auto text_of = [](std::string_view index) {
    const auto module = emit_ptx(
        test::ptx_kernel(
            "program p(read a: u32 @0, read_write out: u32 @1, private w: u32[64]) workgroup(1, 1, 1) {"
            " unroll for i in 0..64 { w[" +
            std::string(index) + "] = a[i]; } unroll for i in 0..64 { out[i] = w[63 - i]; } }"),
        {80});
    return module ? module->text : module.error().message;
  };
  EXPECT_THAT(text_of("i ^ 5"), Not(HasSubstr(".local")));
  EXPECT_THAT(text_of("a[i]"), HasSubstr("st.local"));
  EXPECT_THAT(text_of("a[i]"), HasSubstr("st.local.v4.u32"));  // zeros, 16 bytes at a time
}

TEST(Ptx, NoProgramGivesInexactArithmeticOrSpillsItsVariables) {
  // PTX ISA: .ftz flushes, .approx is inexact, fma rounds once; .local is memory, where nothing of ours
  // belongs.
  const std::vector<Kernel> kernels = test::every_ptx_kernel();
  ASSERT_GE(kernels.size(), 380u);
  const auto batch = emit_ptx(kernels, {80});
  ASSERT_TRUE(batch) << batch.error().message;
  for (const char* bad :
       {".ftz", ".approx", "mad.rn", ".local", "call.", "add.f", "sub.f", "mul.f", "div.f", "fma.f"}) {
    EXPECT_THAT(batch->text, Not(HasSubstr(bad)));
  }
  ASSERT_EQ(batch->entries.size(), kernels.size());
  std::set<std::string> names;
  for (size_t i = 0; i < kernels.size(); ++i) {
    const PtxEntry& entry = batch->entries[i];
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_EQ(entry.block[0] * entry.block[1] * entry.block[2], kernels[i].invocations());
    EXPECT_EQ(count(batch->text, ".entry " + entry.name + "("), 1u) << entry.name;
  }
}

TEST(Ptx, FloatsAndFusedOperationsAreThoseOfThePrograms) {
  VYRE_ORACLE(Property, "the kernels: where none asks for it, nothing is fused, and nothing is a float");
  const auto emit = [](bool (*wanted)(RawOp), size_t least) {
    std::vector<Kernel> kernels = test::every_ptx_kernel();
    std::erase_if(kernels, [&](const Kernel& kernel) {
      return std::ranges::any_of(kernel.insts,
                                 [&](const Inst& i) { return i.kind == InstKind::Raw && wanted(i.raw); });
    });
    EXPECT_GE(kernels.size(), least);
    const auto batch = emit_ptx(kernels, {80});
    EXPECT_TRUE(batch) << batch.error().message;
    return batch->text;
  };
  const std::string unfused = emit(
      [](RawOp op) { return op == RawOp::FMulAdd || op == RawOp::FWideMulAdd || op == RawOp::WideMulAdd; },
      400);
  EXPECT_THAT(unfused, HasSubstr(".f32"));
  EXPECT_THAT(unfused, Not(HasSubstr("fma.")));
  const std::string integers = emit([](RawOp op) { return info(op).is_float; }, 350);
  for (const char* bad : {".f32", ".f16", "fma."}) EXPECT_THAT(integers, Not(HasSubstr(bad)));
}

TEST(Ptx, SharedMemoryHoldsEveryWorkgroupBufferAligned) {
  // A count by hand: 3 bytes-of-16 buffers of 5 halves, 3 words and 2 elements of 16 bytes.
  const PtxModule module = emitted(R"(
      program p(read_write out: u32 @0, workgroup a: f16[5], workgroup b: u32[3], workgroup c: u128[2])
          workgroup(8, 1, 1) {
        a[0] = bitcast<f16>(1);
        b[0] = 1;
        out[0] = len(c);
      })");
  EXPECT_EQ(module.shared_bytes, 16u + 16u + 32u);
  EXPECT_THAT(module.text, HasSubstr(".extern .shared .align 16"));
}

// What other threads wrote before a barrier must be read after it, so the load may not be answered from the
// store.
TEST(Ptx, MemoryIsReadAgainAfterABarrier) {
  const PtxModule module = emitted(R"(
      program p(read_write data: u32 @0) workgroup(64, 1, 1) {
        data[local_id.x ^ 1] = 7;
        let mine = data[local_id.x];
        barrier;
        data[local_id.x + 64] = data[local_id.x] + mine;
      })");
  const size_t barrier = module.text.find("bar.sync");
  ASSERT_NE(barrier, module.text.npos);
  EXPECT_THAT(module.text.substr(barrier), HasSubstr("ld.global"));
  EXPECT_THAT(module.text, Not(HasSubstr("ld.global.nc")));  // the cache that other threads do not reach
}

TEST(Ptx, ARacyIndexIsLoadedOnce) {
  // Semantics, "race": one value for the guard and for the access, so the word is loaded once.
  const PtxModule module = emitted(R"(
      program p(read_write data: u32 @0, read table: u32 @1, read_write out: u32 @2) workgroup(32, 1, 1) {
        out[invocation_id.x] = table[data[invocation_id.x]];
        data[0] = 1;
      })");
  EXPECT_EQ(count(module.text, "ld.global.u32"), 1u);
  EXPECT_EQ(count(module.text, "ld.global.nc.u32"), 1u);
}

TEST(Ptx, TheEntryOfALongNameIsShort) {
  // include/vyre/backend.h, vyre_plugin_text: 128 characters with the zero.
  const std::string name(500, 'n');
  const PtxModule module =
      emitted("program " + name + "(read_write out: u32 @0) workgroup(1, 1, 1) { out[0] = 1; }");
  EXPECT_LT(module.entry.size(), 128u);
  EXPECT_EQ(count(module.text, ".entry " + module.entry + "("), 1u);
}

TEST(Ptx, ABlockIsAWorkgroup) {
  const PtxModule module = emitted(R"(
      program p(read_write out: u32 @0) workgroup(4, 2, 64) {
        out[local_id.z * 8 + local_id.y * 4 + local_id.x] = invocation_id.z;
      })");
  EXPECT_EQ(module.block, (std::array{4u, 2u, 64u}));
  EXPECT_THAT(module.text, AllOf(HasSubstr(".reqntid 4, 2, 64"), HasSubstr("%tid.y"), HasSubstr("%tid.z")));
}
TEST(Ptx, ABlockThatIsTooLongAlongZHasOneAxis) {
  // CUDA's limits: a block has at most 64 threads along z, and a workgroup of vyre 1024.
  const PtxModule module = emitted(R"(
      program p(read_write out: u32 @0) workgroup(1, 2, 256) {
        out[local_id.z * 2 + local_id.y] = invocation_id.z;
      })");
  EXPECT_EQ(module.block, (std::array{512u, 1u, 1u}));
  EXPECT_THAT(module.text, HasSubstr(".reqntid 512, 1, 1"));
  EXPECT_THAT(module.text, Not(HasSubstr("%tid.z")));
}

constexpr const char* kSubgroups = R"(
    program p(read_write out: u32 @0) workgroup(64, 1, 1) {
      let i = local_id.x;
      let votes = subgroup.ballot(i & 1);
      out[i] = subgroup.reduce_add(i) + subgroup.shuffle(i, 3) + votes.x + votes.y;
    })";

TEST(Ptx, SubgroupsAreInstructionsOfTheChip) {
  const std::string old = emitted(kSubgroups, 75).text;
  EXPECT_THAT(old, Not(HasSubstr("redux")));
  EXPECT_EQ(count(old, "shfl.sync.bfly.b32"), 5u);
  const std::string ampere = emitted(kSubgroups, 80).text;
  EXPECT_EQ(count(ampere, "redux.sync.add"), 1u);
  EXPECT_EQ(count(ampere, "shfl.sync.bfly.b32"), 0u);
  for (const std::string& text : {old, ampere}) {
    EXPECT_EQ(count(text, "vote.sync.ballot.b32"), 1u);
    EXPECT_EQ(count(text, "shfl.sync.idx.b32"), 1u);
  }
}

TEST(Ptx, AWorkgroupOfPartialSubgroupsIsRefused) {
  Kernel kernel = ptx_kernel(kSubgroups);
  kernel.workgroup_size = {8, 3, 1};
  const auto refused = emit_ptx(kernel, {80});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, DiagCode::B008);
  EXPECT_THAT(refused.error().message, HasSubstr("24"));
}

TEST(Ptx, MoreBuffersThanParametersAreRefused) {
  // PTX ISA, ".param": 4,352 bytes of parameters, an address and a count in 16.
  const auto with = [](uint32_t buffers) {
    std::string text = "program p(read_write b0: u32 @0";
    for (uint32_t i = 1; i < buffers; ++i) {
      text += ", read_write b" + std::to_string(i) + ": u32 @" + std::to_string(i);
    }
    return emit_ptx(ptx_kernel(text + ") workgroup(1, 1, 1) { b0[0] = 1; }"), {80});
  };
  EXPECT_TRUE(with(272));
  const auto refused = with(273);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, DiagCode::B003);
  EXPECT_THAT(refused.error().message, HasSubstr("273"));
}

// A kernel beyond the limit of the whole pipeline.
TEST(Ptx, LargeKernelsKeepTheirVariablesInRegistersToo) {
  std::string text =
      "program p(read a: u32 @0, read_write out: u32 @1) workgroup(32, 1, 1) {\n  let s = local_id.x;\n";
  for (int i = 0; i < 400; ++i) {
    const std::string n = std::to_string(i);
    text += "  s = s + a[s ^ " + n + "] / (s | " + n + ");\n  if (s < " + n + ") { s = s + 3; }\n";
  }
  const Kernel kernel = ptx_kernel(text + "  out[invocation_id.x] = s;\n}\n");
  ASSERT_GE(kernel.insts.size(), 6000u);
  const auto module = emit_ptx(kernel, {80});
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_THAT(module->text, Not(HasSubstr(".local")));
  EXPECT_EQ(count(module->text, "div.u32"), 400u);
}

/// With what the target promises of floats.
std::string emitted_for(std::string_view text, PtxTarget target) {
  Target promised = kPtxTarget;
  promised.floats = ptx_promises(target);
  const auto module = emit_ptx(legalize(build(test::checked(text)), promised), target);
  if (!module) throw std::runtime_error(module.error().message);
  return module->text;
}

// PTX ISA: mul{.rnd}.bf16x2 and add{.rnd}.bf16x2 want sm_90.
TEST(Ptx, BfloatIsConvertedByInstructionsWhereTheyArePromised) {
  constexpr std::string_view kChain =
      "program p(read x: bf16 @0, read_write out: bf16 @1) workgroup(64, 1, 1) {\n"
      "  let i = invocation_id.x * 2;\n"
      "  if (i + 1 < len(x) && i + 1 < len(out)) {\n"
      "    let a = x[i];\n    let b = x[i + 1];\n"
      "    out[i] = a * a + a;\n    out[i + 1] = b * b + b;\n  }\n}\n";
  const std::string native = emitted_for(kChain, {90});
  EXPECT_EQ(count(native, "mul.rn.bf16x2"), 1u) << native;
  EXPECT_EQ(count(native, "add.rn.bf16x2"), 1u);
  EXPECT_THAT(native, Not(HasSubstr(".rn.f32")));
  for (const uint32_t sm : {70u, 80u, 89u}) {
    const std::string integers = emitted_for(kChain, {sm});
    EXPECT_EQ(count(integers, "mul.rn.f32"), 2u) << sm;
    EXPECT_THAT(integers, Not(HasSubstr("bf16")));
  }
}

// ptxas 13.0 converts `selp 1, 0` from f16 to 1.0. The least number of f16 is 2^-24: 0x33800000, 864026624.
// That a comparison gives 0 or 1 legalization knows, and LLVM of what is masked.
TEST(Ptx, ATruthIsNoOperandOfAConversionFromHalf) {
  constexpr std::string_view kTruths =
      "program p(read a: u32 @0, read_write o: f32 @1) workgroup(64, 1, 1) {\n"
      "  let x = invocation_id.x;\n"
      "  o[x] = cast<f32>(bitcast<f16>(a[x] > 9)) * cast<f32>(bitcast<f16>(a[x])) +\n"
      "      cast<f32>(bitcast<f16>(a[x] & 1));\n}\n";
  const std::string text = emitted_for(kTruths, {90});
  EXPECT_EQ(count(text, ", 864026624"), 2u) << text;
  EXPECT_EQ(count(text, "cvt.f32.f16"), 1u);
}

// A guard is a setp and two selp; what remains is the choice of the NaN where the result is stored.
TEST(Ptx, GuardsThatOneComparisonOfALengthDecidesAreGone) {
  const auto product = [](std::string_view condition) {
    return emitted(
               "program p(read a: f32 @0, read b: f32 @1, read_write c: f32 @2) workgroup(16, 16, 1) {\n"
               "  let x = invocation_id.x;\n  let y = invocation_id.y;\n"
               "  if (x < 64 && y < 64 && " +
               std::string(condition) +
               ") {\n    let sum = 0.0;\n    for k in 0..64 {\n"
               "      sum = fmul_add(a[y * 64 + k], b[k * 64 + x], sum);\n    }\n"
               "    c[y * 64 + x] = sum;\n  }\n}\n")
        .text;
  };
  EXPECT_EQ(count(product("len(a) >= 4096 && len(b) >= 4096"), "selp"), 1u);
  EXPECT_GT(count(product("len(a) >= 4096 && len(b) >= 4095"), "selp"), 1u);
}

TEST(Ptx, WhatTheVerifierRefusesIsADiagnostic) {
  // explain L003, and LLVM's rule that a value is used only where its definition has run.
  Kernel kernel = ptx_kernel(test::kTwoProducts);
  test::use_before_definition(kernel);
  const auto refused = emit_ptx(kernel, {80});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, DiagCode::L003);
  EXPECT_THAT(refused.error().message, HasSubstr("dominate"));
}

TEST(Ptx, GoldenText) {
  VYRE_ORACLE(Regression, "test/golden/ptx: printed by this project, read by a person when blessed");
  test::expect_golden_texts({"examples/block_sum", "examples/histogram", "test/golden/kernel/subgroups",
                             "test/golden/kernel/halves", "test/golden/kernel/tensors",
                             "test/golden/llvm/long", "test/golden/ptx/rounds"},
                            "test/golden/ptx", ".ptx",
                            [](const std::string& text) { return emitted(text).text; });
}

}  // namespace
}  // namespace vyre::lower
