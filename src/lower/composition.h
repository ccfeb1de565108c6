// The integer expansions of operators on floats (ops/float), as straight-line kernel code that legalization
// inlines.
//
// A composition is a function, and a function called is a function inlined: its body takes the place of the
// operator and is legalized on the way, by the same rules as everything else. It is a straight line, so its
// body is one block.
#pragma once

#include <vector>

#include "lower/kernel.h"

namespace vyre::lower {

/// A function as a semantic kernel without memory.
struct Composition {
  Kernel kernel;                  // one block: constants and applications
  std::vector<Value> parameters;  // stand in no block
  Value result{};
};

/// Domain: a straight line: variables that are never assigned, no call.
Composition build_composition(const check::CheckedFunction& function);

/// The linear form of ops::soft; kept for ever.
///
/// Domain  as ops::soft.
/// Thread  any.
const Composition& composition(spec::Op op, spec::DataType type);
/// The linear form of ops::soft_second, in the same way.
const Composition& second_composition(spec::Op op, spec::DataType type);
/// The linear form of ops::soft_cast, in the same way.
const Composition& cast_composition(spec::DataType from, spec::DataType to, spec::RoundingMode mode);

}  // namespace vyre::lower
