// vyre-conform: certify backends, check certificates, replay what failed.
#include <fmt/format.h>

#include <charconv>
#include <csignal>
#include <cstdio>

#include "../run_verbs.h"
#include "host/process.h"
#include "verbs.h"

namespace vyre::tool {

const std::string_view kProgram = "vyre-conform";

namespace {

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch it");

void on_signal(int signal) {
  interrupted = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void add_seed(CLI::App& verb, uint64_t& seed, const std::string& what) {
  const CLI::Validator whole(
      [](std::string& text) {
        uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool fits = error == std::errc{} && end == text.data() + text.size();
        return fits ? std::string() : "a seed is a decimal number below 2^64";
      },
      "");
  verb.add_option("--seed", seed, what)->type_name("NUMBER")->check(whole)->capture_default_str();
}

const std::atomic<bool>& interruption() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  return interrupted;
}

}  // namespace vyre::tool

namespace {

int run_main(int argc, char** argv) {
  CLI::App app(
      "vyre-conform: evidence that a backend gives the bytes that the specification says.\n"
      "`vyre-conform VERB --help` shows an example of each verb.");
  app.require_subcommand(1);
  app.set_version_flag("--version", "vyre-conform " VYRE_VERSION);
  int exit = 0;
  using namespace vyre::tool;
  add_certify(app, exit);
  add_verify(app, exit);
  add_replay(app, exit);
  add_laws(app, exit);
  add_prove(app, exit);
  add_merge(app, exit);
  add_diff(app, exit);
  add_keygen(app, exit);
  add_worker(app, exit);
  return run_verbs(app, "vyre-conform", argc, argv, exit);
}

}  // namespace

int main(int argc, char** argv) {
  // A file that may grow no more is an error of the write, which names it, and no reason to die.
  std::signal(SIGXFSZ, SIG_IGN);
  return vyre::host::run_process("vyre-conform", [&] { return run_main(argc, argv); });
}
