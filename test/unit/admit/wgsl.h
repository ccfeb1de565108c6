// WGSL that a person wrote, run on a device.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace vyre::admit {

/// results[i] = alternate(columns[0][i], columns[1][i], ...), where `function` declares `fn alternate`.
///
/// Shape   one to three columns of equal length, below 2^22; results as long. Library:
/// WebgpuOptions::library. Errors  B001 without a library, adapter or device; L003 with the implementation's
/// words for text that is no WGSL;
///         B003, B011. Returns who ran it.
Result<std::string> run_wgsl(std::string_view function, const std::vector<std::vector<uint32_t>>& columns,
                             std::span<uint32_t> results, const std::string& library);

}  // namespace vyre::admit
