// Automata over bytes. Tables are made here, by the plain constructions, from random automata and literals;
// what they find is judged by walking, and by comparing every literal at every place.
#include <algorithm>
#include <array>
#include <deque>

#include "opspec/automata.h"

namespace vyre::opspec {

// Of this file alone, also where several files are compiled as one.
namespace match {
namespace {

// match.dfa: data, offsets, lookup, states, firsts, lasts.

Buffers dfa_case(RandomStream& random, uint32_t size) {
  constexpr uint32_t kWidths[] = {1, 2, 3, 7, 64, 255, 256};
  const uint32_t states = 1 + random.below(random.chance(4) ? 300 : 6);
  const uint32_t width = kWidths[random.below(7)];
  Classes classes;
  for (uint8_t& its_class : classes) its_class = uint8_t(random.below(width));
  // Accepting states are few, so that first and last ends differ and there may be none.
  Words entries(states);
  const uint32_t one_in = 1 + random.below(8);
  for (uint32_t s = 0; s < states; ++s) entries[s] = s | (random.chance(one_in) ? kAccepts : 0);
  Words table;
  put_header(table, {states, width, entries[random.below(states)], 0}, classes);
  for (uint32_t i = 0; i < states * width; ++i) table.push_back(entries[random.below(states)]);
  if (random.chance(8)) table.resize(random.below(uint32_t(table.size()) + 1));
  if (random.chance(8) && !table.empty()) table[random.below(uint32_t(table.size()))] = random.next();
  Buffers out;
  put_items(random, out, make_items(random, size, some_letters));
  out.push_back(buffer_of(table));
  for (int i = 0; i < 3; ++i) out.push_back(room(random, size));
  return out;
}

/// All ends of accepted prefixes, of which the first and the last are kept.
void dfa(Buffers& buffers) {
  const Table table = {elements<uint32_t>(buffers[2])};
  const std::vector<Item> items = items_of(buffers[0], buffers[1]);
  for (size_t i = 0; i < items.size(); ++i) {
    uint32_t entry = table[2];
    Words ends;
    if ((entry & kAccepts) != 0) ends.push_back(0);
    for (size_t at = 0; at < items[i].size(); ++at) {
      entry = table.step(entry & ~kAccepts, table.class_of(items[i][at]));
      if ((entry & kAccepts) != 0) ends.push_back(uint32_t(at) + 1);
    }
    put<uint32_t>(buffers[3], i, entry & ~kAccepts);
    put<uint32_t>(buffers[4], i, ends.empty() ? kNone : ends.front());
    put<uint32_t>(buffers[5], i, ends.empty() ? kNone : ends.back());
  }
}

// match.aho_corasick: data, offsets, lookup, ends, patterns, count.

/// The automaton of these literals: a state is a prefix of one, and goes to the longest prefix that is a
/// suffix of it and the next byte.
Words automaton(const std::vector<Item>& literals) {
  std::vector<Item> prefixes = {{}};
  Classes classes{};
  uint32_t width = 1;
  size_t longest = 0;
  for (const Item& literal : literals) {
    longest = std::max(longest, literal.size());
    for (size_t n = 1; n <= literal.size(); ++n)
      prefixes.emplace_back(literal.begin(), literal.begin() + long(n));
    for (const uint8_t byte : literal)
      if (classes[byte] == 0) classes[byte] = uint8_t(width++);
  }
  std::ranges::sort(prefixes);
  prefixes.erase(std::ranges::unique(prefixes).begin(), prefixes.end());
  std::vector<Words> lists(prefixes.size());
  for (size_t s = 0; s < prefixes.size(); ++s)
    for (size_t n = 0; n < literals.size(); ++n) {
      const Item& literal = literals[n];
      if (literal.empty() || literal.size() > prefixes[s].size()) continue;
      if (std::equal(literal.rbegin(), literal.rend(), prefixes[s].rbegin())) lists[s].push_back(uint32_t(n));
    }
  Words table;
  put_header(table, {uint32_t(prefixes.size()), width, uint32_t(longest), uint32_t(literals.size())},
             classes);
  table.resize(68 + prefixes.size() * width);
  std::vector<uint8_t> byte_of(width);  // one for all of a class
  for (uint32_t byte = 0; byte < 256; ++byte) byte_of[classes[byte]] = uint8_t(byte);
  for (size_t s = 0; s < prefixes.size(); ++s)
    for (size_t c = 0; c < width; ++c) {
      Item next = prefixes[s];
      next.push_back(byte_of[c]);
      auto found = prefixes.end();
      while ((found = std::ranges::lower_bound(prefixes, next)) == prefixes.end() || *found != next)
        next.erase(next.begin());
      const auto to = size_t(found - prefixes.begin());
      table[68 + s * width + c] = uint32_t(to) | (lists[to].empty() ? 0 : kAccepts);
    }
  uint32_t before = 0;
  for (const auto& list : lists) {
    table.push_back(before);
    before += uint32_t(list.size());
  }
  table.push_back(before);
  for (const auto& list : lists) table.insert(table.end(), list.begin(), list.end());
  return table;
}

/// The literals of a table, in classes of bytes. The state of a literal is the one with its number that is
/// reached by the fewest bytes, and these are the literal.
std::vector<Item> literals_of(const Table& table) {
  // A table that says more than it holds has none.
  if (std::max(table.states(), table[3]) > table.words.size()) return {};
  std::vector<Item> literals(table[3]);
  std::vector<std::optional<Item>> paths(table.states());
  std::deque<uint32_t> queue;
  if (!paths.empty()) {
    paths[0] = Item();
    queue.push_back(0);
  }
  const uint32_t lists = 68 + table.states() * table.width();
  for (; !queue.empty(); queue.pop_front()) {
    const uint32_t state = queue.front();
    for (uint32_t k = table[lists + state];
         k < std::min(table[lists + state + 1], uint32_t(table.words.size())); ++k) {
      const uint32_t number = table[lists + table.states() + 1 + k];
      if (number < literals.size() && literals[number].empty()) literals[number] = *paths[state];
    }
    for (uint32_t c = 0; c < std::min(table.width(), 256U); ++c) {
      const uint32_t next = table.step(state, uint8_t(c)) & ~kAccepts;
      if (next >= paths.size() || paths[next]) continue;
      paths[next] = paths[state];
      paths[next]->push_back(uint8_t(c));
      queue.push_back(next);
    }
  }
  return literals;
}

std::vector<Occurrence> occurrences(const std::vector<Item>& literals, const Item& text) {
  std::vector<Occurrence> out;
  for (uint32_t end = 1; end <= text.size(); ++end)
    for (uint32_t n = 0; n < literals.size(); ++n) {
      const Item& literal = literals[n];
      if (literal.empty() || literal.size() > end) continue;
      if (std::equal(literal.begin(), literal.end(), text.begin() + long(end - literal.size())))
        out.push_back({end, n});
    }
  return out;
}

Buffers aho_corasick_case(RandomStream& random, uint32_t size) {
  const uint32_t letters = random.chance(8) ? 255 : 1 + random.below(4);
  const auto word = [&](uint32_t bytes) {
    Item out;
    for (uint32_t i = 0; i < bytes; ++i) out.push_back(uint8_t('a' + random.below(letters)));
    return out;
  };
  std::vector<Item> literals(random.below(12));
  for (Item& literal : literals)
    literal = word(random.chance(16) ? 0 : random.chance(16) ? random.below(150) : 1 + random.below(6));
  if (literals.size() > 1 && random.chance(4)) literals[0] = literals[1];
  std::vector<Item> texts = {word(size + random.below(4)), word(random.below(9))};
  // Literals of many letters are not there by chance.
  for (const Item& literal : literals)
    for (uint32_t k = 0; k < size / 64 && literal.size() <= texts[0].size(); ++k)
      std::ranges::copy(
          literal, texts[0].begin() + long(random.below(uint32_t(texts[0].size() - literal.size()) + 1)));
  const size_t found = occurrences(literals, texts[0]).size();
  Buffers out;
  put_items(random, out, texts);
  out.push_back(random.chance(32) ? Buffer() : buffer_of(automaton(literals)));
  out.push_back(room(random, found));
  out.push_back(room(random, found));
  out.push_back(noise(random, 4 * size_t(random.below(3))));
  return out;
}

void aho_corasick(Buffers& buffers) {
  const Table table = {elements<uint32_t>(buffers[2])};
  const std::vector<Item> texts = items_of(buffers[0], buffers[1]);
  Item text = texts.empty() ? Item() : texts[0];
  for (uint8_t& byte : text) byte = table.class_of(byte);
  const std::vector<Occurrence> found = occurrences(literals_of(table), text);
  for (size_t i = 0; i < found.size(); ++i) {
    put<uint32_t>(buffers[3], i, found[i].end);
    put<uint32_t>(buffers[4], i, found[i].pattern);
  }
  put<uint32_t>(buffers[5], 0, uint32_t(found.size()));
}

/// What another table than that of literals finds means nothing, so there is no room for it.
void hide_meaningless(Buffers& buffers, const Buffers& whole) {
  if (buffers[2] == whole[2]) return;
  for (size_t output = 3; output < buffers.size(); ++output) buffers[output].clear();
}

constexpr OperationSpec kOperations[] = {
    {.id = "match.aho_corasick",
     .generate = aho_corasick_case,
     .reference = aho_corasick,
     .mend = hide_meaningless},
    {"match.dfa", dfa_case, dfa},
};

}  // namespace
}  // namespace match

Words table_of_literals(const std::vector<Item>& literals) { return match::automaton(literals); }
std::vector<Item> literals_of_table(const Table& table) { return match::literals_of(table); }
std::vector<Occurrence> occurrences_of(const std::vector<Item>& literals, const Item& text) {
  return match::occurrences(literals, text);
}

std::span<const OperationSpec> match_operations() { return match::kOperations; }

}  // namespace vyre::opspec
