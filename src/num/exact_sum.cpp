#include "num/exact_sum.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace vyre::num {
namespace {

constexpr uint32_t kLimb = 64;

}  // namespace

void ExactSum::add_to(Wide& sum, const Wide& more) {
  bool carry = false;
  for (size_t k = 0; k < sum.size(); ++k) {
    const uint64_t with = sum[k] + more[k], all = with + carry;
    carry = with < more[k] || all < with;
    sum[k] = all;
  }
}

std::pair<ExactSum::Wide, bool> ExactSum::difference(const Wide& a, const Wide& b) {
  const bool less = std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  const Wide &more = less ? b : a, &fewer = less ? a : b;
  Wide out{};
  bool borrow = false;
  for (size_t k = 0; k < out.size(); ++k) {
    const uint64_t without = more[k] - fewer[k];
    out[k] = without - borrow;
    borrow = more[k] < fewer[k] || (borrow && without == 0);
  }
  return {out, less};
}

uint32_t ExactSum::bits_of(const Wide& x) {
  for (size_t k = x.size(); k-- > 0;) {
    if (x[k] != 0) return uint32_t(k * kLimb) + uint32_t(std::bit_width(x[k]));
  }
  return 0;
}

uint64_t ExactSum::low_bits(const Wide& x, uint32_t from) {
  const size_t limb = from / kLimb;
  const uint32_t shift = from % kLimb;
  if (limb >= x.size()) return 0;
  uint64_t out = x[limb] >> shift;
  if (shift != 0 && limb + 1 < x.size()) out |= x[limb + 1] << (kLimb - shift);
  return out;
}

bool ExactSum::has_bits_below(const Wide& x, uint32_t end) {
  for (size_t k = 0; k < x.size() && k * kLimb < end; ++k) {
    const uint32_t mine = end - uint32_t(k * kLimb);
    const uint64_t mask = mine >= kLimb ? ~uint64_t{0} : (uint64_t{1} << mine) - 1;
    if ((x[k] & mask) != 0) return true;
  }
  return false;
}

ExactSum::Wide ExactSum::units(uint32_t number) const {
  const uint32_t magnitude = number & (format_.sign_bit() - 1);
  const uint32_t exponent = magnitude >> format_.fraction_bits;
  uint64_t digits = magnitude & format_.fraction_mask();
  // The exponents 0 and 1 have one scale: subnormal numbers only lack the leading bit.
  if (exponent != 0) digits |= format_.least_normal();
  const uint32_t shift = exponent == 0 ? 0 : exponent - 1;
  Wide out{};
  out[shift / kLimb] = digits << shift % kLimb;
  if (shift % kLimb != 0 && shift / kLimb + 1 < out.size())
    out[shift / kLimb + 1] = digits >> (kLimb - shift % kLimb);
  return out;
}

void ExactSum::add(uint32_t number) {
  add_to((number & format_.sign_bit()) != 0 ? negative_ : positive_, units(number));
}

uint32_t ExactSum::rounded() const {
  const auto [distance, negative] = difference(positive_, negative_);
  const uint32_t bits = bits_of(distance), precision = format_.precision();
  const uint32_t sign = negative ? format_.sign_bit() : 0;
  // Numbers of so few bits are exact, and their patterns are the integers themselves.
  if (bits <= precision) return sign | uint32_t(distance[0]);
  const uint32_t shift = bits - precision;
  uint64_t digits = low_bits(distance, shift);
  const bool half = (low_bits(distance, shift - 1) & 1) != 0;
  if (half && ((digits & 1) != 0 || has_bits_below(distance, shift - 1))) ++digits;
  // The leading bit of the digits counts the exponent up by the one that subnormal numbers have less.
  const uint64_t pattern = (uint64_t{shift} << format_.fraction_bits) + digits;
  return sign | uint32_t(std::min<uint64_t>(pattern, format_.infinity()));
}

bool ExactSum::overflows() const {
  Wide magnitudes = positive_;
  add_to(magnitudes, negative_);
  const auto [beyond, less] = difference(magnitudes, units(format_.greatest()));
  return !less && bits_of(beyond) != 0;
}

std::optional<uint64_t> ExactSum::ulps_off(uint32_t result) const {
  if (format_.is_nan(result)) return std::nullopt;
  Wide magnitudes = positive_, above = positive_, below = negative_;
  add_to(magnitudes, negative_);
  // |result - S|, with S = positive - negative, of sums that are not negative.
  add_to((result & format_.sign_bit()) != 0 ? above : below, units(result));
  const Wide distance = difference(above, below).first;
  const uint32_t bits = bits_of(magnitudes);
  const uint32_t ulp = bits > format_.precision() ? bits - format_.precision() : 0;
  if (bits_of(distance) > ulp + kLimb) return UINT64_MAX;
  const uint64_t whole = low_bits(distance, ulp);
  if (!has_bits_below(distance, ulp) || whole == UINT64_MAX) return whole;
  return whole + 1;
}

}  // namespace vyre::num
