#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "backend/registry/registry.h"
#include "spec/ops.h"
#include "verbs.h"

namespace vyre::tool {
namespace {

/// What developers of backends want to see: how each operator is done, and what the probe found.
void print_floats(const Result<backend::FloatUse>& floats) {
  if (!floats) {
    fmt::print("{:12} floats: not known: {}\n", "", floats.error().message);
    return;
  }
  backend::FloatUse shown = *floats;  // the operators of the language; --json has the raw ones too
  for (auto* list : {&shown.native, &shown.composed})
    std::erase_if(*list, [](const std::string& name) { return !spec::find_op(name); });
  fmt::print("{:12} floats: {}\n", "", shown.line());
  for (const std::string& finding : floats->findings) fmt::print("{:12}   {}\n", "", finding);
}

struct BackendsOptions {
  bool json = false, verbose = false;
};

void print_at_length(const backend::Entry& entry, const Result<std::unique_ptr<backend::Backend>>& opened) {
  if (opened) {
    const backend::Identity identity = (*opened)->identity();
    fmt::print("{:12} {}\n{:12} {}; {}\n", entry.name, entry.summary, "", identity.device, identity.driver);
    print_floats((*opened)->floats());
  } else {
    fmt::print("{:12} {}\n{:12} not available: {}\n{:12} help: {}\n", entry.name, entry.summary, "",
               opened.error().message, "", opened.error().help);
  }
}

/// One line a backend: its name, whether it is there, what it runs on.
void print_line(const backend::Entry& entry, const Result<std::unique_ptr<backend::Backend>>& opened) {
  if (opened) {
    const backend::Identity identity = (*opened)->identity();
    fmt::print("{:10}  yes  {}; {}\n", entry.name, identity.device, identity.driver);
  } else {
    fmt::print("{:10}  no   {}\n", entry.name, opened.error().message);
  }
}

int run_backends(const BackendsOptions& options) {
  const bool json = options.json;
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
    } else if (options.verbose) {
      print_at_length(entry, opened);
    } else {
      print_line(entry, opened);
    }
  }
  if (json) fmt::print("{}\n", out.dump(2));
  return 0;
}

}  // namespace

void add_backends(CLI::App& app, int& exit) {
  auto options = std::make_shared<BackendsOptions>();
  CLI::App* verb = app.add_subcommand("backends", "List the backends of this build and what they run on");
  verb->add_flag("-v,--verbose", options->verbose,
                 "how each does arithmetic on floats too, and how to get those that are missing");
  verb->add_flag("--json", options->json, "machine-readable (docs/commands.md has the schema)");
  verb->footer("Example: vyre backends");
  verb->callback([options, &exit] { exit = run_backends(*options); });
}

}  // namespace vyre::tool
