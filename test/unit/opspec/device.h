// The backend that the operations over buffers are run on: VYRE_BACKEND, else native.
#pragma once

#include <cstdlib>
#include <stdexcept>

#include "backend/registry/registry.h"

namespace vyre::test {

inline backend::Backend& backend_under_test() {
  static const auto backend = [] {
    const char* chosen = std::getenv("VYRE_BACKEND");
    auto opened = backend::open(chosen == nullptr ? "native" : chosen);
    if (!opened) throw std::runtime_error(opened.error().message);
    return std::move(*opened);
  }();
  return *backend;
}

}  // namespace vyre::test
