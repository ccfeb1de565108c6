#include "suite/certify_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <vector>

#include "algebra/file_laws.h"
#include "certify/console.h"
#include "certify/level.h"
#include "lower/lift.h"
#include "ref/rows.h"
#include "suite/case_program.h"
#include "suite/line.h"
#include "suite/minimise.h"
#include "text/text.h"
#include "verify/file_operation.h"

namespace vyre::suite {
namespace {

using algebra::FileOperation;
using certify::Level;
using spec::DataType;
using verify::Failure;
using verify::Tally;
using verify::Verdict;

std::string values_text(std::span<const uint32_t> words, std::span<const DataType> types) {
  std::string out;
  for (size_t i = 0, at = 0; i < types.size() && at < words.size(); ++i) {
    std::array<uint32_t, 4> value{};
    for (size_t w = 0; w < spec::value_words(types[i]) && at < words.size(); ++w) value[w] = words[at++];
    out += fmt::format("{}{}", i == 0 ? "" : ", ", text::print_literal(types[i], value));
  }
  return out;
}

/// The law that a failure is of; null where it is of none.
const algebra::FileLaw* law_of(const FileOperation& operation, const Failure& failure) {
  if (failure.check != verify::Check::Law) return nullptr;
  for (const algebra::FileLaw& law : operation.claims)
    if (law.statement == failure.oracle) return &law;
  for (const algebra::FileDenial& denial : operation.denials)
    if (denial.law.statement == failure.oracle) return &denial.law;
  return nullptr;
}

/// The types of what a failure has as its input: operands, or the variables of a law.
std::vector<DataType> input_types(const FileOperation& operation, const Failure& failure) {
  const algebra::FileLaw* law = law_of(operation, failure);
  return law == nullptr ? operation.operation.signature.inputs : law->variables;
}

/// The case of a failure, with what it calls of the file inlined.
Result<KnownCase> case_of(const algebra::FileOperations& file, const FileOperation& operation,
                          const Failure& failure) {
  KnownCase out{.program = std::nullopt,
                .types = {input_types(operation, failure), {operation.operation.signature.output}}};
  const verify::Application what = verify::application_of(operation.applied);
  if (const algebra::FileLaw* law = law_of(operation, failure); law != nullptr) {
    // Of a claim that is false no program has a right answer.
    if (!law->is_of_words() || failure.fault == verify::Fault::FalseClaim) return out;
    VYRE_TRY(sides, law_program(law->law, *law->f, failure.input, file.lookup()));
    out.program = std::move(sides);
  } else if (failure.input.size() == verify::input_words(what)) {
    out.program = program_at(what, failure.input, failure.expected);
  } else {  // refused before any case ran: any operands show it
    out.program = program_at(what, std::vector<uint32_t>(verify::input_words(what)), {});
  }
  const auto checked = check::check(out.program->program, file.table());
  if (!checked) return std::unexpected(checked.error().front());
  if (auto lifted = lower::lift_calls_outside_library(*checked)) out.program->program = std::move(*lifted);
  return out;
}

std::string failure_text(const FileOperation& operation, const Failure& failure) {
  const std::array output = {operation.operation.signature.output};
  std::string out = fmt::format("  {}: ({})", text(failure.fault),
                                values_text(failure.input, input_types(operation, failure)));
  if (!failure.expected.empty()) out += fmt::format(": expected {}", values_text(failure.expected, output));
  if (!failure.actual.empty()) out += fmt::format(", got {}", values_text(failure.actual, output));
  out += fmt::format(" ({}, {})", failure.oracle, text(failure.minimality));
  if (!failure.note.empty()) out += ": " + failure.note;
  return out + "\n";
}

bool is_right(const Tally& tally) {
  return tally.completed == tally.planned && tally.failed == 0 && tally.unsupported == 0;
}

bool is_settled(const verify::LawVerdict& law) {
  return !law.evidence.empty() && std::ranges::all_of(law.evidence, &verify::Evidence::holds);
}

/// L1: every row and case right, in as many cases as the strength says, and the same again; L2: the laws,
/// too.
Level level_of(const Verdict& verdict, verify::Strength strength) {
  uint64_t cases = 0;
  for (const verify::OracleCases& oracle : verdict.parity) {
    if (!is_right(oracle.tally)) return Level::None;
    cases += oracle.tally.completed;
  }
  if (!verdict.error.empty() || cases < certify::parity_cases(strength) || !verdict.determinism.whole() ||
      verdict.canaries_broken != 0)
    return Level::None;
  if (!std::ranges::all_of(verdict.laws, is_settled)) return Level::L1;
  return verdict.failure_count == 0 ? Level::L2 : Level::None;
}

std::string line_of(const Verdict& verdict, Level level) {
  const auto tally_of = [&](verify::Oracle oracle) {
    for (const verify::OracleCases& cases : verdict.parity)
      if (cases.oracle == oracle) return cases.tally;
    return Tally{};
  };
  const auto share = [](const Tally& t) {
    return fmt::format("{}/{}", certify::grouped(t.completed - std::min(t.completed, t.failed)),
                       certify::grouped(t.planned));
  };
  const auto laws = [&](bool claimed) {
    const auto of = [&](const verify::LawVerdict& law) { return law.claimed == claimed; };
    const auto right = [&](const verify::LawVerdict& law) { return of(law) && is_settled(law); };
    return fmt::format("{}/{}", std::ranges::count_if(verdict.laws, right),
                       std::ranges::count_if(verdict.laws, of));
  };
  return fmt::format("{:<28}  rows {:>5}  cases {:>19}  repeated {:>21}  laws {:>4}  denied {:>4}  {}\n",
                     verdict.subject, share(tally_of(verify::Oracle::SpecificationTable)),
                     share(tally_of(verify::Oracle::ReferenceInterpreter)), share(verdict.determinism),
                     laws(true), laws(false), level == Level::None ? "WRONG" : text(level));
}

}  // namespace

Result<CertifiedFile> certify_file(backend::Backend& backend, const OperationsFile& file,
                                   const CertifyFileRequest& request) {
  VYRE_CHECK(expect_operations(file));
  Diagnostics wrong = ref::check_rows(*file.module);
  std::ranges::move(algebra::check_witnesses(file.module), std::back_inserter(wrong));
  if (!wrong.empty()) return std::unexpected(wrong.front());

  const algebra::FileOperations operations(file.module);
  const verify::OperationPlan plan = verify::operation_plan(request.strength);
  verify::Monitor monitor;
  monitor.stop = request.stop;
  CertifiedFile out;
  Line line;
  Level least = Level::L2;
  size_t judged = 0, right = 0;
  for (const auto& operation : operations.all()) {
    line.show(judged++, operations.all().size(), operation->operation.id);
    Verdict verdict =
        verify::check_file_operation(backend, operations, *operation, plan, request.seed, monitor);
    if (monitor.stopped()) {
      return std::unexpected(make_diag(DiagCode::C007, Span::none(),
                                       "interrupted before every operation was judged",
                                       "run it again; the same seed repeats the same cases"));
    }
    const Level level = level_of(verdict, request.strength);
    least = std::min(least, level);
    right += level != Level::None;
    out.text += line_of(verdict, level);
    if (!verdict.error.empty()) out.text += fmt::format("  {}\n", verdict.error);
    std::set<std::string> shown;  // many come down to one
    for (const Failure& failure : verdict.failures) {
      const auto [text_of, is_new] = shown.insert(failure_text(*operation, failure));
      if (is_new) out.text += *text_of;
    }
    if (verdict.failure_count > verdict.failures.size())
      out.text += fmt::format("  {} failures in all\n", certify::grouped(verdict.failure_count));
    // A token names what a build knows, and no build knows the file.
    for (Failure& failure : verdict.failures) failure.token.clear();
    out.verdicts.push_back(std::move(verdict));
  }
  VYRE_TRY(found, write_down(out.verdicts, backend, [&](const std::string& subject, const Failure& failure) {
             const auto of = std::ranges::find_if(operations.all(), [&](const auto& one) {
               return verify::subject_of(one->operation.id, one->operation.version) == subject;
             });
             return case_of(operations, **of, failure);
           }));
  out.found = std::move(found);
  out.good = least == Level::L2;
  const backend::Identity identity = backend.identity();
  out.text += fmt::format("{}: {} of {} operations right on {} ({}, {}), {} strength, seed {}\n", file.path,
                          right, judged, request.backend, identity.device, identity.driver,
                          text(request.strength), request.seed);
  out.text += least == Level::None ? "level: file=none\n"
                                   : fmt::format("level: file={}({} of {})\n", text(least), judged, judged);
  return out;
}

}  // namespace vyre::suite
