#include "text/float_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <compare>

#include "spec/float_format.h"

namespace vyre::text {
namespace {

using spec::DataType;

// Far outside every format, and far from where arithmetic on exponents would overflow.
constexpr int64_t kHugeExponent = int64_t{1} << 40;

/// mantissa * 2^exponent, and a little more if `sticky`, rounded to nearest, ties to even; none if it
/// overflows. Domain: sticky only with a mantissa of more than 25 bits.
std::optional<uint32_t> round_to(DataType type, uint64_t mantissa, bool sticky, int64_t exponent) {
  if (mantissa == 0) return 0;
  const spec::FloatFormat format = spec::float_format(type);
  const int64_t least = format.min_exponent();
  const int64_t top = exponent + std::bit_width(mantissa) - 1;
  const int64_t unit = std::max(top, least) - format.fraction_bits;  // exponent of the last stored bit
  const int64_t shift = unit - exponent;
  if (shift > 64) return 0;
  if (top > format.max_exponent()) return std::nullopt;
  uint64_t kept = 0;
  if (shift <= 0) {
    kept = mantissa << -shift;
  } else {
    kept = shift == 64 ? 0 : mantissa >> shift;
    const uint64_t half = uint64_t{1} << (shift - 1);
    const uint64_t rest = mantissa & (half | (half - 1));
    if (rest > half || (rest == half && (sticky || kept % 2 == 1))) ++kept;
  }
  // A carry out of the mantissa goes on into the exponent, which is just what it should do.
  const uint64_t bits = top < least ? kept : (uint64_t(top - least) << format.fraction_bits) + kept;
  if (bits >= format.infinity()) return std::nullopt;
  return uint32_t(bits);
}

/// A decimal in one form: 0.DIGITS * 10^point, without zeros around the digits. Zero has no digits.
struct Decimal {
  std::string digits;
  int64_t point = 0;

  std::strong_ordering operator<=>(const Decimal& other) const {
    if (digits.empty() || other.digits.empty()) return !digits.empty() <=> !other.digits.empty();
    if (point != other.point) return point <=> other.point;
    return digits <=> other.digits;
  }
};

/// The exponent behind its letter; a huge one counts as kHugeExponent.
int64_t read_exponent(std::string_view text) {
  const bool negative = text.starts_with('-');
  int64_t value = 0;
  for (const char c : text) {
    if (c >= '0' && c <= '9') value = std::min(value * 10 + (c - '0'), kHugeExponent);
  }
  return negative ? -value : value;
}

Decimal read_decimal(std::string_view text) {
  Decimal decimal;
  bool after_point = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == 'e' || c == 'E') {
      decimal.point += read_exponent(text.substr(i + 1));
      break;
    }
    if (c == '.') after_point = true;
    if (c < '0' || c > '9') continue;
    if (c != '0' || !decimal.digits.empty()) {
      decimal.digits += c;
      if (!after_point) ++decimal.point;
    } else if (after_point) {
      --decimal.point;
    }
  }
  decimal.digits.resize(decimal.digits.find_last_not_of('0') + 1);
  return decimal;
}

/// The exact value of a double, of which every one has a decimal.
Decimal exact_decimal(double value) {
  std::array<char, 400> buffer;  // a double above 1e-70 has fewer than 300 digits
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific, 350);
  return read_decimal({buffer.data(), end});
}

std::optional<uint32_t> round_decimal(const Decimal& decimal, DataType type) {
  // Beyond every format, and beyond what a double holds: decided before the double is made.
  if (decimal.digits.empty() || decimal.point < -60) return 0;
  if (decimal.point > 60) return std::nullopt;
  const std::string text = fmt::format("0.{}e{}", decimal.digits, decimal.point);
  double nearest = 0;
  std::from_chars(text.data(), text.data() + text.size(), nearest);
  int exponent = 0;
  const uint64_t mantissa = uint64_t(std::ldexp(std::frexp(nearest, &exponent), 53)) * 4;
  // The value lies between these two, with the double in the middle. Where they round alike, so does the
  // value; else the double is the midpoint of two floats, and the digits decide.
  const auto below = round_to(type, mantissa - 1, false, exponent - 55);
  const auto above = round_to(type, mantissa + 1, false, exponent - 55);
  if (below == above) return below;
  const auto order = decimal <=> exact_decimal(nearest);
  return order < 0 ? below : order > 0 ? above : round_to(type, mantissa, false, exponent - 55);
}

