// Hopcroft: states of one label are one block at first; a block is split where a byte leads some of its
// states into another block and others not. Of the two halves of a split only the smaller is tried again,
// which makes it n log n. Source: J. Hopcroft, An n log n algorithm for minimizing states in a finite
// automaton, 1971.
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "tables/automaton.h"

namespace vyre::tables {
namespace {

/// The states of an automaton in blocks: each a range of one list.
class Blocks {
 public:
  explicit Blocks(const std::vector<std::pair<uint32_t, uint32_t>>& labels)
      : members_(labels.size()), place_(labels.size()), block_(labels.size()) {
    std::iota(members_.begin(), members_.end(), 0);
    std::ranges::sort(members_, {}, [&](uint32_t state) { return std::pair(labels[state], state); });
    for (uint32_t i = 0; i < members_.size(); ++i) {
      if (i == 0 || labels[members_[i]] != labels[members_[i - 1]]) ranges_.push_back({i, i, 0});
      place_[members_[i]] = i;
      block_[members_[i]] = uint32_t(ranges_.size()) - 1;
      ranges_.back().end = i + 1;
    }
  }

  size_t count() const { return ranges_.size(); }
  uint32_t of(uint32_t state) const { return block_[state]; }
  std::span<const uint32_t> members(uint32_t block) const {
    return std::span(members_).subspan(ranges_[block].begin, size(block));
  }
  uint32_t size(uint32_t block) const { return ranges_[block].end - ranges_[block].begin; }

  /// Puts a state to the marked ones of its block, which stand at its front.
  void mark(uint32_t state) {
    Range& range = ranges_[block_[state]];
    const uint32_t to = range.begin + range.marked;
    if (place_[state] < to) return;
    if (range.marked++ == 0) touched_.push_back(block_[state]);
    const uint32_t other = members_[to];
    std::swap(members_[to], members_[place_[state]]);
    std::swap(place_[state], place_[other]);
  }

  /// Makes blocks of their own of what is marked and what is not; `split` hears of each pair, old and new.
  template <typename F>
  void split_marked(const F& split) {
    for (const uint32_t old : std::exchange(touched_, {})) {
      const uint32_t marked = std::exchange(ranges_[old].marked, 0);
      if (marked == size(old)) continue;
      const auto added = uint32_t(ranges_.size());
      const uint32_t begin = ranges_[old].begin;
      ranges_.push_back({begin, begin + marked, 0});
      ranges_[old].begin += marked;
      for (const uint32_t state : members(added)) block_[state] = added;
      split(old, added);
    }
  }

 private:
  struct Range {
    uint32_t begin, end, marked;
  };
  std::vector<uint32_t> members_, place_, block_;
  std::vector<Range> ranges_;
  std::vector<uint32_t> touched_;
};

/// The states before each, by class: those before state s by class c are from[at[k]] to from[at[k + 1]], with
/// k = c * states + s.
struct Reversed {
  std::vector<uint32_t> at, from;

  explicit Reversed(const Dfa& dfa) : at(dfa.next.size() + 1), from(dfa.next.size()) {
    const size_t n = dfa.states();
    const auto each = [&](const auto& visit) {
      for (size_t s = 0; s < n; ++s)
        for (size_t c = 0; c < dfa.classes; ++c) visit(uint32_t(s), c * n + dfa.next[s * dfa.classes + c]);
    };
    each([&](uint32_t, size_t k) { ++at[k + 1]; });
    std::partial_sum(at.begin(), at.end(), at.begin());
    std::vector<uint32_t> free(at.begin(), at.end() - 1);
    each([&](uint32_t s, size_t k) { from[free[k]++] = s; });
  }
};

Blocks equal_states(const Dfa& dfa) {
  std::vector<std::pair<uint32_t, uint32_t>> labels;
  for (size_t s = 0; s < dfa.states(); ++s) labels.emplace_back(dfa.here[s], dfa.at_last[s]);
  Blocks blocks(labels);
  const Reversed reversed(dfa);
  std::vector<uint32_t> waiting(blocks.count());
  std::iota(waiting.begin(), waiting.end(), 0);
  std::vector<bool> waits(blocks.count(), true);
  while (!waiting.empty()) {
    const uint32_t splitter = waiting.back();
    waiting.pop_back();
    waits[splitter] = false;
    // As it is now: it may be split itself on the way.
    const std::vector<uint32_t> into(blocks.members(splitter).begin(), blocks.members(splitter).end());
    for (size_t c = 0; c < dfa.classes; ++c) {
      for (const uint32_t state : into) {
        const size_t k = c * dfa.states() + state;
        for (uint32_t i = reversed.at[k]; i < reversed.at[k + 1]; ++i) blocks.mark(reversed.from[i]);
      }
      blocks.split_marked([&](uint32_t old, uint32_t added) {
        const uint32_t again = waits[old] || blocks.size(added) <= blocks.size(old) ? added : old;
        waits.resize(blocks.count());
        waits[again] = true;
        waiting.push_back(again);
      });
    }
  }
  return blocks;
}

/// The same automaton with a state for each block, in the order in which they are reached.
Dfa of_blocks(const Dfa& dfa, const Blocks& blocks) {
  constexpr uint32_t kUnnumbered = std::numeric_limits<uint32_t>::max();
  Dfa out = {.class_of = dfa.class_of, .classes = dfa.classes};
  std::vector<uint32_t> numbers(blocks.count(), kUnnumbered);
  std::vector<uint32_t> states;  // of each block one
  const auto number = [&](uint32_t state) {
    uint32_t& its = numbers[blocks.of(state)];
    if (its == kUnnumbered) {
      its = uint32_t(states.size());
      states.push_back(state);
    }
    return its;
  };
  out.start = number(dfa.start);
  out.inside = number(dfa.inside);
  for (size_t i = 0; i < states.size(); ++i) {
    const size_t state = states[i];
    out.here.push_back(dfa.here[state]);
    out.at_last.push_back(dfa.at_last[state]);
    for (size_t c = 0; c < dfa.classes; ++c) out.next.push_back(number(dfa.next[state * dfa.classes + c]));
  }
  return out;
}

/// One class of those that lead everywhere to the same.
void merge_classes(Dfa& dfa) {
  std::map<std::vector<uint32_t>, uint8_t> known;
  std::vector<uint32_t> representative;  // of each new class one of the old
  std::array<int, 256> renamed;
  renamed.fill(-1);
  for (uint8_t& its_class : dfa.class_of) {
    int& name = renamed[its_class];
    if (name < 0) {
      std::vector<uint32_t> column;
      for (size_t s = 0; s < dfa.states(); ++s) column.push_back(dfa.next[s * dfa.classes + its_class]);
      const auto [found, added] = known.try_emplace(std::move(column), uint8_t(known.size()));
      if (added) representative.push_back(its_class);
      name = found->second;
    }
    its_class = uint8_t(name);
  }
  std::vector<uint32_t> next;
  for (size_t s = 0; s < dfa.states(); ++s)
    for (const uint32_t c : representative) next.push_back(dfa.next[s * dfa.classes + c]);
  dfa.next = std::move(next);
  dfa.classes = uint32_t(representative.size());
}

}  // namespace

Dfa minimal(const Dfa& dfa) {
  Dfa out = of_blocks(dfa, equal_states(dfa));
  merge_classes(out);
  return out;
}

}  // namespace vyre::tables
