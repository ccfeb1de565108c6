// Files as people name them on a command line: read whole, written whole or not at all.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/diag.h"
#include "check/checked.h"
#include "ir/ir.h"
#include "spec/operation.h"

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

/// A program file with what is needed to speak about it.
struct ProgramFile {
  std::string path;
  std::shared_ptr<const Source> source;  // null when the file is wire
  ir::Program program;
};

/// Why a program file could not be had: a usage error (exit 2), or diagnostics already rendered (exit 1).
struct ProgramError {
  std::string rendered;
  int exit_code;
};

/// Text or wire, told apart by the magic.
std::expected<ProgramFile, ProgramError> load_program(const std::string& path);

/// The same, then check().
struct CheckedFile {
  std::string path;
  std::shared_ptr<const Source> source;
  std::shared_ptr<const check::Checked> checked;
};
std::expected<CheckedFile, ProgramError> load_checked(const std::string& path, const spec::OpTable& ops);

/// The same with check_but_barriers(), for the reference alone.
struct WatchableFile {
  CheckedFile file;
  Diagnostics divergent;  // barriers that may diverge
};
std::expected<WatchableFile, ProgramError> load_watchable(const std::string& path, const spec::OpTable& ops);

/// All diagnostics, one after another, and a count at the end when there are several.
std::string render_all(const Diagnostics& diagnostics, const Source* source, const std::string& path);

}  // namespace vyre::host
