// decode and encode: ragged operations, an item at a time.
#include <iconv.h>
#include <lz4.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <stdexcept>

#include "opspec/items.h"
#include "opspec/opspec.h"

namespace vyre::opspec {
namespace recode {
namespace {

using Bytes = std::span<const uint8_t>;
using Fault = std::optional<size_t>;
using Function = Fault (*)(Bytes item, Item& out);

void append(Item& out, std::string_view text) { out.insert(out.end(), text.begin(), text.end()); }
void append_word(Item& out, uint32_t word) {
  for (int shift = 0; shift < 32; shift += 8) out.push_back(uint8_t(word >> shift));
}
uint32_t word_at(Bytes item, size_t i) {
  uint32_t word = 0;
  for (size_t k = 4; k-- > 0;) word = word << 8 | item[i + k];
  return word;
}
/// Where bytes behind the last whole word begin, if there are any.
Fault broken_word(Bytes item) { return item.size() % 4 == 0 ? Fault() : Fault(item.size() / 4 * 4); }

// -- Digits and letters ------------------------------------------------------------------------------------

/// The place of each byte in these letters; -1 where it is none of them.
constexpr std::array<int8_t, 256> places_in(std::string_view letters) {
  std::array<int8_t, 256> out;
  out.fill(-1);
  for (size_t i = 0; i < letters.size(); ++i) out[uint8_t(letters[i])] = int8_t(i);
  return out;
}

int hex_digit(uint8_t c) {
  static constexpr auto kPlaces = places_in("0123456789abcdefABCDEF");
  return kPlaces[c] < 16 ? kPlaces[c] : kPlaces[c] - 6;
}

Fault decode_hex(Bytes item, Item& out) {
  const auto bad = std::ranges::find_if(item, [](uint8_t c) { return hex_digit(c) < 0; });
  if (bad != item.end()) return size_t(bad - item.begin());
  if (item.size() % 2 != 0) return item.size() - 1;
  for (size_t i = 0; i < item.size(); i += 2)
    out.push_back(uint8_t(hex_digit(item[i]) * 16 + hex_digit(item[i + 1])));
  return {};
}
Fault encode_hex(Bytes item, Item& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const uint8_t byte : item) {
    for (const char digit : {kDigits[byte / 16], kDigits[byte % 16]}) out.push_back(uint8_t(digit));
  }
  return {};
}

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kBase64Url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::string_view kUnreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

/// Letters without padding, as a stream of bits.
template <const std::string_view& kLetters>
Fault decode_letters(Bytes letters, Item& out) {
  static constexpr auto kPlaces = places_in(kLetters);
  uint32_t bits = 0;
  uint32_t have = 0;
  for (size_t i = 0; i < letters.size(); ++i) {
    if (kPlaces[letters[i]] < 0) return i;
    bits = bits << 6 | uint32_t(kPlaces[letters[i]]);
    have += 6;
    if (have >= 8) {
      have -= 8;
      out.push_back(uint8_t(bits >> have));
      bits &= (1U << have) - 1;
    }
  }
  if (bits != 0) return letters.size() - 1;
  return {};
}
Fault decode_base64(Bytes item, Item& out) {
  if (item.size() % 4 != 0) {
    const size_t whole = item.size() / 4 * 4;
    const Fault earlier = decode_letters<kBase64>(item.first(whole), out);
    return earlier ? earlier : whole;
  }
  size_t padding = 0;
  while (padding < 2 && padding < item.size() && item[item.size() - 1 - padding] == '=') ++padding;
  return decode_letters<kBase64>(item.first(item.size() - padding), out);
}
Fault decode_base64url(Bytes item, Item& out) {
  const size_t alone = item.size() % 4 == 1 ? 1 : 0;
  const Fault fault = decode_letters<kBase64Url>(item.first(item.size() - alone), out);
  return !fault && alone != 0 ? Fault(item.size() - 1) : fault;
}
/// OpenSSL, EVP_EncodeBlock.
Fault encode_base64(Bytes item, Item& out) {
  out.resize((item.size() + 2) / 3 * 4 + 1);
  EVP_EncodeBlock(out.data(), item.data(), int(item.size()));
  out.pop_back();  // its zero
  return {};
}
Fault encode_base64url(Bytes item, Item& out) {
  encode_base64(item, out);
  while (!out.empty() && out.back() == '=') out.pop_back();
  std::ranges::replace(out, uint8_t('+'), uint8_t('-'));
  std::ranges::replace(out, uint8_t('/'), uint8_t('_'));
  return {};
}

Fault decode_percent(Bytes item, Item& out) {
  for (size_t i = 0; i < item.size(); ++i) {
    if (item[i] != '%') {
      out.push_back(item[i]);
      continue;
    }
    if (item.size() - i < 3 || hex_digit(item[i + 1]) < 0 || hex_digit(item[i + 2]) < 0) return i;
    out.push_back(uint8_t(hex_digit(item[i + 1]) * 16 + hex_digit(item[i + 2])));
    i += 2;
  }
  return {};
}
Fault encode_percent(Bytes item, Item& out) {
  for (const uint8_t c : item) {
    static constexpr auto kPlaces = places_in(kUnreserved);
    if (kPlaces[c] >= 0) {
      out.push_back(c);
    } else {
      constexpr std::string_view kUpper = "0123456789ABCDEF";
      for (const char digit : {'%', kUpper[c / 16], kUpper[c % 16]}) out.push_back(uint8_t(digit));
    }
  }
  return {};
}

// -- Unicode -----------------------------------------------------------------------------------------------

/// iconv of the C library: it stops at the first byte of what is ill-formed. One has a state: one a thread.
class Converter {
 public:
  Converter(const char* to, const char* from) : handle_(iconv_open(to, from)) {
    if (handle_ == iconv_t(-1)) throw std::runtime_error("iconv lacks an encoding form of Unicode");
  }
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;
  ~Converter() { iconv_close(handle_); }

