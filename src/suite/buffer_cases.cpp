// The cases of an operation over buffers: its units, each by itself.
#include <fmt/format.h>

#include <algorithm>

#include "suite/cases.h"

namespace vyre::suite {
namespace {

using verify::Verdict;

// Evaluations that a run of a pipeline is as long as, by measurement, and that compiling it is.
constexpr uint64_t kEvaluationsARun = 10'000;
constexpr uint64_t kEvaluationsACompilation = 2'000'000;
constexpr uint64_t kRunsAPromise = 3;
/// Compiling an operation takes as long as some thousand of its cases, and each judgement by itself compiles
/// it anew: so many units are judged in one process, all of them but at the full strength.
constexpr size_t kUnitsTogether = 5;

uint64_t planned_promises(const library::Engine& engine) {
  return uint64_t(std::ranges::count_if(
      library::kInvariants, [&](library::Invariant invariant) { return engine.promises.has(invariant); }));
}

class BufferCases final : public Cases {
 public:
  explicit BufferCases(const verify::BufferSubject& operation)
      : Cases(operation.kind(), operation.name(), operation.track()), operation_(operation) {}

  std::vector<CaseUnit> units(const CasePlan& plan) const override {
    std::vector<CaseUnit> out;
    const size_t all = verify::buffer_units(plan.buffers);
    for (size_t first = 0; first < all; first += kUnitsTogether) {
      const size_t last = std::min(first + kUnitsTogether, all);
      uint64_t runs = 0;
      for (size_t unit = first; unit < last; ++unit) runs += verify::runs_of(operation_, plan.buffers, unit);
      out.push_back({{fmt::format("{}/cases.{}-{}", subject(), first, last - 1)},
                     runs,
                     runs * kEvaluationsARun + kEvaluationsACompilation,
                     [this, &plan, first, last](backend::Backend& backend, const verify::Monitor& monitor) {
                       return check(backend, first, last, plan, monitor);
                     }});
    }
    if (const library::Engine* engine = operation_.engine()) {
      const uint64_t cases = planned_promises(*engine) * plan.engines.cases;
      out.push_back({{fmt::format("{}/promises", subject())},
                     cases,
                     cases * kRunsAPromise * kEvaluationsARun + kEvaluationsACompilation,
                     [engine, &plan](backend::Backend& backend, const verify::Monitor& monitor) {
                       return verify::check_promises(backend, *engine, plan.engines, plan.seed, monitor);
                     }});
    }
    return out;
  }

  std::string other_than_planned(const Verdict& verdict, const CasePlan& plan) const override {
    for (const verify::Oracle oracle : {verify::Oracle::SpecificationTable, verify::Oracle::CpuReference}) {
      if (verify::planned_by(verdict, oracle) != verify::planned_cases(operation_, plan.buffers, oracle))
        return fmt::format("the cases are not those that {} has at this strength", subject());
    }
    if (verdict.classes.size() != opspec::classes_of(operation_.entry->id).size() ||
        verdict.boundaries != opspec::kBoundarySizes.size() ||
        verdict.definition.planned != plan.buffers.definition ||
        verdict.determinism.planned != plan.buffers.repeated)
      return fmt::format("the classes, boundary values or repetitions are not those of {}", subject());
    const library::Engine* engine = operation_.engine();
    std::vector<std::string_view> promised, judged;
    for (const library::Invariant one : library::kInvariants)
      if (engine != nullptr && engine->promises.has(one)) promised.push_back(library::text(one));
    for (const verify::InvariantVerdict& promise : verdict.invariants) {
      judged.push_back(promise.invariant);
      if (promise.cases.planned != plan.engines.cases)
        return fmt::format("{} has not the cases that it has at this strength", promise.invariant);
    }
    if (judged != promised) return fmt::format("the promises are not those of {}", subject());
    return {};
  }

  std::vector<std::pair<std::string, bool>> laws(const CasePlan&) const override {
    std::vector<std::pair<std::string, bool>> out;
    for (const library::Law* law : library::laws_of(operation_.entry->id))
      out.emplace_back(law->name, law->claimed);
    return out;
  }

  JudgedFunctions functions(const Verdict&) const override { return {}; }

  Verdict again(backend::Backend& backend, std::span<const verify::Leaf> leaves, const CasePlan& plan,
                const verify::Monitor& monitor) const override {
    // The first unit has the rows, the boundaries and leaf 1 of the reference, the second its leaf 2.
    std::vector<size_t> units;
    std::vector<verify::Leaf> of_promises;
    for (const verify::Leaf& leaf : leaves) {
      if (leaf.oracle == verify::Oracle::Property)
        of_promises.push_back(leaf);
      else
        units.push_back(leaf.slice == 0 ? 0 : leaf.slice - 1);
    }
    CasePlan without_laws = plan;
    without_laws.buffers.laws = 0;
    std::ranges::sort(units);
    units.erase(std::ranges::unique(units).begin(), units.end());
    Verdict sum;
    for (const size_t unit : units) verify::add(sum, check(backend, unit, unit + 1, without_laws, monitor));
    if (const library::Engine* engine = operation_.engine(); engine != nullptr && !of_promises.empty())
      verify::add(sum,
                  verify::check_promises(backend, *engine, plan.engines, plan.seed, monitor, of_promises));
    return sum;
  }

 private:
  Verdict check(backend::Backend& backend, size_t first, size_t last, const CasePlan& plan,
                const verify::Monitor& monitor) const {
    return verify::check_buffer_units(backend, operation_, plan.buffers, first, last, plan.seed, monitor);
  }

  const verify::BufferSubject operation_;
};

}  // namespace

std::unique_ptr<Cases> buffer_cases(const verify::BufferSubject& operation) {
  return std::make_unique<BufferCases>(operation);
}

}  // namespace vyre::suite
