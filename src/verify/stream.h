// Streams of cases: inputs and expected values made on all cores, and judged one slice after the other.
//
// A backend that waits for its inputs is not tested, and an oracle that waits for a backend is not either. So
// slices are made ahead, several at a time, while the one that was made first is dispatched and compared; the
// number of those that are under way is bounded, and with it the memory, whatever the number of cases and
// whichever side is slow. Whoever judges is given the slices in order, one at a time, so verdicts, failures
// and digests are the same for any number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/result.h"
#include "verify/columns.h"
#include "verify/monitor.h"
#include "verify/parity.h"

namespace vyre::verify {

/// Consecutive cases of a range, with what every answer must be.
struct CaseSlice {
  CaseSlice(size_t arity, size_t words, size_t capacity)
      : columns(arity, capacity), buffer(words * capacity) {}

  const CaseRange* range = nullptr;
  uint64_t begin = 0;   // of the range's cases, the first
  uint64_t number = 0;  // its number, as tokens say it
  size_t count = 0;
  Columns columns;                     // of which the first `count` are the inputs
  std::span<const uint32_t> expected;  // the words of the results
  uint32_t poison = 0;                 // none of them
  std::vector<uint64_t> class_hits;    // of each class of the subject; empty where nobody counts

  std::vector<uint32_t> buffer;  // what `expected` is in
};

/// How many slices are under way at most, on this many threads.
constexpr size_t slices_ahead(size_t threads) { return threads + 1; }

/// Makes the cases of ranges on the threads of this arena and gives them to `judge`, in order and one at a
/// time, from any of the threads. Ends early, without an error, when the monitor says so. Errors  the first
/// that `judge` answers; it is not called after that. Cost    slices_ahead() slices of memory.
Result<void> stream_cases(const Subject& subject, std::span<const CaseRange> ranges, uint64_t seed,
                          const Monitor& monitor, const std::function<Result<void>(CaseSlice&)>& judge);

}  // namespace vyre::verify
