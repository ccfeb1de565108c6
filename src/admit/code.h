// Builds a program that applies a candidate's composition, whether or not the library has it; the gates look
// at its code.
#pragma once

#include "base/result.h"
#include "check/checked.h"
#include "ops/operation.h"

namespace vyre::admit {

/// A program of one invocation, out[0] = f(in0[0], in1[0], ...), where f is the candidate's composition.
struct ScalarProgram {
  ir::Function body;    // the candidate's
  spec::OpTable table;  // the library with the candidate in the place of its namesake
  std::optional<check::Checked> checked;
};

/// The composition, built. An input that is read and not declared becomes a variable that is not declared,
/// which check() names. Domain: as many parameter names as inputs.
ir::Function build_body(const ops::Operation& operation);

/// How the program stores its result. An exchange keeps a compiler from making several copies of the code, of
/// vectors and of single elements; it is for words.
enum class Store : uint8_t { Plain, Exchange };

/// Errors: the first that check has against the composition. `out` must not move afterwards.
Result<void> make_program(const ops::Operation& operation, ScalarProgram& out, Store store = Store::Plain);

}  // namespace vyre::admit
