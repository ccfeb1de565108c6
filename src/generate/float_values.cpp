#include "generate/float_values.h"

#include <algorithm>
#include <vector>

#include "num/float.h"
#include "spec/float_format.h"

namespace vyre::generate {
namespace {

using spec::DataType;
using spec::FloatFormat;

constexpr FloatFormat kSmall{5, 2};

/// A value of the small format in a wider one. A NaN keeps what it has of a payload.
constexpr uint32_t widened(uint32_t byte, FloatFormat f) {
  const uint32_t sign = (byte & kSmall.sign_bit()) != 0 ? f.sign_bit() : 0;
  const uint32_t exponent = (byte & kSmall.infinity()) >> kSmall.fraction_bits;
  uint32_t fraction = byte & kSmall.fraction_mask();
  const uint32_t shift = f.fraction_bits - kSmall.fraction_bits;
  if (exponent == 31) return sign | f.infinity() | fraction << shift;
  if (exponent == 0 && f.exponent_bits == kSmall.exponent_bits) return sign | fraction << shift;
  if (exponent == 0 && fraction == 0) return sign;
  int32_t power = int32_t(std::max(exponent, 1u)) - kSmall.bias();
  if (exponent == 0) {
    // A subnormal, which is normal in a format with more exponents.
    for (; (fraction & kSmall.least_normal()) == 0; --power) fraction <<= 1;
    fraction &= kSmall.fraction_mask();
  }
  return sign | uint32_t(power + f.bias()) << f.fraction_bits | fraction << shift;
}

/// 2^exponent. Domain: a normal number of the format.
constexpr uint32_t power_of_two(FloatFormat f, int32_t exponent) {
  return uint32_t(exponent + f.bias()) << f.fraction_bits;
}
constexpr bool has_power(FloatFormat f, int32_t exponent) {
  return exponent >= f.min_exponent() && exponent <= f.max_exponent();
}

/// The adversary's patterns, each with a reason to be there; then the same with the other sign.
std::vector<uint32_t> make_adversarial(FloatFormat f) {
  const uint32_t one = f.one(), unit = f.least_normal();
  std::vector<uint32_t> out = {
      0,                  // zeros, whose sign counts
      1,                  // the least subnormal
      f.fraction_mask(),  // the greatest subnormal
      f.least_normal(),   // and what is next to it
      f.least_normal() + 1,
      f.greatest(),  // the greatest number
      f.greatest() - 1,
      f.infinity(),
      f.infinity() | 1,  // a signalling NaN
      f.nan(),
      f.nan() | 1,  // a quiet one with a payload
      f.infinity() | f.fraction_mask(),
      one,
      one - 1,  // the neighbours of one
      one + 1,
      one + unit / 2,         // one and a half: rounds to even
      one + unit,             // two
      one + unit + unit / 4,  // two and a half
      one - unit,             // a half: a tie for roundings
      one - unit + 1,         // and just above
      one - unit - 1,
      power_of_two(f, -int32_t(f.precision())),  // half a unit of one: a tie for sums
      power_of_two(f, -int32_t(f.precision())) + 1,
      one | f.fraction_mask(),                    // all bits set
      one | (f.fraction_mask() & 0x555555),       // a third
      power_of_two(f, int32_t(f.fraction_bits)),  // the least number without a fraction
      power_of_two(f, int32_t(f.fraction_bits)) - 1,
      power_of_two(f, f.max_exponent()),      // twice it is infinity
      power_of_two(f, f.min_exponent() / 2),  // its square is at the border of the subnormals
      power_of_two(f, f.min_exponent() / 2 - 1) | f.fraction_mask(),
  };
  const size_t positive = out.size();
  for (size_t k = 0; k < positive; ++k) out.push_back(out[k] | f.sign_bit());
  // Some of these are one in a short format. The order is kept: cases are numbered by it.
  std::vector<uint32_t> unique;
  for (const uint32_t word : out) {
    if (std::ranges::find(unique, word) == unique.end()) unique.push_back(word);
  }
  return unique;
}

std::array<uint32_t, 256> make_edges(FloatFormat f) {
  std::vector<uint32_t> list = make_adversarial(f);
  const auto add = [&](uint32_t pattern) {
    for (const uint32_t sign : {0u, f.sign_bit()}) {
      const uint32_t word = (pattern & ~f.sign_bit() & f.mask()) | sign;
      if (std::ranges::find(list, word) == list.end()) list.push_back(word);
    }
  };
  // What integers and the other formats end at: 2^15, 2^16, 2^31, 2^32, 2^-14, 2^-24, 2^-126 and neighbours.
  for (const int32_t power : {7, 8, 11, 12, 15, 16, 23, 24, 31, 32, 63, 64, -14, -15, -24, -25, -126}) {
    if (!has_power(f, power)) continue;
    for (const uint32_t step : {0u, ~0u, 1u}) add(power_of_two(f, power) + step);
  }
  // Small integers and their halves, subnormals of one bit and of a run of bits, a walk through the
  // exponents.
  for (const uint32_t quarter : {1u, 2u, 3u})
    add(f.one() + f.least_normal() * 2 + f.least_normal() / 4 * quarter);
  for (uint32_t bit = 1; bit < f.fraction_bits; bit += 3) {
    add(1u << bit);
    add((1u << bit) - 1);
  }
  for (uint32_t exponent = 1, step = 0; list.size() < 256; ++step) {
    const uint32_t fraction = step % 3 == 0   ? 0
                              : step % 3 == 1 ? f.fraction_mask()
                                              : 0x2aaaaau & f.fraction_mask();
    add(exponent << f.fraction_bits | fraction);
    if (step % 3 == 2) exponent += f.exponent_bits == 8 ? 11 : 2;
    // Round again with other fractions once the exponents are through.
    if (exponent >= (1u << f.exponent_bits) - 1) exponent -= (1u << f.exponent_bits) - 2;
    if (step > 128) add((step * 0x9e3779b9u) >> (32 - f.width()));
  }
  std::array<uint32_t, 256> out{};
  std::copy_n(list.begin(), out.size(), out.begin());
  std::ranges::sort(out);
  return out;
}

struct Lists {
  explicit Lists(FloatFormat f) : edges(make_edges(f)), adversarial(make_adversarial(f)) {
    for (uint32_t byte = 0; byte < 256; ++byte) small[byte] = widened(byte, f);
  }
  std::array<uint32_t, 256> small{};
  std::array<uint32_t, 256> edges;
  std::vector<uint32_t> adversarial;
};

const Lists& lists_of(DataType type) {
  static const Lists f16(spec::kBinary16), bf16(spec::kBFloat16), f32(spec::kBinary32);
  if (type == DataType::F16) return f16;
  return type == DataType::BF16 ? bf16 : f32;
}

/// Takes small numbers from one word, a few bits at a time.
class Draw {
 public:
  explicit Draw(uint32_t bits) : bits_(bits) {}
  /// Below n, which is small.
  uint32_t below(uint32_t n) {
    const uint32_t out = (bits_ & 0xffff) * n >> 16;
    bits_ = bits_ * 0x9e3779b1u + 0x7f4a7c15u;
    bits_ ^= bits_ >> 15;
    return out;
  }
  /// From -n to n.
  int32_t around_zero(uint32_t n) { return int32_t(below(2 * n + 1)) - int32_t(n); }

