// Arithmetic on floats on the native backend: whatever mode the host program's processor is in, and in every
// form.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <thread>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "backend/native/native.h"
#include "base/float_environment.h"
#include "oracle.h"
#include "support.h"

VYRE_ORACLE(ReferenceInterpreter, "the reference, which computes over integers");

namespace vyre::backend {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Everything that a mode of the processor could change: rounding, subnormals on the way in and out.
constexpr std::string_view kArithmetic = R"(
program arithmetic(read a: f32 @0, read b: f32 @1, read_write out: u32 @2) workgroup(64, 1, 1) {
  let i = invocation_id.x;
  let x = a[i];
  let y = b[i];
  let mix = bitcast<u32>(x + y);
  mix = mix * 0x9e3779b1 ^ bitcast<u32>(x * y);
  mix = mix * 0x9e3779b1 ^ bitcast<u32>(x / y);
  mix = mix * 0x9e3779b1 ^ bitcast<u32>(fmul_add(x, y, x));
  mix = mix * 0x9e3779b1 ^ bitcast<u32>(fsqrt(x));
  mix = mix * 0x9e3779b1 ^ bitcast<u32>(fround(x));
  mix = mix * 0x9e3779b1 ^ (x < y);
  mix = mix * 0x9e3779b1 ^ (x == 0.0);
  mix = mix * 0x9e3779b1 ^ bitcast<u32>(cast<f16>(x));
  mix = mix * 0x9e3779b1 ^ bitcast<u32>(cast<f32>(bitcast<u32>(x)));
  mix = mix * 0x9e3779b1 ^ bitcast<u32>(fsqrt(2.0) / 3.0 + 1e-45);
  out[i] = mix;
}
)";

/// Pairs among which sums, products and quotients are inexact or subnormal, half of them with subnormals.
test::Buffers hard_inputs(uint32_t count) {
  test::Buffers out = {{}, {}, std::vector<uint32_t>(count)};
  RandomStream random(11, 0);
  for (uint32_t i = 0; i < count; ++i) {
    for (size_t side = 0; side < 2; ++side) {
      const uint32_t bits = random.next();
      out[side].push_back(i % 2 == 0 ? bits : (bits & 0x80ffffff) | (i % 4 == 1 ? 0 : 0x20000000));
    }
  }
  return out;
}

std::unique_ptr<Backend> native(FloatForm form, unsigned threads = 1) {
  auto backend = make_native({.threads = threads, .floats = form, .cache = "none"});
  if (!backend) throw std::runtime_error(test::diagnosis(backend.error()));
  return std::move(*backend);
}

#if defined(__x86_64__)

/// The control and status register, set for a while.
class Mode {
 public:
  explicit Mode(uint32_t mode) : before_(_mm_getcsr()) { _mm_setcsr(mode); }
  ~Mode() { _mm_setcsr(before_); }
  Mode(const Mode&) = delete;

 private:
  const uint32_t before_;
};
constexpr uint32_t kMasked = 0x1f80, kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040, kDown = 0x2000,
                   kUp = 0x4000, kTowardsZero = 0x6000, kInexactRaised = 0x0020;

TEST(FloatEnvironment, IsSetAndComesBack) {
  const Mode mode(kMasked | kFlushToZero | kDenormalsAreZero | kUp | kInexactRaised);
  const uint32_t before = _mm_getcsr();
  {
    const DefaultFloatEnvironment environment;
    EXPECT_EQ(_mm_getcsr(), kMasked);
  }
  EXPECT_EQ(_mm_getcsr(), before);
}

// Compiling in the mode too: the optimiser folds what is constant.
TEST(NativeFloats, NoModeOfTheHostProgramMatters) {
  const check::Checked program = test::checked(kArithmetic);
  constexpr uint32_t kCount = 1 << 16;  // more than one task
  const layout::Groups groups{kCount / 64, 1, 1};
  const test::Buffers inputs = hard_inputs(kCount);
  test::Buffers small = hard_inputs(kCount);
  for (auto& column : small) column.resize(1024);
  const test::Buffers right = test::reference_result(program, small, {16, 1, 1});
  test::Buffers first;
  for (const uint32_t bits : {0u, kFlushToZero | kDenormalsAreZero, kUp, kDown, kTowardsZero,
                              kFlushToZero | kDenormalsAreZero | kTowardsZero}) {
    for (const unsigned threads : {1u, 4u}) {
      const Mode mode(kMasked | bits);
      const auto backend = native(FloatForm::Native, threads);
      auto pipeline = backend->compile(program);
      ASSERT_TRUE(pipeline) << test::diagnosis(pipeline.error());
      const test::Buffers result = test::pipeline_result(**pipeline, inputs, groups);
      EXPECT_EQ(_mm_getcsr() & ~0x3fu, kMasked | bits);
      EXPECT_TRUE(std::equal(right[2].begin(), right[2].end(), result[2].begin())) << bits << ' ' << threads;
      if (first.empty()) first = result;
      EXPECT_EQ(result, first) << bits << ' ' << threads;
    }
  }
}

