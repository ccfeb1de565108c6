// Files of operations, where a verb takes these or a pattern of the library's.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <system_error>

#include "host/files.h"
#include "ops/operation.h"
#include "verbs.h"

namespace vyre::tool {

bool is_file(const std::string& argument) {
  std::error_code ignored;
  return argument.ends_with(".vyre") || argument.ends_with(".vyrb") ||
         std::filesystem::is_regular_file(argument, ignored);
}

std::expected<suite::OperationsFile, int> read_operations(const std::string& path,
                                                          std::span<const std::string> constants) {
  const auto chosen = host::parse_constants(constants);
  if (!chosen) return std::unexpected(usage_error(chosen.error().message));
  auto file = host::load_module(path, ops::op_table(), {*chosen});
  if (file) return suite::OperationsFile{path, std::move(file->source), std::move(file->module)};
  fmt::print(stderr, "{}", file.error().rendered);
  return std::unexpected(file.error().exit_code);
}

}  // namespace vyre::tool
