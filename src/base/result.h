// Result<T>: a value, or one diagnostic that says why there is none.
//
// vyre reports failure as data. No exception crosses a layer; a function that can fail returns Result<T>, and
// one that can find many faults at once (the checker) returns Diagnostics.
#pragma once

#include <expected>

#include "base/diag.h"

namespace vyre {

template <typename T>
using Result = std::expected<T, Diag>;

}  // namespace vyre

#define VYRE_CONCAT_(a, b) a##b
#define VYRE_CONCAT(a, b) VYRE_CONCAT_(a, b)

/// VYRE_TRY(name, expression): declares `name` with the value, or returns the Diag to the caller.
#define VYRE_TRY(name, ...)                                                      \
  auto VYRE_CONCAT(vyre_try_, __LINE__) = (__VA_ARGS__);                         \
  if (!VYRE_CONCAT(vyre_try_, __LINE__)) {                                       \
    return std::unexpected(std::move(VYRE_CONCAT(vyre_try_, __LINE__)).error()); \
  }                                                                              \
  auto& name = *VYRE_CONCAT(vyre_try_, __LINE__)

/// VYRE_CHECK(expression): the same for Result<void>.
#define VYRE_CHECK(...)                                                                   \
  do {                                                                                    \
    auto vyre_check_result = (__VA_ARGS__);                                               \
    if (!vyre_check_result) return std::unexpected(std::move(vyre_check_result).error()); \
  } while (false)
