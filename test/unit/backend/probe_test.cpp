// The probe against devices that are wrong in known ways, and what is kept of its verdicts.
//
// The devices are the kernel evaluator: code legalized for exact floats is run with other floats, or with
// instructions exchanged as a compiler would that takes liberties.
#include "backend/probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "backend/floats.h"
#include "lower/evaluate.h"
#include "lower/kernel.h"
#include "lower/spirv/float_promises.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable,
            "the fault that was planted names the operators that must go, and no others may");

namespace vyre::backend {
namespace {

using lower::Inst;
using lower::InstKind;
using lower::Kernel;
using lower::RawOp;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// What is done to a legal kernel before it runs.
using Fault = std::function<void(Kernel&)>;

class EvaluatorPipeline final : public Pipeline {
 public:
  EvaluatorPipeline(const check::Checked& program, Kernel kernel, bool flickers)
      : program_(program), kernel_(std::move(kernel)), flickers_(flickers) {}
  Result<void> dispatch(std::span<const std::span<std::byte>> host, layout::Groups groups) override {
    VYRE_TRY(bindings, layout::bind(program_, host, groups));
    return lower::evaluate(kernel_, bindings, groups, {.seed = flickers_ ? ++runs_ : 1});
  }

 private:
  const check::Checked program_;
  const Kernel kernel_;
  const bool flickers_;
  uint64_t runs_ = 0;
};

struct Device {
  Fault fault;
  bool flickers = false;
  size_t* compiled = nullptr;  // counts

