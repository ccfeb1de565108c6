#include "suite/minimise.h"

#include <fmt/format.h>

#include <chrono>

#include "check/checked.h"
#include "ops/operation.h"
#include "suite/case_program.h"
#include "suite/replay.h"
#include "verify/blame.h"
#include "verify/program_parity.h"

namespace vyre::suite {
namespace {

using Clock = std::chrono::steady_clock;
using generate::ProgramCase;
using verify::Failure;
using verify::Fault;

/// How a case fails when it runs alone: an answer that differs, or what the backend said. None: it passes, or
/// the backend refused for a reason that is no fault.
std::optional<Fault> fault_alone(backend::Backend& backend, const ProgramCase& c) {
  const auto compared = verify::compare_once(backend, c);
  if (!compared) {
    if (!backend.isolated() || !verify::is_of_a_case(compared.error())) return std::nullopt;
    return verify::fault_of(compared.error());
  }
  return compared->has_value() ? std::optional(Fault::WrongValue) : std::nullopt;
}

}  // namespace

bool takes_company(Fault fault) {
  return fault == Fault::OrderDependent || fault == Fault::Flaky || fault == Fault::LateWrite;
}

namespace {

/// Whether looking for a smaller program is worth it: a hang takes its time again and again, and chance or
/// company show nothing in a case alone.
bool is_shrunk(Fault fault) {
  switch (fault) {
    case Fault::WrongValue:
    case Fault::NotWritten:
    case Fault::WroteOutside:
    case Fault::Crashed:
    case Fault::Refused:
    case Fault::BrokeContract:
    case Fault::Law: return true;
    case Fault::Hung:
    case Fault::LostDevice:
    case Fault::OrderDependent:
    case Fault::Flaky:
    case Fault::LateWrite:
    case Fault::FalseClaim: return false;
  }
  return false;
}

/// The program of a failure, at the operands that it came down to.
Result<std::optional<ProgramCase>> program_of(const Failure& failure, backend::Backend& backend) {
  VYRE_TRY(token, verify::parse_token(failure.token));
  VYRE_TRY(who, find_addressee(token));
  const bool operands = who.subject && token.strategy != "law" &&
                        failure.input.size() == verify::input_words(who.subject->application);
  if (operands) return std::optional(program_at(*who.subject, failure.input));
  return case_program(token, backend);
}

/// Words as the subject has them, or as they are.
std::string words_text(std::span<const uint32_t> words, std::span<const spec::DataType> types) {
  size_t count = 0;
  for (const spec::DataType type : types) count += spec::value_words(type);
  if (count == words.size()) return describe_words(words, types);
  return describe_words(words, std::vector<spec::DataType>(words.size(), spec::DataType::U32));
}

Story story_of(const std::string& subject, const Failure& failure, const backend::Identity& identity) {
  Story out;
  out.subject = subject;
  out.fault = verify::text(failure.fault);
  out.found_by = fmt::format("{}, by {}", verify::text(failure.check), failure.oracle);
  out.token = failure.token;
  out.history = failure.history;
  out.size = verify::text(failure.minimality);
  // Of a program the note ends with the program itself, which follows anyway.
  out.note = failure.note.substr(0, failure.note.find("\nprogram "));
  sign(out, identity);
  certify::ValueTexts values = value_texts(failure);
  out.input = std::move(values.input);
  out.expected = std::move(values.expected);
  out.actual = std::move(values.actual);
  return out;
}

class Minimiser {
 public:
  Minimiser(backend::Backend& backend, const MinimiseOptions& options)
      : backend_(backend),
        options_(options),
        end_(Clock::now() +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.seconds))) {}

  Result<FailingCase> run(const std::string& subject, const Failure& failure) {
    FailingCase out;
    out.story = story_of(subject, failure, backend_.identity());
    VYRE_TRY(program, program_of(failure, backend_));
    if (!program) return out;
    if (is_shrunk(failure.fault) && Clock::now() < end_) VYRE_CHECK(shrink(*program, out.story));
    VYRE_CHECK(fill(std::move(*program), out));
    return out;
  }

  std::vector<Bytes> actual(const FailingCase& failing) {
    if (!failing.program || failing.story.fault == verify::text(Fault::Hung)) return {};
    const auto checked = check::check(failing.program->program, ops::op_table());
    const auto pipeline = backend_.compile(*checked);
    if (!pipeline) return {};
    auto run = verify::run_on(**pipeline, *failing.program);
    return run ? std::move(run->buffers) : std::vector<Bytes>();
  }

 private:
  Result<void> shrink(ProgramCase& program, Story& story) {
    VYRE_CHECK(backend_.renew());
    const std::optional<Fault> fault = fault_alone(backend_, program);
    if (!fault) return {};
    const auto fails = [&](const ProgramCase& candidate) {
      return Clock::now() < end_ && fault_alone(backend_, candidate) == fault;
    };
    ProgramCase smaller = generate::shrink_program(program, ops::op_table(), fails, options_.runs);
    VYRE_CHECK(backend_.renew());
    // What only a run of many candidates showed would be a story of something else.
    if (fault_alone(backend_, smaller) != fault) return {};
    program = std::move(smaller);
    story.size = verify::text(verify::Minimality::Shrunk);
    return {};
  }
  Result<void> fill(ProgramCase program, FailingCase& out) {
    const auto checked = check::check(program.program, ops::op_table());
    if (!checked) return std::unexpected(checked.error().front());
    if (!checked->intrinsics().empty()) out.story.subgroup = backend_.limits().subgroup_size;
    VYRE_TRY(expected, verify::reference_answer(*checked, program, backend_.limits().subgroup_size));
    out.program = std::move(program);
    out.expected = std::move(expected);
    return {};
  }

  backend::Backend& backend_;
  const MinimiseOptions& options_;
  const Clock::time_point end_;
};

}  // namespace

certify::ValueTexts value_texts(const Failure& failure) {
  std::vector<spec::DataType> inputs, output;
  if (const auto token = verify::parse_token(failure.token); token) {
    if (const auto who = find_addressee(*token); who && who->subject) {
      inputs = who->subject->application.inputs;
      output = {who->subject->application.output};
    }
  }
  return {words_text(failure.input, inputs), words_text(failure.expected, output),
          words_text(failure.actual, output)};
}

Result<std::vector<Found>> write_down(std::span<const verify::Verdict> verdicts, backend::Backend& backend,
                                      const MinimiseOptions& options) {
  Minimiser minimiser(backend, options);
  std::vector<Found> out;
  for (const verify::Verdict& verdict : verdicts) {
    for (const Failure& failure : verdict.failures) {
      VYRE_TRY(failing, minimiser.run(verdict.subject, failure));
      std::vector<Bytes> actual = minimiser.actual(failing);
      out.push_back({verdict.subject, failure, std::move(failing), std::move(actual)});
    }
  }
  return out;
}

}  // namespace vyre::suite
