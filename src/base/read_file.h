// Files that come from outside, read whole: the one way in which vyre reads what a person names.
//
// A name can stand for anything: a device that never ends, a pipe without a writer, a sparse file larger
// than memory. So it is looked at before it is read. Regular files are read, and the pipes that a shell makes
// (`vyre check <(generate)`, `generate | vyre check /dev/stdin`); everything else is refused. Each use says
// how much makes sense for it, and what holds more is refused before any of it is read, where the system
// knows its size, and else as soon as that much has come.
#pragma once

#include <cstdint>
#include <expected>
#include <filesystem>
#include <string>

#include "base/bytes.h"

namespace vyre {

// What makes sense of each kind of file.
inline constexpr uint64_t kMaxProgramBytes = 1ull << 30;  // 4,194,304 nodes and their comments
inline constexpr uint64_t kMaxCertificateBytes = 1ull
                                                 << 28;  // packed, those of this build take less than 2^22
inline constexpr uint64_t kMaxListBytes = 1ull << 24;    // expectations, corpora, failing cases
inline constexpr uint64_t kMaxKeyBytes = 1ull << 16;

/// The bytes of a file of at most `most`. Errors: a sentence that names the file.
std::expected<Bytes, std::string> read_file_bytes(const std::filesystem::path& path, uint64_t most);
std::expected<std::string, std::string> read_file_text(const std::filesystem::path& path, uint64_t most);

}  // namespace vyre
