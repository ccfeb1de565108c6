// `vyre lower --to web`: programs, or the conformance set, as a page for browsers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vyre::tool {

/// The form that `vyre lower --to` knows it by, and the backend whose form it is.
inline constexpr std::string_view kWebForm = "web";
inline constexpr std::string_view kWebBackend = "webgpu";

/// Writes the page of these programs, or of the conformance set, into a folder; gives the exit code.
/// `entry`: which program of the one file.
int lower_to_web(const std::vector<std::string>& paths, bool with_conformance, const std::string& folder,
                 const std::optional<std::string>& entry);

}  // namespace vyre::tool
