// Each .vyre file in test/run, test/regress and examples runs on every backend that is there, as written and
// after round trips through text and wire, and on the kernel evaluator before and after legalization.
//
// Oracle: the values in the files, worked out from the specification by hand, wide ones with the integers of
// Python (docs/testing.md).
#include <gtest/gtest.h>

#include <cstdio>

#include "files.h"
#include "lower/evaluate.h"
#include "lower/raise.h"
#include "ops/operation.h"
#include "oracle.h"
#include "text/text.h"
#include "wire/wire.h"

namespace vyre::file_test {
namespace {

/// One program in one of its forms.
struct Form {
  std::string name;
  host::Step step;
};

class RunFile : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::string text = read_text(GetParam());
    source_ = std::make_unique<Source>(GetParam(), text);
    lanes_ = subgroup_size(text);
    auto directives = text::parse_directives(source_->text());
    ASSERT_TRUE(directives) << render(directives.error(), source_.get());
    ASSERT_TRUE(directives->errors.empty()) << "a file in test/run has no error directives";
    const auto declared = text::check_oracle(*directives);
    ASSERT_TRUE(declared) << render(declared.error(), source_.get());
    runs_ = std::move(directives->runs);
    ASSERT_TRUE(!runs_.empty() || GetParam().starts_with("examples/")) << "no run directive";
    make_forms();
  }

  /// The program as it is written, and as it comes back from text and from wire.
  void make_forms() {
    const auto parsed = text::parse(source_->text(), &ops::op_table());
    ASSERT_TRUE(parsed) << render(parsed.error(), source_.get());
    const auto from_text = text::parse(text::print(*parsed), &ops::op_table());
    ASSERT_TRUE(from_text) << text::print(*parsed);
    const auto from_wire = wire::decode(wire::encode(*parsed));
    ASSERT_TRUE(from_wire) << from_wire.error().message;
    EXPECT_TRUE(ir::equal(*parsed, *from_text)) << text::print(*parsed);
    EXPECT_TRUE(ir::equal(*parsed, *from_wire));
    for (const auto& [name, program] :
         {std::pair{"as written", &*parsed}, {"through text", &*from_text}, {"through wire", &*from_wire}}) {
      auto checked = check::check(*program, ops::op_table());
      ASSERT_TRUE(checked) << name << "\n" << explain(checked.error(), *source_);
      forms_.push_back({name, {std::make_shared<const check::Checked>(std::move(*checked)), {}}});
    }
  }

  static uint64_t invocations(const check::Checked& program) {
    const auto& size = program.program().workgroup_size;
    return uint64_t{size[0]} * size[1] * size[2];
  }

  /// Every run, twice each, on one backend: what a dispatch leaves behind must not show in the next. A
  /// workgroup that is larger than a device's must be refused.
  void run_backend(backend::Backend& backend, const std::string& name, const Form& form) {
    const auto pipeline = backend.compile(*form.step.checked);
    if (invocations(*form.step.checked) > backend.limits().max_invocations_per_group) {
      ASSERT_FALSE(pipeline) << name << " takes a workgroup that is larger than its limit";
      EXPECT_EQ(pipeline.error().code, DiagCode::B003) << render(pipeline.error(), source_.get());
      return;
    }
    ASSERT_TRUE(pipeline) << name << ": " << render(pipeline.error(), source_.get());
    for (int repeat = 0; repeat < 2; ++repeat) {
      for (const text::RunDirective& run : runs_) {
        host::Buffers buffers = inputs_of(run, form.step);
        const layout::Groups groups = {run.groups[0], run.groups[1], run.groups[2]};
        const auto ran = (*pipeline)->dispatch(spans_of(buffers, *form.step.checked), groups);
        ASSERT_TRUE(ran) << name << ": " << render(ran.error(), source_.get());
        expect_outputs(run, buffers, name + ", " + form.name);
      }
    }
  }

  /// A backend whose subgroups have a size of their own, against the reference with subgroups of that size:
  /// the file's values are for another one.
  void run_with_own_lanes(backend::Backend& backend, const std::string& name) {
    const host::Step& step = forms_[0].step;
    const auto reference = backend::make_reference({.subgroup_size = backend.limits().subgroup_size});
    const auto expected = reference->compile(*step.checked);
    const auto actual = backend.compile(*step.checked);
    ASSERT_EQ(expected.has_value(), actual.has_value()) << name;
    if (!expected) {
      EXPECT_EQ(actual.error().code, expected.error().code) << render(actual.error(), source_.get());
      return;
    }
    for (const text::RunDirective& run : runs_) {
      const layout::Groups groups = {run.groups[0], run.groups[1], run.groups[2]};
      host::Buffers buffers = inputs_of(run, step), others = buffers;
      const auto ran = (*expected)->dispatch(spans_of(buffers, *step.checked), groups);
      ASSERT_TRUE(ran) << render(ran.error(), source_.get());
      const auto also = (*actual)->dispatch(spans_of(others, *step.checked), groups);
      ASSERT_TRUE(also) << name << ": " << render(also.error(), source_.get());
      const auto equal = host::expect_equal(buffers, "reference", others, name);
      EXPECT_TRUE(equal) << "line " << run.line << ": " << equal.error().message;
    }
  }

