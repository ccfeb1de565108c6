#include "verify/atomic_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "ref/eval.h"

namespace vyre::verify {
namespace {

/// What an event left in the word, by the definition of its operator.
uint32_t left_by(const AtomicEvent& e) {
  return uint32_t(ref::eval_atomic(e.op, e.saw, e.expected, e.value));
}

constexpr uint32_t kNowhere = UINT32_MAX;

/// The arrows of a history between its values, which are numbered in increasing order.
struct Walks {
  std::vector<uint32_t> values;
  std::vector<uint32_t> first_from;  // by value, and one more: where its events begin in by_saw
  std::vector<uint32_t> by_saw;      // events, by the value that they saw
  std::vector<uint32_t> to;          // by event: the value that it left
  uint32_t begin = 0, end = 0;

  explicit Walks(const AtomicHistory& history) {
    const auto& events = history.events;
    // A value and who has it, in one word to sort by.
    std::vector<uint64_t> saw(events.size()), left(events.size());
    for (size_t k = 0; k < events.size(); ++k) {
      saw[k] = uint64_t(events[k].saw) << 32 | k;
      left[k] = uint64_t(left_by(events[k])) << 32 | k;
    }
    std::ranges::sort(saw);
    std::ranges::sort(left);
    values.reserve(events.size() + 2);
    const auto value = [](uint64_t key) { return uint32_t(key >> 32); };
    size_t s = 0, l = 0;
    const uint32_t ends[] = {std::min(history.first, history.last), std::max(history.first, history.last)};
    size_t e = 0;
    to.resize(events.size());
    by_saw.reserve(events.size());
    while (s < saw.size() || l < left.size() || e < 2) {
      uint32_t next = UINT32_MAX;
      if (s < saw.size()) next = std::min(next, value(saw[s]));
      if (l < left.size()) next = std::min(next, value(left[l]));
      if (e < 2) next = std::min(next, ends[e]);
      const uint32_t number = uint32_t(values.size());
      values.push_back(next);
      first_from.push_back(uint32_t(by_saw.size()));
      for (; s < saw.size() && value(saw[s]) == next; ++s) by_saw.push_back(uint32_t(saw[s]));
      for (; l < left.size() && value(left[l]) == next; ++l) to[uint32_t(left[l])] = number;
      for (; e < 2 && ends[e] == next; ++e) {
      }
      if (next == history.first) begin = number;
      if (next == history.last) end = number;
    }
    first_from.push_back(uint32_t(by_saw.size()));
  }
  std::span<const uint32_t> from(uint32_t number) const {
    return std::span(by_saw).subspan(first_from[number], first_from[number + 1] - first_from[number]);
  }
};

AtomicOrder refused(std::string reason) { return {Ordered::No, {}, std::move(reason)}; }

/// Euler's walk, program order left aside. The walk is the answer's order.
AtomicOrder walk(const Walks& walks, size_t events) {
  const size_t n = walks.values.size();
  std::vector<uint32_t> arrived(n, 0);
  ++arrived[walks.begin];
  for (const uint32_t at : walks.to) ++arrived[at];
  for (uint32_t v = 0; v < n; ++v) {
    const size_t left = walks.from(v).size() + (v == walks.end);
    if (left == arrived[v]) continue;
    const std::string last = v == walks.end ? ", and it was there at the end" : "";
    return refused(fmt::format("{} atomics saw {:#x}{}; it was there {} times", walks.from(v).size(),
                               walks.values[v], last, arrived[v]));
  }
  // Hierholzer: go on until stuck, and splice in what was left out on the way back.
  std::vector<uint32_t> next(walks.first_from.begin(), walks.first_from.end() - 1);
  struct Step {
    uint32_t at, by;
  };
  std::vector<Step> path{{walks.begin, kNowhere}};
  AtomicOrder out{Ordered::Yes, {}, {}};
  out.order.reserve(events);
  while (!path.empty()) {
    const auto [at, by] = path.back();
    if (next[at] < walks.first_from[at + 1]) {
      const uint32_t event = walks.by_saw[next[at]++];
      path.push_back({walks.to[event], event});
      continue;
    }
    if (by != kNowhere) out.order.push_back(by);
    path.pop_back();
  }
  std::ranges::reverse(out.order);
  if (out.order.size() == events) return out;
  for (uint32_t v = 0; v < n; ++v) {
    if (next[v] < walks.first_from[v + 1])
      return refused(fmt::format("{} atomics saw {:#x}, and nothing that could happen led there",
                                 walks.from(v).size(), walks.values[v]));
  }
  return out;
}

/// The events of each invocation, and how far each event stands in its invocation's.
struct Programs {
  std::vector<std::vector<uint32_t>> events;
  std::vector<uint32_t> place, owner;

