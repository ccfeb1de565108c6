#include "suite/suite.h"

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "certify/fields.h"
#include "certify/run_report.h"
#include "state/state.h"
#include "suite/campaign.h"
#include "suite/cases.h"
#include "suite/merge.h"

namespace vyre::suite {
namespace {

using Clock = std::chrono::steady_clock;
using verify::Verdict;

class Tracker {
 public:
  Tracker(const Watch& watch, uint64_t expected, size_t subjects) : watch_(watch) {
    progress_.expected = expected;
    progress_.subjects = subjects;
  }
  void done(std::string_view subject, uint64_t evaluations, uint64_t work) {
    if (!watch_) return;
    const std::lock_guard lock(mutex_);
    progress_.subject = subject;
    progress_.done += evaluations;
    progress_.work += work;
    watch_(progress_);
  }
  /// A unit of a subject, of which `left` are left; `work` is what had been expected of it besides.
  void finished(std::string_view subject, size_t left, uint64_t work) {
    if (!watch_) return;
    const std::lock_guard lock(mutex_);
    progress_.subject = subject;
    progress_.subjects_done += left == 0;
    progress_.work += work;
    watch_(progress_);
  }

 private:
  const Watch& watch_;
  std::mutex mutex_;
  Progress progress_;
};

}  // namespace

Result<void> expect_complete(const certify::Certificate& certificate) {
  const auto refused = [](std::string message) {
    return std::unexpected(make_diag(DiagCode::C002, Span::none(), std::move(message),
                                     "certify again, and keep the whole file"));
  };
  VYRE_TRY(all, cases_of(certificate.selection, certificate.registry.is_approximate(),
                         certificate.family_selection));
  const CasePlan plan = case_plan(certificate.strength, certificate.seed);
  for (size_t k = 0; k < std::max(all.size(), certificate.verdicts.size()); ++k) {
    if (k >= certificate.verdicts.size())
      return refused(fmt::format("there is no verdict on {}", all[k]->subject()));
    const Verdict& verdict = certificate.verdicts[k];
    if (k >= all.size()) return refused(fmt::format("a verdict too many, on {}", verdict.subject));
    const Cases& cases = *all[k];
    if (verdict.subject != cases.subject() || verdict.kind != cases.kind() ||
        verdict.track != cases.track()) {
      return refused(
          fmt::format("where the verdict on {} of the {} track belongs is one on {} of the {} track",
                      cases.subject(), text(cases.track()), verdict.subject, text(verdict.track)));
    }
    // What stopped a subject may have stopped it before its laws; no level follows from such a verdict.
    if (!verdict.error.empty()) continue;
    if (std::string other = cases.other_than_planned(verdict, plan); !other.empty())
      return refused(std::move(other));
    std::vector<std::pair<std::string, bool>> found;
    for (const verify::LawVerdict& law : verdict.laws) found.emplace_back(law.law, law.claimed);
    if (found != cases.laws(plan))
      return refused(fmt::format("the laws are not those of {}", cases.subject()));
  }
  return {};
}

namespace {

/// Whether every case is in one of the counts. Errors: C024.
Result<void> expect_accounted(const certify::Certificate& certificate) {
  for (const Verdict& verdict : certificate.verdicts) {
    const uint64_t lost = certify::unaccounted(verdict);
    if (lost == 0) continue;
    return std::unexpected(make_diag(
        DiagCode::C024, Span::none(),
        fmt::format("{} cases of {} neither passed nor failed, so there is no certificate", lost,
                    verdict.subject),
        "this is a fault of the harness: run it again with --state in a new directory, and report it"));
  }
  return {};
}

/// Whether something is wrong in a verdict on a unit, or stopped it.
bool is_failed(const Verdict& verdict) { return verdict.failure_count != 0 || !verdict.error.empty(); }

/// A unit that is judged at once, and what came of it.
struct Work : CaseUnit {
  size_t subject = 0;  // its place in the certificate
  std::optional<Verdict> verdict = {};
  double seconds = 0;
};

/// Whether a plan for tests has the subject not among its families.
bool is_left_out(const Cases& cases, const Plan& plan) {
  const auto* family = verify::find_family(cases.subject());
  return plan.families && family != nullptr &&
         std::ranges::find(*plan.families, family->family) == plan.families->end();
}

/// The units of a plan, in the order of the certificate, and how far they are. The plan must outlive it.
class Agenda {
 public:
  static Result<std::unique_ptr<Agenda>> make(const Plan& plan, const Watch& watch,
                                              const std::atomic<bool>* stop) {
    VYRE_TRY(all, cases_of(plan.selection, plan.approximate, plan.family_selection));
    std::erase_if(all, [&](const auto& cases) { return is_left_out(*cases, plan); });
    return std::unique_ptr<Agenda>(new Agenda(std::move(all), plan, watch, stop));
  }

