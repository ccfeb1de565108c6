// vyre: check, format, lower and run programs.
#include <fmt/format.h>

#include <cstdio>

#include "host/process.h"
#include "verbs.h"

namespace vyre::tool {

int usage_error(std::string_view message) {
  fmt::print(stderr, "vyre: {}\n", message);
  return 2;
}

int report(const Diag& diag, std::string_view file) {
  fmt::print(stderr, "{}", render(diag, nullptr, file));
  return exit_code(diag.code);
}

int report(const host::ProgramError& error) {
  fmt::print(stderr, "{}", error.rendered);
  return error.exit_code;
}

int write_output(const std::string& path, std::span<const std::byte> bytes) {
  const auto written = host::write_file(path.empty() ? "-" : path, bytes);
  return written ? 0 : usage_error(written.error().message);
}

int write_output(const std::string& path, std::string_view text) {
  return write_output(path, std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace vyre::tool

namespace {

int run(int argc, char** argv) {
  CLI::App app(
      "vyre: one program, one answer, on every backend.\n"
      "A program is a .vyre text or its wire form; `vyre VERB --help` shows an example of each verb.");
  app.require_subcommand(1);
  app.set_version_flag("--version", "vyre " VYRE_VERSION);
  app.failure_message([](const CLI::App* failed, const CLI::Error& error) {
    const auto verbs = failed->get_subcommands();
    return fmt::format("vyre: {}; `vyre {}--help` shows how\n", error.what(),
                       verbs.empty() ? "" : verbs.front()->get_name() + " ");
  });
  int exit = 0;
  using namespace vyre::tool;
  add_check(app, exit);
  add_fmt(app, exit);
  add_encode(app, exit);
  add_decode(app, exit);
  add_lower(app, exit);
  add_run(app, exit);
  add_ops(app, exit);
  add_backends(app, exit);
  add_explain(app, exit);
  const auto is_verb = [&](std::string_view word) {
    const auto verbs = app.get_subcommands([&](const CLI::App* verb) { return verb->get_name() == word; });
    return !verbs.empty();
  };
  if (argc > 1 && argv[1][0] != '-' && !is_verb(argv[1])) {
    return usage_error(fmt::format("there is no verb '{}'; `vyre --help` lists them", argv[1]));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& done) {
    return app.exit(done);
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    return 2;
  }
  return exit;
}

}  // namespace

int main(int argc, char** argv) {
  return vyre::host::run_process("vyre", [&] { return run(argc, argv); });
}
