// The size of kernels, known before they are legalized.
#include "lower/size.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "check/checked.h"
#include "lower/wgsl/wgsl.h"
#include "ops/operation.h"
#include "oracle.h"
#include "spec/ops.h"
#include "text/text.h"

VYRE_ORACLE(Property,
            "the count beforehand is that of the instructions afterwards, and what is not counted has few");

namespace vyre::lower {
namespace {

using spec::DataType;

Kernel kernel_of(const std::string& text) {
  return build(check::check(text::parse(text, &ops::op_table()).value(), ops::op_table()).value());
}

Kernel functions(size_t count) {
  std::string text = "program p(read a: f32 @0, read_write o: f32 @1) workgroup(1, 1, 1) {\n";
  for (size_t i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    text += "o[" + n + "] = fpow(a[" + n + "], a[0]);\n";
  }
  return kernel_of(text + "}\n");
}

const Target kTargets[] = {kLlvmTarget, kPtxTarget, kWordTarget, kWgslTarget};

TEST(Size, IsAboutWhatLegalizationMakes) {
  // The count beforehand is that of the instructions afterwards, up to loads, stores and what is shared.
  for (const Target& target : kTargets) {
    const double one = double(legalize(functions(1), target).insts.size());
    const double ten = double(legalize(functions(10), target).insts.size());
    const double each = (ten - one) / 9;
    EXPECT_NEAR(double(expansion(functions(10), target)) / 10, each, 0.05 * each + 20) << target.name;
  }
}

// Each operator at each type that it has, as a program applies it.
TEST(Size, OfNoOperatorIsBeyondWhatIsCounted) {
  // Kernels of fewer operators than kMaxExpansion / kMaxOperatorSize are not counted, so none may be larger.
  size_t asked = 0;
  for (const spec::OpInfo& op : spec::kOps) {
    for (const spec::TypeInfo& type : spec::kTypes) {
      const auto text = [&](size_t operands) {
        std::string call = std::string(op.mnemonic) + "(";
        for (size_t k = 0; k < operands; ++k)
          call += (k != 0 ? ", " : "") + std::string("a[") + std::to_string(k) + "]";
        return "program p(read a: " + std::string(type.text) +
               " @0, read_write o: " + std::string(type.text) + " @1) workgroup(1, 1, 1) { let x = " + call +
               "); }";
      };
      for (const size_t operands : {1u, 2u, 3u}) {
        auto parsed = text::parse(text(operands), &ops::op_table());
        if (!parsed) continue;
        auto checked = check::check(std::move(*parsed), ops::op_table());
        if (!checked) continue;
        ++asked;
        const Kernel kernel = build(*checked);
        for (const Target& target : kTargets)
          EXPECT_LE(expansion(kernel, target), kMaxOperatorSize) << text(operands) << " for " << target.name;
      }
    }
  }
  EXPECT_GE(asked, 200u);
}

TEST(Size, BeyondTheLimitIsRefusedBeforeItIsSpent) {
  VYRE_ORACLE(SpecificationTable,
              "lower/size.h: the limits; docs/spec: what a device or a host lacks is B003");
  const Kernel large = functions(2'000);
  for (const Target& target : kTargets) {
    const auto refused = legalize_bounded(large, target);
    ASSERT_FALSE(refused) << target.name;
    EXPECT_EQ(refused.error().code, DiagCode::B003);
    EXPECT_THAT(refused.error().message, testing::HasSubstr("its 2000 operators come to "));
    EXPECT_THAT(refused.error().message,
                testing::HasSubstr(std::to_string(kMaxExpansion + kPlainExpansion * large.insts.size())));
  }
  for (const Target& target : kTargets) EXPECT_TRUE(legalize_bounded(functions(20), target)) << target.name;
}

// A program is not refused for being large by itself.
TEST(Size, ManyPlainOperatorsAreAllowed) {
  VYRE_ORACLE(SpecificationTable, "lower/size.h: plain code has eight instructions for each of the program");
  std::string text = "program p(read a: u32 @0, read_write o: u32 @1) workgroup(1, 1, 1) {\n";
  for (size_t i = 0; i < 40'000; ++i) text += "o[0] = (a[1] + o[0]) ^ (a[2] * 3) % (o[3] - a[0]);\n";
  const Kernel kernel = kernel_of(text + "}\n");
  for (const Target& target : kTargets) EXPECT_TRUE(legalize_bounded(kernel, target)) << target.name;
}

}  // namespace
}  // namespace vyre::lower