  /// Asks the backend who it is and takes up what is kept of the campaign, before anything is judged.
  /// Errors: those of asking for its use of floats and of opening the state.
  Result<void> begin(backend::Backend& backend) {
    const backend::Identity identity = backend.identity();
    VYRE_TRY(floats, backend.floats());
    identity_.vyre = identity.version;
    identity_.backend = identity.name;
    identity_.device = identity.device;
    identity_.driver = identity.driver;
    identity_.floats = floats.line();
    if (!plan_.state.empty()) {
      const state::Part part{text(plan_.shard), device_text(identity_)};
      VYRE_TRY(opened, state::State::open(plan_.state, key_of(plan_, identity_), {part}, plan_.today));
      state_.emplace(std::move(opened));
      VYRE_CHECK(take(state_->results()));
    }
    std::erase_if(order_, [&](size_t k) {
      return work_[k].verdict.has_value() || !belongs(work_[k].unit, plan_.shard);
    });
    return {};
  }

  /// Takes verdicts from results. Errors: C022 for one that is none.
  Result<void> take(const state::Results& results) {
    for (Work& work : work_) {
      const auto found = results.find(work.unit.id);
      if (found == results.end()) continue;
      auto verdict = certify::parse_verdict(found->second);
      if (!verdict) {
        return std::unexpected(
            make_diag(DiagCode::C022, Span::none(),
                      fmt::format("the result of {} is no verdict: {}", work.unit.id, verdict.error()),
                      "it was written by another version: begin a new state directory"));
      }
      work.verdict = std::move(*verdict);
      if (plan_.fail_fast && is_failed(*work.verdict)) failed_now_ = true;
      ++kept_;
    }
    return {};
  }

  std::vector<Unit> units() const {
    std::vector<Unit> out;
    for (const Work& work : work_) out.push_back(work.unit);
    return out;
  }
  void be(certify::Certificate identity) { identity_ = std::move(identity); }

  /// Judges one unit after the other until none is left, or the run is stopped. Any number of threads may
  /// pull at once.
  void pull(backend::Backend& backend) {
    for (size_t turn = next_++; turn < order_.size(); turn = next_++) {
      if (stopped()) return;
      Work& work = work_[order_[turn]];
      const std::string& subject = subjects_[work.subject]->subject();
      verify::Monitor monitor;
      monitor.stop = stop_;
      monitor.failed = &failed_now_;
      std::atomic<uint64_t> judged = 0;
      const auto work_of = [&](uint64_t n) {
        const double share = double(n) / double(std::max<uint64_t>(work.expected, 1));
        return uint64_t(double(work.cost) * std::min(1.0, share));
      };
      monitor.progress = [&](uint64_t n) {
        const uint64_t before = judged.fetch_add(n);
        tracker_->done(subject, n, work_of(before + n) - work_of(before));
      };
      const auto started = Clock::now();
      // A unit may wait for parallel work; isolation keeps its thread from starting another one meanwhile.
      std::optional<Verdict> verdict;
      tbb::this_task_arena::isolate([&] { verdict = work.judge(backend, monitor); });
      if (stopped() || !keep(work.unit, *verdict)) return;
      if (plan_.fail_fast && is_failed(*verdict)) failed_now_ = true;
      work.verdict = std::move(verdict);
      work.seconds = std::chrono::duration<double>(Clock::now() - started).count();
      tracker_->finished(subject, --left_[work.subject], work.cost - work_of(judged));
    }
  }

