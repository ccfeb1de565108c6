#include "suite/suite.h"

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "base/names.h"
#include "certify/fields.h"
#include "certify/run_report.h"
#include "spec/ops.h"
#include "state/state.h"
#include "suite/campaign.h"
#include "suite/merge.h"
#include "verify/shape_factors.h"

namespace vyre::suite {
namespace {

using Clock = std::chrono::steady_clock;
using verify::Family;
using verify::Verdict;

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

uint64_t expected_evaluations(const verify::Part& part, const verify::FamilyPlan& plan) {
  const Family family = part.family;
  if (family == Family::Programs) return plan.random_programs * kEvaluationsAProgram;
  if (family == Family::PlantedLaws) return uint64_t{1} << 26;
  if (family == Family::Shapes) return expected_shapes(plan) * kEvaluationsAProgram;
  const size_t shapes = verify::shapes(family);
  if (shapes != 0) return shapes * verify::inputs_a_shape(family, plan) * kEvaluationsAProgram;
  return verify::elementwise_subjects(family, part.track).size() * plan.cases_a_subject * 2;
}

/// How many programs judging it compiles, about.
uint64_t expected_compilations(const verify::Part& part, const verify::FamilyPlan& plan) {
  const Family family = part.family;
  if (family == Family::Programs)
    return part.track == verify::Track::Float ? plan.random_programs / 3 : plan.random_programs;
  if (family == Family::Shapes) return expected_shapes(plan);
  return verify::shapes(family) +
         kCompilationsASubject * verify::elementwise_subjects(family, part.track).size();
}

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

Result<std::vector<const ops::Operation*>> select(std::string_view pattern, bool approximate) {
  std::vector<const ops::Operation*> out;
  const ops::Operation* other = nullptr;  // one that matches, of the other kind
  for (const ops::Operation& op : ops::all_operations()) {
    if (!matches(pattern, op.id)) continue;
    if ((verify::track_of(op) == verify::Track::Approximate) == approximate) {
      out.push_back(&op);
    } else {
      other = &op;
    }
  }
  if (out.empty() && other != nullptr) {
    return std::unexpected(make_diag(
        DiagCode::C004, Span::none(),
        fmt::format("\"{}\" matches no {} operation: {} is {}", pattern,
                    approximate ? "approximate" : "strict", other->id,
                    approximate ? "strict" : "approximate"),
        fmt::format("strict and approximate never share a certificate: `certify --track {}` judges it",
                    approximate ? "strict" : "approximate")));
  }
  if (out.empty()) {
    std::set<std::string> globs;  // of the folders
    for (const ops::Operation& op : ops::all_operations()) {
      for (size_t dot = 0; (dot = op.id.find('.', dot)) != op.id.npos; ++dot)
        globs.insert(std::string(op.id.substr(0, dot)) + ".*");
    }
    NearestName nearest(pattern);
    for (const ops::Operation& op : ops::all_operations()) nearest.consider_id(op.id);
    for (const std::string& glob : globs) nearest.consider(glob);
    return std::unexpected(make_diag(
        DiagCode::C004, Span::none(), fmt::format("no operation matches \"{}\"", pattern),
        nearest.help_or("* stands for any characters, ? for one; `vyre ops` lists the operations")));
  }
  return out;
}

Result<std::vector<verify::Part>> select_parts(std::span<const ops::Operation* const> operations,
                                               std::string_view pattern) {
  std::vector<verify::Part> out = verify::all_parts();
  std::erase_if(out, [&](const verify::Part& part) {
    return std::ranges::none_of(
        operations, [&](const ops::Operation* op) { return verify::track_of(*op) == part.track; });
  });
  NearestName nearest(pattern);
  for (const verify::Part& part : out) nearest.consider(verify::info(part.family).text);
  std::erase_if(out,
                [&](const verify::Part& part) { return !matches(pattern, verify::info(part.family).text); });
  if (out.empty() && pattern != kNoFamilies) {
    return std::unexpected(
        make_diag(DiagCode::C004, Span::none(),
                  fmt::format("no family of the selected operations' tracks matches \"{}\"", pattern),
                  nearest.help_or("* stands for any characters, ? for one; `none` leaves all families out")));
  }
  return out;
}

namespace {

uint64_t planned_by(const Verdict& verdict, verify::Oracle oracle) {
  uint64_t sum = 0;
  for (const verify::OracleCases& cases : verdict.parity) {
    if (cases.oracle == oracle) sum += cases.tally.planned;
  }
  return sum;
}

/// Whether a verdict on an operation is over its rows and over as many cases as its plan has.
bool is_as_planned(const Verdict& verdict, const ops::Operation& operation,
                   const certify::Certificate& certificate) {
  uint64_t cases = 0;
  const verify::OperationPlan plan = verify::operation_plan(certificate.strength);
  for (const verify::Piece& piece : verify::pieces_of(operation, plan, certificate.seed)) {
    if (piece.kind == verify::Piece::Kind::Cases) cases += piece.count;
  }
  return planned_by(verdict, verify::Oracle::SpecificationTable) == operation.rows.size() &&
         planned_by(verdict, verify::Oracle::CpuReference) == cases;
}

/// What is not as a plan has it in a verdict on a part of a family; empty: nothing.
std::string other_than_planned(const Verdict& verdict, const verify::Part& part,
                               const certify::Certificate& certificate) {
  // What a device may lack is not in its plan, and the coverage says what that is.
  if (part.family == Family::Shapes)
    return verify::wrong_coverage(verdict, verify::shape_strength(certificate.strength), certificate.seed);
  const verify::FamilySize size =
      verify::size_of(part, verify::family_plan(certificate.strength), certificate.seed);
  for (const verify::OracleCases& oracle : verdict.parity) {
    if (std::ranges::count(size.parity, oracle.oracle, &verify::OracleCases::oracle) == 0)
      return fmt::format("cases of the {}, which judges none", text(oracle.oracle));
  }
  for (const verify::OracleCases& oracle : size.parity) {
    const uint64_t planned = planned_by(verdict, oracle.oracle);
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

}  // namespace

Result<void> expect_complete(const certify::Certificate& certificate) {
  const auto refused = [](std::string message) {
    return std::unexpected(make_diag(DiagCode::C002, Span::none(), std::move(message),
                                     "certify again, and keep the whole file"));
  };
  VYRE_TRY(operations, select(certificate.selection, certificate.registry.is_approximate()));
  std::vector<std::string> subjects;
  std::vector<verify::Track> tracks;
  for (const ops::Operation* op : operations) {
    subjects.push_back(verify::subject_of(op->id, op->version));
    tracks.push_back(verify::track_of(*op));
  }
  VYRE_TRY(parts, select_parts(operations, certificate.family_selection));
  for (const verify::Part& part : parts) {
    subjects.emplace_back(verify::info(part.family).text);
    tracks.push_back(part.track);
  }
  for (size_t k = 0; k < std::max(subjects.size(), certificate.verdicts.size()); ++k) {
    if (k >= certificate.verdicts.size())
      return refused(fmt::format("there is no verdict on {}", subjects[k]));
    const Verdict& verdict = certificate.verdicts[k];
    if (k >= subjects.size()) return refused(fmt::format("a verdict too many, on {}", verdict.subject));
    const auto kind = k < operations.size() ? verify::SubjectKind::Operation : verify::SubjectKind::Family;
    if (verdict.subject != subjects[k] || verdict.kind != kind || verdict.track != tracks[k]) {
      return refused(
          fmt::format("where the verdict on {} of the {} track belongs is one on {} of the {} track",
                      subjects[k], text(tracks[k]), verdict.subject, text(verdict.track)));
    }
    std::vector<std::pair<std::string, bool>> wanted, found;
    // What stopped a subject may have stopped it before its laws; no level follows from such a verdict.
    if (k < operations.size() && verdict.error.empty()) {
      for (const spec::Law& law : operations[k]->laws) wanted.emplace_back(spec::to_string(law), true);
      for (const spec::Denial& d : operations[k]->denied) wanted.emplace_back(spec::to_string(d.law), false);
      if (verdict.classes.size() != operations[k]->classes.size() ||
          verdict.boundaries != operations[k]->boundaries.size()) {
        return refused(fmt::format("the classes or boundary values are not those of {}", subjects[k]));
      }
      if (!is_as_planned(verdict, *operations[k], certificate))
        return refused(fmt::format("the cases are not those that {} has at this strength", subjects[k]));
    }
    if (k >= operations.size() && verdict.error.empty()) {
      const verify::Part& part = parts[k - operations.size()];
      if (const std::string wrong = other_than_planned(verdict, part, certificate); !wrong.empty())
        return refused(fmt::format("the cases are not those that {} of the {} track has at this strength: {}",
                                   subjects[k], text(part.track), wrong));
      for (const verify::LawVerdict& law :
           verify::size_of(part, verify::family_plan(certificate.strength), certificate.seed).laws)
        wanted.emplace_back(law.law, law.claimed);
    }
    for (const verify::LawVerdict& law : verdict.laws) {
      if (verdict.error.empty()) found.emplace_back(law.law, law.claimed);
    }
    if (found != wanted) return refused(fmt::format("the laws are not those of {}", subjects[k]));
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

using Judge = std::function<Verdict(backend::Backend&, const verify::Monitor&)>;

/// What is judged at once: pieces of an operation, or a family.
struct Work {
  Unit unit;              // "primitive.math.add@1/cases.0", "ir.barriers/integer"
  size_t subject = 0;     // its place in the certificate
  uint64_t expected = 0;  // evaluations
  uint64_t cost = 0;      // the same with what compiling is as long as
  Judge judge;
  std::optional<Verdict> verdict = {};
  double seconds = 0;
};

/// The units of a plan, in the order of the certificate, and how far they are. The plan must outlive it.
class Agenda {
 public:
  static Result<std::unique_ptr<Agenda>> make(const Plan& plan, const Watch& watch,
                                              const std::atomic<bool>* stop) {
    VYRE_TRY(operations, select(plan.selection, plan.approximate));
    VYRE_TRY(parts, select_parts(operations, plan.family_selection));
    return std::unique_ptr<Agenda>(new Agenda(operations, parts, plan, watch, stop));
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
      const std::string& subject = subjects_[work.subject];
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
      sum.entry = certify::entry_of(subjects_[work.subject]);
      out.seconds[work.subject] += work.seconds;
    }
    for (Verdict& verdict : out.certificate.verdicts) {
      verify::complete(verdict, family_plan_, plan_.seed);
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
  Agenda(const std::vector<const ops::Operation*>& operations, const std::vector<verify::Part>& parts,
         const Plan& plan, const Watch& watch, const std::atomic<bool>* stop)
      : plan_(plan),
        stop_(stop),
        operation_plan_(plan.operation_plan.value_or(verify::operation_plan(plan.strength))),
        family_plan_(plan.family_plan.value_or(verify::family_plan(plan.strength))),
        begin_(Clock::now()) {
    for (const ops::Operation* op : operations) {
      const std::string subject = verify::subject_of(op->id, op->version);
      for (const verify::Unit& unit : verify::units_of(*op, operation_plan_, plan_.seed)) {
        work_.push_back(
            {{fmt::format("{}/{}", subject, text(unit.pieces[0]))},
             subjects_.size(),
             unit.evaluations,
             unit.evaluations,
             [this, op, pieces = unit.pieces](backend::Backend& backend, const verify::Monitor& monitor) {
               return verify::check_pieces(backend, *op, operation_plan_, pieces, plan_.seed, monitor);
             }});
      }
      subjects_.push_back(subject);
    }
    for (const verify::Part& part : parts) {
      if (plan.families && std::ranges::count(*plan.families, part.family) == 0) continue;
      const uint64_t evaluations = expected_evaluations(part, family_plan_);
      const uint64_t compilations = expected_compilations(part, family_plan_);
      const std::string subject(verify::info(part.family).text);
      // Those of 2^32 inputs take longer than the rest of their family.
      for (verify::WholeDomain& domain : verify::whole_domains(part, family_plan_)) {
        const auto shared = std::make_shared<const verify::WholeDomain>(std::move(domain));
        work_.push_back(
            {{fmt::format("{}/{}/{}", subject, text(part.track), shared->subject.application.name)},
             subjects_.size(),
             shared->cases,
             shared->cases,
             [this, part, shared](backend::Backend& backend, const verify::Monitor& monitor) {
               return verify::check_whole_domain(backend, part, *shared, 0,
                                                 shared->cases / verify::kLeafCases, plan_.seed, monitor);
             }});
      }
      const uint32_t slices = verify::slices_of(part.family, family_plan_, part.track);
      for (uint32_t slice = 0; slice < slices; ++slice) {
        const std::string number = slices == 1 ? "" : fmt::format(".{}", slice);
        work_.push_back(
            {{fmt::format("{}/{}{}", subject, text(part.track), number), part.family == Family::PlantedLaws},
             subjects_.size(),
             evaluations / slices,
             (evaluations + compilations * kEvaluationsACompilation) / slices,
             [this, part, slice](backend::Backend& backend, const verify::Monitor& monitor) {
               return verify::check_slice(backend, part.family, slice, family_plan_, plan_.seed, monitor,
                                          part.track);
             }});
      }
      subjects_.push_back(subject);
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
    // The cheapest first, of operations and families by turns: faults of the one need not show in the other.
    std::ranges::reverse(order_);
    std::vector<size_t> turn(work_.size());
    std::array<size_t, 2> turns{};
    for (const size_t k : order_) turn[k] = turns[work_[k].subject < operations.size() ? 0 : 1]++;
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
  const verify::OperationPlan operation_plan_;
  const verify::FamilyPlan family_plan_;
  const Clock::time_point begin_;
  std::vector<std::string> subjects_;
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