// A trap that the host program has unmasked must not go off in code whose exceptions are none of its.
TEST(NativeFloats, TrapsOfTheHostProgramDoNotGoOff) {
  const check::Checked program = test::checked(kArithmetic);
  const auto backend = native(FloatForm::Native);
  auto pipeline = backend->compile(program);
  ASSERT_TRUE(pipeline);
  const test::Buffers inputs = hard_inputs(1024);
  const test::Buffers right = test::reference_result(program, inputs, {16, 1, 1});
  std::fenv_t before;
  std::fegetenv(&before);
  test::Buffers result = inputs;
  const auto buffers = test::spans(result);
  _mm_setcsr(kMasked & ~uint32_t{0x0e80});  // invalid, division by zero, overflow, underflow
  const auto done = (*pipeline)->dispatch(buffers, {16, 1, 1});
  std::fesetenv(&before);
  ASSERT_TRUE(done);
  EXPECT_EQ(result, right);
}

// Had the mode no influence on this processor, the test above would show nothing. Called through pointers
// that the compiler cannot see through, so that it moves nothing across the change of mode.
TEST(NativeFloats, TheModesOfTheTestMatter) {
  uint32_t (*volatile multiply)(float, float) = [](float a, float b) {
    return std::bit_cast<uint32_t>(a * b);
  };
  uint32_t (*volatile divide)(float, float) = [](float a, float b) { return std::bit_cast<uint32_t>(a / b); };
  const uint32_t exact = multiply(0x1p-130f, 0.5f), quotient = divide(1, 3);
  {
    const Mode mode(kMasked | kFlushToZero | kDenormalsAreZero);
    EXPECT_NE(multiply(0x1p-130f, 0.5f), exact);
  }
  const Mode mode(kMasked | kDown);
  EXPECT_NE(divide(1, 3), quotient);
}

#endif

TEST(NativeFloats, EveryFormGivesTheSame) {
  const check::Checked program = test::checked(kArithmetic);
  const test::Buffers inputs = hard_inputs(1024);
  const test::Buffers right = test::reference_result(program, inputs, {16, 1, 1});
  for (const FloatForm form : {FloatForm::Auto, FloatForm::Native, FloatForm::Composed}) {
    auto pipeline = native(form)->compile(program);
    ASSERT_TRUE(pipeline) << text(form) << test::diagnosis(pipeline.error());
    EXPECT_EQ(test::pipeline_result(**pipeline, inputs, {16, 1, 1}), right) << text(form);
  }
}

TEST(NativeFloats, TheFormShowsInTheCode) {
  const check::Checked program = test::checked(kArithmetic);
  const auto code = [&](FloatForm form) { return (*(*native(form)->compile(program))->code()).text; };
  EXPECT_THAT(code(FloatForm::Native), HasSubstr("fdiv"));
  const std::string composed = code(FloatForm::Composed);
  for (const char* instruction :
       {" fadd ", " fmul ", " fdiv ", "sitofp", "uitofp", "fptrunc", "@llvm.sqrt", "fcmp"}) {
    EXPECT_THAT(composed, Not(HasSubstr(instruction)));
  }
}

TEST(NativeFloats, ThisProcessorKeepsItsPromises) {
  const auto floats = native(FloatForm::Auto)->floats();
  ASSERT_TRUE(floats) << test::diagnosis(floats.error());
  EXPECT_THAT(floats->findings, testing::IsEmpty());
  EXPECT_FALSE(floats->native.empty());
  EXPECT_EQ(floats->form, "auto");
}

// The probe runs on the first program with floats, on whichever thread that is compiled; others wait.
TEST(NativeFloats, ManyThreadsCompileTheFirstFloatsTogether) {
  const check::Checked program = test::checked(kArithmetic);
  const auto backend = native(FloatForm::Auto, 4);
  const test::Buffers inputs = hard_inputs(1024);
  const test::Buffers right = test::reference_result(program, inputs, {16, 1, 1});
  std::vector<const check::Checked*> batch(8, &program);
  std::array<bool, 3> good = {};
  {
    std::vector<std::jthread> threads;
    for (bool& flag : good) {
      threads.emplace_back([&] {
        auto pipelines = backend->compile_batch(batch);
        flag = std::ranges::all_of(
            pipelines, [&](auto& p) { return p && test::pipeline_result(**p, inputs, {16, 1, 1}) == right; });
      });
    }
  }
  for (const bool flag : good) EXPECT_TRUE(flag);
}

}  // namespace
}  // namespace vyre::backend
