// What generated engines are made of: operations of the library, and small programs between them.
//
// A piece is a row of a table: its parameters, how many dispatches a run of it makes and how many bytes of
// scratch it takes, as host expressions in the lengths of its arguments, and a reference over the memory of
// the host. The reference of an operation of the library is that of opspec, so what an engine should leave is
// worked out without running any text. The bounds were read off the texts; where a text caps the number of
// its workgroups, they leave the cap out, so from some millions of elements on they say too much. Own
// programs join what does not fit: they pad what is behind a count, make flags, indices and bins, and hand
// results over. Source: docs/engines.md, "Generated engines".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "opspec/opspec.h"

namespace vyre::generate {

/// A host expression in the lengths of the arguments, each an expression that needs no parentheses; of a list
/// instead its last word. A sum of products; what stands behind a number and a `*` needs no parentheses.
using Bound = std::string (*)(std::span<const std::string> lengths);
/// Over the arguments, in their order; a list is a buffer of its words.
using PieceReference = void (*)(opspec::Buffers& arguments);

struct Piece {
  std::string_view name;
  std::string_view parameters;  // with blanks between them
  Bound dispatches = nullptr;
  Bound scratch_bytes = nullptr;  // null: none
  // Of own programs alone.
  std::string_view program = {};  // its text
  PieceReference reference = nullptr;
  size_t over = 0;  // the argument of which each element has an invocation

  bool own() const { return !program.empty(); }
};

std::span<const Piece> pieces();
/// Domain: the name of a piece.
const Piece& piece(std::string_view name);

}  // namespace vyre::generate
