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

/// Operations over buffers with a buffer of f32 among the parameters of `main`, or without: one a text, or
/// one a line `// as`.
inline uint32_t over_buffers(bool floats) {
  uint32_t n = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source() / "src" / "library")) {
    if (entry.path().extension() != ".vyre") continue;
    const std::string text = content(entry.path());
    const size_t main = text.find("\npipeline main(");
    if (text.substr(main, text.find(')', main) - main).contains("f32") != floats) continue;
    uint32_t named = 0;
    for (size_t at = 0; (at = text.find("\n// as collection.", at)) != std::string::npos; ++at) ++named;
    n += named == 0 ? 1 : named;
  }
  return n;
}

/// Operations on tensors of the ledger, whose first row is elementwise ones, and random graphs.
inline uint32_t tensors() {
  const std::string ledger = content(source() / "src" / "ir" / "tensor_ops.def");
  uint32_t n = 1;
  for (size_t at = 0; (at = ledger.find("\nVYRE_TENSOR_", at)) != std::string::npos; ++at) ++n;
  return n;
}

}  // namespace vyre::operation_files
