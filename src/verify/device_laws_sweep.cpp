// Verdicts of sweeps: what a law on the device comes to, which case is the culprit when the device does not
// come back from it, and the planted-false laws.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "generate/shrink.h"
#include "verify/culprit.h"
#include "verify/device_laws.h"
#include "verify/families.h"
#include "verify/parity.h"
#include "verify/token.h"

namespace vyre::verify {
namespace {

using algebra::BoundLaw;

constexpr size_t kConfirmations = 2;  // beside the first look, before anything is attributed

/// Fewer instances where operations loop or branch: each takes hundreds of times as long.
uint64_t wanted_of(const DeviceLaw& law, uint64_t instances) {
  return law.branches() ? (instances + 255) / 256 : instances;
}

Result<Inspection> inspect(DeviceLaw& law, Inspector& inspector) {
  if (law.branches()) return Inspection{Inspected::NotInspected, "control flow in its operations"};
  const auto code = law.code();
  if (code) return inspector.inspect(law.law(), *code);
  if (code.error().code != DiagCode::B003) return std::unexpected(code.error());
  return Inspection{Inspected::NotInspected, code.error().message};  // too much of it to be shown
}

/// The instances of a sweep as cases: by invocation (source 0), and those of one invocation one by one
/// (source 1).
class SweepBench final : public Bench {
 public:
  SweepBench(backend::Backend& backend, DeviceLaw& law, Sweep sweep)
      : backend_(backend), law_(law), sweep_(std::move(sweep)) {}

  /// Source 1 is of this invocation from now on. How many instances it has.
  uint32_t open(uint32_t invocation) {
    const Sweep one = part_of(sweep_, invocation, 1);
    instances_ = one_by_one(one, one.first_chunk, one.start);
    return instances_.threads;
  }
  std::vector<uint32_t> values(uint32_t instance) const {
    std::vector<uint32_t> out(law_.law().variables.size());
    sweep_.values(instances_.first_chunk, instances_.start + instance, law_.law().variables, out);
    return out;
  }
  static Batch batch(uint32_t source, uint32_t first, uint32_t count) {
    Batch out;
    for (uint32_t k = 0; k < count; ++k) out.cases.push_back({source, first + k});
    return out;
  }

  Seen run(const Batch& batch) override {
    Seen seen;
    const std::span<const CaseId> cases(batch.cases);
    for (size_t i = 0; i < cases.size();) {  // consecutive ones together
      size_t n = 1;
      while (i + n < cases.size() && cases[i + n] == CaseId{cases[i].source, cases[i].number + n}) ++n;
      const Sweep& of = cases[i].source == 0 ? sweep_ : instances_;
      const auto done = law_.dispatch(part_of(of, uint32_t(cases[i].number), uint32_t(n)));
      if (!done) {
        seen.error = done.error();
        return seen;
      }
      i += n;
    }
    const auto drained = backend_.drain();
    if (!drained) seen.error = drained.error();
    return seen;
  }

 private:
  backend::Backend& backend_;
  DeviceLaw& law_;
  const Sweep sweep_;
  Sweep instances_;
};

/// The laws of one operation, one after the other.
class LawSweeps {
 public:
  LawSweeps(backend::Backend& backend, const ops::Operation& operation, const std::string& device,
            uint64_t instances, bool pairs, uint64_t seed, const Monitor& monitor, Verdict& verdict)
      : backend_(backend),
        operation_(operation),
        device_(device),
        instances_(instances),
        pairs_(pairs),
        seed_(seed),
        monitor_(monitor),
        verdict_(verdict),
        inspector_(backend, ops::op_table()),
        culprit_search_(backend, monitor) {}

  Result<void> run() {
    for (size_t number = 0; number < operation_.laws.size() && !monitor_.stopped(); ++number) {
      const auto bound = algebra::bind(operation_.laws[number], operation_);
      if (!bound) continue;  // the other engines have said so
      VYRE_CHECK(sweep(number, *bound));
    }
    // Once for all of them, since it takes a while.
    const auto drained = backend_.drain();
    if (drained || monitor_.stopped()) return {};
    if (!is_attributable(drained.error())) return drained;
    return look_for_late_write(drained.error());
  }

 private:
  bool is_attributable(const Diag& diag) const { return backend_.isolated() && is_of_a_case(diag); }

