// The verbs of `vyre`. Each registers a subcommand; its callback does the work and sets the exit code that
// COMMANDS fixes: 0 done, 1 the program or the run is wrong, 2 usage or I/O, 3 the backend cannot.
#pragma once

#include <CLI/CLI.hpp>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "../verb.h"
#include "base/diag.h"
#include "host/files.h"

namespace vyre::tool {

void add_check(CLI::App& app, int& exit);
void add_fmt(CLI::App& app, int& exit);
void add_encode(CLI::App& app, int& exit);
void add_decode(CLI::App& app, int& exit);
void add_lower(CLI::App& app, int& exit);
void add_run(CLI::App& app, int& exit);
void add_bench(CLI::App& app, int& exit);
void add_test(CLI::App& app, int& exit);
void add_ops(CLI::App& app, int& exit);
void add_backends(CLI::App& app, int& exit);
void add_explain(CLI::App& app, int& exit);

/// Prints what is wrong with a program; gives its exit code.
int report(const host::ProgramError& error);
/// Reads and checks a file, with constants as NAME=INT. The error was printed; it is the exit code.
std::expected<host::ModuleFile, int> load_module(const std::string& path,
                                                 std::span<const std::string> constants);
/// The same of one program of it.
std::expected<host::CheckedFile, int> load_program(const std::string& path,
                                                   std::span<const std::string> constants,
                                                   const std::optional<std::string>& entry);
/// The sizes of --dim NAME=SIZE, of one graph. The error was printed; it is the exit code.
std::expected<check::Dimensions, int> read_dimensions(std::span<const std::string> words,
                                                      const check::TensorGraph& graph);
/// Prints a diagnostic to stderr that changes no exit code.
void warn(const Diag& diag, const std::string& path, const Source* source);
/// The same, of what is no more than worth knowing.
void note(const Diag& diag, const std::string& path, const Source* source);
/// What the checker warns of.
void warn(const host::ModuleFile& file);
/// Writes to a file, or to stdout when the path is empty or "-"; gives the exit code.
int write_output(const std::string& path, std::span<const std::byte> bytes);
int write_output(const std::string& path, std::string_view text);

}  // namespace vyre::tool
