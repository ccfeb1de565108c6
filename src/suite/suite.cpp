#include "suite/suite.h"

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <mutex>

namespace vyre::suite {
namespace {

using Clock = std::chrono::steady_clock;
using verify::Family;
using verify::Verdict;

/// One subject of a run.
struct Job {
  std::string name;
  uint64_t expected = 0;  // evaluations
  std::function<Verdict(const verify::Monitor&)> judge;
};

// Evaluations that a family stands for in the progress: by measurement, one program case is as long as some
// thousand evaluations of an operation.
constexpr uint64_t kEvaluationsAProgram = 20'000;

uint64_t expected_evaluations(Family family, const verify::FamilyPlan& plan) {
  if (family == Family::Programs) return plan.random_programs * kEvaluationsAProgram;
  if (family == Family::Twins) return uint64_t{1} << 26;
  const size_t shapes = verify::shapes(family);
  if (shapes != 0) return shapes * plan.inputs_a_shape * kEvaluationsAProgram;
  return verify::elementwise_subjects(family).size() * plan.cases_a_subject * 2;
}

class Tracker {
 public:
  Tracker(const Watch& watch, uint64_t expected, size_t subjects) : watch_(watch) {
    progress_.expected = expected;
    progress_.subjects = subjects;
  }
  void done(std::string_view subject, uint64_t evaluations) {
    if (!watch_) return;
    const std::lock_guard lock(mutex_);
    progress_.subject = subject;
    progress_.done += evaluations;
    watch_(progress_);
  }
  void finished(std::string_view subject) {
    if (!watch_) return;
    const std::lock_guard lock(mutex_);
    progress_.subject = subject;
    ++progress_.subjects_done;
    watch_(progress_);
  }

