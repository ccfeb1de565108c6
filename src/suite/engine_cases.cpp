// The cases of generated engines: their units, each of some engines.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "suite/cases.h"

namespace vyre::suite {
namespace {

// Evaluations that judging a generated engine is as long as, by measurement: most of it is compiling.
constexpr uint64_t kEvaluationsACase = 9;  // two of its bytes, and one a promise
constexpr uint64_t kEvaluationsAnEngine = 2'000'000;

class GeneratedEngineCases final : public Cases {
 public:
  GeneratedEngineCases()
      : Cases(verify::SubjectKind::GeneratedEngines, verify::subject_of(verify::kGeneratedEngines, 1),
              verify::Track::Integer) {}

  std::vector<CaseUnit> units(const CasePlan& plan) const override {
    std::vector<CaseUnit> out;
    for (size_t unit = 0; unit < verify::generated_units(plan.engines); ++unit) {
      const uint64_t engines =
          std::min(verify::kChainsAUnit, plan.engines.chains - unit * verify::kChainsAUnit);
      out.push_back({{fmt::format("{}/engines.{}", subject(), unit)},
                     engines * plan.engines.chain_cases * kEvaluationsACase,
                     engines * kEvaluationsAnEngine,
                     [&plan, unit](backend::Backend& backend, const verify::Monitor& monitor) {
                       return verify::check_generated_unit(backend, plan.engines, unit, plan.seed, monitor);
                     }});
    }
    return out;
  }

  std::string other_than_planned(const verify::Verdict& verdict, const CasePlan& plan) const override {
    if (verify::planned_by(verdict, verify::Oracle::CpuReference) !=
        plan.engines.chains * plan.engines.chain_cases)
      return "the cases are not those that generated engines have at this strength";
    const auto promises = verify::generated_promises(plan.engines, plan.seed);
    if (promises.size() != verdict.invariants.size())
      return "the promises are not those of the generated engines";
    for (const auto& [invariant, cases] : promises) {
      const auto found = std::ranges::find(verdict.invariants, library::text(invariant),
                                           &verify::InvariantVerdict::invariant);
      if (found == verdict.invariants.end() || found->cases.planned != cases)
        return fmt::format("{} has not the cases that it has at this strength", library::text(invariant));
    }
    return {};
  }

  std::vector<std::pair<std::string, bool>> laws(const CasePlan&) const override { return {}; }
  JudgedFunctions functions(const verify::Verdict&) const override { return {}; }

  verify::Verdict again(backend::Backend& backend, std::span<const verify::Leaf> leaves, const CasePlan& plan,
                        const verify::Monitor& monitor) const override {
    std::set<uint64_t> units;  // each has a leaf of all bytes and one of promises
    for (const verify::Leaf& leaf : leaves) units.insert(leaf.slice);
    verify::Verdict sum;
    for (const uint64_t unit : units)
      verify::add(sum, verify::check_generated_unit(backend, plan.engines, size_t(unit), plan.seed, monitor));
    return sum;
  }
};

}  // namespace

std::unique_ptr<Cases> generated_engine_cases() { return std::make_unique<GeneratedEngineCases>(); }

}  // namespace vyre::suite
