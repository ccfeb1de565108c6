#include <fmt/format.h>

#include <memory>

#include "suite/prove.h"
#include "verbs.h"

namespace vyre::tool {
namespace {

int run(const std::string& pattern, bool json) {
  const auto told = suite::prove(pattern, json, &interruption());
  if (!told) return report(told.error());
  fmt::print("{}", told->text);
  return told->good ? 0 : 1;
}

}  // namespace

void add_prove(CLI::App& app, int& exit) {
  auto* verb = app.add_subcommand("prove", "what operations declare, proved for all inputs by a solver");
  struct Options {
    std::string pattern = "*";
    bool json = false;
  };
  auto o = std::make_shared<Options>();
  verb->add_option("GLOB", o->pattern, "operations whose id matches")->capture_default_str();
  verb->add_flag("--json", o->json, "findings, statement digests and coverage as JSON");
  verb->footer("Example:\n  vyre-conform prove 'primitive.bitwise.*'");
  verb->callback([o, &exit] { exit = run(o->pattern, o->json); });
}

}  // namespace vyre::tool