 private:
  uint32_t bits_;
};

/// A number with this exponent, kept among the finite ones; below the normal ones a subnormal.
uint32_t with_exponent(FloatFormat f, int32_t exponent, uint32_t random) {
  const uint32_t sign = random & 1 ? f.sign_bit() : 0;
  const uint32_t fraction = random >> 1 & f.fraction_mask();
  const int32_t biased = std::min(exponent, f.max_exponent()) + f.bias();
  if (biased >= 1) return sign | uint32_t(biased) << f.fraction_bits | fraction;
  const int32_t shift = std::min(1 - biased, int32_t(f.fraction_bits));
  return sign | (fraction | f.least_normal()) >> shift;
}

/// Any, and now and then one at either end, where sums overflow or are subnormal.
int32_t any_exponent(FloatFormat f, Draw& draw) {
  const uint32_t end = draw.below(16);
  if (end == 0) return f.max_exponent() - int32_t(draw.below(2));
  if (end == 1) return f.min_exponent() - 2 + int32_t(draw.below(4));
  return f.min_exponent() + int32_t(draw.below(uint32_t(f.max_exponent() - f.min_exponent()) + 1));
}

/// A fraction of few bits at its upper or lower end, so that products and sums end at a tie or beside one.
uint32_t short_fraction(FloatFormat f, uint32_t random, Draw& draw) {
  const uint32_t bits = 1 + draw.below(f.fraction_bits / 2 + 2);
  const uint32_t low = random & ((1u << bits) - 1);
  switch (draw.below(4)) {
    case 0: return low;
    case 1: return (0u - low) & f.fraction_mask();
    default: return (low << (f.fraction_bits - std::min(bits, f.fraction_bits))) & f.fraction_mask();
  }
}

/// Values whose lower bits are a tie, or a unit beside one, of a coarser format or of the integers.
uint32_t near_tie(FloatFormat f, uint32_t random, Draw& draw) {
  const uint32_t dropped = 1 + draw.below(f.fraction_bits);
  const uint32_t x = with_exponent(
      f, int32_t(f.fraction_bits - dropped) + (draw.below(2) != 0 ? 0 : draw.around_zero(20)), random);
  const uint32_t tie = (x & ~((1u << dropped) - 1)) | 1u << (dropped - 1);
  return tie + uint32_t(draw.around_zero(1));
}

uint32_t relative(FloatFormat f, uint32_t of, Draw& draw) {
  switch (draw.below(4)) {
    case 0: return of;
    case 1: return of ^ f.sign_bit();
    case 2: return (of ^ f.sign_bit()) + uint32_t(draw.around_zero(3));
    default: return of + uint32_t(draw.around_zero(3));
  }
}

}  // namespace

std::span<const uint32_t, 256> small_floats(DataType type) { return lists_of(type).small; }
std::span<const uint32_t, 256> edge_floats(DataType type) { return lists_of(type).edges; }
std::span<const uint32_t> adversarial_floats(DataType type) { return lists_of(type).adversarial; }

void directed_floats(DataType type, uint64_t turn, const std::array<uint32_t, 4>& bits,
                     std::span<uint32_t> out) {
  const FloatFormat f = spec::float_format(type);
  const Lists& lists = lists_of(type);
  Draw draw(bits[3]);
  const auto way = uint32_t(turn % 10);
  const int32_t first = any_exponent(f, draw);
  const bool quotient = draw.below(2) != 0;
  for (size_t i = 0; i < out.size(); ++i) {
    uint32_t& x = out[i] = bits[i];
    // How the exponents of a product (or, with i counted down, of a quotient) come to a sum.
    const auto meeting = [&](int32_t sum) {
      const int32_t other = quotient ? first - sum : sum - first;
      x = with_exponent(f, i == 0 ? first : i == 1 ? other : sum, bits[i]);
    };
    switch (way) {
      case 0: break;  // uniform: only these reach everywhere
      case 1:
      case 2:
        x = with_exponent(f, first + (i == 0 ? 0 : draw.around_zero(f.precision() + 2)), bits[i]);
        break;
      case 3: x = i == 0 ? with_exponent(f, first, bits[i]) : relative(f, out[0], draw); break;
      case 4:
        x = with_exponent(f, i == 0 ? first : first + draw.around_zero(f.precision() + 2), 0) |
            short_fraction(f, bits[i], draw) | ((bits[i] & 0x80000000u) != 0 ? f.sign_bit() : 0);
        break;
      case 5:
        meeting(f.min_exponent() + draw.around_zero(f.fraction_bits / 2 + 2) - int32_t(f.fraction_bits) / 2);
        break;
      case 6: meeting(f.max_exponent() + draw.around_zero(2)); break;
      case 7: x = near_tie(f, bits[i], draw); break;
      case 8: x = lists.edges[bits[i] >> 24]; break;
      default:  // one of them hard, the others about as large
        x = i == 0 ? lists.adversarial[bits[i] % lists.adversarial.size()]
                   : with_exponent(f, draw.around_zero(4), bits[i]);
        break;
    }
    x &= f.mask();
  }
  // A third operand that takes away what the product of the others is, but for a few units.
  if (out.size() == 3 && draw.below(2) != 0 && way < 8) {
    const uint32_t product = num::mul(f, out[0], out[1]);
    out[2] = ((product ^ f.sign_bit()) + uint32_t(draw.around_zero(2))) & f.mask();
  }
}

}  // namespace vyre::generate
