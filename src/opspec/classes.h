// Kinds of cases by category, of which classes_of() makes one list.
#pragma once

#include "opspec/opspec.h"

namespace vyre::opspec {

/// Of hash, decode, encode, string and match.
std::span<const CaseClass> classes_of_bytes();
/// Of engines: scan_rules, tokens, join, dataflow.
std::span<const CaseClass> classes_of_engine_records();
/// Of the engines over arrays and graphs.
std::span<const CaseClass> array_engine_classes();

}  // namespace vyre::opspec
