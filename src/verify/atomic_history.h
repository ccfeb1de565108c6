// Histories of atomics: can what many invocations saw of one word have happened?
//
// Every atomic gives the value before it, so it says where it stood: it took the word from the value that it
// saw to the value that the two make. Draw each value as a point and each atomic as an arrow from the one to
// the other: an order in which all of them happened, one at a time, is a walk that uses every arrow once,
// from the first value to the last. Such a walk exists exactly where as many arrows arrive at each point as
// leave it (one more leaves the first value, one more arrives at the last), and all of them hang together:
// Euler's theorem. So one test, linear but for sorting, decides all eight operators and any mixture of them,
// and gives the order. What the specification lists for single operators (consecutive values of additions,
// one successful compare-exchange, chains of exchanges, bounds that move one way) follows from it.
//
// An invocation that makes several atomics on one word makes them in program order. Where each value is left
// at most once, and the last one never, the walk is the only one, and looking along it is exact. Else orders
// are searched, with memory of what was reached, up to a budget; beyond it the answer is Undecided, and never
// wrong. Source: vyre-conform-spec, "Atomic Operations"; semantics, "Memory" (atomics).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "spec/ops.h"

namespace vyre::verify {

struct AtomicEvent {
  spec::Op op{};            // one of the eight atomics
  uint32_t saw = 0;         // the value that it gave
  uint32_t value = 0;       // its operand
  uint32_t expected = 0;    // of compare-exchange alone
  uint32_t invocation = 0;  // that made it; the events of one stand in program order
};

/// What happened to one word: its value before all events and after them.
struct AtomicHistory {
  uint32_t first = 0;
  uint32_t last = 0;
  std::span<const AtomicEvent> events;
};

enum class Ordered : uint8_t { Yes, No, Undecided };

struct AtomicOrder {
  Ordered ordered = Ordered::Undecided;
  /// Yes: positions in events, in an order that gives each what it saw. Else empty.
  std::vector<uint32_t> order;
  /// No, Undecided: why, with values. "3 atomics saw 0x5, which was there 2 times"
  std::string reason;
};

inline constexpr uint64_t kOrderBudget = 1u << 20;

/// Decides whether one order of the events, that keeps the program order of each invocation, explains the
/// history.
/// Cost   O(n log n), and up to `budget` looks at an invocation's next event where some have several events.
AtomicOrder order_of(const AtomicHistory& history, uint64_t budget = kOrderBudget);

}  // namespace vyre::verify
