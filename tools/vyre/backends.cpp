#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "backend/registry/registry.h"
#include "verbs.h"

namespace vyre::tool {
namespace {

void print_floats(const Result<backend::FloatUse>& floats) {
  if (!floats) {
    fmt::print("{:12} floats: not known: {}\n", "", floats.error().message);
    return;
  }
  fmt::print("{:12} floats: {}\n", "", floats->line());
  for (const std::string& finding : floats->findings) fmt::print("{:12}   {}\n", "", finding);
}

int run_backends(bool json) {
  nlohmann::json out = {{"schema", "vyre.backends/1"}, {"backends", nlohmann::json::array()}};
  for (const backend::Entry& entry : backend::all_backends()) {
    const auto opened = backend::open(entry.name);
    if (json) {
      nlohmann::json row = {
          {"name", entry.name}, {"summary", entry.summary}, {"available", opened.has_value()}};
      if (opened) {
        const backend::Identity identity = (*opened)->identity();
        row["device"] = identity.device;
        row["driver"] = identity.driver;
        row["version"] = identity.version;
        if (const auto floats = (*opened)->floats()) {
          row["floats"] = {{"form", floats->form},
                           {"native", floats->native},
                           {"composed", floats->composed},
                           {"findings", floats->findings}};
        } else {
          row["floats"] = {{"why", floats.error().message}, {"help", floats.error().help}};
        }
      } else {
        row["why"] = opened.error().message;
        row["help"] = opened.error().help;
      }
      out["backends"].push_back(row);
    } else if (opened) {
      const backend::Identity identity = (*opened)->identity();
      fmt::print("{:12} {}\n{:12} {}; {}\n", entry.name, entry.summary, "", identity.device, identity.driver);
      print_floats((*opened)->floats());
    } else {
      fmt::print("{:12} {}\n{:12} not available: {}\n{:12} help: {}\n", entry.name, entry.summary, "",
                 opened.error().message, "", opened.error().help);
    }
  }
  if (json) fmt::print("{}\n", out.dump(2));
  return 0;
}

}  // namespace

void add_backends(CLI::App& app, int& exit) {
  auto json = std::make_shared<bool>(false);
  CLI::App* verb = app.add_subcommand("backends", "List the backends of this build and what they run on");
  verb->add_flag("--json", *json, "machine-readable (docs/commands.md has the schema)");
  verb->footer("Example: vyre backends");
  verb->callback([json, &exit] { exit = run_backends(*json); });
}

}  // namespace vyre::tool