  std::vector<Result<std::unique_ptr<Pipeline>>> operator()(std::span<const check::Checked* const> programs,
                                                            const lower::FloatPromises& promises) const {
    lower::Target target = lower::kLlvmTarget;
    target.floats = promises;
    std::vector<Result<std::unique_ptr<Pipeline>>> out;
    for (const check::Checked* program : programs) {
      Kernel kernel = lower::legalize(lower::build(*program), target);
      if (fault) fault(kernel);
      out.push_back(std::make_unique<EvaluatorPipeline>(*program, std::move(kernel), flickers));
      if (compiled != nullptr) ++*compiled;
    }
    return out;
  }
};

/// The device's arithmetic is that of other promises, for the operators that are still used.
Fault arithmetic_of(const lower::FloatPromises& real) {
  return [real](Kernel& kernel) {
    for (const lower::RawOpInfo& info : lower::kRawOps) {
      if (kernel.floats[info.op].given) kernel.floats[info.op] = real[info.op];
    }
  };
}

bool is(const Inst& inst, RawOp op) { return inst.kind == InstKind::Raw && inst.raw == op; }

/// add(mul(a, b), c), and the other way round, become fused.
void contract(Kernel& kernel) {
  for (size_t i = 0; i < kernel.insts.size(); ++i) {
    Inst& sum = kernel.insts[i];
    if (!is(sum, RawOp::FAdd)) continue;
    const lower::Value x = kernel.arg(sum, 0), y = kernel.arg(sum, 1);
    const bool left = is(kernel[x], RawOp::FMul);
    if (!left && !is(kernel[y], RawOp::FMul)) continue;
    const Inst& product = kernel[left ? x : y];
    const lower::Value operands[] = {kernel.arg(product, 0), kernel.arg(product, 1), left ? y : x};
    sum.raw = RawOp::FMulAdd;
    sum.args = {uint32_t(kernel.values.size()), 3};
    kernel.values.insert(kernel.values.end(), std::begin(operands), std::end(operands));
  }
  kernel.floats[RawOp::FMulAdd] = {.given = true};
}

/// op(x, constant), with the constant on either side, becomes another operator on the same two words.
Fault with_constant(RawOp op, uint32_t constant, RawOp instead) {
  return [=](Kernel& kernel) {
    for (Inst& inst : kernel.insts) {
      if (!is(inst, op)) continue;
      for (const lower::Value v : kernel.args(inst)) {
        const Inst& operand = kernel[v];
        if (operand.kind == InstKind::Const && operand.imm == constant) inst.raw = instead;
      }
    }
  };
}

/// x / x becomes 1.
void divide_equals(Kernel& kernel) {
  for (Inst& inst : kernel.insts) {
    if (!is(inst, RawOp::FDiv) || kernel.arg(inst, 0) != kernel.arg(inst, 1)) continue;
    inst.kind = InstKind::Const;
    inst.imm = 0x3f800000;
  }
}

std::vector<std::string> demoted(const lower::FloatPromises& kept) {
  std::vector<std::string> out;
  for (const lower::RawOpInfo& info : lower::kRawOps) {
    if (lower::kIeeeFloats[info.op].given && !kept[info.op].given) out.emplace_back(info.mnemonic);
  }
  return out;
}

probe::Verdict verdict_of(const Device& device) {
  auto verdict = probe::probe(lower::kIeeeFloats, device);
  if (!verdict) throw std::runtime_error(verdict.error().message);
  return std::move(*verdict);
}

TEST(Probe, AnExactDeviceKeepsEverything) {
  const probe::Verdict verdict = verdict_of({.fault = nullptr});
  EXPECT_THAT(demoted(verdict.kept), IsEmpty());
  EXPECT_THAT(verdict.findings, IsEmpty());
  EXPECT_TRUE(verdict.steady);
}

TEST(Probe, WhatIsBrokenIsTakenBackAndNothingElse) {
  struct Case {
    const char* what;
    Fault fault;
    std::vector<std::string> demoted;
  };
  const Case cases[] = {
      {"a product and a sum fused", contract, {"fadd", "fmul"}},
      {"a fused operation that rounds twice", arithmetic_of(lower::kUnfusedFloats), {"fmul_add"}},
      {"division and root within 2.5 units", arithmetic_of(lower::kLooseDivisionFloats), {"fdiv", "fsqrt"}},
      {"x * 0 is 0", with_constant(RawOp::FMul, 0, RawOp::And), {"fmul"}},
      {"x + 0 is x", with_constant(RawOp::FAdd, 0, RawOp::Or), {"fadd"}},
      {"x / x is 1", divide_equals, {"fdiv"}},
  };
  for (const Case& c : cases) {
    const Device device{.fault = c.fault};
    const probe::Verdict verdict = verdict_of(device);
    EXPECT_EQ(demoted(verdict.kept), c.demoted) << c.what;
    EXPECT_TRUE(verdict.steady) << c.what;
    ASSERT_FALSE(verdict.findings.empty()) << c.what;
    EXPECT_THAT(verdict.findings.front(), HasSubstr(" wrong: ")) << c.what;
    // What is left is right.
    const auto again = probe::probe(verdict.kept, device);
    ASSERT_TRUE(again) << c.what;
    EXPECT_THAT(again->findings, IsEmpty()) << c.what;
  }
}

/// A device with nothing but f32 and f64, which lose subnormals.
lower::FloatPromises plain_vulkan(bool fused = false) {
  const lower::VulkanFloatModes modes{.arithmetic = true, .round_to_even = true, .keep_special = true};
  return lower::vulkan_promises(
      {.half = {}, .single = modes, .wide = modes, .independent = true, .fused = fused});
}

// A promise that leaves answers open is kept by any of them, another one each time.
TEST(Probe, WhatAPromiseAllowsIsNotTakenBack) {
  const lower::FloatPromises promised = plain_vulkan();
  const auto verdict = probe::probe(promised, Device{.flickers = true});
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->kept.by_op, promised.by_op);
  EXPECT_THAT(verdict->findings, IsEmpty());
  EXPECT_TRUE(verdict->steady);
}

TEST(Probe, WhatAPromiseDoesNotAllowIsTakenBackFromGuardedForms) {
  const auto worse = [](RawOp op, lower::Promise real) {
    lower::FloatPromises out = plain_vulkan();
    out[op] = real;
    return arithmetic_of(out);
  };
  // The low word of a sum never says that it is half of a unit.
  const auto no_halves = [](Kernel& kernel) {
    for (Inst& inst : kernel.insts) {
      if (is(inst, RawOp::FWideLow)) inst = {.kind = InstKind::Const, .type = spec::DataType::U32};
    }
  };
  struct Case {
    Fault fault;
    std::vector<RawOp> demoted;
  };
  const Case cases[] = {
      {worse(RawOp::FMul, {.given = true, .flushes_results = true, .half_ulps = 1}), {RawOp::FMul}},
      {worse(RawOp::FAdd, {.given = true, .half_ulps = 1}), {RawOp::FAdd}},
      {worse(RawOp::FFromU32, {.given = true, .half_ulps = 1}), {RawOp::FFromU32}},
      {no_halves, {RawOp::FWideMulAdd, RawOp::FWideLow}},
  };
  for (const Case& c : cases) {
    const auto verdict = probe::probe(plain_vulkan(), Device{.fault = c.fault});
    ASSERT_TRUE(verdict);
    lower::FloatPromises expected = plain_vulkan();
    for (const RawOp op : c.demoted) expected[op] = {};
    EXPECT_EQ(demoted(verdict->kept), demoted(expected));
  }
}

TEST(Probe, AMultiplyAddIsAskedWhetherItIsFused) {
  const lower::FloatPromises promised = plain_vulkan(/*fused=*/true);
  const auto kept = probe::probe(promised, Device{.flickers = true});
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->kept.by_op, promised.by_op);
  lower::FloatPromises twice = promised;
  twice[RawOp::FMulAdd].fused = false;
  const auto taken_back = probe::probe(promised, Device{.fault = arithmetic_of(twice)});
  ASSERT_TRUE(taken_back);
  EXPECT_EQ(demoted(taken_back->kept), demoted(plain_vulkan()));
}

