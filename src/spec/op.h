// The name of the enum of operators, without its enumerators: enough to hold an operator, pass it on and
// compare it.
//
// The ledger (ops.def) is behind spec/ops.h. A header that only mentions operators includes this one, so that
// a new row compiles again what looks at operators, and not all that holds one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vyre::spec {

enum class Op : uint8_t;

/// How many values an enum has, for the enums that tables are keyed by (spec/table.h): `value`.
template <typename Key>
struct KeyCount;

}  // namespace vyre::spec
