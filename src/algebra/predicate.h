// What a law says, as IR: a predicate over its variables that calls the operations of the law.
//
// The predicate of a kind of law is a text in the ledger (spec/laws.def), that of a custom law is written
// with the builder. Both are an ir::Function, which becomes a short list of steps, once; state() takes the
// steps in whatever terms an engine has: columns of values on the host, a program for a device, a formula for
// a solver. Operators are computed by the engine that checks, calls are applications of the operations under
// test.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "algebra/law.h"

namespace vyre::algebra {

/// How many operands the law gives to the other operation of this number, which it names; `all`: how many
/// variables there are where it ranges over all operands.
uint32_t operands_of_other(spec::LawKind kind, size_t other, uint32_t all);

struct BoundPredicate {
  std::shared_ptr<const ir::Function> function;
  std::vector<const ops::Operation*> calls;  // each once
  std::vector<spec::DataType> variables;
};
/// Builds a custom law's predicate for an operation. The types of the variables are those of the operation's
/// operands, in order and then from the first again. The error is why it is no statement: another type than
/// u32 or bool, control flow, an operator with another meaning than on words, an unknown operation.
std::expected<BoundPredicate, std::string> bind_predicate(const spec::Law& law, const ops::Operation& f,
                                                          const Lookup& lookup);

}  // namespace vyre::algebra
