#include <memory>
#include <vector>

#include "ops/operation.h"
#include "verbs.h"

namespace vyre::tool {

void add_check(CLI::App& app, int& exit) {
  auto files = std::make_shared<std::vector<std::string>>();
  CLI::App* verb = app.add_subcommand("check", "Check programs against every rule");
  verb->add_option("FILE", *files, "programs, text or wire")->required();
  verb->footer(
      "Example: vyre check examples/block_sum.vyre\nEvery broken rule is shown with its line; `vyre explain "
      "V010` says more.");
  verb->callback([files, &exit] {
    for (const std::string& path : *files) {
      const auto file = host::load_checked(path, ops::op_table());
      if (!file) exit = std::max(exit, report(file.error()));
    }
  });
}

}  // namespace vyre::tool
