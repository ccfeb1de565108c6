// The contents of buffers, from a few words in a kernel's file; nothing but the standard library in it, so
// that a rival compiled elsewhere makes the same.
//
//   zeros:COUNT                 iota:COUNT[:STEP]             0, STEP, 2 * STEP, ...
//   random:COUNT:SEED[:BELOW]   all bits, or integers below BELOW, each word of an element by itself
//   uniform:COUNT:SEED[:LO:HI]  floats from [0, 1) or [LO, HI); in words the patterns of f32
//   lz4:BLOCKS:BYTES:SEED       blocks of LZ4 that decode to BYTES each, one every BYTES bytes
//   utf8:BYTES:SEED             a text, most of it ASCII, some of it sequences of two, three and four bytes
//   json:BYTES:SEED             an array of records with numbers, strings, escapes and arrays
//   1,2.5,3                     these
//
// Word i of a seed is a function of both (SplitMix64), so no order of filling matters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace vyre::bench {

/// What one element is made of.
enum class Element { Word, Word64, Word128, F32, F16, BF16, Bool };

inline uint32_t random_word(uint64_t seed, uint64_t i) {
  uint64_t z = (seed * 0xd1342543de82ef95u) + (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return uint32_t((z ^ (z >> 31)) >> 32);
}

class Input {
 public:
  explicit Input(Element element) : element_(element) {}
  std::vector<unsigned char> bytes;

  void append_integer(uint64_t value) {
    static constexpr size_t kBytes[] = {4, 8, 16, 4, 2, 2, 4};
    uint64_t words[2] = {value, 0};
    append(words, kBytes[size_t(element_)]);
  }
  /// Floats of 16 bits by rounding toward zero: any value will do, as long as it is the same everywhere. Of
  /// words a pattern of f32.
  void append_float(double value) {
    const auto single = float(value);
    uint32_t bits;
    std::memcpy(&bits, &single, 4);
    if (element_ != Element::F16 && element_ != Element::BF16) return append(&bits, 4);
    uint16_t half = uint16_t(bits >> 16);
    if (element_ == Element::F16) {
      const int exponent = int(bits >> 23 & 255) - 127;
      half = uint16_t((bits >> 16 & 0x8000) |
                      (exponent < -14 ? 0 : uint32_t(exponent + 15) << 10 | (bits >> 13 & 0x3ff)));
    }
    append(&half, 2);
  }
  void append(const void* from, size_t count) {
    const auto* p = static_cast<const unsigned char*>(from);
    bytes.insert(bytes.end(), p, p + count);
  }
  bool is_float() const {
    return element_ == Element::F32 || element_ == Element::F16 || element_ == Element::BF16;
  }
  size_t words_of_element() const {
    return element_ == Element::Word64 ? 2 : element_ == Element::Word128 ? 4 : 1;
  }

 private:
  Element element_;
};

/// Blocks as LZ4's compressor would leave them: runs of literals from four letters, and matches near by.
inline void append_lz4(Input& out, uint64_t blocks, uint64_t size, uint64_t seed) {
  uint64_t at = 0;
  const auto draw = [&](uint32_t below) { return random_word(seed, at++) % below; };
  for (uint64_t block = 0; block < blocks; ++block) {
    const size_t begin = out.bytes.size();
    uint64_t made = 0;
    const auto literals = [&](uint32_t count, uint32_t match_code) {
      out.bytes.push_back(static_cast<unsigned char>((count < 15 ? count : 15) << 4 | match_code));
      if (count >= 15) out.bytes.push_back(static_cast<unsigned char>(count - 15));
      for (uint32_t i = 0; i < count; ++i) out.bytes.push_back(static_cast<unsigned char>('a' + draw(4)));
      made += count;
    };
    while (made + 64 < size) {
      const uint32_t count = 4 + draw(14), match = 4 + draw(16);  // a match has at least four bytes
      const uint32_t code = match - 4;
      literals(count, code < 15 ? code : 15);
      const uint32_t offset = 1 + draw(uint32_t(made < 255 ? made : 255));
      out.bytes.push_back(static_cast<unsigned char>(offset));
      out.bytes.push_back(0);
      if (code >= 15) out.bytes.push_back(static_cast<unsigned char>(code - 15));
      made += match;
    }
    literals(uint32_t(size - made), 0);
    out.bytes.resize(begin + size, 0);
  }
}

/// One in seven characters is not ASCII; the last bytes are spaces.
inline void append_utf8(Input& out, uint64_t size, uint64_t seed) {
  const size_t end = out.bytes.size() + size;
  out.bytes.reserve(end);
  const auto put = [&](uint32_t byte) { out.bytes.push_back(static_cast<unsigned char>(byte)); };
  for (uint64_t at = 0; out.bytes.size() + 4 <= end; ++at) {
    const uint32_t x = random_word(seed, at), kind = x % 64, letter = x >> 8;
    if (kind >= 9) {
      put(kind < 16 ? ' ' : 'a' + letter % 26);
    } else if (kind >= 3) {
      put(0xc3), put(0x80 + letter % 64);
    } else if (kind >= 1) {
      put(0xe4 + letter % 5), put(0x80 + letter / 8 % 64), put(0x80 + letter / 512 % 64);
    } else {
      put(0xf0), put(0x9f), put(0x80 + letter % 64), put(0x80 + letter / 64 % 64);
    }
  }
  out.bytes.resize(end, ' ');
}

/// The last bytes are spaces.
inline void append_json(Input& out, uint64_t size, uint64_t seed) {
  const size_t end = out.bytes.size() + size;
  out.bytes.reserve(end);
  uint64_t at = 0;
  const auto draw = [&](uint32_t below) { return random_word(seed, at++) % below; };
  const auto put = [&](const std::string& text) { out.append(text.data(), text.size()); };
  const auto words = [&](uint32_t count) {
    std::string text;
    for (uint32_t i = 0; i < count; ++i) {
      if (i > 0) text += ' ';
      for (uint32_t k = 3 + draw(8); k > 0; --k) text += char('a' + draw(26));
      const uint32_t escape = draw(32);
      if (escape < 3) text += escape == 0 ? "\\\"" : escape == 1 ? "\\\\" : "\\n";
    }
    return text;
  };
  constexpr size_t kLongest = 512;  // of a record
  if (size > 2) put("[\n");
  for (bool first = true; out.bytes.size() + kLongest < end; first = false) {
    if (!first) put(",\n");
    put("{\"id\": " + std::to_string(draw(1000000)) + ", \"name\": \"" + words(2 + draw(6)) +
        "\", \"tags\": [\"" + words(1) + "\", \"" + words(1) +
        "\"], \"open\": " + (draw(2) == 0 ? "true" : "false") +
        ", \"price\": " + std::to_string(draw(10000)) + "." + std::to_string(10 + draw(90)) + "}");
  }
  if (size > 2) put("\n]");
  out.bytes.resize(end, ' ');
}

/// False for what is none of the forms above.
inline bool append_input(Input& out, const std::string& spec) {
  std::vector<std::string> part(1);
  for (const char c : spec) {
    if (c == ':')
      part.emplace_back();
    else
      part.back() += c;
  }
  const auto number = [&](size_t i, uint64_t otherwise) {
    return i < part.size() ? std::stoull(part[i]) : otherwise;
  };
  const uint64_t count = number(1, 0), seed = number(2, 1);
  if (part[0] == "lz4") return append_lz4(out, count, number(2, 0), number(3, 1)), true;
  if (part[0] == "utf8") return append_utf8(out, count, seed), true;
  if (part[0] == "json") return append_json(out, count, seed), true;
  if (part[0] == "zeros" || part[0] == "iota") {
    const uint64_t step = part[0] == "zeros" ? 0 : number(2, 1);
    for (uint64_t i = 0; i < count; ++i) {
      if (out.is_float())
        out.append_float(double(i * step));
      else
        out.append_integer(i * step);
    }
  } else if (part[0] == "random") {
    const uint64_t below = number(3, uint64_t{1} << 32);
    for (uint64_t i = 0; i < count * out.words_of_element(); ++i) {
      const auto word = uint32_t(random_word(seed, i) % below);
      if (out.words_of_element() > 1)
        out.append(&word, 4);
      else
        out.append_integer(word);
    }
  } else if (part[0] == "uniform") {
    const double low = part.size() > 3 ? std::stod(part[3]) : 0,
                 high = part.size() > 4 ? std::stod(part[4]) : 1;
    for (uint64_t i = 0; i < count * out.words_of_element(); ++i) {
      out.append_float(low + (high - low) * (random_word(seed, i) >> 8) * 0x1p-24);
    }
  } else {
    for (size_t at = 0; at < spec.size();) {
      const size_t end = spec.find(',', at) == std::string::npos ? spec.size() : spec.find(',', at);
      const std::string word = spec.substr(at, end - at);
      if (word.empty() || word.find_first_not_of("0123456789abcdefx.-") != std::string::npos) return false;
      if (out.is_float())
        out.append_float(std::stod(word));
      else
        out.append_integer(std::stoull(word, nullptr, 0));
      at = end + 1;
    }
  }
  return true;
}

}  // namespace vyre::bench
