// The native backend, opened once a process.
#pragma once

#include <memory>

#include "backend/native/native.h"

namespace vyre::verify {

inline backend::Backend& native() {
  static const std::unique_ptr<backend::Backend> backend = *backend::make_native();
  return *backend;
}

}  // namespace vyre::verify
