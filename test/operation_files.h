// How many operations the library has, counted in its folders: an operation is one file, and one of floats a
// file for three types (docs/adding-an-op.md). So adding one edits no test.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace vyre::operation_files {

/// The tree; VYRE_SOURCE_DIR in the environment names another one.
inline std::filesystem::path source() {
  const char* const moved = std::getenv("VYRE_SOURCE_DIR");
  return moved != nullptr ? moved : VYRE_SOURCE_DIR;
}

/// Files below a folder of src/ops whose names begin and end so.
inline uint32_t files(const char* folder, const std::string& begin = "", const std::string& end = "") {
  const std::filesystem::path root = source() / "src" / "ops" / folder;
  uint32_t n = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string name = entry.path().stem();
    n += entry.path().extension() == ".cpp" && name.starts_with(begin) && name.ends_with(end);
  }
  return n;
}

inline uint32_t primitives() { return files("primitive"); }
inline uint32_t approximate_operations() { return 3 * files("floating", "", "_approx"); }
/// The three files of conversions are four operations: f32 to and from the two others.
inline uint32_t float_operations() {
  return 3 * (files("floating") - files("floating", "", "_approx") - files("floating", "to_")) + 4;
}

}  // namespace vyre::operation_files
