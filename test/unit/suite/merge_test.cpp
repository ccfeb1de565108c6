// Merging: the same results in any order and nesting, and a name for whatever does not fit.
#include "suite/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/random.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable, "merge.h: C020, C024 and C025");

namespace vyre::suite {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

const state::CampaignKey kKey = {{"registry", "6b1f"}, {"backend", "native"}, {"seed", "1"}};

std::vector<Unit> campaign() {
  std::vector<Unit> units;
  for (int i = 0; i < 300; ++i) units.push_back({"primitive.math.add@1/parity/" + std::to_string(i)});
  for (int i = 0; i < 5; ++i) units.push_back({"identity/" + std::to_string(i), true});
  return units;
}

std::string result_of(const std::string& unit) { return "result of " + unit; }

/// What one process that judges everything has.
state::Results whole() {
  state::Results results;
  for (const Unit& unit : campaign()) results[unit.id] = result_of(unit.id);
  return results;
}

Input judged(Shard shard) {
  Input input{"dir-" + text(shard),
              {.key = kKey, .parts = {{text(shard), "GPU " + std::to_string(shard.index % 3)}}}};
  for (const Unit& unit : campaign()) {
    if (belongs(unit, shard)) input.snapshot.results[unit.id] = result_of(unit.id);
  }
  return input;
}

std::vector<Input> all_shards(uint32_t count) {
  std::vector<Input> inputs;
  for (uint32_t i = 0; i < count; ++i) inputs.push_back(judged({i, count}));
  return inputs;
}

Input as_input(const Merged& merged) {
  return {"merged", {.key = merged.key, .results = merged.results, .parts = merged.parts}};
}

std::string code_of(const auto& result) {
  return result ? "" : std::string(diag_info(result.error().code).name);
}

TEST(Merge, IsTheSameInAnyOrderAndNesting) {
  VYRE_ORACLE(Property,
              "the results of a campaign that one process has judged, whatever was merged with what first");
  const std::vector<Unit> units = campaign();
  for (const uint32_t count : {1u, 2u, 3u, 7u, 16u, 64u}) {
    for (uint64_t round = 0; round < 10; ++round) {
      RandomStream random(count, round);
      std::vector<Input> pieces = all_shards(count);
      while (true) {  // some of them at a time, drawn, until one is left
        for (size_t i = pieces.size(); i > 1; --i) std::swap(pieces[i - 1], pieces[random.next() % i]);
        const size_t taken = 1 + random.next() % pieces.size();
        const auto merged = merge(std::span(pieces).first(taken), units);
        ASSERT_TRUE(merged) << merged.error().message;
        const bool last = taken == pieces.size();
        ASSERT_EQ(expect_complete(*merged, units).has_value(), last) << count << " " << taken;
        pieces.erase(pieces.begin(), pieces.begin() + std::ptrdiff_t(taken));
        if (last) {
          ASSERT_EQ(merged->results, whole());
          ASSERT_EQ(merged->parts.size(), count);
          ASSERT_TRUE(std::ranges::is_sorted(merged->parts));
          break;
        }
        pieces.push_back(as_input(*merged));
      }
    }
  }
}

TEST(Merge, GivesAStateDirectoryThatCanBeMergedAgain) {
  VYRE_ORACLE(Property, "through directories as in memory: three shards, two first, then the third");
  std::string folder = testing::TempDir() + "vyre-merge-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  std::vector<std::string> paths;
  for (const Input& input : all_shards(3)) {
    paths.push_back(folder + "/" + std::to_string(paths.size()));
    auto state = state::State::open(paths.back(), kKey, input.snapshot.parts);
    ASSERT_TRUE(state && state->put_all(input.snapshot.results));
  }
  const auto first = read_states(std::span(paths).first(2));
  ASSERT_TRUE(first);
  const auto some = merge(*first, campaign());
  ASSERT_TRUE(some);
  EXPECT_EQ(code_of(expect_complete(*some, campaign())), "C024");
  ASSERT_TRUE(keep(*some, folder + "/some"));
  const std::string rest[] = {folder + "/some", paths[2]};
  const auto second = read_states(rest);
  ASSERT_TRUE(second);
  const auto all = merge(*second, campaign());
  ASSERT_TRUE(all);
  const auto kept = keep(*all, folder + "/some");  // into one of those that were merged
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_EQ(kept->results(), whole());
  EXPECT_EQ(kept->parts(), all->parts);
  EXPECT_TRUE(expect_complete(*all, campaign()));
  fs::remove_all(folder);
}

TEST(Merge, NamesTheFirstFieldThatDiffers) {
  // merge.h: C020 with the first difference.
  std::vector<Input> inputs = all_shards(2);
  inputs[1].snapshot.key[2].value = "2";
  const auto merged = merge(inputs, campaign());
  ASSERT_EQ(code_of(merged), "C020");
  for (const char* part : {"dir-0/2", "dir-1/2", "seed is 1 there and 2 here"})
    EXPECT_THAT(merged.error().message, HasSubstr(part));

  inputs = all_shards(2);
  inputs[1].snapshot.results["primitive.math.new@1/parity/0"] = "";
  const auto unknown = merge(inputs, campaign());
  ASSERT_EQ(code_of(unknown), "C020");
  EXPECT_THAT(unknown.error().message, HasSubstr("primitive.math.new@1/parity/0"));
}

TEST(Merge, NamesUnfinishedShards) {
  const std::vector<Unit> units = campaign();
  for (const Unit& unit :
       {units[7], units[302]}) {  // one of its own, and one of identity that the others have
    std::vector<Input> inputs = all_shards(4);
    const uint32_t hit = unit.identity ? 2 : shard_of(unit.id, 4);
    ASSERT_EQ(inputs[hit].snapshot.results.erase(unit.id), 1u);
    const auto merged = merge(inputs, units);
    ASSERT_EQ(code_of(merged), "C024");
    EXPECT_THAT(merged.error().message, HasSubstr(unit.id));
    EXPECT_THAT(merged.error().message, HasSubstr("1 of the "));
    EXPECT_THAT(merged.error().help, HasSubstr("shard " + text({hit, 4})));
  }
}

TEST(Merge, NamesShardsThatAreMissing) {
  // merge.h: C024 with how many units have no result, and their shards.
  std::vector<Input> inputs = all_shards(4);
  const size_t missing = inputs[2].snapshot.results.size() - 5;  // all but those of identity
  inputs.erase(inputs.begin() + 2);
  const auto merged = merge(inputs, campaign());
  ASSERT_TRUE(merged);
  const auto complete = expect_complete(*merged, campaign());
  ASSERT_EQ(code_of(complete), "C024");
  EXPECT_THAT(complete.error().message, HasSubstr(std::to_string(missing) + " of 305 units"));
  EXPECT_THAT(complete.error().message, HasSubstr("(shard 2/4)"));
  EXPECT_THAT(complete.error().help, HasSubstr("Run shard 2 of 4"));
}

TEST(Merge, TwoResultsOfOneUnitAreAFailureOfDeterminism) {
  // merge.h: C025 when two inputs differ about a unit, with both devices.
  std::vector<Input> inputs = all_shards(3);
  inputs[1].snapshot.results["identity/3"] += "!";
  const auto merged = merge(inputs, campaign());
  ASSERT_EQ(code_of(merged), "C025");
  for (const char* part : {"identity/3", "dir-0/3 (GPU 0)", "dir-1/3 (GPU 1)"})
    EXPECT_THAT(merged.error().message, HasSubstr(part));
}

TEST(Merge, WhatWasJudgedTwiceCountsOnce) {
  VYRE_ORACLE(Property, "the same directory twice, and shards of two numbers that overlap, change nothing");
  std::vector<Input> inputs = all_shards(3);
  for (const Input& input : all_shards(2)) inputs.push_back(input);
  inputs.push_back(inputs[0]);
  const auto merged = merge(inputs, campaign());
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(merged->results, whole());
  EXPECT_EQ(merged->parts.size(), 5u);
}

}  // namespace
}  // namespace vyre::suite