TEST(Probe, FlushedSubnormalsTakeBackArithmetic) {
  const probe::Verdict verdict = verdict_of({.fault = arithmetic_of(lower::kFlushingFloats)});
  for (const RawOp op : {RawOp::FAdd, RawOp::FSub, RawOp::FMul, RawOp::FDiv, RawOp::FMulAdd, RawOp::FEq}) {
    EXPECT_FALSE(verdict.kept[op].given) << info(op).mnemonic;
  }
  // No subnormal comes of an integer.
  EXPECT_TRUE(verdict.kept[RawOp::FFromU32].given);
  EXPECT_TRUE(verdict.kept[RawOp::FFromS32].given);
}

TEST(Probe, ADeviceThatFlickersIsRefused) {
  const probe::Verdict verdict =
      verdict_of({.fault = arithmetic_of(lower::kLooseDivisionFloats), .flickers = true});
  EXPECT_FALSE(verdict.steady);
  for (const lower::RawOpInfo& info : lower::kRawOps) EXPECT_FALSE(verdict.kept[info.op].given) << info.name;
  EXPECT_THAT(verdict.findings, ElementsAre(HasSubstr("two runs differ: ")));
}

TEST(Probe, ErrorsOfTheDeviceComeBack) {
  const auto lost = [](std::span<const check::Checked* const> programs, const lower::FloatPromises&) {
    std::vector<Result<std::unique_ptr<Pipeline>>> out;
    for (size_t i = 0; i < programs.size(); ++i) {
      out.push_back(std::unexpected(make_diag(DiagCode::B011, Span::none(), "the device was lost")));
    }
    return out;
  };
  const auto verdict = probe::probe(lower::kIeeeFloats, lost);
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().code, DiagCode::B011);
}

// ---- What is kept of a verdict

class FloatSupportTest : public testing::Test {
 protected:
  FloatSupportTest()
      : folder_(std::filesystem::temp_directory_path() / ("vyre-probe-" + std::to_string(getpid()))) {
    std::filesystem::remove_all(folder_);
  }
  ~FloatSupportTest() override { std::filesystem::remove_all(folder_); }

  /// The use of floats on a device, and how many programs were compiled to find out.
  FloatUse use(FloatForm form, Device device, const std::string& machine = "machine") {
    compiled_ = 0;
    device.compiled = &compiled_;
    FloatSupport support(form, lower::kIeeeFloats, machine, folder_);
    for (int i = 0; i < 2; ++i) {  // the second time nothing is asked
      const auto profile = support.profile(device);
      if (!profile) throw std::runtime_error(profile.error().message);
      if (i == 1) return (*profile)->use();
    }
    return {};
  }

  std::filesystem::path folder_;
  size_t compiled_ = 0;
};

