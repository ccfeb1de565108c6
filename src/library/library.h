// The texts of the operations over buffers, as they are compiled in.
//
// A file src/library/<category>/<name>.vyre is the operation <category>.<name>: what it means, its buffers,
// its rows, and a pipeline `main`. A file for several operations names each in a line
// `// as collection.reduce_add: OP=0` with the values of its constants. What reads the texts is the operation
// table (ops/registry.h). Source: docs/library.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vyre::library {

struct File {
  std::string_view path;  // "hash/crc32"
  std::string_view text;
};
/// By path.
std::span<const File> files();

/// The id of a line `// as ID: NAME=VALUE, ...`; empty for any other line.
std::string_view named_id(std::string_view line);

/// An operation: a file, and the values of its constants.
struct Entry {
  std::string id;
  const File* file = nullptr;
  std::vector<std::pair<std::string, uint32_t>> constants;
  /// The first comment behind its id: "the CRC-32 of each item (IEEE 802.3)."
  std::string_view summary() const;
};
/// By id.
const std::vector<Entry>& entries();
const Entry* find(std::string_view id);

}  // namespace vyre::library
