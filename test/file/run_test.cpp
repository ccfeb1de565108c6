// Each .vyre file in test/run, test/regress, test/modules and examples, those of test/compare that have `run`
// lines, each text of test/floats at each type (float_texts.h), and the specification rows of each operator
// as such files (rows.h), runs on every backend that is there, as written and after round trips through text
// and wire, and programs on the kernel evaluator before and after legalization.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <span>

#include "algebra/file_laws.h"
#include "files.h"
#include "host/file_tests.h"
#include "lower/evaluate.h"
#include "lower/lift.h"
#include "ops/operation.h"
#include "oracle.h"
#include "rows.h"
#include "text/text.h"
#include "wire/wire.h"

VYRE_ORACLE(SpecificationTable,
            "the values in the files, worked out from the specification by hand, wide ones with the integers "
            "of Python (docs/testing.md), and the specification rows");

namespace vyre::file_test {
namespace {

/// A module in one of its forms.
struct Form {
  std::string name;
  std::shared_ptr<const check::CheckedModule> module;
};

/// The programs that a step dispatches.
std::vector<const check::Checked*> programs_of(const host::Step& step) {
  if (!step.pipeline) return {step.checked.get()};
  std::vector<const check::Checked*> out;
  for (const uint32_t i : plan::programs_of(*step.module, *step.pipeline))
    out.push_back(step.module->programs()[i].get());
  return out;
}

class RunFile : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    file_ = host::read_test_file(GetParam(), text_of(GetParam()), ops::op_table(), algebra::check_witnesses);
    lanes_ = file_.directives.subgroup_size;
    ASSERT_TRUE(file_.diagnostics.empty()) << explain(file_.diagnostics, *file_.source);
    ASSERT_TRUE(file_.directives.errors.empty()) << "a file in test/run has no error directives";
    const auto declared = text::check_oracle(file_.directives);
    ASSERT_TRUE(declared) << render(declared.error(), file_.source.get());
    ASSERT_TRUE(!runs().empty() || GetParam().starts_with("examples/")) << "no run directive";
    make_forms({});
    for (const text::RunDirective& run : runs()) make_forms(run);
  }

  const std::vector<text::RunDirective>& runs() const { return file_.directives.runs; }

  /// The module of a run as it is written, and as it comes back from text and from wire.
  void make_forms(const text::RunDirective& run) {
    std::vector<Form>& forms = forms_[run.constants];
    if (!forms.empty()) return;
    const auto written = host::module_for(file_, run, ops::op_table());
    ASSERT_TRUE(written) << render(written.error(), file_.source.get());
    const ir::Module& module = (*written)->module();
    const auto from_text = text::parse_module(text::print(module), &ops::op_table());
    ASSERT_TRUE(from_text) << text::print(module);
    const auto from_wire = wire::decode_module(wire::encode(module));
    ASSERT_TRUE(from_wire) << from_wire.error().message;
    EXPECT_TRUE(ir::equal(module, *from_text)) << text::print(module);
    EXPECT_TRUE(ir::equal(module, *from_wire));
    forms.push_back({"as written", *written});
    for (const auto& [name, again] :
         {std::pair{"through text", &*from_text}, {"through wire", &*from_wire}}) {
      auto checked = check::check(*again, ops::op_table());
      ASSERT_TRUE(checked) << name << "\n" << explain(checked.error(), *file_.source);
      forms.push_back({name, std::move(*checked)});
    }
  }

  host::RunCase case_of(const text::RunDirective& run, const Form& form) {
    auto made = host::case_of(form.module, run);
    if (made) return std::move(*made);
    throw std::runtime_error(render(made.error(), file_.source.get()));
  }

  void expect(const text::RunDirective& run, const host::RunCase& test, const host::Buffers& after,
              const std::string& who) {
    const auto wrong = host::difference(test, after, who);
    EXPECT_FALSE(wrong) << "line " << run.line << ": " << wrong.value_or("");
  }

