// Golden files: what this project printed once and a person read. They show in review what a change does;
// whether the text is right is for the tests that run it. VYRE_BLESS=1 (`./dev bless`) writes them anew.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "project_programs.h"

namespace vyre::test {

/// That the file, named from the project's root, holds this text.
inline void expect_golden(const std::filesystem::path& golden, const std::string& text) {
  const char* const bless = std::getenv("VYRE_BLESS");
  if (bless != nullptr && std::string_view(bless) == "1")
    std::ofstream(std::filesystem::path(VYRE_SOURCE_DIR) / golden, std::ios::binary) << text;
  EXPECT_EQ(text, file_text(golden)) << golden << " differs; VYRE_BLESS=1 writes it anew";
}

/// For each of the programs "test/golden/kernel/halves": that `folder`/halves`extension` holds what `print`
/// makes of its text.
template <typename Print>
void expect_golden_texts(std::initializer_list<const char*> programs, const std::filesystem::path& folder,
                         const char* extension, const Print& print) {
  for (const std::filesystem::path name : programs)
    expect_golden(folder / (name.filename().string() + extension), print(file_text(name.string() + ".vyre")));
}

}  // namespace vyre::test
