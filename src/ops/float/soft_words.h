// Numbers of several words in compositions: fixed point as wide as a function wants it.
//
// A number of n words is a list of them, the most significant first, that counts 2^-(32 n): a fraction in
// [0, 1), unless something else is said. One source so gives a step of 64 bits and one of 128. What is lost
// is always lost downwards; bounds are in units of the last place of the result. All words are bound.
#pragma once

#include <span>
#include <vector>

#include "ops/float/soft_compose.h"

namespace vyre::ops {

using Words = std::vector<Ex>;

Words literal(Composer& c, std::span<const uint32_t> words);

struct Sum {
  Words words;
  Ex carry;  // 0 or 1
};
/// a + b, where b may have fewer words; they stand at the low end of a.
Sum add(Composer& c, const Words& a, const Words& b);
/// a - b likewise. Domain: b is not greater.
Words subtract(Composer& c, const Words& a, const Words& b);
/// All words xor mask, which is 0 or all ones: with all ones, one unit less than the negation.
Words flip(Composer& c, const Words& a, Ex mask);
Words select(Composer& c, Ex condition, const Words& then, const Words& otherwise);

/// a * word / 2^32, less by below one unit.
Words multiply(Composer& c, const Words& a, Ex word);
/// a * b of as many words, less by below 2 n - 1 units.
Words multiply(Composer& c, const Words& a, const Words& b);

/// By a number of bits. Domain: 0 < by < 32.
Words shift_left(Composer& c, const Words& a, uint32_t by);
Words shift_right(Composer& c, const Words& a, uint32_t by);
/// Domain: by below 32.
Words shift_left(Composer& c, const Words& a, Ex by);
/// Domain: by below 32 n.
Words shift_right(Composer& c, const Words& a, Ex by);

/// A polynomial in v, the coefficient of v^0 first. The first ones are n words each, of which leading zeros
/// cost nothing; those that follow, if any, are one word, which counts 2^-(32 + shift).
struct Series {
  bool alternating;  // the signs are +, -, +, -, ..., else +
  uint32_t width;    // n
  std::span<const uint32_t> wide;
  std::span<const uint32_t> narrow;
  uint32_t shift;
};
/// Of v = word / 2^32. Less than the polynomial by at most one unit a step of those in full width, and more
/// by no more where the signs alternate. Domain: every partial sum is positive and fits.
Words evaluate(Composer& c, const Series& s, Ex v);

/// What stands at `index` in a list of literals, by selects. Domain: a power of two of them; index's higher
/// bits are not looked at.
Ex pick(Composer& c, Ex index, std::span<const uint32_t> list);

}  // namespace vyre::ops
