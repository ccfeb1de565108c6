#include "verify/algebraic.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "algebra/planted_law.h"
#include "base/random.h"
#include "verify/columns.h"
#include "verify/device_laws.h"
#include "verify/examine.h"
#include "verify/families.h"
#include "verify/leaves.h"
#include "verify/parity.h"
#include "verify/token.h"

namespace vyre::verify {
namespace {

constexpr uint32_t kPlantedRepetitions = 1;     // of the grid on the device
constexpr uint64_t kSharedWitnesses = 1 << 21;  // tuples that are kept for the other subject
constexpr uint64_t kLawPoison = 0x6c617773;     // "laws": a stream of its own

std::string grade_of(const algebra::EngineResult& result, std::string_view domain, uint64_t seed) {
  switch (result.engine) {
    case algebra::Engine::ExhaustiveU8: return fmt::format("exhausted({})", domain);
    case algebra::Engine::ExhaustiveU16: return "exhausted(u16)";
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
        {subject, grade_of(engine, found.domain, seed), engine.instances, whole && engine.failures == 0});
  }
  if (found.engines.empty()) {
    law.evidence.push_back({subject, fmt::format("none: {}", found.reason), 0, false});
  }
}

/// The bits that a poison of a result may have.
uint32_t poison_mask(spec::DataType output) { return spec::value_bits(output) == 16 ? 0xffff : UINT32_MAX; }

/// The elements of one application, by their positions.
class ApplicationBench final : public Bench {
 public:
  ApplicationBench(backend::Backend& backend, Elementwise& pipeline, std::span<const uint32_t* const> inputs,
                   uint64_t seed, spec::DataType output)
      : backend_(backend),
        pipeline_(pipeline),
        inputs_(inputs),
        seed_(seed),
        word_mask_(poison_mask(output)) {}

  Seen run(const Batch& batch) override {
    Columns columns(inputs_.size(), batch.cases.size());
    for (size_t i = 0; i < batch.cases.size(); ++i) columns.set(i, operands(batch.cases[i]));
    std::vector<uint32_t> out(batch.cases.size());
    Seen seen;
    const uint32_t poison = uint32_t(seed_) & word_mask_;
    auto done = apply_in_parts(pipeline_, columns.readable(), out, poison, seen.broken);
    if (done) done = backend_.drain();
    if (!done) seen.error = std::move(done).error();
    return seen;
  }
  std::vector<uint32_t> operands(CaseId id) const {
    std::vector<uint32_t> out;
    for (const uint32_t* column : inputs_) out.push_back(column[id.number]);
    return out;
  }

 private:
  backend::Backend& backend_;
  Elementwise& pipeline_;
  std::span<const uint32_t* const> inputs_;
  uint64_t seed_;
  uint32_t word_mask_;
};

}  // namespace

DeviceEvaluator::DeviceEvaluator(backend::Backend& backend, const spec::OpTable& table, uint64_t seed,
                                 const Monitor& monitor, Verdict& verdict)
    : backend_(backend),
      table_(table),
      seed_(seed),
      monitor_(monitor),
      verdict_(verdict),
      culprit_search_(backend, monitor) {}

Result<Elementwise*> DeviceEvaluator::pipeline_of(const ops::Operation& operation) {
  auto& pipeline = pipelines_[{operation.id, operation.version}];
  if (!pipeline) {
    auto made = Elementwise::make(backend_, application_of(operation), table_);
    if (!made) {
      pipelines_.erase({operation.id, operation.version});
      return std::unexpected(std::move(made).error());
    }
    pipeline = std::move(*made);
  }
  return pipeline.get();
}

