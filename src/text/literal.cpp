#include "text/literal.h"

#include <fmt/format.h>

#include <array>

#include "spec/float_format.h"
#include "spec/table.h"
#include "text/float_text.h"
#include "text/lexer.h"
#include "text/text.h"

namespace vyre::text {
namespace {

using spec::DataType;

bool is_digit_of(char c, unsigned radix) {
  if (radix == 16) return is_hex_digit(c);
  return is_digit(c) && unsigned(c - '0') < radix;
}

unsigned digit_value(char c) {
  if (is_digit(c)) return unsigned(c - '0');
  return unsigned((c | 0x20) - 'a') + 10;
}

/// Reads a number from left to right; the first thing that does not fit is its malformed message.
class NumberReader {
 public:
  explicit NumberReader(std::string_view text) : rest_(text) {}

  Number read() {
    if (rest_.starts_with("0X") || rest_.starts_with("0B")) {
      number_.malformed = "the prefixes of numbers are lower case: 0x and 0b";
      return number_;
    }
    if (rest_.starts_with("0x")) {
      rest_.remove_prefix(2);
      number_.hexadecimal = true;
      number_.digits = rest_;
      hexadecimal();
    } else if (rest_.starts_with("0b") && rest_ != "0bf16") {  // 0bf16 is zero with the suffix bf16
      rest_.remove_prefix(2);
      if (digits(2)) suffix();
      if (number_.is_float && number_.malformed.empty())
        number_.malformed = "a binary number cannot be a float";
    } else {
      number_.digits = rest_;
      decimal();
    }
    return number_;
  }

 private:
  void hexadecimal() {
    if (!digits(16)) return;
    bool point = false;
    if (rest_.starts_with('.')) {
      rest_.remove_prefix(1);
      point = true;
      if (!digits(16)) return;
    }
    if (rest_.starts_with('p') || rest_.starts_with('P')) {
      if (!exponent()) return;
    } else if (point) {
      number_.malformed = "a hexadecimal float has an exponent: 0x1.8p3";
      return;
    }
    suffix();
  }

  void decimal() {
    if (!digits(10)) return;
    if (rest_.starts_with('.')) {
      rest_.remove_prefix(1);
      make_float();
      if (!digits(10)) return;
    }
    if (rest_.starts_with('e') || rest_.starts_with('E')) {
      if (!exponent()) return;
    }
    suffix();
  }

  bool exponent() {
    rest_.remove_prefix(1);
    make_float();
    if (rest_.starts_with('+') || rest_.starts_with('-')) rest_.remove_prefix(1);
    if (!rest_.empty() && is_digit(rest_[0])) return digits(10);
    number_.malformed = "an exponent without digits";
    return false;
  }

  void make_float() {
    number_.is_float = true;
    number_.type = DataType::F32;
  }

  /// One or more digits, an underscore between any two.
  bool digits(unsigned radix) {
    bool after_digit = false;
    while (!rest_.empty()) {
      const char c = rest_[0];
      if (c == '_') {
        if (!after_digit || rest_.size() == 1 || !is_digit_of(rest_[1], radix)) {
          number_.malformed = "an underscore stands between two digits";
          return false;
        }
        after_digit = false;
      } else if (is_digit_of(c, radix)) {
        accumulate(digit_value(c), radix);
        after_digit = true;
      } else {
        break;
      }
      rest_.remove_prefix(1);
    }
    if (after_digit) return true;
    number_.malformed = radix == 16  ? "0x without hexadecimal digits"
                        : radix == 2 ? "0b without binary digits"
                                     : "a digit is missing";
    return false;
  }

  void accumulate(unsigned digit, unsigned radix) {
    if (number_.is_float) return;
    // Dividing 128 bits costs, so numbers of fewer than 64 bits, nearly all there are, do not come to it.
    const bool large = number_.magnitude >> 59 != 0;
    if (large && number_.magnitude > (~Magnitude{0} - digit) / radix) number_.overflow = true;
    number_.magnitude = number_.magnitude * radix + digit;
  }

  void suffix() {
    number_.digits.remove_suffix(rest_.size());
    if (rest_.empty()) return;
    const auto type = spec::find_type(rest_);
    if (!type || !(spec::kIntegers | spec::kFloats).contains(*type)) {
      number_.unknown = rest_;
      number_.malformed = fmt::format("`{}` is neither a digit here nor a suffix", rest_);
      return;
    }
    const bool float_suffix = spec::kFloats.contains(*type);
    if (number_.is_float && !float_suffix) {
      number_.malformed = fmt::format("a float cannot have the suffix {}", rest_);
      return;
    }
    number_.type = *type;
    number_.suffixed = true;
    number_.is_float = float_suffix;
  }

