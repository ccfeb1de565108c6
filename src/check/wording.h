// How diagnostics name operators, types and ways from one type to another.
#pragma once

#include <string>

#include "spec/ops.h"
#include "spec/types.h"

namespace vyre::check {

/// The sign that people write, or else the mnemonic: "`+`", "prefix `-`", "`popcount`".
std::string written(spec::Op op);

/// "u32, i32, bool"
std::string types_in(spec::TypeSet set);

/// What to write to make a value of one type of a value "..." of another: "cast<u32>(...)",
/// "bitcast<u64>(...)", or two steps where there is no single one.
std::string way_to(spec::DataType from, spec::DataType to);

}  // namespace vyre::check