Result<void> DeviceEvaluator::apply(const ops::Operation& operation, std::span<const uint32_t* const> inputs,
                                    uint32_t* out, size_t n) {
  VYRE_TRY(pipeline, pipeline_of(operation));
  // The answers are not known here, so an element that was not written holds a word that changes with every
  // dispatch: two sides of a law do not agree on it.
  const uint32_t poison =
      philox(seed_, ++applications_, kLawPoison)[0] & poison_mask(operation.signature.output);
  Seen seen;
  auto done = apply_in_parts(*pipeline, inputs, {out, n}, poison, seen.broken);
  if (done && careful_) done = backend_.drain();
  if (done && (seen.broken == 0 || !backend_.isolated())) return {};
  if (!done && (!backend_.isolated() || !is_of_a_case(done.error()))) return done;
  if (!done && !careful_ && fault_of(done.error()) == Fault::LateWrite) {
    wants_care_ = true;
    return done;
  }
  if (monitor_.stopped()) return {};
  if (!done) seen.error = done.error();
  VYRE_CHECK(report(operation, inputs, n, seen));
  return done ? Result<void>() : std::unexpected(*seen.error);
}

bool DeviceEvaluator::turn_careful() {
  careful_ = careful_ || wants_care_;
  return std::exchange(wants_care_, false);
}

Result<void> DeviceEvaluator::report(const ops::Operation& operation, std::span<const uint32_t* const> inputs,
                                     size_t n, const Seen& seen) {
  if (verdict_.failures.size() >= kKeptFailures) {
    ++verdict_.failure_count;
    return {};
  }
  VYRE_TRY(pipeline, pipeline_of(operation));
  ApplicationBench bench(backend_, *pipeline, inputs, seed_, operation.signature.output);
  Batch batch;
  for (size_t i = 0; i < n; ++i) batch.cases.push_back({0, i});
  VYRE_TRY(finding, culprit_search_.find(bench, {}, batch, seen));
  Failure failure;
  failure.check = Check::Law;
  failure.fault = finding.fault;
  failure.oracle = "an application of a law";
  failure.input = bench.operands(finding.culprit);
  failure.note = finding.note;
  if (finding.seen.error && finding.fault != Fault::Flaky) {
    failure.note += (failure.note.empty() ? "" : "\n") + finding.seen.error->message;
  }
  const std::string name = subject_of(operation.id, operation.version);
  const auto token_at = [&](CaseId id) { return print(Token{name, "operands", 0, 0, bench.operands(id)}); };
  failure.token = token_at(finding.culprit);
  if (finding.fault == Fault::OrderDependent) {
    for (const Batch& dispatch : finding.scenario) {
      for (const CaseId id : dispatch.cases) {
        if (id != finding.culprit && failure.history.size() < kKeptHistory)
          failure.history.push_back(token_at(id));
      }
    }
  }
  const bool known = std::ranges::any_of(verdict_.failures, [&](const Failure& f) {
    return f.fault == failure.fault && f.input == failure.input;
  });
  if (known) {
    ++verdict_.failure_count;  // once is enough to say it
  } else {
    add_failure(verdict_, std::move(failure));
  }
  return {};
}

void DeviceEvaluator::account() {
  for (const auto& [key, pipeline] : pipelines_) pipeline->account(verdict_);
}

/// Checks one law on one subject. What ends in the middle because of one case, which is in the verdict then,
/// is evidence of nothing. Errors: what ends the operation.
template <typename Found, typename Check>
Result<std::optional<Found>> on_subject(DeviceEvaluator& device, bool on_device, const std::string& label,
                                        LawVerdict& law, Check&& check) {
  for (;;) {
    auto found = check();
    if (found) return std::optional<Found>(std::move(*found));
    if (!on_device || !is_of_a_case(found.error())) return std::unexpected(found.error());
    VYRE_CHECK(device.restart());
    if (device.turn_careful()) continue;
    law.evidence.push_back({label, fmt::format("none: {}", diag_info(found.error().code).title), 0, false});
    return std::nullopt;
  }
}

/// Whether a law fails at its counterexample when nothing else runs, or by chance or company alone.
Result<Fault> fault_of_law(const spec::Law& law, const ops::Operation& operation,
                           const algebra::Counterexample& counterexample, DeviceEvaluator& device) {
  const auto bound = algebra::bind(law, operation);
  if (!bound) return Fault::Law;
  VYRE_CHECK(device.restart());
  const auto holds = algebra::holds_at(*bound, counterexample.values, device);
  if (!holds && !is_of_a_case(holds.error())) return std::unexpected(holds.error());
  return holds && *holds ? Fault::Flaky : Fault::Law;
}

