// The cases of a part of a family: its whole domains, and slices of the rest.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "suite/cases.h"

namespace vyre::suite {
namespace {

using verify::FamilyTrait;
using verify::Leaf;
using verify::Part;
using verify::Verdict;
using verify::WholeDomain;

// Evaluations that a family stands for in the progress: by measurement, one program case is as long as some
// thousand evaluations of an operation.
constexpr uint64_t kEvaluationsAProgram = 20'000;
// And how many of them compiling a program is as long as, which says what is begun first: most of a family's
// time goes there. With what is longest begun last, all other cores would wait for it.
constexpr uint64_t kEvaluationsACompilation = 2'000'000;

class FamilyCases final : public Cases {
 public:
  explicit FamilyCases(const Part& part)
      : Cases(verify::SubjectKind::Family, std::string(verify::info(part.family).text), part.track),
        part_(part) {}

  std::vector<CaseUnit> units(const CasePlan& plan) const override {
    std::vector<CaseUnit> out;
    const std::string name = fmt::format("{}/{}", subject(), text(track()));
    // Those of 2^32 inputs take longer than the rest of their family.
    for (WholeDomain& domain : verify::whole_domains(part_, plan.family)) {
      const auto shared = std::make_shared<const WholeDomain>(std::move(domain));
      out.push_back({{fmt::format("{}/{}", name, shared->subject.application.name)},
                     shared->cases,
                     shared->cases,
                     [this, &plan, shared](backend::Backend& backend, const verify::Monitor& monitor) {
                       return verify::check_whole_domain(backend, part_, *shared, 0,
                                                         shared->cases / verify::kLeafCases, plan.seed,
                                                         monitor);
                     }});
    }
    const verify::FamilyEffort effort = verify::effort_of(part_, plan.family);
    const uint64_t evaluations = effort.evaluations + effort.programs * kEvaluationsAProgram;
    const uint32_t slices = verify::slices_of(part_.family, plan.family, track());
    for (uint32_t slice = 0; slice < slices; ++slice) {
      const std::string number = slices == 1 ? "" : fmt::format(".{}", slice);
      out.push_back({{name + number, has(FamilyTrait::Identity)},
                     evaluations / slices,
                     (evaluations + effort.compilations * kEvaluationsACompilation) / slices,
                     [this, &plan, slice](backend::Backend& backend, const verify::Monitor& monitor) {
                       return verify::check_slice(backend, part_.family, slice, plan.family, plan.seed,
                                                  monitor, track());
                     }});
    }
    return out;
  }

  std::string other_than_planned(const Verdict& verdict, const CasePlan& plan) const override {
    const std::string wrong = verify::other_than_planned(verdict, part_, plan.family, plan.seed);
    if (wrong.empty()) return {};
    return fmt::format("the cases are not those that {} of the {} track has at this strength: {}", subject(),
                       text(track()), wrong);
  }

  std::vector<std::pair<std::string, bool>> laws(const CasePlan& plan) const override {
    std::vector<std::pair<std::string, bool>> out;
    for (const verify::LawVerdict& law : verify::size_of(part_, plan.family, plan.seed).laws)
      out.emplace_back(law.law, law.claimed);
    return out;
  }

  /// One that is among no failure passed only where all failures are kept.
  JudgedFunctions functions(const Verdict& verdict) const override {
    JudgedFunctions out;
    const bool all_named = verdict.failure_count == verdict.failures.size();
    for (verify::Subject& subject : verify::elementwise_subjects(part_.family, track())) {
      const bool fails = std::ranges::any_of(verdict.failures, [&](const verify::Failure& f) {
        return f.token.starts_with(subject.name + ":");
      });
      if (fails || all_named) (fails ? out.failed : out.passed).push_back(std::move(subject));
    }
    return out;
  }

  bool depends_on_limits() const override { return has(FamilyTrait::Limited); }

  Verdict again(backend::Backend& backend, std::span<const Leaf> leaves, const CasePlan& plan,
                const verify::Monitor& monitor) const override {
    std::optional<Verdict> sum;
    const auto also = [&](Verdict more) {
      if (sum) return verify::add(*sum, std::move(more));
      sum = std::move(more);
    };
    // A leaf of a whole domain costs its own cases, any other the rest of the family.
    const std::vector<WholeDomain> domains = verify::whole_domains(part_, plan.family);
    bool rest = false;
    for (const Leaf& leaf : leaves) {
      const auto domain = std::ranges::find_if(domains, [&](const WholeDomain& d) {
        return leaf.oracle == d.subject.oracle && leaf.slice >= d.slice &&
               leaf.slice - d.slice < d.cases / verify::kLeafCases;
      });
      if (domain == domains.end()) {
        rest = true;
      } else {
        also(verify::check_whole_domain(backend, part_, *domain, leaf.slice - domain->slice, 1, plan.seed,
                                        monitor));
      }
    }
    if (rest) also(verify::check_family(backend, part_.family, plan.family, plan.seed, monitor, track()));
    return std::move(*sum);
  }

 private:
  bool has(FamilyTrait trait) const { return verify::info(part_.family).has(trait); }

  const Part part_;
};

}  // namespace

std::unique_ptr<Cases> family_cases(const Part& part) { return std::make_unique<FamilyCases>(part); }

}  // namespace vyre::suite
