// The list of operation files, from which the registry is built.
//
// CMake generates it from the folders below src/ops (layer.cmake), so that an operation is added by adding
// its file. Everyone but the registry and its tests wants all_operations() and op_table() of ops/operation.h.
#pragma once

#include <span>
#include <string_view>

#include "ops/text_operation.h"

namespace vyre::ops {

struct OperationFile {
  std::string_view id;    // from the path: "primitive.bitwise.rotl"
  std::string_view text;  // what the .vyre holds
  Beside (*beside)();     // what the .cpp defines
};

/// The composition, built anew.
ir::Function body_of(const Operation& operation);

/// Whether the composition loops, or one that it calls does: then no formula says it.
bool loops(const Operation& operation);

/// Every operation file, by path.
std::span<const OperationFile> operation_files();

/// A file of floating/: an operator, which is an operation at each float type.
struct OperatorFile {
  std::string_view id;  // from the path: "floating.add"
  std::vector<Operation> (*make)();
};

/// Every file of floating/, by path.
std::span<const OperatorFile> operator_files();

}  // namespace vyre::ops
