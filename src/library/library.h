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

/// A law of operations over buffers, in words; opspec/laws.h checks it.
struct Law {
  std::string_view operations;  // whose it is: is_among(id, operations)
  std::string_view name;
  bool claimed = true;  // else denied: some case refutes it
  std::string_view statement;
};
/// All, in the order of library/laws.def; those of an operation.
std::span<const Law> laws();
std::vector<const Law*> laws_of(std::string_view id);

/// What was measured of operations: times over those of something else, less is faster.
struct Speed {
  std::string_view operations;  // whose it is: is_among(id, operations)
  std::string_view input, device, beside, ratio;
};
/// All, in the order of library/speed.def.
std::span<const Speed> speeds();

}  // namespace vyre::library
