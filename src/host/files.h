// Files as people name them on a command line: read whole, written whole or not at all.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/bytes.h"
#include "base/diag.h"
#include "check/module.h"
#include "spec/operation.h"
#include "text/text.h"

namespace vyre::host {

/// What went wrong with a file or an option, for exit code 2: a sentence without a code.
struct UsageError {
  std::string message;
};

/// At most so many bytes (base/read_file.h).
std::expected<Bytes, UsageError> read_file(const std::string& path, uint64_t most);

/// Writes to a file of another name in the same folder, then renames: a reader never sees half a file. "-" is
/// stdout.
std::expected<void, UsageError> write_file(const std::string& path, std::span<const std::byte> bytes);
std::expected<void, UsageError> write_file(const std::string& path, std::string_view text);

/// Why a file of programs could not be had: a usage error (exit 2), or diagnostics already rendered (exit 1).
struct ProgramError {
  std::string rendered;
  int exit_code;
};

/// What it took to have a file, for people.
struct LoadTime {
  double read_seconds = 0, check_seconds = 0;  // reading is from the disk, and of the text
};

/// A file, text or wire, which of the two its first bytes say, with what is needed to speak about it.
struct ModuleFile {
  std::string path;
  std::shared_ptr<const Source> source;  // null when the file is wire
  std::shared_ptr<const check::CheckedModule> module;
  LoadTime time = {};
};

struct LoadOptions {
  text::Constants constants;    // chosen on the command line
  bool watch_barriers = false;  // barriers that may diverge are no errors: for the reference alone
};

/// Reads and checks. Errors: exit 2 for a file that cannot be read and for a constant that it does not have.
std::expected<ModuleFile, ProgramError> load_module(const std::string& path, const spec::OpTable& ops,
                                                    const LoadOptions& options = {});

/// Says which chosen constant the file does not have, and what it has; none when it has all.
std::optional<std::string> unknown_constant(const ir::Module& module, const text::Constants& chosen);

enum class ItemKind : uint8_t { Program, Pipeline, Graph };
/// "program".
std::string_view text(ItemKind kind);

/// What a run begins with.
struct Entry {
  ItemKind kind = ItemKind::Program;
  uint32_t number = 0;  // among the module's of that kind
};
/// Its name.
std::string_view name_of(const check::CheckedModule& module, const Entry& entry);
/// The item of that name; without one `main`, else the only one that no other item dispatches, runs or calls.
/// Errors  a name that is not there, a file without any, or several to choose from, which are listed.
std::expected<Entry, UsageError> find_entry(const check::CheckedModule& module,
                                            const std::optional<std::string>& name = {});

/// The program that is the entry of a file.
struct CheckedFile {
  std::string path;
  std::shared_ptr<const Source> source;
  std::shared_ptr<const check::Checked> checked;
};
/// Errors: as load_module and find_entry, and another item where a program is wanted (exit 2).
std::expected<CheckedFile, ProgramError> load_checked(const std::string& path, const spec::OpTable& ops,
                                                      const LoadOptions& options = {},
                                                      const std::optional<std::string>& entry = {});

/// Constants as they stand on the command line: NAME=INT, the number as in text.
std::expected<text::Constants, UsageError> parse_constants(std::span<const std::string> words);

/// All diagnostics, one after another, and a count at the end when there are several.
std::string render_all(const Diagnostics& diagnostics, const Source* source, const std::string& path);

}  // namespace vyre::host
