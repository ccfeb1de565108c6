#include <fmt/format.h>

#include <memory>

#include "certify/keys.h"
#include "verbs.h"

namespace vyre::tool {
namespace {

int run_keygen(const std::string& folder) {
  const certify::PrivateKey key = certify::PrivateKey::generate();
  if (const auto done = certify::write_key_pair(key, folder); !done) return usage_error(done.error());
  fmt::print(
      "{0}/vyre.key  private: for `certify --key`; its owner alone may read it\n"
      "{0}/vyre.pub  public: for `verify --pubkey`\n"
      "key {1}\n",
      folder, key.public_key().id());
  return 0;
}

}  // namespace

void add_keygen(CLI::App& app, int& exit) {
  auto* verb = app.add_subcommand("keygen", "Make a pair of keys to sign certificates with");
  auto folder = std::make_shared<std::string>();
  verb->add_option("DIR", *folder, "where vyre.key and vyre.pub are written; nothing is overwritten")
      ->required();
  verb->footer("Example:\n  vyre-conform keygen keys");
  verb->callback([folder, &exit] { exit = run_keygen(*folder); });
}

}  // namespace vyre::tool
