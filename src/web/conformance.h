// The conformance page: the operations of the library and the families of the IR as dispatches.
//
// It is the quick set of certification made small enough to be sent. Of each operation, operator, select and
// cast one dispatch over its specification rows and the cases of every strategy, walked in even strides,
// random ones among them; what is expected of rows are the rows, of other cases of operations their reference
// functions, of operators the reference's. A missing answer is seen, since results start as a
// poison that no answer is, and a store that strays, since canaries stand behind. Of each shape of the
// program families one dispatch, with what the reference interpreter leaves in every buffer.
#pragma once

#include <cstdint>

#include "web/page.h"

namespace vyre::web {

struct ConformanceOptions {
  uint64_t cases_a_subject = 1'000;  // at least, unless there are fewer
  uint64_t strategy_cap = 256;       // cases of one strategy
  uint64_t seed = 42;                // of random cases, as the token of a failure says it
};

/// Errors  what lowering says of a subject; there should be none.
/// Cost    seconds; memory: the page a few times.
/// Thread  uses all cores.
Result<Page> conformance_page(const ConformanceOptions& options = {});

}  // namespace vyre::web
