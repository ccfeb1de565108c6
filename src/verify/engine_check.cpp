#include "verify/engine_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "ops/operation.h"
#include "verify/buffer_operation.h"
#include "verify/culprit.h"
#include "verify/leaves.h"
#include "verify/parity.h"
#include "verify/section.h"
#include "wire/wire.h"

namespace vyre::verify {
namespace {

using library::Invariant;
using opspec::Buffers;

constexpr ptrdiff_t kShrunkFailures = 2;  // of a promise
constexpr std::string_view kCases = "cases";

template <typename T>
std::optional<T> number(std::string_view digits) {
  T value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> out;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(by, at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

Bytes bytes_of(const Buffers& buffers) {
  Bytes out;
  for (const opspec::Buffer& buffer : buffers) out.insert(out.end(), buffer.begin(), buffer.end());
  return out;
}

/// The judging of one engine under way.
class EngineCheck {
 public:
  EngineCheck(backend::Backend& backend, EngineJudge& judge, const EnginePlan& plan, uint64_t seed,
              const Monitor& monitor, Verdict& verdict, const generate::GeneratedEngine* generated = nullptr)
      : backend_(backend),
        judge_(judge),
        plan_(plan),
        seed_(seed),
        monitor_(monitor),
        verdict_(verdict),
        generated_(generated) {}

  /// So many cases of a promise. What broke it may be another thing in the next run, so that has no digest.
  /// Errors: those that end the subject.
  Result<void> promise(Invariant invariant, uint64_t cases, LeafWriter& leaves) {
    const auto known =
        std::ranges::find(verdict_.invariants, library::text(invariant), &InvariantVerdict::invariant);
    if (known == verdict_.invariants.end())
      verdict_.invariants.push_back(
          {std::string(library::text(invariant)), judge_.evidence(invariant, generated_ == nullptr), {}});
    Tally tally{.planned = cases};
    Result<void> done;
    for (uint64_t number = 0; number < cases && done && !monitor_.stopped(); ++number)
      done = one(invariant, number, tally, leaves);
    add(std::ranges::find(verdict_.invariants, library::text(invariant), &InvariantVerdict::invariant)->cases,
        tally);
    return done;
  }

  /// All bytes against the composed references; each case is run twice.
  Result<void> bytes(uint64_t cases, LeafWriter& leaves) {
    Tally& sum = oracle_cases(verdict_, Oracle::CpuReference).tally;
    sum.planned += cases;
    verdict_.determinism.planned += cases;
    for (uint64_t number = 0; number < cases && !monitor_.stopped(); ++number) {
      const Buffers input = judge_.make_case(std::nullopt, seed_, number);
      Buffers left, again;
      auto difference = judge_.judge_bytes(input, &left);
      if (difference) {
        auto second = judge_.judge_bytes(input, &again);
        if (!second) difference = std::move(second);
      }
      monitor_.done(2);
      VYRE_TRY(what, attributed(std::move(difference)));
      Tally tally{1, 1, what.has_value()};
      Tally& all = oracle_cases(verdict_, Oracle::CpuReference).tally;
      all.completed += 1;
      all.failed += tally.failed;
      leaves.add(kCases, tally, bytes_of(left));
      verdict_.determinism.completed += 1;
      if (what) {
        list_failing(verdict_, fmt::format("{}:{}", verdict_.subject, print(strategy_of({}, {}))), number, 1);
        VYRE_CHECK(examine(std::nullopt, number, std::nullopt, input, {*what, {}}));
      } else if (left != again) {
        verdict_.determinism.failed += 1;
        failed(std::nullopt, number, std::nullopt, {{"two equal runs give other bytes", {}}, input});
      }
    }
    return {};
  }

 private:
  static constexpr uint32_t kSmallSizes = 12;

  EngineStrategy strategy_of(std::optional<Invariant> invariant, std::optional<uint32_t> size) const {
    EngineStrategy out{invariant, {}, {}, size};
    if (generated_ != nullptr) out.engine = generated_->number;
    return out;
  }

  /// What a case shows where the run failed: an error that is the case's is what is broken.
  Result<std::optional<std::string>> attributed(Result<std::optional<std::string>> found) {
    if (found) return found;
    if (!backend_.isolated() || !is_of_a_case(found.error())) return found;
    VYRE_CHECK(backend_.restart());
    judge_.forget();
    return text_of(found.error());
  }

  Result<void> one(Invariant invariant, uint64_t number, Tally& tally, LeafWriter& leaves) {
    // Runs on the interpreter are of small cases.
    const bool thorough = invariant == Invariant::Deterministic && is_thorough(number);
    const uint64_t turn = generated_ == nullptr ? number : generated_->number;
    const auto size = thorough ? std::optional(kSmallSizes - uint32_t(turn % kSmallSizes)) : std::nullopt;
    const Buffers input = judge_.make_case(invariant, seed_, number, size);
    auto found = judge_.judge(invariant, input, thorough);
    monitor_.done(1);
    ++tally.completed;
    if (found && !*found) {
      leaves.add(library::text(invariant), {1, 1}, bytes_of(judge_.left()));
      return {};
    }
    leaves.add(library::text(invariant), {1, 1, 1});
    if (!found) {
      VYRE_TRY(why, attributed(std::unexpected(found.error())));
      ++tally.failed;
      failed(invariant, number, size, {{why.value_or(""), {}}, input});
      return {};
    }
    ++tally.failed;
    return examine(invariant, number, size, input, std::move(**found));
  }

  /// What a case came down to.
  struct Small {
    Violation violation;
    Buffers input;
    std::optional<std::pair<uint32_t, uint64_t>> size_and_number = std::nullopt;
    std::optional<generate::GeneratedEngine> engine = std::nullopt;  // with fewer stages
  };

  Result<void> shrink(EngineJudge& judge, std::optional<Invariant> invariant, Small& small) {
    VYRE_TRY(found, judge.shrink(invariant, small.input, small.violation, seed_));
    small.input = std::move(found.input);
    small.violation = std::move(found.violation);
    small.size_and_number = found.size_and_number;
    return {};
  }

  /// Makes a case smaller that fails, and reports it.
  Result<void> examine(std::optional<Invariant> invariant, uint64_t number, std::optional<uint32_t> size,
                       const Buffers& input, Violation violation) {
    const auto same = [&](const Failure& failure) {
      return failure.oracle == (invariant ? library::text(*invariant) : text(Oracle::CpuReference));
    };
    if (std::ranges::count_if(verdict_.failures, same) >= kShrunkFailures) {
      ++verdict_.failure_count;
      return {};
    }
    Small small{std::move(violation), input};
    const auto smaller = [&]() -> Result<void> {
      if (generated_ == nullptr) return shrink(judge_, invariant, small);
      // Of the last engine that was tried.
      std::optional<EngineJudge> judge;
      const auto fails = [&](const generate::GeneratedEngine& engine, const Buffers& candidate) {
        if (monitor_.stopped()) return false;
        if (!judge || judge->model().id != engine.strategy()) {
          auto made = EngineJudge::make(backend_, model_of(engine));
          if (!made) return false;
          judge.emplace(std::move(*made));
        }
        const auto found = judge->judge(invariant, candidate, false);
        return found && *found;
      };
      generate::ShrunkEngine found = generate::shrink_engine(*generated_, input, fails);
      if (!fails(found.engine, found.input)) return {};
      small.engine = std::move(found.engine);
      small.input = std::move(found.input);
      return shrink(*judge, invariant, small);
    };
    // Where making it smaller fails, it is reported as it is.
    if (const auto done = smaller(); !done) VYRE_CHECK(attributed(std::unexpected(done.error())));
    failed(invariant, number, size, small);
    return {};
  }

  /// Of a generated engine some are: a chain in so many as there are schedules.
  bool is_thorough(uint64_t number) const {
    if (generated_ == nullptr) return number < plan_.schedules;
    const uint64_t every = std::max<uint64_t>(1, plan_.chains / std::max<uint64_t>(1, plan_.schedules));
    return number == 0 && plan_.schedules != 0 && generated_->number % every == 0;
  }

  void failed(std::optional<Invariant> invariant, uint64_t number, std::optional<uint32_t> size,
              const Small& small) {
    Failure failure;
    failure.check = invariant ? Check::Invariant : Check::Parity;
    failure.fault = invariant ? Fault::Invariant : Fault::WrongValue;
    failure.oracle = invariant ? library::text(*invariant) : text(Oracle::CpuReference);
    EngineStrategy strategy = strategy_of(invariant, size);
    Token token{verdict_.subject, print(strategy), seed_, number, {}};
    if (small.size_and_number) {
      failure.minimality = Minimality::Shrunk;
      failure.note = fmt::format("found as {}\n", print(token));
      if (small.engine) strategy.stages = small.engine->kept;
      strategy.size = small.size_and_number->first;
      token = {verdict_.subject, print(strategy), seed_, small.size_and_number->second, {}};
    }
    failure.note += small.violation.what + "\n";
    if (!small.violation.stage.empty()) failure.note += fmt::format("stage: {}\n", small.violation.stage);
    if (generated_ != nullptr)
      failure.note += fmt::format("stages: {}\n",
                                  fmt::join(small.engine ? small.engine->stages : generated_->stages, ", "));
    failure.note += verify::shown(judge_.pipeline(), small.input);
    failure.token = print(token);
    ++verdict_.failure_count;
    keep(verdict_, std::move(failure));
  }

  backend::Backend& backend_;
  EngineJudge& judge_;
  const EnginePlan& plan_;
  const uint64_t seed_;
  const Monitor& monitor_;
  Verdict& verdict_;
  const generate::GeneratedEngine* generated_;
};

void take_counts(Verdict& verdict, const EngineJudge& judge) {
  verdict.dispatches += judge.dispatches();
  verdict.canaries += judge.guard_words();
  verdict.canaries_broken += judge.broken();
}

}  // namespace

std::string print(const EngineStrategy& strategy) {
  std::string out(strategy.invariant ? library::text(*strategy.invariant) : kCases);
  if (strategy.engine) out += fmt::format("-{}", *strategy.engine);
  if (strategy.stages) out += fmt::format("-k{}", fmt::join(*strategy.stages, "."));
  if (strategy.size) out += fmt::format("-n{}", *strategy.size);
  return out;
}

std::optional<EngineStrategy> parse_engine_strategy(std::string_view text) {
  EngineStrategy out;
  const auto parts = split(text, '-');
  if (parts[0] != kCases) {
    const auto known = std::ranges::find(library::kInvariants, parts[0],
                                         [](Invariant invariant) { return library::text(invariant); });
    if (known == library::kInvariants.end()) return std::nullopt;
    out.invariant = *known;
  }
  for (size_t k = 1; k < parts.size(); ++k) {
    const std::string_view part = parts[k];
    if (part.starts_with('n')) {
      out.size = number<uint32_t>(part.substr(1));
      if (!out.size) return std::nullopt;
    } else if (part.starts_with('k')) {
      out.stages.emplace();
      for (const std::string_view one : split(part.substr(1), '.')) {
        const auto stage = number<uint32_t>(one);
        if (!stage) return std::nullopt;
        out.stages->push_back(*stage);
      }
    } else {
      out.engine = number<uint64_t>(part);
      if (!out.engine) return std::nullopt;
    }
  }
  return out;
}

opspec::Buffers EngineCase::input(const EngineJudge& judge, const Token& token) const {
  return judge.make_case(strategy.invariant, token.seed, token.index, strategy.size);
}

Verdict check_promises(backend::Backend& backend, const library::Engine& engine, const EnginePlan& plan,
                       uint64_t seed, const Monitor& monitor, std::optional<std::span<const Leaf>> some) {
  Verdict verdict;
  verdict.kind = SubjectKind::Engine;
  verdict.subject = subject_of(engine.id, 1);
  const auto all = [&]() -> Result<void> {
    VYRE_CHECK(backend.restart());
    VYRE_TRY(judge, EngineJudge::make(backend, model_of(engine)));
    EngineCheck check(backend, judge, plan, seed, monitor, verdict);
    Result<void> done;
    uint64_t slice = 0;
    for (const Invariant invariant : library::kInvariants) {
      if (!engine.promises.has(invariant)) continue;
      LeafWriter leaves(verdict, Oracle::Property, slice);
      const bool wanted = !some || std::ranges::count(*some, slice, &Leaf::slice) != 0;
      if (wanted && done) done = check.promise(invariant, plan.cases, leaves);
      ++slice;
    }
    take_counts(verdict, judge);
    return done;
  };
  if (const auto done = all(); !done) verdict.error = text_of(done.error());
  return verdict;
}

std::string generated_digest(uint64_t seed, uint64_t engines) {
  Hasher texts;
  for (uint64_t k = 0; k < engines; ++k) texts.update(generate::make_generated_engine(seed, k).text);
  return texts.finish().hex();
}

size_t generated_units(const EnginePlan& plan) { return (plan.chains + kChainsAUnit - 1) / kChainsAUnit; }

Verdict check_generated_unit(backend::Backend& backend, const EnginePlan& plan, size_t unit, uint64_t seed,
                             const Monitor& monitor) {
  Verdict verdict;
  verdict.kind = SubjectKind::GeneratedEngines;
  verdict.subject = subject_of(kGeneratedEngines, 1);
  verdict.pipeline = generated_digest(seed, plan.chains).substr(0, kDigestDigits);
  const auto all = [&]() -> Result<void> {
    VYRE_CHECK(backend.restart());
    LeafWriter of_promises(verdict, Oracle::Property, unit), leaves(verdict, Oracle::CpuReference, unit);
    const uint64_t first = unit * kChainsAUnit;
    for (uint64_t k = first; k < std::min(first + kChainsAUnit, plan.chains) && !monitor.stopped(); ++k) {
      const generate::GeneratedEngine engine = generate::make_generated_engine(seed, k);
      VYRE_TRY(judge, EngineJudge::make(backend, model_of(engine)));
      EngineCheck check(backend, judge, plan, seed, monitor, verdict, &engine);
      auto done = check.bytes(plan.chain_cases, leaves);
      for (const Invariant invariant : library::kInvariants)
        if (done && engine.promises.has(invariant))
          done = check.promise(invariant, plan.chain_cases, of_promises);
      take_counts(verdict, judge);
      VYRE_CHECK(done);
    }
    return {};
  };
  if (const auto done = all(); !done) verdict.error = text_of(done.error());
  return verdict;
}

std::map<Invariant, uint64_t> generated_promises(const EnginePlan& plan, uint64_t seed) {
  std::map<Invariant, uint64_t> out;
  for (uint64_t k = 0; k < plan.chains; ++k) {
    const library::Promises promises = generate::make_generated_engine(seed, k).promises;
    for (const Invariant invariant : library::kInvariants)
      if (promises.has(invariant)) out[invariant] += plan.chain_cases;
  }
  return out;
}

std::optional<EngineCase> engine_case_of(const Token& token) {
  auto strategy = parse_engine_strategy(token.strategy);
  if (!strategy) return std::nullopt;
  const bool thorough = strategy->invariant == Invariant::Deterministic && strategy->size;
  if (token.subject == subject_of(kGeneratedEngines, 1)) {
    if (!strategy->engine) return std::nullopt;
    auto engine = generate::make_generated_engine(token.seed, *strategy->engine);
    if (strategy->stages) {
      for (size_t stage = engine.kept.size(); stage-- > 0;)
        if (std::ranges::count(*strategy->stages, engine.kept[stage]) == 0 && engine.kept.size() > 1)
          engine = generate::without_stage(engine, stage);
      if (engine.kept != *strategy->stages) return std::nullopt;
    }
    return EngineCase{model_of(engine), std::move(*strategy), thorough};
  }
  if (!strategy->invariant || strategy->engine || strategy->stages) return std::nullopt;
  for (const library::Engine& engine : library::engines())
    if (subject_of(engine.id, 1) == token.subject)
      return EngineCase{model_of(engine), std::move(*strategy), thorough};
  return std::nullopt;
}

}  // namespace vyre::verify
