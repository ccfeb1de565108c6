#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

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
  std::vector<std::string> names;
  for (size_t p = 0; p < suite::kProveParts; ++p) names.emplace_back(text(suite::ProvePart(p)));
  auto only = std::make_shared<std::vector<std::string>>();
  verb->add_option("--only", *only, "these parts instead of declared,lowering")
      ->delimiter(',')
      ->check(CLI::IsMember(names));
  verb->add_flag("--json", request->json, "findings, statement digests and coverage as JSON");
  verb->footer(
      "Example:\n  vyre-conform prove 'primitive.bitwise.*'\n"
      "  vyre-conform prove 'primitive.bitwise.*' --only product  # every law of every function: minutes");
  verb->callback([request, only, names, &exit] {
    for (const std::string& name : *only)
      request->parts.insert(suite::ProvePart(std::ranges::find(names, name) - names.begin()));
    exit = run(*request);
  });
}

}  // namespace vyre::tool
