// What operators on integers give, said by code that shares nothing with src/: one row an operator in each of
// three tables, which do not compile while one lacks.
//
//  - kWordExpectations: one value of u32, i32 or bool, in wider arithmetic or bit by bit;
//  - kWideExpectations: one unsigned value of any width, by the compiler's 128 bits and loops over bits;
//  - kSums: a checksum over consecutive inputs, in loops fast enough for all 2^32 of them.
//
// They stand together because an operator needs all of them; each says what it gives in another way than the
// others, so that no two have the same mistake.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>

#include "spec/ops.h"
#include "spec/table.h"

namespace vyre::test {

using spec::DataType;
using spec::Op;

// One value of a word.

inline uint32_t expected_lead(uint32_t a) {
  uint32_t n = 0;
  while (n < 32 && (a & (0x80000000u >> n)) == 0) ++n;
  return n;
}
inline uint32_t expected_trail(uint32_t a) {
  uint32_t n = 0;
  while (n < 32 && (a & (1u << n)) == 0) ++n;
  return n;
}
inline uint32_t expected_ones(uint32_t a) {
  uint32_t n = 0;
  for (; a != 0; a &= a - 1) ++n;
  return n;
}
inline uint32_t expected_reverse(uint32_t a) {
  uint32_t out = 0;
  for (uint32_t n = 0; n < 32; ++n, a /= 2) out = out * 2 + a % 2;
  return out;
}
inline uint64_t power_of_two(uint32_t n) { return n == 0 ? 1 : 2 * power_of_two(n - 1); }

using WordExpectation = uint32_t (*)(uint32_t a, uint32_t b, uint32_t c);
struct WordExpectations {
  WordExpectation u32, i32, boolean;
};
inline int64_t signed_value(uint32_t word) {
  return word < 0x80000000u ? int64_t(word) : int64_t(word) - 0x100000000;
}

// A signed quotient by magnitudes, so that no signed division is trusted.
inline uint32_t signed_quotient(uint32_t a, uint32_t b) {
  if (b == 0) return 0;
  const uint64_t magnitude = uint64_t(std::abs(signed_value(a))) / uint64_t(std::abs(signed_value(b)));
  return uint32_t((signed_value(a) < 0) != (signed_value(b) < 0) ? 0 - magnitude : magnitude);
}
inline uint32_t floor_shift(uint32_t a, uint32_t by) {
  const auto d = int64_t(power_of_two(by % 32));
  return uint32_t(uint64_t(signed_value(a) >= 0 ? signed_value(a) / d : -((-signed_value(a) + d - 1) / d)));
}

constexpr WordExpectations both(WordExpectation f) { return {f, f, nullptr}; }
constexpr WordExpectations each(WordExpectation f) { return {f, f, f}; }
inline constexpr spec::Row<Op, WordExpectations> kWordRows[] = {
    {Op::Add,
     both([](uint32_t a, uint32_t b, uint32_t) { return uint32_t((uint64_t(a) + b) % 0x100000000); })},
    {Op::Sub,
     both([](uint32_t a, uint32_t b, uint32_t) { return uint32_t((0x100000000 + a - b) % 0x100000000); })},
    {Op::Mul, both([](uint32_t a, uint32_t b, uint32_t) { return uint32_t(uint64_t(a) * b % 0x100000000); })},
    {Op::Div,
     {[](uint32_t a, uint32_t b, uint32_t) { return b == 0 ? 0 : a / b; },
      [](uint32_t a, uint32_t b, uint32_t) { return signed_quotient(a, b); }, nullptr}},
    {Op::Mod,
     {[](uint32_t a, uint32_t b, uint32_t) { return b == 0 ? 0 : a - a / b * b; },
      [](uint32_t a, uint32_t b, uint32_t) { return b == 0 ? 0 : a - signed_quotient(a, b) * b; }, nullptr}},
    {Op::BitAnd, both([](uint32_t a, uint32_t b, uint32_t) { return ~(~a | ~b); })},
    {Op::BitOr, both([](uint32_t a, uint32_t b, uint32_t) { return ~(~a & ~b); })},
    {Op::BitXor, both([](uint32_t a, uint32_t b, uint32_t) { return (a | b) - (a & b); })},
    {Op::Shl, both([](uint32_t a, uint32_t b, uint32_t) { return uint32_t(a * power_of_two(b % 32)); })},
    {Op::Shr,
     {[](uint32_t a, uint32_t b, uint32_t) { return uint32_t(a / power_of_two(b % 32)); },
      [](uint32_t a, uint32_t b, uint32_t) { return floor_shift(a, b); }, nullptr}},
    {Op::Eq, each([](uint32_t a, uint32_t b, uint32_t) { return (a ^ b) != 0 ? 0u : 1u; })},
    {Op::Ne, each([](uint32_t a, uint32_t b, uint32_t) { return (a ^ b) != 0 ? 1u : 0u; })},
    {Op::Lt,
     {[](uint32_t a, uint32_t b, uint32_t) { return a < b ? 1u : 0u; },
      [](uint32_t a, uint32_t b, uint32_t) { return signed_value(a) - signed_value(b) < 0 ? 1u : 0u; },
      nullptr}},
    {Op::Gt,
     {[](uint32_t a, uint32_t b, uint32_t) { return a > b ? 1u : 0u; },
      [](uint32_t a, uint32_t b, uint32_t) { return signed_value(a) - signed_value(b) > 0 ? 1u : 0u; },
      nullptr}},
    {Op::Le,
     {[](uint32_t a, uint32_t b, uint32_t) { return a <= b ? 1u : 0u; },
      [](uint32_t a, uint32_t b, uint32_t) { return signed_value(a) - signed_value(b) <= 0 ? 1u : 0u; },
      nullptr}},
    {Op::Ge,
     {[](uint32_t a, uint32_t b, uint32_t) { return a >= b ? 1u : 0u; },
      [](uint32_t a, uint32_t b, uint32_t) { return signed_value(a) - signed_value(b) >= 0 ? 1u : 0u; },
      nullptr}},
    {Op::And, each([](uint32_t a, uint32_t b, uint32_t) { return a == 0   ? 0u
                                                                 : b == 0 ? 0u
                                                                          : 1u; })},
    {Op::Or, each([](uint32_t a, uint32_t b, uint32_t) { return a != 0   ? 1u
                                                                : b != 0 ? 1u
                                                                         : 0u; })},
    {Op::Negate,
     both([](uint32_t a, uint32_t, uint32_t) { return uint32_t((0x100000000 - a) % 0x100000000); })},
    {Op::BitNot, both([](uint32_t a, uint32_t, uint32_t) { return 0xffffffffu - a; })},
    {Op::LogicalNot, each([](uint32_t a, uint32_t, uint32_t) { return a != 0 ? 0u : 1u; })},
    {Op::Popcount, both([](uint32_t a, uint32_t, uint32_t) { return expected_ones(a); })},
    {Op::Clz, both([](uint32_t a, uint32_t, uint32_t) { return expected_lead(a); })},
    {Op::Ctz, both([](uint32_t a, uint32_t, uint32_t) { return expected_trail(a); })},
    {Op::ReverseBits, both([](uint32_t a, uint32_t, uint32_t) { return expected_reverse(a); })},
    {Op::Select, each([](uint32_t a, uint32_t b, uint32_t c) { return a == 0 ? c : b; })},
};
/// Those on floats are in float_operators.h.
constexpr bool is_on_words(Op op) {
  return op == Op::Select || (spec::is_scalar(op) && spec::info(op).types != spec::kFloats);
}
inline constexpr spec::TotalTable<kWordRows, is_on_words> kWordExpectations;

/// Whether i32 gives other bits than u32.
constexpr bool has_sign(Op op) { return kWordExpectations[op].u32 != kWordExpectations[op].i32; }

// One unsigned value of many bits.

__extension__ using Big = unsigned __int128;

inline unsigned lead(Big a, unsigned bits) {
  unsigned n = 0;
  while (n < bits && (a >> (bits - 1 - n) & 1) == 0) ++n;
  return n;
}
inline unsigned trail(Big a, unsigned bits) {
  unsigned n = 0;
  while (n < bits && (a >> n & 1) == 0) ++n;
  return n;
}
inline Big reversed(Big a, unsigned bits) {
  Big out = 0;
  for (unsigned n = 0; n < bits; ++n, a /= 2) out = out * 2 + a % 2;
  return out;
}
inline Big ones(Big a) {
  Big n = 0;
  for (; a != 0; a &= a - 1) ++n;
  return n;
}

/// An unsigned integer of so many bits; the result is cut to them.
using WideExpectation = Big (*)(Big a, Big b, unsigned bits);
inline constexpr spec::Row<Op, WideExpectation> kWideRows[] = {
    {Op::Add, [](Big a, Big b, unsigned) { return a + b; }},
    {Op::Sub, [](Big a, Big b, unsigned) { return a - b; }},
    {Op::Mul, [](Big a, Big b, unsigned) { return a * b; }},
    {Op::Div, [](Big a, Big b, unsigned) { return b == 0 ? 0 : a / b; }},
    {Op::Mod, [](Big a, Big b, unsigned) { return b == 0 ? 0 : a % b; }},
    {Op::BitAnd, [](Big a, Big b, unsigned) { return a & b; }},
    {Op::BitOr, [](Big a, Big b, unsigned) { return a | b; }},
    {Op::BitXor, [](Big a, Big b, unsigned) { return a ^ b; }},
    {Op::Shl, [](Big a, Big b, unsigned bits) { return a << unsigned(b % bits); }},
    {Op::Shr, [](Big a, Big b, unsigned bits) { return a >> unsigned(b % bits); }},
    {Op::Eq, [](Big a, Big b, unsigned) { return Big(a == b); }},
    {Op::Ne, [](Big a, Big b, unsigned) { return Big(a != b); }},
    {Op::Lt, [](Big a, Big b, unsigned) { return Big(a < b); }},
    {Op::Gt, [](Big a, Big b, unsigned) { return Big(a > b); }},
    {Op::Le, [](Big a, Big b, unsigned) { return Big(a <= b); }},
    {Op::Ge, [](Big a, Big b, unsigned) { return Big(a >= b); }},
    {Op::And, [](Big a, Big b, unsigned) { return Big(a != 0 && b != 0); }},
    {Op::Or, [](Big a, Big b, unsigned) { return Big(a != 0 || b != 0); }},
    {Op::Negate, [](Big a, Big, unsigned) { return -a; }},
    {Op::BitNot, [](Big a, Big, unsigned) { return ~a; }},
    {Op::LogicalNot, [](Big a, Big, unsigned) { return Big(a == 0); }},
    {Op::Popcount, [](Big a, Big, unsigned) { return ones(a); }},
    {Op::Clz, [](Big a, Big, unsigned bits) { return Big(lead(a, bits)); }},
    {Op::Ctz, [](Big a, Big, unsigned bits) { return Big(trail(a, bits)); }},
    {Op::ReverseBits, [](Big a, Big, unsigned bits) { return reversed(a, bits); }},
};
constexpr bool is_on_wide(Op op) {
  return spec::is_scalar(op) && spec::info(op).types.contains(DataType::U64);
}
inline constexpr spec::TotalTable<kWideRows, is_on_wide> kWideExpectations;

// Checksums: the sum of result * weight(input), wrapping. A weight is odd, so a single wrong result changes
// the sum for certain; several go unseen once in 2^32.

inline constexpr uint32_t kWeight = 0x9e3779b1;
constexpr uint32_t weight(uint32_t input) { return input * kWeight | 1; }

/// Of every half word, by trying bits: nothing that a compiler knows by name.
struct Halves {
  std::array<uint8_t, 65536> ones{}, leading{}, trailing{};
  std::array<uint16_t, 65536> reversed{};
  Halves() {
    for (uint32_t x = 0; x < 65536; ++x) {
      leading[x] = trailing[x] = 16;
      for (uint32_t k = 0; k < 16; ++k) {
        if ((x >> k & 1) == 0) continue;
        ++ones[x];
        leading[x] = uint8_t(15 - k);
        if (trailing[x] == 16) trailing[x] = uint8_t(k);
        reversed[x] = uint16_t(reversed[x] | 1 << (15 - k));
      }
    }
  }
};
inline const Halves& halves() {
  static const Halves tables;
  return tables;
}

struct Chunk {
  uint32_t first, n, second;
};

/// The sum over a chunk of f(input) * weight(input).
template <typename F>
uint32_t sum_of(const Chunk& c, F f) {
  uint32_t sum = 0, w = c.first * kWeight;
  for (uint32_t k = 0; k < c.n; ++k, w += kWeight) sum += f(c.first + k) * (w | 1);
  return sum;
}

/// Quotients and remainders by counting: each input is one more (or, of negative ones, one less) than the one
/// before. Numbers are a magnitude and a sign.
template <bool is_signed, bool wants_remainder>
uint32_t divided(const Chunk& c) {
  const bool down = is_signed && int32_t(c.first) < 0, negative = is_signed && int32_t(c.second) < 0;
  const uint32_t divisor = negative ? 0 - c.second : c.second;
  if (divisor == 0) return 0;
  const uint32_t magnitude = down ? 0 - c.first : c.first;
  uint32_t quotient = magnitude / divisor, rest = magnitude - quotient * divisor;
  const bool turns = wants_remainder ? down : down != negative;
  return sum_of(c, [&](uint32_t) {
    const uint32_t value = wants_remainder ? rest : quotient, result = turns ? 0 - value : value;
    if (down) {
      const bool borrows = rest == 0;
      rest = borrows ? divisor - 1 : rest - 1;
      quotient -= borrows ? 1 : 0;
    } else {
      const bool carries = rest + 1 == divisor;
      rest = carries ? 0 : rest + 1;
      quotient += carries ? 1 : 0;
    }
    return result;
  });
}

/// An order as that of unsigned words: signed ones are moved by half of all.
template <bool is_signed, typename F>
uint32_t compared(const Chunk& c, F f) {
  const uint32_t move = is_signed ? 0x80000000 : 0, b = c.second + move;
  return sum_of(c, [=](uint32_t a) { return uint32_t{f(a + move, b)}; });
}

inline uint32_t shifted_right(const Chunk& c, bool is_signed) {
  const uint32_t amount = c.second % 32;
  const uint32_t fill = is_signed && amount != 0 && int32_t(c.first) < 0 ? ~0u << (32 - amount) : 0;
  return sum_of(c, [=](uint32_t a) { return a >> amount | fill; });
}

using Sum = uint32_t (*)(const Chunk& chunk, bool is_signed);
template <typename F>
constexpr Sum order(F) {
  return [](const Chunk& c, bool is_signed) {
    return is_signed ? compared<true>(c, F{}) : compared<false>(c, F{});
  };
}

constexpr bool is_swept(Op op) { return spec::is_scalar(op) && spec::info(op).types.contains(DataType::U32); }
inline constexpr spec::Row<Op, Sum> kSumRows[] = {
    {Op::Add, [](const Chunk& c, bool) { return sum_of(c, [b = c.second](uint32_t a) { return a + b; }); }},
    {Op::Sub, [](const Chunk& c, bool) { return sum_of(c, [b = c.second](uint32_t a) { return a - b; }); }},
    {Op::Mul, [](const Chunk& c, bool) { return sum_of(c, [b = c.second](uint32_t a) { return a * b; }); }},
    {Op::Div, [](const Chunk& c, bool s) { return s ? divided<true, false>(c) : divided<false, false>(c); }},
    {Op::Mod, [](const Chunk& c, bool s) { return s ? divided<true, true>(c) : divided<false, true>(c); }},
    {Op::BitAnd,
     [](const Chunk& c, bool) { return sum_of(c, [b = c.second](uint32_t a) { return a & b; }); }},
    {Op::BitOr, [](const Chunk& c, bool) { return sum_of(c, [b = c.second](uint32_t a) { return a | b; }); }},
    {Op::BitXor,
     [](const Chunk& c, bool) { return sum_of(c, [b = c.second](uint32_t a) { return a ^ b; }); }},
    {Op::Shl,
     [](const Chunk& c, bool) { return sum_of(c, [b = c.second % 32](uint32_t a) { return a << b; }); }},
    {Op::Shr, shifted_right},
    {Op::Eq, order([](uint32_t a, uint32_t b) { return a == b; })},
    {Op::Ne, order([](uint32_t a, uint32_t b) { return a != b; })},
    {Op::Lt, order([](uint32_t a, uint32_t b) { return a < b; })},
    {Op::Gt, order([](uint32_t a, uint32_t b) { return a > b; })},
    {Op::Le, order([](uint32_t a, uint32_t b) { return a <= b; })},
    {Op::Ge, order([](uint32_t a, uint32_t b) { return a >= b; })},
    {Op::And,
     [](const Chunk& c, bool) {
       return sum_of(c, [b = c.second](uint32_t a) { return uint32_t{a != 0 && b != 0}; });
     }},
    {Op::Or, [](const Chunk& c,
                bool) { return sum_of(c, [b = c.second](uint32_t a) { return uint32_t{(a | b) != 0}; }); }},
    {Op::Negate, [](const Chunk& c, bool) { return sum_of(c, [](uint32_t a) { return ~a + 1; }); }},
    {Op::BitNot, [](const Chunk& c, bool) { return sum_of(c, [](uint32_t a) { return 0xffffffff - a; }); }},
    {Op::LogicalNot,
     [](const Chunk& c, bool) { return sum_of(c, [](uint32_t a) { return uint32_t{a == 0}; }); }},
    {Op::Popcount,
     [](const Chunk& c, bool) {
       return sum_of(c,
                     [&t = halves()](uint32_t a) { return uint32_t{t.ones[a >> 16]} + t.ones[a & 0xffff]; });
     }},
    {Op::Clz,
     [](const Chunk& c, bool) {
       return sum_of(c, [&t = halves()](uint32_t a) {
         return a >> 16 != 0 ? t.leading[a >> 16] : uint32_t{16} + t.leading[a];
       });
     }},
    {Op::Ctz,
     [](const Chunk& c, bool) {
       return sum_of(c, [&t = halves()](uint32_t a) {
         return (a & 0xffff) != 0 ? t.trailing[a & 0xffff] : uint32_t{16} + t.trailing[a >> 16];
       });
     }},
    {Op::ReverseBits,
     [](const Chunk& c, bool) {
       return sum_of(c, [&t = halves()](uint32_t a) {
         return uint32_t{t.reversed[a & 0xffff]} << 16 | t.reversed[a >> 16];
       });
     }},
};
inline constexpr spec::TotalTable<kSumRows, is_swept> kSums;

}  // namespace vyre::test
