// Programs of one operator or operation: what lowering is proved on.
//
//   out[at[0]] = f(a[at[0]], b[at[0]])
//
// Every access has the same index, which is any number, so guards are proved along with the operator; nothing
// depends on the invocation.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "lower/kernel.h"
#include "ops/operation.h"
#include "symbolic/kernel.h"

namespace vyre::symbolic {

struct ScalarProgram {
  std::string name;                           // "div i32", "cast u64 i32", "primitive.math.add"
  lower::Kernel kernel;                       // semantic
  const ops::Operation* operation = nullptr;  // none: an operator
};

/// Every pure operator on integers, vectors and bools at every type that it takes, casts and bitcasts among
/// those included.
std::vector<ScalarProgram> operator_programs();
/// One scalar operator. Domain: it takes the type.
ScalarProgram operator_program(spec::Op op, spec::DataType type);
/// Every operation of integers in the library.
std::vector<ScalarProgram> operation_programs();
ScalarProgram operation_program(const ops::Operation& operation);

/// What the program has to do: by the operation's definition where it has one, else by its kernel.
/// Errors: why there is no formula for it.
std::expected<Reading, std::string> meaning_of(smt::Pool& pool, Memory& memory, const ScalarProgram& program);

/// The same program with one raw operator, unguarded: out[at[0]] = raw(a[at[0]], ...). Legal as it is.
/// Domain: on words, and not info(op).is_float.
lower::Kernel raw_program(lower::RawOp op);
/// What it has to do where the operands are in the operator's domain and the index exists; elsewhere
/// nothing is claimed, which `assumed` says.
struct RawReading {
  Reading reading;
  smt::Term assumed;
};
RawReading meaning_of(smt::Pool& pool, Memory& memory, lower::RawOp op);

}  // namespace vyre::symbolic
