#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/names.h"
#include "verbs.h"

namespace vyre::tool {
namespace {

int run_explain(const std::string& code) {
  if (code.empty()) {
    for (const DiagInfo& info : all_diagnostics()) fmt::print("{}  {}\n", info.name, info.title);
    return 0;
  }
  std::string upper = code;  // codes are written so
  std::ranges::transform(upper, upper.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 32 : c; });
  const auto found = find_diagnostic(upper);
  if (!found) {
    NearestName nearest(upper);
    for (const DiagInfo& info : all_diagnostics()) nearest.consider(info.name);
    return usage_error(
        fmt::format("there is no diagnostic '{}'; {}", code, nearest.help_or("`vyre explain` lists them")));
  }
  const DiagInfo& info = diag_info(*found);
  fmt::print("{}: {}\n\n", info.name, info.title);
  // Wrapped at 80 columns for a terminal.
  std::string line;
  for (const std::string& word : CLI::detail::split(std::string(info.explanation), ' ')) {
    if (!line.empty() && line.size() + 1 + word.size() > 80) {
      fmt::print("{}\n", line);
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  fmt::print("{}\n", line);
  return 0;
}

}  // namespace

void add_explain(CLI::App& app, int& exit) {
  auto code = std::make_shared<std::string>();
  CLI::App* verb =
      app.add_subcommand("explain", "Explain a diagnostic: the rule, why it is one, and the way out");
  verb->add_option("CODE", *code, "a code like V010; all of them without it");
  verb->footer("Example: vyre explain V010");
  verb->callback([code, &exit] { exit = run_explain(*code); });
}

}  // namespace vyre::tool