  /// Every run on the evaluator of kernels, whose workgroups go in lock-step.
  void run_kernel(const lower::Kernel& kernel, const std::string& who) {
    const host::Step& step = forms_[0].step;
    for (const text::RunDirective& run : runs_) {
      host::Buffers buffers = inputs_of(run, step);
      const layout::Groups groups = {run.groups[0], run.groups[1], run.groups[2]};
      const auto bindings = layout::bind(*step.checked, spans_of(buffers, *step.checked), groups);
      ASSERT_TRUE(bindings) << bindings.error().message;
      const auto ran = lower::evaluate(kernel, *bindings, groups, {.seed = 7, .subgroup_size = lanes_});
      ASSERT_TRUE(ran) << who << ": " << render(ran.error(), nullptr);
      expect_outputs(run, buffers, who);
    }
  }

  /// The kernel as a program again, on the reference.
  void run_raised(const lower::Kernel& kernel) {
    auto raised = check::check(lower::raise(kernel), ops::op_table());
    ASSERT_TRUE(raised) << explain(raised.error(), *source_);
    const Form form{"raised", {std::make_shared<const check::Checked>(std::move(*raised)), {}}};
    const auto reference = backend::make_reference({.subgroup_size = lanes_});
    run_backend(*reference, "reference", form);
  }

  std::unique_ptr<Source> source_;
  std::vector<text::RunDirective> runs_;
  std::vector<Form> forms_;
  uint32_t lanes_ = 0;  // of a subgroup; 0: the file declares none
};

// covers: EX-22 EX-23 EX-24 EX-49 EX-51 EX-52 EX-53 EX-54 WE-01 WE-02 WE-03
TEST_P(RunFile, EveryBackendGivesTheseBytes) {
  VYRE_ORACLE(SpecificationTable,
              "the values in the files, worked out from the specification by hand, wide ones with the "
              "integers of Python (docs/testing.md)");
  for (const OpenBackend& open : backends(lanes_)) {
    for (const Form& form : forms_) {
      const auto& used = form.step.checked->intrinsics();
      if (!used.empty() && open.backend->has(used[0].intrinsic) &&
          open.backend->limits().subgroup_size != lanes_) {
        run_with_own_lanes(*open.backend, open.name);
        continue;
      }
      if (used.empty() || open.backend->has(used[0].intrinsic)) {
        run_backend(*open.backend, open.name, form);
        continue;
      }
      // Category C: a backend without the operation says so, with the operation's id and its own name.
      const auto refused = open.backend->compile(*form.step.checked);
      ASSERT_FALSE(refused) << open.name;
      EXPECT_EQ(refused.error().code, DiagCode::B002) << render(refused.error(), source_.get());
      EXPECT_NE(refused.error().message.find(spec::info(used[0].intrinsic).id), std::string::npos);
      EXPECT_NE(refused.error().message.find(open.name), std::string::npos);
    }
  }
  const lower::Kernel kernel = lower::build(*forms_[0].step.checked);
  run_kernel(kernel, "kernel");
  run_raised(kernel);
  for (const lower::Target& target : {lower::kLlvmTarget, lower::kWordTarget}) {
    run_kernel(lower::legalize(kernel, target), "legal kernel for " + std::string(target.name));
  }
}
// Without this a run that was to show something of a backend would show nothing where that is not available.
TEST(RunFiles, TheDemandedBackendIsHere) {
  VYRE_ORACLE(SpecificationTable,
              "the values in the files, worked out from the specification by hand, wide ones with the "
              "integers of Python (docs/testing.md)");
  const std::string demanded = demanded_backend();
  if (demanded.empty()) return;
  const auto backend = backend::open(demanded);
  ASSERT_TRUE(backend) << render(backend.error(), nullptr);
  std::printf("  %s: %s; %s\n", demanded.c_str(), (*backend)->identity().device.c_str(),
              (*backend)->identity().driver.c_str());
}

INSTANTIATE_TEST_SUITE_P(Files, RunFile,
                         testing::ValuesIn(files_in({"test/run", "test/regress", "examples"}, ".vyre")),
                         test_name);

}  // namespace
}  // namespace vyre::file_test
