#include "certify/diff.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <vector>

#include "base/read_file.h"
#include "verbs.h"

namespace vyre::tool {
namespace {

int run_diff(const std::array<std::string, 2>& paths) {
  std::vector<certify::Certificate> certificates;
  for (const std::string& path : paths) {
    const auto text = read_file_text(path, kMaxCertificateBytes);
    if (!text) return usage_error(text.error());
    auto certificate = certify::parse(*text);
    if (!certificate) return report(certificate.error(), path);
    certificates.push_back(std::move(*certificate));
  }
  const certify::Difference difference = certify::diff(certificates[0], certificates[1]);
  for (const std::string& line : difference.lines) fmt::print("{}\n", line);
  return difference.same_level ? 0 : 1;
}

}  // namespace

void add_diff(CLI::App& app, int& exit) {
  auto* verb = app.add_subcommand("diff", "Why one certificate has another level than another");
  auto paths = std::make_shared<std::array<std::string, 2>>();
  verb->add_option("FROM", (*paths)[0], "a certificate")->required();
  verb->add_option("TO", (*paths)[1], "another; exit code 0 when both have the same level")->required();
  verb->footer("Example:\n  vyre-conform diff before.json after.json");
  verb->callback([paths, &exit] { exit = run_diff(*paths); });
}

}  // namespace vyre::tool
