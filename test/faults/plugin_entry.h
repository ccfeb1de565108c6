// A Backend of C++ behind the C interface of plugins, so that the commands can be pointed at a faulty one:
//   vyre-conform certify --backend libshapefault.so?loads-wrap-16
// A plugin is plugin_entry.cpp and one definition of open_faulty().
#pragma once

#include <memory>
#include <string_view>

#include "backend/backend.h"

namespace vyre::faults {

/// The backend with the fault that the argument names. Errors: B001 when there is no such fault, with those
/// that there are.
Result<std::unique_ptr<backend::Backend>> open_faulty(std::string_view argument);

}  // namespace vyre::faults
