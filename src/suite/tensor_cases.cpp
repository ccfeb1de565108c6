// The cases of operations on tensors and of random graphs: units of so many cases.
#include <fmt/format.h>

#include <algorithm>

#include "suite/cases.h"

namespace vyre::suite {
namespace {

// Evaluations that judging a case is as long as, by measurement: most of it is compiling.
constexpr uint64_t kEvaluationsACase = 60'000;
constexpr uint64_t kEvaluationsAGraph = 600'000;

class TensorCases final : public Cases {
 public:
  explicit TensorCases(const verify::TensorSubject& of) : Cases(of.kind(), of.name(), of.track), of_(of) {}

  std::vector<CaseUnit> units(const CasePlan& plan) const override {
    std::vector<CaseUnit> out;
    const uint64_t all = plan.tensors.cases(of_);
    for (size_t unit = 0; unit < verify::tensor_units(of_, plan.tensors); ++unit) {
      const uint64_t cases = std::min(verify::kTensorCasesAUnit, all - unit * verify::kTensorCasesAUnit);
      out.push_back({{fmt::format("{}/{}.{}", subject(), text(track()), unit)},
                     cases * 2,
                     cases * kEvaluationsACase + cases / of_.inputs * kEvaluationsAGraph,
                     [this, &plan, unit](backend::Backend& backend, const verify::Monitor& monitor) {
                       return verify::check_tensor_unit(backend, of_, plan.tensors, unit, plan.seed, monitor);
                     }});
    }
    return out;
  }

  std::string other_than_planned(const verify::Verdict& verdict, const CasePlan& plan) const override {
    const bool all =
        verify::planned_by(verdict, verify::Oracle::ReferenceInterpreter) == plan.tensors.cases(of_) &&
        verdict.parity.size() == 1;
    return all ? std::string() : "the cases are not those that it has at this strength";
  }

  std::vector<std::pair<std::string, bool>> laws(const CasePlan&) const override { return {}; }
  JudgedFunctions functions(const verify::Verdict&) const override { return {}; }

  verify::Verdict again(backend::Backend& backend, std::span<const verify::Leaf> leaves, const CasePlan& plan,
                        const verify::Monitor& monitor) const override {
    verify::Verdict sum;
    for (const verify::Leaf& leaf : leaves)
      verify::add(
          sum, verify::check_tensor_unit(backend, of_, plan.tensors, size_t(leaf.slice), plan.seed, monitor));
    return sum;
  }

 private:
  const verify::TensorSubject& of_;
};

}  // namespace

std::unique_ptr<Cases> tensor_cases(const verify::TensorSubject& subject) {
  return std::make_unique<TensorCases>(subject);
}

}  // namespace vyre::suite
