// `vyre lower --to web`: programs, or the conformance set, as a page for browsers.
#pragma once

#include <string>
#include <vector>

namespace vyre::tool {

/// The form that `vyre lower --to` knows it by.
inline constexpr const char* kWebForm = "web";

/// Writes the page of these programs, or of the conformance set, into a folder; gives the exit code.
int lower_to_web(const std::vector<std::string>& paths, bool with_conformance, const std::string& folder);

}  // namespace vyre::tool
