// The probe: whether a device does what its specification promises of floats.
//
// It runs programs of many contexts (backend/probe_contexts.h) on directed inputs, in the form in which other
// programs would run, and compares with the reference, which runs the same programs. It can only take
// promises back: an operator in a context that went wrong is composed of integers from then on, and the
// contexts are asked again until all are right. A device that answers differently when it is asked the same
// thing twice is not trusted with any float instruction. That everything was right proves nothing: the
// promise stays the reason to use an instruction. docs/adr/0020.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "lower/promise.h"

namespace vyre::backend::probe {

/// Changes whenever other contexts or inputs are asked for, or native forms are written otherwise: part of
/// what verdicts are kept under.
inline constexpr uint32_t kVersion = 5;

struct Verdict {
  lower::FloatPromises kept;
  /// Each demotion, or the unsteadiness, with the context that showed it; empty when all was right.
  std::vector<std::string> findings;
  bool steady = true;
};

/// Compiles programs for the device by these promises.
using Compile = std::function<std::vector<Result<std::unique_ptr<Pipeline>>>(
    std::span<const check::Checked* const> programs, const lower::FloatPromises& promises)>;

/// Errors  those of compiling and running.
/// Cost    some 2 * 10^5 evaluations of contexts on the device, twice; a dozen programs to compile.
Result<Verdict> probe(const lower::FloatPromises& promised, const Compile& compile);

}  // namespace vyre::backend::probe
