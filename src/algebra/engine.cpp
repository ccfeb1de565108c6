#include "algebra/engine.h"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <mutex>

#include "generate/cases.h"
#include "generate/shrink.h"

namespace vyre::algebra {
namespace {

using generate::Cases;
using generate::Strategy;

constexpr std::string_view kVariableNames[] = {"a", "b", "c"};

std::string name_of(const ops::Operation& operation) {
  return fmt::format("{}@{}", operation.id, operation.version);
}

std::string assignment(std::span<const uint32_t> values) {
  std::string out;
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string value =
        values[i] < 65536 ? fmt::format("{}", values[i]) : fmt::format("0x{:08x}", values[i]);
    out += fmt::format("{}{}={}", i == 0 ? "" : ", ", kVariableNames[i], value);
  }
  return out;
}

/// Writes tuples first .. first + n - 1 of an engine, one column a variable.
using Fill = std::function<void(uint64_t first, size_t n, std::span<uint32_t* const> columns)>;

/// One law, one engine: runs all slices and gathers what failed.
class Sweep {
 public:
  Sweep(const BoundLaw& law, Evaluator& evaluator, Fill fill, uint64_t instances,
        const EngineOptions& options, size_t inner, const uint32_t* ready)
      : law_(law),
        evaluator_(evaluator),
        fill_(std::move(fill)),
        instances_(instances),
        options_(options),
        inner_(inner),
        ready_(ready) {}

  Result<EngineResult> run(Engine engine) {
    const uint64_t slice = std::max<uint64_t>(1, evaluator_.slice());
    const uint64_t slices = (instances_ + slice - 1) / slice;
    const auto one = [&](uint64_t s) {
      const uint64_t first = s * slice;
      run_slice(first, size_t(std::min(slice, instances_ - first)));
    };
    if (evaluator_.concurrent()) {
      tbb::parallel_for(uint64_t{0}, slices, one);
    } else {
      for (uint64_t s = 0; s < slices; ++s) one(s);
    }
    if (error_) return std::unexpected(std::move(*error_));
    return EngineResult{engine, done_, failures_, first_};
  }

 private:
  /// What one thread works with, kept from slice to slice.
  struct Bench {
    Bench(Evaluator& evaluator, size_t variables, size_t inner)
        : flow(evaluator, std::max<size_t>(1, evaluator.slice())), columns(variables) {
      flow.on_grid(inner);
      for (auto& column : columns) column.resize(std::max<size_t>(1, evaluator.slice()));
    }
    Flow flow;
    std::vector<std::vector<uint32_t>> columns;
  };

  bool stopped() const {
    return failed_.load(std::memory_order_relaxed) || (options_.stop != nullptr && options_.stop->load());
  }

  void run_slice(uint64_t first, size_t n) {
    if (stopped()) return;
    Bench& bench = benches_.local();
    std::vector<const uint32_t*> columns;
    if (ready_ != nullptr) {
      for (size_t v = 0; v < law_.variables.size(); ++v) columns.push_back(ready_ + v * instances_ + first);
    } else {
      std::vector<uint32_t*> fill;
      for (auto& column : bench.columns) fill.push_back(column.data());
      fill_(first, n, fill);
      columns.assign(fill.begin(), fill.end());
    }
    bench.flow.begin(columns, n);
    state(bench.flow, law_);
    auto holds = bench.flow.end();
    if (!holds) {
      const std::scoped_lock lock(mutex_);
      if (!error_) error_ = std::move(holds).error();
      failed_ = true;
      return;
    }
    note(*holds, columns);
    if (options_.progress) options_.progress(n);
  }