  Result<void> sweep(size_t number, const BoundLaw& bound) {
    const auto law = DeviceLaw::make(backend_, bound, inspector_.table());
    if (!law) return died(number, bound, nullptr, law.error());
    const auto found = check_law_on_device(**law, device_, instances_, seed_, monitor_, inspector_);
    if (monitor_.stopped()) return {};
    if (!found) return died(number, bound, law->get(), found.error());
    account(number, bound, *found);
    if (!pairs_ || !has_u16_pairs(bound)) return {};
    const auto all = exhaust_u16_on_device(**law, device_, monitor_);
    if (monitor_.stopped()) return {};
    // The search looks among the instances of a random sweep: here the law as a whole is the culprit.
    if (!all) return died(number, bound, nullptr, all.error());
    account(number, bound, *all);
    return {};
  }

  void account(size_t number, const BoundLaw& bound, const DeviceLawVerdict& found) {
    ++verdict_.dispatches;  // of a sweep: how many slices it was cut into depends on how fast the device was
    verdict_.laws.at(number).evidence.push_back(found.evidence);
    if (!found.evidence.holds) fails(number, bound, found);
  }

  Failure failure_at(size_t number, std::vector<uint32_t> values) const {
    Failure out;
    out.check = Check::Law;
    out.oracle = verdict_.laws.at(number).law;
    out.token = print(Token{subject_of(operation_.id, operation_.version), "law", 0, number, values});
    out.input = std::move(values);
    out.fault = Fault::Law;
    return out;
  }

  void fails(size_t number, const BoundLaw& bound, const DeviceLawVerdict& found) {
    // Replay wants values: those of a wrong sample, or zeros where nothing was run.
    std::vector<uint32_t> values = found.counterexample.value_or(found.counts.wrong_values);
    values.resize(bound.variables.size());
    Failure failure = failure_at(number, std::move(values));
    if (found.counterexample) failure.minimality = Minimality::Shrunk;
    const std::string doubt = found.counts.doubt();
    if (!doubt.empty()) {
      failure.note = fmt::format("the law's program on {}: {}", device_, doubt);
    } else if (found.counts.failures > 0) {
      failure.note = fmt::format("{} does not hold on {}: {} of {} instances fail",
                                 spec::info(operation_.laws[number].kind).statement, device_,
                                 found.counts.failures, found.counts.instances);
    } else {
      failure.note =
          fmt::format("the law's program on {} lacks applications: {}", device_, found.inspection.reason);
    }
    add_failure(verdict_, std::move(failure));
  }

  /// The backend did not come back from a law, or did not make anything of it.
  Result<void> died(size_t number, const BoundLaw& bound, DeviceLaw* law, const Diag& error) {
    if (!is_attributable(error)) return std::unexpected(error);
    if (monitor_.stopped()) return {};
    verdict_.laws.at(number).evidence.push_back(
        {device_, fmt::format("none: {}", diag_info(error.code).title), 0, false});
    if (verdict_.failures.size() >= kKeptFailures) {
      ++verdict_.failure_count;
      return culprit_search_.restart();
    }
    if (law != nullptr && law->interrupted()) return attribute(number, *law, error);
    VYRE_TRY(fault, confirmed(bound, error));
    Failure failure = failure_at(number, std::vector<uint32_t>(bound.variables.size()));
    failure.fault = fault;
    failure.note = "the law's program, at no instance of it: " + error.message;
    add_failure(verdict_, std::move(failure));
    return culprit_search_.restart();
  }

  Result<Fault> confirmed(const BoundLaw& bound, const Diag& error) {
    for (size_t k = 0; k < kConfirmations; ++k) {
      VYRE_CHECK(culprit_search_.restart());
      const auto law = DeviceLaw::make(backend_, bound, inspector_.table());
      if (law && check_law_on_device(**law, device_, instances_, seed_, monitor_, inspector_))
        return Fault::Flaky;
    }
    return fault_of(error);
  }

  /// Finds the instance that a sweep broke off at.
  Result<void> attribute(size_t number, DeviceLaw& law, const Diag& error) {
    const DeviceLaw::Interrupted at = *law.interrupted();
    std::vector<Batch> history;
    uint32_t first = at.first - std::accumulate(at.before.begin(), at.before.end(), 0u);
    for (const uint32_t count : at.before) {
      history.push_back(SweepBench::batch(0, first, count));
      first += count;
    }
    return attribute(number, law, history, SweepBench::batch(0, at.first, at.count), {error, 0, {}});
  }

