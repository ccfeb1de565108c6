#include "suite/shard.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <vector>

#include "base/digest.h"

namespace vyre::suite {
namespace {

// Where each system says so:
//   Slurm       SLURM_ARRAY_TASK_{ID,MIN,MAX,COUNT,STEP}: sbatch(1), "Output environment variables", and
//               https://slurm.schedmd.com/job_array.html; arrays begin anywhere and have steps
//               (--array=1-7:2).
//   Kubernetes  JOB_COMPLETION_INDEX, from 0: https://kubernetes.io/docs/concepts/workloads/controllers/job,
//               "Completion mode"; spec.completions is in no variable, so the template sets VYRE_SHARDS.
//   GitLab      CI_NODE_INDEX, from 1, set for `parallel` alone, and CI_NODE_TOTAL, which is 1 for other
//   jobs:
//               https://docs.gitlab.com/ci/variables/predefined_variables
//   GitHub      no variables: the template sets ours from strategy.job-index, from 0, and strategy.job-total:
//               https://docs.github.com/actions, "Contexts", strategy.
constexpr const char* kIndex = "VYRE_SHARD_INDEX";
constexpr const char* kCount = "VYRE_SHARDS";
constexpr const char* kLookedAt =
    "VYRE_SHARD_INDEX and VYRE_SHARDS, SLURM_ARRAY_TASK_ID (Slurm array), JOB_COMPLETION_INDEX with "
    "VYRE_SHARDS "
    "(Kubernetes indexed Job), CI_NODE_INDEX with CI_NODE_TOTAL (GitLab parallel)";

Diag no_shard(std::string message, std::string help) {
  return make_diag(DiagCode::C023, Span::none(), std::move(message), std::move(help));
}

constexpr const char* kWritten =
    "Write --shard I/N with 0 <= I < N <= 65536, as in --shard 3/8, or --shard auto.";

/// Decimal digits and nothing else; at most 2^32 - 1.
std::optional<uint32_t> number(std::string_view digits) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

/// A variable that has to be a number. Errors: C023.
Result<uint32_t> variable(const Environment& environment, const char* name) {
  const std::optional<std::string> value = environment(name);
  if (!value)
    return std::unexpected(
        no_shard(fmt::format("{} is not set", name), fmt::format("Set {}, or give --shard I/N.", name)));
  if (const auto parsed = number(*value)) return *parsed;
  return std::unexpected(no_shard(fmt::format("{} is '{}', which is no number", name, *value),
                                  "Set it to a number, or give --shard I/N."));
}

Result<Shard> checked(uint64_t index, uint64_t count, std::string_view what) {
  if (index < count && count <= kMaxShards) return Shard{uint32_t(index), uint32_t(count)};
  return std::unexpected(no_shard(fmt::format("{} gives shard {}/{}", what, index, count), kWritten));
}

Result<Shard> from_slurm(const Environment& environment) {
  VYRE_TRY(id, variable(environment, "SLURM_ARRAY_TASK_ID"));
  // Some tasks of an array that are submitted again keep their numbers, and their number is another.
  if (environment(kCount)) {
    VYRE_TRY(shards, variable(environment, kCount));
    return checked(id, shards, "SLURM_ARRAY_TASK_ID with VYRE_SHARDS");
  }
  VYRE_TRY(first, variable(environment, "SLURM_ARRAY_TASK_MIN"));
  VYRE_TRY(last, variable(environment, "SLURM_ARRAY_TASK_MAX"));
  VYRE_TRY(count, variable(environment, "SLURM_ARRAY_TASK_COUNT"));
  VYRE_TRY(step, variable(environment, "SLURM_ARRAY_TASK_STEP"));
  const bool regular = step != 0 && first <= id && id <= last && (id - first) % step == 0 &&
                       uint64_t((last - first) / step) + 1 == count;
  if (regular) return checked((id - first) / step, count, "the Slurm array");
  return std::unexpected(
      no_shard(fmt::format("task {} of {} from {} to {} with step {} has no place that follows from that", id,
                           count, first, last, step),
               "Submit the array as a range, such as --array=0-7, or set VYRE_SHARDS to the number of "
               "shards, of which the tasks are "
               "then those with their numbers."));
}

Result<Shard> from_kubernetes(const Environment& environment) {
  VYRE_TRY(index, variable(environment, "JOB_COMPLETION_INDEX"));
  VYRE_TRY(count, variable(environment, kCount));
  return checked(index, count, "JOB_COMPLETION_INDEX with VYRE_SHARDS");
}

Result<Shard> from_gitlab(const Environment& environment) {
  VYRE_TRY(index, variable(environment, "CI_NODE_INDEX"));
  VYRE_TRY(count, variable(environment, "CI_NODE_TOTAL"));
  if (index == 0)
    return std::unexpected(no_shard("CI_NODE_INDEX is 0, and GitLab counts from 1",
                                    "Set it as GitLab does, or give --shard I/N."));
  return checked(index - 1, count, "CI_NODE_INDEX with CI_NODE_TOTAL");
}

struct System {
  const char* variable;  // set by it alone
  Result<Shard> (*read)(const Environment&);
};
constexpr System kSystems[] = {{"SLURM_ARRAY_TASK_ID", from_slurm},
                               {"JOB_COMPLETION_INDEX", from_kubernetes},
                               {"CI_NODE_INDEX", from_gitlab}};

}  // namespace

std::optional<std::string> process_environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  return value;
}

std::string text(Shard shard) { return fmt::format("{}/{}", shard.index, shard.count); }

Result<Shard> parse_shard(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash != text.npos) {
    const auto index = number(text.substr(0, slash)), count = number(text.substr(slash + 1));
    if (index && count && *index < *count && *count <= kMaxShards) return Shard{*index, *count};
  }
  return std::unexpected(no_shard(fmt::format("'{}' is no shard", text), kWritten));
}

Result<Shard> shard_from(const Environment& environment) {
  // Ours are set by a caller who knows better than the batch system.
  if (environment(kIndex)) {
    VYRE_TRY(index, variable(environment, kIndex));
    VYRE_TRY(count, variable(environment, kCount));
    return checked(index, count, "VYRE_SHARD_INDEX with VYRE_SHARDS");
  }
  std::optional<Shard> found;
  const char* by = nullptr;
  for (const System& system : kSystems) {
    if (!environment(system.variable)) continue;
    VYRE_TRY(shard, system.read(environment));
    if (found && *found != shard) {
      return std::unexpected(no_shard(
          fmt::format("{} gives shard {}, and {} gives {}", by, text(*found), system.variable, text(shard)),
          "Set VYRE_SHARD_INDEX and VYRE_SHARDS, which go first, or give --shard I/N."));
    }
    found = shard;
    by = system.variable;
  }
  if (found) return *found;
  return std::unexpected(
      no_shard(fmt::format("nothing in the environment says which shard this is; looked at {}", kLookedAt),
               "Give --shard I/N, or start it as one of the templates in deploy/ does."));
}

Result<Shard> shard_option(std::string_view option, const Environment& environment) {
  return option == "auto" ? shard_from(environment) : parse_shard(option);
}

uint32_t shard_of(std::string_view unit, uint32_t count) {
  const Digest digest = Hasher().update("vyre shard\n").update(unit).finish();
  uint64_t fraction = 0;  // of 2^32
  for (size_t i = 0; i < 4; ++i) fraction = fraction << 8 | digest.bytes[i];
  return uint32_t(fraction * count >> 32);
}

bool belongs(const Unit& unit, Shard shard) {
  return unit.identity || shard_of(unit.id, shard.count) == shard.index;
}

}  // namespace vyre::suite
