#include "certify/canonical_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace vyre::certify {
namespace {

using nlohmann::json;

/// The code points of UTF-8 text; nothing where it is not well-formed (RFC 3629: the shortest form, no
/// surrogates, at most U+10FFFF).
std::optional<std::vector<char32_t>> code_points(std::string_view text) {
  std::vector<char32_t> out;
  for (size_t at = 0; at < text.size();) {
    const auto first = static_cast<unsigned char>(text[at]);
    const size_t length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if ((first >= 0x80 && first < 0xc2) || first > 0xf4 || at + length > text.size()) return std::nullopt;
    char32_t c = length == 1 ? first : first & (0x7fu >> length);
    for (size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[at + k]);
      if ((next & 0xc0) != 0x80) return std::nullopt;
      c = c << 6 | (next & 0x3f);
    }
    constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};  // of that many bytes
    if (c < kLeast[length] || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff) return std::nullopt;
    out.push_back(c);
    at += length;
  }
  return out;
}

std::u16string utf16(const std::vector<char32_t>& text) {
  std::u16string out;
  for (const char32_t c : text) {
    if (c < 0x10000) {
      out.push_back(char16_t(c));
    } else {
      out.push_back(char16_t(0xd800 + ((c - 0x10000) >> 10)));
      out.push_back(char16_t(0xdc00 + ((c - 0x10000) & 0x3ff)));
    }
  }
  return out;
}

/// RFC 8785, section 3.2.2.2: two-character escapes where there is one, else \u00xx for controls, and the
/// character itself for all the rest.
void quote(std::string& out, std::string_view text) {
  out.push_back('"');
  for (const char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\b': out += "\\b"; break;
      case '\t': out += "\\t"; break;
      case '\n': out += "\\n"; break;
      case '\f': out += "\\f"; break;
      case '\r': out += "\\r"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned char>(c));
        } else {
          out.push_back(c);
        }
    }
  }
  out.push_back('"');
}

class Printer {
 public:
  std::string text, fault;

  void value(const json& j) {
    switch (j.type()) {
      case json::value_t::null: text += "null"; return;
      case json::value_t::boolean: text += j.get<bool>() ? "true" : "false"; return;
      case json::value_t::number_integer: return integer(j.get<int64_t>());
      case json::value_t::number_unsigned: return natural(j.get<uint64_t>());
      case json::value_t::number_float: return fail(fmt::format("{} is not an integer", j.dump()));
      case json::value_t::string: return string(j.get_ref<const std::string&>());
      case json::value_t::array: return array(j);
      case json::value_t::object: return object(j);
      case json::value_t::binary:
      case json::value_t::discarded: return fail("bytes are no JSON");
    }
  }

 private:
  void fail(std::string what) {
    if (fault.empty()) fault = std::move(what);
  }
  void natural(uint64_t n) {
    if (n > kLargestNumber) return fail(fmt::format("{} is beyond 2^53 - 1, so it has to be a string", n));
    text += std::to_string(n);
  }
  void integer(int64_t n) {
    if (n < 0) text.push_back('-');
    natural(n < 0 ? uint64_t{0} - uint64_t(n) : uint64_t(n));
  }
  void string(const std::string& s) {
    if (!code_points(s)) return fail("a string is not UTF-8");
    quote(text, s);
  }
  void array(const json& j) {
    text.push_back('[');
    for (size_t k = 0; k < j.size(); ++k) {
      if (k != 0) text.push_back(',');
      value(j[k]);
    }
    text.push_back(']');
  }
  void object(const json& j) {
    std::vector<std::pair<std::u16string, json::const_iterator>> members;
    for (auto at = j.begin(); at != j.end(); ++at) {
      const auto key = code_points(at.key());
      if (!key) return fail("a key is not UTF-8");
      members.emplace_back(utf16(*key), at);
    }
    std::ranges::sort(members, {}, [](const auto& member) -> const std::u16string& { return member.first; });
    text.push_back('{');
    for (size_t k = 0; k < members.size(); ++k) {
      if (k != 0) text.push_back(',');
      quote(text, members[k].second.key());
      text.push_back(':');
      value(*members[k].second);
    }
    text.push_back('}');
  }
};

}  // namespace

json decimal(uint64_t value) { return std::to_string(value); }

std::expected<std::string, std::string> print_canonical(const json& value) {
  Printer printer;
  printer.value(value);
  if (!printer.fault.empty()) return std::unexpected(std::move(printer.fault));
  return std::move(printer.text);
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
