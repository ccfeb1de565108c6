// Sine, cosine and tangent.
//
// An argument is a number of quarter turns: x 2/pi = n + f / 2 with an integer n and |f| <= 1, and only n
// modulo 4 and f matter. Of the digits of 2/pi those are multiplied by x that its exponent puts around the
// binary point; digits further up would add multiples of four quarter turns. No number of 24 bits and an
// exponent of 8 comes nearer to a multiple of a quarter turn than |f| = 2^-28.85
// (docs/evidence/functions/reduction.py), so f keeps 67 good bits of the 96 that are computed. This is the
// reduction of Payne and Hanek (1983).
//
// Small arguments have no digits up there: n = 0. The window into 2/pi stays where it is for x in [1/4, 1/2),
// and f has an exponent of its own.
#include <array>
#include <span>

#include "ops/float/soft_wide.h"

namespace vyre::ops {
namespace {

/// floor(2/pi 2^261), most significant word first: 2/pi after 27 zeros.
constexpr std::array<uint32_t, 9> kTwoOverPi = {0x00000014, 0x5f306dc9, 0xc882a53f, 0x84eafa3e, 0xa69bb81b,
                                                0x6c52b327, 0x8872083f, 0xca2c757b, 0xd778ac36};

/// Words of 2/pi from word `first` on, where `greatest` is the most that it can be. Domain: at most 4.
std::vector<Ex> two_over_pi(Composer& c, Ex first, uint32_t greatest) {
  std::vector<Ex> words;
  for (uint32_t k = 0; k < 5 + greatest; ++k) words.push_back(c.word(kTwoOverPi[k]));
  for (uint32_t bit = 1; bit <= greatest; bit *= 2) {
    const Ex set = c.let("set", (first & bit) != 0);
    for (uint32_t k = 0; k + bit < words.size(); ++k)
      words[k] = c.let("digits", c.select(set, words[k + bit], words[k]));
  }
  words.resize(5, c.word(0));
  return words;
}

/// The word that begins `by` below 32 bits into two.
Ex moved(Composer& c, Ex upper, Ex lower, Ex by, Ex opposite) {
  return c.let("moved", (upper << by) | ((lower >> 1) >> opposite));
}

struct Turn {
  Ex quarter;   // n, of which the two lowest bits count
  Ex negative;  // 0 or 1: f is
  Ex fraction;  // |f| = fraction 2^(-64 - zeros), leading bit at bit 63
  Ex zeros;
  Ex square;  // f^2 in Q64
};

// x = significand 2^(scale + 1 - bias - 31). The window's place is 0 for x in [1/4, 1/2); a word of the
// significand with its lower 5 bits gone has 27 bits, and the product's bit above the fraction |f| is the
// sign of f.
Turn reduce(Composer& c, Ex magnitude) {
  const FloatFormat f = c.format;
  const auto [scale, significand] = c.normalise(c.unpack(magnitude, 31));
  const Ex digits = c.let("digits", significand >> 5);
  const Ex place = c.let("place", scale + uint32_t(3 - f.bias()));
  const Ex small = c.let("small", c.is_negative(place));
  const Ex at = c.let("at", c.select(small, c.word(0), place));
  const Ex below = c.let("below", c.select(small, 0 - place, c.word(0)));

  const uint32_t greatest = uint32_t(f.max_exponent() + 2) / 32;
  const std::vector<Ex> words = two_over_pi(c, c.let("first", at >> 5), greatest);
  const Ex by = c.let("by", at & 31), opposite = c.let("opposite", by ^ 31);
  // digits * window, of which the lowest word is left out
  Ex carry = c.let("carry", c.high(digits, moved(c, words[3], words[4], by, opposite)));
  std::array<Ex, 3> product = {carry, carry, carry};  // least significant first
  for (uint32_t k = 0; k < 3; ++k) {
    const Ex window = moved(c, words[2 - k], words[3 - k], by, opposite);
    product[k] = c.let("product", digits * window + carry);
    carry = c.let("carry", c.high(digits, window) + (product[k] < carry));
  }
  const Ex negative = c.let("negative", carry & 1);
  const Ex mask = c.let("mask", 0 - negative);
  for (Ex& word : product) word = c.let("fraction", word ^ mask);

  const Ex zeros = c.let("zeros", c.leading_zeros(product[2])), rest = c.let("rest", zeros ^ 31);
  const Ex fraction =
      join(c, moved(c, product[2], product[1], zeros, rest), moved(c, product[1], product[0], zeros, rest));
  // Beyond 31 places the square is nothing either way.
  const Ex fixed = shift_right(c, join(c, product[2], product[1]), c.min(below, c.word(31)));
  return {c.let("quarter", (carry + 1) >> 1), negative, c.let("fraction", fraction),
          c.let("exponent", zeros + below), c.let("square", high64(c, fixed, fixed))};
}

/// A coefficient in units of 2^-places.
struct Coefficient {
  uint32_t places;
  uint64_t value;
};

// sin(pi/4 f) / f and cos(pi/4 f) as polynomials of f^2 whose signs alternate, with errors below 2^-66; from
// the constant term (of the cosine, 1 less 2^-64) to the fifth power, then words in units of 2^-65.
// docs/evidence/functions/sin_cos.sollya
constexpr std::array<Coefficient, 6> kSine = {{{64, 14488038916154245685u},
                                               {65, 2978983596875621770u},
                                               {69, 1470069480924833322u},
                                               {75, 1381809925603961582u},
                                               {75, 11838469896632975u},
                                               {75, 66386933826478u}}};
constexpr std::array<Coefficient, 6> kCosine = {{{64, ~uint64_t{0}},
                                                 {65, 11378879155978302162u},
                                                 {69, 9358752983108951245u},
                                                 {75, 12315625284106557862u},
                                                 {75, 135658872216016727u},
                                                 {75, 929791249774137u}}};
constexpr std::array<uint32_t, 3> kSineWords = {256343766, 746771, 0};
constexpr std::array<uint32_t, 3> kCosineWords = {4243176314, 14379499, 36301};
constexpr uint32_t kWordPlaces = 65;

/// sin(pi/4 f) / f or, where `odd` is set, cos(pi/4 f), in Q64: in [1/2, 1).
Ex sine_or_cosine(Composer& c, Ex odd, Ex square) {
  const auto word = [&](uint32_t k) { return c.select(odd, c.word(kCosineWords[k]), c.word(kSineWords[k])); };
  const Ex high = c.let("high", high_word(c, square));
  Ex tail = word(2);
  for (uint32_t k = 2; k-- > 0;) tail = word(k) - c.high(high, tail);
  Ex next = shift_right(c, product(c, high, tail), kWordPlaces + 32 - kSine[5].places);
  for (uint32_t k = 6; k-- > 0;) {
    const Ex sum = c.let("sum", c.select(odd, wide(c, kCosine[k].value), wide(c, kSine[k].value)) - next);
    if (k == 0) return sum;
    next = high64(c, square, sum);
    const uint32_t more = kSine[k].places - kSine[k - 1].places;
    if (more > 0) next = shift_right(c, next, more);
  }
  return next;
}

/// sin(x + further pi/2), of the magnitude of x and the sign that stands for it.
Ex sine(Composer& c, Ex magnitude, Ex sign, uint32_t further) {
  const FloatFormat f = c.format;
  const Turn turn = reduce(c, magnitude);
  const Ex quarter = c.let("quarter", turn.quarter + further);
  const Ex odd = c.let("odd", quarter & 1);
  const Ex factor = sine_or_cosine(c, odd, turn.square);
  const Ex digits = c.let("digits", c.select(odd, factor, high64_exact(c, turn.fraction, factor)));
  const Ex rounded = round_inexact(c, digits, c.select(odd, c.word(0), 0 - turn.zeros));
  const Ex minus = ((quarter >> 1) & 1) ^ (turn.negative & ~odd);
  return c.select(magnitude >= f.infinity(), c.word(f.nan()), (sign ^ (minus << (f.width() - 1))) | rounded);
}

// tan(pi/4 f) / f as a quotient of polynomials of f^2 whose signs alternate, with an error below 2^-64.4; the
// last coefficients are words. docs/evidence/functions/tan.py, tan.sollya
constexpr std::array<Coefficient, 4> kNumerator = {
    {{64, 14488038916154245685u}, {67, 9536288570242340775u}, {73, 9666641608100982328u}, {50, 3706980814}}};
constexpr std::array<Coefficient, 5> kDenominator = {{{64, ~uint64_t{0}},
                                                      {65, 10621414366728491524u},
                                                      {70, 11528580022901309464u},
                                                      {77, 11059318906812160960u},
                                                      {55, 2598443304}}};

/// In Q64.
Ex polynomial(Composer& c, std::span<const Coefficient> coefficients, Ex square) {
  const Coefficient& last = coefficients.back();
  uint32_t places = last.places + 32;
  Ex next = high_by_word(c, square, c.word(uint32_t(last.value)));
  for (size_t k = coefficients.size() - 1; k-- > 0;) {
    const Ex product = shift_right(c, next, places - coefficients[k].places);
    const Ex sum = c.let("sum", wide(c, coefficients[k].value) - product);
    if (k == 0) return sum;
    places = coefficients[k].places;
    next = high64(c, square, sum);
  }
  return next;
}

}  // namespace

Ex soft_sin(Composer& c, std::span<const Ex> x) {
  return sine(c, c.magnitude(x[0]), c.let("sign", x[0] & c.format.sign_bit()), 0);
}
Ex soft_cos(Composer& c, std::span<const Ex> x) { return sine(c, c.magnitude(x[0]), c.word(0), 1); }

// Tangents of even quarter turns and f are p / q, of odd ones -q / p.
Ex soft_tan(Composer& c, std::span<const Ex> x) {
  const FloatFormat f = c.format;
  const Ex magnitude = c.magnitude(x[0]);
  const Turn turn = reduce(c, magnitude);
  const Ex odd = c.let("odd", turn.quarter & 1);
  const Normal p =
      normalise_by_one(c, high64_exact(c, turn.fraction, polynomial(c, kNumerator, turn.square)));
  const Ex q = polynomial(c, kDenominator, turn.square);
  const Quotient tangent = quotient(c, c.select(odd, q, p.value), c.select(odd, p.value, q));
  const Ex zeros = c.let("zeros", turn.zeros + p.zeros);
  const Ex rounded = round_inexact(c, tangent.digits, tangent.more + c.select(odd, zeros, 0 - zeros));
  const Ex sign = (x[0] & f.sign_bit()) ^ ((turn.negative ^ odd) << (f.width() - 1));
  return c.select(magnitude >= f.infinity(), c.word(f.nan()), sign | rounded);
}

}  // namespace vyre::ops
