// The operations that a body calls, directly and through others: each body checked once, and the rules about
// calls of calls (no recursion, depth 32, a limit on what they amount to when all are inlined).
#pragma once

#include <map>
#include <memory>
#include <span>

#include "check/body.h"

namespace vyre::check {

using CheckedFunctions = std::map<const spec::OpDef*, std::shared_ptr<const CheckedFunction>>;

/// Checks everything reachable from the calls of `body`. What is wrong with an operation is reported at the
/// first call that reaches it. `depth` is the call depth of the body that makes the calls: 0 for a program, 1
/// for an operation.
CheckedFunctions check_callees(const BodyResult& body, uint32_t depth, const spec::OpTable& ops,
                               Report& report);

/// The body of an operation by itself, without what it calls.
BodyResult check_function_body(const ir::Function& function, const spec::OpTable& ops, Report& report);

}  // namespace vyre::check
