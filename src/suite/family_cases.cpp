// The cases of a part of a family: its whole domains, and slices of the rest.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "suite/cases.h"
#include "verify/shape_factors.h"

namespace vyre::suite {
namespace {

using verify::Family;
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
constexpr uint64_t kCompilationsASubject = 2;  // of an elementwise family

/// Rows of a covering array, about: how many there are is known when it has been made.
uint64_t expected_shapes(const verify::FamilyPlan& plan) {
  uint64_t out = 3;
  for (uint32_t t = 0; t < plan.shape_strength; ++t) out *= 9;
  return out;
}

uint64_t expected_evaluations(const Part& part, const verify::FamilyPlan& plan) {
  const Family family = part.family;
  if (family == Family::Programs) return plan.random_programs * kEvaluationsAProgram;
  if (family == Family::PlantedLaws) return uint64_t{1} << 26;
  if (family == Family::Shapes) return expected_shapes(plan) * kEvaluationsAProgram;
  const size_t shapes = verify::shapes(family);
  if (shapes != 0) return shapes * verify::inputs_a_shape(family, plan) * kEvaluationsAProgram;
  return verify::elementwise_subjects(family, part.track).size() * plan.cases_a_subject * 2;
}

/// How many programs judging it compiles, about.
uint64_t expected_compilations(const Part& part, const verify::FamilyPlan& plan) {
  const Family family = part.family;
  if (family == Family::Programs)
    return part.track == verify::Track::Float ? plan.random_programs / 3 : plan.random_programs;
  if (family == Family::Shapes) return expected_shapes(plan);
  return verify::shapes(family) +
         kCompilationsASubject * verify::elementwise_subjects(family, part.track).size();
}

/// What is not as a plan has it in a verdict on a part of a family; empty: nothing.
std::string wrong_size(const Verdict& verdict, const Part& part, const CasePlan& plan) {
  // What a device may lack is not in its plan, and the coverage says what that is.
  if (part.family == Family::Shapes)
    return verify::wrong_coverage(verdict, plan.family.shape_strength, plan.seed);
  const verify::FamilySize size = verify::size_of(part, plan.family, plan.seed);
  for (const verify::OracleCases& oracle : verdict.parity) {
    if (std::ranges::count(size.parity, oracle.oracle, &verify::OracleCases::oracle) == 0)
      return fmt::format("cases of the {}, which judges none", text(oracle.oracle));
  }
  for (const verify::OracleCases& oracle : size.parity) {
    const uint64_t planned = verify::planned_by(verdict, oracle.oracle);
    if (planned != oracle.tally.planned)
      return fmt::format("{} cases of the {}, not {}", planned, text(oracle.oracle), oracle.tally.planned);
  }
  // Operations of subgroups that a backend lacks are refused instead of repeated.
  const bool optional = part.family == Family::Subgroups;
  if (optional ? verdict.determinism.planned > 2 * size.parity[0].tally.planned
               : verdict.determinism.planned != size.repeated)
    return fmt::format("{} repeated evaluations, not {}", verdict.determinism.planned, size.repeated);
  if (verdict.operators != size.operators)
    return fmt::format("{} operators, not {}", verdict.operators, size.operators);
  if (optional ? verdict.shapes > size.shapes : verdict.shapes != size.shapes)
    return fmt::format("{} shapes, not {}", verdict.shapes, size.shapes);
  return {};
}

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
    const uint64_t evaluations = expected_evaluations(part_, plan.family);
    const uint64_t compilations = expected_compilations(part_, plan.family);
    const uint32_t slices = verify::slices_of(part_.family, plan.family, track());
    for (uint32_t slice = 0; slice < slices; ++slice) {
      const std::string number = slices == 1 ? "" : fmt::format(".{}", slice);
      out.push_back({{name + number, part_.family == Family::PlantedLaws},
                     evaluations / slices,
                     (evaluations + compilations * kEvaluationsACompilation) / slices,
                     [this, &plan, slice](backend::Backend& backend, const verify::Monitor& monitor) {
                       return verify::check_slice(backend, part_.family, slice, plan.family, plan.seed,
                                                  monitor, track());
                     }});
    }
    return out;
  }

  std::string other_than_planned(const Verdict& verdict, const CasePlan& plan) const override {
    const std::string wrong = wrong_size(verdict, part_, plan);
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

  bool depends_on_limits() const override {
    return part_.family == Family::Subgroups || part_.family == Family::Shapes;
  }

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
  const Part part_;
};

}  // namespace

std::unique_ptr<Cases> family_cases(const Part& part) { return std::make_unique<FamilyCases>(part); }

}  // namespace vyre::suite
