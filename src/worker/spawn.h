// Children with nothing of ours but what they are given.
//
// A child inherits by default more than it should: open descriptors, blocked signals, ignored ones, a place
// in its parent's group. Backends and solvers run in children that may be killed at any time with all that
// they have started, so each begins with the signals of a new program, in a group of its own, and with no
// descriptors but those named here.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <vector>

namespace vyre::worker {

/// What stands at a descriptor of the child: a copy of one of ours, or /dev/null.
struct Inherited {
  static constexpr int kNothing = -1;  // /dev/null, to read and to write

  int at;
  int ours = kNothing;
};

/// Starts a program, looked up in PATH when its name has no slash. The descriptors are put into their places
/// in this order: none of ours may stand at a place that another takes before it. 0 and the child's process,
/// or an errno. Any thread.
int spawn(const std::string& program, const std::vector<std::string>& arguments,
          std::span<const Inherited> descriptors, pid_t& pid);

}  // namespace vyre::worker
