// Streams of cases: inputs and expected values made on all cores, and judged one slice after the other.
//
// A backend that waits for its inputs is not tested, and an oracle that waits for a backend is not either. So
// slices are made ahead, several at a time, while the one that was made first is dispatched and compared, and
// the one before that is put on record: a digest takes longer than most dispatches do. The number of slices
// that are under way is bounded, and with it the memory, whatever the number of cases and whichever side is
// slow. The judge is given the slices in order, one at a time, and so is the recorder, so verdicts,
// failures and digests are the same for any number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/result.h"
#include "verify/columns.h"
#include "verify/monitor.h"
#include "verify/parity.h"
#include "verify/verdict.h"

namespace vyre::verify {

/// Consecutive cases of a range, with what every answer must be.
struct CaseSlice {
  CaseSlice(size_t arity, size_t words, size_t capacity)
      : columns(arity, capacity), buffer(words * capacity), room(words * capacity) {}

  const CaseRange* range = nullptr;
  uint64_t begin = 0;   // of the range's cases, the first
  uint64_t number = 0;  // its number, as tokens say it
  size_t count = 0;
  Columns columns;                     // of which the first `count` are the inputs
  std::span<const uint32_t> expected;  // the words of the results
  uint32_t poison = 0;                 // none of them
  std::vector<uint64_t> class_hits;    // of each class of the subject; empty where they are not counted

  // For the judge, which leaves them to the recorder.
  std::span<uint32_t> answers;  // words of them, as many as of `expected`
  Tally tally;
  bool by_chance = false;  // a failure that the next run may not have was found, here or before

  std::vector<uint32_t> buffer, room;  // what `expected` and `answers` are in
  bool judged = false;
};

/// How many slices are under way at most, on this many threads: one that is judged, one that is recorded, and
/// those that are made meanwhile.
constexpr size_t slices_ahead(size_t threads) { return threads + 2; }

/// What is done with slices: each is called for one at a time, in order, from any of the threads.
struct SliceUse {
  std::function<Result<void>(CaseSlice&)> judge;
  /// What may be done while the next slice is judged; every slice that was judged without an error gets here.
  std::function<void(CaseSlice&)> record = {};
};

/// Makes the cases of ranges on the threads of this arena and has them judged and recorded. Ends early,
/// without an error, when the monitor says so.
/// Errors  the first that `judge` answers; it is not called after that.
/// Cost    slices_ahead() slices of memory.
Result<void> stream_cases(const Subject& subject, std::span<const CaseRange> ranges, uint64_t seed,
                          const Monitor& monitor, const SliceUse& use);

}  // namespace vyre::verify
