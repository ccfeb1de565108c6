#include "certify/canonical_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace vyre::certify {
namespace {

using nlohmann::json;

/// The order of UTF-16 code units, of texts in UTF-8: that of their bytes, but for U+E000 to U+FFFF (which
/// start with 0xee and 0xef) that come after the surrogates of what lies beyond.
struct Utf16Order {
  static uint8_t rank(char c) { return uint8_t(uint8_t(c) == 0xee || uint8_t(c) == 0xef ? c + 0x10 : c); }
  bool operator()(std::string_view a, std::string_view b) const {
    return std::ranges::lexicographical_compare(a, b, {}, rank, rank);
  }
};
template <typename Key, typename Value, typename Less, typename Allocator>
using SortedMap = std::map<Key, Value, Utf16Order, Allocator>;
using SortedJson = nlohmann::basic_json<SortedMap>;

/// What a value has that canonical JSON has not; empty for none. UTF-8 is the printer's matter.
std::string fault_of(const json& j) {
  if (j.is_number_float()) return fmt::format("{} is not an integer", j.dump());
  if (j.is_binary() || j.is_discarded()) return "bytes are no JSON";
  if (j.is_number_integer()) {
    const bool negative = !j.is_number_unsigned() && j.get<int64_t>() < 0;
    const uint64_t size = negative ? uint64_t{0} - j.get<uint64_t>() : j.get<uint64_t>();
    return size <= kLargestNumber ? "" : fmt::format("{} is beyond 2^53 - 1, so it has to be a string", size);
  }
  if (j.is_structured()) {
    for (const json& part : j)
      if (std::string fault = fault_of(part); !fault.empty()) return fault;
  }
  return "";
}

}  // namespace

json decimal(uint64_t value) { return std::to_string(value); }

std::expected<std::string, std::string> print_canonical(const json& value) {
  if (std::string fault = fault_of(value); !fault.empty()) return std::unexpected(std::move(fault));
  try {
    return SortedJson(value).dump();
  } catch (const json::type_error&) {
    return std::unexpected("a string is not UTF-8");
  }
}

std::expected<json, NotCanonical> parse_canonical(std::string_view text, int max_depth) {
  bool too_deep = false;
  const auto watch_depth = [&](int depth, json::parse_event_t, json&) {
    too_deep = too_deep || depth > max_depth;
    return !too_deep;
  };
  json out = json::parse(text.begin(), text.end(), watch_depth, /*allow_exceptions=*/false);
  if (out.is_discarded() || too_deep) return std::unexpected(NotCanonical{false, "it is not JSON"});
  const auto again = print_canonical(out);
  if (!again) return std::unexpected(NotCanonical{true, again.error()});
  if (*again != text)
    return std::unexpected(NotCanonical{true, "the text is not the canonical one of its contents"});
  return out;
}

}  // namespace vyre::certify
