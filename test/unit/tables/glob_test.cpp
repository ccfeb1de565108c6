// Tables of globs, against fnmatch of the C library.
#include <fnmatch.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "oracle.h"
#include "walk.h"

VYRE_ORACLE(CpuReference, "fnmatch(3) with FNM_NOESCAPE, of POSIX");

namespace vyre::tables {
namespace {

std::string drawn(RandomStream& random, std::span<const std::string_view> parts, uint32_t most) {
  std::string out;
  for (uint32_t k = random.below(most + 1); k-- > 0;) out += parts[random.below(uint32_t(parts.size()))];
  return out;
}

constexpr std::string_view kParts[] = {"a",    "b",    "/",     "\\",   "-",    "*",    "*",   "?",
                                       "[ab]", "[!a]", "[a-c]", "[]a]", "[!]]", "[a-]", "[*]", "]"};
constexpr std::string_view kPieces[] = {"a", "b", "a", "b", "/", "\\", "-", "*", "]", "c", "."};

TEST(Globs, MatchWhatFnmatchMatches) {
  for (uint64_t number = 0; number < 5'000; ++number) {
    RandomStream random(4, number);
    std::vector<std::string> globs;
    for (uint32_t k = 1 + random.below(3); k-- > 0;) globs.push_back(drawn(random, kParts, 6) + "*");
    if (random.chance(2)) globs[0] = globs[0] + "a";
    const Table table = table_of(Kind::Globs, globs);
    for (int i = 0; i < 12; ++i) {
      const std::string text = drawn(random, kPieces, 9);
      std::optional<uint32_t> lowest;
      for (uint32_t k = uint32_t(globs.size()); k-- > 0;)
        if (fnmatch(globs[k].c_str(), text.c_str(), FNM_NOESCAPE) == 0) lowest = k;
      ASSERT_EQ(match_glob(table, text), lowest) << globs[0] << " and others in '" << text << "'";
    }
  }
}

TEST(Globs, HaveNoStateTooMany) {
  for (uint64_t number = 0; number < 2'000; ++number) {
    RandomStream random(5, number);
    std::vector<std::string> globs;
    for (uint32_t k = 1 + random.below(3); k-- > 0;) globs.push_back("a" + drawn(random, kParts, 8));
    SCOPED_TRACE(globs[0]);
    const Table table = table_of(Kind::Globs, globs);
    const DfaWords dfa = {table.words};
    ASSERT_EQ(table.words.size(), dfa.size() + dfa.states());
    expect_minimal(dfa, {dfa.start()}, 1);
    if (testing::Test::HasFailure()) break;
  }
}

}  // namespace
}  // namespace vyre::tables
