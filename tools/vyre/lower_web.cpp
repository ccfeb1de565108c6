#include "lower_web.h"

#include <fmt/format.h>

#include "ops/operation.h"
#include "verbs.h"
#include "web/conformance.h"
#include "web/runs.h"

namespace vyre::tool {
namespace {

/// All runs of all files as one page; or the exit code of what is wrong, which is said.
std::expected<web::Page, int> page_of(const std::vector<std::string>& paths) {
  web::Page page{.title = fmt::format(
                     "vyre: {}", paths.size() == 1 ? paths[0] : fmt::format("{} programs", paths.size()))};
  for (const std::string& path : paths) {
    const auto file = host::load_checked(path, ops::op_table());
    if (!file) return std::unexpected(report(file.error()));
    auto cases = web::cases_of(*file, path);
    if (!cases) {
      return std::unexpected(report(host::ProgramError{render(cases.error(), file->source.get(), path),
                                                       exit_code(cases.error().code)}));
    }
    for (web::Case& test : *cases) page.cases.push_back(std::move(test));
  }
  return page;
}

std::expected<web::Page, int> conformance() {
  auto page = web::conformance_page();
  if (!page) return std::unexpected(report(page.error()));
  return std::move(*page);
}

}  // namespace

int lower_to_web(const std::vector<std::string>& paths, bool with_conformance, const std::string& folder) {
  if (folder.empty() || folder == "-") return usage_error("--to web writes a folder: name it with -o");
  if (with_conformance != paths.empty())
    return usage_error("--to web takes program files, or --conformance, which brings its own");
  const auto page = with_conformance ? conformance() : page_of(paths);
  if (!page) return page.error();
  const auto written = web::write_page(*page, folder);
  return written ? 0 : usage_error(written.error().message);
}

}  // namespace vyre::tool
