// string: operations over items, over pairs of items, and over one large text.
#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <sstream>

#include "opspec/items.h"
#include "opspec/opspec.h"

namespace vyre::opspec {
namespace strings {
namespace {

using Bytes = std::span<const uint8_t>;
using Words = std::vector<uint32_t>;
using Fault = std::optional<size_t>;

std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
void append(Item& item, std::string_view text) { item.insert(item.end(), text.begin(), text.end()); }
uint8_t one_of(RandomStream& random, std::string_view letters) {
  return uint8_t(letters[random.below(uint32_t(letters.size()))]);
}

// -- Outputs that are lists of words -----------------------------------------------------------------------

/// Appends an output for so many words: enough, or some less or more.
void put_room(RandomStream& random, Buffers& buffers, size_t words) {
  const uint32_t by = random.below(9);
  switch (random.below(5)) {
    case 0: words -= std::min<size_t>(words, by); break;
    case 1: words += by; break;
    case 2: words = random.below(uint32_t(words) + 1); break;
    default: break;
  }
  buffers.push_back(noise(random, words * 4));
}
void leave(Buffer& buffer, const Words& words) {
  for (size_t i = 0; i < words.size(); ++i) put<uint32_t>(buffer, i, words[i]);
}

// -- Items -------------------------------------------------------------------------------------------------

/// Letters of both cases, what is next to them, white space at both ends and within.
void words_and_blanks(RandomStream& random, uint32_t bytes, Item& item) {
  const auto blanks = [&] {
    for (uint32_t more = random.below(5); more > 0; --more) item.push_back(one_of(random, " \t\n\v\f\r"));
  };
  blanks();
  while (item.size() < bytes) item.push_back(one_of(random, "azAZ@[`{ \t\x08\x0e\x1f\x85\xa0\xc1\xe1\xda"));
  blanks();
}

Fault lower_ascii(Bytes item, Item& out) {
  for (const uint8_t c : item) out.push_back(uint8_t(std::tolower(c)));  // in the C locale, as below
  return {};
}
Fault upper_ascii(Bytes item, Item& out) {
  for (const uint8_t c : item) out.push_back(uint8_t(std::toupper(c)));
  return {};
}
Fault trim(Bytes item, Item& out) {
  while (!item.empty() && std::isspace(item.front()) != 0) item = item.subspan(1);
  while (!item.empty() && std::isspace(item.back()) != 0) item = item.first(item.size() - 1);
  out.assign(item.begin(), item.end());
  return {};
}

Buffers generate_recoded(RandomStream& random, uint32_t size) {
  Buffers buffers;
  put_items(random, buffers, make_items(random, size, words_and_blanks));
  size_t needed = 0;
  const std::vector<Item> items = items_of(buffers[0], buffers[1]);
  for (const Item& item : items) needed += item.size();
  put_ragged(random, buffers, items.size(), needed);
  return buffers;
}
template <Fault (*kRecode)(Bytes item, Item& out)>
void reference_recoded(Buffers& buffers) {
  leave_ragged(buffers, 2, items_of(buffers[0], buffers[1]), kRecode);
}

// -- Numbers -----------------------------------------------------------------------------------------------

struct Parsed {
  uint32_t bits = 0;
  Fault fault;
};

/// Digits from a place on, by std::from_chars; the fault where they are no T.
template <typename T>
Parsed parse_integer(std::string_view text, size_t digits) {
  const size_t end = std::min(text.find_first_not_of("0123456789", digits), text.size());
  const auto parse = [&](size_t to) {
    T value = 0;
    const size_t sign = digits != 0 && text[0] == '-' ? 0 : digits;  // which it takes, and no `+`
    const auto result = std::from_chars(text.data() + sign, text.data() + to, value);
    return result.ec == std::errc() ? std::optional<T>(value) : std::nullopt;
  };
  // Numbers of nine digits behind zeros fit.
  for (size_t to = std::min(text.find_first_not_of('0', digits), end) + 10; to <= end; ++to)
    if (!parse(to)) return {0, to - 1};
  if (end != text.size() || end == digits) return {0, end};
  return {uint32_t(*parse(end)), {}};
}
Parsed parse_u32(std::string_view text) { return parse_integer<uint32_t>(text, 0); }
Parsed parse_i32(std::string_view text) {
  return parse_integer<int32_t>(text, !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0);
}
/// strtof of the C library, which reads more than that, so that the form is looked at first.
Parsed parse_f32(std::string_view text) {
  size_t at = 0;
  const auto take = [&](std::string_view letters, size_t most) {
    const size_t begin = at;
    while (at < text.size() && at - begin < most && letters.find(text[at]) != std::string_view::npos) ++at;
    return at - begin;
  };
  constexpr std::string_view kDigits = "0123456789";
  take("+-", 1);
  size_t digits = take(kDigits, text.size());
  if (take(".", 1) != 0) digits += take(kDigits, text.size());
  if (digits == 0) return {0, at};
  if (take("eE", 1) != 0) {
    take("+-", 1);
    if (take(kDigits, text.size()) == 0) return {0, at};
  }
  if (at != text.size()) return {0, at};
  return {std::bit_cast<uint32_t>(std::strtof(std::string(text).c_str(), nullptr)), {}};
}

void digits(RandomStream& random, uint32_t count, Item& item) {
  for (uint32_t i = 0; i < count; ++i) item.push_back(one_of(random, "0123456789"));
}
/// Now and then another character, for a fault.
void disturb(RandomStream& random, Item& item) {
  if (item.empty() || !random.chance(6)) return;
  item[random.below(uint32_t(item.size()))] = one_of(random,
                                                     "+-.eE /:\xb0"
                                                     "0n");
}
/// About the limits of 32 bits, and of any length.
void integers(RandomStream& random, uint32_t bytes, Item& item) {
  if (random.chance(64)) return;  // no digits at all
  if (random.chance(3)) append(item, random.chance(2) ? "-" : "+");
  if (random.chance(4)) item.insert(item.end(), random.below(bytes + 1), '0');
  constexpr uint64_t kEdges[] = {0, 9, 99, 999'999'999, 1'000'000'000, 0x7fff'ffff, 0x8000'0000, 0xffff'ffff};
  const uint64_t edge = kEdges[random.below(uint32_t(std::size(kEdges)))] + random.below(12);
  append(item, std::to_string(random.chance(2) ? edge : random.next64() >> (24 + random.below(40))));
  disturb(random, item);
}
/// The exact decimal digits of m * 2^e, by multiplying a decimal number.
std::string exact_decimal(uint32_t m, int e) {
  std::string whole = std::to_string(m);
  size_t places = 0;               // behind the point
  const int base = e < 0 ? 5 : 2;  // half is five times a tenth
  for (int left = std::abs(e); left > 0;) {
    uint64_t factor = 1;
    for (; left > 0 && factor < 1'000'000'000; --left) factor *= uint64_t(base);
    uint64_t carry = 0;
    for (size_t i = whole.size(); i-- > 0; carry /= 10) {
      carry += uint64_t(whole[i] - '0') * factor;
      whole[i] = char('0' + carry % 10);
    }
    if (carry != 0) whole.insert(0, std::to_string(carry));
  }
  if (e < 0) places = size_t(-e);
  if (whole.size() < places) whole.insert(0, places - whole.size(), '0');
  return whole.substr(0, whole.size() - places) + "." + whole.substr(whole.size() - places);
}
/// The middle between two neighbouring floats, and what is a little more or less, with many digits.
void middles(RandomStream& random, Item& item) {
  const uint32_t exponent = random.chance(4) ? random.below(3) : random.below(255);
  const uint32_t fraction = random.chance(4) ? random.below(4) : random.next() & 0x7f'ffff;
  const uint32_t m = exponent == 0 ? fraction : fraction | 0x80'0000;
  std::string text = exact_decimal(m * 2 + 1, int(std::max(exponent, 1U)) - 151);
  switch (random.below(4)) {
    case 0: text += std::string(random.below(40), '0') + "1"; break;
    case 1: {
      const size_t last = text.find_last_not_of(".0");
      --text[last];
      break;
    }
    case 2: text.resize(std::min<size_t>(text.size(), 1 + random.below(140))); break;
    default: break;
  }
  append(item, text);
}
void floats(RandomStream& random, uint32_t bytes, Item& item) {
  if (random.chance(3)) append(item, random.chance(2) ? "-" : "+");
  if (random.chance(8)) {
    middles(random, item);
  } else {
    digits(random, random.below(std::max(bytes, 8U)), item);
    if (random.chance(2)) append(item, ".");
    digits(random, random.below(12), item);
    if (random.chance(8)) item.insert(item.end(), random.below(64), '0');
    if (random.chance(2)) {
      append(item, random.chance(2) ? "e" : "E");
      if (random.chance(2)) append(item, random.chance(4) ? "+" : "-");
      append(item, std::to_string(random.below(random.chance(16) ? 1'000'000'000 : 60)));
    }
  }
  disturb(random, item);
}

template <MakeItem kMake>
Buffers generate_numbers(RandomStream& random, uint32_t size) {
  Buffers buffers;
  put_items(random, buffers, make_items(random, size, kMake));
  const size_t items = items_of(buffers[0], buffers[1]).size();
  put_room(random, buffers, items);
  put_room(random, buffers, items);
  return buffers;
}
template <Parsed (*kParse)(std::string_view text)>
void reference_numbers(Buffers& buffers) {
  const std::vector<Item> items = items_of(buffers[0], buffers[1]);
  for (size_t i = 0; i < items.size(); ++i) {
    const Parsed parsed = kParse(text_of(items[i]));
    put<uint32_t>(buffers[2], i, parsed.bits);
    put<uint32_t>(buffers[3], i, parsed.fault ? uint32_t(*parsed.fault) + 1 : 0);
  }
}

Buffers generate_format(RandomStream& random, uint32_t size) {
  Words values(size);
  size_t needed = 0;
  for (uint32_t& value : values) {
    value = random.next() >> random.below(32);
    if (random.chance(4)) {  // next to a power of ten
      value = 1;
      for (uint32_t zeros = random.below(10); zeros > 0; --zeros) value *= 10;
      value -= random.below(2);
    }
    needed += std::to_string(value).size();
  }
  Buffers buffers = {buffer_of(values)};
  put_ragged(random, buffers, values.size(), needed);
  return buffers;
}
void reference_format(Buffers& buffers) {
  std::vector<Item> items;
  for (const uint32_t value : elements<uint32_t>(buffers[0]))
    append(items.emplace_back(), std::to_string(value));
  leave_ragged(buffers, 1, items, [](Bytes item, Item& out) {
    out.assign(item.begin(), item.end());
    return Fault();
  });
}
/// Half of the numbers, or one less.
std::vector<Buffers> smaller_format(const Buffers& buffers) {
  std::vector<Buffers> out;
  const size_t size = buffers[0].size() / 4;
  for (size_t less = (size + 1) / 2; less > 0; less /= 2) {
    out.emplace_back(buffers)[0].resize((size - less) * 4);
    Buffer& back = out.emplace_back(buffers)[0];
    back.erase(back.begin(), back.begin() + std::ptrdiff_t(less * 4));
  }
  return out;
}

// -- Pairs of items ----------------------------------------------------------------------------------------

uint32_t equal(Bytes a, Bytes b) { return std::ranges::equal(a, b) ? 1 : 0; }
uint32_t compare(Bytes a, Bytes b) {
  const auto order = std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
  return order < 0 ? 0 : order > 0 ? 2 : 1;
}
/// The table of R. Wagner and M. Fischer, a row at a time.
uint32_t levenshtein(Bytes a, Bytes b) {
  Words row(b.size() + 1);
  for (size_t j = 0; j < row.size(); ++j) row[j] = uint32_t(j);
  for (size_t i = 0; i < a.size(); ++i) {
    uint32_t diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const uint32_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

/// Few letters, so that they are alike.
void few_letters(RandomStream& random, uint32_t bytes, Item& item) {
  const uint32_t letters = 1 + random.below(5);
  for (uint32_t i = 0; i < bytes; ++i) item.push_back(uint8_t(0x7e + random.below(letters)));
}
void edit(RandomStream& random, Item& item) {
  for (uint32_t edits = random.below(6); edits > 0 && !item.empty(); --edits) {
    const auto place = item.begin() + random.below(uint32_t(item.size()));
    switch (random.below(3)) {
      case 0: *place = uint8_t(random.next()); break;
      case 1: item.erase(place); break;
      default: item.insert(place, uint8_t(0x7e + random.below(3))); break;
    }
  }
}
Buffers generate_pairs(RandomStream& random, uint32_t size, uint32_t longest) {
  std::vector<Item> a = make_items(random, size, few_letters);
  std::vector<Item> b = make_items(random, size, few_letters);
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].size() > longest) a[i].resize(longest);
    if (b[i].size() > longest) b[i].resize(longest);
    if (random.chance(3)) continue;
    b[i] = a[i];
    if (!random.chance(4)) edit(random, b[i]);
  }
  if (random.chance(8)) b.resize(random.below(uint32_t(b.size()) + 1));
  Buffers buffers;
  put_items(random, buffers, a);
  put_items(random, buffers, b);
  put_room(random, buffers, std::min(count<uint32_t>(buffers[1]), count<uint32_t>(buffers[3])));
  return buffers;
}
Buffers generate_compared(RandomStream& random, uint32_t size) {
  return generate_pairs(random, size, 10'000);
}
/// Quadratic, so that long ones are few.
Buffers generate_edited(RandomStream& random, uint32_t size) {
  if (!random.chance(80)) return generate_pairs(random, std::min(size, 600U), 140);
  Buffers buffers;
  Item a;
  few_letters(random, 4'090 + random.below(12), a);
  Item b = a;
  edit(random, b);
  put_items(random, buffers, {{}, a});
  put_items(random, buffers, {{1, 2}, b});
  put_room(random, buffers, 2);
  return buffers;
}
template <uint32_t (*kJudge)(Bytes a, Bytes b)>
void reference_pairs(Buffers& buffers) {
  const std::vector<Item> a = items_of(buffers[0], buffers[1]);
  const std::vector<Item> b = items_of(buffers[2], buffers[3]);
  for (size_t i = 0; i < std::min({a.size(), b.size(), count<uint32_t>(buffers[4])}); ++i)
    put<uint32_t>(buffers[4], i, kJudge(a[i], b[i]));
}
/// Offsets that were changed may make one item of all data: some are moved until no pair takes more turns of
/// the loops of its invocation than every driver makes (docs/spec/spirv.md). Long pairs are a test of their
/// own.
void few_turns(Buffers& buffers, const Buffers&) {
  constexpr size_t kRowsATurn = 32, kMostTurns = 16'000;
  const size_t offsets = std::min(count<uint32_t>(buffers[1]), count<uint32_t>(buffers[3]));
  for (size_t i = 0; i + 1 < offsets; ++i) {
    const auto length = [&](size_t list) {
      const size_t size = buffers[list].size(),
                   begin = std::min<size_t>(get<uint32_t>(buffers[list + 1], i), size);
      return std::max(begin, std::min<size_t>(get<uint32_t>(buffers[list + 1], i + 1), size)) - begin;
    };
    const size_t a = length(0), b = length(2);
    const size_t turns_a_column = (std::max(a, b) + kRowsATurn - 1) / kRowsATurn;
    if (turns_a_column * std::min(a, b) <= kMostTurns) continue;
    const size_t shorter = a < b ? 1 : 3;
    put(buffers[shorter], i + 1, get<uint32_t>(buffers[shorter], i) + uint32_t(kMostTurns / turns_a_column));
  }
}
/// Each pair alone.
std::vector<Buffers> smaller_pairs(const Buffers& buffers) {
  std::vector<Buffers> out;
  const size_t offsets = std::min(count<uint32_t>(buffers[1]), count<uint32_t>(buffers[3]));
  for (size_t i = 0; i + 1 < offsets && offsets > 2; ++i) {
    Buffers& pair = out.emplace_back(buffers);
    for (const size_t of : {1, 3})
      pair[of] = buffer_of(Words{get<uint32_t>(buffers[of], i), get<uint32_t>(buffers[of], i + 1)});
  }
  return out;
}

// -- One text ----------------------------------------------------------------------------------------------

/// The bytes of a buffer that parameter i, in the last buffer, says.
Item text_of(const Buffers& buffers, size_t buffer, size_t i) {
  const Buffer& params = buffers.back();
  const size_t all = buffers[buffer].size();
  const size_t length = i < count<uint32_t>(params) ? std::min<size_t>(get<uint32_t>(params, i), all) : all;
  Item text(length);
  if (length != 0) std::memcpy(text.data(), buffers[buffer].data(), length);
  return text;
}
/// The lengths as parameters: one time in four less, so that what stands behind a text looks as if it went
/// on; one time in eight too large or none.
Buffer params_of(RandomStream& random, Words lengths) {
  uint32_t& one = lengths[random.below(uint32_t(lengths.size()))];
  if (random.chance(4)) one -= std::min(one, random.below(9));
  if (random.chance(8)) one += random.below(9);
  if (random.chance(8)) lengths.resize(random.below(uint32_t(lengths.size())));
  return buffer_of(lengths);
}
/// Less of the text: from its end, and whole words from its beginning.
std::vector<Buffers> smaller_text(const Buffers& buffers) {
  std::vector<Buffers> out;
  const Item text = text_of(buffers, 0, 0);
  Words params = elements<uint32_t>(buffers.back());
  if (params.empty()) params.push_back(0);
  const auto with = [&](size_t dropped, size_t length) {
    Buffers& smaller = out.emplace_back(buffers);
    smaller[0].erase(smaller[0].begin(), smaller[0].begin() + std::ptrdiff_t(dropped));
    params[0] = uint32_t(length);
    smaller.back() = buffer_of(params);
  };
  for (size_t less = (text.size() + 1) / 2; less > 0; less /= 2) {
    with(0, text.size() - less);
    if (less >= 4) with(less / 4 * 4, text.size() - less / 4 * 4);
  }
  return out;
}

/// A text of pieces of these kinds, each as likely as another.
Item text_from(RandomStream& random, uint32_t bytes, std::span<const std::string_view> pieces) {
  Item text;
  while (text.size() < bytes) append(text, pieces[random.below(uint32_t(pieces.size()))]);
  text.resize(bytes);
  return text;
}
/// The same, of a choice of the pieces: so that some are seldom, or come in runs.
Item text_of_some(RandomStream& random, uint32_t bytes, std::span<const std::string_view> pieces) {
  std::vector<std::string_view> some;
  for (const std::string_view piece : pieces) {
    for (uint32_t times = random.below(4); times > 0; --times) some.push_back(piece);
  }
  if (some.empty()) some.push_back(pieces.front());
  return text_from(random, bytes, some);
}

/// Overlapping places, by std::string_view::find.
Words places(const Buffers& buffers) {
  const Item text = text_of(buffers, 0, 0);
  const Item needle = text_of(buffers, 1, 1);
  Words out;
  if (needle.empty()) return out;
  const std::string_view view = text_of(text);
  for (size_t at = view.find(text_of(needle)); at != std::string_view::npos;
       at = view.find(text_of(needle), at + 1))
    out.push_back(uint32_t(at));
  return out;
}
Buffers put_search(RandomStream& random, uint32_t size) {
  constexpr std::string_view kPieces[] = {"a", "b", "aaaa", "abab", "needle", "x"};
  const Item text = text_of_some(random, size, kPieces);
  Item needle;
  if (!text.empty() && !random.chance(8)) {  // one that is there, or all but its last byte is
    const uint32_t at = random.below(size);
    const uint32_t length = std::min(size - at, 1 + random.below(random.chance(4) ? 300 : 10));
    needle.assign(text.begin() + at, text.begin() + at + length);
    if (random.chance(4)) needle.back() ^= 1;
  } else {
    any_bytes(random, random.below(3), needle);
  }
  Buffers buffers = {padded(text, random), padded(needle, random)};
  buffers.push_back(params_of(random, {uint32_t(text.size()), uint32_t(needle.size())}));
  return buffers;
}
Buffers generate_count(RandomStream& random, uint32_t size) {
  Buffers buffers = put_search(random, size);
  buffers.insert(buffers.begin() + 2, noise(random, random.chance(16) ? 8 : 4));
  return buffers;
}
Buffers generate_find(RandomStream& random, uint32_t size) {
  Buffers buffers = generate_count(random, size);
  Buffers room;
  put_room(random, room, places(buffers).size());
  buffers.insert(buffers.begin() + 2, room[0]);
  return buffers;
}
void reference_count(Buffers& buffers) { put<uint32_t>(buffers[2], 0, uint32_t(places(buffers).size())); }
void reference_find(Buffers& buffers) {
  const Words found = places(buffers);
  leave(buffers[2], found);
  put<uint32_t>(buffers[3], 0, uint32_t(found.size()));
}

/// The outputs of an operation over a text, in the order of its parameters.
using Index = std::vector<Words>;

/// std::getline.
Index lines(const Buffers& buffers) {
  const Item text = text_of(buffers, 0, 0);
  std::istringstream stream{std::string(text_of(text))};
  Words starts = {0};
  for (std::string line; std::getline(stream, line);)
    starts.push_back(uint32_t(std::min(starts.back() + line.size() + 1, text.size())));
  const uint32_t lines = uint32_t(starts.size()) - 1;
  return {starts, {lines}};
}
Item lines_text(RandomStream& random, uint32_t size) {
  constexpr std::string_view kPieces[] = {"a", "\n", "\r\n", "a longer piece of a line"};
  return text_of_some(random, size, kPieces);
}

Index tokens(const Buffers& buffers) {
  const Item text = text_of(buffers, 0, 0);
  const Words lookup = elements<uint32_t>(buffers[1]);
  const auto class_of = [&](uint8_t c) { return c < lookup.size() ? lookup[c] : 0; };
  Index out(4);
  for (size_t i = 0; i < text.size(); ++i) {
    const uint32_t own = class_of(text[i]);
    if (own == 0) continue;
    if (i == 0 || class_of(text[i - 1]) != own) {
      out[0].push_back(uint32_t(i));
      out[1].push_back(0);
      out[2].push_back(own);
    }
    ++out[1].back();
  }
  out[3].push_back(uint32_t(out[0].size()));
  return out;
}
Item tokens_text(RandomStream& random, uint32_t size) {
  constexpr std::string_view kPieces[] = {
      "a", "b", " ", "+-", "a name of letters", "\xff\xfe", "                "};
  return text_of_some(random, size, kPieces);
}

/// A character at a time. What simdjson's first stage finds is said by what a character is and by the one
/// before it.
Index json_index(const Buffers& buffers) {
  const Item text = text_of(buffers, 0, 0);
  Index out(3);
  uint32_t status = 0;
  bool in_string = false;
  bool escaped = false;
  bool within_scalar = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = char(text[i]);
    const bool quote = c == '"' && !escaped;
    const bool separator = std::string_view("{}[]:,").find(c) != std::string_view::npos;
    const bool white = std::string_view(" \t\r\n").find(c) != std::string_view::npos;
    if (in_string && !quote && text[i] < 0x20 && status == 0) status = uint32_t(i) + 1;
    if (!in_string && (separator || (!white && !within_scalar))) out[0].push_back(uint32_t(i));
    within_scalar = !quote && !separator && !white;
    in_string = in_string != quote;
    escaped = c == '\\' && !escaped;
  }
  if (in_string && status == 0) status = uint32_t(text.size()) + 1;
  out[1].push_back(uint32_t(out[0].size()));
  out[2].push_back(status);
  return out;
}
Item json_text(RandomStream& random, uint32_t size) {
  static const std::string kSlashes(71, '\\');  // more than a block
  static const std::string_view kPieces[] = {
      "{\"key\": [1, 2.5e3, true], ", "\"",   "\\\"", "\\", kSlashes, "}", "null",
      "\"a, [string]: \\\\\"",        "\n\t", ",",    "a",  "\x1f"};
  return text_of_some(random, size, kPieces);
}

/// A field at a time, each by a loop over its characters.
Index csv_index(const Buffers& buffers) {
  const Item bytes = text_of(buffers, 0, 0);
  const std::string_view text = text_of(bytes);
  Index out(5);
  Words& rows = out[2];
  rows.push_back(0);
  Fault fault;
  const auto blame = [&](size_t place) { fault = std::min(fault.value_or(place), place); };
  // What may end a field begins here.
  const auto ends = [&](size_t i) {
    return i >= text.size() || text[i] == ',' || text[i] == '\n' || text.substr(i, 2) == "\r\n";
  };
  bool more = !text.empty();
  for (size_t i = 0; more;) {
    const size_t start = i;
    bool quoted = false;
    for (; i < text.size() && (quoted || (text[i] != ',' && text[i] != '\n')); ++i) {
      if (text[i] != '"') continue;
      if (!quoted && i != start && text[i - 1] != '"') blame(i);
      if (quoted && !ends(i + 1) && text[i + 1] != '"') blame(i);
      quoted = !quoted;
    }
    if (quoted) blame(text.size());
    const bool carriage = i < text.size() && text[i] == '\n' && i > start && text[i - 1] == '\r';
    out[0].push_back(uint32_t(start));
    out[1].push_back(uint32_t(i - (carriage ? 1 : 0)));
    if (i == text.size() || text[i] == '\n') rows.push_back(uint32_t(out[0].size()));
    // Behind a comma comes a field, behind a line end only if there is a character.
    more = i < text.size() && (text[i] == ',' || i + 1 < text.size());
    ++i;
  }
  out[3] = {uint32_t(out[0].size()), uint32_t(rows.size()) - 1};
  out[4] = {fault ? uint32_t(*fault) + 1 : 0};
  return out;
}
Item csv_text(RandomStream& random, uint32_t size) {
  constexpr std::string_view kPieces[] = {
      "field", ",", "\n", "\r\n", "\"", "\"\"", "\r", "\"a \"\"quoted\"\", field\"", ",,"};
  return text_of_some(random, size, kPieces);
}

/// Buffers: the text, others that are read, the outputs, params.
template <Item (*kText)(RandomStream& random, uint32_t size), Index (*kIndex)(const Buffers& buffers),
          size_t kLookup>
Buffers generate_indexed(RandomStream& random, uint32_t size) {
  const Item text = kText(random, size);
  Buffers buffers = {padded(text, random)};
  if (kLookup != 0) {
    Words lookup(random.chance(2) ? 256 : random.below(300));
    for (uint32_t& value : lookup)
      value = random.chance(3) ? 0 : random.chance(9) ? random.next() : 1 + random.below(3);
    buffers.push_back(buffer_of(lookup));
  }
  Buffers whole = buffers;
  whole.push_back(params_of(random, {uint32_t(text.size())}));
  for (const Words& output : kIndex(whole)) put_room(random, buffers, output.size());
  buffers.push_back(whole.back());
  return buffers;
}
template <Index (*kIndex)(const Buffers& buffers), size_t kLookup>
void reference_indexed(Buffers& buffers) {
  const Index index = kIndex(buffers);
  for (size_t i = 0; i < index.size(); ++i) leave(buffers[1 + kLookup + i], index[i]);
}
template <Item (*kText)(RandomStream& random, uint32_t size), Index (*kIndex)(const Buffers& buffers),
          size_t kLookup = 0>
constexpr OperationSpec indexed(std::string_view id) {
  return {id, generate_indexed<kText, kIndex, kLookup>, reference_indexed<kIndex, kLookup>, smaller_text};
}

}  // namespace
}  // namespace strings

std::span<const OperationSpec> string_operations() {
  using namespace strings;
  static constexpr OperationSpec kOperations[] = {
      {"string.find_all", generate_find, reference_find, smaller_text},
      {"string.count", generate_count, reference_count, smaller_text},
      {"string.equal", generate_compared, reference_pairs<equal>, smaller_pairs},
      {"string.compare", generate_compared, reference_pairs<compare>, smaller_pairs},
      {"string.levenshtein", generate_edited, reference_pairs<levenshtein>, smaller_pairs, few_turns},
      {"string.lower_ascii", generate_recoded, reference_recoded<lower_ascii>},
      {"string.upper_ascii", generate_recoded, reference_recoded<upper_ascii>},
      {"string.trim", generate_recoded, reference_recoded<trim>},
      {"string.parse_u32", generate_numbers<integers>, reference_numbers<parse_u32>},
      {"string.parse_i32", generate_numbers<integers>, reference_numbers<parse_i32>},
      {"string.parse_f32", generate_numbers<floats>, reference_numbers<parse_f32>},
      {"string.format_u32", generate_format, reference_format, smaller_format},
      indexed<lines_text, lines>("string.lines"),
      indexed<tokens_text, tokens, 1>("string.tokenize"),
      indexed<json_text, json_index>("string.json_index"),
      indexed<csv_text, csv_index>("string.csv_index"),
  };
  return kOperations;
}

}  // namespace vyre::opspec
