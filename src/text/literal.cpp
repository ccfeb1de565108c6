#include "text/literal.h"

#include <fmt/format.h>

#include <array>

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
      hexadecimal();
    } else if (rest_.starts_with("0b") && rest_ != "0bf16") {  // 0bf16 is zero with the suffix bf16
      rest_.remove_prefix(2);
      if (digits(2)) suffix();
      if (number_.is_float && number_.malformed.empty())
        number_.malformed = "a binary number cannot be a float";
    } else {
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
    if (number_.magnitude > (UINT64_MAX - digit) / radix) number_.overflow = true;
    number_.magnitude = number_.magnitude * radix + digit;
  }

  void suffix() {
    if (rest_.empty()) return;
    const auto type = spec::find_type(rest_);
    if (!type || !(spec::kIntegers | spec::kFloats).contains(*type)) {
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

}  // namespace

Number read_number(std::string_view text) { return NumberReader(text).read(); }

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
    case DataType::F32: return fmt::format("f32({:#010x})", bits[0]);
    case DataType::F16: return fmt::format("f16({:#06x})", bits[0]);
    case DataType::BF16: return fmt::format("bf16({:#06x})", bits[0]);
    case DataType::Bytes:
    case DataType::Tensor: break;  // buffer types: no value has them
  }
  return fmt::format("{}", bits[0]);
}

}  // namespace vyre::text
