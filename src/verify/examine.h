// Examiner: judges slices of an elementwise subject's cases, and finds the culprit when a slice goes wrong.
//
// Slices that go right cost nothing beside their dispatch. When one goes wrong, the culprit is searched
// (verify/culprit.h), reported, taken out of the slice, and the rest is run again until it goes right: so no
// case is counted as failed for what another did. A case that is known to be a culprit is not run again.
#pragma once

#include <deque>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "verify/columns.h"
#include "verify/culprit.h"
#include "verify/elementwise.h"
#include "verify/parity.h"
#include "verify/token.h"

namespace vyre::verify {

/// The cases of a subject by name, on the subject's pipelines.
class SubjectBench final : public Bench {
 public:
  /// All must outlive it.
  SubjectBench(backend::Backend& backend, const Subject& subject, std::span<Elementwise* const> pipelines,
               uint64_t seed);
  Seen run(const Batch& batch) override;

  /// The number of a source: "rows", a strategy, "whole". None for a name that is not among these.
  static std::optional<uint32_t> source_of(std::string_view strategy);
  std::vector<uint32_t> operands(CaseId id) const;
  std::vector<uint32_t> expected(CaseId id, std::span<const uint32_t> operands) const;
  Token token(CaseId id) const;

 private:
  void fill(std::span<const CaseId> cases, Columns& columns) const;
  backend::Backend& backend_;
  const Subject& subject_;
  std::span<Elementwise* const> pipelines_;
  uint64_t seed_;
  std::vector<std::optional<ValueCases>> cases_;  // by source
};

/// One dispatch with as many elements as the backend has resources for: on B003 the halves go one after the
/// other, and so on down to one element. The canaries that any of them broke are added to `broken`.
/// Errors: those of apply; B003 only for one element.
Result<void> apply_in_parts(Elementwise& pipeline, std::span<const uint32_t* const> columns,
                            std::span<uint32_t> out, uint32_t poison, uint64_t& broken);

/// A subject's pipelines, which differ in nothing but their workgroup size; the last is the first once more,
/// without canaries.
struct Pipelines {
  std::vector<std::unique_ptr<Elementwise>> owned;
  std::vector<Elementwise*> all;
  /// Adds what they counted to a verdict.
  void account(Verdict& verdict) const;
};
/// The workgroup sizes at which operations are judged: the usual one, a small one, the largest that the
/// backend claims to have.
std::vector<uint32_t> workgroups_of(const backend::Backend& backend);
/// Compiles the subject for each workgroup size. What a backend that may die answers with becomes a failure
/// of the subject as well. Errors: what check or the backend say.
Result<Pipelines> make_pipelines(backend::Backend& backend, const Subject& subject,
                                 std::span<const uint32_t> workgroups, uint64_t seed, Verdict& verdict,
                                 const spec::OpTable& table = ops::op_table());

class Examiner {
 public:
  /// All must outlive it. The backend was restarted just before.
  Examiner(backend::Backend& backend, const Subject& subject, std::span<Elementwise* const> pipelines,
           uint64_t seed, const Monitor& monitor, Verdict& verdict);

  /// Cases first, first + stride, ... of a source.
  struct Slice {
    uint32_t pipeline = 0;
    uint32_t source = 0;
    uint64_t first = 0;
    uint64_t stride = 1;
    size_t count = 0;
  };
  /// Runs a slice and compares its answers.
  /// Shape   columns: the slice's inputs. wanted: the words that every answer must be; empty: any are right.
  ///         answers: gets them; what no case wrote, and what was not run, holds the poison.
  /// Return  how many answers were written, and how many cases failed.
  /// Errors  what ends a subject.
  Result<Tally> judge(const Slice& slice, const Columns& columns, std::span<const uint32_t> wanted,
                      std::span<uint32_t> answers, uint32_t poison, Check check);
  /// Of the last judged slice, of an approximate operation: how far its answers were off.
  const Deviations& deviations() const { return deviations_; }
  /// Waits for what may still come of the last dispatches, and attributes it. Return: how many cases failed.
  /// Errors: as of judge.
  Result<uint64_t> drain(Check check);

 private:
  using Kept = std::optional<std::vector<uint32_t>>;  // positions of a slice; none: all

  CaseId id_of(const Slice& slice, size_t position) const {
    return {slice.source, slice.first + slice.stride * position};
  }
  Batch batch_of(const Slice& slice, const Kept& kept) const;
  Result<Seen> run(const Slice& slice, const Columns& columns, const Kept& kept,
                   std::span<const uint32_t> wanted, std::span<uint32_t> answers, uint32_t poison);
  Result<std::vector<uint32_t>> report_alone(const Slice& slice, const Kept& kept, const Seen& seen,
                                             Check check);
  Result<void> report(const Finding& finding, Check check, const Seen& seen);
  Result<Failure> shrunk(Failure failure, uint32_t pipeline);
  Result<bool> is_false_claim(const Finding& finding);

  backend::Backend& backend_;
  const Subject& subject_;
  std::span<Elementwise* const> pipelines_;
  uint64_t seed_;
  const Monitor& monitor_;
  Verdict& verdict_;
  SubjectBench bench_;
  CulpritSearch culprit_search_;
  size_t examined_ = 0;
  std::set<std::vector<uint32_t>> culprits_;  // operands
  bool repeated_ = false;  // answers are compared with earlier ones, not with what is right
  Deviations deviations_;
  struct Done {
    Slice slice;
    Kept kept;
  };
  std::deque<Done> history_;  // dispatches since the backend was restarted, the last ones
};

}  // namespace vyre::verify
