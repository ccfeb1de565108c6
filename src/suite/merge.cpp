#include "suite/merge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace vyre::suite {
namespace {

Diag refuse(DiagCode code, std::string message, std::string help) {
  return make_diag(code, Span::none(), std::move(message), std::move(help));
}

/// The shards of a list of parts, each once.
Result<std::vector<Shard>> shards_of(const std::vector<state::Part>& parts) {
  std::vector<Shard> shards;
  for (const state::Part& part : parts) {
    VYRE_TRY(shard, parse_shard(part.shard));
    if (std::ranges::find(shards, shard) == shards.end()) shards.push_back(shard);
  }
  return shards;
}

std::string devices_of(const Input& input) {
  std::set<std::string> devices;
  for (const state::Part& part : input.snapshot.parts) devices.insert(part.device);
  return fmt::format("{} ({})", input.path, fmt::join(devices, ", "));
}

Result<void> expect_same_campaign(const Input& first, const Input& other) {
  const auto difference = state::first_difference(first.snapshot.key, other.snapshot.key);
  if (!difference) return {};
  return std::unexpected(refuse(
      DiagCode::C020,
      fmt::format(
          "'{}' and '{}' are of different campaigns: {}, where there is the first and here the second",
          first.path, other.path, *difference),
      "Merge the shards of one campaign: the same build, backend class, seed, strength and selection."));
}

Result<void> expect_known(const Input& input, const std::set<std::string_view>& known) {
  for (const auto& [unit, result] : input.snapshot.results) {
    if (known.contains(unit)) continue;
    return std::unexpected(refuse(
        DiagCode::C020, fmt::format("'{}' has a result of {}, which this campaign has not", input.path, unit),
        "Merge with the build that judged the shards."));
  }
  return {};
}

Result<void> expect_finished(const Input& input, std::span<const Unit> units) {
  VYRE_TRY(shards, shards_of(input.snapshot.parts));
  for (const Shard shard : shards) {
    size_t own = 0, missing = 0;
    const Unit* first = nullptr;
    for (const Unit& unit : units) {
      if (!belongs(unit, shard)) continue;
      ++own;
      if (input.snapshot.results.contains(unit.id)) continue;
      ++missing;
      if (first == nullptr || unit.id < first->id) first = &unit;
    }
    if (missing == 0) continue;
    return std::unexpected(
        refuse(DiagCode::C024,
               fmt::format("'{}' is unfinished: {} of the {} units of shard {} have no result, first {}",
                           input.path, missing, own, text(shard), first->id),
               fmt::format("Run shard {} again with --state {}: it goes on where it ended. Then merge again.",
                           text(shard), input.path)));
  }
  return {};
}

}  // namespace

Result<std::vector<Input>> read_states(std::span<const std::string> paths) {
  std::vector<Input> inputs;
  for (const std::string& path : paths) {
    VYRE_TRY(snapshot, state::read(path));
    inputs.push_back({path, std::move(snapshot)});
  }
  return inputs;
}

Result<Merged> merge(std::span<const Input> inputs, std::span<const Unit> units) {
  std::set<std::string_view> known;
  for (const Unit& unit : units) known.insert(unit.id);
  Merged merged{.key = inputs.front().snapshot.key};
  std::set<state::Part> parts;
  std::map<std::string_view, const Input*> judged;  // by whom first
  for (const Input& input : inputs) {
    VYRE_CHECK(expect_same_campaign(inputs.front(), input));
    VYRE_CHECK(expect_known(input, known));
    VYRE_CHECK(expect_finished(input, units));
    for (const auto& [unit, result] : input.snapshot.results) {
      const auto [at, added] = merged.results.emplace(unit, result);
      const auto who = judged.emplace(unit, &input).first;
      if (added || at->second == result) continue;
      return std::unexpected(refuse(DiagCode::C025,
                                    fmt::format("{} has one result in {} and another in {}", unit,
                                                devices_of(*who->second), devices_of(input)),
                                    "Judge that unit twice on each of the devices: one of them does not give "
                                    "the same answer each time, or they are not of "
                                    "one class."));
    }
    const std::string& begun = input.snapshot.begun;
    if (!begun.empty() && (merged.begun.empty() || begun < merged.begun)) merged.begun = begun;
    parts.insert(input.snapshot.parts.begin(), input.snapshot.parts.end());
  }
  merged.parts.assign(parts.begin(), parts.end());
  return merged;
}

Result<void> expect_complete(const Merged& merged, std::span<const Unit> units) {
  VYRE_TRY(shards, shards_of(merged.parts));
  std::set<std::string_view> missing;
  for (const Unit& unit : units) {
    if (!merged.results.contains(unit.id)) missing.insert(unit.id);
  }
  if (missing.empty()) return {};
  // Which shards would have had them is known where all were of one number.
  const uint32_t count = shards.empty() ? 1 : shards.front().count;
  const bool one_number = std::ranges::all_of(shards, [&](Shard shard) { return shard.count == count; });
  constexpr size_t kShown = 3;
  std::vector<std::string> shown;
  std::set<uint32_t> absent;
  for (const std::string_view unit : missing) {
    absent.insert(shard_of(unit, count));
    if (shown.size() == kShown) continue;
    shown.push_back(one_number ? fmt::format("{} (shard {})", unit, text({shard_of(unit, count), count}))
                               : std::string(unit));
  }
  const std::string message = fmt::format("{} of {} units have no result: {}{}", missing.size(), units.size(),
                                          fmt::join(shown, ", "), missing.size() > kShown ? ", ..." : "");
  std::string help = "Run the shards that are missing, and merge again with their state directories.";
  if (one_number) {
    help = fmt::format("Run shard{} {} of {}, or give the state directories; then merge again.",
                       absent.size() == 1 ? "" : "s", fmt::join(absent, ", "), count);
  }
  return std::unexpected(refuse(DiagCode::C024, message, help));
}

Result<state::State> keep(const Merged& merged, const std::string& path) {
  VYRE_TRY(state, state::State::open(path, merged.key, merged.parts));
  VYRE_CHECK(state.put_all(merged.results));
  VYRE_CHECK(state.put_begun(merged.begun));
  return std::move(state);
}

}  // namespace vyre::suite