  void note(std::span<const uint8_t> holds, std::span<const uint32_t* const> columns) {
    uint64_t failures = 0;
    std::vector<uint32_t> best, tuple(columns.size());
    for (size_t i = 0; i < holds.size(); ++i) {
      if (holds[i] != 0) continue;
      ++failures;
      for (size_t v = 0; v < columns.size(); ++v) tuple[v] = columns[v][i];
      if (best.empty() || generate::simpler(tuple, best)) best = tuple;
    }
    const std::scoped_lock lock(mutex_);
    done_ += holds.size();
    failures_ += failures;
    if (failures > 0 && (first_.empty() || generate::simpler(best, first_))) first_ = best;
  }

  const BoundLaw& law_;
  Evaluator& evaluator_;
  const Fill fill_;
  const uint64_t instances_;
  const EngineOptions& options_;
  const size_t inner_;           // how many values each variable of a grid has; 0: no grid
  const uint32_t* const ready_;  // the tuples, column by column, where they were made before; else null
  tbb::enumerable_thread_specific<Bench> benches_{
      [this] { return Bench(evaluator_, law_.variables.size(), inner_); }};
  std::mutex mutex_;
  uint64_t done_ = 0;
  uint64_t failures_ = 0;
  std::vector<uint32_t> first_;
  std::optional<Diag> error_;
  std::atomic<bool> failed_ = false;
};

bool has_floats(const BoundLaw& law) {
  return std::ranges::any_of(law.variables, [](spec::DataType t) { return spec::kFloats.contains(t); });
}

bool is_of_integers(const BoundLaw& law) {
  return std::ranges::all_of(
      law.variables, [](spec::DataType t) { return t == spec::DataType::U32 || t == spec::DataType::I32; });
}

/// Every tuple whose words are all at most this is in the domain of an engine; 0: it says nothing. An 8-bit
/// format of floats has none of the patterns next to zero.
uint32_t covered_from_zero(const BoundLaw& law, Engine engine) {
  if (has_floats(law)) return 0;
  const bool is_signed = std::ranges::count(law.variables, spec::DataType::I32) != 0;
  switch (engine) {
    case Engine::ExhaustiveU8: return is_signed ? 127 : 255;
    case Engine::ExhaustiveU16: return is_signed ? 32767 : 65535;
    case Engine::Edge256:
    case Engine::Witnessed: return 0;
  }
  return 0;
}

/// Tuples of u16 in lexicographic order; a signed one extends its sign.
void fill_u16(const BoundLaw& law, uint64_t first, size_t n, std::span<uint32_t* const> columns) {
  for (size_t v = 0; v < columns.size(); ++v) {
    const size_t down = 16 * (columns.size() - 1 - v);
    const uint32_t sign = law.variables[v] == spec::DataType::I32 ? 0x8000 : 0;
    for (size_t i = 0; i < n; ++i) {
      const uint32_t word = uint32_t((first + i) >> down) & 0xffff;
      columns[v][i] = (word ^ sign) - sign;
    }
  }
}

bool is_whole_domain(const BoundLaw& law) {
  return std::ranges::all_of(law.variables, [](spec::DataType t) { return t == spec::DataType::Bool; });
}

Result<Counterexample> counterexample(const BoundLaw& law, std::span<const EngineResult> engines,
                                      Evaluator& evaluator) {
  std::vector<uint32_t> best;
  for (const EngineResult& engine : engines) {
    if (engine.failures == 0) continue;
    const uint32_t covered = covered_from_zero(law, engine.engine);
    if (covered > 0 && std::ranges::max(engine.first) <= covered) return Counterexample{engine.first, true};
    if (best.empty() || generate::simpler(engine.first, best)) best = engine.first;
  }
  std::optional<Diag> error;
  const auto fails = [&](std::span<const uint32_t> values) {
    if (error) return false;
    const Result<bool> holds = holds_at(law, values, evaluator);
    if (!holds) error = holds.error();
    return holds.has_value() && !*holds;
  };
  best = generate::shrink(std::move(best), fails);
  if (error) return std::unexpected(std::move(*error));
  return Counterexample{std::move(best), false};
}

std::string evidence(const BoundLaw& law, std::span<const EngineResult> engines, uint64_t seed) {
  std::string out;
  const size_t n = law.variables.size();
  const std::string power = n == 1 ? "" : fmt::format("^{}", n);
  for (const EngineResult& engine : engines) {
    if (engine.instances == 0) continue;
    if (!out.empty()) out += ' ';
    switch (engine.engine) {
      case Engine::ExhaustiveU8:
        out += is_whole_domain(law) ? std::string("proved")
                                    : fmt::format("exhausted({}{})", exhausted_domain(law), power);
        break;
      case Engine::ExhaustiveU16: out += fmt::format("exhausted(u16{})", power); break;
      case Engine::Edge256: out += fmt::format("exhausted(edge256{})", power); break;
      case Engine::Witnessed: out += fmt::format("witnessed({}, seed {})", engine.instances, seed); break;
    }
  }
  return out;
}

/// How many values each variable has on a grid where all have as many; 0 elsewhere.
size_t grid_of(const BoundLaw& law) {
  const bool words = std::ranges::count(law.variables, spec::DataType::Bool) == 0;
  return words && law.variables.size() > 1 ? 256 : 0;
}

/// The first tuples of cases, column by column.
void fill_columns(const Fill& fill, size_t variables, uint64_t instances, std::vector<uint32_t>& out) {
  constexpr uint64_t kPart = 1 << 16;
  out.resize(variables * instances);
  tbb::parallel_for(uint64_t{0}, (instances + kPart - 1) / kPart, [&](uint64_t part) {
    const uint64_t first = part * kPart;
    std::vector<uint32_t*> columns;
    for (size_t v = 0; v < variables; ++v) columns.push_back(out.data() + v * instances + first);
    fill(first, size_t(std::min(kPart, instances - first)), columns);
  });
}

struct Plan {
  Engine engine;
  uint64_t instances;
  Fill fill;
  bool grid = false;
};

std::vector<Plan> planned(const BoundLaw& law, const std::string& stream, const EngineOptions& options) {
  std::vector<Plan> out;
  const auto add = [&](Engine engine, Strategy strategy, uint64_t limit, bool grid) {
    const Cases cases(stream, law.variables, strategy, options.seed);
    out.push_back({engine, std::min(cases.size(), limit),
                   [cases](uint64_t first, size_t n, std::span<uint32_t* const> columns) {
                     cases.fill(first, n, columns);
                   },
                   grid});
  };
  const size_t variables = law.variables.size();
  if (options.exhaustive_u8) add(Engine::ExhaustiveU8, Strategy::Exhaustive8, UINT64_MAX, true);
  if (variables <= std::min(options.exhaustive_u16, 2u) && is_of_integers(law)) {
    out.push_back({Engine::ExhaustiveU16, uint64_t{1} << (16 * variables),
                   [&law](uint64_t first, size_t n, std::span<uint32_t* const> columns) {
                     fill_u16(law, first, n, columns);
                   }});
  }
  if (options.edge256) add(Engine::Edge256, Strategy::Edge256, UINT64_MAX, true);
  if (options.witnessed > 0) add(Engine::Witnessed, Strategy::Random, options.witnessed, false);
  return out;
}

}  // namespace