double to_double(DataType type, uint32_t bits) {
  const spec::FloatFormat format = spec::float_format(type);
  const uint32_t stored = bits & format.fraction_mask();
  const int biased = int((bits & format.infinity()) >> format.fraction_bits);
  const double mantissa = double(biased == 0 ? stored : stored | format.least_normal());
  return std::ldexp(mantissa, std::max(biased, 1) - 1 + format.min_exponent() - int(format.fraction_bits));
}

/// A float whose shortest decimal is number * 10^exponent, as std::to_chars writes it: in the shorter form,
/// without an exponent when both are equal; a whole number then with all its digits, since zeros would take
/// as much room.
std::string write_decimal(uint64_t number, int exponent, double value) {
  while (number % 10 == 0) {
    number /= 10;
    ++exponent;
  }
  const std::string digits = fmt::format("{}", number);
  const int point = int(digits.size()) + exponent;  // digits before the point
  std::string scientific = digits.substr(0, 1);
  if (digits.size() > 1) scientific += "." + digits.substr(1);
  scientific += fmt::format("e{}{:02}", point > 0 ? '+' : '-', std::abs(point - 1));
  std::string fixed;
  if (exponent >= 0) {
    fixed = fmt::format("{:.0f}", value);
  } else if (point > 0) {
    fixed = digits.substr(0, size_t(point)) + "." + digits.substr(size_t(point));
  } else {
    fixed = "0." + std::string(size_t(-point), '0') + digits;
  }
  return fixed.size() <= scientific.size() ? fixed : scientific;
}

/// The shortest decimal of a positive 16-bit float. The decimal of so many digits that is nearest to the
/// float need not be the one that reads back: below a power of two floats lie closer than above it. So its
/// neighbours are tried.
std::string shortest_of_16_bits(DataType type, uint32_t bits) {
  const double value = to_double(type, bits);
  for (int more = 0;; ++more) {
    const std::string text = fmt::format("{:.{}e}", value, more);
    const Decimal nearest = read_decimal(text);
    const int exponent = read_exponent(std::string_view(text).substr(text.find('e') + 1)) - more;
    const std::string padded = nearest.digits + std::string(size_t(more) + 1 - nearest.digits.size(), '0');
    uint64_t number = 0;
    std::from_chars(padded.data(), padded.data() + padded.size(), number);
    for (const uint64_t candidate : {number, number - 1, number + 1}) {
      if (candidate == 0) continue;
      const auto back = float_from_decimal(fmt::format("{}e{}", candidate, exponent), type);
      if (back == bits) return write_decimal(candidate, exponent, value);
    }
  }
}

}  // namespace

std::optional<uint32_t> float_from_decimal(std::string_view digits, DataType type) {
  return round_decimal(read_decimal(digits), type);
}

std::optional<uint32_t> float_from_hexadecimal(std::string_view digits, DataType type) {
  constexpr uint64_t kFull = uint64_t{1} << 59;  // room for one more digit
  uint64_t mantissa = 0;
  int64_t exponent = 0;
  bool sticky = false, after_point = false;
  for (size_t i = 0; i < digits.size(); ++i) {
    const char c = digits[i];
    if (c == 'p' || c == 'P') {
      exponent += read_exponent(digits.substr(i + 1));
      break;
    }
    if (c == '.') after_point = true;
    if (c == '.' || c == '_') continue;
    const uint64_t digit = c <= '9' ? uint64_t(c - '0') : uint64_t((c | 0x20) - 'a') + 10;
    if (mantissa < kFull) {
      mantissa = mantissa * 16 + digit;
      exponent -= after_point ? 4 : 0;
    } else {
      sticky = sticky || digit != 0;
      exponent += after_point ? 0 : 4;
    }
  }
  return round_to(type, mantissa, sticky, exponent);
}

uint32_t float_from_integer(uint64_t value, DataType type) {
  return round_to(type, value, false, 0).value_or(spec::float_format(type).infinity());
}

std::string shortest_decimal(DataType type, uint32_t bits) {
  const uint32_t magnitude = bits & ~spec::float_format(type).sign_bit();
  std::string out = bits == magnitude ? "" : "-";
  if (magnitude == 0) return out + "0";
  if (type != DataType::F32) return out + shortest_of_16_bits(type, magnitude);
  std::array<char, 32> buffer;
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::bit_cast<float>(magnitude));
  return out.append(buffer.data(), end);
}

}  // namespace vyre::text
