// Automata over bytes: from trees to a nondeterministic one (Thompson), from that to the deterministic one of
// its sets of states (Rabin and Scott), and to the least of all that accept the same (Hopcroft).
//
// A deterministic automaton here is complete, has labels instead of a yes or no, and is read in one of two
// directions:
//   forward   from where a match begins. A state's label is the lowest pattern that is matched up to here.
//   backward  from the end of an item towards its beginning. The label says whether a match begins here.
// ^ and $ take two things: a state at which one starts at that side of the item, beside the one for inside
// it, and a second label, for reading that has come to the other side.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tables/pattern.h"

namespace vyre::tables {

/// States are numbers; edges lead from one to another, by a byte or by nothing.
struct Nfa {
  enum class EdgeKind : uint8_t { Empty, Bytes, Begin, End };
  struct Edge {
    uint32_t from, to;
    EdgeKind kind;
    ByteSet bytes;  // of Bytes
  };
  std::vector<Edge> edges;
  std::vector<uint32_t> accepting;  // the last state of each pattern
  uint32_t states = 1;              // 0 is the first
};

/// None: more than kMostSteps edges.
std::optional<Nfa> nfa_of(std::span<const Node> patterns);

using Classes = std::array<uint8_t, 256>;  // of each byte

struct Dfa {
  Classes class_of{};
  uint32_t classes = 0;
  uint32_t start = 0;                             // at the side of the item where reading begins
  uint32_t inside = 0;                            // elsewhere; read forward alone
  std::vector<uint32_t> next = {};                // of state s and class c at s * classes + c
  std::vector<uint32_t> here = {}, at_last = {};  // labels of states: 0 none, k + 1 pattern k

  uint32_t states() const { return uint32_t(here.size()); }
};

enum class Direction : uint8_t { Forward, Backward };

/// None: more than kMostStates states, kMostMembers members of them, or kMostVisits.
std::optional<Dfa> determinize(const Nfa& nfa, Direction direction);

/// The least automaton with the same labels, its states numbered as they are reached, with the fewest
/// classes, numbered by their first bytes.
Dfa minimal(const Dfa& dfa);

}  // namespace vyre::tables
