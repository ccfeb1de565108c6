// What planted faults of floats put in the place of a right operator: functions in the IR, made of right
// ones.
#pragma once

#include <string_view>
#include <vector>

#include "float_faults.h"

namespace vyre::faults {

/// False of reductions: the fault is the other reduction.
bool has_function(FloatFault fault);

/// The function with the fault. Its parameters are the operands, of these types; where the victim is an
/// operator on the result of another, first the inner one's. Domain: has_function(fault), the victim's types.
ir::Function faulty_function(FloatFault fault, std::string_view id, const std::vector<spec::DataType>& types,
                             spec::DataType result);

}  // namespace vyre::faults