std::string_view exhausted_domain(const BoundLaw& law) { return has_floats(law) ? "e5m2" : "u8"; }

std::string_view text(Engine engine) {
  constexpr std::array<std::string_view, kEngineCount> names = {"exhaustive-u8", "edge256", "witnessed",
                                                                "exhaustive-u16"};
  return names[size_t(engine)];
}

std::string_view text(Outcome outcome) {
  constexpr std::array<std::string_view, 4> names = {"verified", "refuted", "not applicable", "not verified"};
  return names[size_t(outcome)];
}

bool LawVerdict::combined() const {
  uint64_t exhausted = 0, sampled = 0;
  for (const EngineResult& e : engines) {
    if (e.engine == Engine::ExhaustiveU8) exhausted = e.instances;
    if (e.engine == Engine::Witnessed) sampled = e.instances;
  }
  return holds() && exhausted > 0 && sampled >= 1'000'000;
}

Result<LawVerdict> check_law(const spec::Law& law, const ops::Operation& operation, Evaluator& evaluator,
                             const EngineOptions& options, const Lookup& lookup) {
  LawVerdict verdict{law, name_of(operation), evaluator.subject(), Outcome::NotVerified, {}, {}, {}, {}, {}};
  const auto bound = bind(law, operation, lookup);
  if (!bound) {
    verdict.outcome = Outcome::NotApplicable;
    verdict.reason = bound.error();
    return verdict;
  }
  verdict.domain = exhausted_domain(*bound);
  const std::string stream = fmt::format("laws of {}", verdict.operation);
  bool complete = true, failed = false;
  for (const Plan& plan : planned(*bound, stream, options)) {
    const uint64_t instances = plan.instances;
    const uint32_t* ready = nullptr;
    if (plan.engine == Engine::Witnessed && options.witnesses != nullptr) {
      std::vector<uint32_t>& made = (*options.witnesses)[bound->variables];
      if (made.empty()) fill_columns(plan.fill, bound->variables.size(), instances, made);
      ready = made.data();
    }
    Sweep sweep(*bound, evaluator, plan.fill, instances, options, plan.grid ? grid_of(*bound) : 0, ready);
    VYRE_TRY(result, sweep.run(plan.engine));
    complete = complete && result.instances == instances && instances > 0;
    failed = failed || result.failures > 0;
    verdict.engines.push_back(std::move(result));
  }
  if (failed) {
    VYRE_TRY(found, counterexample(*bound, verdict.engines, evaluator));
    verdict.outcome = Outcome::Refuted;
    verdict.grade =
        fmt::format("refuted({}; {})", assignment(found.values), found.smallest ? "smallest" : "shrunk");
    verdict.counterexample = std::move(found);
  } else if (verdict.engines.empty()) {
    verdict.reason = "no engine was asked for, so no case was run";
  } else if (!complete) {
    verdict.reason = "the run was stopped before every case was done";
  } else {
    verdict.outcome = Outcome::Verified;
    verdict.grade = evidence(*bound, verdict.engines, options.seed);
  }
  return verdict;
}