 private:
  const Watch& watch_;
  std::mutex mutex_;
  Progress progress_;
};

}  // namespace

bool matches(std::string_view pattern, std::string_view name) {
  // The usual two-pointer walk: on a mismatch, the last * takes one character more.
  size_t p = 0, n = 0, star = std::string_view::npos, taken = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

Result<std::vector<const ops::Operation*>> select(std::string_view pattern) {
  std::vector<const ops::Operation*> out;
  for (const ops::Operation& op : ops::all_operations()) {
    if (matches(pattern, op.id)) out.push_back(&op);
  }
  if (out.empty()) {
    return std::unexpected(
        make_diag(DiagCode::C004, Span::none(), fmt::format("no operation matches \"{}\"", pattern),
                  "* stands for any characters, ? for one; `vyre ops` lists the operations"));
  }
  return out;
}

Result<void> expect_complete(const certify::Certificate& certificate) {
  const auto refused = [](std::string message) {
    return std::unexpected(make_diag(DiagCode::C002, Span::none(), std::move(message),
                                     "certify again, and keep the whole file"));
  };
  VYRE_TRY(operations, select(certificate.selection));
  std::vector<std::string> subjects;
  for (const ops::Operation* op : operations) subjects.push_back(verify::subject_of(op->id, op->version));
  for (const verify::FamilyInfo& family : verify::kFamilies) subjects.emplace_back(family.text);
  for (size_t k = 0; k < std::max(subjects.size(), certificate.verdicts.size()); ++k) {
    if (k >= certificate.verdicts.size())
      return refused(fmt::format("there is no verdict on {}", subjects[k]));
    const Verdict& verdict = certificate.verdicts[k];
    if (k >= subjects.size()) return refused(fmt::format("a verdict too many, on {}", verdict.subject));
    const auto kind = k < operations.size() ? verify::SubjectKind::Operation : verify::SubjectKind::Family;
    if (verdict.subject != subjects[k] || verdict.kind != kind) {
      return refused(
          fmt::format("where the verdict on {} belongs is one on {}", subjects[k], verdict.subject));
    }
    std::vector<std::pair<std::string, bool>> wanted, found;
    // What stopped a subject may have stopped it before its laws; no level follows from such a verdict.
    if (k < operations.size() && verdict.error.empty()) {
      for (const spec::Law& law : operations[k]->laws) wanted.emplace_back(spec::to_string(law), true);
      for (const spec::Denial& d : operations[k]->denied) wanted.emplace_back(spec::to_string(d.law), false);
      for (const verify::LawVerdict& law : verdict.laws) found.emplace_back(law.law, law.claimed);
      if (verdict.classes.size() != operations[k]->classes.size() ||
          verdict.boundaries != operations[k]->boundaries.size()) {
        return refused(fmt::format("the classes or boundary values are not those of {}", subjects[k]));
      }
    }
    if (found != wanted) return refused(fmt::format("the laws are not those of {}", subjects[k]));
  }
  return {};
}

Result<Run> run(backend::Backend& backend, const Plan& plan, const Watch& watch,
                const std::atomic<bool>* stop) {
  VYRE_TRY(operations, select(plan.selection));
  const auto operation_plan = plan.operation_plan.value_or(verify::operation_plan(plan.strength));
  const auto family_plan = plan.family_plan.value_or(verify::family_plan(plan.strength));

  std::vector<Job> jobs;
  uint64_t expected = 0;
  for (const ops::Operation* op : operations) {
    jobs.push_back({verify::subject_of(op->id, op->version),
                    verify::expected_evaluations(*op, operation_plan),
                    [&backend, &operation_plan, &plan, op](const verify::Monitor& monitor) {
                      return verify::check_operation(backend, *op, operation_plan, plan.seed, monitor);
                    }});
  }
  std::vector<Family> families;
  if (plan.families) {
    families = *plan.families;
  } else {
    for (const verify::FamilyInfo& family : verify::kFamilies) families.push_back(family.family);
  }
  for (const Family family : families) {
    jobs.push_back({std::string(verify::info(family).text), expected_evaluations(family, family_plan),
                    [&backend, &family_plan, &plan, family](const verify::Monitor& monitor) {
                      return verify::check_family(backend, family, family_plan, plan.seed, monitor);
                    }});
  }
  for (const Job& job : jobs) expected += job.expected;

  std::vector<size_t> order(jobs.size());
  for (size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return jobs[a].expected != jobs[b].expected ? jobs[a].expected > jobs[b].expected : a < b;
  });

  std::vector<Verdict> verdicts(jobs.size());
  Run out;
  out.seconds.resize(jobs.size());
  Tracker tracker(watch, expected, jobs.size());
  const auto begin = Clock::now();
  std::atomic<size_t> next = 0;
  // One puller a core, so that the order is kept. A job may itself wait for parallel work of the backend;
  // isolation keeps a waiting thread from starting another job in the middle of its own.
  const int pullers = tbb::this_task_arena::max_concurrency();
  tbb::parallel_for(
      0, pullers, 1,
      [&](int) {
        for (size_t turn = next++; turn < order.size(); turn = next++) {
          const Job& job = jobs[order[turn]];
          if (stop != nullptr && *stop) return;
          verify::Monitor monitor;
          monitor.stop = stop;
          monitor.progress = [&](uint64_t n) { tracker.done(job.name, n); };
          const auto started = Clock::now();
          tbb::this_task_arena::isolate([&] { verdicts[order[turn]] = job.judge(monitor); });
          out.seconds[order[turn]] = std::chrono::duration<double>(Clock::now() - started).count();
          tracker.finished(job.name);
        }
      },
      tbb::static_partitioner());
  if (stop != nullptr && *stop) {
    return std::unexpected(make_diag(DiagCode::C007, Span::none(),
                                     "the run was interrupted; no certificate is written",
                                     "run it again; the same seed repeats the same cases"));
  }
  out.total_seconds = std::chrono::duration<double>(Clock::now() - begin).count();

  const backend::Identity identity = backend.identity();
  out.certificate.vyre = identity.version;
  out.certificate.backend = identity.name;
  out.certificate.device = identity.device;
  out.certificate.driver = identity.driver;
  out.certificate.registry = certify::this_registry();
  out.certificate.strength = plan.strength;
  out.certificate.seed = plan.seed;
  out.certificate.selection = plan.selection;
  out.certificate.verdicts = std::move(verdicts);
  return out;
}

}  // namespace vyre::suite
