// Writes the texts of test/floats at each type as files, for scripts: write_float_texts FOLDER.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "float_texts.h"

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "write_float_texts FOLDER\n"), 2;
  for (const auto& [name, text] : vyre::test::float_texts()) {
    std::ofstream file(std::filesystem::path(argv[1]) / std::filesystem::path(name).filename(),
                       std::ios::binary);
    if (!(file << text).flush()) return std::fprintf(stderr, "cannot write %s\n", name.c_str()), 1;
  }
}
