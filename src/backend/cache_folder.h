// Where backends keep what they found out, for the next process.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

namespace vyre::backend {

/// The folder that a user gets without asking: $VYRE_CACHE_DIR/part, else $XDG_CACHE_HOME/vyre/part, else
/// ~/.cache/vyre/part; empty when there is no home.
std::filesystem::path cache_folder(std::string_view part);

/// Writes a file as a whole: under another name, then renamed, so that a reader sees all of it or none. A
/// cache that cannot be written is no error. Thread: any; the last writer wins.
void write_cached(const std::filesystem::path& file, std::span<const std::byte> content);

}  // namespace vyre::backend
