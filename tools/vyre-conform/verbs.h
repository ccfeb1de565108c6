// The verbs of `vyre-conform`. Each registers a subcommand; its callback does the work and sets the exit code
// that COMMANDS fixes: 0 done and conforming, 1 not conforming, 2 usage or I/O, 3 the backend cannot.
#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "../verb.h"
#include "backend/backend.h"
#include "base/diag.h"
#include "suite/prove_file.h"

namespace vyre::tool {

void add_certify(CLI::App& app, int& exit);
void add_verify(CLI::App& app, int& exit);
void add_replay(CLI::App& app, int& exit);
void add_laws(CLI::App& app, int& exit);
void add_prove(CLI::App& app, int& exit);
void add_merge(CLI::App& app, int& exit);
void add_diff(CLI::App& app, int& exit);
void add_keygen(CLI::App& app, int& exit);
/// What worker::make_worker() starts; --help does not list it.
void add_worker(CLI::App& app, int& exit);

/// Which backend a verb judges, and where it runs.
struct BackendOptions {
  std::string spec = "native";
  bool in_process = false;
  std::string floats = "auto";
  double budget = 10;               // seconds that a dispatch may take, in a worker
  std::function<unsigned()> cores;  // as of worker::Options
  std::vector<std::string> hidden;  // paths that the worker cannot read
};
/// Adds --backend, --in-process, --float and the hidden --budget.
void add_backend(CLI::App& verb, BackendOptions& options);
/// Opens it: in a process of its own unless the options say otherwise. Errors: what opening answers.
/// Thread  any.
Result<std::unique_ptr<backend::Backend>> open_backend(const BackendOptions& options);

/// Whether an argument that may be a pattern of ids is a file: it is there, or is named as one.
bool is_file(const std::string& argument);
/// Reads and checks it, with constants as NAME=INT. The error was printed; it is the exit code.
std::expected<suite::OperationsFile, int> read_operations(const std::string& path,
                                                          std::span<const std::string> constants = {});

/// Adds --seed: 0 to 2^64 - 1. CLI11 alone would wrap -1 around.
void add_seed(CLI::App& verb, uint64_t& seed, const std::string& what);

/// Becomes true at the first SIGINT or SIGTERM after this call; a second one ends the process.
const std::atomic<bool>& interruption();

}  // namespace vyre::tool
