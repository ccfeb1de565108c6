// Whatever lets a driver compute floats other than as written is planted in a module and found. No program
// gives such a module, so each is assembled from text.
#include <gmock/gmock.h>
#include <spirv-tools/libspirv.hpp>

#include "oracle.h"
#include "programs.h"

VYRE_ORACLE(
    SpecificationTable,
    "SPIR-V specification, \"Decoration\": NoContraction; the assembler and the validator are SPIRV-Tools'");

namespace vyre::lower {
namespace {

/// A module around instructions of two floats %x and %y, whose results may be decorated.
std::vector<uint32_t> module_of(const std::string& decorations, const std::string& instructions) {
  const std::string text = R"(
      OpCapability Shader
      %glsl = OpExtInstImport "GLSL.std.450"
      OpMemoryModel Logical GLSL450
      OpEntryPoint GLCompute %main "main"
      OpExecutionMode %main LocalSize 1 1 1
      )" + decorations + R"(
      %void = OpTypeVoid
      %signature = OpTypeFunction %void
      %word = OpTypeInt 32 0
      %bool = OpTypeBool
      %float = OpTypeFloat 32
      %pair = OpTypeVector %float 2
      %kept = OpTypePointer Function %float
      %one = OpConstant %word 1
      %true = OpConstantTrue %bool
      %main = OpFunction %void None %signature
      %first = OpLabel
      )" + (instructions.find("OpVariable") == 0 ? instructions.substr(10) : "") +
                           R"(
      %x = OpBitcast %float %one
      %y = OpBitcast %float %one
      %xy = OpCompositeConstruct %pair %x %y
      )" + (instructions.find("OpVariable") == 0 ? "" : instructions) +
                           R"(
      OpReturn
      OpFunctionEnd
)";
  spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_2);
  std::string said;
  tools.SetMessageConsumer(
      [&](spv_message_level_t, const char*, const spv_position_t& at, const char* message) {
        said += std::to_string(at.line) + ": " + message + "\n";
      });
  std::vector<uint32_t> words;
  if (!tools.Assemble(text, &words) || !tools.Validate(words)) throw std::logic_error(said + text);
  return words;
}

TEST(SpirvAudit, StrictArithmeticPasses) {
  for (const char* good : {
           "%r = OpFAdd %float %x %y",
           "%r = OpFMul %pair %xy %xy",
           "%r = OpExtInst %float %glsl Fma %x %y %x",
           "%r = OpExtInst %float %glsl Sqrt %x",
       }) {
    const auto passed = audit_spirv(module_of("OpDecorate %r NoContraction", good));
    EXPECT_TRUE(passed) << good << ": " << passed.error().message;
  }
  // What is neither arithmetic nor a move needs nothing.
  for (const char* good : {
           "%r = OpFOrdLessThan %bool %x %y",
           "%r = OpConvertFToU %word %x",
           "%r = OpIAdd %word %one %one",
           "%r = OpExtInst %word %glsl FindUMsb %one",
           "%r = OpSelect %word %true %one %one",
       }) {
    const auto passed = audit_spirv(module_of("", good));
    EXPECT_TRUE(passed) << good << ": " << passed.error().message;
  }
}

TEST(SpirvAudit, WhatIsPlantedIsFound) {
  for (const char* bad : {
           "%r = OpFAdd %float %x %y",
           "%r = OpFSub %float %x %y",
           "%r = OpFMul %float %x %y",
           "%r = OpFDiv %float %x %y",
           "%r = OpFRem %float %x %y",
           "%r = OpFMod %float %x %y",
           "%r = OpFNegate %float %x",
           "%r = OpFMul %pair %xy %xy",
           "%r = OpVectorTimesScalar %pair %xy %x",
           "%r = OpDot %float %xy %xy",
           "%r = OpExtInst %float %glsl Fma %x %y %x",
           "%r = OpExtInst %float %glsl Sqrt %x",
           "%r = OpExtInst %pair %glsl Floor %xy",
           "%r = OpSelect %float %true %x %y",
           "%r = OpCopyObject %float %x",
           "OpVariable%r = OpVariable %kept Function",
       }) {
    const auto found = audit_spirv(module_of("OpName %r \"r\"", bad));
    ASSERT_FALSE(found) << bad;
    EXPECT_EQ(found.error().code, DiagCode::L003) << bad;
  }
  // A move is one even where its operands are strict.
  EXPECT_FALSE(audit_spirv(module_of("OpDecorate %s NoContraction",
                                     "%s = OpFAdd %float %x %y\n %r = OpSelect %float %true %s %y")));
}

// Of two instructions the decoration is one's.
TEST(SpirvAudit, EachInstructionHasItsOwnDecoration) {
  EXPECT_FALSE(audit_spirv(
      module_of("OpDecorate %r NoContraction", "%r = OpFAdd %float %x %y\n %s = OpFAdd %float %x %y")));
}

// SPV_KHR_float_controls2's word for all of an entry takes the decorations' place, and forbids them.
TEST(SpirvAudit, StrictByTheEntrysWord) {
  const Kernel kernel = test::spirv_kernel(
      "program p(read a: f32 @0, read_write b: f32 @1) workgroup(1, 1, 1) { b[0] = a[0] + a[1]; }",
      test::kRichDevice, test::every_promise());
  SpirvTarget target = test::kRichDevice;
  target.float_controls2 = true;
  const auto module = emit_spirv(kernel, target);
  ASSERT_TRUE(module);
  EXPECT_TRUE(audit_spirv(module->words));
  // Numbers from the registry: OpCapability 17, FloatControls2 6029, OpExecutionModeId 331, FPFastMathDefault
  // 6028, OpDecorate 71, NoContraction 42, OpExecutionMode 16, SignedZeroInfNanPreserve 4461.
  size_t capabilities = 0, words_of_entry = 0;
  std::vector<uint32_t> broken = module->words;
  for (size_t at = 5; at < module->words.size(); at += module->words[at] >> 16) {
    const uint32_t op = module->words[at] & 0xffff;
    capabilities += op == 17 && module->words[at + 1] == 6029;
    if (op == 331 && module->words[at + 2] == 6028) {
      ++words_of_entry;
      broken[at + 4] = module->words[at + 3];  // no constant, so what it allows is not known
    }
    EXPECT_FALSE(op == 71 && module->words[at + 2] == 42);
    EXPECT_FALSE(op == 16 && module->words[at + 2] == 4461);
  }
  EXPECT_EQ(capabilities, 1u);
  EXPECT_EQ(words_of_entry, 1u);
  EXPECT_FALSE(audit_spirv(broken));
}

// No emitted module passes for want of decorations to look at.
TEST(SpirvAudit, AnEmittedModuleWithoutItsDecorationsIsRefused) {
  const Kernel kernel = test::spirv_kernel(
      "program p(read a: f32 @0, read_write b: f32 @1) workgroup(1, 1, 1) { b[0] = a[0] + a[1]; }",
      test::kRichDevice, test::every_promise());
  auto module = emit_spirv(kernel, test::kRichDevice);
  ASSERT_TRUE(module);
  EXPECT_TRUE(audit_spirv(module->words));
  size_t removed = 0;
  for (size_t at = 5; at < module->words.size(); at += module->words[at] >> 16) {
    const bool decorate = (module->words[at] & 0xffff) == 71 && module->words[at + 2] == 42;
    if (!decorate) continue;
    module->words[at + 2] = 0;  // RelaxedPrecision instead: worse than nothing
    ++removed;
  }
  EXPECT_GE(removed, 1u);
  EXPECT_FALSE(audit_spirv(module->words));
}

}  // namespace
}  // namespace vyre::lower
