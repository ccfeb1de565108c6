// Automata of patterns: match.glob and match.regex. Tables are made here, of random automata, by the plain
// constructions; what they say is judged by walking, of expressions from each beginning on.
#include <algorithm>
#include <array>

#include "opspec/arrays.h"
#include "opspec/items.h"
#include "opspec/opspec.h"

namespace vyre::opspec {

// Of this file alone, also where several files are compiled as one.
namespace match_tables {
namespace {

constexpr uint32_t kAccepts = 0x8000'0000;
constexpr uint32_t kNone = 0xffff'ffff;

/// A table as the texts describe it; words behind its end are 0.
struct Table {
  Words words;
  uint32_t operator[](uint32_t i) const { return i < words.size() ? words[i] : 0; }
  uint32_t start() const { return (*this)[2] & ~kAccepts; }
  uint32_t next(uint32_t state, uint8_t byte) const {
    const uint32_t its_class = (*this)[4 + byte / 4] >> 8 * (byte % 4) & 0xff;
    return (*this)[68 + state * (*this)[1] + its_class] & ~kAccepts;
  }
  /// 1 + the number of the first pattern that ends in a state, here or at the end of the item; 0: none does.
  uint32_t number(uint32_t state, bool at_end) const {
    const uint32_t states = (*this)[0];
    return (*this)[68 + states * (*this)[1] + (at_end ? states : 0) + state];
  }
};

struct Automaton {
  uint32_t width;
  std::array<uint8_t, 256> classes;
  std::vector<Words> next;  // by state and class
  Words here, at_last;      // numbers of states
  uint32_t start, inside, dead;

