#include "backend/plugin/answers.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/printable.h"

namespace vyre::backend {
namespace {

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
  if (code == DiagCode::B012) return "this is a fault of the plugin: report it to its author";
  return "the plugin's own documentation says what it needs";
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool blank = c == ' ' || (c >= '\t' && c <= '\r');
    if (!blank) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (out.ends_with(' ')) out.pop_back();
  return printable(out);
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
