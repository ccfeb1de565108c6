#include <fmt/format.h>

#include <memory>

#include "certify/certificate.h"
#include "certify/console.h"
#include "suite/suite.h"
#include "verbs.h"

namespace vyre::tool {
namespace {

int run(const std::string& path) {
  const auto text = certify::read_text(path);
  if (!text) return usage_error(text.error());
  const auto certificate = certify::parse(*text);
  if (!certificate) return report(certificate.error(), path);
  const bool same = certificate->registry == certify::this_registry();
  if (same) {
    if (const auto complete = suite::expect_complete(*certificate); !complete) {
      return report(complete.error(), path);
    }
  }
  fmt::print("{}", certify::report(*certificate, {certificate->backend, {}, 0}));
  fmt::print("digest {}; the certificate adds up and is unsigned\n",
             certify::digest(*certificate).short_hex());
  fmt::print("{}\n",
             same ? "its registry is that of this build, and every subject of its selection is there"
                  : "its registry is NOT that of this build, so what its subjects are cannot be checked");
  fmt::print("level: {}\n", certificate->level_line());
  return certificate->passed() ? 0 : 1;
}

}  // namespace

void add_verify(CLI::App& app, int& exit) {
  auto* verb =
      app.add_subcommand("verify", "check that a certificate is whole and follows from its verdicts");
  auto path = std::make_shared<std::string>();
  verb->add_option("CERT", *path, "the certificate")->required();
  verb->footer("Example:\n  vyre-conform verify cert.json");
  verb->callback([path, &exit] { exit = run(*path); });
}

}  // namespace vyre::tool
