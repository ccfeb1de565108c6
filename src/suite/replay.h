// Replay: one failing case again, from its token.
#pragma once

#include <string>

#include "backend/backend.h"
#include "base/result.h"

namespace vyre::suite {

struct Replay {
  bool fails = false;
  std::string report;  // for people: input, expected, actual
};

/// Runs the case that a token names: alone, then, if it passes, among its neighbours, as it was found.
/// Errors: C003, C004, and the backend's.
Result<Replay> replay(std::string_view token, backend::Backend& backend);

/// What the exit code says. Errors: C005 when the case fails again.
Result<void> require_passed(const Replay& replay, std::string_view token, std::string_view backend);

}  // namespace vyre::suite
