// Corpora: published values, as an oracle of its own.
//
// A file has one vector a line, `operation operand... = expected # citation`, where the citation says who
// published it and where it stands; empty lines and lines that begin with // are for people. Without a
// citation a vector is not better than one that was copied out of the code it is to judge, so it is refused.
// docs/corpus.md says what to import and how. Source: oracles, "Oracle 6".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ops/operation.h"

namespace vyre::admit {

struct Vector {
  const ops::Operation* operation;
  std::vector<uint32_t> operands;
  uint32_t expected;
  std::string citation;
  uint32_t line;  // from 1
};

/// The vectors of a file. Words are decimal or hexadecimal (0x); a float is its bits.
/// Errors  C015 at the first line that is no vector: no citation, no such operation, another number of
/// operands, a
///         word that is none or too wide for its type, or two vectors that contradict each other.
Result<std::vector<Vector>> read_corpus(std::string_view text);

}  // namespace vyre::admit
