// Merging: the results of several shards, put together as if one process had judged them all.
//
// Merging only ever adds, so the order and the nesting of merges do not matter, and what comes out is a state
// directory like those that went in. Three things are checked: that all answer the same campaign, that each
// shard was finished, and that units which more than one has judged have the same result bit for bit; those
// of identity are judged by every shard for just that.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "state/state.h"
#include "suite/shard.h"

namespace vyre::suite {

/// What a state directory held, and its path for messages.
struct Input {
  std::string path;
  state::Snapshot snapshot;
};

/// Reads state directories. Errors: those of state::read().
Result<std::vector<Input>> read_states(std::span<const std::string> paths);

struct Merged {
  state::CampaignKey key;
  state::Results results;
  std::vector<state::Part> parts;  // devices may differ, and are listed here
  std::string begun;               // the earliest day of them
};

/// Puts together what belongs together. `units`: all of the campaign, in any order. Errors: C020, with the
/// first difference; C024 when a shard of an input is unfinished; C025 when two inputs differ about a unit: a
/// failure of determinism. Domain: at least one input. Cost: units times distinct shards of an input.
Result<Merged> merge(std::span<const Input> inputs, std::span<const Unit> units);

/// Whether every unit has a result. Errors: C024 with how many have none, the first of them and the shards
/// that they belong to.
Result<void> expect_complete(const Merged& merged, std::span<const Unit> units);

/// Keeps what was merged in a state directory, beside what is there. Errors: those of State::open() and
/// State::put_all().
Result<state::State> keep(const Merged& merged, const std::string& path);

}  // namespace vyre::suite
