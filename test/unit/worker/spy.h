// A backend that looks for what is expected of it instead of computing, and writes where it should not: each
// route that is known, tried.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace vyre::worker {

/// What a spy is after. `memory`: the address of kSecret in the parent. `folder` has the files `kept`,
/// `hidden` and `hidden.d/journal`.
struct Target {
  pid_t parent;
  uint64_t memory;
  std::string folder;
  std::string text() const;
  static Target parse(const std::string& text);
};
inline constexpr uint64_t kSecret = 0x5ec2e7'0f'7e57'0001;

/// The names of the routes that were open, from a process on its parent. What it does, if it can: reads and
/// writes the parent's memory, takes its descriptors, sends it SIGURG, limits its core files, traces it,
/// overwrites, makes, renames and removes files.
std::vector<std::string> spy_on(const Target& target);

}  // namespace vyre::worker
