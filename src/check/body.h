// Checking one body: the statements and expressions of a program or of an operation.
//
// check_body() walks the blocks in order with an explicit stack, resolves every name against the scopes that
// are open at that place, and gives every expression its type. What is wrong goes to the report; an
// expression that cannot have a type is of unknown type, and whatever depends on it is then not complained
// about. Rules that need the whole program (barriers, calls of calls) come after, in check.cpp and
// callees.cpp.
#pragma once

#include <span>
#include <vector>

#include "check/checked.h"
#include "check/report.h"
#include "ir/module.h"

namespace vyre::check {

/// What a body is and stands in. For a program, buffers and tensors are its own and function is null.
struct BodyInput {
  const ir::Code& code;
  ir::BlockId entry;
  const spec::OpTable& ops;
  std::span<const ir::BufferDecl> buffers;
  std::span<const ir::TensorType> tensors;
  const ir::Function* function = nullptr;
  std::span<const ir::Constant> constants = {};  // of the file: their names are taken
};

/// The calls of one operation of category A.
struct CallSite {
  const spec::OpDef* callee;
  Span span;           // of the first
  uint64_t count = 1;  // how many there are
};

/// One call of an operation of category C, and the statement that it is an operand of.
struct IntrinsicCall {
  NodeId statement;
  ExprId call;
};

struct BodyResult {
  Resolution resolution;
  std::vector<CallSite> calls;                    // in the order of their first call
  std::vector<IntrinsicCall> intrinsic_calls;     // all, in program order
  std::vector<Checked::IntrinsicUse> intrinsics;  // each intrinsic once, with its first call
  uint64_t size = 0;                              // statements and expressions
  bool has_barrier = false;
  bool in_order = false;   // its expressions follow one another, operands first
  bool malformed = false;  // V036 was reported: analyses that rely on the shape must not run
};

/// Target of a name that could not be resolved, in Resolution::expr_target and node_target of a broken
/// program.
inline constexpr uint32_t kNoTarget = UINT32_MAX;

BodyResult check_body(const BodyInput& input, Report& report);

/// V031: reports a name that could not be written in text.
void check_name(std::string_view name, Span span, std::string_view what, Report& report);

}  // namespace vyre::check
