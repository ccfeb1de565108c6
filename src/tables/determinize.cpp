// States of the deterministic automaton are sets of states of the nondeterministic one: all that it can be
// in.
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "tables/automaton.h"
#include "tables/tables.h"

namespace vyre::tables {
namespace {

using States = std::vector<uint32_t>;

/// A member of the set in which reading starts at a side of the item, and of no other.
constexpr uint32_t kAtSide = std::numeric_limits<uint32_t>::max();

/// Classes of bytes that are in the same sets.
uint32_t classify(const Nfa& nfa, Classes& class_of) {
  class_of = {};
  uint32_t classes = 1;
  for (const Nfa::Edge& edge : nfa.edges) {
    if (edge.kind != Nfa::EdgeKind::Bytes || classes == 256) continue;
    std::array<int, 512> renamed;
    renamed.fill(-1);
    classes = 0;
    for (size_t byte = 0; byte < 256; ++byte) {
      int& name = renamed[class_of[byte] * size_t{2} + edge.bytes[byte]];
      if (name < 0) name = int(classes++);
      class_of[byte] = uint8_t(name);
    }
  }
  return classes;
}

class Determinizer {
 public:
  Determinizer(const Nfa& nfa, Direction direction) : forward_(direction == Direction::Forward) {
    dfa_.classes = classify(nfa, dfa_.class_of);
    edges_.resize(nfa.states);
    labels_.resize(nfa.states);
    marks_.resize(nfa.states);
    always_.resize(nfa.states);
    for (const Nfa::Edge& edge : nfa.edges) {
      Step step = {forward_ ? edge.to : edge.from, edge.kind, {}};
      std::array<bool, 256> seen{};
      for (size_t byte = 0; edge.kind == Nfa::EdgeKind::Bytes && byte < 256; ++byte) {
        const uint8_t its_class = dfa_.class_of[byte];
        if (edge.bytes[byte] && !std::exchange(seen[its_class], true)) step.classes.push_back(its_class);
      }
      edges_[forward_ ? edge.from : edge.to].push_back(std::move(step));
    }
    if (forward_) {
      seeds_ = {0};
      for (size_t k = nfa.accepting.size(); k-- > 0;) labels_[nfa.accepting[k]] = uint32_t(k) + 1;
    } else {
      seeds_ = nfa.accepting;
      labels_[0] = 1;
    }
    after_always_.resize(dfa_.classes);
    if (forward_) return;
    // Read backward, a match may end anywhere.
    const States always = closure(seeds_, false, false);
    for (const uint32_t state : always) {
      always_[state] = true;
      step(state, after_always_);
    }
    always_here_ = label(always);
    always_at_last_ = label(closure(seeds_, false, true));
  }

  std::optional<Dfa> run() {
    dfa_.start = number(seeds_, true);
    dfa_.inside = forward_ ? number(seeds_, false) : dfa_.start;
    for (size_t state = 0; state < sets_.size(); ++state) {
      std::vector<States> after = after_always_;
      for (const uint32_t member : *sets_[state])
        if (member != kAtSide) step(member, after);
      for (const States& seeds : after) dfa_.next.push_back(number(seeds, false));
      if (sets_.size() > kMostStates || members_ > kMostMembers || visits_ > kMostVisits) return {};
    }
    return std::move(dfa_);
  }

 private:
  struct Step {
    uint32_t to;
    Nfa::EdgeKind kind;
    std::vector<uint8_t> classes;
  };

  /// Appends, for each class, where a state leads to by a byte of it.
  void step(uint32_t state, std::vector<States>& after) const {
    for (const Step& step : edges_[state])
      for (const uint8_t its_class : step.classes) after[its_class].push_back(step.to);
  }

  /// All that is reached without a byte. `first` and `last`: also through the anchor of that side.
  States closure(const States& from, bool first, bool last) {
    using enum Nfa::EdgeKind;
    ++mark_;
    States out;
    const auto reach = [&](uint32_t state) {
      if (std::exchange(marks_[state], mark_) != mark_) out.push_back(state);
    };
    for (const uint32_t state : from) reach(state);
    for (size_t i = 0; i < out.size(); ++i) {
      for (const Step& step : edges_[out[i]]) {
        const bool passes = step.kind == Empty || (step.kind == (forward_ ? Begin : End) && first) ||
                            (step.kind == (forward_ ? End : Begin) && last);
        if (passes) reach(step.to);
      }
    }
    visits_ += out.size();
    return out;
  }

  static uint32_t lower(uint32_t a, uint32_t b) { return a == 0 || b == 0 ? a + b : std::min(a, b); }

  /// The lowest label of these; 0 without any.
  uint32_t label(const States& states) const {
    uint32_t lowest = 0;
    for (const uint32_t state : states) lowest = lower(lowest, labels_[state]);
    return lowest;
  }

  /// The number of the state that is the closure of these, and of what is in every state.
  uint32_t number(const States& seeds, bool first) {
    States set = closure(seeds, first, false);
    // What only leads elsewhere without a byte would tell sets apart that are the same.
    std::erase_if(set, [&](uint32_t state) {
      return always_[state] ||
             (labels_[state] == 0 && std::ranges::all_of(edges_[state], [](const Step& step) {
                return step.kind == Nfa::EdgeKind::Empty;
              }));
    });
    if (first) set.push_back(kAtSide);
    std::ranges::sort(set);
    const auto [found, added] = numbers_.try_emplace(std::move(set), uint32_t(sets_.size()));
    if (added) {
      sets_.push_back(&found->first);
      members_ += found->first.size();
      dfa_.here.push_back(lower(always_here_, label(closure(seeds, first, false))));
      dfa_.at_last.push_back(lower(always_at_last_, label(closure(seeds, first, true))));
    }
    return found->second;
  }

  bool forward_;
  Dfa dfa_;
  std::vector<std::vector<Step>> edges_;
  std::vector<uint32_t> labels_;  // of states of the nondeterministic automaton
  States seeds_;
  std::vector<bool> always_;          // what is in every set, and is left out of them
  std::vector<States> after_always_;  // by class
  uint32_t always_here_ = 0, always_at_last_ = 0;
  std::map<States, uint32_t> numbers_;
  std::vector<const States*> sets_;  // by number
  size_t members_ = 0, visits_ = 0;
  std::vector<uint32_t> marks_;
  uint32_t mark_ = 0;
};

}  // namespace

std::optional<Dfa> determinize(const Nfa& nfa, Direction direction) {
  return Determinizer(nfa, direction).run();
}

}  // namespace vyre::tables