  uint32_t states() const { return uint32_t(next.size()); }
};

/// Some states at random, one from which nothing is accepted, one from which all is, and one at the beginning
/// of the item, which accepts all that the one at other beginnings does, and perhaps more.
Automaton any_automaton(RandomStream& random) {
  constexpr uint32_t kWidths[] = {1, 2, 3, 7, 64};
  Automaton out = {.width = kWidths[random.below(5)]};
  for (uint8_t& its_class : out.classes) its_class = uint8_t(random.below(out.width));
  const uint32_t states = 2 + random.below(5), accepting = states, one_in = 1 + random.below(8);
  out.dead = states - 1;
  for (uint32_t s = 0; s < states; ++s) {
    out.next.emplace_back(out.width);
    for (uint32_t& to : out.next[s])
      to = s == out.dead ? s : random.chance(3) ? out.dead : random.below(states);
    out.here.push_back(s != out.dead && random.chance(one_in) ? 1 + random.below(4) : 0);
    out.at_last.push_back(out.here[s] != 0                             ? 1 + random.below(out.here[s])
                          : s != out.dead && random.chance(one_in + 2) ? 1 + random.below(4)
                                                                       : 0);
  }
  out.next.emplace_back(out.width, accepting);
  out.here.push_back(1);
  out.at_last.push_back(1);
  out.inside = random.below(states);
  out.start = out.inside;
  if (random.chance(2)) return out;
  out.start = out.states();
  out.next.push_back(out.next[out.inside]);
  for (uint32_t& to : out.next.back())
    if (random.chance(8)) to = accepting;
  out.here.push_back(out.here[out.inside]);
  out.at_last.push_back(random.chance(4) ? 1 : out.at_last[out.inside]);
  return out;
}

/// Appends what match.dfa reads: `next` has the states after each and of each class, with their highest bits.
void put_table(Words& table, const Automaton& automaton, size_t states, uint32_t start, const Words& next) {
  table.insert(table.end(), {uint32_t(states), automaton.width, start, 0});
  for (size_t byte = 0; byte < 256; byte += 4) {
    const auto* four = &automaton.classes[byte];
    table.push_back(four[0] | four[1] << 8 | four[2] << 16 | uint32_t(four[3]) << 24);
  }
  table.insert(table.end(), next.begin(), next.end());
}

/// A state is the set of those states of the automaton from which it accepts what has been read backward.
void put_backward(const Automaton& automaton, Words& table) {
  const auto has = [](uint32_t set, uint32_t state) { return (set >> state & 1) != 0; };
  Words sets(1), next;
  for (uint32_t s = 0; s < automaton.states(); ++s) sets[0] |= uint32_t(automaton.at_last[s] != 0) << s;
  const auto entry = [&](uint32_t set) {
    const auto found = std::ranges::find(sets, set);
    const auto number = uint32_t(found - sets.begin());
    if (found == sets.end()) sets.push_back(set);
    return number | (has(set, automaton.inside) ? kAccepts : 0);
  };
  const uint32_t first = entry(sets[0]);
  for (size_t i = 0; i < sets.size(); ++i) {
    for (uint32_t c = 0; c < automaton.width; ++c) {
      uint32_t set = 0;
      for (uint32_t s = 0; s < automaton.states(); ++s)
        set |= uint32_t(automaton.here[s] != 0 || has(sets[i], automaton.next[s][c])) << s;
      next.push_back(entry(set));
    }
  }
  put_table(table, automaton, sets.size(), first, next);
  for (const uint32_t set : sets) table.push_back(has(set, automaton.start));
}

/// The first automaton, and numbers of its states, as a table of match.glob.
Words forward(const Automaton& automaton) {
  const auto entry = [&](uint32_t state) { return state | (automaton.here[state] != 0 ? kAccepts : 0); };
  Words table, next;
  for (const Words& row : automaton.next)
    for (const uint32_t to : row) next.push_back(entry(to));
  put_table(table, automaton, automaton.states(), entry(automaton.start), next);
  table.insert(table.end(), automaton.here.begin(), automaton.here.end());
  return table;
}

Words both(const Automaton& automaton, uint32_t dead) {
  Words table = forward(automaton);
  table.insert(table.end(), automaton.at_last.begin(), automaton.at_last.end());
  table[3] = uint32_t(table.size());
  table.insert(table.end(), {automaton.inside, dead});
  put_backward(automaton, table);
  return table;
}

void some_letters(RandomStream& random, uint32_t bytes, Item& item) {
  const uint32_t letters = random.chance(4) ? 256 : 1 + random.below(4);
  while (bytes-- > 0) item.push_back(uint8_t('a' + random.below(letters)));
}

// match.glob: data, offsets, lookup, patterns.

Buffers glob_case(RandomStream& random, uint32_t size) {
  Words table = forward(any_automaton(random));
  if (random.chance(8)) table.resize(random.below(uint32_t(table.size()) + 1));
  if (random.chance(8) && !table.empty()) table[random.below(uint32_t(table.size()))] = random.next();
  Buffers out;
  put_items(random, out, make_items(random, size, some_letters));
  out.push_back(buffer_of(table));
  out.push_back(room(random, size));
  return out;
}

void glob(Buffers& buffers) {
  const Table table = {elements<uint32_t>(buffers[2])};
  const std::vector<Item> items = items_of(buffers[0], buffers[1]);
  for (size_t i = 0; i < items.size(); ++i) {
    uint32_t state = table.start();
    for (const uint8_t byte : items[i]) state = table.next(state, byte);
    put<uint32_t>(buffers[3], i, table.number(state, false) - 1);
  }
}

// match.regex: data, offsets, lookup, starts, ends, patterns.

Buffers regex_case(RandomStream& random, uint32_t size) {
  const Automaton automaton = any_automaton(random);
  Buffers out;
  put_items(random, out, make_items(random, size, some_letters));
  // A state from which nothing is accepted need not be named, and there may be no table.
  const Words table = both(automaton, random.chance(4) ? kNone : automaton.dead);
  out.push_back(random.chance(32) ? Buffer() : buffer_of(table));
  for (int i = 0; i < 3; ++i) out.push_back(room(random, size));
  return out;
}

/// From all beginnings at once, of which two that have come to the same state go on as the earlier one: the
/// second automaton is not asked.
void regex(Buffers& buffers) {
  struct Walk {
    uint32_t state, begin;
  };
  const Table table = {elements<uint32_t>(buffers[2])};
  const std::vector<Item> items = items_of(buffers[0], buffers[1]);
  for (size_t i = 0; i < items.size(); ++i) {
    const Item& item = items[i];
    std::array<uint32_t, 3> match = {kNone, kNone, kNone};
    std::vector<Walk> walks;  // by their beginnings
    for (uint32_t at = 0; at <= item.size(); ++at) {
      if (match[0] == kNone) walks.push_back({at == 0 ? table.start() : table[table[3]], at});
      for (const Walk& walk : walks) {
        const uint32_t number = table.number(walk.state, at == item.size());
        if (number != 0 && walk.begin <= match[0]) match = {walk.begin, at, number - 1};
      }
      if (at == item.size()) break;
      std::vector<Walk> next;
      for (const Walk& walk : walks) {
        const uint32_t state = table.next(walk.state, item[at]);
        if (walk.begin <= match[0] && std::ranges::find(next, state, &Walk::state) == next.end())
          next.push_back({state, walk.begin});
      }
      walks = std::move(next);
    }
    for (size_t k = 0; k < 3; ++k) put<uint32_t>(buffers[3 + k], i, match[k]);
  }
}

/// What another table than that of expressions finds means nothing, so there is no room for it.
void hide_meaningless(Buffers& buffers, const Buffers& whole) {
  if (buffers[2] == whole[2]) return;
  for (size_t output = 3; output < buffers.size(); ++output) buffers[output].clear();
}

constexpr OperationSpec kOperations[] = {
    {"match.glob", glob_case, glob},
    {.id = "match.regex", .generate = regex_case, .reference = regex, .mend = hide_meaningless},
};

}  // namespace
}  // namespace match_tables

std::span<const OperationSpec> match_table_operations() { return match_tables::kOperations; }

}  // namespace vyre::opspec
