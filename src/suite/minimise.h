// What a run found wrong, written down and made smaller.
//
// A verdict has words and a token of each failure that it keeps. Here each becomes a case that runs by itself
// (suite/failing_case.h), with the operands that the examiner came down to, and as a program is made smaller
// while it fails in the same way on the backend that is judged. How far that goes is bounded by runs and not
// by time, so that the same fault gives the same text on every day.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "base/result.h"
#include "certify/console.h"
#include "suite/case.h"
#include "suite/failing_case.h"
#include "verify/verdict.h"

namespace vyre::suite {

/// One failure that a verdict keeps, written down.
struct Found {
  std::string subject;
  verify::Failure failure;
  FailingCase failing;
  std::vector<Bytes> actual;  // of each bound buffer, what came when it was run alone; empty: nothing did
};

/// The values of a failure as bits and as what their types make of them; as words where its token names none
/// with types. Cost: that of finding whom the token names.
certify::ValueTexts value_texts(const verify::Failure& failure);

/// Whether a fault is seen only beside or after other cases, by chance, or later: never in a case alone.
bool takes_company(verify::Fault fault);

/// What a failure is about.
struct KnownCase {
  std::optional<generate::ProgramCase> program;  // none: the case is no program
  ValueTypes types;
};
using CaseOf = std::function<Result<KnownCase>(const std::string& subject, const verify::Failure&)>;
/// As the failure's token says it. Errors: C003 for one that names nothing. The backend is asked for its
/// limits.
CaseOf by_token(backend::Backend& backend);

struct MinimiseOptions {
  size_t runs = 600;     // of the backend, a case
  double seconds = 120;  // of all cases together: what comes later stays as it was found
};

/// Writes down every failure of the verdicts, in order. The backend makes programs smaller: one that judges,
/// and may die of it where it has a process of its own. Errors  what stands in the way of running at all;
/// those of `case_of`.
Result<std::vector<Found>> write_down(std::span<const verify::Verdict> verdicts, backend::Backend& backend,
                                      const CaseOf& case_of, const MinimiseOptions& options = {});

}  // namespace vyre::suite
