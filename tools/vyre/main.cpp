// vyre: check, format, lower and run programs.
#include <fmt/format.h>

#include <cstdio>

#include "../run_verbs.h"
#include "host/graphs.h"
#include "host/process.h"
#include "ops/operation.h"
#include "verbs.h"

namespace vyre::tool {

const std::string_view kProgram = "vyre";

int report(const host::ProgramError& error) {
  fmt::print(stderr, "{}", error.rendered);
  return error.exit_code;
}

namespace {

/// What `load` gives with the constants that were chosen.
template <typename Load>
auto loaded(std::span<const std::string> constants, const Load& load)
    -> std::expected<typename decltype(load(text::Constants()))::value_type, int> {
  const auto chosen = host::parse_constants(constants);
  if (!chosen) return std::unexpected(usage_error(chosen.error().message));
  auto file = load(*chosen);
  if (!file) return std::unexpected(report(file.error()));
  return std::move(*file);
}

}  // namespace

std::expected<host::ModuleFile, int> load_module(const std::string& path,
                                                 std::span<const std::string> constants) {
  return loaded(constants, [&](const text::Constants& chosen) {
    return host::load_module(path, ops::op_table(), {chosen});
  });
}

std::expected<host::CheckedFile, int> load_program(const std::string& path,
                                                   std::span<const std::string> constants,
                                                   const std::optional<std::string>& entry) {
  return loaded(constants, [&](const text::Constants& chosen) {
    return host::load_checked(path, ops::op_table(), {chosen}, entry);
  });
}

std::expected<check::Dimensions, int> read_dimensions(std::span<const std::string> words,
                                                      const check::TensorGraph& graph) {
  check::Dimensions out;
  for (const std::string& word : words) {
    const size_t equals = std::min(word.find('='), word.size());
    const std::string name = word.substr(0, equals);
    const auto size = text::parse_integer(word.substr(std::min(equals + 1, word.size())));
    if (!size) return std::unexpected(usage_error(fmt::format("--dim {}: wants NAME=SIZE", word)));
    if (!host::has_dimension(graph, name))
      return std::unexpected(
          usage_error(fmt::format("--dim {}: {} has no such dimension", word, graph.name)));
    if (!out.emplace(name, *size).second)
      return std::unexpected(usage_error(fmt::format("--dim {}: the dimension is set twice", word)));
  }
  return out;
}

void warn(const Diag& diag, const std::string& path, const Source* source) {
  fmt::print(stderr, "{}", render(diag, source, path, "warning"));
}

void note(const Diag& diag, const std::string& path, const Source* source) {
  fmt::print(stderr, "{}", render(diag, source, path, "note"));
}
void warn(const host::ModuleFile& file) {
  for (const auto& program : file.module->own_programs())
    for (const Diag& diag : program->warnings()) warn(diag, file.path, file.source.get());
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

int run_main(int argc, char** argv) {
  CLI::App app(
      "vyre: one program, one answer, on every backend.\n"
      "A program is a .vyre text or its wire form; `vyre VERB --help` shows an example of each verb.");
  app.require_subcommand(1);
  app.set_version_flag("--version", "vyre " VYRE_VERSION);
  int exit = 0;
  using namespace vyre::tool;
  add_check(app, exit);
  add_fmt(app, exit);
  add_encode(app, exit);
  add_decode(app, exit);
  add_lower(app, exit);
  add_run(app, exit);
  add_bench(app, exit);
  add_test(app, exit);
  add_ops(app, exit);
  add_backends(app, exit);
  add_explain(app, exit);
  return run_verbs(app, "vyre", argc, argv, exit);
}

}  // namespace

int main(int argc, char** argv) {
  return vyre::host::run_process("vyre", [&] { return run_main(argc, argv); });
}
