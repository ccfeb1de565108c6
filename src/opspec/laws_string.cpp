// Laws of string.
#include <algorithm>
#include <bit>
#include <cmath>

#include "base/names.h"
#include "opspec/laws_bytes.h"

namespace vyre::opspec {
namespace {

// Of items.

Items recoded(const Trial& trial, std::string_view id, const Items& items) {
  return bytes_of(outcomes(trial, id, {items}));
}
Items recoded(const Trial& trial, const Items& items) { return recoded(trial, trial.id(), items); }

// Of numbers: an outcome is a value and a status.

bool is_number(const Outcome& outcome) { return outcome.word(1) == 0; }
bool has_sign(const Item& item) { return !item.empty() && (item[0] == '+' || item[0] == '-'); }
/// Whether `change` makes of each number, without a sign unless `signs`, something of the same value.
template <typename Change>
bool is_same_number(const Trial& trial, bool signs, Change change) {
  Items numbers, changed;
  const Items items = some_items(trial);
  const std::vector<Outcome> values = outcomes(trial, items);
  for (size_t i = 0; i < items.size(); ++i)
    if (is_number(values[i]) && (signs || !has_sign(items[i]))) numbers.push_back(items[i]);
  for (const Item& item : numbers) changed.push_back(change(item));
  return outcomes(trial, changed) == outcomes(trial, numbers);
}

Items formatted(const Trial& trial, const Words& values) {
  constexpr size_t kMostDigits = 10;
  const Buffers left =
      results(trial, "string.format_u32", {buffer_of(values)}, kMostDigits * (values.size() + 1));
  return items_of(left[0], left[1]);
}
/// Values of items that are numbers.
Words values_of(const std::vector<Outcome>& outcomes) {
  Words out;
  for (const Outcome& outcome : outcomes)
    if (is_number(outcome)) out.push_back(outcome.word(0));
  return out;
}
Words some_values(const Trial& trial) {
  constexpr size_t kFew = 64;
  Words out = elements<uint32_t>(trial.input()[0]);
  out.resize(std::min(out.size(), kFew));
  return out;
}

// Of pairs: an outcome is a word.

Words judged(const Trial& trial, std::string_view id, const Items& a, const Items& b) {
  Words out;
  for (const Outcome& outcome : outcomes(trial, id, {a, b})) out.push_back(outcome.word(0));
  return out;
}
Words judged(const Trial& trial, const Items& a, const Items& b) { return judged(trial, trial.id(), a, b); }
struct Triples {
  Words ab, bc, ac;
};
Triples triples(const Trial& trial) {
  const std::vector<Items> lists = some_lists(trial);
  const Items &a = lists[0], &b = lists[1];
  Items c = b;
  if (!c.empty()) std::ranges::rotate(c, c.begin() + 1);
  return {judged(trial, a, b), judged(trial, b, c), judged(trial, a, c)};
}

// Of a text.

/// How many there are of what an operation lists.
uint32_t count_in(const Trial& trial, const Item& text) {
  const std::vector<Words> index = index_of(trial, trial.id(), text, second_text(trial));
  return index
      .at(trial.id() == "string.count"                               ? 0
          : is_among(trial.id(), "string.tokenize string.csv_index") ? 3
                                                                     : 1)
      .at(0);
}

}  // namespace

bool TwiceIsOnce(const Trial& trial) {
  const Items once = recoded(trial, some_items(trial));
  return recoded(trial, once) == once;
}
bool OtherCaseBetween(const Trial& trial) {
  const std::string_view other =
      trial.id() == "string.lower_ascii" ? "string.upper_ascii" : "string.lower_ascii";
  const Items items = some_items(trial);
  return recoded(trial, recoded(trial, other, items)) == recoded(trial, items);
}
bool KeepsLength(const Trial& trial) {
  return std::ranges::equal(recoded(trial, some_items(trial)), some_items(trial), {}, &Item::size,
                            &Item::size);
}
bool CaseAndTrim(const Trial& trial) {
  const Items items = some_items(trial);
  return recoded(trial, "string.trim", recoded(trial, items)) ==
         recoded(trial, recoded(trial, "string.trim", items));
}
bool DifferentStaysDifferent(const Trial& trial) {
  const Items items = some_items(trial), once = recoded(trial, items), twice = recoded(trial, once);
  for (size_t i = 0; i < items.size(); ++i)
    if (items[i] != once[i] && once[i] == twice[i]) return false;
  return true;
}

bool ParseOfFormat(const Trial& trial) {
  const Words values = some_values(trial);
  const std::vector<Outcome> parsed = outcomes(trial, "string.parse_u32", {formatted(trial, values)});
  return values_of(parsed) == values;
}
bool OrderOfNumbers(const Trial& trial) {
  Words values = some_values(trial), next = values;
  if (!next.empty()) std::ranges::rotate(next, next.begin() + 1);
  const Words order = judged(trial, "string.compare", formatted(trial, values), formatted(trial, next));
  for (size_t i = 0; i < values.size(); ++i)
    if ((values[i] < next[i]) != (order[i] == 0)) return false;
  return true;
}
bool FormatOfParse(const Trial& trial) {
  const Items items = some_items(trial);
  const std::vector<Outcome> parsed = outcomes(trial, items);
  Items numbers;
  for (size_t i = 0; i < items.size(); ++i)
    if (is_number(parsed[i])) numbers.push_back(items[i]);
  return formatted(trial, values_of(parsed)) == numbers;
}
bool ParseFormatParse(const Trial& trial) {
  const Words values = values_of(outcomes(trial, some_items(trial)));
  return values_of(outcomes(trial, formatted(trial, values))) == values;
}
bool LeadingZeros(const Trial& trial) {
  return is_same_number(trial, true, [](const Item& item) {
    Item out = item;
    out.insert(out.begin() + (has_sign(item) ? 1 : 0), 12, '0');
    return out;
  });
}
bool PlusInFront(const Trial& trial) {
  return is_same_number(trial, false, [](const Item& item) { return joined({'+'}, item); });
}
bool BlanksAround(const Trial& trial) {
  return is_same_number(trial, true, [](const Item& item) { return joined(joined({' '}, item), {' '}); });
}
bool MinusInFront(const Trial& trial) {
  Items items, negative;
  for (const Item& item : some_items(trial)) {
    if (has_sign(item)) continue;
    items.push_back(item);
    negative.push_back(joined({'-'}, item));
  }
  const std::vector<Outcome> above = outcomes(trial, items), below = outcomes(trial, negative);
  const bool is_float = trial.id() == "string.parse_f32";
  for (size_t i = 0; i < items.size(); ++i) {
    if (!is_number(above[i])) continue;
    const uint32_t value = above[i].word(0);
    if (below[i].word(0) != (is_float ? value ^ 0x8000'0000 : 0 - value) || !is_number(below[i]))
      return false;
  }
  return true;
}
bool PowersOfTen(const Trial& trial) {
  return is_same_number(trial, true, [](const Item& item) {
    if (std::ranges::any_of(item, [](uint8_t c) { return c == 'e' || c == 'E'; })) return item;
    const bool whole = std::ranges::find(item, '.') == item.end();
    return joined(item, text(whole ? "000e-3" : "e0"));
  });
}
bool FloatIsInteger(const Trial& trial) {
  const Items items = some_items(trial);
  const std::vector<Outcome> floats = outcomes(trial, items),
                             integers = outcomes(trial, "string.parse_i32", {items});
  for (size_t i = 0; i < items.size(); ++i) {
    if (is_number(integers[i]) &&
        double{std::bit_cast<float>(floats[i].word(0))} != std::bit_cast<int32_t>(integers[i].word(0)))
      return false;
  }
  return true;
}

bool Symmetric(const Trial& trial) {
  const std::vector<Items> lists = some_lists(trial);
  return judged(trial, lists[0], lists[1]) == judged(trial, lists[1], lists[0]);
}
bool Antisymmetric(const Trial& trial) {
  const std::vector<Items> lists = some_lists(trial);
  Words forward = judged(trial, lists[0], lists[1]);
  for (uint32_t& order : forward) order = 2 - order;
  return forward == judged(trial, lists[1], lists[0]);
}
bool Reflexive(const Trial& trial) {
  const Items items = some_items(trial);
  const uint32_t same = trial.id() == "string.levenshtein" ? 0 : 1;
  return judged(trial, items, items) == Words(items.size(), same);
}
bool Transitive(const Trial& trial) {
  const auto [ab, bc, ac] = triples(trial);
  const bool is_order = trial.id() == "string.compare";
  const auto holds = [&](uint32_t word) { return is_order ? word <= 1 : word == 1; };
  for (size_t i = 0; i < ab.size(); ++i)
    if (holds(ab[i]) && holds(bc[i]) && !holds(ac[i])) return false;
  return true;
}
bool TriangleInequality(const Trial& trial) {
  const auto [ab, bc, ac] = triples(trial);
  for (size_t i = 0; i < ab.size(); ++i)
    if (ac[i] > ab[i] + bc[i]) return false;
  return true;
}
bool AgreesWithEqual(const Trial& trial) {
  const std::vector<Items> lists = some_lists(trial);
  const Words mine = judged(trial, lists[0], lists[1]),
              equal = judged(trial, "string.equal", lists[0], lists[1]);
  const uint32_t same = trial.id() == "string.levenshtein" ? 0 : 1;
  for (size_t i = 0; i < mine.size(); ++i)
    if ((mine[i] == same) != (equal[i] == 1)) return false;
  return true;
}
bool BoundsOfDistance(const Trial& trial) {
  const std::vector<Items> lists = some_lists(trial);
  const Words distances = judged(trial, lists[0], lists[1]);
  for (size_t i = 0; i < distances.size(); ++i) {
    const auto [least, most] = std::minmax({lists[0][i].size(), lists[1][i].size()});
    if (distances[i] < most - least || distances[i] > most) return false;
  }
  return true;
}
bool OneMoreLetter(const Trial& trial) {
  const Items items = some_items(trial);
  Items longer = items;
  for (size_t i = 0; i < items.size(); ++i)
    longer[i].insert(longer[i].begin() + long(items[i].size() / 2), 'x');
  return judged(trial, items, longer) == Words(items.size(), 1);
}
bool PlacesThatDiffer(const Trial& trial) {
  const std::vector<Items> lists = some_lists(trial);
  Words differ;
  for (size_t i = 0; i < lists[0].size(); ++i) {
    const Item &a = lists[0][i], &b = lists[1][i];
    size_t same = 0;
    for (size_t k = 0; k < std::min(a.size(), b.size()); ++k) same += a[k] == b[k] ? 1 : 0;
    differ.push_back(uint32_t(std::max(a.size(), b.size()) - same));
  }
  return judged(trial, lists[0], lists[1]) == differ;
}
bool ShorterIsLess(const Trial& trial) {
  const std::vector<Items> lists = some_lists(trial);
  const Words order = judged(trial, lists[0], lists[1]);
  for (size_t i = 0; i < order.size(); ++i)
    if (lists[0][i].size() < lists[1][i].size() && order[i] != 0) return false;
  return true;
}
bool BeginningIsLess(const Trial& trial) {
  const Items items = some_items(trial);
  Items longer = items;
  for (Item& item : longer) item.push_back(0);
  return judged(trial, items, longer) == Words(items.size(), 0);
}
bool BeginningIsEqual(const Trial& trial) {
  const Items items = some_items(trial);
  Items longer = items;
  for (Item& item : longer) item.push_back(0);
  return judged(trial, items, longer) == Words(items.size(), 1);
}

bool CountOfFound(const Trial& trial) {
  const Item text = some_text(trial), needle = second_text(trial);
  const std::vector<Words> found = index_of(trial, "string.find_all", text, needle);
  const Words count = {uint32_t(found[0].size())};
  return found[1] == count && index_of(trial, "string.count", text, needle)[0] == count;
}
bool MirrorImage(const Trial& trial) {
  Item text = some_text(trial), needle = second_text(trial);
  Words forward = index_of(trial, trial.id(), text, needle)[0];
  std::ranges::reverse(text);
  std::ranges::reverse(needle);
  const Words backward = index_of(trial, trial.id(), text, needle)[0];
  if (trial.id() == "string.count") return forward == backward;
  for (uint32_t& place : forward) place = uint32_t(text.size() - needle.size()) - place;
  std::ranges::reverse(forward);
  return forward == backward;
}
bool ApartFromEachOther(const Trial& trial) {
  const Item needle = second_text(trial);
  const Words places = index_of(trial, trial.id(), some_text(trial), needle)[0];
  for (size_t i = 1; i < places.size(); ++i)
    if (places[i] - places[i - 1] < needle.size()) return false;
  return true;
}
bool HalvesAddUp(const Trial& trial) {
  const Item text = some_text(trial);
  const auto middle = text.begin() + long(text.size() / 2);
  return count_in(trial, text) ==
         count_in(trial, {text.begin(), middle}) + count_in(trial, {middle, text.end()});
}
bool LinesCoverText(const Trial& trial) {
  const Item text = some_text(trial);
  const std::vector<Words> lines = index_of(trial, trial.id(), text, {});
  const Words& starts = lines[0];
  if (starts.front() != 0 || starts.back() != text.size() || lines[1] != Words{uint32_t(starts.size()) - 1})
    return false;
  // Behind each line feed, and nowhere else, begins a line or ends the text.
  for (size_t i = 0; i < text.size(); ++i)
    if (i + 1 < text.size() && std::ranges::binary_search(starts, i + 1) != (text[i] == '\n')) return false;
  return std::ranges::adjacent_find(starts, std::greater_equal<>()) == starts.end();
}
bool LineFeedsAreLines(const Trial& trial) {
  const Item text = some_text(trial);
  return count_in(trial, text) == std::ranges::count(text, uint8_t('\n'));
}
bool TokensCoverText(const Trial& trial) {
  const Item text = some_text(trial);
  const std::vector<Words> tokens = index_of(trial, trial.id(), text, second_text(trial));
  const Words classes = elements<uint32_t>(trial.input()[1]);
  Words expected, got(text.size());
  for (const uint8_t byte : text) expected.push_back(byte < classes.size() ? classes[byte] : 0);
  for (size_t i = 0; i < tokens[0].size(); ++i) {
    const uint32_t begin = tokens[0][i], end = begin + tokens[1][i], its_class = tokens[2][i];
    if (begin >= end || end > text.size() || its_class == 0) return false;
    if (end < text.size() && expected[end] == its_class) return false;
    std::fill(got.begin() + begin, got.begin() + end, its_class);
  }
  return got == expected && tokens[3] == Words{uint32_t(tokens[0].size())};
}
bool QuotedIsOne(const Trial& trial) {
  const bool is_json = trial.id() == "string.json_index";
  Item quoted = {'"'};
  for (const uint8_t byte : some_text(trial)) {
    if (byte == '"' || (is_json && byte == '\\')) quoted.push_back(is_json ? '\\' : '"');
    quoted.push_back(is_json && byte < ' ' ? ' ' : byte);
  }
  quoted.push_back('"');
  const std::vector<Words> index = index_of(trial, trial.id(), quoted, {});
  return is_json ? index == std::vector<Words>{{0}, {1}, {0}}
                 : index == std::vector<Words>{{0}, {uint32_t(quoted.size())}, {0, 1}, {1, 1}, {0}};
}
bool BlanksBehind(const Trial& trial) {
  const Item text = some_text(trial);
  const std::vector<Words> index = index_of(trial, trial.id(), text, {});
  return index[2] != Words{0} ||
         index_of(trial, trial.id(), joined(text, {' ', '\t', '\r', '\n'}), {}) == index;
}
bool CharactersOfStructure(const Trial& trial) {
  const Item text = some_text(trial);
  const auto structure = [](uint8_t c) {
    return std::string_view("{}[]:,\"").find(char(c)) != std::string_view::npos;
  };
  return count_in(trial, text) == std::ranges::count_if(text, structure);
}
bool LineFeedBehind(const Trial& trial) {
  const Item text = some_text(trial);
  const std::vector<Words> index = index_of(trial, trial.id(), text, {});
  if (index[4] != Words{0} || text.empty() || text.back() == '\n' || text.back() == '\r') return true;
  return index_of(trial, trial.id(), joined(text, {'\n'}), {}) == index;
}
bool CommasAndLines(const Trial& trial) {
  const Item text = some_text(trial);
  const std::vector<Words> index = index_of(trial, trial.id(), text, {});
  return index[3].at(0) == index[3].at(1) + std::ranges::count(text, uint8_t(','));
}

}  // namespace vyre::opspec