  Result<void> attribute(size_t number, DeviceLaw& law, std::span<const Batch> history, const Batch& batch,
                         const Seen& seen) {
    SweepBench bench(backend_, law, random_sweep(law, wanted_of(law, instances_), seed_));
    VYRE_TRY(finding, culprit_search_.find(bench, history, batch, seen));
    const uint32_t count = bench.open(uint32_t(finding.culprit.number));
    std::vector<uint32_t> values = bench.values(0);
    std::string note = finding.note;
    if (finding.fault != Fault::Flaky && finding.fault != Fault::OrderDependent) {
      const Batch all = SweepBench::batch(1, 0, count);
      const Seen again = bench.run(all);
      if (again.bad()) {
        VYRE_TRY(within, culprit_search_.find(bench, {}, all, again));
        if (within.fault == finding.fault) values = bench.values(uint32_t(within.culprit.number));
      } else {
        note =
            fmt::format("not alone: among {} instances of an invocation, of which this is the first", count);
      }
    }
    Failure failure = failure_at(number, std::move(values));
    failure.fault = finding.fault;
    failure.note = "in the law's own program";
    if (!note.empty()) failure.note += ": " + note;
    if (finding.seen.error && finding.fault != Fault::Flaky)
      failure.note += "\n" + finding.seen.error->message;
    add_failure(verdict_, std::move(failure));
    return {};
  }

  /// Something was written after all sweeps were answered. Each law again, and settled by itself.
  Result<void> look_for_late_write(const Diag& error) {
    for (size_t number = 0; number < operation_.laws.size() && !monitor_.stopped(); ++number) {
      const auto bound = algebra::bind(operation_.laws[number], operation_);
      if (!bound) continue;
      VYRE_CHECK(culprit_search_.restart());
      VYRE_TRY(law, DeviceLaw::make(backend_, *bound, inspector_.table()));
      const Sweep sweep = random_sweep(*law, wanted_of(*law, instances_), seed_);
      SweepBench bench(backend_, *law, sweep);
      const Batch whole = SweepBench::batch(0, 0, sweep.threads);
      const Seen seen = bench.run(whole);
      if (!seen.error) continue;
      if (!is_attributable(*seen.error)) return std::unexpected(*seen.error);
      return attribute(number, *law, {}, whole, seen);
    }
    Failure failure;
    failure.check = Check::Law;
    failure.fault = Fault::Flaky;
    failure.note =
        "once, after the laws' programs; when they were run again it did not come: " + error.message;
    add_failure(verdict_, std::move(failure));
    return {};
  }

