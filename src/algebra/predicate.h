// Custom laws: a predicate written in the IR, as the statement of a law.
//
// A law that no kind of the catalogue says is written with the builder, over the law's variables, and may
// call the operation that it is about. Here it is built, held to what a statement can be made of, and written
// down in the terms of any engine: operators by the checker, calls as applications.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "algebra/law.h"

namespace vyre::algebra {

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

/// Writes the predicate of a bound custom law; gives its value.
Column write_predicate(Terms& terms, const BoundLaw& law);

}  // namespace vyre::algebra
