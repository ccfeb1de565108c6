#include "publish.h"

#include <fmt/format.h>

#include <cstdio>

#include "certify/console.h"
#include "certify/keys.h"
#include "verbs.h"

namespace vyre::tool {

int publish(const suite::Run& run, const std::string& backend, const Publication& publication,
            std::span<const certify::Requirement> required, const certify::PrivateKey* key) {
  const certify::Certificate& certificate = run.certificate;
  const certify::ReportOptions options{backend, run.seconds, run.total_seconds};
  fmt::print("{}", certify::report(certificate, options));
  if (!publication.junit.empty()) {
    if (const auto done = certify::write_atomically(publication.junit, certify::junit(certificate, options));
        !done) {
      return usage_error(done.error());
    }
  }
  if (!publication.out.empty()) {
    const std::string text = certify::print(certificate, key);
    if (const auto done = certify::write_atomically(publication.out, text); !done)
      return usage_error(done.error());
    fmt::print("certificate {} ({}), digest {}\n", publication.out,
               key ? "signed by " + key->public_key().id().substr(0, 16) : "unsigned",
               certify::digest(certificate).short_hex());
  }
  int exit = certificate.passed() ? 0 : 1;
  for (const certify::Requirement& one : required) {
    if (const auto reached = certify::require(certificate, one); !reached) exit = report(reached.error());
  }
  std::fflush(stderr);
  fmt::print("level: {}\n", certificate.level_line());
  return exit;
}

}  // namespace vyre::tool
