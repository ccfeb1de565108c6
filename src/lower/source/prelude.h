// What every file begins with: the words, and what C++ and CUDA C++ call differently. Internal to
// lower/source.
#pragma once

#include <string_view>

#include "lower/source/source.h"

namespace vyre::lower {

/// Includes and functions. `threads`: the kernel has a barrier (of C++ alone).
std::string_view source_prelude(SourceDialect dialect, bool threads);

/// print(): the words of a buffer, and whether they are the expected ones; for the host.
std::string_view source_print();

}  // namespace vyre::lower
