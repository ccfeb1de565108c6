// Kinds of cases of hash, decode, encode, string and match.
#include <algorithm>
#include <bit>
#include <cmath>

#include "opspec/classes.h"
#include "opspec/laws_bytes.h"

namespace vyre::opspec {
namespace {

/// An operation as an argument of a template.
template <size_t kSize>
struct Id {
  char letters[kSize] = {};
  consteval Id(const char (&id)[kSize]) { std::copy_n(id, kSize, letters); }
};

/// What the reference leaves with outputs of this many bytes more than `data` and `offsets` need.
template <Id kId>
const Buffers& left_of(const Buffers& b) {
  thread_local OfLastCase<Buffers> last;
  return last.get(b, [&] {
    constexpr std::string_view kName = kId.letters;
    Buffers out = b;
    for (size_t output = outputs_of(kName).first; output < outputs_of(kName).end; ++output)
      out[output].assign(4 * (b[0].size() + b[1].size() + 2), std::byte{0});
    find_operation(kName)->reference(out);
    return out;
  });
}

const std::vector<Item>& items_in(const Buffers& b) {
  thread_local OfLastCase<std::vector<Item>> last;
  return last.get(b, [&] { return items_of(b[0], b[1]); });
}

template <auto kHas>
bool some_item(const Buffers& b) {
  return std::ranges::any_of(items_in(b), kHas);
}
template <size_t kBytes>
bool of_bytes(const Buffers& b) {
  return some_item<[](const Item& item) { return item.size() == kBytes; }>(b);
}
/// Whether two neighbours in an item are these.
template <auto kFirst, auto kSecond>
bool some_pair(const Buffers& b) {
  return some_item<[](const Item& item) {
    for (size_t i = 0; i + 1 < item.size(); ++i)
      if (kFirst(item[i]) && kSecond(item[i + 1])) return true;
    return false;
  }>(b);
}
template <uint8_t kByte>
constexpr auto is = [](uint8_t byte) { return byte == kByte; };
template <uint8_t kLeast, uint8_t kMost = 0xff>
constexpr auto within = [](uint8_t byte) { return byte >= kLeast && byte <= kMost; };
template <auto kHas>
bool some_byte(const Buffers& b) {
  return some_item<[](const Item& item) { return std::ranges::any_of(item, kHas); }>(b);
}
constexpr auto is_blank = [](uint8_t byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); };

// Of items that have digests.
template <size_t kDigest>
bool short_digests(const Buffers& b) {
  return b[2].size() < kDigest * items_in(b).size();
}
bool no_params(const Buffers& b) { return b[3].empty(); }
bool no_item(const Buffers& b) { return items_in(b).empty(); }
template <size_t kBytes>
bool first_above(const Buffers& b) {
  return !no_item(b) && items_in(b)[0].size() > kBytes;
}
bool first_empty(const Buffers& b) { return !no_item(b) && items_in(b)[0].empty(); }
bool whole_chunks(const Buffers& b) {
  return !no_item(b) && !first_empty(b) && items_in(b)[0].size() % 1'024 == 0;
}
bool one_item(const Buffers& b) { return items_in(b).size() == 1; }
bool a_power_of_two(const Buffers& b) {
  const size_t items = items_in(b).size();
  return items > 1 && std::has_single_bit(items);
}

// Of ragged results.
template <Id kId>
bool a_fault(const Buffers& b) {
  return std::ranges::any_of(elements<uint32_t>(left_of<kId>(b)[4]),
                             [](uint32_t status) { return status != 0; });
}
template <Id kId>
bool too_short(const Buffers& b) {
  return std::ranges::max(elements<uint32_t>(left_of<kId>(b)[3])) > b[2].size();
}
bool few_statuses(const Buffers& b) { return count<uint32_t>(b[4]) < items_in(b).size(); }

// Of Unicode.
template <size_t kBytes, auto kHas>
bool some_unit(const Buffers& b) {  // little-endian, of 2 or 4 bytes
  return some_item<[](const Item& item) {
    for (size_t i = 0; i + kBytes <= item.size(); i += kBytes) {
      uint32_t unit = 0;
      std::memcpy(&unit, item.data() + i, kBytes);
      if (kHas(unit)) return true;
    }
    return false;
  }>(b);
}
constexpr auto is_surrogate = [](uint32_t unit) { return unit >= 0xd800 && unit < 0xe000; };
constexpr auto is_above_all = [](uint32_t unit) { return unit > 0x10'ffff; };
bool overlong(const Buffers& b) {
  return some_byte<within<0xc0, 0xc1>>(b) || some_pair<is<0xe0>, within<0x80, 0x9f>>(b) ||
         some_pair<is<0xf0>, within<0x80, 0x8f>>(b);
}
bool above_all_in_utf8(const Buffers& b) {
  return some_byte<within<0xf5>>(b) || some_pair<is<0xf4>, within<0x90, 0xbf>>(b);
}
bool a_backslash_at_the_end(const Buffers& b) {
  return some_item<[](const Item& item) { return !item.empty() && item.back() == '\\'; }>(b);
}
bool a_surrogate_escape(const Buffers& b) {
  return some_item<[](const Item& item) {
    for (size_t i = 0; i + 3 < item.size(); ++i)
      if (item[i] == '\\' && item[i + 1] == 'u' && (item[i + 2] | 0x20) == 'd' && item[i + 3] > '7')
        return true;
    return false;
  }>(b);
}

// Of numbers.
template <Id kId>
bool no_number(const Buffers& b) {
  return std::ranges::any_of(elements<uint32_t>(left_of<kId>(b)[3]),
                             [](uint32_t status) { return status != 0; });
}
template <int kKind>
bool a_float(const Buffers& b) {
  return std::ranges::any_of(elements<uint32_t>(left_of<"string.parse_f32">(b)[2]), [](uint32_t bits) {
    const int kind = std::fpclassify(std::bit_cast<float>(bits));
    return kind == kKind;
  });
}
bool zeros_in_front(const Buffers& b) {
  return some_item<[](const Item& item) { return item.size() > 10 && item[0] == '0'; }>(b);
}
bool a_power_of_ten(const Buffers& b) {
  return std::ranges::any_of(elements<uint32_t>(b[0]), [](uint32_t value) {
    while (value > 9 && value % 10 == 0) value /= 10;
    return value == 1;
  });
}
bool a_zero(const Buffers& b) { return std::ranges::count(elements<uint32_t>(b[0]), 0U) != 0; }

// Of pairs.
template <auto kHas>
bool some_two(const Buffers& b) {
  const Items first = items_in(b), second = items_of(b[2], b[3]);
  for (size_t i = 0; i < std::min(first.size(), second.size()); ++i)
    if (kHas(first[i], second[i])) return true;
  return false;
}
constexpr auto are_equal = [](const Item& a, const Item& b) { return !a.empty() && a == b; };
constexpr auto is_beginning = [](const Item& a, const Item& b) {
  return a.size() < b.size() && std::equal(a.begin(), a.end(), b.begin());
};
constexpr auto are_of_one_length = [](const Item& a, const Item& b) {
  return a.size() == b.size() && a != b;
};
bool other_numbers_of_items(const Buffers& b) { return b[1].size() != b[3].size(); }

// Of one text.
Item text_of(const Buffers& b) {
  const Words params = elements<uint32_t>(b.back());
  Item text = elements<uint8_t>(b[0]);
  text.resize(std::min<size_t>(text.size(), params.empty() ? text.size() : params[0]));
  return text;
}
bool no_text(const Buffers& b) { return text_of(b).empty(); }
bool less_than_data(const Buffers& b) { return text_of(b).size() + 4 <= b[0].size(); }
bool a_length_outside(const Buffers& b) {
  return b.back().size() >= 4 && get<uint32_t>(b.back(), 0) > b[0].size();
}
bool text_without_params(const Buffers& b) { return b.back().empty(); }
template <char kLetter>
bool ends_with(const Buffers& b) {
  return !no_text(b) && text_of(b).back() == kLetter;
}
template <char kFirst, char kSecond>
bool text_has(const Buffers& b) {
  const Item text = text_of(b);
  constexpr std::array<uint8_t, 2> kBoth = {kFirst, kSecond};
  return !std::ranges::search(text, kBoth).empty();
}
template <Id kId, size_t kStatus>
bool text_at_fault(const Buffers& b) {
  return get<uint32_t>(left_of<kId>(b)[kStatus], 0) != 0;
}
Item needle_of(const Buffers& b) {
  const Words params = elements<uint32_t>(b.back());
  Item needle = elements<uint8_t>(b[1]);
  needle.resize(std::min<size_t>(needle.size(), params.size() < 2 ? needle.size() : params[1]));
  return needle;
}
bool no_needle(const Buffers& b) { return needle_of(b).empty(); }
bool a_long_needle(const Buffers& b) { return needle_of(b).size() > text_of(b).size(); }
Words places_of(const Buffers& b) {
  Buffers found = {b[0], b[1], Buffer(4 * b[0].size()), Buffer(4), b.back()};
  find_operation("string.find_all")->reference(found);
  Words places = elements<uint32_t>(found[2]);
  places.resize(get<uint32_t>(found[3], 0));
  return places;
}
bool needle_is_missing(const Buffers& b) {
  return !no_needle(b) && !a_long_needle(b) && places_of(b).empty();
}
bool needles_overlap(const Buffers& b) {
  const size_t size = needle_of(b).size();
  const auto overlap = [size](uint32_t one, uint32_t next) { return next - one < size; };
  const Words places = places_of(b);
  return std::ranges::adjacent_find(places, overlap) != places.end();
}
bool small_lookup(const Buffers& b) { return count<uint32_t>(b[1]) < 256; }

// Of automata.
bool no_table(const Buffers& b) { return b[2].empty(); }
bool a_cut_table(const Buffers& b) {
  const Words table = elements<uint32_t>(b[2]);
  return table.size() < 2 || table.size() < 68 + uint64_t{table[0]} * table[1];
}
bool accepts_at_once(const Buffers& b) {
  return b[2].size() >= 12 && (get<uint32_t>(b[2], 2) & kAccepts) != 0;
}
template <Id kId, size_t kOutput, auto kHas>
bool some_result(const Buffers& b) {
  const Words words = elements<uint32_t>(left_of<kId>(b)[kOutput]);
  return std::any_of(words.begin(), words.begin() + long(items_in(b).size()), kHas);
}
constexpr auto is_none = [](uint32_t word) { return word == kNone; };
constexpr auto is_first = [](uint32_t word) { return word == 0; };
constexpr auto is_later = [](uint32_t word) { return word != 0 && word != kNone; };
bool an_empty_match(const Buffers& b) {
  const Buffers& left = left_of<"match.regex">(b);
  for (size_t i = 0; i < items_in(b).size(); ++i)
    if (get<uint32_t>(left[3], i) == get<uint32_t>(left[4], i) && get<uint32_t>(left[3], i) != kNone)
      return true;
  return false;
}
bool a_long_literal(const Buffers& b) { return b[2].size() >= 12 && get<uint32_t>(b[2], 2) > 64; }
bool several_at_an_end(const Buffers& b) {
  const Buffers& left = left_of<"match.aho_corasick">(b);
  const auto found = std::min<size_t>(get<uint32_t>(left[5], 0), count<uint32_t>(left[3]));
  for (size_t i = 1; i < found; ++i)
    if (get<uint32_t>(left[3], i) == get<uint32_t>(left[3], i - 1)) return true;
  return false;
}
bool nothing_found(const Buffers& b) {
  return !no_table(b) && get<uint32_t>(left_of<"match.aho_corasick">(b)[5], 0) == 0;
}

#define OF_BYTES(operations, bytes) {operations, "an item of " #bytes " bytes", of_bytes<bytes>}
#define SHORT(id) {id, "an output that is too short", too_short<id>}
#define FAULT(id) {id, "an item with a fault", a_fault<id>}
#define NUMBERS(id) {id, "an item that is no number", no_number<id>}
#define RAGGED "decode.* encode.* string.lower_ascii string.upper_ascii string.trim !decode.utf8_valid"
#define TEXTS "string.find_all string.count string.lines string.tokenize string.json_index string.csv_index"
#define PAIRS "string.equal string.compare string.levenshtein"
#define UTF8 "decode.utf8 decode.utf8_valid"

constexpr CaseClass kClasses[] = {
    OF_BYTES("hash.md5 hash.sha1 hash.sha256", 55),
    OF_BYTES("hash.md5 hash.sha1 hash.sha256", 56),
    OF_BYTES("hash.md5 hash.sha1 hash.sha256", 63),
    OF_BYTES("hash.md5 hash.sha1 hash.sha256 hash.blake2s hash.blake3", 64),
    OF_BYTES("hash.blake2s hash.blake3", 65),
    OF_BYTES("hash.sha512", 111),
    OF_BYTES("hash.sha512", 112),
    OF_BYTES("hash.sha512", 127),
    OF_BYTES("hash.sha512", 128),
    OF_BYTES("hash.sha3_256", 135),
    OF_BYTES("hash.sha3_256", 136),
    OF_BYTES("hash.blake3", 1023),
    OF_BYTES("hash.blake3", 1024),
    OF_BYTES("hash.blake3", 1025),
    OF_BYTES("hash.xxh32", 15),
    OF_BYTES("hash.xxh32", 16),
    OF_BYTES("hash.xxh64", 31),
    OF_BYTES("hash.xxh64", 32),
    OF_BYTES("hash.siphash24", 7),
    OF_BYTES("hash.siphash24", 8),
    OF_BYTES("hash.murmur3_32", 3),
    OF_BYTES("hash.murmur3_32", 4),
    {"hash.adler32 hash.crc32 hash.crc32c hash.fnv1a32 hash.murmur3_32 hash.xxh32",
     "an output that is too short", short_digests<4>},
    {"hash.fnv1a64 hash.siphash24 hash.xxh64", "an output that is too short", short_digests<8>},
    {"hash.md5", "an output that is too short", short_digests<16>},
    {"hash.sha1", "an output that is too short", short_digests<20>},
    {"hash.blake2s hash.blake3 hash.sha256 hash.sha3_256", "an output that is too short", short_digests<32>},
    {"hash.sha512", "an output that is too short", short_digests<64>},
    {"hash.murmur3_32 hash.siphash24 hash.xxh32 hash.xxh64", "no params", no_params},
    {"hash.*_large hash.merkle_sha256", "no item", no_item},
    {"hash.*_large", "an empty item", first_empty},
    {"hash.*_large", "more than 65,536 bytes", first_above<65'536>},
    {"hash.blake3_large", "whole chunks of 1,024 bytes", whole_chunks},
    {"hash.merkle_sha256", "one leaf", one_item},
    {"hash.merkle_sha256", "a power of two of leaves", a_power_of_two},

    {RAGGED, "a status that is too short", few_statuses},
    SHORT("decode.hex"),
    SHORT("decode.base64"),
    SHORT("decode.base64url"),
    SHORT("decode.percent"),
    SHORT("decode.utf8"),
    SHORT("decode.utf16"),
    SHORT("decode.unicode_escape"),
    SHORT("decode.leb128"),
    SHORT("decode.lz4_block"),
    SHORT("decode.rle"),
    SHORT("decode.delta"),
    SHORT("encode.hex"),
    SHORT("encode.base64"),
    SHORT("encode.base64url"),
    SHORT("encode.percent"),
    SHORT("encode.utf8"),
    SHORT("encode.leb128"),
    SHORT("encode.rle"),
    SHORT("encode.delta"),
    SHORT("string.lower_ascii"),
    SHORT("string.upper_ascii"),
    SHORT("string.trim"),
    FAULT("decode.hex"),
    FAULT("decode.base64"),
    FAULT("decode.base64url"),
    FAULT("decode.percent"),
    FAULT("decode.utf8"),
    FAULT("decode.utf16"),
    FAULT("decode.unicode_escape"),
    FAULT("decode.leb128"),
    FAULT("decode.lz4_block"),
    FAULT("decode.rle"),
    FAULT("decode.delta"),
    FAULT("encode.utf8"),
    FAULT("encode.leb128"),
    FAULT("encode.delta"),
    {"decode.hex", "a small digit and a capital one", some_pair<within<'a', 'f'>, within<'A', 'F'>>},
    {"decode.base64", "two equals signs", some_pair<is<'='>, is<'='>>},
    {"decode.percent", "an escape of small digits", some_pair<is<'%'>, within<'a', 'f'>>},
    {"decode.percent", "a plus", some_byte<is<'+'>>},
    {UTF8, "a character of two bytes", some_pair<within<0xc2, 0xdf>, within<0x80, 0xbf>>},
    {UTF8, "a character of three bytes", some_pair<within<0xe1, 0xec>, within<0x80, 0xbf>>},
    {UTF8, "a character of four bytes", some_pair<within<0xf1, 0xf3>, within<0x80, 0xbf>>},
    {UTF8, "a surrogate", some_pair<is<0xed>, within<0xa0, 0xbf>>},
    {UTF8, "an overlong form", overlong},
    {UTF8, "a code point above 10FFFF", above_all_in_utf8},
    {"encode.utf8", "a surrogate", some_unit<4, is_surrogate>},
    {"encode.utf8", "a code point above 10FFFF", some_unit<4, is_above_all>},
    {"decode.utf16", "a surrogate", some_unit<2, is_surrogate>},
    {"decode.utf16", "an odd number of bytes",
     some_item<[](const Item& item) { return item.size() % 2 != 0; }>},
    {"decode.unicode_escape", "a surrogate", a_surrogate_escape},
    {"decode.unicode_escape", "another escape", some_pair<is<'\\'>, within<0, 't'>>},
    {"decode.unicode_escape", "a backslash at the end", a_backslash_at_the_end},
    {"decode.leb128", "more bytes than are needed", some_pair<within<0x80>, is<0>>},
    {"encode.leb128", "a number of 32 bits", some_unit<4, [](uint32_t word) { return word >> 31 != 0; }>},
    {"encode.rle", "more than 128 bytes", some_item<[](const Item& item) { return item.size() > 128; }>},
    {"decode.rle", "a header that says nothing", some_byte<is<0x80>>},

    {"string.*_ascii", "capital and small letters", some_pair<within<'A', 'Z'>, within<'a', 'z'>>},
    {"string.*_ascii", "a byte that is not of ASCII", some_byte<within<0x80>>},
    {"string.trim", "blanks alone",
     some_item<[](const Item& item) { return !item.empty() && std::ranges::all_of(item, is_blank); }>},
    {"string.trim", "blanks within", some_pair<is<' '>, within<'!', '~'>>},
    NUMBERS("string.parse_u32"),
    NUMBERS("string.parse_i32"),
    NUMBERS("string.parse_f32"),
    {"string.parse_*", "a plus", some_byte<is<'+'>>},
    {"string.parse_*", "a minus", some_byte<is<'-'>>},
    {"string.parse_*", "zeros in front", zeros_in_front},
    {"string.parse_f32", "an exponent", some_byte<is<'e'>>},
    {"string.parse_f32", "a subnormal number", a_float<FP_SUBNORMAL>},
    {"string.parse_f32", "a number that is too large", a_float<FP_INFINITE>},
    {"string.format_u32", "a power of ten", a_power_of_ten},
    {"string.format_u32", "zero", a_zero},
    {PAIRS, "an equal pair", some_two<are_equal>},
    {PAIRS, "an item that the other one begins with", some_two<is_beginning>},
    {PAIRS, "different items of one length", some_two<are_of_one_length>},
    {PAIRS, "lists of different lengths", other_numbers_of_items},
    {TEXTS, "an empty text", no_text},
    {TEXTS, "less text than data", less_than_data},
    {TEXTS, "a length outside of the data", a_length_outside},
    {TEXTS, "no params", text_without_params},
    {"string.find_all string.count", "no needle", no_needle},
    {"string.find_all string.count", "a needle that is longer than the text", a_long_needle},
    {"string.find_all string.count", "a needle that is not there", needle_is_missing},
    {"string.find_all string.count", "places that overlap", needles_overlap},
    {"string.lines", "a line feed at the end", ends_with<'\n'>},
    {"string.lines", "a letter at the end", ends_with<'a'>},
    {"string.lines", "an empty line", text_has<'\n', '\n'>},
    {"string.tokenize", "a lookup of less than 256 words", small_lookup},
    {"string.json_index", "a text with a fault", text_at_fault<"string.json_index", 3>},
    {"string.json_index", "an escaped quote", text_has<'\\', '"'>},
    {"string.json_index", "an escaped backslash", text_has<'\\', '\\'>},
    {"string.csv_index", "a text with a fault", text_at_fault<"string.csv_index", 5>},
    {"string.csv_index", "a quote within quotes", text_has<'"', '"'>},
    {"string.csv_index", "a carriage return and a line feed", text_has<'\r', '\n'>},
    {"string.csv_index", "an empty field", text_has<',', ','>},

    {"match.aho_corasick match.regex", "no table", no_table},
    {"match.dfa match.glob", "a table that is too short", a_cut_table},
    {"match.dfa", "a first state that accepts", accepts_at_once},
    {"match.dfa", "an item without an accepting end", some_result<"match.dfa", 4, is_none>},
    {"match.glob", "an item that no pattern matches", some_result<"match.glob", 3, is_none>},
    {"match.glob", "an item that another than the first pattern matches",
     some_result<"match.glob", 3, is_later>},
    {"match.regex", "an item without a match", some_result<"match.regex", 3, is_none>},
    {"match.regex", "a match at the beginning", some_result<"match.regex", 3, is_first>},
    {"match.regex", "a match within", some_result<"match.regex", 3, is_later>},
    {"match.regex", "an empty match", an_empty_match},
    {"match.aho_corasick", "a literal of more than 64 bytes", a_long_literal},
    {"match.aho_corasick", "several literals at one end", several_at_an_end},
    {"match.aho_corasick", "literals that are not there", nothing_found},
};

}  // namespace

std::span<const CaseClass> classes_of_bytes() { return kClasses; }

}  // namespace vyre::opspec
