// Kinds of cases by category, of which classes_of() makes one list.
#pragma once

#include "opspec/opspec.h"

namespace vyre::opspec {

/// Of hash, decode, encode, string and match.
std::span<const CaseClass> classes_of_bytes();

}  // namespace vyre::opspec
