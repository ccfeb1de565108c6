#include "host/values.h"

#include <fmt/format.h>

#include <charconv>

#include "base/random.h"

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

void append_word(Bytes& out, uint32_t word) {
  out.resize(out.size() + 4);
  store_u32(out.data() + out.size() - 4, word);
}

std::expected<uint32_t, UsageError> parse_word(std::string_view text, DataType element) {
  const bool negative = text.starts_with('-');
  std::string_view digits = negative ? text.substr(1) : text;
  const bool hex = digits.starts_with("0x") || digits.starts_with("0X");
  if (hex) digits.remove_prefix(2);
  auto magnitude = parse_number(digits, hex ? 16 : 10, text);
  if (!magnitude) return std::unexpected(magnitude.error());
  // Hexadecimal writes the bits of the element; decimal writes its value.
  const bool is_signed = element == DataType::I32;
  const uint64_t largest = !is_signed || (hex && !negative) ? UINT32_MAX
                           : negative                       ? 0x80000000u
                                                            : 0x7fffffffu;
  if (negative && !is_signed && *magnitude != 0) {
    return usage(fmt::format("'{}' does not fit {}", text, spec::text(element)));
  }
  if (*magnitude > largest) return usage(fmt::format("'{}' does not fit {}", text, spec::text(element)));
  return negative ? uint32_t(0) - uint32_t(*magnitude) : uint32_t(*magnitude);
}

std::expected<Bytes, UsageError> file_spec(std::string_view path, DataType element) {
  auto bytes = read_file(std::string(path));
  if (!bytes) return bytes;
  const size_t size = spec::info(element).bytes;
  if (element == DataType::Bytes) {
    bytes->resize((bytes->size() + 3) / 4 * 4);
  } else if (bytes->size() % size != 0) {
    return usage(fmt::format("'{}' has {} bytes, which is not a multiple of the {} bytes of a {}", path,
                             bytes->size(), size, spec::text(element)));
  }
  return bytes;
}

}  // namespace

std::expected<void, UsageError> parse_element(std::string_view text, DataType element, Bytes& out) {
  switch (element) {
    case DataType::U32:
    case DataType::I32:
    case DataType::Bytes: {
      auto word = parse_word(text, element);
      if (!word) return std::unexpected(word.error());
      append_word(out, *word);
      return {};
    }
    case DataType::Bool:
      if (text != "true" && text != "false") return usage(fmt::format("'{}' is not true or false", text));
      append_word(out, text == "true" ? 1 : 0);
      return {};
    case DataType::U64:
    case DataType::U128:
    case DataType::Vec2U32:
    case DataType::Vec4U32:
    case DataType::F16:
    case DataType::BF16:
    case DataType::F32:
    case DataType::Tensor: break;
  }
  return usage(fmt::format("literals of {} are not available", spec::text(element)));
}

std::expected<Bytes, UsageError> parse_spec(std::string_view text, DataType element) {
  if (text.starts_with('@')) return file_spec(text.substr(1), element);
  const size_t size = spec::info(element).bytes;
  if (text.starts_with("zeros:")) {
    auto count = parse_count(text.substr(6));
    if (!count) return std::unexpected(count.error());
    return Bytes(size_t(*count) * size);
  }
  if (element == DataType::Bool) {
    return usage("a bool buffer takes @file or zeros:COUNT");
  }
  if (text.starts_with("iota:")) {
    auto count = parse_count(text.substr(5));
    if (!count) return std::unexpected(count.error());
    Bytes out;
    out.reserve(size_t(*count) * size);
    for (uint64_t i = 0; i < *count; ++i) append_word(out, uint32_t(i));
    return out;
  }
  if (text.starts_with("random:")) {
    const std::string_view rest = text.substr(7);
    const size_t colon = rest.find(':');
    if (colon == std::string_view::npos) return usage("random takes a count and a seed: random:COUNT:SEED");
    auto count = parse_count(rest.substr(0, colon));
    if (!count) return std::unexpected(count.error());
    auto seed = parse_number(rest.substr(colon + 1), 10, rest.substr(colon + 1));
    if (!seed) return std::unexpected(seed.error());
    Bytes out(size_t(*count) * size);
    for (size_t at = 0; at < out.size(); at += 4)
      store_u32(out.data() + at, philox(*seed, at / 16)[at / 4 % 4]);
    return out;
  }
  Bytes out;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    auto parsed = parse_element(text.substr(0, comma), element, out);
    if (!parsed) return std::unexpected(parsed.error());
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
    if (text.empty()) return usage("a literal is missing after the last comma");
  }
  return out;
}

uint64_t announced_bytes(std::string_view text, DataType element) {
  for (const std::string_view form : {"zeros:", "iota:", "random:"}) {
    if (!text.starts_with(form)) continue;
    const std::string_view rest = text.substr(form.size());
    const auto count = parse_count(rest.substr(0, rest.find(':')));
    return count ? *count * spec::info(element).bytes : 0;
  }
  return 0;
}

std::string format_element(const std::byte* at, DataType element, bool hex) {
  const uint32_t word = load_u32(at);
  if (hex) return fmt::format("0x{:08x}", word);
  switch (element) {
    case DataType::U32:
    case DataType::Bytes: return fmt::format("{}", word);
    case DataType::I32: return fmt::format("{}", int32_t(word));
    case DataType::Bool: return word != 0 ? "true" : "false";
    case DataType::U64:
    case DataType::U128:
    case DataType::Vec2U32:
    case DataType::Vec4U32:
    case DataType::F16:
    case DataType::BF16:
    case DataType::F32:
    case DataType::Tensor: break;  // no program that check() accepts has such a buffer yet
  }
  return fmt::format("0x{:08x}", word);
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