  /// A run, twice, on one backend, compiled once: what a dispatch leaves behind must not show in the next. A
  /// workgroup that is larger than a device's must be refused.
  void run_backend(backend::Backend& backend, const std::string& name, const text::RunDirective& run,
                   const host::RunCase& test, const std::string& form) {
    // Runs of one form of a program share what is compiled.
    auto& ready = ready_[{&backend, test.step.checked.get()}];
    if (!ready) ready.emplace(host::ReadyStep::make(backend, test.step));
    const bool too_large = std::ranges::any_of(programs_of(test.step), [&](const check::Checked* program) {
      const auto& size = program->program().workgroup_size;
      return uint64_t{size[0]} * size[1] * size[2] > backend.limits().max_invocations_per_group;
    });
    if (too_large) {
      ASSERT_FALSE(*ready) << name << " takes a workgroup that is larger than its limit";
      EXPECT_EQ(ready->error().code, DiagCode::B003) << render(ready->error(), file_.source.get());
      return;
    }
    ASSERT_TRUE(*ready) << name << ": " << render(ready->error(), file_.source.get());
    for (int repeat = 0; repeat < 2; ++repeat) {
      host::Buffers buffers = test.inputs;
      const auto ran = (*ready)->run(buffers, test.step.groups);
      ASSERT_TRUE(ran) << name << ": " << render(ran.error(), file_.source.get());
      expect(run, test, buffers, name + ", " + form);
    }
  }

  /// A backend whose subgroups have a size of their own, against the reference with subgroups of that size:
  /// the file's values are for another one.
  void run_with_own_lanes(backend::Backend& backend, const std::string& name, const text::RunDirective& run,
                          const host::RunCase& test) {
    const auto reference = backend::make_reference({.subgroup_size = backend.limits().subgroup_size});
    auto expected = host::ReadyStep::make(*reference, test.step);
    auto actual = host::ReadyStep::make(backend, test.step);
    ASSERT_EQ(expected.has_value(), actual.has_value()) << name;
    if (!expected) {
      EXPECT_EQ(actual.error().code, expected.error().code) << render(actual.error(), file_.source.get());
      return;
    }
    host::Buffers buffers = test.inputs, others = test.inputs;
    const auto ran = expected->run(buffers, test.step.groups);
    ASSERT_TRUE(ran) << render(ran.error(), file_.source.get());
    const auto also = actual->run(others, test.step.groups);
    ASSERT_TRUE(also) << name << ": " << render(also.error(), file_.source.get());
    const auto equal = host::expect_equal(buffers, "reference", others, name);
    EXPECT_TRUE(equal) << "line " << run.line << ": " << equal.error().message;
  }

  /// On the evaluator of kernels, whose workgroups go in lock-step.
  void run_kernel(const lower::Kernel& kernel, const std::string& who, const text::RunDirective& run,
                  const host::RunCase& test) {
    host::Buffers buffers = test.inputs;
    const auto bindings =
        layout::bind(*test.step.checked, spans_of(buffers, *test.step.checked), test.step.groups);
    ASSERT_TRUE(bindings) << bindings.error().message;
    const auto ran =
        lower::evaluate(kernel, *bindings, test.step.groups, {.seed = 7, .subgroup_size = lanes_});
    ASSERT_TRUE(ran) << who << ": " << render(ran.error(), nullptr);
    expect(run, test, buffers, who);
  }

  /// What a program is lowered to.
  struct Kernels {
    explicit Kernels(const check::Checked& program) : kernel(lower::build(program)) {
      for (const lower::Target& target : {lower::kLlvmTarget, lower::kWordTarget})
        legal.emplace_back("legal kernel for " + std::string(target.name), lower::legalize(kernel, target));
      auto checked = check::check(lower::lift(kernel), ops::op_table());
      if (!checked) throw std::runtime_error("raised: " + checked.error().front().message);
      lifted = std::make_shared<const check::Checked>(std::move(*checked));
    }
    lower::Kernel kernel;
    std::vector<std::pair<std::string, lower::Kernel>> legal;
    std::shared_ptr<const check::Checked> lifted;  // the kernel as a program again
  };

