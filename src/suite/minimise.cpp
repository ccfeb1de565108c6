#include "suite/minimise.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "check/checked.h"
#include "ops/operation.h"
#include "suite/case.h"
#include "suite/replay.h"
#include "verify/culprit.h"
#include "verify/program_parity.h"

namespace vyre::suite {
namespace {

using Clock = std::chrono::steady_clock;
using generate::ProgramCase;
using verify::Failure;
using verify::Fault;

/// How a case fails when it runs alone: an answer that differs, or what the backend said.
struct Alone {
  std::optional<Fault> fault;
  bool passes = false;  // without a fault false where the backend refused for a reason that is none
  bool operator==(const Alone&) const = default;
};
Alone run_alone(backend::Backend& backend, const ProgramCase& c) {
  const auto compared = verify::compare_once(backend, c);
  if (compared) return compared->has_value() ? Alone{Fault::WrongValue} : Alone{{}, true};
  const bool of_the_case = backend.isolated() && verify::is_of_a_case(compared.error());
  return of_the_case ? Alone{verify::fault_of(compared.error())} : Alone{};
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
    case Fault::Law:
    case Fault::Invariant: return true;
    case Fault::Hung:
    case Fault::LostDevice:
    case Fault::OrderDependent:
    case Fault::Flaky:
    case Fault::LateWrite:
    case Fault::FalseClaim: return false;
  }
  return false;
}

/// Whether a program writes to a buffer: of one that does not, nothing is expected, and no text can say it.
bool has_result(const ir::Program& program) {
  return std::ranges::any_of(program.buffers, [](const ir::BufferDecl& buffer) {
    return buffer.access == ir::BufferAccess::ReadWrite;
  });
}

/// Words as the subject has them, or as they are.
std::string words_text(std::span<const uint32_t> words, std::span<const spec::DataType> types) {
  size_t count = 0;
  for (const spec::DataType type : types) count += spec::value_words(type);
  if (count == words.size()) return describe_words(words, types);
  return describe_words(words, std::vector<spec::DataType>(words.size(), spec::DataType::U32));
}

certify::ValueTexts texts_of(const Failure& failure, const ValueTypes& types) {
  return {words_text(failure.input, types.inputs), words_text(failure.expected, types.output),
          words_text(failure.actual, types.output)};
}

Story story_of(const std::string& subject, const Failure& failure, const ValueTypes& types,
               const backend::Identity& identity) {
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
  certify::ValueTexts values = texts_of(failure, types);
  out.input = std::move(values.input);
  out.expected = std::move(values.expected);
  out.actual = std::move(values.actual);
  return out;
}

class Minimiser {
 public:
  Minimiser(backend::Backend& backend, const CaseOf& case_of, const MinimiseOptions& options)
      : backend_(backend),
        case_of_(case_of),
        options_(options),
        end_(Clock::now() +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.seconds))) {}

  Result<FailingCase> run(const std::string& subject, const Failure& failure) {
    FailingCase out;
    VYRE_TRY(known, case_of_(subject, failure));
    out.story = story_of(subject, failure, known.types, backend_.identity());
    if (!known.program) return out;
    if (is_shrunk(failure.fault) && Clock::now() < end_) {
      VYRE_TRY(passes, shrink(*known.program, out.story));
      // What takes more than its program to go wrong, several dispatches say, is run by its token.
      if (passes && !failure.token.empty()) return out;
    }
    VYRE_CHECK(fill(std::move(*known.program), out));
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
  /// Whether it passes when it runs alone; else it is made smaller, where that can be.
  Result<bool> shrink(ProgramCase& program, Story& story) {
    VYRE_CHECK(backend_.restart());
    const Alone found = run_alone(backend_, program);
    if (!found.fault) return found.passes;
    const auto fails = [&](const ProgramCase& candidate) {
      return Clock::now() < end_ && has_result(candidate.program) && run_alone(backend_, candidate) == found;
    };
    ProgramCase smaller = generate::shrink_program(program, ops::op_table(), fails, options_.runs);
    VYRE_CHECK(backend_.restart());
    // What only a run of many candidates showed would be a story of something else.
    if (run_alone(backend_, smaller) != found) return false;
    program = std::move(smaller);
    story.size = verify::text(verify::Minimality::Shrunk);
    return false;
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
  const CaseOf& case_of_;
  const MinimiseOptions& options_;
  const Clock::time_point end_;
};

}  // namespace

certify::ValueTexts value_texts(const Failure& failure) {
  const auto named = find_case(failure.token);
  return texts_of(failure, named ? (*named)->types() : ValueTypes{});
}

CaseOf by_token(backend::Backend& backend) {
  return [&backend](const std::string&, const Failure& failure) -> Result<KnownCase> {
    VYRE_TRY(named, find_case(failure.token));
    const auto smaller = named->at(failure.input);  // the operands that it came down to
    VYRE_TRY(program, (smaller ? smaller : named)->program(backend));
    return KnownCase{std::move(program), named->types()};
  };
}

Result<std::vector<Found>> write_down(std::span<const verify::Verdict> verdicts, backend::Backend& backend,
                                      const CaseOf& case_of, const MinimiseOptions& options) {
  Minimiser minimiser(backend, case_of, options);
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
