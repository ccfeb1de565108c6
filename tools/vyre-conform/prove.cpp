#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>

#include "suite/prove.h"
#include "verbs.h"

namespace vyre::tool {
namespace {

int run(const suite::ProveRequest& request) {
  const auto told = suite::prove(request);
  if (!told) return report(told.error());
  fmt::print("{}", told->text);
  return told->good ? 0 : 1;
}

}  // namespace

void add_prove(CLI::App& app, int& exit) {
  auto* verb = app.add_subcommand("prove", "what operations declare, proved for all inputs by a solver");
  auto request = std::make_shared<suite::ProveRequest>();
  request->stop = &interruption();
  verb->add_option("GLOB", request->pattern, "operations whose id matches, and operators: div")
      ->capture_default_str();
  std::map<std::string, suite::ProvePart> parts;
  for (size_t p = 0; p < suite::kProveParts; ++p) {
    const suite::ProvePart part{uint8_t(p)};
    parts.emplace(text(part), part);
  }
  verb->add_option(
          "--only", request->parts,
          "a part instead of all: declared, theorems, lowering, product or collisions; may be given twice")
      ->transform(CLI::CheckedTransformer(parts));
  verb->add_flag("--json", request->json, "findings, statement digests and coverage as JSON");
  verb->footer("Example:\n  vyre-conform prove 'primitive.bitwise.*'");
  verb->callback([request, &exit] { exit = run(*request); });
}

}  // namespace vyre::tool
