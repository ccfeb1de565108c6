// Shards: how they are written, where the environment says so, and which units they have.
#include "suite/shard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "oracle.h"

VYRE_ORACLE(
    SpecificationTable,
    "commands, the issue, and the manuals of sbatch(1), Kubernetes' Jobs and GitLab's variables, by hand");

namespace vyre::suite {
namespace {

using Variables = std::map<std::string, std::string>;

Environment environment(const Variables& variables) {
  return [variables](const char* name) -> std::optional<std::string> {
    const auto at = variables.find(name);
    if (at == variables.end()) return std::nullopt;
    return at->second;
  };
}

/// "3/8", or the code of the diagnostic.
std::string shown(const Result<Shard>& shard) {
  return shard ? text(*shard) : std::string(diag_info(shard.error().code).name);
}

TEST(Shard, IsWrittenAsIndexOfNumber) {
  for (const char* good : {"0/1", "0/2", "1/2", "7/8", "65535/65536"})
    EXPECT_EQ(shown(parse_shard(good)), good);
  for (const char* bad :
       {"",     "/",    "1",    "1/",    "/2",  "2/2",   "1/1",     "0/0",          "-1/2",         "+1/2",
        " 1/2", "1/2 ", "1 /2", "1/2/3", "a/b", "0x1/2", "0/65537", "0/4294967297", "4294967296/2", "1.0/2",
        "auto", "1\\2"})
    EXPECT_EQ(shown(parse_shard(bad)), "C023") << bad;
}

TEST(Shard, AutoReadsWhatTheSystemSays) {
  const auto slurm = [](const char* id, const char* min, const char* max, const char* count,
                        const char* step) {
    return Variables{{"SLURM_ARRAY_TASK_ID", id},
                     {"SLURM_ARRAY_TASK_MIN", min},
                     {"SLURM_ARRAY_TASK_MAX", max},
                     {"SLURM_ARRAY_TASK_COUNT", count},
                     {"SLURM_ARRAY_TASK_STEP", step}};
  };
  const auto with = [](Variables variables, const Variables& more) {
    variables.insert(more.begin(), more.end());
    return variables;
  };
  const Variables gitlab = {{"CI_NODE_INDEX", "2"}, {"CI_NODE_TOTAL", "4"}};
  const Variables ours = {{"VYRE_SHARD_INDEX", "5"}, {"VYRE_SHARDS", "6"}};
  const struct {
    Variables variables;
    const char* expected;
  } rows[] = {
      {slurm("0", "0", "7", "8", "1"), "0/8"},  // --array=0-7
      {slurm("7", "0", "7", "8", "1"), "7/8"},
      {slurm("1", "1", "8", "8", "1"), "0/8"},  // --array=1-8
      {slurm("8", "1", "8", "8", "1"), "7/8"},
      {slurm("5", "1", "7", "4", "2"), "2/4"},  // --array=1-7:2
      {slurm("7", "1", "8", "4", "2"), "3/4"},  // --array=1-8:2, whether MAX is 7 or 8
      {slurm("100", "100", "100", "1", "1"), "0/1"},
      {slurm("9", "1", "31", "5", "1"), "C023"},  // --array=1,2,9,22,31
      {slurm("1", "1", "31", "5", "1"), "C023"},
      {slurm("2", "1", "7", "4", "2"), "C023"},  // no task of --array=1-7:2
      {slurm("9", "1", "7", "4", "2"), "C023"},
      {slurm("0", "1", "7", "4", "2"), "C023"},
      {slurm("1", "1", "7", "4", "0"), "C023"},
      {slurm("x", "0", "7", "8", "1"), "C023"},
      {slurm("", "0", "7", "8", "1"), "C023"},
      {slurm("1", "0", "65536", "65537", "1"), "C023"},
      {slurm("0", "0", "4294967295", "0", "1"), "C023"},
      {{{"SLURM_ARRAY_TASK_ID", "1"}}, "C023"},
      // Tasks 3 and 5 of 8, submitted again: --array=3,5 with VYRE_SHARDS=8.
      {with(slurm("5", "3", "5", "2", "2"), {{"VYRE_SHARDS", "8"}}), "5/8"},
      {with(slurm("8", "3", "8", "2", "5"), {{"VYRE_SHARDS", "8"}}), "C023"},
      {{{"JOB_COMPLETION_INDEX", "0"}, {"VYRE_SHARDS", "3"}}, "0/3"},
      {{{"JOB_COMPLETION_INDEX", "2"}, {"VYRE_SHARDS", "3"}}, "2/3"},
      {{{"JOB_COMPLETION_INDEX", "3"}, {"VYRE_SHARDS", "3"}}, "C023"},
      {{{"JOB_COMPLETION_INDEX", "0"}}, "C023"},
      {{{"JOB_COMPLETION_INDEX", "0"}, {"VYRE_SHARDS", ""}}, "C023"},
      {{{"CI_NODE_INDEX", "1"}, {"CI_NODE_TOTAL", "4"}}, "0/4"},
      {{{"CI_NODE_INDEX", "4"}, {"CI_NODE_TOTAL", "4"}}, "3/4"},
      {{{"CI_NODE_INDEX", "0"}, {"CI_NODE_TOTAL", "4"}}, "C023"},
      {{{"CI_NODE_INDEX", "5"}, {"CI_NODE_TOTAL", "4"}}, "C023"},
      {{{"CI_NODE_TOTAL", "1"}}, "C023"},  // a job of GitLab without `parallel`
      {ours, "5/6"},
      {{{"VYRE_SHARD_INDEX", "6"}, {"VYRE_SHARDS", "6"}}, "C023"},
      {{{"VYRE_SHARD_INDEX", "5"}}, "C023"},
      {{{"VYRE_SHARDS", "6"}}, "C023"},
      {{}, "C023"},
      // Several: ours goes first, and two others have to agree.
      {with(gitlab, ours), "5/6"},
      {with(slurm("5", "0", "5", "6", "1"), gitlab), "C023"},
      {with(slurm("1", "0", "3", "4", "1"), gitlab), "1/4"},
  };
  for (const auto& row : rows) {
    std::string name;
    for (const auto& [key, value] : row.variables) name += key + "=" + value + " ";
    EXPECT_EQ(shown(shard_option("auto", environment(row.variables))), row.expected) << name;
    EXPECT_EQ(shown(shard_option("1/3", environment(row.variables))), "1/3") << name;
  }
}

TEST(Shard, NamesWhatWasLookedAt) {
  const auto none = shard_from(environment({}));
  ASSERT_FALSE(none);
  for (const char* name :
       {"VYRE_SHARD_INDEX", "VYRE_SHARDS", "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "CI_NODE_INDEX"})
    EXPECT_THAT(none.error().message, testing::HasSubstr(name));
  const auto unset = shard_from(environment({{"JOB_COMPLETION_INDEX", "0"}}));
  ASSERT_FALSE(unset);
  EXPECT_THAT(unset.error().message, testing::HasSubstr("VYRE_SHARDS is not set"));
}

TEST(Shard, UnitsNeverMove) {
  VYRE_ORACLE(
      ExternalCorpus,
      "Python's hashlib.sha256 over \"vyre shard\\n\" and the name: the first 4 bytes times N, over 2^32");
  const struct {
    const char* unit;
    std::vector<uint32_t> of;  // 1, 2, 3, 7, 8, 64 and 65536 shards
  } rows[] = {
      {"primitive.math.add@1/parity/0", {0, 1, 2, 6, 7, 56, 57568}},
      {"primitive.math.add@1/parity/3", {0, 0, 0, 1, 2, 17, 17511}},
      {"ir.barriers/program/12", {0, 1, 2, 5, 6, 49, 50548}},
      {"", {0, 1, 2, 5, 6, 49, 50281}},
      {"\xc3\xa9", {0, 1, 2, 5, 6, 51, 53023}},
  };
  const uint32_t counts[] = {1, 2, 3, 7, 8, 64, 65536};
  for (const auto& row : rows) {
    for (size_t i = 0; i < std::size(counts); ++i)
      EXPECT_EQ(shard_of(row.unit, counts[i]), row.of[i]) << row.unit << counts[i];
  }
}

// covers: SC-04
TEST(Shard, EveryUnitBelongsToOneShardAndIdentityToAll) {
  VYRE_ORACLE(
      Property,
      "the shards of a number are a partition of the units, evenly to within six standard deviations");
  constexpr int kUnits = 20000;
  for (const uint32_t count : {1u, 2u, 3u, 7u, 16u, 64u}) {
    std::vector<int> sizes(count, 0);
    for (int i = 0; i < kUnits; ++i) {
      const Unit unit = {"primitive.math.add@1/parity/" + std::to_string(i)}, identity = {unit.id, true};
      int shards = 0;
      for (uint32_t index = 0; index < count; ++index) {
        shards += belongs(unit, {index, count});
        sizes[index] += belongs(unit, {index, count});
        ASSERT_TRUE(belongs(identity, {index, count}));
      }
      ASSERT_EQ(shards, 1) << i;
    }
    const double mean = double(kUnits) / count, deviation = std::sqrt(mean * (1 - 1.0 / count));
    for (const int size : sizes) EXPECT_LE(std::abs(size - mean), 6 * deviation) << count;
  }
}

}  // namespace
}  // namespace vyre::suite
