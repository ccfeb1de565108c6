#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "base/read_file.h"
#include "certify/certificate.h"
#include "certify/console.h"
#include "spec/ops.h"
#include "suite/audit.h"
#include "suite/suite.h"
#include "verbs.h"

namespace vyre::tool {
namespace {

struct VerifyOptions {
  std::string path, pubkey;
  uint64_t audit = 0;  // leaves to run again
  std::optional<uint64_t> nonce;
  BackendOptions backend;
};

/// What is known of who signed it. With a key to hold it to, it has been held to it.
std::string signer(const certify::Envelope& envelope, bool checked) {
  if (!envelope.signature) return "is unsigned";
  const std::string id = envelope.signature->key_id.substr(0, 16);
  return checked ? fmt::format("is signed by {}, as --pubkey asks", id)
                 : fmt::format("names {} as its signer, which was not checked: --pubkey FILE does", id);
}

/// A number that the certificate's maker could not know.
uint64_t fresh_nonce() {
  std::random_device source;
  return uint64_t(source()) << 32 | source();
}

/// How many of the entries that verdicts are on are those of this build: what they say holds here too.
std::string common_entries(const certify::Certificate& certificate) {
  size_t same = 0;
  for (const verify::Verdict& verdict : certificate.verdicts)
    same += !verdict.entry.empty() && verdict.entry == certify::entry_of(verdict.subject);
  return fmt::format(
      "its registry is NOT that of this build; {} of its {} subjects are the same in both, and whether "
      "others are missing cannot be checked",
      same, certificate.verdicts.size());
}

/// Runs leaves again. Gives the exit code.
int audit(const certify::Certificate& certificate, const VerifyOptions& options) {
  const auto backend = open_backend(options.backend);
  if (!backend) return report(backend.error());
  verify::Monitor monitor;
  monitor.stop = &interruption();
  const uint64_t nonce = options.nonce ? *options.nonce : fresh_nonce();
  const auto result = suite::audit(**backend, certificate, options.audit, nonce, monitor);
  if (!result) return report(result.error(), options.path);
  if (monitor.stopped()) {
    return report(make_diag(DiagCode::C007, Span::none(), "the audit was interrupted", "run it again"),
                  options.path);
  }
  fmt::print("{}", suite::report(*result, nonce));
  if (result->agrees()) return 0;
  std::fflush(stdout);
  return report(
      make_diag(DiagCode::C002, Span::none(),
                fmt::format("what {} answers is not what the certificate says", options.backend.spec),
                "the certificate is of another device or driver, or was made up"),
      options.path);
}

int run_verify(const VerifyOptions& options) {
  const std::string& path = options.path;
  std::optional<certify::PublicKey> key;
  if (!options.pubkey.empty()) {
    auto read = certify::read_public_key(options.pubkey);
    if (!read) return usage_error(read.error());
    key = std::move(*read);
  }
  const auto text = read_file_text(path, kMaxCertificateBytes);
  if (!text) return usage_error(text.error());
  const auto opened = certify::open(*text);
  if (!opened) return report(opened.error(), path);
  if (key) {
    const auto right = certify::check_signature(opened->envelope, *key);
    if (!right) return report(right.error(), path);
  }
  const certify::Certificate* certificate = &opened->certificate;
  const bool same = certificate->registry == certify::this_registry(certificate->registry.is_approximate());
  if (same) {
    if (const auto complete = suite::expect_complete(*certificate); !complete) {
      return report(complete.error(), path);
    }
  }
  fmt::print("{}", certify::report(*certificate, {certificate->backend, {}, 0}));
  fmt::print("digest {}; the certificate adds up and {}\n", certify::digest(*certificate).short_hex(),
             signer(opened->envelope, key.has_value()));
  fmt::print("{}\n", same ? "its registry is that of this build, and every subject of its selection is there"
                          : common_entries(*certificate));
  if (options.audit != 0) {
    if (const int wrong = audit(*certificate, options); wrong != 0) return wrong;
  }
  fmt::print("level: {}\n", certificate->level_line());
  return certificate->conforms() ? 0 : 1;
}

}  // namespace

void add_verify(CLI::App& app, int& exit) {
  auto* verb =
      app.add_subcommand("verify", "Check that a certificate is whole and follows from its verdicts");
  auto o = std::make_shared<VerifyOptions>();
  verb->add_option("CERT", o->path, "the certificate")->required();
  verb->add_option("--pubkey", o->pubkey, "refuse it unless this key signed it")
      ->type_name("FILE")
      ->check(CLI::Validator(
          [](const std::string& text) {
            return std::string(text.empty() ? "wants a file, not nothing" : "");
          },
          ""));
  auto* audit = verb->add_option("--audit", o->audit, "run so many of its leaves again, on --backend")
                    ->type_name("N")
                    ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 32));
  verb->add_option("--nonce", o->nonce, "choose the leaves by this number instead of a fresh one")
      ->type_name("N")
      ->needs(audit);
  add_backend(*verb, o->backend);
  verb->footer(
      "Example:\n  vyre-conform verify cert.json\n  vyre-conform verify cert.json --pubkey keys/vyre.pub\n"
      "  vyre-conform verify cert.json --audit 20 --backend native");
  verb->callback([o, &exit] { exit = run_verify(*o); });
}

}  // namespace vyre::tool
