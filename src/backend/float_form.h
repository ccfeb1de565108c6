// How a backend is to do arithmetic on floats; the choice never changes a result (backend/floats.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace vyre::backend {

enum class FloatForm : uint8_t {
  Auto,      // what is promised and what the probe leaves of it
  Native,    // what is promised; the probe is not asked
  Composed,  // integers alone
};
inline constexpr std::array<std::string_view, 3> kFloatForms = {"auto", "native", "composed"};
constexpr std::string_view text(FloatForm form) { return kFloatForms[size_t(form)]; }
/// B004 for another word.
Result<FloatForm> parse_float_form(std::string_view word);

}  // namespace vyre::backend
