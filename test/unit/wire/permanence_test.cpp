// The page on what is permanent names the tags that are reserved and those that are free.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "oracle.h"
#include "spec/ops.h"
#include "spec/types.h"
#include "wire/tags.h"

VYRE_ORACLE(SpecificationTable,
            "ops.def, types.def and tags.h, and docs/wire-format.md: the table of commands, by the words of "
            "the text");

namespace vyre::wire {
namespace {

std::string page() {
  std::ifstream file(std::string(VYRE_SOURCE_DIR) + "/docs/permanence.md");
  return {std::istreambuf_iterator<char>(file), {}};
}

/// "`10` to `14`" of the tags that are reserved, and after it the greatest tag that is reserved or taken.
struct Tags {
  uint32_t first = 0, last = 0, greatest = 0;
  template <typename Reserved, typename Rows>
  Tags(Reserved is_reserved, const Rows& rows) {
    for (uint32_t tag = 255; tag > 0; --tag) {
      if (!is_reserved(tag)) continue;
      if (last == 0) last = tag;
      first = tag;
    }
    greatest = last;
    for (const auto& row : rows) greatest = std::max(greatest, uint32_t(row.wire_tag));
  }
  std::string range() const { return fmt::format("`{:02x}` to `{:02x}`", first, last); }
  std::string free() const { return fmt::format("`{:02x}` on", greatest + 1); }
};

TEST(Tags, AreReservedAndFreeAsThePageSays) {
  const std::string text = page();
  const Tags types(is_reserved_type_tag, spec::kTypes), operators(is_reserved_operator_tag, spec::kOps);
  EXPECT_THAT(text, testing::HasSubstr("Types " + types.range()));
  EXPECT_THAT(text, testing::HasSubstr("operators " + operators.range()));
  EXPECT_THAT(text, testing::HasSubstr("from " + types.free() + ", for new operators those from " +
                                       operators.free()));
}

TEST(Tags, OfCommandsAreTheTableOfThePage) {
  std::ifstream file(std::string(VYRE_SOURCE_DIR) + "/docs/wire-format.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  constexpr std::array<std::pair<ir::CommandKind, std::string_view>, ir::kCommandKindCount> kWords = {{
      {ir::CommandKind::Scratch, "scratch"},
      {ir::CommandKind::Let, "let"},
      {ir::CommandKind::Dispatch, "dispatch"},
      {ir::CommandKind::Run, "run"},
      {ir::CommandKind::Loop, "for"},
      {ir::CommandKind::Repeat, "repeat"},
      {ir::CommandKind::If, "if"},
  }};
  const size_t table = text.find("| tag | command |");
  ASSERT_NE(table, std::string::npos);
  const std::string rows = text.substr(table, text.find("\n\n", table) - table);
  for (const auto& [kind, word] : kWords) {
    EXPECT_THAT(rows, testing::HasSubstr(fmt::format("\n| {} | `{}` |", tag(kind), word)));
    EXPECT_EQ(find_tag<ir::CommandKind>(tag(kind)), kind);
  }
  EXPECT_EQ(find_tag<ir::CommandKind>(0), std::nullopt);
  EXPECT_EQ(find_tag<ir::CommandKind>(ir::kCommandKindCount + 1), std::nullopt);
}

}  // namespace
}  // namespace vyre::wire
