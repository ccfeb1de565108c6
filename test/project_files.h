// Files of the project, named from its root, as in "test/run/u32-add.vyre".
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace vyre::test {

inline std::string file_text(const std::filesystem::path& path) {
  std::ifstream in(std::filesystem::path(VYRE_SOURCE_DIR) / path, std::ios::binary);
  if (!in) throw std::runtime_error(path.string() + " is not there");
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The .vyre files of a folder, sorted.
inline std::vector<std::filesystem::path> files_of(const char* folder) {
  std::vector<std::filesystem::path> out;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(VYRE_SOURCE_DIR) / folder))
    if (entry.path().extension() == ".vyre") out.push_back(entry.path());
  std::ranges::sort(out);
  return out;
}

}  // namespace vyre::test
