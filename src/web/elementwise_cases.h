// A subject that is judged element by element, as one dispatch of a page.
#pragma once

#include "verify/parity.h"
#include "web/conformance.h"

namespace vyre::web {

/// Errors  what check or lowering say of the wrapper program (verify/elementwise.h).
Result<Case> elementwise_case(const verify::Subject& subject, const ConformanceOptions& options);

}  // namespace vyre::web
