#include "verify/parity.h"

#include <fmt/format.h>

#include <algorithm>

#include "generate/shrink.h"
#include "verify/token.h"

namespace vyre::verify {
namespace {

using generate::Strategy;

// Columns of one slice, and spans over them in the forms that others take.
class Columns {
 public:
  Columns(size_t arity, size_t capacity) : words_(arity) {
    for (auto& w : words_) {
      w.resize(capacity);
      mutable_.push_back(w.data());
      const_.push_back(w.data());
    }
  }
  std::span<uint32_t* const> writable() { return mutable_; }
  std::span<const uint32_t* const> readable() const { return const_; }
  std::vector<uint32_t> tuple(size_t i) const {
    std::vector<uint32_t> out;
    for (const auto& w : words_) out.push_back(w[i]);
    return out;
  }
  void set(size_t i, std::span<const uint32_t> operands) {
    for (size_t k = 0; k < words_.size(); ++k) words_[k][i] = operands[k];
  }

 private:
  std::vector<std::vector<uint32_t>> words_;
  std::vector<uint32_t*> mutable_;
  std::vector<const uint32_t*> const_;
};

// One tuple by itself; the answer, or the poison when none came.
struct Single {
  uint32_t expected = 0;
  uint32_t actual = 0;
};
Result<Single> evaluate_one(const Subject& subject, Elementwise& backend, std::span<const uint32_t> operands,
                            uint64_t seed) {
  Columns columns(operands.size(), 1);
  columns.set(0, operands);
  Single out;
  subject.expected(columns.readable(), {&out.expected, 1});
  VYRE_CHECK(backend.apply(columns.readable(), {&out.actual, 1}, word_not_in({&out.expected, 1}, seed, 0)));
  return out;
}

// Makes a failure of one case, with its input shrunk when it also fails alone.
Result<Failure> explain(const Subject& subject, Elementwise& backend, Failure failure, uint64_t seed) {
  VYRE_TRY(alone, evaluate_one(subject, backend, failure.input, seed));
  if (alone.expected == alone.actual) {
    failure.note = "alone, this input gives the right answer: the fault depends on the position or on chance";
    return failure;
  }
  std::optional<Diag> refused;
  failure.input = generate::shrink(std::move(failure.input), [&](std::span<const uint32_t> candidate) {
    const auto result = evaluate_one(subject, backend, candidate, seed);
    if (!result) refused = result.error();
    return result && result->expected != result->actual;
  });
  if (refused) return std::unexpected(*refused);
  VYRE_TRY(shrunk, evaluate_one(subject, backend, failure.input, seed));
  failure.expected = {shrunk.expected};
  failure.actual = {shrunk.actual};
  failure.minimality = Minimality::Shrunk;
  return failure;
}

Result<void> check_rows(const Subject& subject, Elementwise& backend, uint64_t seed, Verdict& verdict) {
  const size_t n = subject.rows.size();
  if (n == 0) return {};
  Columns columns(subject.application.inputs.size(), n);
  std::vector<uint32_t> expected, actual(n);
  for (size_t i = 0; i < n; ++i) {
    columns.set(i, subject.rows[i].operands);
    expected.push_back(subject.rows[i].expected);
  }
  const uint32_t poison = word_not_in(expected, seed, 0);
  VYRE_CHECK(backend.apply(columns.readable(), actual, poison));
  Tally& tally = oracle_cases(verdict, Oracle::SpecificationTable).tally;
  tally.planned += n;
  for (size_t i = 0; i < n; ++i) {
    tally.completed += actual[i] != poison;
    if (actual[i] == expected[i]) continue;
    ++tally.failed;
    const TableRow& row = subject.rows[i];
    add_failure(verdict, {Check::Parity,
                          fmt::format("specification table, {}", row.source),
                          Minimality::Found,
                          row.operands,
                          {row.expected},
                          {actual[i]},
                          row.rationale,
                          print(Token{subject.name, "rows", seed, i, {}})});
  }
  return {};
}

}  // namespace

OracleCases& oracle_cases(Verdict& verdict, Oracle oracle) {
  for (OracleCases& o : verdict.parity) {
    if (o.oracle == oracle) return o;
  }
  verdict.parity.push_back({oracle, {}});
  std::sort(verdict.parity.begin(), verdict.parity.end(),
            [](const OracleCases& a, const OracleCases& b) { return a.oracle < b.oracle; });
  return oracle_cases(verdict, oracle);
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
    s.rows.push_back({row.operands, row.expected, std::string(row.rationale), std::string(row.source)});
  }
  s.oracle = Oracle::CpuReference;
  s.expected = [&operation](std::span<const uint32_t* const> columns, std::span<uint32_t> out) {
    uint32_t operands[generate::kMaxOperands] = {};
    for (size_t i = 0; i < out.size(); ++i) {
      for (size_t k = 0; k < columns.size(); ++k) operands[k] = columns[k][i];
      out[i] = operation.reference(operands);
    }
  };
  s.cases = [&operation](Strategy strategy, uint64_t seed) {
    return generate::Cases(operation, strategy, seed);
  };
  s.classes = operation.classes;
  return s;
}

