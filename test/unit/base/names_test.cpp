#include "base/names.h"

#include <gtest/gtest.h>

#include "oracle.h"

VYRE_ORACLE(SpecificationTable, "names.h; edits counted by hand");

namespace vyre {
namespace {

std::string meant(std::string_view wanted, std::initializer_list<std::string_view> names) {
  NearestName nearest(wanted);
  for (const std::string_view name : names) nearest.consider(name);
  EXPECT_EQ(nearest.found(), !nearest.help().empty());
  return nearest.help();
}

TEST(NearestName, IsTheOneOfFewestEdits) {
  // Edits counted by hand: Damerau's four kinds, each one.
  for (const std::string_view typo : {"flor", "fllor", "flooor", "fkoor", "folor"})
    EXPECT_EQ(meant(typo, {"floor", "exponent"}), "did you mean `floor`?") << typo;
  EXPECT_EQ(meant("invocaton_di", {"local_id", "invocation_id"}), "did you mean `invocation_id`?");
}

TEST(NearestName, IsNoneWhereNothingIsNear) {
  // names.h: near enough is a third of the name, and at least one edit.
  EXPECT_EQ(meant("frobnicate", {"floor", "fsin"}), "");
  EXPECT_EQ(meant("ab", {"xb", "cd"}), "did you mean `xb`?");
  EXPECT_EQ(meant("a", {"b"}), "");
  EXPECT_EQ(meant("", {"a"}), "");
  EXPECT_EQ(meant("abcdef", {"abxyzf"}), "");
}

TEST(NearestName, AreTwoAtMost) {
  EXPECT_EQ(meant("V01", {"V010", "V011", "V012", "V123"}), "did you mean `V010` or `V011`?");
  EXPECT_EQ(meant("data", {"date", "data1", "data1", "dote"}), "did you mean `date` or `data1`?");
}

TEST(NearestName, KnowsOtherWordsForAName) {
  NearestName nearest("sinn");
  nearest.consider("fsin");
  EXPECT_EQ(nearest.help_or("none"), "none");
  nearest.consider("sin", "fsin");
  EXPECT_EQ(nearest.help_or("none"), "did you mean `fsin`?");
}

TEST(NearestName, IsOfNamesOfAnySize) {
  // names.h: a name may be anything that came from outside.
  const std::string long_name(100'000, 'x');
  EXPECT_EQ(meant(long_name, {"x", "xx"}), "");
  EXPECT_EQ(meant("xx", {long_name}), "");
}

}  // namespace
}  // namespace vyre
