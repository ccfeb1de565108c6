// Raw operators and atomics as C++ and CUDA C++: one row an operator. Internal to lower/source.
//
// A row is an expression in which {0}, {1} and {2} are operands: names of words. What the languages write
// differently is a function of the file's prelude (prelude.h).
#pragma once

#include <string_view>

#include "lower/kernel.h"

namespace vyre::lower {

/// Domain  an operator that kSourceTarget has.
std::string_view source_raw(RawOp op);

/// The prelude's function of an atomic operator; of compare-exchange it takes the expected value too.
std::string_view source_atomic(spec::Op op);

}  // namespace vyre::lower
