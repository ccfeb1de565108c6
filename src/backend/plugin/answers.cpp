#include "backend/plugin/answers.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace vyre::backend {
namespace {

bool continues(std::string_view text, size_t at) { return at < text.size() && (text[at] & 0xc0) == 0x80; }

/// The length of the printable code point at the start of the text, or 0.
size_t code_point(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (size_t i = 1; i < length; ++i) {
    if (!continues(text, i)) return 0;
  }
  uint32_t value = first & (0x7fu >> length);
  for (size_t i = 1; i < length; ++i) value = value << 6 | (byte(i) & 0x3fu);
  const uint32_t least = length == 4 ? 0x10000 : length == 3 ? 0x800 : 0xa0;  // below a0: control characters
  const bool surrogate = value >= 0xd800 && value < 0xe000;
  return value < least || value > 0x10ffff || surrogate ? 0 : length;
}

std::optional<DiagCode> code_of(vyre_plugin_status status) {
  switch (status) {
    case VYRE_PLUGIN_UNAVAILABLE: return DiagCode::B001;
    case VYRE_PLUGIN_UNSUPPORTED: return DiagCode::B002;
    case VYRE_PLUGIN_RESOURCE_EXCEEDED: return DiagCode::B003;
    case VYRE_PLUGIN_DEVICE_LOST: return DiagCode::B011;
    case VYRE_PLUGIN_FAULT: return DiagCode::B012;
    default: return std::nullopt;  // the plugin's number may be any
  }
}

/// What to do when the plugin says nothing about it.
std::string_view usual_help(DiagCode code) {
  if (code == DiagCode::B003) return "use smaller buffers, fewer at a time, or a smaller workgroup";
  if (code == DiagCode::B011) return "a new process may find the device well again";
  if (code == DiagCode::B012) return "this is a fault of the plugin: tell whoever made it";
  return "the plugin's own documentation says what it needs";
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t length = code_point(text);
    out += length == 0 ? "\xef\xbf\xbd" : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

Diag to_diag(std::string_view plugin, std::string_view call, vyre_plugin_status status,
             const vyre_plugin_error& error) {
  const auto code = code_of(status);
  if (!code)
    return broken_contract(plugin, fmt::format("{} answered with the unknown status {}", call, status));
  std::string message = text_of(error.message), help = text_of(error.help);
  if (message.empty()) message = "no reason given";
  if (help.empty()) help = usual_help(*code);
  return make_diag(*code, Span::none(), fmt::format("{}: {}: {}", plugin, call, message), std::move(help));
}

Diag broken_contract(std::string_view plugin, std::string message) {
  return make_diag(DiagCode::B012, Span::none(), fmt::format("{}: {}", plugin, message),
                   std::string(usual_help(DiagCode::B012)));
}

}  // namespace vyre::backend
