// Properties: what has to hold of everything that a generator makes.
//
// A property test is a generator, a loop and one assertion. Case k of a seed is a pure function of the two
// numbers, so that each failure says how to run its case alone: VYRE_SEED=1 VYRE_CASE=17. VYRE_CASES is how
// many cases there are in place of those by day, and VYRE_BACKEND what they run on, in place of native. The
// invariants, and where they come from, are listed in docs/properties.md.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "backend/native/native.h"
#include "backend/registry/registry.h"
#include "base/random.h"
#include "base/result.h"

namespace vyre::test {

struct PropertyCase {
  uint64_t seed = 1, number = 0;
  /// For what the generators do not draw themselves.
  RandomStream random(uint64_t stream) const { return {seed, number ^ (stream << 40)}; }
};

inline std::optional<uint64_t> number_from(const char* variable) {
  const char* const chosen = std::getenv(variable);
  if (chosen == nullptr) return std::nullopt;
  return std::strtoull(chosen, nullptr, 0);
}

/// Calls `check`, which has the assertion, for each case up to the first that fails. An exception is a
/// failure.
template <typename Check>
void for_each_case(uint64_t by_day, Check check) {
  const uint64_t seed = number_from("VYRE_SEED").value_or(1);
  const std::optional<uint64_t> alone = number_from("VYRE_CASE");
  const uint64_t first = alone.value_or(0);
  const uint64_t end = alone ? *alone + 1 : number_from("VYRE_CASES").value_or(by_day);
  for (uint64_t number = first; number < end && !testing::Test::HasFailure(); ++number) {
    SCOPED_TRACE(fmt::format("VYRE_SEED={} VYRE_CASE={} test_property --gtest_filter=Property.{}", seed,
                             number, testing::UnitTest::GetInstance()->current_test_info()->name()));
    try {
      check(PropertyCase{seed, number});
    } catch (const std::exception& thrown) {
      ADD_FAILURE() << thrown.what();
    }
  }
}

/// The value, where a generated case must have one.
template <typename T>
T value_of(Result<T> result) {
  if (!result) throw std::runtime_error(render(result.error(), nullptr));
  return std::move(*result);
}
inline void value_of(Result<void> result) {
  if (!result) throw std::runtime_error(render(result.error(), nullptr));
}

/// VYRE_BACKEND, else native, with the short pipeline: most of what runs here runs once.
inline backend::Backend& backend_under_test() {
  static const auto backend = [] {
    const char* const chosen = std::getenv("VYRE_BACKEND");
    return value_of(chosen == nullptr ? backend::make_native({.optimisation = 0}) : backend::open(chosen));
  }();
  return *backend;
}

}  // namespace vyre::test