  backend::Backend& backend_;
  const ops::Operation& operation_;
  const std::string& device_;
  const uint64_t instances_;
  const bool pairs_;
  const uint64_t seed_;
  const Monitor& monitor_;
  Verdict& verdict_;
  Inspector inspector_;
  CulpritSearch culprit_search_;
};

/// Values at which a sweep that counted failures has one, shrunk on the device.
Result<void> find_counterexample(DeviceLaw& law, const Sweep& sweep, DeviceLawVerdict& out) {
  if (!out.counts.first_chunk) return {};
  VYRE_TRY(found, law.find(sweep, *out.counts.first_chunk, *out.counts.first_start));
  if (!found) return {};
  std::optional<Diag> error;
  out.counterexample = generate::shrink(std::move(*found), [&](std::span<const uint32_t> values) {
    if (error) return false;
    const auto there = law.at(values);
    if (!there) error = there.error();
    return there.has_value() && there->failures != 0;
  });
  if (error) return std::unexpected(std::move(*error));
  return {};
}

}  // namespace

Result<DeviceLawVerdict> check_law_on_device(DeviceLaw& law, const std::string& device, uint64_t instances,
                                             uint64_t seed, const Monitor& monitor, Inspector& inspector) {
  VYRE_TRY(inspection, inspect(law, inspector));
  return sweep_law_on_device(law, device, instances, seed, monitor, std::move(inspection));
}

Result<DeviceLawVerdict> sweep_law_on_device(DeviceLaw& law, const std::string& device, uint64_t instances,
                                             uint64_t seed, const Monitor& monitor, Inspection inspection) {
  const uint64_t wanted = wanted_of(law, instances);
  const Sweep sweep = random_sweep(law, wanted, seed);
  DeviceLawVerdict out;
  out.inspection = std::move(inspection);
  VYRE_TRY(counts, law.run(sweep, monitor));
  out.counts = std::move(counts);
  const bool right = out.counts.doubt().empty() && out.counts.failures == 0 &&
                     out.counts.instances >= wanted && out.inspection.outcome != Inspected::Folded;
  const uint64_t checked = out.counts.completed - std::min(out.counts.completed, out.counts.canaries);
  out.evidence = {device, fmt::format("swept({}, {}, {})", out.counts.instances, seed, text(out.inspection)),
                  checked, right};
  VYRE_CHECK(find_counterexample(law, sweep, out));
  return out;
}

bool has_u16_pairs(const BoundLaw& law) {
  return law.variables.size() == 2 &&
         std::ranges::all_of(law.variables, [](spec::DataType t) { return t == spec::DataType::U32; });
}

Result<DeviceLawVerdict> exhaust_u16_on_device(DeviceLaw& law, const std::string& device,
                                               const Monitor& monitor) {
  const Sweep sweep = u16_sweep();
  DeviceLawVerdict out;
  VYRE_TRY(counts, law.run(sweep, monitor));
  out.counts = std::move(counts);
  const bool right = out.counts.doubt().empty() && out.counts.failures == 0 &&
                     out.counts.instances == sweep.threads * sweep.chunk_instances();
  out.evidence = {device, "exhausted(u16^2)", out.counts.completed, right};
  VYRE_CHECK(find_counterexample(law, sweep, out));
  return out;
}

Result<void> sweep_laws(backend::Backend& backend, const ops::Operation& operation, const std::string& device,
                        uint64_t instances, bool pairs, uint64_t seed, const Monitor& monitor,
                        Verdict& verdict) {
  return LawSweeps(backend, operation, device, instances, pairs, seed, monitor, verdict).run();
}

Result<std::string> check_law_at(backend::Backend& backend, const BoundLaw& law,
                                 std::span<const uint32_t> values, const spec::OpTable& table) {
  VYRE_TRY(compiled, DeviceLaw::make(backend, law, table));
  VYRE_TRY(counts, compiled->at(values));
  if (const std::string doubt = counts.doubt(); !doubt.empty()) return doubt;
  if (counts.failures != 0) return std::string("it fails");
  Inspector inspector(backend, table);
  VYRE_TRY(inspection, inspect(*compiled, inspector));
  return inspection.outcome == Inspected::Folded ? text(inspection) : std::string();
}

Result<std::vector<DevicePlantedVerdict>> check_planted_laws_on_device(
    backend::Backend& backend, uint32_t repetitions, uint32_t walks, uint64_t seed, const Monitor& monitor,
    std::span<const algebra::PlantedLaw> which) {
  std::vector<DevicePlantedVerdict> out;
  for (const algebra::PlantedLaw& planted : which) {
    const auto bound = algebra::bind(planted.law, *planted.operation, algebra::find_planted_operation);
    const size_t n = bound->variables.size();
    VYRE_TRY(law, DeviceLaw::make(backend, *bound, algebra::planted_table()));
    const auto compare = [&](std::string_view name, const SweepCounts& counts, uint64_t expected,
                             uint32_t sweeps) {
      out.push_back({&planted, std::string(name), counts.instances, expected, counts.failures,
                     counts.doubt().empty() && counts.failures == expected, counts.doubt(), sweeps});
    };
    VYRE_TRY(grid, law->run(grid_sweep(n, repetitions), monitor));
    compare("u8 grid", grid, planted.failures_on_words() * repetitions, 1);
    SweepCounts all;
    uint64_t expected = 0;
    for (uint32_t walk = 0; walk < walks; ++walk) {
      const Sweep sweep = walking_sweep(n, planted.walker, walk, seed);
      std::vector<uint32_t> others(n);
      sweep.values(walk, 0, bound->variables, others);
      expected += planted.walked(others);
      VYRE_TRY(counts, law->run(sweep, monitor));
      all.instances += counts.instances;
      all.completed += counts.completed;
      all.failures += counts.failures;
      all.samples_wrong += counts.samples_wrong;
    }
    if (walks > 0) compare("2^32 words", all, expected, walks);
  }
  return out;
}

}  // namespace vyre::verify
