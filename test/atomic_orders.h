// Every order of a few atomics on one word, tried one by one: what verify/atomic_history.h must agree with.
//
// The table of the specification is written down once more here, and an order is looked for by doing one
// event after the other, so nothing is shared with what is judged.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "spec/ops.h"
#include "verify/atomic_history.h"

namespace vyre::verify {

/// The table of the specification, once more.
inline uint32_t after(const AtomicEvent& e, uint32_t word) {
  if (e.op == spec::Op::AtomicAdd) return word + e.value;
  if (e.op == spec::Op::AtomicOr) return word | e.value;
  if (e.op == spec::Op::AtomicAnd) return word & e.value;
  if (e.op == spec::Op::AtomicXor) return word ^ e.value;
  if (e.op == spec::Op::AtomicMin) return word < e.value ? word : e.value;
  if (e.op == spec::Op::AtomicMax) return word > e.value ? word : e.value;
  if (e.op == spec::Op::AtomicExchange) return e.value;
  return word == e.expected ? e.value : word;
}

/// Whether some order explains the history: all orders are tried, one event after the other.
inline bool by_trying(const AtomicHistory& h) {
  const size_t n = h.events.size();
  std::vector<uint8_t> tried(size_t{1} << n, 0);
  const std::function<bool(uint32_t, uint32_t)> go = [&](uint32_t done, uint32_t word) {
    if (done + 1 == 1u << n) return word == h.last;
    // What was done decides the word: each event that was done was seen to fit.
    if (tried[done]) return false;
    tried[done] = 1;
    for (uint32_t k = 0; k < n; ++k) {
      if ((done >> k & 1) != 0 || h.events[k].saw != word) continue;
      bool earlier = true;
      for (uint32_t j = 0; j < k; ++j)
        earlier = earlier && (h.events[j].invocation != h.events[k].invocation || (done >> j & 1) != 0);
      if (earlier && go(done | 1u << k, after(h.events[k], word))) return true;
    }
    return false;
  };
  return go(0, h.first);
}

/// Whether an answer's order does what it says.
inline bool explains(const AtomicHistory& h, const AtomicOrder& answer) {
  uint32_t word = h.first;
  std::vector<uint32_t> sorted = answer.order;
  std::ranges::sort(sorted);
  std::vector<uint32_t> all(h.events.size());
  std::iota(all.begin(), all.end(), 0u);
  if (sorted != all) return false;
  for (size_t k = 0; k < answer.order.size(); ++k) {
    const AtomicEvent& e = h.events[answer.order[k]];
    if (e.saw != word) return false;
    word = after(e, word);
    for (size_t j = 0; j < k; ++j) {
      const bool same = h.events[answer.order[j]].invocation == e.invocation;
      if (same && answer.order[j] > answer.order[k]) return false;
    }
  }
  return word == h.last;
}

/// All multisets of n of these events, each event by an invocation of its own: calls what with each, as long
/// as it is true.
template <class What>
bool for_all_multisets(std::span<const AtomicEvent> letters, uint32_t n, const What& what) {
  std::vector<size_t> chosen(n, 0);
  std::vector<AtomicEvent> events(n);
  for (;;) {
    for (uint32_t k = 0; k < n; ++k) {
      events[k] = letters[chosen[k]];
      events[k].invocation = k;
    }
    if (!what(std::span<const AtomicEvent>(events))) return false;
    // The next multiset: no digit is below the one before it.
    size_t k = n;
    while (k > 0 && chosen[k - 1] + 1 == letters.size()) --k;
    if (k == 0) return true;
    std::fill(chosen.begin() + ptrdiff_t(k) - 1, chosen.end(), chosen[k - 1] + 1);
  }
}

}  // namespace vyre::verify
