// Whether a module can compute floats other than as it says: asked of the words themselves.
//
// A driver may fuse, reorder or factor arithmetic that is not decorated with NoContraction and not strict by
// its entry's word (SPV_KHR_float_controls2), so the absence of both is looked for in what was written and
// not trusted to the writer. Internal to lower/spirv, and for its tests.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"

namespace vyre::lower {

/// L003 when an instruction of float arithmetic, or a function of GLSL.std.450 that gives floats, has no
/// NoContraction where its entry does not forbid all fast math, or has it where that does; when floats are
/// loaded, stored or selected as such, which loses NaNs; and for what is no module. Cost: a look at every
/// instruction.
Result<void> audit_spirv(std::span<const uint32_t> words);

}  // namespace vyre::lower
