#include "web/elementwise_cases.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "ops/operation.h"
#include "text/text.h"
#include "verify/elementwise.h"

namespace vyre::web {
namespace {

using spec::DataType;
using verify::Subject;

constexpr uint32_t kGuard = 16;  // elements behind the results, which nothing may write
constexpr std::byte kGuardByte{0xA5};

/// The operands and results of all cases of a subject.
struct Table {
  std::vector<Range> ranges;
  size_t cases = 0;
  std::vector<std::vector<uint32_t>> columns;  // one a word of an operand
  std::vector<uint32_t> expected;              // of case i those from i * output_words on
};

void add_rows(const Subject& subject, size_t begin, Table& table) {
  const size_t each = verify::output_words(subject.application);
  for (const verify::TableRow& row : subject.rows) {
    for (size_t k = 0; k < table.columns.size(); ++k) table.columns[k][begin] = row.operands[k];
    std::ranges::copy(row.expected, table.expected.begin() + std::ptrdiff_t(begin * each));
    ++begin;
  }
}

void add_range(const Subject& subject, const verify::CaseRange& range, uint64_t seed, size_t begin,
               Table& table) {
  const size_t each = verify::output_words(subject.application);
  std::vector<uint32_t*> to;
  for (auto& column : table.columns) to.push_back(column.data() + begin);
  verify::CaseSource(subject, range, seed).fill(0, range.count, to);
  const std::vector<const uint32_t*> from(to.begin(), to.end());
  subject.expected(from, std::span(table.expected).subspan(begin * each, range.count * each));
}

/// Whether the cases of a strategy follow from the types of the operands alone, so that subjects share them.
bool is_shared(const verify::CaseRange& range) {
  using enum generate::Strategy;
  const auto strategy = generate::find_strategy(range.strategy);
  return strategy == Exhaustive8 || strategy == Edge256 || strategy == Adversarial;
}

/// What is run of a subject. What subjects share stands first, so that it lies in the same pieces of the
/// page.
std::vector<verify::CaseRange> plan_of(const Subject& subject, const ConformanceOptions& options) {
  std::vector<verify::CaseRange> shared, own;
  for (const auto& range : verify::plan_cases(subject, options.seed, options.cases_a_subject,
                                              options.strategy_cap, /*whole=*/false)) {
    (is_shared(range) ? shared : own).push_back(range);
  }
  own.push_back({std::string(generate::info(generate::Strategy::Rows).text), subject.rows.size(), 1});
  std::ranges::move(own, std::back_inserter(shared));
  return shared;
}

Table table_of(const Subject& subject, const ConformanceOptions& options) {
  const std::vector<verify::CaseRange> plan = plan_of(subject, options);
  Table out;
  for (const verify::CaseRange& range : plan) {
    out.ranges.push_back({range.strategy, range.count, range.stride});
    out.cases += range.count;
  }
  out.columns.assign(verify::input_words(subject.application), std::vector<uint32_t>(out.cases));
  out.expected.resize(out.cases * verify::output_words(subject.application));
  size_t begin = 0;
  for (const verify::CaseRange& range : plan) {
    if (range.strategy == generate::info(generate::Strategy::Rows).text) {
      add_rows(subject, begin, out);
    } else {
      add_range(subject, range, options.seed, begin, out);
    }
    begin += range.count;
  }
  return out;
}

/// Words, `each` of them a value, as the elements of a buffer; the words of value i are words(i)[0 .. each -
/// 1].
template <typename Words>
Bytes pack(DataType type, size_t count, const Words& words) {
  const size_t element = spec::info(type).bytes;
  Bytes out(count * element);
  for (size_t i = 0; i < count; ++i) {
    for (size_t k = 0; k < spec::value_words(type); ++k) {
      const uint32_t word = words(i, k);
      std::memcpy(out.data() + i * element + 4 * k, &word, std::min<size_t>(4, element - 4 * k));
    }
  }
  return out;
}

/// The buffer of results: a poison that is no answer before, canaries behind.
Buffer output_of(const Subject& subject, const Table& table, uint64_t seed) {
  const DataType type = subject.application.output;
  const size_t each = verify::output_words(subject.application);
  const uint32_t poison = verify::poison_for(type, table.expected, seed, 0);
  Buffer out{.name = "out", .element = type, .count = uint32_t(table.cases) + kGuard, .output = true};
  out.before = pack(type, table.cases, [&](size_t, size_t) { return poison; });
  out.after = pack(type, table.cases, [&](size_t i, size_t k) { return table.expected[i * each + k]; });
  for (Bytes* bytes : {&out.before, &out.after})
    bytes->resize(out.count * spec::info(type).bytes, kGuardByte);
  return out;
}

}  // namespace

Result<Case> elementwise_case(const Subject& subject, const ConformanceOptions& options) {
  const verify::Application& what = subject.application;
  auto checked = check::check(verify::elementwise_program(what, kPortable.invocations), ops::op_table());
  if (!checked) return std::unexpected(checked.error().front());
  VYRE_TRY(module, portable_module(*checked));
  const Table table = table_of(subject, options);
  Case out{.name = subject.name,
           .source = text::print(checked->program()),
           .module = std::move(module),
           .instances = table.cases};
  out.groups.x = uint32_t((table.cases + kPortable.invocations - 1) / kPortable.invocations);
  size_t column = 0;
  for (size_t k = 0; k < what.inputs.size(); ++k) {
    Buffer& input = out.buffers.emplace_back(Buffer{
        .name = std::string(1, char('a' + k)), .element = what.inputs[k], .count = uint32_t(table.cases)});
    input.before = pack(what.inputs[k], table.cases,
                        [&](size_t i, size_t word) { return table.columns[column + word][i]; });
    column += spec::value_words(what.inputs[k]);
  }
  out.buffers.push_back(output_of(subject, table, options.seed));
  out.replay = {.subject = subject.name, .seed = options.seed, .ranges = table.ranges};
  return out;
}

}  // namespace vyre::web
