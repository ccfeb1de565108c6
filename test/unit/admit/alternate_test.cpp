// Alternate implementations: equal ones are admitted, others are refused with the input that shows it.
#include "alternate.h"

#include "candidates.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable,
            "explain C014, alternate.h and WGSL; the planted pair, and by hand that max is not min");

namespace vyre::admit::test {
namespace {

const ops::Operation& library(std::string_view id) { return *ops::find_operation(id); }

ir::Ex min_by_select(ir::FunctionBuilder& f, std::span<const ir::Ex> p) {
  return f.select(p[1] < p[0], p[1], p[0]);
}
ir::Ex max_by_select(ir::FunctionBuilder& f, std::span<const ir::Ex> p) {
  return f.select(p[1] < p[0], p[0], p[1]);
}
/// A minimum but for one pair in 2^64.
ir::Ex nearly_min(ir::FunctionBuilder& f, std::span<const ir::Ex> p) {
  const ir::Ex rare = (p[0] == 0x12345678) && (p[1] == 0x9abcdef0);
  return f.select(rare, f.u32(0), f.select(p[1] < p[0], p[1], p[0]));
}

TEST(Alternate, IsAdmittedByProof) {
  VYRE_ORACLE(Law, "min(a, b) is the lesser: a solver decides, which ./dev installs");
  const auto grade = admit_alternate(library("primitive.math.min"), {"by select", min_by_select});
  ASSERT_TRUE(grade) << grade.error().message;
  EXPECT_TRUE(grade->starts_with("proved")) << *grade << "; is Z3 installed?";
}

TEST(Alternate, IsAdmittedByRunningWithoutASolver) {
  VYRE_ORACLE(CpuReference, "the reference function of min");
  const auto grade =
      admit_alternate(library("primitive.math.min"), {"by select", min_by_select}, {.solver = false});
  ASSERT_TRUE(grade) << grade.error().message;
  EXPECT_EQ(*grade, "exhausted(u8) witnessed(100000, 7)");
}

TEST(Alternate, ThatDiffersIsRefused) {
  for (const bool solver : {true, false}) {
    const auto grade =
        admit_alternate(library("primitive.math.min"), {"a maximum", max_by_select}, {.solver = solver});
    ASSERT_FALSE(grade);
    EXPECT_EQ(grade.error().code, DiagCode::C014);
    EXPECT_THAT(grade.error().message, testing::HasSubstr("f(0x"));
    EXPECT_THAT(grade.error().message, testing::HasSubstr("and this gives 0x"));
  }
}

TEST(Alternate, ThatDiffersOnOnePairIsRefusedByProofAlone) {
  const auto grade = admit_alternate(library("primitive.math.min"), {"nearly", nearly_min});
  ASSERT_FALSE(grade) << *grade << "; is Z3 installed?";
  EXPECT_THAT(grade.error().message,
              testing::HasSubstr("f(0x12345678, 0x9abcdef0) is 0x12345678, and this gives 0x0"));
}

TEST(Alternate, ThatIsNotValidIsRefused) {
  const auto wrong = [](ir::FunctionBuilder& f, std::span<const ir::Ex> p) {
    return f.cast(spec::DataType::Bool, p[0]);
  };
  const auto grade = admit_alternate(library("primitive.math.min"), {"a bool", wrong});
  ASSERT_FALSE(grade);
  EXPECT_EQ(grade.error().code, DiagCode::C014);
  EXPECT_THAT(grade.error().message, testing::HasSubstr("it is not valid"));
}

TEST(Alternate, InWgslIsRefusedWithoutADevice) {
  const Alternate alternate = {"by hand", nullptr,
                               "fn alternate(a: u32, b: u32) -> u32 { return min(a, b); }"};
  const auto grade =
      admit_alternate(library("primitive.math.min"), alternate, {.webgpu_library = "/nowhere/libwebgpu.so"});
  ASSERT_FALSE(grade);
  EXPECT_EQ(grade.error().code, DiagCode::C014);
  EXPECT_THAT(grade.error().message, testing::HasSubstr("it was not run"));
}

TEST(Alternate, InWgslIsForWords) {
  const auto grade = admit_alternate(library("float.f32.add"), {"by hand", nullptr, "fn alternate() {}"});
  ASSERT_FALSE(grade);
  EXPECT_THAT(grade.error().message, testing::HasSubstr("u32 words alone"));
}

/// With a device: layer.cmake gives these one, or disables them.
class AlternateInWgsl : public testing::Test {
 protected:
  static Result<std::string> min_as(const char* text) {
    return admit_alternate(library("primitive.math.min"), {"by hand", nullptr, text});
  }
};

TEST_F(AlternateInWgsl, IsAdmittedByADevice) {
  VYRE_ORACLE(CpuReference, "the reference function of min");
  const auto grade = min_as("fn alternate(a: u32, b: u32) -> u32 { return min(a, b); }");
  ASSERT_TRUE(grade) << grade.error().message;
  EXPECT_TRUE(grade->starts_with("exhausted(u8) witnessed(100000, 7) on device(")) << *grade;
}

TEST_F(AlternateInWgsl, ThatDiffersIsRefused) {
  VYRE_ORACLE(CpuReference, "the reference function of min: (1, 0) is the first pair on which max differs");
  const auto grade = min_as("fn alternate(a: u32, b: u32) -> u32 { return max(a, b); }");
  ASSERT_FALSE(grade);
  EXPECT_THAT(grade.error().message, testing::HasSubstr("f(0x1, 0x0) is 0x0, and this gives 0x1"));
}

TEST_F(AlternateInWgsl, ThatIsNoWgslIsRefused) {
  const auto grade = min_as("fn alternate(a: u32, b: u32) -> u32;");
  ASSERT_FALSE(grade);
  EXPECT_EQ(grade.error().code, DiagCode::C014);
}

}  // namespace
}  // namespace vyre::admit::test
