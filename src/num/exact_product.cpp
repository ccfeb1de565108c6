#include "num/exact_product.h"

#include <algorithm>

namespace vyre::num {
namespace {

/// |number| = significand * 2^exponent.
struct Parts {
  uint32_t significand;
  int64_t exponent;
};
Parts parts(spec::FloatFormat f, uint32_t number) {
  const uint32_t magnitude = number & (f.sign_bit() - 1), field = magnitude >> f.fraction_bits;
  const uint32_t digits = magnitude & f.fraction_mask();
  const int64_t least = f.min_exponent() - int64_t(f.fraction_bits);
  return field == 0 ? Parts{digits, least} : Parts{digits | f.least_normal(), least + int64_t(field) - 1};
}

void multiply(mpz_ptr out, spec::FloatFormat f, std::span<const uint32_t> numbers) {
  constexpr size_t kFew = 32;
  if (numbers.size() <= kFew) {
    mpz_set_ui(out, 1);
    for (const uint32_t x : numbers) mpz_mul_ui(out, out, parts(f, x).significand);
    return;
  }
  mpz_t right;
  mpz_init(right);
  const size_t half = numbers.size() / 2;
  multiply(out, f, numbers.first(half));
  multiply(right, f, numbers.subspan(half));
  mpz_mul(out, out, right);
  mpz_clear(right);
}

}  // namespace

ExactProduct::ExactProduct(spec::FloatFormat format, std::span<const uint32_t> numbers) : format_(format) {
  mpz_init(magnitude_);
  multiply(magnitude_, format_, numbers);
  for (const uint32_t x : numbers) {
    exponent_ += parts(format_, x).exponent;
    negative_ ^= (x & format_.sign_bit()) != 0;
  }
}
ExactProduct::~ExactProduct() { mpz_clear(magnitude_); }

int64_t ExactProduct::leading() const { return int64_t(mpz_sizeinbase(magnitude_, 2)) - 1 + exponent_; }

int64_t ExactProduct::ulp() const {
  const int64_t least = format_.min_exponent(), most = format_.max_exponent();
  return std::clamp(leading(), least, most) - int64_t(format_.fraction_bits);
}

uint32_t ExactProduct::rounded() const {
  const uint32_t sign = negative_ ? format_.sign_bit() : 0;
  if (leading() > format_.max_exponent()) return sign | format_.infinity();
  const int64_t unit = ulp(), shift = unit - exponent_;
  uint64_t digits = 0;
  if (shift <= 0) {
    digits = mpz_get_ui(magnitude_) << -shift;  // of at most the precision's bits, with the zeros
  } else {
    mpz_t whole;
    mpz_init(whole);
    mpz_fdiv_q_2exp(whole, magnitude_, uint64_t(shift));
    digits = mpz_get_ui(whole);
    mpz_clear(whole);
    const bool half = mpz_tstbit(magnitude_, uint64_t(shift) - 1) != 0;
    const bool more = mpz_scan1(magnitude_, 0) < uint64_t(shift) - 1;
    if (half && (more || (digits & 1) != 0)) ++digits;
  }
  // The leading bit of a normal number's digits counts its exponent up by the one that is taken off here.
  const int64_t field = unit - (format_.min_exponent() - int64_t(format_.fraction_bits));
  const uint64_t pattern = (uint64_t(field) << format_.fraction_bits) + digits;
  return sign | uint32_t(std::min<uint64_t>(pattern, format_.infinity()));
}

std::optional<uint64_t> ExactProduct::ulps_off(uint32_t result) const {
  if (format_.is_nan(result) || ((result & format_.sign_bit()) != 0) != negative_) return std::nullopt;
  const bool infinite = format_.is_infinite(result);
  const int64_t unit = ulp();
  if (leading() > format_.max_exponent()) {
    if (infinite) return 0;
    if (leading() > unit + 128) return UINT64_MAX;  // the result is nothing against it
  }
  // As many of the result's least units as it is, and the product in these too, or in finer ones.
  const Parts of = infinite ? Parts{1, format_.max_exponent() + 1} : parts(format_, result);
  // Far below the least number only that it is not zero counts.
  const bool tiny = leading() < unit - 64;
  const int64_t exponent = tiny ? unit - 64 : exponent_;
  const int64_t base = std::min({exponent, of.exponent, unit});
  mpz_t distance, mine;
  mpz_init_set_ui(distance, of.significand);
  mpz_mul_2exp(distance, distance, uint64_t(of.exponent - base));
  mpz_init(mine);
  if (tiny)
    mpz_set_ui(mine, 1);
  else
    mpz_set(mine, magnitude_);
  mpz_mul_2exp(mine, mine, uint64_t(exponent - base));
  mpz_sub(distance, distance, mine);
  mpz_abs(distance, distance);
  mpz_cdiv_q_2exp(distance, distance, uint64_t(unit - base));
  const uint64_t off = mpz_sizeinbase(distance, 2) > 64 ? UINT64_MAX : mpz_get_ui(distance);
  mpz_clear(distance);
  mpz_clear(mine);
  return off;
}

}  // namespace vyre::num
