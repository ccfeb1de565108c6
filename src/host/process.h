// Start and exit of the tools: what main() does around its work, so that nothing ends by an exception and no
// output is lost silently.
#pragma once

#include <functional>
#include <string_view>

namespace vyre::host {

/// Runs the body of main, on a thread with a stack of its own: what a person allows with `ulimit -s` may be
/// too little for a compiler, which is never intended. Threads that start later get enough as well. Memory
/// that runs out is a diagnostic (B003, exit code 3); output that cannot be written, a full disk behind
/// stdout for example, is exit code 2 whatever the body says.
int run_process(std::string_view program, const std::function<int()>& body);

}  // namespace vyre::host
