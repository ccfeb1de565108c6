#include "generate/values.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "generate/mixed_word.h"
#include "spec/float_format.h"

namespace vyre::generate {
namespace {

// The adversary's words, each with a reason to be there.
constexpr uint32_t kAdversarial[] = {
    0,          1,          2,                       // zero divisors, identities
    31,         32,         33,         63,          // shift amounts at and past the width
    64,         0xffffffe0, 0xffffff1f,              // shift amounts whose low bits say something else
    0x7f,       0x80,       0xff,       0x100,       // where i8 and u8 end
    0x7fff,     0x8000,     0xffff,     0x10000,     // where 16 bits end, and products of halves
    0x00ffffff, 0x01000000, 0x01000001,              // where a detour through f32 loses bits
    0x3e0,      0x3ff,      0x3e1,      0x21,        // packed bit fields: count 31, offset 31, past the end
    0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001,  // where i32 ends; MIN / -1
    0xfffffffe, 0xffffffff,                          // -2, -1
    0x00ff00ff, 0xff00ff00, 0x55555555, 0xaaaaaaaa,  // carries across bytes, bit pairs
    0x7f7f7f7f, 0x80808080, 0x0000ffff, 0xffff0000, 0x40000000,
};

struct Edge {
  std::array<uint32_t, 1024> words{};
  size_t count = 0;
  constexpr void add(uint32_t word) {
    for (size_t i = 0; i < count; ++i) {
      if (words[i] == word) return;
    }
    if (count < words.size()) words[count++] = word;
  }
};

// In order of importance; the first 256 distinct words are the domain.
consteval std::array<uint32_t, 256> make_edge256() {
  Edge edge;
  for (uint32_t word : kAdversarial) edge.add(word);
  for (uint32_t k = 0; k < 32; ++k) {
    const uint32_t power = 1u << k;
    for (uint32_t word : {power, power - 1, power + 1, ~power, 0u - power}) edge.add(word);
  }
  for (uint32_t word : {0x33333333u, 0xccccccccu, 0x0f0f0f0fu, 0xf0f0f0f0u, 0x01010101u, 0xfefefefeu,
                        0x0000ff00u, 0x00ff0000u, 0x01234567u, 0x89abcdefu, 0x76543210u, 0xfedcba98u}) {
    edge.add(word);
  }
  // Multiplicative and hash constants, primes near the ends, square roots of 2^31 and 2^32, 3 and 5 inverted.
  for (uint32_t word :
       {0x9e3779b9u, 0x85ebca6bu, 0xc2b2ae35u, 0x01000193u, 0x811c9dc5u, 0xedb88320u, 0x04c11db7u, 65521u,
        0xfffffffbu, 0x7fffffedu, 46340u, 46341u, 0xaaaaaaabu, 0xcccccccdu, 0xdeadbeefu}) {
    edge.add(word);
  }
  for (uint32_t power = 10, k = 1; k < 10; ++k, power *= 10) edge.add(power);
  for (uint32_t word : {120u, 720u, 5040u, 40320u, 362880u, 3628800u, 39916800u, 479001600u}) edge.add(word);
  // Packed bit fields: offset in bits 0-4, count in bits 5-9, payload above.
  for (uint32_t offset : {0u, 1u, 8u, 16u, 31u}) {
    for (uint32_t count : {1u, 8u, 16u, 31u}) edge.add(0xa5a5'a400u | count << 5 | offset);
  }
  for (uint32_t word = 0; word < 64; ++word) edge.add(word);
  for (uint32_t word = 1; word < 64; ++word) edge.add(0u - word);
  std::array<uint32_t, 256> out{};
  std::copy_n(edge.words.begin(), 256, out.begin());
  std::sort(out.begin(), out.end());
  return out;
}

constexpr std::array<uint32_t, 256> kEdge256 = make_edge256();
static_assert(std::adjacent_find(kEdge256.begin(), kEdge256.end()) == kEdge256.end(),
              "edge256 has a word twice");

}  // namespace

std::span<const uint32_t, 256> edge256() { return kEdge256; }
std::span<const uint32_t> adversarial_words() { return kAdversarial; }

uint32_t mixed_word(uint32_t choice, uint32_t random) {
  return mixed_word_inline(choice, random, kEdge256.data());
}

namespace {

using spec::DataType;
using Words = std::array<uint32_t, 4>;

// Zeros, the ends of the subnormals and of the numbers, one, infinities, quiet and signalling NaNs with
// payloads.
constexpr uint32_t kHalfs[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400, 0x3c00, 0xbc00,
                               0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0xfdff, 0x7e00, 0xffff};
constexpr uint32_t kBrains[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x0080, 0x3f80, 0xbf80,
                                0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7f81, 0xffbf, 0x7fc0, 0xffff};
constexpr uint32_t kSingles[] = {0x00000000, 0x80000000, 0x00000001, 0x807fffff, 0x007fffff, 0x00800000,
                                 0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
                                 0x7f800001, 0xffbfffff, 0x7fc00000, 0xffffffff};

/// (-1)^sign * 2^exponent * 1.fraction; the exponent is kept among those of numbers, subnormal ones included.
uint32_t number(spec::FloatFormat f, bool negative, int32_t exponent, uint32_t fraction) {
  const int32_t field = std::clamp(exponent + f.bias(), 0, 2 * f.bias());
  return (negative ? f.sign_bit() : 0) | uint32_t(field) << f.fraction_bits | (fraction & f.fraction_mask());
}

uint32_t mixed_float(DataType type, std::span<const uint32_t, 16> special, uint32_t choice, uint32_t random) {
  const spec::FloatFormat f = spec::float_format(type);
  const bool negative = random >> 31 != 0;
  const auto few = int32_t(random >> 27 & 15);  // of which the fraction uses none, even in f32
  switch (choice % 16) {
    case 0:
    case 1: return special[random >> 28];
    case 2: return random & f.mask();
    case 3: {  // at either end of the exponents
      const int32_t end = few % 2 != 0 ? f.max_exponent() - few / 4 : f.min_exponent() - 1 + few / 4;
      return number(f, negative, end, random);
    }
    case 4: return number(f, negative, few / 8, random & 15);  // one or two, and neighbours
    case 5:
    case 6:  // integers with and without halves, up to beyond those of 32 bits, with a fraction that ends
      return number(f, negative, f.exponent_bits == 8 ? few * 3 - 12 : few - 8, random << (choice >> 27));
    default: return number(f, negative, few / 2 - 2, random);
  }
}

/// Of 2 or 4 words, by where carries, shifts and comparisons cross from one to the next.
Words mixed_wide(uint32_t words, uint32_t choice, const Words& random) {
  Words out{};
  switch (choice >> 4 & 7) {
    case 0: out[0] = mixed_word(choice, random[0]); break;  // what a u32 holds
    case 1: out.fill(~0u); break;
    case 2: {  // one bit
      const uint32_t bit = random[0] % (32 * words);
      out[bit / 32] = 1u << (bit & 31);
      break;
    }
    case 3:  // MIN and MAX as if it were signed
      if (random[0] % 2 != 0) out.fill(~0u);
      out[words - 1] ^= 0x80000000;
      break;
    case 4:  // small and negative
      out.fill(~0u);
      out[0] -= random[0] >> 26;
      break;
    case 5:  // full and empty words
      for (uint32_t i = 0; i < words; ++i) out[i] = (random[0] >> i & 1) != 0 ? ~0u : 0;
      break;
    default:
      for (uint32_t i = 0; i < words; ++i) out[i] = mixed_word(choice >> (8 + 4 * i), random[i]);
      break;
  }
  for (uint32_t i = words; i < 4; ++i) out[i] = 0;
  return out;
}

}  // namespace

Words mixed_value(DataType type, uint32_t choice, Words random) {
  switch (type) {
    case DataType::Bool: return {random[0] >> 31, 0, 0, 0};
    case DataType::U32:
    case DataType::I32: return {mixed_word(choice, random[0]), 0, 0, 0};
    case DataType::U64: return mixed_wide(2, choice, random);
    case DataType::U128: return mixed_wide(4, choice, random);
    case DataType::Vec2U32: return {mixed_word(choice, random[0]), mixed_word(choice >> 4, random[1]), 0, 0};
    case DataType::Vec4U32:
      return {mixed_word(choice, random[0]), mixed_word(choice >> 4, random[1]),
              mixed_word(choice >> 8, random[2]), mixed_word(choice >> 12, random[3])};
    case DataType::F16: return {mixed_float(type, kHalfs, choice, random[0]), 0, 0, 0};
    case DataType::BF16: return {mixed_float(type, kBrains, choice, random[0]), 0, 0, 0};
    case DataType::F32: return {mixed_float(type, kSingles, choice, random[0]), 0, 0, 0};
    case DataType::Bytes: return {mixed_word(choice, random[0]), 0, 0, 0};
    case DataType::I8:
    case DataType::U8:
    case DataType::FP8E4M3:
    case DataType::FP8E5M2:
    case DataType::FP4E2M1:
      return {mixed_word(choice, random[0]) & ((1u << spec::packed_bits(type)) - 1), 0, 0, 0};
    case DataType::Tensor: return {};
  }
  return {};
}

Words short_float(DataType type, uint32_t random) {
  const spec::FloatFormat f = spec::float_format(type);
  if (random % 8 == 0) return {};
  return {number(f, random >> 31 != 0, int32_t(random >> 28 & 7) - 3, random << (f.fraction_bits - 2)), 0, 0,
          0};
}

}  // namespace vyre::generate
