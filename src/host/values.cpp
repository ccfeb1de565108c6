#include "host/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/random.h"
#include "host/safetensors.h"
#include "ref/small.h"
#include "spec/float_format.h"
#include "text/float_text.h"
#include "text/lexer.h"
#include "text/literal.h"

namespace vyre::host {
namespace {

using spec::DataType;

std::unexpected<UsageError> usage(std::string message) {
  return std::unexpected(UsageError{std::move(message)});
}

/// Digits to an unsigned number; nothing may follow them.
std::expected<uint64_t, UsageError> parse_number(std::string_view digits, int base, std::string_view whole) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error == std::errc::result_out_of_range) return usage(fmt::format("'{}' is too large", whole));
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) {
    return usage(fmt::format("'{}' is not a number", whole));
  }
  return value;
}

std::expected<uint64_t, UsageError> parse_count(std::string_view text) {
  auto count = parse_number(text, 10, text);
  if (count && *count > UINT32_MAX) return usage(fmt::format("a buffer of {} elements is too large", *count));
  return count;
}

using Wide = text::Magnitude;

/// The low bytes of a value, as many as an element has.
void append(Bytes& out, Wide value, DataType element) {
  for (uint32_t i = 0; i < spec::info(element).bytes; ++i) out.push_back(std::byte(value >> (8 * i) & 0xff));
}

std::unexpected<UsageError> does_not_fit(std::string_view text, DataType element) {
  return usage(fmt::format("'{}' does not fit {}", text, spec::text(element)));
}

bool is_hexadecimal(std::string_view text) { return text.starts_with("0x") || text.starts_with("0X"); }

/// Digits to a number of up to 128 bits; none if it is larger. Nothing but digits may stand there.
std::expected<std::optional<Wide>, UsageError> parse_digits(std::string_view digits, unsigned base,
                                                            std::string_view whole) {
  Wide value = 0;
  bool overflow = false;
  for (const char c : digits) {
    const bool decimal = text::is_digit(c);
    if (!decimal && !(base == 16 && text::is_hex_digit(c))) {
      return usage(fmt::format("'{}' is not a number", whole));
    }
    const unsigned digit = decimal ? unsigned(c - '0') : unsigned((c | 0x20) - 'a') + 10;
    overflow = overflow || value > (~Wide{0} - digit) / base;
    value = value * base + digit;
  }
  if (digits.empty()) return usage(fmt::format("'{}' is not a number", whole));
  return overflow ? std::nullopt : std::optional(value);
}

/// Hexadecimal writes the bits of the element, decimal its value.
std::expected<Wide, UsageError> parse_integer(std::string_view text, DataType element) {
  const bool negative = text.starts_with('-');
  std::string_view digits = negative ? text.substr(1) : text;
  const bool hex = is_hexadecimal(digits);
  if (hex) digits.remove_prefix(2);
  auto magnitude = parse_digits(digits, hex ? 16 : 10, text);
  if (!magnitude) return std::unexpected(magnitude.error());
  Wide largest = ~Wide{0} >> (128 - spec::packed_bits(element));
  const bool is_signed = element == DataType::I32 || element == DataType::I8;
  if (is_signed && (!hex || negative)) largest = largest / 2 + (negative ? 1 : 0);
  if (!is_signed && negative) largest = 0;
  if (!*magnitude || **magnitude > largest) return does_not_fit(text, element);
  return negative ? -**magnitude : **magnitude;
}

/// Digits, a point between digits, an exponent.
bool is_decimal(std::string_view text) {
  const auto take_digits = [&] {
    const size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(end);
    return end > 0;
  };
  if (!take_digits()) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (!take_digits()) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (!take_digits()) return false;
  }
  return text.empty();
}

/// How a value that is no number of finite size is written here, or nothing.
std::string_view written_here(std::string_view text) {
  constexpr auto kForms = std::to_array<std::pair<std::string_view, std::string_view>>({{"nan", "nan"},
                                                                                        {"inf", "inf"},
                                                                                        {"+inf", "inf"},
                                                                                        {"-inf", "-inf"},
                                                                                        {"infinity", "inf"},
                                                                                        {"+infinity", "inf"},
                                                                                        {"-infinity", "-inf"},
                                                                                        {"-nan", "nan"}});
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  const auto* const found =
      std::ranges::find(kForms, lower, &std::pair<std::string_view, std::string_view>::first);
  return found == kForms.end() ? std::string_view{} : found->second;
}

