// Changes that make a program smaller, one at a time. Internal to generate.
//
// Each is a candidate only: the caller that applies one checks the result and asks whether it still fails.
// What is offered keeps the disciplines of programs.h, so that no candidate has a data race; where one
// invocation runs, no race is possible, and everything is offered.
#pragma once

#include <vector>

#include "check/checked.h"
#include "ir/ir.h"

namespace vyre::generate {

struct Edit {
  enum class Kind : uint8_t {
    Drop,      // node and the next ones of its block, `count` in all
    KeepBody,  // of an if or a loop: its body as a block in its place; a loop's variable becomes a let
    KeepElse,
    Flatten,  // the statements of a block in its place
    Inline,   // a let is dropped, and its value stands wherever the variable was used
    Forward,  // the same of an assignment, for what comes after it
    Replace,  // expr by one of its operands
    Literal,  // expr by a literal
  } kind{};
  ir::NodeId node{UINT32_MAX};
  uint32_t count = 1;
  ir::ExprId expr{UINT32_MAX};
  ir::ExprId by{UINT32_MAX};  // Replace: an operand of expr
  uint32_t bits = 0;          // Literal: its least significant word; the others are 0
  ir::DataType type{};        // Literal
};

/// The program with one edit. Names may be unknown or declared twice then; check() says so.
ir::Program apply(const check::Checked& checked, const Edit& edit);

/// Every edit of a program, those that cut the most first. `alone`: one invocation runs.
std::vector<Edit> edits_of(const check::Checked& checked, bool alone);

}  // namespace vyre::generate
