#include "publish.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/read_file.h"
#include "certify/console.h"
#include "certify/keys.h"
#include "certify/run_report.h"
#include "suite/minimise.h"
#include "verbs.h"

namespace vyre::tool {

std::expected<std::vector<suite::Expectation>, int> read_expectations(const std::string& path) {
  std::vector<suite::Expectation> none;
  if (path.empty()) return none;
  auto text = read_file_text(path, kMaxListBytes);
  if (!text) return std::unexpected(usage_error(text.error()));
  const Source source(path, std::move(*text));
  auto read = suite::parse_expectations(source, suite::registered_subjects());
  if (read) return std::move(*read);
  fmt::print(stderr, "{}", render(read.error(), &source));
  return std::unexpected(2);  // as a wrong option would be
}

int publish(suite::Run run, const std::string& backend, const Publication& publication,
            std::span<const certify::Requirement> required, const certify::PrivateKey* key,
            std::span<const suite::Expectation> expectations) {
  const suite::Day day = suite::parse_day(run.day).value_or(suite::today());
  const std::vector<std::string> news = suite::apply(expectations, day, run.certificate);
  const certify::Certificate& certificate = run.certificate;
  const certify::ReportOptions options{backend, run.seconds, run.total_seconds, suite::value_texts};
  fmt::print("{}", certify::report(certificate, options));
  for (const std::string& line : news) fmt::print("{}: {}\n", publication.expect, line);
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
    const certify::RunFacts facts{backend,   run.seconds, run.total_seconds, run.failing,
                                  run.units, run.kept,    run.devices,       run.damage};
    const std::string beside = certify::report_path(publication.out);
    if (const auto done = certify::write_atomically(beside, certify::run_report(certificate, facts)); !done)
      return usage_error(done.error());
    fmt::print("run report {}\n", beside);
    fmt::print("certificate {} ({}), digest {}\n", publication.out,
               key ? "signed by " + key->public_key().id().substr(0, 16) : "unsigned",
               certify::digest(certificate).short_hex());
  }
  int exit = certificate.conforms() ? 0 : 1;
  for (const certify::Requirement& one : required) {
    if (const auto reached = certify::require(certificate, one); !reached) exit = report(reached.error());
  }
  std::fflush(stderr);
  fmt::print("level: {}\n", certificate.level_line());
  return exit;
}

}  // namespace vyre::tool
