#include "lower_web.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "ops/operation.h"
#include "verbs.h"
#include "web/conformance.h"
#include "web/runs.h"

namespace vyre::tool {
namespace {

/// The files as the page names them: as they were given, but absolute ones from the last folder that they
/// have in common on, for a reader of the page does not know the machine that made it.
std::vector<std::string> labels_of(const std::vector<std::string>& paths) {
  namespace fs = std::filesystem;
  std::optional<fs::path> common;
  for (const fs::path path : paths) {
    if (!path.is_absolute()) continue;
    if (!common) common = path.parent_path();
    while (path.lexically_relative(*common).string().starts_with("..")) common = common->parent_path();
  }
  std::vector<std::string> out;
  for (const fs::path path : paths)
    out.push_back(path.is_absolute() ? path.lexically_relative(*common).string() : path.string());
  return out;
}

/// All runs of all files as one page; or the exit code of what is wrong, which is said.
std::expected<web::Page, int> page_of(const std::vector<std::string>& paths,
                                      const std::optional<std::string>& entry) {
  const std::vector<std::string> labels = labels_of(paths);
  web::Page page{.title = fmt::format(
                     "vyre: {}", paths.size() == 1 ? labels[0] : fmt::format("{} programs", paths.size()))};
  for (size_t i = 0; i < paths.size(); ++i) {
    const std::string& path = paths[i];
    const auto file = host::load_checked(path, ops::op_table(), {}, entry);
    if (!file) return std::unexpected(report(file.error()));
    auto cases = web::cases_of(*file, labels[i], entry);
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

int lower_to_web(const std::vector<std::string>& paths, bool with_conformance, const std::string& folder,
                 const std::optional<std::string>& entry) {
  if (folder.empty() || folder == "-") return usage_error("--to web writes a folder: name it with -o");
  if (with_conformance != paths.empty())
    return usage_error("--to web takes program files, or --conformance, which brings its own");
  if (entry && paths.size() != 1) return usage_error("--entry goes with one FILE");
  const auto page = with_conformance ? conformance() : page_of(paths, entry);
  if (!page) return page.error();
  const auto written = web::write_page(*page, folder);
  return written ? 0 : usage_error(written.error().message);
}

}  // namespace vyre::tool