  explicit Programs(std::span<const AtomicEvent> all) : place(all.size()), owner(all.size()) {
    std::vector<uint64_t> keys(all.size());
    for (size_t k = 0; k < all.size(); ++k) keys[k] = uint64_t(all[k].invocation) << 32 | k;
    std::ranges::sort(keys);
    for (size_t k = 0; k < keys.size(); ++k) {
      if (k == 0 || keys[k] >> 32 != keys[k - 1] >> 32) events.emplace_back();
      const uint32_t event = uint32_t(keys[k]);
      place[event] = uint32_t(events.back().size());
      owner[event] = uint32_t(events.size() - 1);
      events.back().push_back(event);
    }
  }
};

bool keeps(const Programs& programs, std::span<const uint32_t> order) {
  std::vector<uint32_t> done(programs.events.size(), 0);
  return std::ranges::all_of(
      order, [&](uint32_t event) { return programs.place[event] == done[programs.owner[event]]++; });
}

/// The walk where every value is there once: none is left twice, nor the last one left, by an event that
/// changes the word. At each value those that change nothing come first, in program order.
/// Return  false where a value may be there more than once.
bool only_walk(const Walks& walks, std::vector<uint32_t>& order) {
  order.clear();
  const auto changes = [&](uint32_t event) { return walks.to[event] != walks.end; };
  if (std::ranges::any_of(walks.from(walks.end), changes)) return false;
  for (uint32_t at = walks.begin;;) {
    uint32_t leaves = kNowhere;
    for (const uint32_t event : walks.from(at)) {
      if (walks.to[event] == at) {
        order.push_back(event);  // by_saw is in the order of the events
      } else if (leaves == kNowhere) {
        leaves = event;
      } else {
        return false;
      }
    }
    if (leaves == kNowhere) return true;
    order.push_back(leaves);
    at = walks.to[leaves];
  }
}

/// Every order that keeps program order, depth first. What was done decides what the word holds, so a state
/// is how far each invocation is. An event that changes nothing may as well happen as soon as it can.
class Search {
 public:
  Search(const AtomicHistory& history, const Walks& walks, const Programs& programs, uint64_t budget)
      : events_(history.events), walks_(walks), programs_(programs), budget_(budget) {
    done_.resize(programs.events.size(), 0);
  }

  AtomicOrder run() {
    // A state as a number; where there are too many for that, none is remembered.
    __extension__ using Wide = unsigned __int128;
    Wide states = 1;
    for (const auto& events : programs_.events) {
      weights_.push_back(remembers_ ? uint64_t(states) : 0);
      if (remembers_) states *= events.size() + 1;
      remembers_ = remembers_ && states >> 63 == 0;
    }
    struct Frame {
      uint32_t at;         // the value
      size_t taken;        // events of order_ when it was entered
      uint32_t candidate;  // the next invocation to try
    };
    std::vector<Frame> frames;
    const auto enter = [&](uint32_t at) {
      take_loops(at);
      frames.push_back({at, order_.size(), 0});
    };
    enter(walks_.begin);
    while (!frames.empty()) {
      if (order_.size() == events_.size()) return {Ordered::Yes, order_, {}};
      Frame& frame = frames.back();
      undo(frame.taken);
      const uint32_t event = candidate(frame.at, frame.candidate);
      if (event == kNowhere) {
        frames.pop_back();
        continue;
      }
      if (budget_ < done_.size()) return undecided();
      budget_ -= done_.size();
      take(event);
      const uint32_t to = walks_.to[event];
      take_loops(to);
      if (remembers_ && !seen_.insert(state_).second) continue;  // undone when the frame goes on
      frames.push_back({to, order_.size(), 0});
    }
    return refused("no order of them keeps the program order of every invocation");
  }

 private:
  static AtomicOrder undecided() {
    return {Ordered::Undecided, {}, "the orders of invocations with several atomics are too many to search"};
  }
  uint32_t next_of(uint32_t invocation) const {
    const auto& events = programs_.events[invocation];
    return done_[invocation] == events.size() ? kNowhere : events[done_[invocation]];
  }
  uint32_t candidate(uint32_t at, uint32_t& invocation) const {
    while (invocation < done_.size()) {
      const uint32_t event = next_of(invocation++);
      if (event != kNowhere && events_[event].saw == walks_.values[at]) return event;
    }
    return kNowhere;
  }
  void take(uint32_t event) {
    const uint32_t invocation = programs_.owner[event];
    ++done_[invocation];
    state_ += weights_[invocation];
    order_.push_back(event);
  }
  void undo(size_t size) {
    for (; order_.size() > size; order_.pop_back()) {
      const uint32_t invocation = programs_.owner[order_.back()];
      --done_[invocation];
      state_ -= weights_[invocation];
    }
  }
  void take_loops(uint32_t at) {
    for (uint32_t i = 0; i < done_.size(); ++i) {
      for (uint32_t event = next_of(i);
           event != kNowhere && events_[event].saw == walks_.values[at] && walks_.to[event] == at;
           event = next_of(i))
        take(event);
    }
  }

  std::span<const AtomicEvent> events_;
  const Walks& walks_;
  const Programs& programs_;
  uint64_t budget_;
  std::vector<uint64_t> weights_;
  std::vector<uint32_t> done_, order_;
  uint64_t state_ = 0;
  bool remembers_ = true;
  std::unordered_set<uint64_t> seen_;
};

}  // namespace

AtomicOrder order_of(const AtomicHistory& history, uint64_t budget) {
  const Walks walks(history);
  AtomicOrder found = walk(walks, history.events.size());
  if (found.ordered != Ordered::Yes) return found;
  const Programs programs(history.events);
  if (keeps(programs, found.order)) return found;
  if (only_walk(walks, found.order)) {
    if (keeps(programs, found.order)) return found;
    return refused("the only order that the values allow breaks the program order of an invocation");
  }
  return Search(history, walks, programs, budget).run();
}

}  // namespace vyre::verify