std::string subject_of(std::string_view id, uint32_t version) { return fmt::format("{}@{}", id, version); }

std::vector<CaseRange> plan_cases(const Subject& subject, uint64_t seed, uint64_t wanted, uint64_t cap,
                                  bool whole) {
  std::vector<CaseRange> ranges;
  uint64_t planned = 0;
  for (const generate::StrategyInfo& s : generate::kStrategies) {
    if (s.strategy == Strategy::Random || s.strategy == Strategy::Rows) continue;
    const uint64_t size = subject.cases(s.strategy, seed).size();
    if (size == 0) continue;
    const uint64_t stride = (size + cap - 1) / cap;
    ranges.push_back({std::string(s.text), (size + stride - 1) / stride, stride});
    planned += ranges.back().count;
  }
  const uint64_t rest = std::max(wanted > planned ? wanted - planned : 0, wanted / 4);
  ranges.push_back({std::string(generate::info(Strategy::Random).text), rest, 1});
  if (whole && subject.application.inputs.size() == 1) ranges.push_back({"whole", uint64_t{1} << 32, 1});
  return ranges;
}

CaseSource::CaseSource(const Subject& subject, const CaseRange& range, uint64_t seed)
    : range_(range), arity_(subject.application.inputs.size()) {
  if (const auto strategy = generate::find_strategy(range.strategy))
    cases_.push_back(subject.cases(*strategy, seed));
}

void CaseSource::fill(uint64_t begin, size_t count, std::span<uint32_t* const> columns) const {
  if (cases_.empty()) {
    for (size_t i = 0; i < count; ++i) columns[0][i] = uint32_t(begin + i);
  } else if (range_.stride == 1) {
    cases_[0].fill(begin, count, columns);
  } else {
    for (size_t i = 0; i < count; ++i) {
      const auto tuple = cases_[0].at(number(begin + i));
      for (size_t k = 0; k < arity_; ++k) columns[k][i] = tuple[k];
    }
  }
}

