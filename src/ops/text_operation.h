// Operations in text: what src/ops/<path>.vyre says of one, and what stands beside it in C++.
//
// The text is the operation: signature, composition, laws, denials and rows are the language of modules
// (docs/text-format.md, "Operations"); what the language has no words for stands in comments above it, a line
// each:
//
//   // summary: a rotated left by b & 31
//   // source: semantics: The primitives (rotl)          of rows and identities with no other in brackets
//   // class: b % 32 == 0, such as (0x12345678, 64): no rotation
//   // boundary: (0x80000001, 31): the greatest amount
//   // identity: (x, 0) => x: no rotation                of every word x
//
// and a comment behind a row is its rationale. An operation on floats (ops/floating.h) has classes and
// boundaries by the kinds of its operands before its own, and may say
//
//   // rows: fexp                                        also the rows of that operator (spec/rows.h)
//   // approximation: float.f32.exp_approx: its summary  the approximate operation beside this one
//
// The reference function, the formula and laws of the operation's own are C++, in the file of the same name,
// where the text is not to be seen.
// Source: docs/adding-an-op.md.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "ops/operation.h"

namespace vyre::ops {

/// What judges an operation in text.
struct Beside {
  Reference reference;
  std::vector<spec::Law> custom = {};  // claimed after those of the text
  Definition define = nullptr;
};

/// The operation of the text, which must outlive it, with what stands beside it; behind it the approximate
/// one, if the text has it. Errors: P as of text::parse_module; C013, where a comment or a law is none of
/// those above. What a text means beyond that is checked by check_text().
Result<std::vector<Operation>> read_operations(std::string_view text, const Beside& beside);

}  // namespace vyre::ops
