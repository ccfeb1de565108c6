// The page that lists the invariants, and the files that hold them, are the same fifteen.
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

#include "oracle.h"

VYRE_ORACLE(SpecificationTable, "docs/properties.md, the rows");

namespace vyre::test {
namespace {

TEST(PropertyPage, ListsTheFiles) {
  const std::filesystem::path root = VYRE_SOURCE_DIR;
  std::set<std::string> listed, there;
  std::ifstream page(root / "docs/properties.md");
  const std::regex row(R"(\| I\d+ \|.*\| `(i\d\d_\w+)` \|)");
  for (std::string line; std::getline(page, line);)
    if (std::smatch found; std::regex_match(line, found, row)) listed.insert(found[1]);
  for (const auto& file : std::filesystem::directory_iterator(root / "test/property")) {
    const std::string stem = file.path().stem().string();
    if (stem.starts_with("i") && stem.ends_with("_test")) there.insert(stem.substr(0, stem.size() - 5));
  }
  EXPECT_EQ(listed, there);
  EXPECT_EQ(there.size(), 15u);
}

}  // namespace
}  // namespace vyre::test
