// Causes: which of many failures are one fault.
//
// A wrong operator fails in its own cases, in its laws, in every operation that is composed of it and in
// random programs: hundreds of failures of one fault. Each failing case has traits: the operators and
// operations that run in it, at their types, its statements, which bits of the answer are wrong. A trait that
// runs in subjects which pass is not the cause as long as another is left (fault localisation by spectra).
// Then the trait that most subjects share takes its failures as one group, and so on until none is left: a
// greedy cover, whose order is fixed, so the same failures give the same groups. What the backend did
// separates groups: a crash and a wrong value are two. Where it refuses, what it says goes before all that:
// cases with one message are one cause, whatever runs in them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "suite/minimise.h"
#include "verify/verdict.h"

namespace vyre::suite {

struct Cause {
  std::string trait;                  // "`%` of u32", "bit 0", or a subject where nothing else is known
  std::string fault;                  // "wrong value"
  std::vector<std::string> equals;    // other traits of the same failures, which too little has run to clear
  std::string message;                // what the backend said of the smallest case, where that is the cause
  std::vector<size_t> members;        // of the failures given, the smallest case first
  uint64_t failures = 0;              // with those that were only counted
  std::vector<std::string> subjects;  // each once, in order
};

/// The causes of what was found, those with the most subjects first. `verdicts`: all of the run, which say
/// what passes; failures that they only count go with the first one of their subject.
std::vector<Cause> find_causes(std::span<const Found> found, std::span<const verify::Verdict> verdicts);

/// At most 24 lines for people: the smallest failing case of each cause, as many as fit, and the line to
/// replay it. `path_of`: the file in which a case is kept, or empty. `backend`: as --backend names it.
std::string first_screen(std::span<const Found> found, std::span<const Cause> causes,
                         std::string_view backend,
                         const std::function<std::string(const FailingCase&)>& path_of);
inline constexpr size_t kScreenLines = 24;

/// What stands first where nothing failed and something could not be judged: why, and of how many subjects.
/// Empty where all was judged.
std::string unjudged(std::span<const verify::Verdict> verdicts);

}  // namespace vyre::suite
