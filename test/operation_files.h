// How many operations the library has, counted in its folders: an operation is one text, and one of floats a
// text for three types (docs/adding-an-op.md). So adding one edits no test.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace vyre::operation_files {

/// The tree; VYRE_SOURCE_DIR in the environment names another one.
inline std::filesystem::path source() {
  const char* const moved = std::getenv("VYRE_SOURCE_DIR");
  return moved != nullptr ? moved : VYRE_SOURCE_DIR;
}

inline std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Texts below a folder of src/ops that have these words.
inline uint32_t texts(const char* folder, const std::string& words = "") {
  const std::filesystem::path root = source() / "src" / "ops" / folder;
  uint32_t n = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".vyre") continue;
    n += content(entry.path()).contains(words);
  }
  return n;
}

inline uint32_t primitives() { return texts("primitive"); }
/// A line of the text of the strict one gives it.
inline uint32_t approximate_operations() { return 3 * texts("floating", "// approximation: "); }
/// The conversions of floats are texts of one type, in float/.
inline uint32_t float_operations() { return 3 * texts("floating") + texts("float"); }

}  // namespace vyre::operation_files
