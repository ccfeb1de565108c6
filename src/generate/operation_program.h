// The program that applies one operation to columns: out[i] = operation(a[i], b[i], c[i]) for i < len(out).
//
// It is how an operation's composition is run anywhere: on the reference evaluator, and on a backend for
// parity and laws. Operands are read buffers a, b, c at bindings 0.., the result is a read_write buffer `out`
// after them.
#pragma once

#include "ir/ir.h"
#include "ops/operation.h"

namespace vyre::generate {

/// The program; it calls the operation by id and version, so check it against a table that has it.
ir::Program operation_program(const ops::Operation& operation, uint32_t workgroup_size = 64);

/// The composition as a function body.
ir::Function composition(const ops::Operation& operation);

}  // namespace vyre::generate
