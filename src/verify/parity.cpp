#include "verify/parity.h"

#include <fmt/format.h>

#include <algorithm>

#include "verify/columns.h"
#include "verify/deviation.h"
#include "verify/domain.h"
#include "verify/examine.h"
#include "verify/leaves.h"
#include "verify/stream.h"
#include "verify/strongest.h"

namespace vyre::verify {
namespace {

using generate::Strategy;
using spec::DataType;

}  // namespace

namespace {

/// Lists the cases whose answers are not what is wanted.
void list_failing_of(Verdict& verdict, const Subject& subject, std::string_view strategy, uint64_t first,
                     uint64_t stride, std::span<const uint32_t> wanted, std::span<const uint32_t> answers) {
  const size_t each = output_words(subject.application);
  const std::string generator = fmt::format("{}:{}", subject.name, strategy);
  for (size_t i = 0; i < answers.size() / each; ++i) {
    if (!std::ranges::equal(wanted.subspan(i * each, each), answers.subspan(i * each, each)))
      list_failing(verdict, generator, first + i * stride, stride);
  }
}

}  // namespace

OracleCases& oracle_cases(std::vector<OracleCases>& all, Oracle oracle) {
  const auto at = std::ranges::lower_bound(all, oracle, {}, &OracleCases::oracle);
  return at != all.end() && at->oracle == oracle ? *at : *all.insert(at, {oracle, {}});
}
OracleCases& oracle_cases(Verdict& verdict, Oracle oracle) { return oracle_cases(verdict.parity, oracle); }

uint64_t planned_by(const Verdict& verdict, Oracle oracle) {
  uint64_t sum = 0;
  for (const OracleCases& cases : verdict.parity) {
    if (cases.oracle == oracle) sum += cases.tally.planned;
  }
  return sum;
}

void add_failure(Verdict& verdict, Failure failure) {
  ++verdict.failure_count;
  if (verdict.failures.size() < kKeptFailures) verdict.failures.push_back(std::move(failure));
}

Subject subject_of(const ops::Operation& operation) {
  Subject s;
  s.name = subject_of(operation.id, operation.version);
  s.application = application_of(operation);
  for (const ops::SpecRow& row : operation.rows) {
    s.rows.push_back({row.operands, {row.expected}, std::string(row.rationale), std::string(row.source)});
  }
  s.oracle = strongest({.operation = true});
  s.expected = [&operation](std::span<const uint32_t* const> columns, std::span<uint32_t> out) {
    operation.reference(columns, out.data(), out.size());
  };
  s.cases = [&operation](Strategy strategy, uint64_t seed) { return ValueCases(operation, strategy, seed); };
  s.classes = operation.classes;
  s.slices = domain_digests(operation.id);
  s.bound = operation.bound;
  return s;
}

std::string subject_of(std::string_view id, uint32_t version) { return fmt::format("{}@{}", id, version); }

namespace {

/// Of a whole domain: a bool has two values, though it is a word in a buffer.
uint32_t domain_bits(DataType type) { return type == DataType::Bool ? 1 : spec::value_bits(type); }

}  // namespace

uint64_t whole_domain(const Subject& subject) {
  uint32_t bits = 0;
  for (const DataType type : subject.application.inputs) bits += domain_bits(type);
  return bits <= 32 ? uint64_t{1} << bits : 0;
}

void whole_case(const Subject& subject, uint64_t number, std::span<uint32_t> operands) {
  const auto& inputs = subject.application.inputs;
  for (size_t k = inputs.size(); k-- > 0;) {
    const uint32_t bits = domain_bits(inputs[k]);
    operands[k] = uint32_t(number & ((uint64_t{1} << bits) - 1));
    number >>= bits;
  }
}

uint64_t even_stride(uint64_t size, uint64_t cap) {
  const uint64_t stride = (size + cap - 1) / cap;
  return stride <= 1 ? 1 : (stride - stride / 31) | 1;
}

std::vector<CaseRange> plan_cases(const Subject& subject, uint64_t seed, uint64_t wanted, uint64_t cap,
                                  bool whole) {
  std::vector<CaseRange> ranges;
  uint64_t planned = 0;
  for (const generate::StrategyInfo& s : generate::kStrategies) {
    if (s.strategy == Strategy::Random || s.strategy == Strategy::Rows) continue;
    const uint64_t size = subject.cases(s.strategy, seed).size();
    if (size == 0) continue;
    const uint64_t stride = even_stride(size, cap);
    ranges.push_back({std::string(s.text), (size + stride - 1) / stride, stride});
    planned += ranges.back().count;
  }
  const uint64_t rest = std::max(wanted > planned ? wanted - planned : 0, wanted / 4);
  ranges.push_back({std::string(generate::info(Strategy::Random).text), rest, 1});
  // What is no larger than what is wanted anyway is run whole.
  if (const uint64_t all = whole_domain(subject);
      all != 0 && (whole || all <= std::min<uint64_t>(wanted, kSlice))) {
    const bool first = !subject.slices.empty() && all == subject.slices.size() * kLeafCases;
    ranges.insert(first ? ranges.begin() : ranges.end(), {"whole", all, 1});
  }
  return ranges;
}

std::vector<CaseRange> part_of(std::span<const CaseRange> ranges, uint64_t first, uint64_t count) {
  std::vector<CaseRange> out;
  for (const CaseRange& range : ranges) {
    if (count == 0) break;
    if (first >= range.count) {
      first -= range.count;
      continue;
    }
    CaseRange part = range;
    part.first = range.first + first;
    part.count = std::min(range.count - first, count);
    count -= part.count;
    first = 0;
    out.push_back(std::move(part));
  }
  return out;
}

size_t slice_of(const Subject& subject) {
  return spec::value_bits(subject.application.output) == 16 ? kSlice / 2 : kSlice;
}

CaseSource::CaseSource(const Subject& subject, const CaseRange& range, uint64_t seed)
    : subject_(subject), range_(range) {
  if (const auto strategy = generate::find_strategy(range.strategy))
    cases_.push_back(subject.cases(*strategy, seed));
}

void CaseSource::fill(uint64_t begin, size_t count, std::span<uint32_t* const> columns) const {
  if (cases_.empty()) {
    // whole_case() of each, a column at a time: a loop of shifts is vectors.
    uint32_t shift = 0;
    for (size_t k = columns.size(); k-- > 0;) {
      const uint32_t bits = domain_bits(subject_.application.inputs[k]);
      const uint64_t mask = (uint64_t{1} << bits) - 1, first = number(begin), step = range_.stride;
      uint32_t* const column = columns[k];
      for (size_t i = 0; i < count; ++i) column[i] = uint32_t(((first + i * step) >> shift) & mask);
      shift += bits;
    }
  } else {
    cases_[0].fill(number(begin), count, columns, range_.stride);
  }
}

Result<void> check_rows(const Subject& subject, Examiner& examiner, uint64_t seed, Verdict& verdict,
                        LeafWriter& leaves) {
  const size_t n = subject.rows.size();
  if (n == 0) return {};
  const size_t each = output_words(subject.application);
  Columns columns(input_words(subject.application), n);
  std::vector<uint32_t> expected, actual(n * each);
  for (size_t i = 0; i < n; ++i) {
    columns.set(i, subject.rows[i].operands);
    expected.insert(expected.end(), subject.rows[i].expected.begin(), subject.rows[i].expected.end());
  }
  const uint32_t poison = poison_of(subject, expected, seed, 0);
  oracle_cases(verdict, Oracle::SpecificationTable).tally.planned += n;
  const Examiner::Slice slice{0, *SubjectBench::source_of("rows"), 0, 1, n};
  VYRE_TRY(tally, examiner.judge(slice, columns, expected, actual, poison, Check::Parity));
  add(oracle_cases(verdict, Oracle::SpecificationTable).tally, tally);
  if (tally.failed != 0) list_failing_of(verdict, subject, "rows", 0, 1, expected, actual);
  tally.planned = n;
  leaves.add("rows", tally, std::span<const uint32_t>(actual));
  return {};
}

Result<void> check_parity(const Subject& subject, Examiner& examiner, std::span<const CaseRange> ranges,
                          uint64_t seed, const Monitor& monitor, Verdict& verdict) {
  {
    LeafWriter leaves(verdict, Oracle::SpecificationTable);
    VYRE_CHECK(check_rows(subject, examiner, seed, verdict, leaves));
  }
  LeafWriter leaves(verdict, subject.oracle);
  VYRE_CHECK(check_cases(subject, examiner, ranges, seed, monitor, verdict, leaves));
  return settle_cases(subject, examiner, monitor, verdict);
}

Result<void> check_cases(const Subject& subject, Examiner& examiner, std::span<const CaseRange> ranges,
                         uint64_t seed, const Monitor& monitor, Verdict& verdict, LeafWriter& leaves) {
  // A unit may hold several parts of the cases; the hits of all of them count.
  if (verdict.classes.empty()) {
    for (const ops::EquivalenceClass& c : subject.classes)
      verdict.classes.push_back({std::string(c.name), 0});
  }

  const auto judge = [&](CaseSlice& slice) -> Result<void> {
    const CaseRange& range = *slice.range;
    if (slice.begin == 0) oracle_cases(verdict, subject.oracle).tally.planned += range.count;
    const Examiner::Slice cases{0, *SubjectBench::source_of(range.strategy), slice.number, range.stride,
                                slice.count};
    VYRE_TRY(tally, examiner.judge(cases, slice.columns, slice.expected, slice.answers, slice.poison,
                                   Check::Parity));
    add(oracle_cases(verdict, subject.oracle).tally, tally);
    add(verdict.deviations, examiner.deviations());
    if (tally.failed != 0) {
      list_failing_of(verdict, subject, range.strategy, slice.number, range.stride, slice.expected,
                      slice.answers);
    }
    if (range.strategy == generate::info(Strategy::Boundary).text)
      verdict.boundaries_hit += uint32_t(tally.completed);
    for (size_t c = 0; c < slice.class_hits.size(); ++c) verdict.classes[c].hits += slice.class_hits[c];
    tally.planned = slice.count;
    slice.tally = tally;
    slice.by_chance = has_chance(verdict);
    return {};
  };
  const auto record = [&](CaseSlice& slice) {
    leaves.add(slice.range->strategy, slice.tally, slice.answers, slice.by_chance);
    monitor.done(slice.count);
  };
  return stream_cases(subject, ranges, seed, monitor, {judge, record});
}

Result<void> settle_cases(const Subject& subject, Examiner& examiner, const Monitor& monitor,
                          Verdict& verdict) {
  if (monitor.stopped()) return {};
  VYRE_TRY(late, examiner.drain(Check::Parity));
  oracle_cases(verdict, subject.oracle).tally.failed += late;
  return {};
}

Repetition repetition_of(const Subject& subject, uint64_t evaluations) {
  constexpr uint64_t kTimes = Repetition::kTimes;
  Repetition out;
  out.cases = size_t(std::min<uint64_t>(slice_of(subject), (evaluations + kTimes - 1) / kTimes));
  out.slices = out.cases == 0 ? 0 : (evaluations + out.cases * kTimes - 1) / (out.cases * kTimes);
  return out;
}

namespace {

/// One repetition in five finds its results zero, as fresh memory is, be it an answer or not: what is right
/// only over what a harness leaves there differs. The others see what is not written.
uint32_t poison_of_repeat(DataType type, std::span<const uint32_t> answers, uint64_t seed, uint64_t slice,
                          uint64_t repeat) {
  return repeat % 5 == 1 ? 0 : poison_for(type, answers, seed, slice);
}

}  // namespace

Result<void> check_determinism(const Subject& subject, Examiner& examiner, uint32_t pipelines,
                               const Repetition& repetition, uint64_t seed, const Monitor& monitor,
                               Verdict& verdict) {
  const size_t arity = input_words(subject.application), each = output_words(subject.application);
  const DataType type = subject.application.output;
  // A different stream of inputs than parity's.
  const uint64_t base = uint64_t{1} << 40;
  const size_t n = repetition.cases;
  const ValueCases cases = subject.cases(Strategy::Random, seed);
  const uint32_t random = *SubjectBench::source_of(generate::info(Strategy::Random).text);
  Columns columns(arity, n);
  std::vector<uint32_t> first(n * each), again(n * each);
  verdict.determinism.planned += repetition.slices * Repetition::kTimes * n;
  for (uint64_t slice = repetition.first; slice < repetition.first + repetition.slices; ++slice) {
    cases.fill(base + slice * n, n, columns.writable());
    for (uint64_t repeat = 0; repeat < Repetition::kTimes; ++repeat) {
      if (monitor.stopped()) return {};
      Examiner::Slice what{uint32_t(repeat % pipelines), random, base + slice * n, 1, n};
      const uint32_t poison = repeat == 0 ? poison_for(type, {}, seed, slice)
                                          : poison_of_repeat(type, first, seed, slice, repeat);
      const std::span<const uint32_t> wanted =
          repeat == 0 ? std::span<const uint32_t>() : std::span<const uint32_t>(first);
      VYRE_TRY(tally, examiner.judge(what, columns, wanted, repeat == 0 ? first : again, poison,
                                     Check::Determinism));
      add(verdict.determinism, tally);
      monitor.done(n);
    }
  }
  VYRE_TRY(late, examiner.drain(Check::Determinism));
  verdict.determinism.failed += late;
  return {};
}

}  // namespace vyre::verify