Result<bool> holds_at(const BoundLaw& law, std::span<const uint32_t> values, Evaluator& evaluator) {
  std::array<const uint32_t*, generate::kMaxOperands> columns{};
  for (size_t i = 0; i < values.size(); ++i) columns[i] = &values[i];
  Flow flow(evaluator, 1);
  flow.begin(std::span(columns).first(values.size()), 1);
  state(flow, law);
  VYRE_TRY(holds, flow.end());
  return holds[0] != 0;
}

Result<DenialVerdict> check_denial(const spec::Denial& denial, const ops::Operation& operation,
                                   Evaluator& evaluator, const Lookup& lookup) {
  DenialVerdict verdict{
      denial.law, name_of(operation), evaluator.subject(), denial.witness, Outcome::NotVerified, {}, {}};
  const auto bound = bind(denial.law, operation, lookup);
  if (!bound) {
    verdict.outcome = Outcome::NotApplicable;
    verdict.reason = bound.error();
    return verdict;
  }
  if (denial.witness.size() != bound->variables.size()) {
    verdict.reason =
        fmt::format("{} ranges over {} values; the witness has {}", spec::info(denial.law.kind).name,
                    bound->variables.size(), denial.witness.size());
    return verdict;
  }
  VYRE_TRY(holds, holds_at(*bound, denial.witness, evaluator));
  if (holds) {
    verdict.outcome = Outcome::Verified;
    verdict.reason = fmt::format("the law holds at {}", assignment(denial.witness));
  } else {
    verdict.outcome = Outcome::Refuted;
    verdict.grade = fmt::format("refuted({})", assignment(denial.witness));
  }
  return verdict;
}

}  // namespace vyre::algebra
