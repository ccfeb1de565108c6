#include <fmt/format.h>

#include <algorithm>

#include "text/text.h"
#include "verify/algebraic.h"
#include "verify/examine.h"
#include "verify/families.h"
#include "verify/program_parity.h"
#include "verify/token.h"
#include "wire/wire.h"

namespace vyre::verify {
namespace {

constexpr size_t kBatch = 16;                       // random programs compiled at a time
constexpr size_t kRepeats = 3;                      // runs of each program case
constexpr uint64_t kRepeatedEvaluations = 1 << 18;  // of each elementwise subject
constexpr size_t kShrinkEvaluations = 400;          // each compiles a program
constexpr size_t kShrunkFailures = 3;               // programs shrunk a family: the first ones say most

std::string text_of(const Diag& diag) {
  return fmt::format("{}: {}", diag_info(diag.code).name, diag.message);
}

/// One program family under way.
class ProgramFamily {
 public:
  ProgramFamily(backend::Backend& backend, Family family, uint64_t seed, const Monitor& monitor,
                Verdict& verdict)
      : backend_(backend), family_(family), seed_(seed), monitor_(monitor), verdict_(verdict) {}

  /// Cases begin .. begin + count - 1, all of one program when `shared`.
  Result<void> run(std::span<const uint64_t> indices, bool shared) {
    std::vector<generate::ProgramCase> cases;
    std::vector<check::Checked> checked;
    for (const uint64_t index : indices) {
      cases.push_back(family_case(family_, seed_, index, backend_.limits()));
      if (shared && !checked.empty()) continue;
      auto one = check::check(cases.back().program, ops::op_table());
      if (!one) return std::unexpected(one.error().front());
      hasher_.update(wire::digest(cases.back().program).hex());
      checked.push_back(std::move(*one));
    }
    std::vector<const check::Checked*> pointers;
    for (const check::Checked& c : checked) pointers.push_back(&c);
    auto pipelines = backend_.compile_batch(pointers);
    for (size_t k = 0; k < cases.size(); ++k) {
      if (monitor_.stopped()) return {};
      auto& pipeline = pipelines[shared ? 0 : k];
      if (!pipeline) return std::unexpected(pipeline.error());
      VYRE_CHECK(run_case(**pipeline, checked[shared ? 0 : k], cases[k], indices[k]));
      monitor_.done(1);
    }
    return {};
  }

  void plan(uint64_t cases) {
    parity_.planned = cases;
    verdict_.determinism.planned += cases * (kRepeats - 1);
  }
  void finish() {
    Tally& tally = oracle_cases(verdict_, Oracle::ReferenceInterpreter).tally;
    tally.planned += parity_.planned;
    tally.completed += parity_.completed;
    tally.failed += parity_.failed;
    if (!verdict_.pipeline.empty()) hasher_.update(verdict_.pipeline);
    verdict_.pipeline = hasher_.finish().hex();
  }

 private:
  Result<void> run_case(backend::Pipeline& pipeline, const check::Checked& checked,
                        const generate::ProgramCase& c, uint64_t index) {
    VYRE_TRY(expected, reference_answer(checked, c, backend_.limits().subgroup_size));
    std::vector<Bytes> first;
    for (size_t repeat = 0; repeat < kRepeats; ++repeat) {
      VYRE_TRY(run, run_on(pipeline, c));
      ++verdict_.dispatches;
      verdict_.canaries += run.canaries;
      verdict_.canaries_broken += run.canaries_broken;
      if (repeat == 0) {
        ++parity_.completed;
        if (const auto difference = first_difference(checked, expected, run.buffers)) {
          ++parity_.failed;
          VYRE_CHECK(report(Check::Parity, c, *difference, index));
        }
        first = std::move(run.buffers);
        continue;
      }
      ++verdict_.determinism.completed;
      if (const auto difference = first_difference(checked, first, run.buffers)) {
        ++verdict_.determinism.failed;
        VYRE_CHECK(report(Check::Determinism, c, *difference, index));
      }
    }
    return {};
  }

  Result<void> report(Check check, const generate::ProgramCase& found, Difference difference,
                      uint64_t index) {
    Failure failure;
    failure.check = check;
    failure.oracle =
        check == Check::Parity ? std::string(text(Oracle::ReferenceInterpreter)) : "the first run";
    failure.token = print(Token{verdict_.subject, "program", seed_, index, {}});
    if (verdict_.failures.size() >= kKeptFailures) {
      ++verdict_.failure_count;
      return {};
    }
    generate::ProgramCase smallest = found;
    if (check == Check::Parity && verdict_.failures.size() < kShrunkFailures) {
      const auto fails = [&](const generate::ProgramCase& candidate) {
        if (monitor_.stopped()) return false;
        const auto result = compare_once(backend_, candidate);
        return result && result->has_value();
      };
      if (fails(found)) {
        smallest = generate::shrink_program(found, ops::op_table(), fails, kShrinkEvaluations);
        VYRE_TRY(again, compare_once(backend_, smallest));
        if (again) {
          difference = *again;
          failure.minimality = Minimality::Shrunk;
        } else {
          smallest = found;
        }
      }
    }
    failure.expected = {difference.expected};
    failure.actual = {difference.actual};
    const bool shaped = family_ != Family::Programs;
    failure.note = fmt::format(
        "{}{}[{}] of\n{}",
        shaped ? shape_name(family_, size_t(index % shapes(family_)), backend_.limits()) + ": " : "",
        difference.buffer, difference.index, text::print(smallest.program));
    failure.note +=
        fmt::format("with groups {},{},{}", smallest.groups.x, smallest.groups.y, smallest.groups.z);
    for (const Bytes& buffer : smallest.buffers) {
      constexpr size_t kShown = 8;
      const std::vector<uint32_t> words = to_words(buffer);
      failure.note += fmt::format(" [{} words:", words.size());
      for (size_t k = 0; k < std::min(words.size(), kShown); ++k)
        failure.note += fmt::format(" {:#x}", words[k]);
      failure.note += words.size() > kShown ? " ...]" : "]";
    }
    add_failure(verdict_, std::move(failure));
    return {};
  }

