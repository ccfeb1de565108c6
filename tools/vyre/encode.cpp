#include <memory>

#include "ops/operation.h"
#include "verbs.h"
#include "wire/wire.h"

namespace vyre::tool {

void add_encode(CLI::App& app, int& exit) {
  struct Options {
    std::string path, out;
    std::vector<std::string> constants;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("encode", "Write a program in the wire format: canonical bytes");
  verb->add_option("FILE", options->path, "a program, text or wire")->required();
  verb->add_option("-o", options->out, "the file to write")->required()->type_name("OUT.vyrb");
  verb->add_option("--const", options->constants, "choose the value of a constant")
      ->type_name("NAME=INT")
      ->expected(1)
      ->take_all();
  verb->footer("Example: vyre encode kernel.vyre -o kernel.vyrb");
  verb->callback([options, &exit] {
    const auto chosen = host::parse_constants(options->constants);
    if (!chosen) {
      exit = usage_error(chosen.error().message);
      return;
    }
    const auto file = host::load_module(options->path, ops::op_table(), {*chosen});
    exit = file ? write_output(options->out, wire::encode(file->module->module())) : report(file.error());
  });
}

}  // namespace vyre::tool
