#include <fmt/format.h>

#include <memory>

#include "suite/laws.h"
#include "verbs.h"

namespace vyre::tool {
namespace {

int run_laws(const std::string& pattern, uint64_t seed) {
  Result<suite::LawTable> table;
  if (is_file(pattern)) {
    const auto file = read_operations(pattern);
    if (!file) return file.error();
    table = suite::law_table(*file, seed, &interruption());
  } else {
    table = suite::law_table(pattern, seed, &interruption());
  }
  if (!table) return report(table.error());
  fmt::print("{}{}\n", table->text, table->counts());
  return table->unsettled == 0 ? 0 : 1;
}

}  // namespace

void add_laws(CLI::App& app, int& exit) {
  auto* verb = app.add_subcommand("laws", "The laws of operations, with evidence on their definitions");
  struct Options {
    std::string pattern = "*";
    uint64_t seed = 1;
  };
  auto o = std::make_shared<Options>();
  verb->add_option("GLOB", o->pattern, "operations whose id matches, or a file of operations")
      ->capture_default_str();
  add_seed(*verb, o->seed, "of the witnessed inputs");
  verb->footer(
      "Example:\n  vyre-conform laws 'primitive.bitwise.*'\n  vyre-conform laws examples/operations.vyre");
  verb->callback([o, &exit] { exit = run_laws(o->pattern, o->seed); });
}

}  // namespace vyre::tool
