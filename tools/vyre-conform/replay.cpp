#include <fmt/format.h>

#include <memory>

#include "suite/replay.h"
#include "verbs.h"

namespace vyre::tool {
namespace {

int run(const std::string& token, const BackendOptions& options) {
  auto backend = open_backend(options);
  if (!backend) return report(backend.error());
  const auto replay = suite::replay(token, **backend);
  if (!replay) return report(replay.error());
  fmt::print("{}", replay->report);
  std::fflush(stdout);
  if (const auto passed = suite::require_passed(*replay, token, options.spec); !passed) {
    return report(passed.error());
  }
  return 0;
}

}  // namespace

void add_replay(CLI::App& app, int& exit) {
  auto* verb = app.add_subcommand("replay", "run one failing case again");
  struct Options {
    std::string token;
    BackendOptions backend;
  };
  auto o = std::make_shared<Options>();
  verb->add_option("TOKEN", o->token, "from a report or certificate")->required();
  add_backend(*verb, o->backend);
  verb->footer("Example:\n  vyre-conform replay primitive.bitwise.shl@1:random:1:42 --backend native");
  verb->callback([o, &exit] { exit = run(o->token, o->backend); });
}

}  // namespace vyre::tool