std::expected<Wide, UsageError> parse_float(std::string_view text, DataType element) {
  if (is_hexadecimal(text)) return parse_integer(text, element);
  if (text == "nan") return spec::float_format(element).nan();
  const bool negative = text.starts_with('-');
  const std::string_view magnitude = negative ? text.substr(1) : text;
  const uint32_t sign = negative ? spec::float_format(element).sign_bit() : 0;
  if (magnitude == "inf") return sign | spec::float_format(element).infinity();
  if (!is_decimal(magnitude)) {
    const std::string_view here = written_here(text);
    return usage(here.empty() ? fmt::format("'{}' is not a number", text)
                              : fmt::format("'{}' is not a number: it is written {}", text, here));
  }
  const auto bits = text::float_from_decimal(magnitude, element);
  if (!bits) return does_not_fit(text, element);
  return sign | *bits;
}

/// The number as an f32, rounded as a cast does.
std::expected<Wide, UsageError> parse_small_float(std::string_view text, DataType element) {
  if (is_hexadecimal(text)) return parse_integer(text, element);
  const auto single = parse_float(text, DataType::F32);
  if (!single) return single;
  const uint32_t pattern = ref::small_of_f32(element, uint32_t(*single));
  const uint32_t back = ref::f32_of_small(element, pattern);
  const auto kind = [](uint32_t bits) {
    return spec::kBinary32.is_finite(bits) ? 0 : spec::kBinary32.is_nan(bits) ? 1 : 2;
  };
  constexpr uint32_t kSeven = 0x40e0'0000;  // above it fp4 is no nearest one, but the greatest
  const bool saturates = element == DataType::FP4E2M1 && (*single & 0x7fff'ffff) > kSeven;
  if (saturates || kind(uint32_t(*single)) != kind(back)) return does_not_fit(text, element);
  return pattern;
}

/// (1,0x2): the components of a vector.
std::expected<void, UsageError> parse_vector(std::string_view text, DataType element, Bytes& out) {
  const uint32_t count = spec::components(element);
  if (!text.starts_with('(') || !text.ends_with(')') ||
      std::ranges::count(text, ',') != std::ptrdiff_t(count) - 1) {
    return usage(
        fmt::format("'{}' is not a {}: ({})", text, spec::text(element), count == 2 ? "1,2" : "1,2,3,4"));
  }
  std::string_view rest = text.substr(1, text.size() - 2);
  for (uint32_t i = 0; i < count; ++i) {
    const size_t comma = std::min(rest.find(','), rest.size());
    auto component = parse_integer(rest.substr(0, comma), DataType::U32);
    if (!component) return std::unexpected(component.error());
    append(out, *component, DataType::U32);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return {};
}

std::expected<void, UsageError> append_parsed(std::expected<Wide, UsageError> value, DataType element,
                                              Bytes& out) {
  if (!value) return std::unexpected(value.error());
  append(out, *value, element);
  return {};
}

/// The index converted to the type. Domain: an integer or a float.
Wide converted(uint64_t index, DataType element) {
  if (spec::is_small(element) && spec::wide_type(element) == DataType::F32)
    return ref::small_of_f32(element, text::float_from_integer(index, DataType::F32));
  return spec::kFloats.contains(element) ? text::float_from_integer(index, element) : index;
}

std::expected<Array, UsageError> file_spec(std::string_view path, DataType element) {
  if (const auto place = tensor_place(path)) return read_tensor(*place, element);
  const size_t size = spec::info(element).bytes;
  const uint64_t most = UINT32_MAX * uint64_t(size);  // lengths are u32
  auto bytes = read_file(std::string(path), is_npy(path) ? most + kMaxNpyHeader : most);
  if (!bytes) return std::unexpected(bytes.error());
  if (is_npy(path)) {
    auto array = parse_npy(*bytes, element);
    return array ? std::move(array) : usage(fmt::format("'{}': {}", path, array.error().message));
  }
  if (element == DataType::Bytes) {
    bytes->resize((bytes->size() + 3) / 4 * 4);
  } else if (bytes->size() % size != 0) {
    return usage(fmt::format("'{}' has {} bytes, which is not a multiple of the {} bytes of a {}", path,
                             bytes->size(), size, spec::text(element)));
  }
  if (has_more_bits(*bytes, element)) {
    return usage(fmt::format("'{}' has a byte above 15, and each is a {}, in its low half", path,
                             spec::text(element)));
  }
  return Array{*std::move(bytes), std::nullopt};
}

struct Seeded {
  uint64_t count, seed;
};
/// FORM:COUNT:SEED
std::expected<Seeded, UsageError> parse_seeded(std::string_view text) {
  const size_t first = text.find(':'), second = text.find(':', first + 1);
  const std::string_view form = text.substr(0, first);
  if (second == text.npos) return usage(fmt::format("{0} takes a count and a seed: {0}:COUNT:SEED", form));
  auto count = parse_count(text.substr(first + 1, second - first - 1));
  if (!count) return std::unexpected(count.error());
  auto seed = parse_number(text.substr(second + 1), 10, text.substr(second + 1));
  if (!seed) return std::unexpected(seed.error());
  return Seeded{*count, *seed};
}

uint32_t random_word(uint64_t seed, uint64_t i) { return philox(seed, i / 4)[i % 4]; }

/// The top n bits of a word an element, times 2^-n: n is the precision of the type, so each is exact.
std::expected<Bytes, UsageError> uniform_spec(std::string_view text, DataType element) {
  if (!spec::kFloats.contains(element)) {
    return usage(fmt::format("uniform is of floats, and this buffer is of {}; random:COUNT:SEED fills any",
                             spec::text(element)));
  }
  auto asked = parse_seeded(text);
  if (!asked) return std::unexpected(asked.error());
  const spec::FloatFormat format = spec::float_format(element);
  const uint32_t bits = format.precision();
  Bytes out;
  out.reserve(size_t(asked->count) * spec::info(element).bytes);
  for (uint64_t i = 0; i < asked->count; ++i) {
    const uint32_t whole = text::float_from_integer(random_word(asked->seed, i) >> (32 - bits), element);
    append(out, whole == 0 ? 0 : whole - (bits << format.fraction_bits), element);
  }
  return out;
}

}  // namespace

std::expected<void, UsageError> parse_element(std::string_view text, DataType element, Bytes& out) {
  switch (element) {
    case DataType::U32:
    case DataType::I32:
    case DataType::U64:
    case DataType::U128:
    case DataType::I8:
    case DataType::U8:
    case DataType::Bytes: return append_parsed(parse_integer(text, element), element, out);
    case DataType::F16:
    case DataType::BF16:
    case DataType::F32: return append_parsed(parse_float(text, element), element, out);
    case DataType::FP8E4M3:
    case DataType::FP8E5M2:
    case DataType::FP4E2M1: return append_parsed(parse_small_float(text, element), element, out);
    case DataType::Bool:
      if (text != "true" && text != "false") return usage(fmt::format("'{}' is not true or false", text));
      append(out, text == "true" ? 1 : 0, element);
      return {};
    case DataType::Vec2U32:
    case DataType::Vec4U32: return parse_vector(text, element, out);
    case DataType::Tensor: break;  // its elements have another type
  }
  return usage(fmt::format("there are no literals of {}", spec::text(element)));
}

namespace {

std::string_view without_blanks(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(' '), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

/// Why a word is no literal: what it may have been meant as.
UsageError no_literal(std::string_view word, UsageError error) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(std::filesystem::path(word), ignored)) {
    error.message += fmt::format("; a file is written @{}", word);
  } else if (!word.empty() && text::begins_word(word[0])) {
    error.message +=
        "; the forms are @file, zeros:N, iota:N, random:N:SEED, uniform:N:SEED and literals 1,0x2,-3";
  }
  return error;
}

}  // namespace

