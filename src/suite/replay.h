// Replay: one failing case again, from its token or from the file that it was kept in.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/result.h"
#include "suite/failing_case.h"

namespace vyre::suite {

struct Replay {
  bool fails = false;
  std::string report;  // for people: input, expected, actual
};

/// Runs the case that a token names: alone, then, if it passes, among its neighbours, as it was found.
/// Errors: C003, C004, and the backend's.
Result<Replay> replay(std::string_view token, backend::Backend& backend);

/// Runs a failing case as it is written down, and by its token where the fault takes company or chance, or
/// the case is no program. Errors  C017: the reference does not give what the text expects; those of the
/// token; what the backend answers
///         that is no fault of the case.
/// Cost    a compilation and some dispatches.
Result<Replay> replay(const FailingCase& failing, backend::Backend& backend);

/// The case of a token written down, with what the reference expects. Errors: C003; of ref::run.
Result<FailingCase> failing_case_of(std::string_view token, backend::Backend& backend);
/// The same as a story that names who was asked.
void sign(Story& story, const backend::Identity& identity);

/// What the exit code says. Errors: C005 when the case fails again. `name`: a token, or a file's.
Result<void> require_passed(const Replay& replay, std::string_view name, std::string_view backend);

}  // namespace vyre::suite
