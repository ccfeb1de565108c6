// The list of operation files, from which the registry is built.
//
// CMake generates it from the folders below src/ops (layer.cmake), so that an operation is added by adding
// its file. Everyone but the registry and its tests wants all_operations() and op_table() of ops/operation.h.
#pragma once

#include <span>
#include <string_view>

#include "ops/operation.h"

namespace vyre::ops {

struct OperationFile {
  std::string_view id;  // from the path: "primitive.bitwise.rotl"
  Operation (*make)();
};

/// Every operation file, by path.
std::span<const OperationFile> operation_files();

}  // namespace vyre::ops
