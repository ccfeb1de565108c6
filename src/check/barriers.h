// V010: a barrier or a call of a subgroup operation stands only where control flow is uniform. The analysis
// is analyze::Uniformity; this puts its reasons into words.
#pragma once

#include "check/body.h"
#include "check/report.h"

namespace vyre::check {

/// Barriers go to one report, calls to the other, which may be the same.
/// Domain: body is the result for this program and is not malformed.
void check_barriers(const ir::Program& program, const BodyResult& body, Report& barriers, Report& calls);

}  // namespace vyre::check
