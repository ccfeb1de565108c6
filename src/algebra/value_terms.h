// Laws over columns of values of any width.
//
// Flow (algebra/law.h) runs laws on words, with what makes that fast. Where a value has up to 128 bits, as in
// laws of operators at u64 and u128 and of operations in files, a statement runs here: each column has a
// value for each instance, and who applies an operation to columns, the reference or a device, is the
// caller's.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "algebra/law.h"
#include "ref/eval.h"

namespace vyre::algebra {

/// Values of one variable, an instance each.
using Values = std::vector<ref::Bits>;
/// Applies an operation to columns of values that its operands' types have; `out` is as long as they are.
using ApplyValues =
    std::function<Result<void>(const ops::Operation&, std::span<const Values* const> inputs, Values& out)>;
/// The value that a word in the statement of a law stands for.
using ValueOfWord = std::function<ref::Bits(uint32_t)>;

/// For each instance whether the law holds, not zero being true. A statement that demands nothing has shown
/// nothing. say: states the law. result: the type of its operation. Domain: at least one variable, all of the
/// same size. Errors: the first of an application.
Result<std::vector<uint8_t>> values_hold(const std::function<void(Terms&)>& say,
                                         std::span<const Values> variables, spec::DataType result,
                                         const ValueOfWord& constant, const ApplyValues& apply);

/// The low bits that a value of the type has; a bool is 0 or 1.
ref::Bits low_bits(spec::DataType type, ref::Bits x);

}  // namespace vyre::algebra