  /// Errors: C007; that of the state, when it did not keep a result.
  Result<Run> finish() {
    if (lost_) return std::unexpected(*lost_);
    if (interrupted()) {
      return std::unexpected(make_diag(
          DiagCode::C007, Span::none(), "the run was interrupted; no certificate is written",
          plan_.state.empty()
              ? "run it again; the same seed repeats the same cases"
              : fmt::format("run it again with --state {}, which has what was judged", plan_.state)));
    }
    Run out;
    out.total_seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    out.seconds.resize(subjects_.size());
    out.certificate = std::move(identity_);
    out.certificate.registry = certify::this_registry(plan_.approximate);
    out.certificate.strength = plan_.strength;
    out.certificate.seed = plan_.seed;
    out.certificate.selection = plan_.selection;
    out.certificate.family_selection = plan_.family_selection;
    out.kept = kept_;
    out.day = state_ ? state_->begun() : plan_.today;
    if (state_) out.damage = state_->damage();
    for (const Work& work : work_) {
      out.partial = out.partial || !work.verdict;
      out.units += work.verdict.has_value();
      out.not_run += failed_now_ && !work.verdict && belongs(work.unit, plan_.shard);
    }
    if (out.partial) {
      for (const Work& work : work_) {
        if (work.verdict && is_failed(*work.verdict)) out.failed.push_back(*work.verdict);
      }
      return out;
    }
    out.certificate.verdicts.resize(subjects_.size());
    std::vector<bool> begun(subjects_.size());
    for (Work& work : work_) {  // in order, however they were judged
      Verdict& sum = out.certificate.verdicts[work.subject];
      if (begun[work.subject]) {
        verify::add(sum, std::move(*work.verdict));
      } else {
        sum = std::move(*work.verdict);
      }
      begun[work.subject] = true;
      sum.entry = certify::entry_of(subjects_[work.subject]->subject());
      out.seconds[work.subject] += work.seconds;
    }
    for (Verdict& verdict : out.certificate.verdicts) {
      verify::complete(verdict, case_plan_.family, plan_.seed);
      verdict.failing_digest = certify::digest_of(verdict.failing);
      out.failing.push_back(std::exchange(verdict.failing, {}));
    }
    for (Verdict& verdict : out.certificate.verdicts) {
      // What comes by chance has no digest, for the same does not come again.
      if (!certify::is_flaky(verdict)) continue;
      for (verify::Leaf& leaf : verdict.leaves) leaf.digest.clear();
    }
    VYRE_CHECK(expect_accounted(out.certificate));
    return out;
  }

 private:
  Agenda(std::vector<std::unique_ptr<Cases>> subjects, const Plan& plan, const Watch& watch,
         const std::atomic<bool>* stop)
      : plan_(plan),
        stop_(stop),
        case_plan_{plan.operation_plan.value_or(verify::operation_plan(plan.strength)),
                   plan.family_plan.value_or(verify::family_plan(plan.strength)),
                   plan.buffer_plan.value_or(verify::buffer_plan(plan.strength)),
                   plan.engine_plan.value_or(verify::engine_plan(plan.strength)),
                   plan.tensor_plan.value_or(verify::tensor_plan(plan.strength)),
                   plan.seed},
        begin_(Clock::now()),
        subjects_(std::move(subjects)) {
    for (size_t subject = 0; subject < subjects_.size(); ++subject) {
      for (CaseUnit& unit : subjects_[subject]->units(case_plan_))
        work_.push_back({std::move(unit), subject});
    }
    left_ = std::vector<std::atomic<size_t>>(subjects_.size());
    uint64_t expected = 0;
    for (const Work& work : work_) {
      expected += work.cost;
      ++left_[work.subject];
    }
    tracker_.emplace(watch, expected, subjects_.size());
    for (size_t k = 0; k < work_.size(); ++k) order_.push_back(k);
    std::sort(order_.begin(), order_.end(), [&](size_t a, size_t b) {
      return work_[a].cost != work_[b].cost ? work_[a].cost > work_[b].cost : a < b;
    });
    if (!plan_.fail_fast) return;
    // The cheapest first, of operations, families and operations over buffers by turns: faults of the one
    // need not show in the other.
    std::ranges::reverse(order_);
    std::vector<size_t> turn(work_.size());
    std::array<size_t, verify::kSubjectKinds.size()> turns{};
    for (const size_t k : order_) turn[k] = turns[size_t(subjects_[work_[k].subject]->kind())]++;
    std::ranges::sort(order_, {}, [&](size_t k) { return std::pair(turn[k], work_[k].subject); });
  }
  bool interrupted() const { return stop_ != nullptr && *stop_; }
  bool stopped() const { return lost_now_ || failed_now_ || interrupted(); }
  /// False: the result could not be kept, and the run ends.
  bool keep(const Unit& unit, const Verdict& verdict) {
    if (!state_) return true;
    const auto done = state_->put(unit.id, certify::print_verdict(verdict));
    if (done) return true;
    const std::lock_guard lock(mutex_);
    if (!lost_) lost_ = done.error();
    lost_now_ = true;
    return false;
  }

