#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "certify/certificate.h"
#include "certify/console.h"
#include "suite/suite.h"
#include "verbs.h"

namespace vyre::tool {
namespace {

struct Options {
  std::string path, pubkey;
};

/// What is known of who signed it. With a key to hold it to, it has been held to it.
std::string signer(const certify::Envelope& envelope, bool checked) {
  if (!envelope.signature) return "is unsigned";
  const std::string id = envelope.signature->key_id.substr(0, 16);
  return checked ? fmt::format("is signed by {}, as --pubkey asks", id)
                 : fmt::format("names {} as its signer, which was not checked: --pubkey FILE does", id);
}

int run(const Options& options) {
  const std::string& path = options.path;
  std::optional<certify::PublicKey> key;
  if (!options.pubkey.empty()) {
    auto read = certify::read_public_key(options.pubkey);
    if (!read) return usage_error(read.error());
    key = std::move(*read);
  }
  const auto text = certify::read_text(path);
  if (!text) return usage_error(text.error());
  const auto opened = certify::open(*text);
  if (!opened) return report(opened.error(), path);
  if (key) {
    const auto right = certify::check_signature(opened->envelope, *key);
    if (!right) return report(right.error(), path);
  }
  const certify::Certificate* certificate = &opened->certificate;
  const bool same = certificate->registry == certify::this_registry();
  if (same) {
    if (const auto complete = suite::expect_complete(*certificate); !complete) {
      return report(complete.error(), path);
    }
  }
  fmt::print("{}", certify::report(*certificate, {certificate->backend, {}, 0}));
  fmt::print("digest {}; the certificate adds up and {}\n", certify::digest(*certificate).short_hex(),
             signer(opened->envelope, key.has_value()));
  fmt::print("{}\n",
             same ? "its registry is that of this build, and every subject of its selection is there"
                  : "its registry is NOT that of this build, so what its subjects are cannot be checked");
  fmt::print("level: {}\n", certificate->level_line());
  return certificate->conforms() ? 0 : 1;
}

}  // namespace

void add_verify(CLI::App& app, int& exit) {
  auto* verb =
      app.add_subcommand("verify", "check that a certificate is whole and follows from its verdicts");
  auto o = std::make_shared<Options>();
  verb->add_option("CERT", o->path, "the certificate")->required();
  verb->add_option("--pubkey", o->pubkey, "refuse it unless this key signed it")
      ->check(CLI::Validator(
          [](const std::string& text) {
            return std::string(text.empty() ? "wants a file, not nothing" : "");
          },
          ""));
  verb->footer(
      "Example:\n  vyre-conform verify cert.json\n  vyre-conform verify cert.json --pubkey keys/vyre.pub");
  verb->callback([o, &exit] { exit = run(*o); });
}

}  // namespace vyre::tool
