// Parity: a backend's answers against those of oracles, in bytes.
//
// The subject is anything that maps values to a value, each of one or more words: an operation of the
// library, an operator at a type, a cast. Its specification rows go first, since they outrank every computed
// expectation; then the cases of every strategy, generated in slices, so memory does not depend on their
// number. Failing inputs are shrunk. Source: oracles, "How to pick the oracle"; vyre-conform-spec, "L1
// Parity".
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "verify/elementwise.h"
#include "verify/monitor.h"
#include "verify/value_cases.h"
#include "verify/verdict.h"

namespace vyre::verify {

struct TableRow {
  std::vector<uint32_t> operands;  // the words of all of them
  std::vector<uint32_t> expected;  // the words of the result
  std::string rationale;
  std::string source;
};

struct Subject {
  std::string name;  // as tokens say it
  Application application;
  std::vector<TableRow> rows;
  Oracle oracle{};  // what expected() is
  /// The words of the expected value for columns[...][i], at out[i * output_words]. Thread: any number.
  std::function<void(std::span<const uint32_t* const> columns, std::span<uint32_t> out)> expected;
  /// The cases of a strategy.
  std::function<ValueCases(generate::Strategy, uint64_t seed)> cases;
  std::vector<ops::EquivalenceClass> classes;
  /// Of the whole domain, the digests of the right answers (verify/domain.h); empty where there are none.
  std::span<const uint32_t> slices;
  /// Of an approximate operation, how many steps from expected() an answer may be (verify/deviation.h); else
  /// 0.
  uint32_t bound = 0;
};
Subject subject_of(const ops::Operation& operation);

/// Cases of one strategy: `count` of them, numbers (first + k) * stride.
struct CaseRange {
  std::string strategy;  // as tokens say it; "whole": case k is the tuple whose bits, put together, are k
  uint64_t count = 0;
  uint64_t stride = 1;
  uint64_t first = 0;
};

/// How many tuples of operands there are, where they have 32 bits together or fewer; else 0.
uint64_t whole_domain(const Subject& subject);
/// The tuple with a number, the last operand in the low bits. Domain: whole_domain(subject) > number.
void whole_case(const Subject& subject, uint64_t number, std::span<uint32_t> operands);
/// The steps in which about `cap` of `size` cases are walked. Cases are numbered with the last operand in the
/// lowest digits, so a stride that is a power of two would leave all operands but the first where they are;
/// an odd one that is somewhat smaller takes each of them everywhere.
uint64_t even_stride(uint64_t size, uint64_t cap);
/// What to run: every strategy that the subject has cases of, at least `wanted` in all. A strategy with more
/// than `cap` cases is walked in even strides. Random cases make up the rest, at least a quarter. With whole,
/// all tuples of operands that have 32 bits together besides; those of 16 bits also where as many are wanted.
/// The whole domain comes first where there are digests of it (verify/domain.h), so that slices are leaves.
std::vector<CaseRange> plan_cases(const Subject& subject, uint64_t seed, uint64_t wanted, uint64_t cap,
                                  bool whole);

/// Of ranges, one after the other, the cases number first .. first + count - 1.
std::vector<CaseRange> part_of(std::span<const CaseRange> ranges, uint64_t first, uint64_t count);

inline constexpr size_t kSlice = size_t{1} << 16;
/// How many cases of a subject are dispatched at a time: kSlice, but fewer where a result has 16 bits, so
/// that one of its values is left to be the poison.
size_t slice_of(const Subject& subject);

/// The inputs of cases number begin .. begin + columns[..].size() - 1 of a range.
class CaseSource {
 public:
  CaseSource(const Subject& subject, const CaseRange& range, uint64_t seed);
  void fill(uint64_t begin, size_t count, std::span<uint32_t* const> columns) const;
  /// The number that the token of case k has.
  uint64_t number(uint64_t k) const { return (range_.first + k) * range_.stride; }

 private:
  const Subject& subject_;
  CaseRange range_;
  std::vector<ValueCases> cases_;  // one, or none for "whole"
};

class Examiner;
class LeafWriter;

/// Runs the specification rows through the examiner's first pipeline and adds to the verdict. Errors: what
/// ends the subject. `leaves`, of the specification table, get the answers.
Result<void> check_rows(const Subject& subject, Examiner& examiner, uint64_t seed, Verdict& verdict,
                        LeafWriter& leaves);
/// The same of ranges: parity, classes, failures. `leaves`, of the subject's oracle, get the answers. What
/// comes of the last dispatches when they have been answered is for settle_cases() to find, after all parts
/// of the cases: a dispatch finds what comes of those before it.
Result<void> check_cases(const Subject& subject, Examiner& examiner, std::span<const CaseRange> ranges,
                         uint64_t seed, const Monitor& monitor, Verdict& verdict, LeafWriter& leaves);

/// Waits for what may still come of the last dispatches of check_cases(). Nothing when the run is stopped.
Result<void> settle_cases(const Subject& subject, Examiner& examiner, const Monitor& monitor,
                          Verdict& verdict);

/// All three, rows and cases as leaves of their own.
Result<void> check_parity(const Subject& subject, Examiner& examiner, std::span<const CaseRange> ranges,
                          uint64_t seed, const Monitor& monitor, Verdict& verdict);

/// Slices of cases that are evaluated again and again.
struct Repetition {
  static constexpr uint64_t kTimes = 16;  // each slice, the first answer included
  size_t cases = 0;                       // of a slice
  uint64_t first = 0, slices = 0;
};
/// The slices that make at least `evaluations` in all.
Repetition repetition_of(const Subject& subject, uint64_t evaluations);
/// Repeated evaluation: the same inputs again and again, through each of the examiner's first `pipelines`,
/// which differ in nothing but their workgroup size; every answer must be the first one.
Result<void> check_determinism(const Subject& subject, Examiner& examiner, uint32_t pipelines,
                               const Repetition& repetition, uint64_t seed, const Monitor& monitor,
                               Verdict& verdict);

/// The cases that an oracle judged, made when it has judged none yet; the stronger oracles stay first.
OracleCases& oracle_cases(std::vector<OracleCases>& all, Oracle oracle);
OracleCases& oracle_cases(Verdict& verdict, Oracle oracle);
/// How many cases a verdict planned for it.
uint64_t planned_by(const Verdict& verdict, Oracle oracle);

/// Adds a failure: counted always, kept when there is room.
void add_failure(Verdict& verdict, Failure failure);

}  // namespace vyre::verify
