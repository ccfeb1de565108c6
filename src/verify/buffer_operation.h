// Operations over buffers as subjects: their rows, cases against the references, laws, all on one backend.
//
// The plan of a subject is a list of cases: at sizes around the limits of blocks, structured ones, and
// malformed ones, in units of kBufferUnitCases. The first has besides the rows, the boundaries, what the
// reference interpreter makes of small cases, repetitions and the laws. Each case has memory and
// scratch of its own, between guard words, and some are submitted together. Where anything is wrong, each is
// run alone, and what fails again in a restarted backend: what then passes was wrong beside others, or by
// chance. Source: oracles; docs/certificate.md, "Operations over buffers".
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "library/library.h"
#include "opspec/opspec.h"
#include "verify/buffer_judge.h"
#include "verify/monitor.h"
#include "verify/token.h"
#include "verify/verdict.h"

namespace vyre::verify {

/// How many of each an operation over buffers gets.
struct BufferPlan {
  uint64_t cases = 0;  // structured
  uint64_t malformed = 0;
  uint64_t definition = 0;  // small ones, on the reference interpreter
  uint64_t repeated = 0;
  uint64_t laws = 0;  // instances of each, on the references and on the backend
};
BufferPlan buffer_plan(Strength strength);

/// An operation with all that judges it.
struct BufferSubject {
  const library::Entry* entry = nullptr;
  const opspec::OperationSpec* spec = nullptr;
  std::string name() const { return subject_of(entry->id, 1); }
  /// What it promises besides; null where it is no engine.
  const library::Engine* engine() const { return library::find_engine(entry->id); }
  SubjectKind kind() const {
    return engine() != nullptr ? SubjectKind::Engine : SubjectKind::BufferOperation;
  }
  Track track() const;
};
/// All that match, by id.
std::vector<BufferSubject> buffer_subjects(std::string_view pattern = "*");
/// By "hash.sha256@1". entry is null where there is none.
BufferSubject find_buffer_subject(std::string_view subject);

inline constexpr uint64_t kBufferUnitCases = 2'500;
/// How many units a plan has.
size_t buffer_units(const BufferPlan& plan);
/// About how many runs a unit takes.
uint64_t runs_of(const BufferSubject& subject, const BufferPlan& plan, size_t unit);
/// Those from `first` to before `last`, in one restarted backend, for which the operation is compiled once.
Verdict check_buffer_units(backend::Backend& backend, const BufferSubject& subject, const BufferPlan& plan,
                           size_t first, size_t last, uint64_t seed, const Monitor& monitor);
/// How many cases a plan has of an oracle.
uint64_t planned_cases(const BufferSubject& subject, const BufferPlan& plan, Oracle oracle);

/// A row of a text: what a run of it leaves in some of the buffers.
struct BufferRow {
  opspec::Buffers input;
  std::vector<std::pair<size_t, opspec::Buffer>> expected;  // by parameter
};
/// Those that choose no constants beside the operation's own.
std::vector<BufferRow> rows_of(const BufferSubject& subject);

/// The case of a token: "boundary", "cases", "malformed", "size-3" (cases of that size). None for another
/// strategy, or a number that there is not.
std::optional<opspec::Buffers> case_of(const BufferSubject& subject, const Token& token);
/// The law of the strategy "law-2"; null for another.
const library::Law* law_of(const BufferSubject& subject, std::string_view strategy);
bool holds_on_references(const BufferSubject& subject, const library::Law& law, const opspec::Buffers& input);
/// What the references say of a law: of so many cases of a claimed one; of a denied one the first that
/// refutes it, of 1,000.
struct LawFinding {
  Evidence evidence;
  std::optional<uint64_t> refuted_by;  // the number of a case
};
LawFinding law_on_references(const BufferSubject& subject, const library::Law& law, uint64_t instances,
                             uint64_t seed, const Monitor& monitor);
/// Laws on a backend, with the operations that they run compiled once.
class LawRuns {
 public:
  explicit LawRuns(backend::Backend& backend) : backend_(backend) {}
  /// Whether a law holds of a case. Errors: the backend's.
  Result<bool> holds(const BufferSubject& subject, const library::Law& law, const opspec::Buffers& input);
  /// For a run after Backend::restart().
  void forget() { judges_.clear(); }

 private:
  backend::Backend& backend_;
  std::map<std::string, BufferJudge, std::less<>> judges_;
};
/// Buffers for people: "data = 61626300\noffsets = 00000000 00000003\n", each cut.
std::string shown(const check::CheckedPipeline& pipeline, const opspec::Buffers& buffers);

}  // namespace vyre::verify
