// The library of a plugin: found, loaded and looked at, before anything in it is called.
#pragma once

#include <string>

#include "base/result.h"
#include "vyre/backend.h"

namespace vyre::backend {

/// B013: a plugin that cannot be used.
std::unexpected<Diag> unusable(
    std::string message,
    std::string help =
        "docs/adding-a-backend.md says what a plugin exports, and examples/backend-plugin is one");

/// Loads the library and gives its table: a copy, with nothing in the places that the plugin's own table is
/// too short for. Every function that the interface requires is there. Errors  B013: no such file, not a
/// library, a missing symbol, another version, a table with holes.
Result<vyre_plugin_api> load_plugin(const std::string& path, const vyre_plugin_host& host);

}  // namespace vyre::backend