std::expected<Array, UsageError> parse_array(std::string_view text, DataType element) {
  if (text.starts_with('@')) return file_spec(text.substr(1), element);
  auto bytes = parse_spec(text, element);
  if (!bytes) return std::unexpected(bytes.error());
  return Array{*std::move(bytes), std::nullopt};
}

std::expected<Bytes, UsageError> parse_spec(std::string_view text, DataType element) {
  if (text.starts_with('@')) {
    auto array = file_spec(text.substr(1), element);
    if (!array) return std::unexpected(array.error());
    return std::move(array->bytes);
  }
  const size_t size = spec::info(element).bytes;
  if (text.starts_with("zeros:")) {
    auto count = parse_count(text.substr(6));
    if (!count) return std::unexpected(count.error());
    return Bytes(size_t(*count) * size);
  }
  if (element == DataType::Bool || spec::kVectors.contains(element)) {
    return usage(fmt::format("a {} buffer takes @file or zeros:COUNT", spec::text(element)));
  }
  if (text.starts_with("iota:")) {
    auto count = parse_count(text.substr(5));
    if (!count) return std::unexpected(count.error());
    Bytes out;
    out.reserve(size_t(*count) * size);
    for (uint64_t i = 0; i < *count; ++i) append(out, converted(i, element), element);
    return out;
  }
  if (text.starts_with("random:")) {
    auto asked = parse_seeded(text);
    if (!asked) return std::unexpected(asked.error());
    Bytes out(size_t(asked->count) * size);
    for (size_t at = 0; at < out.size(); at += 4) {
      const uint32_t word = random_word(asked->seed, at / 4);
      std::memcpy(out.data() + at, &word,
                  std::min<size_t>(4, out.size() - at));  // an odd f16 takes half a word
    }
    if (element == DataType::FP4E2M1) {
      for (std::byte& one : out) one &= std::byte{0xf};
    }
    return out;
  }
  if (text.starts_with("uniform:")) return uniform_spec(text, element);
  Bytes out;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view word = without_blanks(text.substr(0, comma));
    auto parsed = parse_element(word, element, out);
    if (!parsed) return std::unexpected(no_literal(word, std::move(parsed.error())));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
    if (without_blanks(text).empty()) return usage("a literal is missing after the last comma");
  }
  return out;
}

