#include <fmt/format.h>

#include <memory>

#include "base/read_file.h"
#include "ops/operation.h"
#include "text/text.h"
#include "verbs.h"
#include "wire/wire.h"

namespace vyre::tool {
namespace {

int run_decode(const std::string& path, const std::string& out) {
  const auto bytes = host::read_file(path, kMaxProgramBytes);
  if (!bytes) return usage_error(bytes.error().message);
  auto module = wire::decode_module(*bytes);
  if (!module) return report(module.error(), path);
  // Text is printed for what is valid only: a name that no text can carry is one of the rules.
  const auto checked = check::check(std::move(*module), ops::op_table());
  if (!checked) {
    fmt::print(stderr, "{}", host::render_all(checked.error(), nullptr, path));
    return 1;
  }
  return write_output(out, text::print((*checked)->module()));
}

}  // namespace

void add_decode(CLI::App& app, int& exit) {
  struct Options {
    std::string path, out;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("decode", "Print programs and modules from the wire format as text");
  verb->add_option("FILE", options->path, "a .vyrb file")->required()->type_name("FILE.vyrb");
  verb->add_option("-o", options->out, "the file to write; stdout without it")->type_name("OUT.vyre");
  verb->footer("Example: vyre decode kernel.vyrb -o kernel.vyre");
  verb->callback([options, &exit] { exit = run_decode(options->path, options->out); });
}

}  // namespace vyre::tool