TEST_F(FloatSupportTest, TheFormDecidesWhetherTheProbeIsAsked) {
  const FloatUse native = use(FloatForm::Native, {.fault = divide_equals});
  EXPECT_EQ(compiled_, 0u);
  EXPECT_THAT(native.composed, IsEmpty());
  const FloatUse composed = use(FloatForm::Composed, {.fault = divide_equals});
  EXPECT_EQ(compiled_, 0u);
  EXPECT_THAT(composed.native, IsEmpty());
  const FloatUse chosen = use(FloatForm::Auto, {.fault = divide_equals});
  EXPECT_GT(compiled_, 0u);
  EXPECT_THAT(chosen.composed, ElementsAre("fdiv"));
  EXPECT_THAT(chosen.line(), testing::StartsWith("auto: native fadd fsub fmul fmul_add"));
  EXPECT_THAT(chosen.line(), testing::EndsWith("; composed fdiv"));
  EXPECT_EQ(composed.line().substr(0, 19), "composed: composed ");
}

TEST_F(FloatSupportTest, AVerdictIsForTheNextProcessToo) {
  const FloatUse first = use(FloatForm::Auto, {.fault = divide_equals});
  EXPECT_GT(compiled_, 0u);
  const FloatUse second = use(FloatForm::Auto, {.fault = divide_equals});
  EXPECT_EQ(compiled_, 0u);
  EXPECT_EQ(second.native, first.native);
  EXPECT_EQ(second.findings, first.findings);
  use(FloatForm::Auto, {.fault = divide_equals}, "another machine");
  EXPECT_GT(compiled_, 0u);
}

TEST_F(FloatSupportTest, ADamagedVerdictIsNone) {
  use(FloatForm::Auto, {.fault = divide_equals});
  for (const auto& file : std::filesystem::directory_iterator(folder_)) {
    std::fstream stream(file.path(), std::ios::in | std::ios::out);
    stream.seekp(40);
    stream << "fdiv ";
  }
  const FloatUse again = use(FloatForm::Auto, {.fault = divide_equals});
  EXPECT_GT(compiled_, 0u);
  EXPECT_THAT(again.composed, ElementsAre("fdiv"));
}

// The verdict on a device that is right, under the name of that on one that is wrong.
TEST_F(FloatSupportTest, AVerdictOfAnotherDeviceIsNone) {
  const auto files = [&] {
    std::set<std::filesystem::path> out;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) out.insert(entry.path());
    return out;
  };
  use(FloatForm::Auto, {.fault = nullptr}, "right");
  const std::filesystem::path right = *files().begin();
  use(FloatForm::Auto, {.fault = divide_equals}, "wrong");
  for (const std::filesystem::path& file : files())
    if (file != right)
      std::filesystem::copy_file(right, file, std::filesystem::copy_options::overwrite_existing);
  const FloatUse again = use(FloatForm::Auto, {.fault = divide_equals}, "wrong");
  EXPECT_GT(compiled_, 0u);
  EXPECT_THAT(again.composed, ElementsAre("fdiv"));
  use(FloatForm::Auto, {.fault = divide_equals}, "wrong");
  EXPECT_EQ(compiled_, 0u) << "it was written again";
}

TEST_F(FloatSupportTest, UnsteadyDevicesStayRefusedAndSaySo) {
  const Device flickers{.fault = arithmetic_of(lower::kLooseDivisionFloats), .flickers = true};
  use(FloatForm::Auto, flickers);
  const FloatUse kept = use(FloatForm::Auto, {.fault = nullptr});
  EXPECT_EQ(compiled_, 0u);
  EXPECT_THAT(kept.native, IsEmpty());
  EXPECT_THAT(kept.findings, ElementsAre(HasSubstr("two runs differ")));
}

TEST(FloatForm, Words) {
  EXPECT_EQ(*parse_float_form("auto"), FloatForm::Auto);
  EXPECT_EQ(*parse_float_form("native"), FloatForm::Native);
  EXPECT_EQ(*parse_float_form("composed"), FloatForm::Composed);
  ASSERT_FALSE(parse_float_form("fast"));
  EXPECT_EQ(parse_float_form("fast").error().code, DiagCode::B004);
}

}  // namespace
}  // namespace vyre::backend
