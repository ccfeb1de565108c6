#include "suite/emit.h"

#include <fmt/format.h>

#include <algorithm>

#include "check/checked.h"
#include "lower/kernel.h"
#include "lower/source/source.h"
#include "lower/spirv/float_promises.h"
#include "lower/spirv/spirv.h"
#include "lower/wgsl/wgsl.h"
#include "ops/operation.h"

namespace vyre::suite {
namespace {

using lower::Kernel;

/// The text of the case as comments of another language: it has all that is known.
std::string commented(const FailingCase& failing) {
  const std::string text = print(failing);
  std::string out;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    const std::string_view line(text.data() + begin, end - begin);
    out += line.starts_with("// ") ? std::string(line) : fmt::format("//   {}", line);
    out += '\n';
    begin = end + 1;
  }
  return out;
}

Result<std::string> wgsl(const FailingCase& failing, const Kernel& kernel) {
  VYRE_TRY(module, lower::emit_wgsl(lower::legalize(kernel, lower::kWgslTarget)));
  const std::string head = commented(failing);
  return fmt::format(
      "{}// Binding {} has the numbers of elements of the others, in order. Dispatch {} x {} x {} "
      "groups.\n{}",
      head, module.buffers, failing.program->groups.x, failing.program->groups.y, failing.program->groups.z,
      module.text);
}

/// For a device with what nearly all have.
Result<std::string> spirv(const Kernel& kernel) {
  const auto floats = lower::vulkan_promises(lower::kUsualDevice.floats);
  const Kernel legal = lower::legalize(kernel, lower::spirv_target(lower::kUsualDevice, floats));
  VYRE_TRY(module, lower::emit_spirv(legal, lower::kUsualDevice));
  const auto bytes = std::as_bytes(std::span(module.words));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Result<std::string> source(const FailingCase& failing, const Kernel& kernel, lower::SourceDialect dialect) {
  const generate::ProgramCase& c = *failing.program;
  std::string head = print(failing);
  if (head.starts_with("// ")) head = head.substr(3);
  for (size_t at = head.find("\n// "); at != head.npos; at = head.find("\n// ", at)) head.erase(at + 1, 3);
  return lower::emit_source(lower::legalize(kernel, lower::kSourceTarget), dialect,
                            {c.groups, c.buffers, failing.expected}, head);
}

}  // namespace

std::optional<Format> find_format(std::string_view text) {
  const auto found = std::ranges::find(kFormats, text, &FormatInfo::text);
  return found == kFormats.end() ? std::nullopt : std::optional(found->format);
}

Result<std::string> emit(const FailingCase& failing, Format format) {
  if (!failing.program) {
    return std::unexpected(
        make_diag(DiagCode::C003, Span::none(),
                  fmt::format("{} is no program that could be written down", failing.story.token),
                  "replay the token instead"));
  }
  const auto checked = check::check(failing.program->program, ops::op_table());
  if (!checked) return std::unexpected(checked.error().front());
  const Kernel kernel = lower::build(*checked);
  switch (format) {
    case Format::Vyre: return print(failing);
    case Format::Wgsl: return wgsl(failing, kernel);
    case Format::Spirv: return spirv(kernel);
    case Format::Cuda: return source(failing, kernel, lower::SourceDialect::Cuda);
    case Format::Cpp: return source(failing, kernel, lower::SourceDialect::Cpp);
  }
  return {};
}

}  // namespace vyre::suite
