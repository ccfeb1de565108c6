// Recorded atomics: a program that besides what it does lists what its atomics saw.
//
// Whether the atomics of a dispatch happened one at a time cannot be read off its results alone: a lost
// addition looks like one that was never made. So the program is written anew (record_atomics) with one more
// buffer, `history`. Behind each atomic it takes the next place in the history by an atomic addition, and
// stores there what was done to which element, by whom, and the value that came back. All else stays as it
// was: every buffer but the history gets the same bytes, in the same order of evaluation. After the dispatch
// events_of() reads the history, and judge_atomics() decides, word by word, whether some order explains it
// (verify/atomic_history.h).
//
// A plain store to a buffer of which the program changes elements atomically is an event too: in a program
// without races everything else that touches the word comes before it or after it, so it is an exchange that
// saw what a load just before it gives. With it a word that no event changed must be as it was. Workgroup
// memory and private arrays have no atomics in this language.
// Source: vyre-conform-spec, "Engine" (AtomicLinearizable); docs/spec/memory.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "check/checked.h"
#include "ir/ir.h"
#include "layout/dispatch.h"
#include "spec/operation.h"
#include "verify/atomic_history.h"

namespace vyre::verify {

/// The words of an event in the history, which begins with the number of events.
enum class EventWord : uint8_t { What, Buffer, Element, Value, Expected, Saw, Invocation };
inline constexpr uint32_t kEventWords = 7;

/// Words of a history with room for so many events, zero before the dispatch.
constexpr uint64_t history_words(uint64_t events) { return 1 + events * kEventWords; }

/// Whether record_atomics() has something to record.
bool has_atomics(const check::Checked& program);

/// The program with its recording, whose history is its last buffer; buffers before it keep their numbers.
/// It is checked like any other: by recorded().
ir::Program record_atomics(const check::Checked& program);

/// A checked recording, with what its calls name.
class Recorded {
 public:
  /// Errors  what the checker says of it: a program at the limit of its nodes may have no room left.
  static Result<Recorded> of(const check::Checked& program);
  const check::Checked& program() const { return *program_; }

 private:
  std::unique_ptr<spec::OpTable> ops_;  // the program points into it
  std::unique_ptr<check::Checked> program_;
};

/// What one atomic, or one store beside atomics, did.
struct RecordedEvent {
  check::BufferId buffer{};
  uint32_t element = 0;
  bool store = false;  // a plain store, as an exchange
  AtomicEvent event;   // its invocation: the linear number in the dispatch, x fastest
};

struct RecordedHistory {
  uint64_t events = 0;  // that there were; more than there was room for: run it again with more
  bool complete(uint64_t room) const { return events <= room; }
  std::vector<RecordedEvent> kept;  // those that stand in it, by their places
  std::string damage;               // the first place that has no event, for people; else empty
};
/// Reads a history. The events of one invocation stand in program order.
/// Domain  any words, at least one.
RecordedHistory events_of(std::span<const std::byte> history);

/// The contents of one bound buffer.
using BufferBytes = std::span<const std::byte>;

struct AtomicVerdict {
  Ordered ordered = Ordered::Yes;
  std::string reason;  // No, Undecided: "bins[3], 0x0 before and 0x2 after, 3 events: 2 atomics saw 0x1 ..."
  uint64_t events = 0, words = 0;  // that were looked at, of how many words
};
/// Whether the atomics of a dispatch of `program` (the original) can have happened one at a time.
/// Shape  before, after: one a bound buffer, in the order of Checked::bound_buffers().
AtomicVerdict judge_atomics(const check::Checked& program, std::span<const BufferBytes> before,
                            std::span<const BufferBytes> after, const RecordedHistory& history,
                            uint64_t budget = kOrderBudget);

/// A plain store to a word that another invocation changes too, with nothing that orders the two, so that
/// what either saw is luck even where an order explains what they happened to see: "count[0] is stored to by
/// invocation 0, and invocation 64 changes it too". Where the program has barriers, these order a workgroup.
/// Of a history without damage. What is out of bounds is no access.
std::optional<std::string> unordered_store(const check::Checked& program, layout::Groups groups,
                                           std::span<const BufferBytes> buffers,
                                           const RecordedHistory& history);

}  // namespace vyre::verify