Result<void> check_parity(const Subject& subject, Elementwise& backend, std::span<const CaseRange> ranges,
                          uint64_t seed, const Monitor& monitor, Verdict& verdict) {
  VYRE_CHECK(check_rows(subject, backend, seed, verdict));
  const size_t arity = subject.application.inputs.size();
  Columns columns(arity, kSlice);
  std::vector<uint32_t> expected(kSlice), actual(kSlice), operands(arity);
  verdict.classes.clear();
  for (const ops::EquivalenceClass& c : subject.classes) verdict.classes.push_back({std::string(c.name), 0});

  for (const CaseRange& range : ranges) {
    const CaseSource source(subject, range, seed);
    oracle_cases(verdict, subject.oracle).tally.planned += range.count;
    for (uint64_t begin = 0; begin < range.count; begin += kSlice) {
      if (monitor.stopped()) return {};
      const size_t n = size_t(std::min<uint64_t>(kSlice, range.count - begin));
      source.fill(begin, n, columns.writable());
      subject.expected(columns.readable(), {expected.data(), n});
      const uint32_t poison = word_not_in({expected.data(), n}, seed, begin);
      VYRE_CHECK(backend.apply(columns.readable(), {actual.data(), n}, poison));

      Tally tally;
      for (size_t i = 0; i < n; ++i) {
        tally.completed += actual[i] != poison;
        if (actual[i] == expected[i]) continue;
        ++tally.failed;
        if (verdict.failures.size() >= kKeptFailures) {
          ++verdict.failure_count;
          continue;
        }
        Failure found{Check::Parity,
                      std::string(text(subject.oracle)),
                      Minimality::Found,
                      columns.tuple(i),
                      {expected[i]},
                      {actual[i]},
                      actual[i] == poison ? "this element was never written" : "",
                      print(Token{subject.name, range.strategy, seed, source.number(begin + i), {}})};
        VYRE_TRY(explained, explain(subject, backend, std::move(found), seed));
        add_failure(verdict, std::move(explained));
      }
      Tally& total = oracle_cases(verdict, subject.oracle).tally;
      total.completed += tally.completed;
      total.failed += tally.failed;
      if (range.strategy == generate::info(Strategy::Boundary).text)
        verdict.boundaries_hit += uint32_t(tally.completed);
      // Which classes were hit is a statement about inputs; the table strategies and the first slice of each
      // other one suffice for it.
      if (begin == 0) {
        for (size_t i = 0; i < n; ++i) {
          for (size_t k = 0; k < arity; ++k) operands[k] = columns.readable()[k][i];
          for (size_t c = 0; c < subject.classes.size(); ++c) {
            verdict.classes[c].hits += subject.classes[c].contains(operands.data());
          }
        }
      }
      monitor.done(n);
    }
  }
  return {};
}

Result<void> check_determinism(const Subject& subject,
                               std::span<const std::unique_ptr<Elementwise>> pipelines, uint64_t evaluations,
                               uint64_t seed, const Monitor& monitor, Verdict& verdict) {
  constexpr uint64_t kRepeats = 16;  // of each slice, the first answer included
  const size_t arity = subject.application.inputs.size();
  // A different stream of inputs than parity's.
  const uint64_t base = uint64_t{1} << 40;
  const size_t n = size_t(std::min<uint64_t>(kSlice, (evaluations + kRepeats - 1) / kRepeats));
  const uint64_t slices = (evaluations + n * kRepeats - 1) / (n * kRepeats);
  const generate::Cases cases = subject.cases(Strategy::Random, seed);
  Columns columns(arity, n);
  std::vector<uint32_t> first(n), again(n);
  verdict.determinism.planned += slices * kRepeats * n;
  for (uint64_t slice = 0; slice < slices; ++slice) {
    cases.fill(base + slice * n, n, columns.writable());
    for (uint64_t repeat = 0; repeat < kRepeats; ++repeat) {
      if (monitor.stopped()) return {};
      Elementwise& pipeline = *pipelines[repeat % pipelines.size()];
      std::vector<uint32_t>& answer = repeat == 0 ? first : again;
      const uint32_t poison = repeat == 0 ? word_not_in({}, seed, slice) : word_not_in(first, seed, slice);
      VYRE_CHECK(pipeline.apply(columns.readable(), answer, poison));
      verdict.determinism.completed += n;
      monitor.done(n);
      if (repeat == 0 || again == first) continue;
      for (size_t i = 0; i < n; ++i) {
        if (again[i] == first[i]) continue;
        ++verdict.determinism.failed;
        add_failure(verdict, {Check::Determinism,
                              "the first answer to the same input",
                              Minimality::Found,
                              columns.tuple(i),
                              {first[i]},
                              {again[i]},
                              fmt::format("run {} of {}, workgroup size {}", repeat + 1, kRepeats,
                                          pipeline.workgroup()),
                              print(Token{subject.name, "random", seed, base + slice * n + i, {}})});
      }
    }
  }
  return {};
}

}  // namespace vyre::verify
