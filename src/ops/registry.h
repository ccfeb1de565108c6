// The list of operation files, from which the registry is built.
//
// CMake generates it from the texts below src/ops (layer.cmake), so that an operation is added by adding its
// files; a text of floating/ is there once a float type (ops/floating.h). All code but the registry and its
// tests uses all_operations() and op_table() of ops/operation.h.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ops/floating.h"
#include "ops/text_operation.h"

namespace vyre::ops {

/// A text as the build found it: its path below src/ops without the suffix, what it holds, and what stands
/// beside it.
struct WordsFile {
  std::string_view path;  // "primitive/bitwise/rotl"
  std::string_view text;
  Beside (*beside)();
};
struct FloatsFile {
  std::string_view path;  // "floating/add"
  std::string_view text;
  FloatReferences (*references)();
};
/// As CMake generates them, by path.
std::span<const WordsFile> words_files();
std::span<const FloatsFile> floats_files();

/// What is read as an operation.
struct OperationText {
  std::string id;         // from the path: "primitive.bitwise.rotl", "float.f16.add"
  std::string_view path;  // "primitive/bitwise/rotl", "floating/add"
  std::string text;
  Beside beside;
};

/// Every text, those of floats at each type. Built once.
const std::vector<OperationText>& operation_texts();

/// The composition, built anew.
ir::Function body_of(const Operation& operation);

/// Whether the composition loops, or one that it calls does: then no formula says it.
bool loops(const Operation& operation);

}  // namespace vyre::ops
