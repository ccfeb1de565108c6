#include "verify/algebraic.h"

#include <fmt/format.h>

#include "algebra/twin.h"
#include "base/random.h"
#include "verify/families.h"
#include "verify/parity.h"
#include "verify/token.h"

namespace vyre::verify {
namespace {

constexpr uint64_t kPoisonStream = 0x6c617773;  // "laws": a stream of its own

std::string grade_of(const algebra::EngineResult& result, uint64_t seed) {
  switch (result.engine) {
    case algebra::Engine::ExhaustiveU8: return "exhausted(u8)";
    case algebra::Engine::Edge256: return "exhausted(edge256)";
    case algebra::Engine::Witnessed: return fmt::format("witnessed({}, {})", result.instances, seed);
  }
  return {};
}

std::string words(std::span<const uint32_t> values) {
  std::string out;
  for (const uint32_t v : values) out += fmt::format("{}{:#x}", out.empty() ? "" : ", ", v);
  return out;
}

void record(const algebra::LawVerdict& found, const std::string& subject, uint64_t seed, LawVerdict& law) {
  for (const algebra::EngineResult& engine : found.engines) {
    // An engine that was stopped early has seen no counterexample, and shows nothing by that.
    const bool whole = found.outcome != algebra::Outcome::NotVerified;
    law.evidence.push_back(
        {subject, grade_of(engine, seed), engine.instances, whole && engine.failures == 0});
  }
  if (found.engines.empty()) {
    law.evidence.push_back({subject, fmt::format("none: {}", found.reason), 0, false});
  }
}

}  // namespace

DeviceEvaluator::DeviceEvaluator(backend::Backend& backend, const spec::OpTable& table, uint64_t seed)
    : backend_(backend), table_(table), seed_(seed) {}

Result<void> DeviceEvaluator::apply(const ops::Operation& operation, std::span<const uint32_t* const> inputs,
                                    uint32_t* out, size_t n) {
  auto& pipeline = pipelines_[{operation.id, operation.version}];
  if (!pipeline) {
    VYRE_TRY(made, Elementwise::make(backend_, application_of(operation), table_));
    pipeline = std::move(made);
  }
  // The answers are not known here, so an element that nobody wrote holds a word that changes with every
  // dispatch: two sides of a law do not agree on it.
  const uint32_t poison = philox(seed_, ++applications_, kPoisonStream)[0];
  return pipeline->apply(inputs, {out, n}, poison);
}

void DeviceEvaluator::account(Verdict& verdict) const {
  for (const auto& [key, pipeline] : pipelines_) pipeline->account(verdict);
}

Result<void> check_laws(const ops::Operation& operation, DeviceEvaluator& evaluator,
                        const std::string& device, uint64_t witnessed, uint64_t seed, const Monitor& monitor,
                        Verdict& verdict) {
  algebra::SpecEvaluator spec_evaluator;
  const std::string name = subject_of(operation.id, operation.version);
  algebra::EngineOptions options;
  options.witnessed = witnessed;
  options.seed = seed;
  options.stop = monitor.stop;
  options.progress = monitor.progress;

  const std::pair<algebra::Evaluator*, std::string> subjects[] = {{&spec_evaluator, "spec"},
                                                                  {&evaluator, device}};
  for (size_t number = 0; number < operation.laws.size(); ++number) {
    LawVerdict law{spec::to_string(operation.laws[number]), true, {}};
    for (const auto& [subject, label] : subjects) {
      VYRE_TRY(found, algebra::check_law(operation.laws[number], operation, *subject, options));
      if (monitor.stopped()) return {};
      record(found, label, seed, law);
      if (!found.counterexample) continue;
      add_failure(verdict, {Check::Law,
                            law.law,
                            found.counterexample->smallest ? Minimality::Smallest : Minimality::Shrunk,
                            found.counterexample->values,
                            {},
                            {},
                            fmt::format("{} does not hold on {}",
                                        spec::info(operation.laws[number].kind).statement, label),
                            print(Token{name, "law", 0, number, found.counterexample->values})});
    }
    verdict.laws.push_back(std::move(law));
  }
  for (size_t number = 0; number < operation.denied.size(); ++number) {
    const spec::Denial& denial = operation.denied[number];
    LawVerdict law{spec::to_string(denial.law), false, {}};
    for (const auto& [subject, label] : subjects) {
      VYRE_TRY(found, algebra::check_denial(denial, operation, *subject));
      law.evidence.push_back(
          {label, fmt::format("refuted({})", words(denial.witness)), 1, found.confirmed()});
      if (found.confirmed()) continue;
      add_failure(verdict, {Check::Law,
                            "not " + law.law,
                            Minimality::Found,
                            denial.witness,
                            {},
                            {},
                            fmt::format("the witness of the denial does not refute it on {}", label),
                            print(Token{name, "law", 0, operation.laws.size() + number, denial.witness})});
    }
    verdict.laws.push_back(std::move(law));
  }
  return {};
}

Verdict check_twins(backend::Backend& backend, uint64_t seed, const Monitor& monitor) {
  Verdict verdict;
  verdict.kind = SubjectKind::Family;
  verdict.subject = info(Family::Twins).text;
  DeviceEvaluator device(backend, algebra::twin_table(), seed);
  algebra::SpecEvaluator definition;
  Tally tally;
  Hasher all;
  // The device runs them twice: what it says of them must not change either.
  algebra::Evaluator* const subjects[] = {&definition, &device, &device};
  std::vector<std::string> first_said;
  const size_t count = algebra::twins().size();
  verdict.determinism.planned = count;
  for (size_t pass = 0; pass < std::size(subjects); ++pass) {
    algebra::Evaluator* const subject = subjects[pass];
    if (monitor.stopped()) return verdict;
    tally.planned += count;
    auto found = algebra::check_twins(*subject);
    if (!found) {
      verdict.error = fmt::format("{}: {}", diag_info(found.error().code).name, found.error().message);
      break;
    }
    for (const algebra::TwinVerdict& twin : *found) {
      ++tally.completed;
      all.update(spec::to_string(twin.twin->law));
      monitor.done(twin.twin->instances);
      if (pass == 1) first_said.push_back(twin.verdict.grade);
      if (pass == 2) {
        ++verdict.determinism.completed;
        verdict.determinism.failed += twin.verdict.grade != first_said[size_t(&twin - found->data())];
      }
      if (twin.caught) continue;
      ++tally.failed;
      add_failure(
          verdict,
          {Check::Law,
           "planted-false law",
           Minimality::Found,
           twin.twin->smallest,
           {},
           {},
           fmt::format("{} of {} on {} was to fail {} times: {}", spec::to_string(twin.twin->law),
                       twin.twin->operation->id, subject->subject(), twin.twin->failures, twin.verdict.grade),
           print(Token{verdict.subject, "program", seed, uint64_t(&twin - found->data()), {}})});
    }
  }
  verdict.parity.push_back({Oracle::Law, tally});
  verdict.pipeline = all.finish().hex();
  device.account(verdict);
  return verdict;
}

}  // namespace vyre::verify