  std::string_view rest_;
  Number number_;
};

std::string magnitude_text(uint64_t value) {
  return value < 65536 ? fmt::format("{}", value) : fmt::format("{:#x}", value);
}

std::array<uint32_t, 4> words_of(Magnitude value) {
  return {uint32_t(value), uint32_t(value >> 32), uint32_t(value >> 64), uint32_t(value >> 96)};
}

/// The largest magnitude of an integer literal.
Magnitude largest(DataType type, bool negative) {
  if (type != DataType::I32) return ~Magnitude{0} >> (128 - spec::value_bits(type));
  return negative ? uint64_t{1} << 31 : uint64_t{INT32_MAX};
}

/// Floats that have a decimal are written as one, with a point or an exponent to tell them from integers; the
/// others by their bits, and so is what is no value of the type, which no text has.
std::string print_float(DataType type, uint32_t bits) {
  if (!spec::is_value({bits}, type) || !spec::float_format(type).is_finite(bits)) {
    return fmt::format("{}({:#0{}x})", spec::text(type), bits, 2 + 2 * spec::info(type).bytes);
  }
  std::string text = shortest_decimal(type, bits);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  if (type != DataType::F32) text += spec::text(type);
  return text;
}

}  // namespace

Number read_number(std::string_view text) { return NumberReader(text).read(); }

std::optional<std::array<uint32_t, 4>> literal_bits(const Number& number, bool negative) {
  if (!number.is_float) {
    if (number.overflow || number.magnitude > largest(number.type, negative)) return std::nullopt;
    return words_of(negative ? uint32_t(-number.magnitude) : number.magnitude);
  }
  const auto bits = number.hexadecimal ? float_from_hexadecimal(number.digits, number.type)
                                       : float_from_decimal(number.digits, number.type);
  if (!bits) return std::nullopt;
  return words_of(negative ? *bits | spec::float_format(number.type).sign_bit() : *bits);
}

namespace {

constexpr spec::Row<DataType, std::string_view> kRangeRows[] = {
    {DataType::U32, "u32 holds 0 to 4294967295 (0xffffffff)"},
    {DataType::I32,
     "i32 holds -2147483648i32 to 2147483647i32; a minus must stand directly before the number"},
    {DataType::U64, "u64 holds 0 to 18446744073709551615 (0xffffffffffffffff)"},
    {DataType::U128, "u128 holds 0 to 340282366920938463463374607431768211455, 32 hexadecimal digits"},
    {DataType::F16, "f16 holds magnitudes up to 65504; infinity is f16(0x7c00)"},
    {DataType::BF16, "bf16 holds magnitudes up to 3.39e38; infinity is bf16(0x7f80)"},
    {DataType::F32, "f32 holds magnitudes up to 3.4028235e38; infinity is f32(0x7f800000)"},
};
constexpr bool is_of_numbers(DataType type) {
  return spec::kIntegers.contains(type) || spec::kFloats.contains(type);
}
constexpr spec::TotalTable<kRangeRows, is_of_numbers> kRanges;

}  // namespace

std::string_view literal_range(DataType type) {
  return is_of_numbers(type) ? kRanges[type] : std::string_view();
}

bool takes_sign(const Number& number) { return number.is_float || number.type == DataType::I32; }

std::string print_literal(DataType type, const std::array<uint32_t, 4>& bits) {
  switch (type) {
    case DataType::U32: return magnitude_text(bits[0]);
    case DataType::I32: {
      const int32_t value = int32_t(bits[0]);
      return value < 0 ? fmt::format("{}i32", value) : magnitude_text(bits[0]) + "i32";
    }
    case DataType::Bool: return bits[0] == 0 ? "false" : "true";
    case DataType::U64: return magnitude_text(bits[0] | uint64_t(bits[1]) << 32) + "u64";
    case DataType::U128: {
      const uint64_t low = bits[0] | uint64_t(bits[1]) << 32, high = bits[2] | uint64_t(bits[3]) << 32;
      if (high == 0) return magnitude_text(low) + "u128";
      return fmt::format("{:#x}{:016x}u128", high, low);
    }
    case DataType::Vec2U32:
      return fmt::format("vec2u32({}, {})", magnitude_text(bits[0]), magnitude_text(bits[1]));
    case DataType::Vec4U32:
      return fmt::format("vec4u32({}, {}, {}, {})", magnitude_text(bits[0]), magnitude_text(bits[1]),
                         magnitude_text(bits[2]), magnitude_text(bits[3]));
    case DataType::F32:
    case DataType::F16:
    case DataType::BF16: return print_float(type, bits[0]);
    case DataType::Bytes:
    case DataType::I8:
    case DataType::U8:
    case DataType::FP8E4M3:
    case DataType::FP8E5M2:
    case DataType::FP4E2M1:
    case DataType::Tensor: break;  // buffer types: no value has them
  }
  return fmt::format("{}", bits[0]);
}

}  // namespace vyre::text
