#include <memory>

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
  add_constants(*verb, options->constants);
  verb->footer("Example: vyre encode kernel.vyre -o kernel.vyrb");
  verb->callback([options, &exit] {
    const auto file = load_module(options->path, options->constants);
    exit = file ? write_output(options->out, wire::encode(file->module->module())) : file.error();
  });
}

}  // namespace vyre::tool
