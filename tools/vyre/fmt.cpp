#include <fmt/format.h>

#include <memory>

#include "base/read_file.h"
#include "text/text.h"
#include "verbs.h"
#include "wire/wire.h"

namespace vyre::tool {
namespace {

int run_fmt(const std::string& path, bool write) {
  auto bytes = host::read_file(path, kMaxProgramBytes);
  if (!bytes) return usage_error(bytes.error().message);
  if (wire::is_wire(*bytes)) {
    return usage_error(fmt::format("'{}' is wire, which has no layout: use `vyre decode`", path));
  }
  const Source source(path, std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()));
  const auto formatted = text::format(source.text());
  if (!formatted) {
    fmt::print(stderr, "{}", render(formatted.error(), &source));
    return exit_code(formatted.error().code);
  }
  if (!write) return write_output("-", *formatted);
  return *formatted == source.text() ? 0 : write_output(path, *formatted);
}

}  // namespace

void add_fmt(CLI::App& app, int& exit) {
  struct Options {
    std::string path;
    bool write = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("fmt", "Print a program in canonical layout; comments and radix stay");
  verb->add_option("FILE", options->path, "a .vyre text")->required();
  verb->add_flag("--write", options->write, "rewrite the file instead of printing");
  verb->footer("Example: vyre fmt kernel.vyre --write");
  verb->callback([options, &exit] { exit = run_fmt(options->path, options->write); });
}

}  // namespace vyre::tool