  host::TestFile file_;
  std::map<text::Constants, std::vector<Form>> forms_;
  std::map<std::pair<backend::Backend*, const check::Checked*>, std::optional<Result<host::ReadyStep>>>
      ready_;
  uint32_t lanes_ = 0;  // of a subgroup; 0: the file declares none
};

// covers: EX-22 EX-23 EX-24 EX-49 EX-51 EX-52 EX-53 EX-54 WE-01 WE-02 WE-03
TEST_P(RunFile, EveryBackendGivesTheseBytes) {
  for (const text::RunDirective& run : runs()) {
    // A program that came back the same compiles to the same, so compilers see it as it is written; and the
    // rows, of which there are many, run so alone.
    const std::span<const Form> forms = forms_[run.constants];
    for (const Form& form : GetParam().starts_with("rows/") ? forms.first(1) : forms) {
      const host::RunCase test = case_of(run, form);
      const check::Checked::IntrinsicUse* used = nullptr;
      for (const check::Checked* program : programs_of(test.step))
        if (!program->intrinsics().empty()) used = &program->intrinsics()[0];
      for (const OpenBackend& open : under_test(lanes_)) {
        if (&form != forms.data() && open.name != "reference") continue;
        if (used != nullptr && open.backend->has(used->intrinsic) &&
            open.backend->limits().subgroup_size != lanes_) {
          run_with_own_lanes(*open.backend, open.name, run, test);
          continue;
        }
        if (used == nullptr || open.backend->has(used->intrinsic)) {
          run_backend(*open.backend, open.name, run, test, form.name);
          continue;
        }
        // Category C: a backend without the operation says so, with the operation's id and its own name.
        const auto refused = host::ReadyStep::make(*open.backend, test.step);
        ASSERT_FALSE(refused) << open.name;
        EXPECT_EQ(refused.error().code, DiagCode::B002) << render(refused.error(), file_.source.get());
        EXPECT_NE(refused.error().message.find(spec::info(used->intrinsic).id), std::string::npos);
        EXPECT_NE(refused.error().message.find(open.name), std::string::npos);
      }
    }
  }
  if (!demanded_backend().empty()) return;
  const auto reference = backend::make_reference({.subgroup_size = lanes_});
  std::map<const check::Checked*, Kernels> kernels;
  for (const text::RunDirective& run : runs()) {
    host::RunCase test = case_of(run, forms_[run.constants][0]);
    if (test.step.pipeline) continue;
    const Kernels& of = kernels.try_emplace(test.step.checked.get(), *test.step.checked).first->second;
    run_kernel(of.kernel, "kernel", run, test);
    for (const auto& [name, kernel] : of.legal) run_kernel(kernel, name, run, test);
    test.step.checked = of.lifted;
    run_backend(*reference, "reference", run, test, "raised");
  }
}

// Without this a run that was to show something of a backend would show nothing where that is not available.
TEST(RunFiles, TheDemandedBackendIsHere) {
  const std::string demanded = demanded_backend();
  if (demanded.empty()) return;
  const auto backend = backend::open(demanded);
  ASSERT_TRUE(backend) << render(backend.error(), nullptr);
  std::printf("  %s: %s; %s\n", demanded.c_str(), (*backend)->identity().device.c_str(),
              (*backend)->identity().driver.c_str());
}

std::vector<std::string> files_with_runs() {
  auto files = files_in({"test/run", "test/regress", "test/modules", "examples", "test/compare"}, ".vyre");
  std::erase_if(files, [](const std::string& file) {
    return file.starts_with("test/compare/") && !read_text(file).contains("\n// run: ");
  });
  return files;
}
INSTANTIATE_TEST_SUITE_P(Files, RunFile, testing::ValuesIn(files_with_runs()), test_name);
INSTANTIATE_TEST_SUITE_P(Floats, RunFile, testing::ValuesIn(float_files()), test_name);
INSTANTIATE_TEST_SUITE_P(Rows, RunFile, testing::ValuesIn(row_files()), test_name);

}  // namespace
}  // namespace vyre::file_test
