// A failing case as a file in another language: for a compiler's bug tracker, a vendor, a debugger.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "suite/failing_case.h"

namespace vyre::suite {

enum class Format : uint8_t { Vyre, Wgsl, Spirv, Cuda, Cpp };
struct FormatInfo {
  Format format;
  std::string_view text;  // as --emit has it
  std::string_view ending;
};
inline constexpr std::array<FormatInfo, 5> kFormats = {{{Format::Vyre, "vyre", ".vyre"},
                                                        {Format::Wgsl, "wgsl", ".wgsl"},
                                                        {Format::Spirv, "spirv", ".spv"},
                                                        {Format::Cuda, "cu", ".cu"},
                                                        {Format::Cpp, "cpp", ".cpp"}}};
std::optional<Format> find_format(std::string_view text);
constexpr const FormatInfo& info(Format format) { return kFormats[static_cast<size_t>(format)]; }

/// The file. cpp and cu have the data and what is expected in them and say whether it came; wgsl has both as
/// comments; spirv is the module alone.
/// Errors  B002, B003: of the printers; C003: the case is no program.
Result<std::string> emit(const FailingCase& failing, Format format);

}  // namespace vyre::suite