uint64_t announced_bytes(std::string_view text, DataType element) {
  for (const std::string_view form : {"zeros:", "iota:", "random:", "uniform:"}) {
    if (!text.starts_with(form)) continue;
    const std::string_view rest = text.substr(form.size());
    const auto count = parse_count(rest.substr(0, rest.find(':')));
    return count ? *count * spec::info(element).bytes : 0;
  }
  return 0;
}

namespace {

std::string format_float(DataType element, uint32_t bits) {
  if (spec::float_format(element).is_nan(bits)) return "nan";
  if (spec::float_format(element).is_finite(bits)) return text::shortest_decimal(element, bits);
  return bits == spec::float_format(element).infinity() ? "inf" : "-inf";
}

std::string format_u128(Wide value) {
  std::string digits;
  for (; value >= 10; value /= 10) digits += char('0' + unsigned(value % 10));
  digits += char('0' + unsigned(value));
  return {digits.rbegin(), digits.rend()};
}

std::string format_vector(const std::byte* at, DataType element, bool hex) {
  std::string out = "(";
  for (uint32_t i = 0; i < spec::components(element); ++i) {
    if (i > 0) out += ',';
    out += format_element(at + size_t(4) * i, DataType::U32, hex);
  }
  return out + ')';
}

}  // namespace

std::string format_element(const std::byte* at, DataType element, bool hex) {
  if (spec::kVectors.contains(element)) return format_vector(at, element, hex);
  Wide value = 0;
  std::memcpy(&value, at, spec::info(element).bytes);
  const uint64_t low = uint64_t(value), high = uint64_t(value >> 64);
  if (hex && element == DataType::U128) return fmt::format("0x{:016x}{:016x}", high, low);
  if (hex) return fmt::format("0x{:0{}x}", low, (spec::packed_bits(element) + 3) / 4);
  switch (element) {
    case DataType::U32:
    case DataType::U64:
    case DataType::U8:
    case DataType::Bytes: return fmt::format("{}", low);
    case DataType::I8: return fmt::format("{}", int8_t(low));
    case DataType::FP8E4M3:
    case DataType::FP8E5M2:
    case DataType::FP4E2M1: return format_float(DataType::F32, ref::f32_of_small(element, uint32_t(low)));
    case DataType::I32: return fmt::format("{}", int32_t(low));
    case DataType::Bool: return low != 0 ? "true" : "false";
    case DataType::U128: return format_u128(value);
    case DataType::F16:
    case DataType::BF16:
    case DataType::F32: return format_float(element, uint32_t(low));
    case DataType::Vec2U32:
    case DataType::Vec4U32:
    case DataType::Tensor: break;  // above; a tensor's elements have another type
  }
  return fmt::format("{:#x}", low);
}

std::string format_buffer(std::string_view name, std::span<const std::byte> bytes, DataType element,
                          bool hex) {
  std::string out(name);
  out += ':';
  const size_t size = spec::info(element).bytes;
  for (size_t at = 0; at + size <= bytes.size(); at += size) {
    out += ' ';
    out += format_element(bytes.data() + at, element, hex);
  }
  return out;
}

}  // namespace vyre::host
