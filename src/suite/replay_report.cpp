#include "suite/replay_report.h"

#include <fmt/format.h>

#include "suite/failing_case.h"

namespace vyre::suite {

bool is_fault(const Diag& diag, const backend::Backend& backend) {
  return backend.isolated() && verify::is_of_a_case(diag);
}

std::string buffer_lines(const check::Checked& checked, const std::vector<Bytes>& buffers,
                         std::string_view label, bool written) {
  std::string out;
  for (size_t k = 0; k < buffers.size(); ++k) {
    const ir::BufferDecl& decl = checked.buffer(checked.bound_buffers()[k]);
    if (written && decl.access != ir::BufferAccess::ReadWrite) continue;
    out += fmt::format("  {:<9} {} = {}\n", out.empty() ? label : "", checked.program().code.name(decl.name),
                       describe_elements(buffers[k], checked.program().element(decl)));
  }
  return out;
}

Result<void> tell(const verify::Seen& seen, const backend::Backend& backend, std::string_view when,
                  spec::DataType type, Replay& out) {
  if (seen.error && !is_fault(*seen.error, backend)) return std::unexpected(*seen.error);
  if (!seen.bad()) return {};
  out.fails = true;
  out.report += fmt::format("  {}{}\n", verify::text(verify::fault_of(seen)), when);
  if (seen.error) out.report += fmt::format("  {}\n", seen.error->message);
  if (seen.broken != 0) out.report += fmt::format("  {} guard words were overwritten\n", seen.broken);
  if (seen.wrong.empty()) return {};
  const verify::Wrong& wrong = seen.wrong.front();
  if (!wrong.place.empty()) out.report += fmt::format("  at        {}\n", wrong.place);
  const std::span types(&type, 1);
  out.report += fmt::format("  expected  {}\n  actual    {}\n", describe_words(wrong.expected, types),
                            describe_words(wrong.actual, types));
  return {};
}

}  // namespace vyre::suite