Result<void> check_laws(const ops::Operation& operation, DeviceEvaluator& evaluator,
                        const std::string& device, uint64_t witnessed, uint64_t seed, const Monitor& monitor,
                        Verdict& verdict) {
  algebra::SpecEvaluator spec_evaluator;
  const std::string name = subject_of(operation.id, operation.version);
  algebra::EngineOptions options;
  options.exhaustive_u16 = 1;  // pairs are the sweeps' at strength full
  options.witnessed = witnessed;
  options.seed = seed;
  options.stop = monitor.stop;
  options.progress = monitor.progress;

  const std::pair<algebra::Evaluator*, std::string> subjects[] = {{&spec_evaluator, "spec"},
                                                                  {&evaluator, device}};
  // All laws, and both subjects, are tried on the same tuples. Of very many each makes its own: memory has a
  // bound.
  algebra::Witnesses witnesses;
  options.witnesses = witnessed <= kSharedWitnesses ? &witnesses : nullptr;
  for (size_t number = 0; number < operation.laws.size(); ++number) {
    LawVerdict law{spec::to_string(operation.laws[number]), true, {}};
    for (const auto& [subject, label] : subjects) {
      VYRE_TRY(result, on_subject<algebra::LawVerdict>(evaluator, subject == &evaluator, label, law, [&] {
                 return algebra::check_law(operation.laws[number], operation, *subject, options);
               }));
      if (monitor.stopped()) return {};
      if (!result) continue;
      const algebra::LawVerdict& found = *result;
      record(found, label, seed, law);
      if (!found.counterexample) continue;
      VYRE_TRY(fault, fault_of_law(operation.laws[number], operation, *found.counterexample, evaluator));
      std::string note =
          fmt::format("{} does not hold on {}", spec::info(operation.laws[number].kind).statement, label);
      if (fault == Fault::Flaky && subject == &evaluator) {
        // The same instances once more: chance strikes another one.
        VYRE_TRY(again, algebra::check_law(operation.laws[number], operation, *subject, options));
        if (again.counterexample && again.counterexample->values == found.counterexample->values) {
          fault = Fault::OrderDependent;
          note += "\nonly among other instances of it, and then again";
        }
      }
      add_failure(verdict, {Check::Law,
                            law.law,
                            found.counterexample->smallest ? Minimality::Smallest : Minimality::Shrunk,
                            found.counterexample->values,
                            {},
                            {},
                            std::move(note),
                            print(Token{name, "law", 0, number, found.counterexample->values}),
                            subject == &evaluator ? fault : Fault::Law});
    }
    verdict.laws.push_back(std::move(law));
  }
  for (size_t number = 0; number < operation.denied.size(); ++number) {
    const spec::Denial& denial = operation.denied[number];
    LawVerdict law{spec::to_string(denial.law), false, {}};
    for (const auto& [subject, label] : subjects) {
      VYRE_TRY(result, on_subject<algebra::DenialVerdict>(evaluator, subject == &evaluator, label, law, [&] {
                 return algebra::check_denial(denial, operation, *subject);
               }));
      if (!result) continue;
      const algebra::DenialVerdict& found = *result;
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
                            print(Token{name, "law", 0, operation.laws.size() + number, denial.witness}),
                            Fault::Law});
    }
    verdict.laws.push_back(std::move(law));
  }
  return {};
}

std::span<const algebra::PlantedLaw> planted_laws_of(std::optional<Track> track) {
  if (!track) return algebra::planted_laws();
  return *track == Track::Float ? algebra::float_planted_laws() : algebra::integer_planted_laws();
}

/// As a token names it.
uint64_t number_of(const algebra::PlantedLaw& planted) {
  return uint64_t(&planted - algebra::planted_laws().data());
}

