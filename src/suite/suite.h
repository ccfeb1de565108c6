// The suite: which verdicts to get, and getting them on all cores.
//
// A plan is data; run() turns it and a backend into a certificate. It falls into units, pieces of operations
// and families, which are judged side by side, the most expensive first; each has pipelines of its own, so no
// dispatch waits for another unit's. The verdict on a subject is the sum of its units', so the certificate
// does not depend on how the work was spread. Source: commands, "certify"; docs/harness.md.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/diag.h"
#include "certify/certificate.h"
#include "ops/operation.h"
#include "suite/shard.h"
#include "verify/buffer_operation.h"
#include "verify/engine_check.h"
#include "verify/families.h"
#include "verify/operation.h"
#include "verify/tensor_check.h"

namespace vyre::suite {

inline constexpr std::string_view kNoFamilies = "none";

struct Plan {
  verify::Strength strength = verify::Strength::Standard;
  uint64_t seed = 1;
  std::string selection = "*";                                        // of operation ids: * and ?
  std::string family_selection = std::string(certify::kAllFamilies);  // the same of families, or "none"
  bool approximate = false;  // the approximate track, instead of the two strict ones
  /// For tests that look at one kind of fault; certificates come from the strength's own plans.
  std::optional<verify::OperationPlan> operation_plan;
  std::optional<verify::FamilyPlan> family_plan;
  std::optional<verify::BufferPlan> buffer_plan;
  std::optional<verify::EnginePlan> engine_plan;
  std::optional<verify::TensorPlan> tensor_plan;
  std::optional<std::vector<verify::Family>> families;  // of these, the parts of the selected tracks
  /// A state directory, where results are kept as they come and taken from; empty: nothing is kept.
  std::string state = {};
  std::string today = {};  // YYYY-MM-DD, by the clock; a state directory keeps that of its first run
  bool fail_fast = false;  // end after the first unit that fails; the cheapest go first
  Shard shard = {};        // of more than one: the run is a part of a campaign, and has no certificate
};

/// The units of a plan, in the order of the certificate. Those that test the tests are of identity.
/// Errors: C004.
Result<std::vector<Unit>> units_of(const Plan& plan);

/// Operations of a selection.
struct Selected {
  std::vector<const ops::Operation*> operations;
  std::vector<verify::BufferSubject> over_buffers;
  bool generated_engines = false;
  std::vector<const verify::TensorSubject*> tensors;
  /// Whether one of them is of the track.
  bool has(verify::Track track) const;
};
/// Strict operations whose ids match, or approximate ones. Errors: C004 when none does.
Result<Selected> select(std::string_view pattern, bool approximate = false);
/// The parts of families that judge beside operations, those of their tracks, whose families match; "none" is
/// a name that no family has. Errors: C004 when another pattern matches none.
Result<std::vector<verify::Part>> select_parts(const Selected& operations, std::string_view pattern);

/// Whether a certificate that was made with this build's registry has a verdict on each operation of its
/// selection and on each part of a selected family that has one of its tracks, in order, and each verdict the
/// laws that are claimed and denied: nothing that failed can be left out. Errors: C002.
Result<void> expect_complete(const certify::Certificate& certificate);

/// How far a run is, for a display. Called from any thread, not concurrently.
struct Progress {
  std::string_view subject;  // one that is being judged
  uint64_t done = 0;         // evaluations
  uint64_t work = 0;         // the same with what compiling is as long as
  uint64_t expected = 0;     // work, an estimate
  size_t subjects_done = 0;
  size_t subjects = 0;
};
using Watch = std::function<void(const Progress&)>;

/// Seconds that each subject took, in the order of the verdicts: for the report, never in the certificate.
struct Run {
  certify::Certificate certificate;  // of a part: without verdicts
  std::vector<double> seconds;
  std::vector<std::vector<verify::FailingCases>> failing;  // of each verdict
  double total_seconds = 0;
  bool partial = false;  // some units are another shard's, or were not run
  size_t units = 0;      // of this run: of its shard
  size_t kept = 0;       // of these, judged by an earlier run: their results were in the state directory
  std::string day;       // on which the campaign began; the plan's where nothing keeps it
  Diagnostics damage;    // what of that directory was lost
  size_t not_run = 0;    // units left out, since one failed and the plan says fail_fast
  std::vector<verify::Verdict> failed;  // of a part: the verdicts on its units that failed
  std::vector<std::string> devices;     // that judged the units, where there are several
};

/// Errors: C004; C007 when `stop` became true before every subject was judged; those of state::State::open()
/// and put(). What a backend refuses is in the verdicts.
Result<Run> run(backend::Backend& backend, const Plan& plan, const Watch& watch,
                const std::atomic<bool>* stop);

/// Gives a thread of the run the backend that it alone will use: a worker of its own, restarted before each
/// subject, so that what is attributed to a subject happened within it.
/// Thread  may be called from several at once.
using Opener = std::function<Result<std::unique_ptr<backend::Backend>>()>;
/// The same with this many threads, each with a backend of its own. Errors: also what opening answers.
/// `judging`, or null, always says how many of them still have something to judge.
/// Domain  workers: 1 and more.
Result<Run> run(const Opener& open, unsigned workers, const Plan& plan, const Watch& watch,
                const std::atomic<bool>* stop, std::atomic<unsigned>* judging = nullptr);

/// Puts together what state directories hold, and keeps it in another one when `into` names it. Partial when
/// units are missing and `into` is there to merge more into. Errors: of merge(), expect_complete() and
/// keep(); C020 when the campaign is not of this build.
Result<Run> run_of_states(std::span<const std::string> paths, const std::string& into);

}  // namespace vyre::suite
