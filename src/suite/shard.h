// Shards: which part of a campaign a process judges, and how it learns that from its starter.
//
// A campaign of N shards is judged by N processes that never speak to one another: a unit's name alone says
// which shard it belongs to. Units of identity belong to all of them, so that every device is asked something
// that the others were asked too. `--shard auto` reads the place from the environment that Slurm, Kubernetes,
// GitLab or a template of ours for GitHub gives; docs/campaigns.md has the variables.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace vyre::suite {

inline constexpr uint32_t kMaxShards = 65536;

/// Shard `index` of `count`: 0 <= index < count <= kMaxShards. A campaign in one piece is 0/1.
struct Shard {
  uint32_t index = 0;
  uint32_t count = 1;
  bool operator==(const Shard&) const = default;
};

/// A variable of the environment; none where it is not set.
using Environment = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> process_environment(const char* name);

/// "3/8".
std::string text(Shard shard);
/// Reads "3/8". Errors: C023.
Result<Shard> parse_shard(std::string_view text);
/// The place that the environment gives. Errors: C023 when it gives none, names one that is none, or two that
/// differ.
Result<Shard> shard_from(const Environment& environment);
/// The option --shard: "auto" or "I/N". Errors: C023.
Result<Shard> shard_option(std::string_view option, const Environment& environment = process_environment);

/// A piece of work of a campaign. The name never changes: results are kept by it.
struct Unit {
  std::string id;
  bool identity = false;  // every shard judges it, and all must agree
  bool operator==(const Unit&) const = default;
};

/// Which of `count` shards a unit without identity belongs to: by the first 4 bytes of a SHA-256, so evenly
/// whatever the names have in common. The function is permanent: states of different builds of one version
/// are merged by it.
uint32_t shard_of(std::string_view unit, uint32_t count);
bool belongs(const Unit& unit, Shard shard);

}  // namespace vyre::suite