/// The planted-false laws as programs that count on the device itself.
Result<void> count_planted_laws(backend::Backend& backend, std::span<const algebra::PlantedLaw> planted_laws,
                                uint64_t seed, const Monitor& monitor, Tally& tally, Verdict& verdict) {
  const size_t count = planted_laws.size();
  tally.planned += count;
  VYRE_TRY(found, check_planted_laws_on_device(backend, kPlantedRepetitions, 0, seed, monitor, planted_laws));
  for (size_t number = 0; number < found.size(); ++number) {
    const DevicePlantedVerdict& planted = found[number];
    ++tally.completed;
    verdict.dispatches += planted.dispatches;
    if (planted.exact) continue;
    ++tally.failed;
    Failure failure;
    failure.check = Check::Law;
    failure.oracle = "planted-false law";
    failure.input = planted.planted->smallest;
    failure.note =
        fmt::format("{} of {} as a program over the {} was to fail {} times in {}: {}",
                    spec::to_string(planted.planted->law), planted.planted->operation->id, planted.sweep,
                    planted.expected, planted.instances,
                    planted.doubt.empty() ? fmt::format("{} times", planted.failures) : planted.doubt);
    failure.token = print(Token{verdict.subject, "program", seed, number_of(*planted.planted), {}});
    failure.fault = Fault::Law;
    add_failure(verdict, std::move(failure));
  }
  return {};
}

Verdict check_planted_laws(backend::Backend& backend, uint64_t seed, const Monitor& monitor,
                           std::optional<Track> track) {
  Verdict verdict;
  verdict.kind = SubjectKind::Family;
  verdict.subject = info(Family::PlantedLaws).text;
  verdict.track = track.value_or(Track::Integer);
  const std::span<const algebra::PlantedLaw> planted_laws = planted_laws_of(track);
  DeviceEvaluator device(backend, algebra::planted_table(), seed, monitor, verdict);
  algebra::SpecEvaluator definition;
  Tally tally;
  Hasher all;
  // The device runs them twice: what it says of them must not change either.
  algebra::Evaluator* const subjects[] = {&definition, &device, &device};
  std::vector<std::string> first_said;
  const size_t count = planted_laws.size();
  verdict.determinism.planned = count;
  for (size_t pass = 0; pass < std::size(subjects); ++pass) {
    algebra::Evaluator* const subject = subjects[pass];
    if (monitor.stopped()) return verdict;
    tally.planned += count;
    auto found = algebra::check_planted_laws(*subject, planted_laws);
    if (!found) {
      verdict.error = fmt::format("{}: {}", diag_info(found.error().code).name, found.error().message);
      break;
    }
    for (const algebra::PlantedVerdict& planted : *found) {
      ++tally.completed;
      all.update(spec::to_string(planted.planted->law));
      monitor.done(planted.planted->instances);
      if (pass == 1) first_said.push_back(planted.verdict.grade);
      if (pass == 2) {
        ++verdict.determinism.completed;
        verdict.determinism.failed += planted.verdict.grade != first_said[size_t(&planted - found->data())];
      }
      if (planted.caught) continue;
      ++tally.failed;
      add_failure(verdict, {Check::Law,
                            "planted-false law",
                            Minimality::Found,
                            planted.planted->smallest,
                            {},
                            {},
                            fmt::format("{} of {} on {} was to fail {} times: {}",
                                        spec::to_string(planted.planted->law), planted.planted->operation->id,
                                        subject->subject(), planted.planted->failures, planted.verdict.grade),
                            print(Token{verdict.subject, "program", seed, number_of(*planted.planted), {}}),
                            Fault::Law});
    }
  }
  if (verdict.error.empty() && !monitor.stopped()) {
    auto counted = count_planted_laws(backend, planted_laws, seed, monitor, tally, verdict);
    if (counted) counted = backend.drain();
    if (!counted) {
      verdict.error = fmt::format("{}: {}", diag_info(counted.error().code).name, counted.error().message);
    }
  }
  verdict.parity.push_back({Oracle::Law, tally});
  LeafWriter(verdict, Oracle::Law).add("twins", tally);
  verdict.pipeline = all.finish().hex().substr(0, kDigestDigits);
  device.account();
  return verdict;
}

}  // namespace vyre::verify
