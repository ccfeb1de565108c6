#include "suite/case.h"

#include <fmt/format.h>

#include "base/names.h"
#include "suite/case_kinds.h"
#include "suite/replay_report.h"

namespace vyre::suite {

Diag unknown_part(const verify::Token& token, std::string_view what) {
  std::vector<std::string> subjects;
  for (const ops::Operation& op : ops::all_operations())
    subjects.push_back(verify::subject_of(op.id, op.version));
  for (const verify::BufferSubject& op : verify::buffer_subjects()) subjects.push_back(op.name());
  for (const verify::TensorSubject& op : verify::tensor_subjects()) subjects.push_back(op.name());
  NearestName nearest(what == "subject" ? token.subject : std::string_view{});
  for (const std::string& subject : subjects) nearest.consider(subject);
  return make_diag(DiagCode::C003, Span::none(),
                   fmt::format("the token's {} \"{}\" is not known here", what,
                               what == "subject" ? token.subject : token.strategy),
                   nearest.help_or("tokens are valid in builds that have the same operations and families"));
}

Result<std::unique_ptr<Case>> find_case(const verify::Token& token) {
  for (const ops::Operation& op : ops::all_operations()) {
    if (verify::subject_of(op.id, op.version) != token.subject) continue;
    return token.strategy == "law" ? law_case(op, token) : element_case(verify::subject_of(op), token);
  }
  if (const auto* subject = verify::tensor_subject_of(token)) return tensor_case(*subject, token);
  if (auto engine = verify::engine_case_of(token)) return engine_case(std::move(*engine), token);
  if (const auto over_buffers = verify::find_buffer_subject(token.subject); over_buffers.entry != nullptr)
    return buffer_case(over_buffers, token);
  if (const auto* family = verify::find_family(token.subject)) return family_case(family->family, token);
  if (const auto* family =
          verify::find_family(std::string_view(token.subject).substr(0, token.subject.find('/')))) {
    for (verify::Subject& subject : verify::elementwise_subjects(family->family))
      if (subject.name == token.subject) return element_case(std::move(subject), token);
  }
  return std::unexpected(unknown_part(token, "subject"));
}

Result<std::unique_ptr<Case>> find_case(std::string_view text) {
  VYRE_TRY(token, verify::parse_token(text));
  return find_case(token);
}

Result<void> replay_scenario(const verify::Scenario& scenario, verify::Bench& bench,
                             backend::Backend& backend, spec::DataType type, Replay& out) {
  VYRE_CHECK(backend.restart());
  for (size_t k = 0; k < scenario.size() && !out.fails; ++k) {
    const verify::Seen seen = bench.run(scenario[k]);
    std::string when = fmt::format(", in dispatch {} of {}", k + 1, scenario.size());
    if (!seen.wrong.empty()) {
      when += fmt::format(", of its case {}", scenario[k].cases[seen.wrong.front().position].number);
    }
    VYRE_CHECK(tell(seen, backend, when, type, out));
  }
  if (!out.fails) out.report += fmt::format("  passes, in {} dispatches\n", scenario.size());
  return {};
}

}  // namespace vyre::suite
