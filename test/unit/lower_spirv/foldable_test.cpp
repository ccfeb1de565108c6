// What a driver could compute while it compiles does not reach arithmetic on floats without a mask.
#include "lower/spirv/foldable.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "oracle.h"
#include "programs.h"

VYRE_ORACLE(SpecificationTable,
            "by hand: each program below is one way in which a constant gets to an operator, or a word that "
            "only a dispatch knows");

namespace vyre::lower {
namespace {

/// Without folding of constants, so that short programs have operators whose operands are all known.
Kernel kernel_of(const std::string& text) {
  Target target = spirv_target(test::kRichDevice, test::every_promise());
  target.folds_constants = false;
  return legalize(build(test::checked(text)), target);
}

/// How many operands of the one FMul in this body are foldable.
size_t foldable_operands(const std::string& body, const std::string& size = "64, 1, 1") {
  const Kernel kernel = kernel_of(
      "program p(read a: f32 @0, read n: u32 @1, read_write b: f32 @2, "
      "workgroup w: f32[4]) workgroup(" +
      size + ") {" + body + "}");
  const std::vector<bool> foldable = foldable_values(kernel);
  const auto last = std::find_if(kernel.insts.rbegin(), kernel.insts.rend(), [](const Inst& i) {
    return i.kind == InstKind::Raw && i.raw == RawOp::FMul;
  });
  if (last == kernel.insts.rend()) return 99;
  return size_t(std::ranges::count_if(kernel.args(*last), [&](Value v) { return foldable[index(v)]; }));
}

TEST(SpirvFoldable, WhatFollowsFromConstants) {
  EXPECT_EQ(foldable_operands("b[0] = 1.5 * 2.5;"), 2u);
  EXPECT_EQ(foldable_operands("let x = 1.5 + 2.5; b[0] = x * a[0];"), 1u);
  EXPECT_EQ(foldable_operands("b[0] = bitcast<f32>(0x3f800000) * a[0];"), 1u);
  EXPECT_EQ(foldable_operands("let x = 1.5; for i in 0..4 { x = x + 1.25; } b[0] = x * a[0];"), 1u);
  EXPECT_EQ(foldable_operands("for i in 0..4 { b[i] = cast<f32>(i) * a[i]; }"), 1u);
  EXPECT_EQ(foldable_operands("b[0] = select(n[0] == 1, 1.5, 2.5) * a[0];"), 1u);  // pulled into the arms
  EXPECT_EQ(foldable_operands("w[0] = 1.5; b[0] = w[0] * a[0];"), 1u);             // from store to load
  EXPECT_EQ(foldable_operands("b[0] = cast<f32>(local_id.y) * a[0];"), 1u);        // an axis of one
  EXPECT_EQ(foldable_operands("w[0] = a[0]; w[1] = 1.5; barrier; b[0] = w[0] * a[0];"), 1u);
  EXPECT_EQ(foldable_operands("w[0] = a[0]; w[1] = w[0] * 0.0; w[2] = 1.5; w[3] = w[2]; b[0] = w[1] * a[0];"),
            1u);
}

TEST(SpirvFoldable, WhatADispatchBrings) {
  EXPECT_EQ(foldable_operands("b[0] = a[0] * a[1];"), 0u);
  EXPECT_EQ(foldable_operands("b[0] = (a[0] + 1.5) * a[1];"), 0u);
  EXPECT_EQ(foldable_operands("let x = 1.5; for i in 0..4 { x = x + a[i]; } b[0] = x * a[0];"), 0u);
  EXPECT_EQ(foldable_operands("for i in 0..n[0] { b[i] = cast<f32>(i) * a[i]; }"), 0u);
  EXPECT_EQ(foldable_operands("b[0] = cast<f32>(local_id.x) * a[0];"), 0u);
  EXPECT_EQ(foldable_operands("b[0] = select(n[0] == 1, 1.5, a[2]) * a[0];"), 0u);
  EXPECT_EQ(foldable_operands("w[local_id.x] = a[0]; barrier; b[0] = w[1] * a[0];"), 0u);
  EXPECT_EQ(foldable_operands("w[0] = a[0]; barrier; w[1] = w[0] + w[2]; barrier; b[0] = w[1] * a[0];"), 0u);
  EXPECT_EQ(foldable_operands("b[1] = a[1]; b[0] = b[1] * a[0];"), 0u);
}

/// Words of instructions "%r = OpBitwiseXor", and of push constants beyond the buffers'.
size_t count(const SpirvModule& module, uint32_t op) {
  size_t out = 0;
  for (size_t at = 5; at < module.words.size(); at += module.words[at] >> 16)
    out += (module.words[at] & 0xffff) == op;
  return out;
}
constexpr uint32_t kXor = 198;  // OpBitwiseXor

SpirvModule module_of(const std::string& body) {
  const Kernel kernel = kernel_of(
      "program p(read a: f32 @0, read h: f16 @1, read_write b: f32 @2, read_write g: f16 @3) workgroup(1, 1, "
      "1) {" +
      body + "}");
  auto module = emit_spirv(kernel, test::kRichDevice);
  EXPECT_TRUE(module);
  return module ? *module : SpirvModule{};
}

TEST(SpirvFoldable, EachIsOpaque) {
  EXPECT_EQ(count(module_of("b[0] = a[0] * a[1];"), kXor), 0u);
  EXPECT_EQ(count(module_of("b[0] = a[0] * 1.25;"), kXor), 1u);
  // Two, and the product itself where it is compared with itself, twice.
  EXPECT_EQ(count(module_of("b[0] = 1.5 * 1.25;"), kXor), 4u);
}

// A driver that unrolls the loop finds the constant in its first turn.
TEST(SpirvFoldable, WhatASumBeginsWithIsOpaque) {
  EXPECT_EQ(count(module_of("let s = 0.0; for i in 0..1 { s = s + a[i]; } b[0] = s;"), kXor), 1u);
  EXPECT_EQ(count(module_of("let s = a[1]; for i in 0..1 { s = s + a[i]; } b[0] = s;"), kXor), 0u);
  EXPECT_EQ(
      count(module_of("let s = 0.0; let t = s; for i in 0..1 { t = t + a[i]; s = t; } b[0] = s;"), kXor), 1u);
}

// A rounding to half is opaque wherever it goes.
TEST(SpirvFoldable, RoundingsToHalfAreOpaque) {
  EXPECT_EQ(count(module_of("b[0] = cast<f32>(cast<f16>(a[0]));"), kXor), 1u);
}

// What passes a mask as a result and then one as an operand must not come out as it went in: the two words
// are not the same one.
TEST(SpirvFoldable, NoMaskCancelsAnother) {
  const SpirvModule module = module_of("b[0] = cast<f32>(cast<f16>(1.5) * cast<f16>(2.5));");
  std::map<uint32_t, uint32_t> mask_of;  // by result of an exclusive or: its second operand
  size_t chained = 0;
  for (size_t at = 5; at < module.words.size(); at += module.words[at] >> 16) {
    if ((module.words[at] & 0xffff) != kXor) continue;
    mask_of[module.words[at + 2]] = module.words[at + 4];
    const auto before = mask_of.find(module.words[at + 3]);
    if (before == mask_of.end()) continue;
    ++chained;
    EXPECT_NE(before->second, module.words[at + 4]);
  }
  EXPECT_GE(chained, 1u);
}

}  // namespace
}  // namespace vyre::lower
