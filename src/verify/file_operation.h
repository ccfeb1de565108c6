// One operation of a file on one backend: its rows, its cases against its body on the reference interpreter,
// equal answers to equal inputs, and its laws with each application a dispatch.
//
// The definition of an operation in text is its body, and the reference interpreter says what that gives. An
// alternative is judged by the operation that it is another definition of, so where a file has one, two
// algorithms have run on the backend and agree with one of them here. Source: docs/commands.md,
// "Certificates".
#pragma once

#include "algebra/file_laws.h"
#include "backend/backend.h"
#include "verify/monitor.h"
#include "verify/operation.h"
#include "verify/verdict.h"

namespace vyre::verify {

/// Errors   in the verdict: what check or the backend say, and an operation of more operands than cases have.
/// Cost     the plan's cases, each interpreted once.
Verdict check_file_operation(backend::Backend& backend, const algebra::FileOperations& file,
                             const algebra::FileOperation& operation, const OperationPlan& plan,
                             uint64_t seed, const Monitor& monitor);

}  // namespace vyre::verify
