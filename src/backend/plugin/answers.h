// Answers of plugins, as vyre takes them: statuses become diagnostics, and texts become texts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/diag.h"
#include "vyre/backend.h"

namespace vyre::backend {

/// A plugin's words on one line: runs of blanks, tabs and line ends are one blank, at the ends none.
std::string one_line(std::string_view text);

/// A text in a struct that a plugin has filled in, which may lack its null.
template <size_t n>
std::string text_of(const char (&field)[n]) {
  const std::string_view all(field, n);
  return one_line(all.substr(0, all.find('\0')));
}

/// An error to be filled in.
inline vyre_plugin_error no_error() {
  vyre_plugin_error error{};
  error.struct_size = sizeof error;
  return error;
}

/// The diagnostic for a status other than VYRE_PLUGIN_OK. `plugin` is who said it, `call` what was asked.
Diag to_diag(std::string_view plugin, std::string_view call, vyre_plugin_status status,
             const vyre_plugin_error& error);

/// B012: the plugin did not keep to the interface.
Diag broken_contract(std::string_view plugin, std::string message);

}  // namespace vyre::backend