  backend::Backend& backend_;
  Family family_;
  uint64_t seed_;
  const Monitor& monitor_;
  Verdict& verdict_;
  Tally parity_;
  Hasher hasher_;
};

Result<void> check_elementwise(backend::Backend& backend, Family family, const FamilyPlan& plan,
                               uint64_t seed, const Monitor& monitor, Verdict& verdict) {
  constexpr uint32_t kSizes[] = {kWorkgroup, 64};
  Hasher hasher;
  for (const Subject& subject : elementwise_subjects(family)) {
    if (monitor.stopped()) return {};
    VYRE_TRY(pipelines, make_pipelines(backend, subject, kSizes, seed, verdict));
    hasher.update(pipelines.all[0]->digest().hex());
    Examiner examiner(backend, subject, pipelines.all, seed, monitor, verdict);
    const auto ranges = plan_cases(subject, seed, plan.cases_a_subject,
                                   std::min<uint64_t>(plan.cases_a_subject, 1 << 16), false);
    VYRE_CHECK(check_parity(subject, examiner, ranges, seed, monitor, verdict));
    VYRE_CHECK(check_determinism(subject, examiner, uint32_t(pipelines.all.size()),
                                 std::min(plan.cases_a_subject, kRepeatedEvaluations), seed, monitor,
                                 verdict));
    pipelines.account(verdict);
  }
  verdict.classes.clear();
  verdict.pipeline = hasher.finish().hex();
  return {};
}

/// The shapes whose operations of subgroups are all `usable`.
Result<void> check_programs(backend::Backend& backend, Family family, const FamilyPlan& plan, uint64_t seed,
                            const Monitor& monitor, Verdict& verdict, const IntrinsicSet& usable = {}) {
  ProgramFamily run(backend, family, seed, monitor, verdict);
  if (family == Family::Programs) {
    run.plan(plan.random_programs);
    for (uint64_t begin = 0; begin < plan.random_programs && !monitor.stopped(); begin += kBatch) {
      std::vector<uint64_t> indices;
      for (uint64_t k = begin; k < std::min(begin + kBatch, plan.random_programs); ++k) indices.push_back(k);
      VYRE_CHECK(run.run(indices, false));
    }
  } else {
    const uint64_t n = shapes(family);
    std::vector<uint64_t> wanted;
    for (uint64_t shape = 0; shape < n; ++shape) {
      if (uses_only(family, shape, usable)) wanted.push_back(shape);
    }
    run.plan(wanted.size() * plan.inputs_a_shape);
    for (const uint64_t shape : wanted) {
      if (monitor.stopped()) break;
      std::vector<uint64_t> indices;
      for (uint64_t k = 0; k < plan.inputs_a_shape; ++k) indices.push_back(shape + k * n);
      VYRE_CHECK(run.run(indices, true));
    }
  }
  run.finish();
  return {};
}

Result<void> check_subgroups(backend::Backend& backend, const FamilyPlan& plan, uint64_t seed,
                             const Monitor& monitor, Verdict& verdict) {
  VYRE_TRY(usable, check_claims(backend, seed, monitor, verdict));
  // Without any, that all are refused is what there is to know.
  if (usable.none()) return {};
  return check_programs(backend, Family::Subgroups, plan, seed, monitor, verdict, usable);
}

}  // namespace

Verdict check_family(backend::Backend& backend, Family family, const FamilyPlan& plan, uint64_t seed,
                     const Monitor& monitor) {
  Verdict verdict;
  verdict.kind = SubjectKind::Family;
  verdict.subject = info(family).text;
  Result<void> result;
  switch (family) {
    case Family::Operators:
    case Family::Select:
    case Family::Casts: result = check_elementwise(backend, family, plan, seed, monitor, verdict); break;
    case Family::Atomics:
      result = check_elementwise(backend, family, plan, seed, monitor, verdict);
      if (result) result = check_programs(backend, family, plan, seed, monitor, verdict);
      break;
    case Family::Memory:
    case Family::Control:
    case Family::Loops:
    case Family::Barriers:
    case Family::Programs: result = check_programs(backend, family, plan, seed, monitor, verdict); break;
    case Family::Subgroups: result = check_subgroups(backend, plan, seed, monitor, verdict); break;
    case Family::Twins: return check_twins(backend, seed, monitor);
  }
  if (!result) verdict.error = text_of(result.error());
  return verdict;
}

}  // namespace vyre::verify