  Fault operator()(Bytes item, Item& out) const {
    Item copy(item.begin(), item.end());
    const size_t start = out.size();
    out.resize(start + item.size() * 4);
    char* from = reinterpret_cast<char*>(copy.data());
    char* to = reinterpret_cast<char*>(out.data() + start);
    size_t left = copy.size();
    size_t room = out.size() - start;
    iconv(handle_, nullptr, nullptr, nullptr, nullptr);
    const bool good = left == 0 || iconv(handle_, &from, &left, &to, &room) != size_t(-1);
    out.resize(out.size() - room);
    return good ? Fault() : Fault(item.size() - left);
  }

 private:
  iconv_t handle_;
};

Fault decode_utf8(Bytes item, Item& out) {
  thread_local const Converter converter("UTF-32LE", "UTF-8");
  return converter(item, out);
}
Fault encode_utf8(Bytes item, Item& out) {
  thread_local const Converter converter("UTF-8", "UTF-32LE");
  return converter(item, out);
}
Fault decode_utf16(Bytes item, Item& out) {
  thread_local const Converter converter("UTF-32LE", "UTF-16LE");
  return converter(item, out);
}

/// The code unit of `\uXXXX` at a place, if there is one.
std::optional<uint32_t> escape_at(Bytes item, size_t i) {
  if (item.size() - std::min(i, item.size()) < 6 || item[i] != '\\' || item[i + 1] != 'u') return {};
  uint32_t unit = 0;
  for (size_t k = 2; k < 6; ++k) {
    const int digit = hex_digit(item[i + k]);
    if (digit < 0) return {};
    unit = unit * 16 + uint32_t(digit);
  }
  return unit;
}
/// A code unit is tried alone, then with the next one: what is UTF-16 is said by iconv.
Fault decode_unicode_escape(Bytes item, Item& out) {
  thread_local const Converter converter("UTF-8", "UTF-16LE");
  for (size_t i = 0; i < item.size();) {
    if (item[i] != '\\' || i + 1 == item.size()) {
      out.push_back(item[i++]);
    } else if (item[i + 1] != 'u') {
      out.insert(out.end(), {item[i], item[i + 1]});
      i += 2;
    } else {
      Item units;
      size_t end = i;
      bool good = false;
      for (int count = 0; count < 2 && !good; ++count, end += 6) {
        const std::optional<uint32_t> unit = escape_at(item, end);
        if (!unit) return i;
        units.insert(units.end(), {uint8_t(*unit), uint8_t(*unit >> 8)});
        Item text;
        good = !converter(units, text);
        if (good) out.insert(out.end(), text.begin(), text.end());
      }
      if (!good) return i;
      i = end;
    }
  }
  return {};
}

// -- Numbers -----------------------------------------------------------------------------------------------

Fault decode_leb128(Bytes item, Item& out) {
  for (size_t begin = 0; begin < item.size();) {
    const auto last = std::ranges::find_if(item.subspan(begin), [](uint8_t byte) { return byte < 128; });
    if (last == item.end()) return begin;
    const size_t end = size_t(last - item.begin()) + 1;
    uint64_t value = 0;
    for (size_t i = end; i-- > begin && end - begin <= 5;) value = value << 7 | (item[i] & 127);
    if (end - begin > 5 || value > UINT32_MAX) return begin;
    append_word(out, uint32_t(value));
    begin = end;
  }
  return {};
}
Fault encode_leb128(Bytes item, Item& out) {
  for (size_t i = 0; i + 4 <= item.size(); i += 4) {
    uint32_t value = word_at(item, i);
    for (; value > 127; value >>= 7) out.push_back(uint8_t(value | 128));
    out.push_back(uint8_t(value));
  }
  return broken_word(item);
}
Fault decode_delta(Bytes item, Item& out) {
  for (size_t i = 0; i + 4 <= item.size(); i += 4) {
    uint32_t sum = 0;
    if (i != 0) sum = word_at(out, i - 4);
    append_word(out, sum + word_at(item, i));
  }
  return broken_word(item);
}
Fault encode_delta(Bytes item, Item& out) {
  for (size_t i = 0; i + 4 <= item.size(); i += 4)
    append_word(out, word_at(item, i) - (i == 0 ? 0 : word_at(item, i - 4)));
  return broken_word(item);
}

// -- Compression -------------------------------------------------------------------------------------------

Fault decode_rle(Bytes item, Item& out) {
  for (size_t i = 0; i < item.size();) {
    const int header = std::bit_cast<int8_t>(item[i]);  // TIFF 6.0 has it signed
    const size_t follow = header >= 0 ? size_t(header) + 1 : header == -128 ? 0 : 1;
    if (item.size() - i - 1 < follow) return i;
    const Bytes bytes = item.subspan(i + 1, follow);
    for (int copies = header >= 0 || header == -128 ? 1 : 1 - header; copies > 0; --copies)
      out.insert(out.end(), bytes.begin(), bytes.end());
    i += 1 + follow;
  }
  return {};
}
Fault encode_rle(Bytes item, Item& out) {
  Item literals;
  const auto close = [&] {
    if (literals.empty()) return;
    out.push_back(uint8_t(literals.size() - 1));
    out.insert(out.end(), literals.begin(), literals.end());
    literals.clear();
  };
  while (!item.empty()) {
    const auto other = std::ranges::find_if(item, [&](uint8_t byte) { return byte != item.front(); });
    const size_t run = std::min<size_t>(size_t(other - item.begin()), 128);
    if (run > 2 || (run == 2 && literals.empty())) {
      close();
      out.insert(out.end(), {uint8_t(257 - run), item.front()});
    } else {
      for (size_t i = 0; i < run; ++i) {
        literals.push_back(item.front());
        if (literals.size() == 128) close();
      }
    }
    item = item.subspan(run);
  }
  close();
  return {};
}

/// Reads the lengths and distances of a block, and no literal: its size, or its first faulty sequence.
Fault measure_lz4(Bytes block, size_t& size) {
  size_t from = 0;
  const auto length_of = [&](uint32_t nibble) -> std::optional<size_t> {
    size_t length = nibble;
    for (bool more = nibble == 15; more;) {
      if (from == block.size()) return {};
      more = block[from] == 255;
      length += block[from++];
    }
    return length;
  };
  while (from < block.size()) {
    const size_t token = from++;
    const std::optional<size_t> literals = length_of(block[token] >> 4);
    if (!literals || *literals > block.size() - from) return token;
    from += *literals;
    size += *literals;
    if (from == block.size()) return token == 0 || *literals >= 5 ? Fault() : Fault(token);
    if (block.size() - from < 2) return token;
    const uint32_t distance = block[from] | uint32_t(block[from + 1]) << 8;
    from += 2;
    const std::optional<size_t> match = length_of(block[token] & 15);
    if (!match || distance == 0 || distance > size || from == block.size()) return token;
    size += *match + 4;
  }
  return 0;  // no byte at all
}
/// liblz4, LZ4_decompress_safe; where a block is at fault it does not say.
Fault decode_lz4_block(Bytes item, Item& out) {
  size_t size = 0;
  if (const Fault fault = measure_lz4(item, size)) return fault;
  constexpr size_t kMargin = 64;  // with less, it wants the last match to begin twelve bytes before the end
  out.resize(size + kMargin);
  const int made =
      LZ4_decompress_safe(reinterpret_cast<const char*>(item.data()), reinterpret_cast<char*>(out.data()),
                          int(item.size()), int(out.size()));
  if (made != int(size)) throw std::runtime_error("liblz4 refuses a block without a fault");
  out.resize(size);
  return {};
}

// -- Items -------------------------------------------------------------------------------------------------

void from(RandomStream& random, std::string_view letters, uint32_t bytes, Item& item) {
  for (uint32_t i = 0; i < bytes; ++i)
    item.push_back(uint8_t(letters[random.below(uint32_t(letters.size()))]));
}
void hex_digits(RandomStream& random, uint32_t bytes, Item& item) {
  from(random, "0123456789abcdefABCDEF", bytes & ~1U, item);
}
/// What `encode` makes of what `make` makes.
template <Function kEncode, MakeItem kMake>
void encoded(RandomStream& random, uint32_t bytes, Item& item) {
  Item plain;
  kMake(random, bytes, plain);
  kEncode(plain, item);
}

void escaped(RandomStream& random, uint32_t bytes, Item& item) {
  while (item.size() < bytes) {
    if (random.chance(3)) {
      item.push_back('%');
      from(random, "0123456789abcdefABCDEF", 2, item);
    } else {
      from(random, "+aZ~ /\xff", 1 + random.below(6), item);
    }
  }
}

uint32_t any_point(RandomStream& random) {
  constexpr uint32_t kEdges[] = {0,      0x7f,   0x80,   0x7ff,   0x800,   0xd7ff,
                                 0xe000, 0xfeff, 0xffff, 0x10000, 0x10ffff};
  switch (random.below(4)) {
    case 0: return kEdges[random.below(uint32_t(std::size(kEdges)))];
    case 1: return 0x10000 + random.below(0x100000);
    case 2: return random.below(0xd800);
    default: return 32 + random.below(95);
  }
}
/// One kind of code points, so that there are items of ASCII and some with few other points.
void points(RandomStream& random, uint32_t bytes, Item& item) {
  const uint32_t kind = random.below(3);
  for (uint32_t i = 0; i + 4 <= bytes; i += 4)
    append_word(item,
                kind == 0 || (kind == 1 && !random.chance(16)) ? 32 + random.below(95) : any_point(random));
}
void utf8(RandomStream& random, uint32_t bytes, Item& item) {
  encoded<encode_utf8, points>(random, bytes * 2, item);
}
void utf16(RandomStream& random, uint32_t bytes, Item& item) {
  thread_local const Converter converter("UTF-16LE", "UTF-32LE");
  Item plain;
  points(random, bytes * 2, plain);
  converter(plain, item);
}
void unicode_escapes(RandomStream& random, uint32_t bytes, Item& item) {
  const auto escape = [&](uint32_t unit) {
    append(item, "\\u");
    for (int shift = 12; shift >= 0; shift -= 4) {
      const std::string_view digits = random.chance(2) ? "0123456789abcdef" : "0123456789ABCDEF";
      item.push_back(uint8_t(digits[unit >> shift & 15]));
    }
  };
  while (item.size() < bytes) {
    const uint32_t point = any_point(random);
    switch (random.below(6)) {
      case 0: append(item, random.chance(2) ? "\\\\" : "\\n"); break;
      case 1:
        escape(point < 0x10000 ? point : 0xd7c0 + (point >> 10));
        if (point >= 0x10000) escape(0xdc00 + (point & 0x3ff));
        break;
      case 2:  // surrogates that are seldom a pair
        if (random.chance(8)) escape(0xd800 + random.below(0x800));
        break;
      default: from(random, "au0\xc3", 1 + random.below(8), item);
    }
  }
}

void words(RandomStream& random, uint32_t bytes, Item& item) {
  for (uint32_t i = 0; i + 4 <= bytes; i += 4) {
    // Of any length, and with what is next to a power of two.
    const uint32_t power = 1U << random.below(32);
    append_word(item, random.chance(2) ? power - random.below(2) : random.next() & (power - 1));
  }
}
/// Long runs of few values, or single bytes and pairs that make no longer ones.
void runs(RandomStream& random, uint32_t bytes, Item& item) {
  constexpr uint32_t kRuns[] = {1, 1, 1, 1, 1, 1, 2, 2, 3, 4, 127, 128, 129, 130, 256, 257};
  const uint32_t pairs = random.below(3);
  const uint32_t kinds = pairs != 0 ? 6 + pairs : bytes < 32 ? 10 : uint32_t(std::size(kRuns));
  while (item.size() < bytes) {
    const uint32_t value = item.empty() || pairs == 0 ? random.below(3) : item.back() + 1U + random.below(3);
    item.insert(item.end(), kRuns[random.below(kinds)], uint8_t(value));
  }
}
/// What comes again: words of a few, copies from any distance, and now and then a long run.
void repeats(RandomStream& random, uint32_t bytes, Item& item) {
  while (item.size() < bytes) {
    const uint32_t length = 1 + random.below(random.chance(16) ? 600 : 12);
    if (item.empty() || random.chance(3)) {
      for (uint32_t i = 0; i < length; ++i) item.push_back(uint8_t(random.next()));
    } else {
      const size_t distance =
          1 + random.below(uint32_t(std::min<size_t>(item.size(), 1U << random.below(12))));
      for (uint32_t i = 0; i < length; ++i) item.push_back(item[item.size() - distance]);
    }
  }
}
/// Sequences that no compressor would choose: short distances and literals, lengths around 15 and 270.
void lz4_sequences(RandomStream& random, uint32_t bytes, Item& item) {
  const auto length = [&] {
    constexpr uint32_t kLengths[] = {14, 15, 16, 269, 270, 271, 524, 525};
    return random.chance(6) ? kLengths[random.below(8)] : random.below(9);
  };
  const auto put_length = [&](uint32_t value) {
    if (value < 15) return;
    item.insert(item.end(), (value - 15) / 255, 255);
    item.push_back(uint8_t((value - 15) % 255));
  };
  size_t size = 0;
  const auto put = [&](uint32_t literals, uint32_t match) {
    item.push_back(uint8_t(std::min(literals, 15U) << 4 | std::min(match, 15U)));
    put_length(literals);
    any_bytes(random, literals, item);
    size += literals;
  };
  while (item.size() < bytes) {
    const uint32_t match = length();
    put(length() + (size == 0 ? 1 : 0), match);
    const uint32_t distance =
        1 + random.below(uint32_t(std::min<size_t>(size, random.chance(2) ? 9 : 65'535)));
    item.insert(item.end(), {uint8_t(distance), uint8_t(distance >> 8)});
    put_length(match);
    size += match + 4;
  }
  put(5 + random.below(20), 0);
}
void lz4_block(RandomStream& random, uint32_t bytes, Item& item) {
  if (random.chance(2)) return lz4_sequences(random, bytes, item);
  Item plain;
  repeats(random, bytes * 2, plain);
  item.resize(size_t(LZ4_compressBound(int(plain.size()))));
  const int made =
      LZ4_compress_fast(reinterpret_cast<const char*>(plain.data()), reinterpret_cast<char*>(item.data()),
                        int(plain.size()), int(item.size()), 1 + int(random.below(9)));
  item.resize(size_t(made));
}

/// Something valid, a byte of which is changed, left out or put in, or that is cut off: mostly at its end.
void damage(RandomStream& random, Item& item) {
  if (item.empty()) return;
  const uint32_t last = uint32_t(item.size()) - 1;
  const uint32_t at = random.chance(3) ? last : random.below(last + 1);
  const auto place = item.begin() + at;
  switch (random.below(5)) {
    case 0: *place ^= uint8_t(1U << random.below(8)); break;
    case 1: *place = uint8_t(random.next()); break;
    case 2: item.erase(place); break;
    case 3:
      item.insert(place, random.chance(2) ? item[random.below(last + 1)] : uint8_t(random.next()));
      break;
    default: item.resize(at);
  }
}

// -- Cases -------------------------------------------------------------------------------------------------

template <MakeItem kMake>
void put_damaged_items(RandomStream& random, uint32_t size, Buffers& buffers) {
  std::vector<Item> items = make_items(random, size, kMake);
  const uint32_t one_in = 2 + random.below(30);
  for (Item& item : items) {
    if (random.chance(one_in)) damage(random, item);
  }
  put_items(random, buffers, items);
}

template <MakeItem kMake, Function kRecode>
Buffers generate(RandomStream& random, uint32_t size) {
  Buffers buffers;
  put_damaged_items<kMake>(random, size, buffers);
  const std::vector<Item> items = items_of(buffers[0], buffers[1]);
  size_t needed = 0;
  Item out;
  for (const Item& item : items) {
    out.clear();
    if (!kRecode(item, out)) needed += out.size();
  }
  put_ragged(random, buffers, items.size(), needed);
  return buffers;
}
template <Function kRecode>
void reference(Buffers& buffers) {
  leave_ragged(buffers, 2, items_of(buffers[0], buffers[1]), kRecode);
}
template <MakeItem kMake, Function kRecode>
constexpr OperationSpec ragged(std::string_view id) {
  return {id, generate<kMake, kRecode>, reference<kRecode>};
}

Buffers generate_valid(RandomStream& random, uint32_t size) {
  Buffers buffers;
  put_damaged_items<utf8>(random, size, buffers);
  const size_t items = items_of(buffers[0], buffers[1]).size();
  buffers.push_back(noise(random, 4 * (random.chance(4) ? random.below(uint32_t(items) + 9) : items)));
  return buffers;
}
void reference_valid(Buffers& buffers) {
  const std::vector<Item> items = items_of(buffers[0], buffers[1]);
  Item out;
  for (size_t i = 0; i < items.size(); ++i) {
    out.clear();
    const Fault fault = decode_utf8(items[i], out);
    put<uint32_t>(buffers[2], i, fault ? uint32_t(*fault) + 1 : 0);
  }
}

}  // namespace
}  // namespace recode

std::span<const OperationSpec> recode_operations() {
  using namespace recode;
  static constexpr OperationSpec kOperations[] = {
      ragged<hex_digits, decode_hex>("decode.hex"),
      ragged<any_bytes, encode_hex>("encode.hex"),
      ragged<encoded<encode_base64, any_bytes>, decode_base64>("decode.base64"),
      ragged<any_bytes, encode_base64>("encode.base64"),
      ragged<encoded<encode_base64url, any_bytes>, decode_base64url>("decode.base64url"),
      ragged<any_bytes, encode_base64url>("encode.base64url"),
      ragged<escaped, decode_percent>("decode.percent"),
      ragged<any_bytes, encode_percent>("encode.percent"),
      ragged<utf8, decode_utf8>("decode.utf8"),
      ragged<points, encode_utf8>("encode.utf8"),
      {"decode.utf8_valid", generate_valid, reference_valid},
      ragged<utf16, decode_utf16>("decode.utf16"),
      ragged<unicode_escapes, decode_unicode_escape>("decode.unicode_escape"),
      ragged<encoded<encode_leb128, words>, decode_leb128>("decode.leb128"),
      ragged<words, encode_leb128>("encode.leb128"),
      ragged<lz4_block, decode_lz4_block>("decode.lz4_block"),
      ragged<encoded<encode_rle, runs>, decode_rle>("decode.rle"),
      ragged<runs, encode_rle>("encode.rle"),
      ragged<words, decode_delta>("decode.delta"),
      ragged<words, encode_delta>("encode.delta"),
  };
  return kOperations;
}

}  // namespace vyre::opspec
