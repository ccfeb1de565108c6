// Laws of match.
#include <algorithm>

#include "opspec/laws_bytes.h"

namespace vyre::opspec {
namespace {

constexpr uint32_t kClasses = 4, kEntries = 68;  // where these begin in a table
constexpr uint32_t kStart = 2;                   // the word that says the first state

Words table_of(const Trial& trial) { return elements<uint32_t>(trial.input()[2]); }
uint32_t at(const Words& table, uint32_t i) { return i < table.size() ? table[i] : 0; }
/// 1 + the number of what ends in a state, behind the entries; `set` 1: at the end of the item.
uint32_t number_of(const Words& table, uint32_t state, uint32_t set) {
  return at(table, kEntries + at(table, 0) * at(table, 1) + set * at(table, 0) + state);
}
/// Entries and classes of a table that is as described.
bool is_whole(const Words& table, uint32_t behind) {
  if (table.size() < kEntries) return false;
  const uint64_t states = table[0], entries = states * table[1];
  if (table.size() != kEntries + entries + behind * states || (table[kStart] & ~kAccepts) >= states)
    return false;
  for (uint32_t word = kClasses; word < kEntries; ++word)
    for (uint32_t lane = 0; lane < 32; lane += 8)
      if ((table[word] >> lane & 0xff) >= table[1]) return false;
  return std::all_of(table.begin() + kEntries, table.begin() + kEntries + long(entries),
                     [&](uint32_t entry) { return (entry & ~kAccepts) < states; });
}

Trial with_table(const Trial& trial, Buffers& buffers, const Words& table) {
  buffers = trial.input();
  buffers[2] = buffer_of(table);
  return trial.with(buffers);
}
/// match.aho_corasick of one text.
std::vector<Words> occurrences(const Trial& trial, const Item& text, const Words& table) {
  Buffers inputs = packed({text});
  inputs.push_back(buffer_of(table));
  constexpr size_t kMostAtAPlace = 16;
  std::vector<Words> out;
  for (const Buffer& output : results(trial, "match.aho_corasick", std::move(inputs),
                                      sizeof(uint32_t) * (kMostAtAPlace * text.size() + 1)))
    out.push_back(elements<uint32_t>(output));
  return out;
}
Item first_item(const Trial& trial) {
  constexpr size_t kMostBytes = 1'000;
  Items items = items_of(trial.input()[0], trial.input()[1]);
  items.resize(std::max<size_t>(items.size(), 1));
  items[0].resize(std::min(items[0].size(), kMostBytes));
  return items[0];
}

}  // namespace

bool AcceptsAll(const Trial& trial) {
  Words table = {1, 1, kAccepts, 0};
  table.resize(kEntries);
  table.push_back(kAccepts);
  if (trial.id() == "match.aho_corasick") {
    table = {2, 1, 1, 1};
    table.resize(kEntries);
    table.insert(table.end(), {kAccepts | 1, kAccepts | 1, 0, 0, 1, 0});
    const Item text = first_item(trial);
    Words ends(text.size());
    for (size_t i = 0; i < ends.size(); ++i) ends[i] = uint32_t(i) + 1;
    return occurrences(trial, text, table) ==
           std::vector<Words>{ends, Words(ends.size()), {uint32_t(ends.size())}};
  }
  if (trial.id() == "match.glob") table.push_back(1);
  if (trial.id() == "match.regex") {
    const Words backward = table;
    table.insert(table.end(), {1, 1, 0, kNone});  // numbers, then what the second automaton begins with
    table[3] = uint32_t(table.size()) - 2;
    table.insert(table.end(), backward.begin(), backward.end());
    table.push_back(1);
  }
  const Items items = some_items(trial);
  Buffers buffers;
  const std::vector<Outcome> found = outcomes(with_table(trial, buffers, table), items);
  for (size_t i = 0; i < items.size(); ++i) {
    if (found[i].word(0) != 0) return false;
    if (trial.id() == "match.glob") continue;
    const bool is_dfa = trial.id() == "match.dfa";
    if (found[i].word(is_dfa ? 2 : 1) != items[i].size() || found[i].word(is_dfa ? 1 : 2) != 0) return false;
  }
  return true;
}
bool OtherNumbersOfStates(const Trial& trial) {
  const Words table = table_of(trial);
  const bool is_glob = trial.id() == "match.glob";
  if (!is_whole(table, is_glob ? 1 : 0)) return true;
  const uint32_t states = table[0], width = table[1];
  const auto other = [&](uint32_t entry) { return (entry & kAccepts) | (states - 1 - (entry & ~kAccepts)); };
  Words renamed = table;
  renamed[kStart] = other(table[kStart]);
  for (uint32_t s = 0; s < states; ++s) {
    for (uint32_t c = 0; c < width; ++c)
      renamed[kEntries + other(s) * width + c] = other(table[kEntries + s * width + c]);
    if (is_glob) renamed[kEntries + states * width + other(s)] = number_of(table, s, 0);
  }
  const Items items = some_items(trial);
  Buffers buffers;
  std::vector<Outcome> found = outcomes(with_table(trial, buffers, renamed), items);
  if (!is_glob) {
    for (Outcome& outcome : found) {
      if (outcome.bytes.size() < sizeof(uint32_t)) return false;
      const uint32_t state = other(outcome.word(0));
      std::memcpy(outcome.bytes.data(), &state, sizeof state);
    }
  }
  return found == outcomes(trial, items);
}
bool RestFromState(const Trial& trial) {
  constexpr size_t kFew = 4;
  Items items = some_items(trial);
  items.resize(std::min(items.size(), kFew));
  for (const Item& item : items) {
    const size_t half = item.size() / 2;
    const auto middle = item.begin() + long(half);
    const Outcome whole = outcomes(trial, {item})[0], first = outcomes(trial, {{item.begin(), middle}})[0];
    Words table = table_of(trial);
    table.resize(std::max<size_t>(table.size(), kStart + 1));
    table[kStart] = first.word(0) | (first.word(2) == half ? kAccepts : 0);
    Buffers buffers;
    const Outcome rest = outcomes(with_table(trial, buffers, table), {{middle, item.end()}})[0];
    const auto behind = [&](uint32_t end) { return end == kNone ? kNone : end + uint32_t(half); };
    if (whole.word(0) != rest.word(0) ||
        whole.word(1) != (first.word(1) != kNone ? first.word(1) : behind(rest.word(1))) ||
        whole.word(2) != (rest.word(2) != kNone ? behind(rest.word(2)) : first.word(2)))
      return false;
  }
  return true;
}
bool NumberOfState(const Trial& trial) {
  const Items items = some_items(trial);
  const Words table = table_of(trial);
  const std::vector<Outcome> found = outcomes(trial, items), walked = outcomes(trial, "match.dfa", {items});
  for (size_t i = 0; i < items.size(); ++i)
    if (found[i].word(0) != number_of(table, walked[i].word(0), 0) - 1) return false;
  return true;
}
bool FirstEndIsLast(const Trial& trial) {
  return std::ranges::all_of(outcomes(trial, some_items(trial)),
                             [](const Outcome& outcome) { return outcome.word(1) == outcome.word(2); });
}
bool ReversedItems(const Trial& trial) {
  Items items = some_items(trial);
  const std::vector<Outcome> forward = outcomes(trial, items);
  for (Item& item : items) std::ranges::reverse(item);
  return outcomes(trial, items) == forward;
}

bool LeftmostLongest(const Trial& trial) {
  constexpr size_t kFew = 6, kMostBytes = 70;
  Items items = some_items(trial);
  items.resize(std::min(items.size(), kFew));
  Words inside = table_of(trial);
  const Words table = inside;
  const uint32_t state = at(table, at(table, 3));
  inside.resize(std::max<size_t>(inside.size(), kStart + 1));
  inside[kStart] = state | (number_of(table, state, 0) != 0 ? kAccepts : 0);
  Buffers buffers;
  const Trial within = with_table(trial, buffers, inside);
  for (Item& item : items) {
    item.resize(std::min(item.size(), kMostBytes));
    Items rests;
    for (size_t begin = 0; begin <= item.size(); ++begin)
      rests.emplace_back(item.begin() + long(begin), item.end());
    std::vector<Outcome> walked = outcomes(within, "match.dfa", {rests});
    walked[0] = outcomes(trial, "match.dfa", {{item}})[0];
    const Outcome match = outcomes(trial, {item})[0];
    uint32_t start = kNone, end = kNone;
    for (uint32_t begin = 0; begin <= item.size() && start == kNone; ++begin) {
      if (number_of(table, walked[begin].word(0), 1) != 0)
        end = uint32_t(item.size());
      else if (walked[begin].word(2) != kNone)
        end = begin + walked[begin].word(2);
      if (end != kNone) start = begin;
    }
    if (match.word(0) != start || match.word(1) != end) return false;
  }
  return true;
}
bool FromTheBeginning(const Trial& trial) {
  return std::ranges::all_of(outcomes(trial, some_items(trial)), [](const Outcome& outcome) {
    return outcome.word(0) == 0 || outcome.word(0) == kNone;
  });
}

bool BeginningOfText(const Trial& trial) {
  const Item text = first_item(trial);
  const uint32_t half = uint32_t(text.size() / 2);
  const std::vector<Words> part = occurrences(trial, {text.begin(), text.begin() + half}, table_of(trial));
  std::vector<Words> all = occurrences(trial, text, table_of(trial));
  const size_t count = size_t(std::ranges::upper_bound(all[0], half) - all[0].begin());
  for (size_t k = 0; k < 2; ++k) all[k].resize(count);
  all[2] = {uint32_t(count)};
  return part == all;
}
bool OneLiteral(const Trial& trial) {
  const Item text = first_item(trial);
  constexpr size_t kMostBytes = 5;
  const Item literal(text.begin(), text.begin() + long(std::min(text.size(), kMostBytes)));
  const auto size = uint32_t(literal.size());
  if (size == 0) return true;
  // A class for each byte of the literal, and 0 for the others. A state is how many bytes of it were read.
  Item letters = {0};
  Words table = {size + 1, 0, size, 1};
  table.resize(kEntries);
  for (const uint8_t byte : literal) {
    const uint32_t shift = byte % 4 * 8;
    if ((table[kClasses + byte / 4] >> shift & 0xff) != 0) continue;
    table[kClasses + byte / 4] |= uint32_t(letters.size()) << shift;
    letters.push_back(byte);
  }
  table[1] = uint32_t(letters.size());
  for (uint32_t state = 0; state <= size; ++state) {
    for (size_t its_class = 0; its_class < letters.size(); ++its_class) {
      Item read(literal.begin(), literal.begin() + state);
      read.push_back(letters[its_class]);
      while (its_class != 0 && (read.size() > size || !std::equal(read.begin(), read.end(), literal.begin())))
        read.erase(read.begin());
      const auto next = its_class == 0 ? 0 : uint32_t(read.size());
      table.push_back(next | (next == size ? kAccepts : 0));
    }
  }
  table.resize(table.size() + size + 1);
  table.insert(table.end(), {1, 0});
  Words ends = index_of(trial, "string.find_all", text, literal)[0];
  for (uint32_t& end : ends) end += size;
  return occurrences(trial, text, table) ==
         std::vector<Words>{ends, Words(ends.size()), {uint32_t(ends.size())}};
}
bool ReversedText(const Trial& trial) {
  Item text = first_item(trial);
  const Words forward = occurrences(trial, text, table_of(trial))[2];
  std::ranges::reverse(text);
  return occurrences(trial, text, table_of(trial))[2] == forward;
}
bool PartsOfText(const Trial& trial) {
  const Item text = first_item(trial);
  const auto middle = text.begin() + long(text.size() / 2);
  const Words table = table_of(trial);
  return occurrences(trial, text, table)[2].at(0) ==
         occurrences(trial, {text.begin(), middle}, table)[2].at(0) +
             occurrences(trial, {middle, text.end()}, table)[2].at(0);
}

}  // namespace vyre::opspec
