// Tables of literals, against std::string::find for each literal at each place.
#include <gtest/gtest.h>

#include "base/random.h"
#include "oracle.h"
#include "walk.h"

VYRE_ORACLE(CpuReference, "std::string::find");

namespace vyre::tables {
namespace {

using Occurrences = std::vector<std::pair<size_t, uint32_t>>;  // ends and numbers

Occurrences walked(const Table& table, std::string_view text) {
  const DfaWords dfa = {table.words};
  Occurrences out;
  uint32_t state = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const uint32_t entry = dfa.entry(state, dfa.class_of(uint8_t(text[at])));
    state = entry & 0x7fff'ffff;
    const uint32_t begin = dfa.label(state), end = dfa.label(state + 1);
    EXPECT_EQ(entry >> 31 != 0, begin != end);
    for (uint32_t k = begin; k < end; ++k) out.emplace_back(at + 1, dfa.label(dfa.states() + 1 + k));
  }
  return out;
}

Occurrences found(const std::vector<std::string>& literals, const std::string& text) {
  Occurrences out;
  for (uint32_t k = 0; k < literals.size(); ++k)
    for (size_t at = text.find(literals[k]); at != text.npos; at = text.find(literals[k], at + 1))
      out.emplace_back(at + literals[k].size(), k);
  std::ranges::sort(out);
  return out;
}

std::string letters(RandomStream& random, uint32_t kinds, uint32_t count) {
  std::string out;
  while (count-- > 0) out += char(random.below(kinds));
  return out;
}

TEST(Literals, AreFoundWhereStringFindFindsThem) {
  for (uint64_t number = 0; number < 2'000; ++number) {
    RandomStream random(6, number);
    const uint32_t kinds = random.chance(8) ? 256 : 1 + random.below(3);
    std::vector<std::string> literals;
    for (uint32_t k = 1 + random.below(8); k-- > 0;)
      literals.push_back(letters(random, kinds, 1 + random.below(5)));
    if (random.chance(4)) literals.push_back(literals[0]);
    if (kinds == 256 && random.chance(2)) {  // no byte is left over
      for (int byte = 0; byte < 256; ++byte) literals.push_back({char(byte)});
    }
    const Table table = table_of(Kind::Literals, literals);
    size_t longest = 0;
    for (const std::string& literal : literals) longest = std::max(longest, literal.size());
    ASSERT_EQ(table.words[2], longest);
    ASSERT_EQ(table.words[3], literals.size());
    const std::string text = letters(random, kinds, 40) + literals[0] + letters(random, kinds, 3);
    ASSERT_EQ(walked(table, text), found(literals, text)) << number;
  }
}

TEST(Literals, HaveNoClassTooManyAndAStateForEachBeginning) {
  VYRE_ORACLE(SpecificationTable, "worked out by hand: the example of Aho and Corasick's paper");
  const Table table = table_of(Kind::Literals, {"he", "she", "his", "hers"});
  EXPECT_EQ(table.states, 10u);
  EXPECT_EQ(table.classes, 6u);
  EXPECT_EQ(walked(table, "ushers"), (Occurrences{{4, 0}, {4, 1}, {6, 3}}));
}

TEST(Literals, AsManyAsThereMayBe) {
  VYRE_ORACLE(SpecificationTable, "by construction: literal k is its number");
  std::vector<std::string> literals;
  for (size_t k = 0; k < kMostPatterns; ++k) literals.push_back(std::to_string(k + 100'000));
  const Table table = table_of(Kind::Literals, literals);
  EXPECT_EQ(walked(table, "165535x100000"), (Occurrences{{6, 65'535}, {13, 0}}));
}

}  // namespace
}  // namespace vyre::tables