  const Plan& plan_;
  const std::atomic<bool>* stop_;
  const CasePlan case_plan_;
  const Clock::time_point begin_;
  const std::vector<std::unique_ptr<Cases>> subjects_;
  std::vector<Work> work_;
  std::vector<size_t> order_;              // the most expensive first
  std::vector<std::atomic<size_t>> left_;  // units of a subject
  std::optional<Tracker> tracker_;
  std::atomic<size_t> next_ = 0;
  certify::Certificate identity_;  // of the backend; no verdicts
  std::optional<state::State> state_;
  size_t kept_ = 0;
  std::mutex mutex_;
  std::optional<Diag> lost_;  // what kept a result from being kept
  std::atomic<bool> lost_now_ = false;
  std::atomic<bool> failed_now_ = false;  // a unit, where the plan says fail_fast
};

}  // namespace

Result<Run> run(backend::Backend& backend, const Plan& plan, const Watch& watch,
                const std::atomic<bool>* stop) {
  VYRE_TRY(agenda, Agenda::make(plan, watch, stop));
  VYRE_CHECK(agenda->begin(backend));
  // One puller a core, so that the order is kept.
  tbb::parallel_for(
      0, tbb::this_task_arena::max_concurrency(), 1, [&](int) { agenda->pull(backend); },
      tbb::static_partitioner());
  return agenda->finish();
}

Result<Run> run(const Opener& open, unsigned workers, const Plan& plan, const Watch& watch,
                const std::atomic<bool>* stop, std::atomic<unsigned>* judging) {
  if (judging != nullptr) *judging = workers;
  VYRE_TRY(agenda, Agenda::make(plan, watch, stop));
  // The first is opened here: a backend that is not there ends the run before it starts.
  VYRE_TRY(first, open());
  VYRE_CHECK(agenda->begin(*first));
  std::mutex mutex;
  std::optional<Diag> refused;
  const auto pull = [&](backend::Backend& backend) {
    agenda->pull(backend);
    if (judging != nullptr) --*judging;
  };
  std::vector<std::thread> threads;
  for (unsigned k = 1; k < workers; ++k) {
    threads.emplace_back([&] {
      auto mine = open();
      if (mine) return pull(**mine);
      if (judging != nullptr) --*judging;
      const std::lock_guard lock(mutex);
      refused = std::move(mine).error();
    });
  }
  pull(*first);
  for (std::thread& thread : threads) thread.join();
  // The others have done the work of one that did not open; but who asked for it should know.
  if (refused) return std::unexpected(std::move(*refused));
  return agenda->finish();
}

Result<std::vector<Unit>> units_of(const Plan& plan) {
  const Watch unwatched;
  VYRE_TRY(agenda, Agenda::make(plan, unwatched, nullptr));
  return agenda->units();
}

Result<Run> run_of_states(std::span<const std::string> paths, const std::string& into) {
  VYRE_TRY(inputs, read_states(paths));
  VYRE_TRY(plan, plan_of(inputs[0].snapshot.key));
  const Watch unwatched;
  VYRE_TRY(agenda, Agenda::make(plan, unwatched, nullptr));
  const std::vector<Unit> units = agenda->units();
  VYRE_TRY(merged, merge(inputs, units));
  if (!into.empty()) VYRE_CHECK(keep(merged, into));
  const auto complete = expect_complete(merged, units);
  if (!complete && into.empty()) return std::unexpected(complete.error());
  VYRE_CHECK(agenda->take(merged.results));
  agenda->be(identity_of(merged.key, merged.parts));
  VYRE_TRY(out, agenda->finish());
  out.day = merged.begun;
  for (const Input& input : inputs)
    out.damage.insert(out.damage.end(), input.snapshot.damage.begin(), input.snapshot.damage.end());
  for (const state::Part& part : merged.parts) {
    if (std::ranges::find(out.devices, part.device) == out.devices.end()) out.devices.push_back(part.device);
  }
  return out;
}

}  // namespace vyre::suite
