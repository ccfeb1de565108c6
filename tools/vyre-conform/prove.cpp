#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "suite/prove.h"
#include "verbs.h"

namespace vyre::tool {
namespace {

/// Of a file there are two parts: what it declares, and which laws hold besides.
Result<suite::Proved> prove_file(const suite::OperationsFile& file, const suite::ProveRequest& request) {
  suite::ProveFileRequest of_file;
  of_file.suggest = request.parts.empty() || request.parts.contains(suite::ProvePart::Product);
  of_file.json = request.json;
  of_file.stop = request.stop;
  return suite::prove_file(file, of_file);
}

int run_prove(const suite::ProveRequest& request) {
  Result<suite::Proved> proved;
  if (is_file(request.pattern)) {
    for (const suite::ProvePart part : request.parts) {
      if (part != suite::ProvePart::Declared && part != suite::ProvePart::Product)
        return usage_error(fmt::format("--only {}: of a file declared and product are asked", text(part)));
    }
    const auto file = read_operations(request.pattern);
    if (!file) return file.error();
    proved = prove_file(*file, request);
  } else {
    proved = suite::prove(request);
  }
  if (!proved) return report(proved.error());
  fmt::print("{}", proved->text);
  return proved->good ? 0 : 1;
}

}  // namespace

void add_prove(CLI::App& app, int& exit) {
  auto* verb = app.add_subcommand("prove", "What operations declare, proved for all inputs by a solver");
  auto request = std::make_shared<suite::ProveRequest>();
  request->stop = &interruption();
  verb->add_option("GLOB", request->pattern,
                   "operations whose id matches, and operators: div; or a file of operations")
      ->capture_default_str();
  std::vector<std::string> names;
  for (size_t p = 0; p < suite::kProveParts; ++p) names.emplace_back(text(suite::ProvePart(p)));
  auto only = std::make_shared<std::vector<std::string>>();
  verb->add_option("--only", *only,
                   fmt::format("these parts, instead of declared,lowering: {}", fmt::join(names, ", ")))
      ->type_name("PART,...")
      ->delimiter(',')
      ->check(CLI::IsMember(names));
  verb->add_flag("--json", request->json, "findings, statement digests and coverage as JSON");
  verb->footer(
      "Example:\n  vyre-conform prove 'primitive.bitwise.*'\n"
      "  vyre-conform prove 'primitive.bitwise.*' --only product  # every law of every function: minutes\n"
      "  vyre-conform prove examples/operations.vyre");
  verb->callback([request, only, names, &exit] {
    for (const std::string& name : *only)
      request->parts.insert(suite::ProvePart(std::ranges::find(names, name) - names.begin()));
    exit = run_prove(*request);
  });
}

}  // namespace vyre::tool
