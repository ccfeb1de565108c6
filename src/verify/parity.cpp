#include "verify/parity.h"

#include <fmt/format.h>

#include <algorithm>

#include "generate/shrink.h"
#include "verify/token.h"

namespace vyre::verify {
namespace {

using generate::Strategy;
using spec::DataType;

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
  std::vector<uint32_t> expected;
  std::vector<uint32_t> actual;
};
Result<Single> evaluate_one(const Subject& subject, Elementwise& backend, std::span<const uint32_t> operands,
                            uint64_t seed) {
  Columns columns(operands.size(), 1);
  columns.set(0, operands);
  const size_t words = output_words(subject.application);
  Single out{std::vector<uint32_t>(words), std::vector<uint32_t>(words)};
  subject.expected(columns.readable(), out.expected);
  VYRE_CHECK(backend.apply(columns.readable(), out.actual,
                           poison_for(subject.application.output, out.expected, seed, 0)));
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
  failure.expected = std::move(shrunk.expected);
  failure.actual = std::move(shrunk.actual);
  failure.minimality = Minimality::Shrunk;
  return failure;
}

/// The words of value number i.
std::span<const uint32_t> value_at(std::span<const uint32_t> words, size_t i, size_t each) {
  return words.subspan(i * each, each);
}
std::vector<uint32_t> to_vector(std::span<const uint32_t> words) { return {words.begin(), words.end()}; }

/// Whether a value was written, every word of it.
bool is_written(std::span<const uint32_t> value, uint32_t poison) {
  return std::ranges::find(value, poison) == value.end();
}

Result<void> check_rows(const Subject& subject, Elementwise& backend, uint64_t seed, Verdict& verdict) {
  const size_t n = subject.rows.size();
  if (n == 0) return {};
  const size_t each = output_words(subject.application);
  Columns columns(input_words(subject.application), n);
  std::vector<uint32_t> expected, actual(n * each);
  for (size_t i = 0; i < n; ++i) {
    columns.set(i, subject.rows[i].operands);
    expected.insert(expected.end(), subject.rows[i].expected.begin(), subject.rows[i].expected.end());
  }
  const uint32_t poison = poison_for(subject.application.output, expected, seed, 0);
  VYRE_CHECK(backend.apply(columns.readable(), actual, poison));
  Tally& tally = oracle_cases(verdict, Oracle::SpecificationTable).tally;
  tally.planned += n;
  for (size_t i = 0; i < n; ++i) {
    const auto answer = value_at(actual, i, each);
    tally.completed += is_written(answer, poison);
    const TableRow& row = subject.rows[i];
    if (std::ranges::equal(answer, row.expected)) continue;
    ++tally.failed;
    add_failure(verdict, {Check::Parity, fmt::format("specification table, {}", row.source),
                          Minimality::Found, row.operands, row.expected, to_vector(answer), row.rationale,
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
    s.rows.push_back({row.operands, {row.expected}, std::string(row.rationale), std::string(row.source)});
  }
  s.oracle = Oracle::CpuReference;
  s.expected = [&operation](std::span<const uint32_t* const> columns, std::span<uint32_t> out) {
    uint32_t operands[generate::kMaxOperands] = {};
    for (size_t i = 0; i < out.size(); ++i) {
      for (size_t k = 0; k < columns.size(); ++k) operands[k] = columns[k][i];
      out[i] = operation.reference(operands);
    }
  };
  s.cases = [&operation](Strategy strategy, uint64_t seed) { return ValueCases(operation, strategy, seed); };
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
  const auto& inputs = subject.application.inputs;
  if (whole && inputs.size() == 1 && spec::value_bits(inputs[0]) == 32)
    ranges.push_back({"whole", uint64_t{1} << 32, 1});
  return ranges;
}

size_t slice_of(const Subject& subject) {
  return spec::value_bits(subject.application.output) == 16 ? kSlice / 2 : kSlice;
}

CaseSource::CaseSource(const Subject& subject, const CaseRange& range, uint64_t seed) : range_(range) {
  if (const auto strategy = generate::find_strategy(range.strategy))
    cases_.push_back(subject.cases(*strategy, seed));
}

void CaseSource::fill(uint64_t begin, size_t count, std::span<uint32_t* const> columns) const {
  if (cases_.empty()) {
    for (size_t i = 0; i < count; ++i) columns[0][i] = uint32_t(begin + i);
  } else if (range_.stride == 1) {
    cases_[0].fill(begin, count, columns);
  } else {
    std::vector<uint32_t*> one(columns.begin(), columns.end());
    for (size_t i = 0; i < count; ++i) {
      cases_[0].fill(number(begin + i), 1, one);
      for (uint32_t*& column : one) ++column;
    }
  }
}

Result<void> check_parity(const Subject& subject, Elementwise& backend, std::span<const CaseRange> ranges,
                          uint64_t seed, const Monitor& monitor, Verdict& verdict) {
  VYRE_CHECK(check_rows(subject, backend, seed, verdict));
  const size_t arity = input_words(subject.application), each = output_words(subject.application);
  const size_t slice = slice_of(subject);
  Columns columns(arity, slice);
  std::vector<uint32_t> expected(slice * each), actual(slice * each), operands(arity);
  verdict.classes.clear();
  for (const ops::EquivalenceClass& c : subject.classes) verdict.classes.push_back({std::string(c.name), 0});

  for (const CaseRange& range : ranges) {
    const CaseSource source(subject, range, seed);
    oracle_cases(verdict, subject.oracle).tally.planned += range.count;
    for (uint64_t begin = 0; begin < range.count; begin += slice) {
      if (monitor.stopped()) return {};
      const size_t n = size_t(std::min<uint64_t>(slice, range.count - begin));
      const std::span wanted(expected.data(), n * each), answers(actual.data(), n * each);
      source.fill(begin, n, columns.writable());
      subject.expected(columns.readable(), wanted);
      const uint32_t poison = poison_for(subject.application.output, wanted, seed, begin);
      VYRE_CHECK(backend.apply(columns.readable(), answers, poison));

      Tally tally;
      for (size_t i = 0; i < n; ++i) {
        const auto want = value_at(wanted, i, each), answer = value_at(answers, i, each);
        const bool written = is_written(answer, poison);
        tally.completed += written;
        if (std::ranges::equal(answer, want)) continue;
        ++tally.failed;
        if (verdict.failures.size() >= kKeptFailures) {
          ++verdict.failure_count;
          continue;
        }
        Failure found{Check::Parity,
                      std::string(text(subject.oracle)),
                      Minimality::Found,
                      columns.tuple(i),
                      to_vector(want),
                      to_vector(answer),
                      written ? "" : "this element was never written",
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
  const size_t arity = input_words(subject.application), each = output_words(subject.application);
  const DataType type = subject.application.output;
  // A different stream of inputs than parity's.
  const uint64_t base = uint64_t{1} << 40;
  const size_t n = size_t(std::min<uint64_t>(slice_of(subject), (evaluations + kRepeats - 1) / kRepeats));
  const uint64_t slices = (evaluations + n * kRepeats - 1) / (n * kRepeats);
  const ValueCases cases = subject.cases(Strategy::Random, seed);
  Columns columns(arity, n);
  std::vector<uint32_t> first(n * each), again(n * each);
  verdict.determinism.planned += slices * kRepeats * n;
  for (uint64_t slice = 0; slice < slices; ++slice) {
    cases.fill(base + slice * n, n, columns.writable());
    for (uint64_t repeat = 0; repeat < kRepeats; ++repeat) {
      if (monitor.stopped()) return {};
      Elementwise& pipeline = *pipelines[repeat % pipelines.size()];
      std::vector<uint32_t>& answer = repeat == 0 ? first : again;
      const uint32_t poison =
          repeat == 0 ? poison_for(type, {}, seed, slice) : poison_for(type, first, seed, slice);
      VYRE_CHECK(pipeline.apply(columns.readable(), answer, poison));
      verdict.determinism.completed += n;
      monitor.done(n);
      if (repeat == 0 || again == first) continue;
      for (size_t i = 0; i < n; ++i) {
        const auto one = value_at(first, i, each), other = value_at(again, i, each);
        if (std::ranges::equal(one, other)) continue;
        ++verdict.determinism.failed;
        add_failure(verdict, {Check::Determinism, "the first answer to the same input", Minimality::Found,
                              columns.tuple(i), to_vector(one), to_vector(other),
                              fmt::format("run {} of {}, workgroup size {}", repeat + 1, kRepeats,
                                          pipeline.workgroup()),
                              print(Token{subject.name, "random", seed, base + slice * n + i, {}})});
      }
    }
  }
  return {};
}

}  // namespace vyre::verify
