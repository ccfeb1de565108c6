#include "suite/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/names.h"
#include "suite/suite.h"

namespace vyre::suite {

CasePlan case_plan(verify::Strength strength, uint64_t seed) {
  return {verify::operation_plan(strength), verify::family_plan(strength), verify::buffer_plan(strength),
          verify::engine_plan(strength),    verify::tensor_plan(strength), seed};
}

bool Selected::has(verify::Track track) const {
  return (track == verify::Track::Integer && generated_engines) ||
         std::ranges::any_of(operations,
                             [&](const ops::Operation* op) { return verify::track_of(*op) == track; }) ||
         std::ranges::any_of(over_buffers, [&](const auto& op) { return op.track() == track; }) ||
         std::ranges::any_of(tensors, [&](const auto* subject) { return subject->track == track; });
}

Result<Selected> select(std::string_view pattern, bool approximate) {
  Selected out;
  if (!approximate) {
    out.over_buffers = verify::buffer_subjects(pattern);
    out.generated_engines = matches(pattern, verify::kGeneratedEngines);
    for (const verify::TensorSubject& subject : verify::tensor_subjects())
      if (matches(pattern, subject.id)) out.tensors.push_back(&subject);
  }
  const ops::Operation* other = nullptr;  // one that matches, of the other kind
  for (const ops::Operation& op : ops::all_operations()) {
    if (!matches(pattern, op.id)) continue;
    if ((verify::track_of(op) == verify::Track::Approximate) == approximate) {
      out.operations.push_back(&op);
    } else {
      other = &op;
    }
  }
  const bool none =
      out.operations.empty() && out.over_buffers.empty() && !out.generated_engines && out.tensors.empty();
  if (none && other != nullptr) {
    return std::unexpected(make_diag(
        DiagCode::C004, Span::none(),
        fmt::format("\"{}\" matches no {} operation: {} is {}", pattern,
                    approximate ? "approximate" : "strict", other->id,
                    approximate ? "strict" : "approximate"),
        fmt::format("strict and approximate never share a certificate: `certify --track {}` judges it",
                    approximate ? "strict" : "approximate")));
  }
  if (none) {
    std::set<std::string> globs;  // of the folders
    std::vector<std::string_view> ids;
    for (const ops::Operation& op : ops::all_operations()) ids.push_back(op.id);
    for (const library::Entry& entry : library::entries()) ids.push_back(entry.id);
    for (const verify::TensorSubject& subject : verify::tensor_subjects()) ids.push_back(subject.id);
    NearestName nearest(pattern);
    for (const std::string_view id : ids) {
      for (size_t dot = 0; (dot = id.find('.', dot)) != id.npos; ++dot)
        globs.insert(std::string(id.substr(0, dot)) + ".*");
      nearest.consider_id(id);
    }
    for (const std::string& glob : globs) nearest.consider(glob);
    return std::unexpected(make_diag(
        DiagCode::C004, Span::none(), fmt::format("no operation matches \"{}\"", pattern),
        nearest.help_or("* stands for any characters, ? for one; `vyre ops` lists the operations")));
  }
  return out;
}

Result<std::vector<verify::Part>> select_parts(const Selected& operations, std::string_view pattern) {
  std::vector<verify::Part> out = verify::all_parts();
  std::erase_if(out, [&](const verify::Part& part) { return !operations.has(part.track); });
  NearestName nearest(pattern);
  for (const verify::Part& part : out) nearest.consider(verify::info(part.family).text);
  std::erase_if(out,
                [&](const verify::Part& part) { return !matches(pattern, verify::info(part.family).text); });
  if (out.empty() && pattern != kNoFamilies) {
    return std::unexpected(
        make_diag(DiagCode::C004, Span::none(),
                  fmt::format("no family of the selected operations' tracks matches \"{}\"", pattern),
                  nearest.help_or("* stands for any characters, ? for one; `none` leaves all families out")));
  }
  return out;
}

Result<std::vector<std::unique_ptr<Cases>>> cases_of(std::string_view selection, bool approximate,
                                                     std::string_view families) {
  VYRE_TRY(selected, select(selection, approximate));
  VYRE_TRY(parts, select_parts(selected, families));
  std::vector<std::unique_ptr<Cases>> out;
  for (const ops::Operation* operation : selected.operations) out.push_back(operation_cases(*operation));
  for (const verify::BufferSubject& operation : selected.over_buffers) out.push_back(buffer_cases(operation));
  if (selected.generated_engines) out.push_back(generated_engine_cases());
  for (const verify::TensorSubject* subject : selected.tensors) out.push_back(tensor_cases(*subject));
  for (const verify::Part& part : parts) out.push_back(family_cases(part));
  return out;
}

std::unique_ptr<Cases> find_cases(const verify::Verdict& verdict) {
  for (const ops::Operation& op : ops::all_operations())
    if (verify::subject_of(op.id, op.version) == verdict.subject) return operation_cases(op);
  if (const auto over_buffers = verify::find_buffer_subject(verdict.subject); over_buffers.entry != nullptr)
    return buffer_cases(over_buffers);
  if (verdict.subject == verify::subject_of(verify::kGeneratedEngines, 1)) return generated_engine_cases();
  if (const auto* subject = verify::find_tensor_subject(verdict.subject, verdict.track))
    return tensor_cases(*subject);
  const auto* family = verify::find_family(verdict.subject);
  return family == nullptr ? nullptr : family_cases({family->family, verdict.track});
}

}  // namespace vyre::suite
