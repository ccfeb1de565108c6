#include "suite/replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "check/checked.h"
#include "ops/operation.h"
#include "suite/case.h"
#include "suite/minimise.h"
#include "suite/replay_report.h"
#include "text/text.h"
#include "verify/program_parity.h"

namespace vyre::suite {
namespace {

using generate::ProgramCase;
using verify::Fault;

constexpr int kTries = 3;  // of what a case gives alone

/// Whether a fault, by its name, shows when its case runs alone; a false claim shows in the claim's own case.
bool wants_token(std::string_view fault) {
  const auto named = std::ranges::find(verify::kFaultNames, fault);
  if (named == verify::kFaultNames.end()) return false;
  const auto known = static_cast<Fault>(named - verify::kFaultNames.begin());
  return takes_company(known) || known == Fault::FalseClaim;
}

Result<void> expect_reference(const check::Checked& checked, const FailingCase& failing) {
  VYRE_TRY(expected, verify::reference_answer(checked, *failing.program, failing.story.subgroup));
  const auto difference = verify::first_difference(checked, expected, failing.expected);
  const bool sizes = std::ranges::equal(expected, failing.expected, {}, &Bytes::size, &Bytes::size);
  if (sizes && !difference) return {};
  return std::unexpected(make_diag(
      DiagCode::C017, Span::none(),
      difference
          ? fmt::format("the text expects {}[{}] = {:#x}, and the reference interpreter gives {:#x}",
                        difference->buffer, difference->index, difference->actual, difference->expected)
          : "the text expects other numbers of elements than there are",
      "the text was changed: take it from where it was kept"));
}

/// What one run gives, as a bench would say it.
verify::Seen run_once(backend::Backend& backend, const check::Checked& checked, const FailingCase& failing,
                      std::vector<Bytes>& actual) {
  verify::Seen seen;
  const auto run = [&]() -> Result<void> {
    VYRE_TRY(pipeline, backend.compile(checked));
    VYRE_TRY(ran, verify::run_on(*pipeline, *failing.program));
    VYRE_CHECK(backend.drain());
    seen.broken = ran.canaries_broken;
    actual = std::move(ran.buffers);
    return {};
  };
  if (auto done = run(); !done) seen.error = std::move(done).error();
  return seen;
}

Result<void> replay_program(const FailingCase& failing, backend::Backend& backend, Replay& out) {
  const auto checked = check::check(failing.program->program, ops::op_table());
  if (!checked) return std::unexpected(checked.error().front());
  VYRE_CHECK(expect_reference(*checked, failing));
  const ProgramCase& c = *failing.program;
  out.report +=
      fmt::format("{}groups {},{},{}\n", text::print(c.program), c.groups.x, c.groups.y, c.groups.z);
  out.report += buffer_lines(*checked, c.buffers, "input", false);
  out.report += buffer_lines(*checked, failing.expected, "expected", true);
  VYRE_CHECK(backend.restart());
  for (int attempt = 0; attempt < kTries && !out.fails; ++attempt) {
    std::vector<Bytes> actual;
    const verify::Seen seen = run_once(backend, *checked, failing, actual);
    VYRE_CHECK(tell(seen, backend, fmt::format(", in run {}", attempt + 1), spec::DataType::U32, out));
    if (seen.error || verify::first_difference(*checked, failing.expected, actual) == std::nullopt) continue;
    if (!out.fails)
      out.report += fmt::format("  {}, in run {}\n", verify::text(Fault::WrongValue), attempt + 1);
    out.report += buffer_lines(*checked, actual, "actual", true);
    out.fails = true;
  }
  if (!out.fails) out.report += fmt::format("  passes, {} times\n", kTries);
  return {};
}

}  // namespace

Result<Replay> replay(std::string_view token, backend::Backend& backend) {
  VYRE_TRY(named, find_case(token));
  return named->replay(backend);
}

Result<Replay> replay(const FailingCase& failing, backend::Backend& backend) {
  Replay out;
  const Story& story = failing.story;
  if (!story.subject.empty())
    out.report = fmt::format("{}{}{}\n", story.subject, story.fault.empty() ? "" : ": ", story.fault);
  if (failing.program) VYRE_CHECK(replay_program(failing, backend, out));
  const bool by_token = !story.token.empty() && (!failing.program || wants_token(story.fault));
  if (out.fails || !by_token) return out;
  VYRE_TRY(again, replay(story.token, backend));
  out.fails = again.fails;
  out.report += again.report;
  return out;
}

Result<FailingCase> failing_case_of(std::string_view text, backend::Backend& backend) {
  VYRE_TRY(named, find_case(text));
  FailingCase out;
  out.story.subject = named->token().subject;
  out.story.token = text;
  VYRE_TRY(program, named->program(backend));
  if (!program) return out;
  const auto checked = check::check(program->program, ops::op_table());
  if (!checked) return std::unexpected(checked.error().front());
  if (!checked->intrinsics().empty()) out.story.subgroup = backend.limits().subgroup_size;
  VYRE_TRY(expected, verify::reference_answer(*checked, *program, out.story.subgroup));
  out.program = std::move(program);
  out.expected = std::move(expected);
  return out;
}

void sign(Story& story, const backend::Identity& identity) {
  story.vyre = identity.version;
  story.backend = identity.name;
  story.device = identity.device;
  story.driver = identity.driver;
}

Result<void> require_passed(const Replay& replay, std::string_view token, std::string_view backend) {
  if (!replay.fails) return {};
  return std::unexpected(make_diag(DiagCode::C005, Span::none(),
                                   fmt::format("{} still fails on {}", token, backend),
                                   "compare `expected` with `actual` above; `vyre explain C005` says more"));
}

}  // namespace vyre::suite
