// The programs that the wire tests run over, and how they read files.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "text/text.h"

namespace vyre::wire {

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}
inline Bytes read_bytes(const std::filesystem::path& path) {
  const std::string text = read_text(path);
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// What the text gives.
template <typename Parsed>
Parsed good(Result<Parsed> parsed, const std::string& text) {
  if (!parsed) {
    const Source source("test", text);
    ADD_FAILURE() << render(parsed.error(), &source);
    std::abort();
  }
  return *std::move(parsed);
}
inline ir::Program parse(const std::string& text) { return good(text::parse(text), text); }
inline ir::Module parse_module(const std::string& text) { return good(text::parse_module(text), text); }

/// Files of one folder of the project with this extension, by name.
inline std::vector<std::filesystem::path> files(const std::string& folder, const std::string& extension) {
  std::vector<std::filesystem::path> out;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(VYRE_SOURCE_DIR) / folder)) {
    if (entry.path().extension() == extension) out.push_back(entry.path());
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace vyre::wire
