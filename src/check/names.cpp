#include <fmt/format.h>

#include "check/body.h"
#include "text/text.h"

namespace vyre::check {

void check_name(std::string_view name, Span span, std::string_view what, Report& report) {
  if (text::is_name(name)) return;
  // A name that becomes one by a suffix is well-formed, hence a reserved word.
  const bool reserved = !name.empty() && text::is_name(std::string(name) + "_");
  report.add(DiagCode::V031, span,
             reserved ? fmt::format("{} is a reserved word and cannot name a {}", quoted(name), what)
                      : fmt::format("{} is no name for a {}", quoted(name), what),
             reserved ? fmt::format("choose another name, for example {}", quoted(std::string(name) + "_"))
                      : "use letters, digits and underscores, and do not begin with a digit");
}

}  // namespace vyre::check
