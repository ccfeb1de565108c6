#include "suite/regressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "base/read_file.h"
#include "certify/certificate.h"
#include "certify/console.h"

namespace vyre::suite {

namespace fs = std::filesystem;

Result<std::vector<Regression>> read_regressions(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> paths;
  if (!fs::exists(folder, error)) return std::vector<Regression>();
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string ending = at->path().extension().string();
    if (ending == ".vyre" || ending == ".case") paths.push_back(at->path());
  }
  if (error) {
    return std::unexpected(make_diag(DiagCode::C003, Span::none(),
                                     fmt::format("cannot read {}: {}", folder.string(), error.message()),
                                     "name a directory of failing cases"));
  }
  std::ranges::sort(paths);
  std::vector<Regression> out;
  for (fs::path& path : paths) {
    const auto text = read_file_text(path, kMaxListBytes);
    if (!text)
      return std::unexpected(make_diag(DiagCode::C003, Span::none(), text.error(), "make it readable"));
    auto failing = parse_failing_case(*text);
    if (!failing) {
      Diag diag = std::move(failing).error();
      diag.message = fmt::format("{}: {}", path.string(), diag.message);
      diag.span = Span::none();
      return std::unexpected(std::move(diag));
    }
    out.push_back({std::move(path), std::move(*failing)});
  }
  return out;
}

Result<Replayed> replay_all(std::span<const Regression> regressions, backend::Backend& backend) {
  Replayed out;
  for (const Regression& regression : regressions) {
    auto replayed = replay(regression.failing, backend);
    if (!replayed) {
      Diag diag = std::move(replayed).error();
      diag.message = fmt::format("{}: {}", regression.path.string(), diag.message);
      return std::unexpected(std::move(diag));
    }
    if (replayed->fails) {
      out.failing.push_back({regression.path, regression.failing.story, std::move(*replayed)});
    } else {
      ++out.passing;
    }
  }
  return out;
}

std::string report(const Replayed& replayed, std::string_view backend) {
  std::string out;
  for (const Replayed::Failing& one : replayed.failing) {
    out += fmt::format("FAILED {}\n", one.path.string());
    const std::string& text = one.replay.report;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      out += fmt::format("  {}\n", std::string_view(text).substr(begin, end - begin));
      begin = end + 1;
    }
    out += fmt::format("  replay    vyre-conform replay {} --backend {}\n",
                       certify::shell_quoted(one.path.string()), certify::shell_quoted(backend));
  }
  return out +
         fmt::format("regressions: {} failing, {} passing\n", replayed.failing.size(), replayed.passing);
}

std::expected<Kept, std::string> keep(std::span<const FailingCase> failing, const fs::path& folder) {
  Kept out;
  std::set<fs::path> seen;
  for (const FailingCase& one : failing) {
    std::error_code error;
    const fs::path path = folder / file_name(one);
    if (!seen.insert(path).second) continue;  // several failures came down to one case
    if (fs::exists(path, error)) {
      ++out.known;
      continue;
    }
    fs::create_directories(folder, error);
    if (const auto written = certify::write_atomically(path, print(one)); !written)
      return std::unexpected(written.error());
    ++out.fresh;
  }
  return out;
}

}  // namespace vyre::suite
