// Kinds of cases by category, of which classes_of() makes one list.
#pragma once

#include <optional>

#include "opspec/opspec.h"

namespace vyre::opspec {

/// What was made of the last case: classes ask the same of one case, one after the other.
template <typename Made>
class OfLastCase {
 public:
  template <typename Make>
  const Made& get(const Buffers& buffers, Make&& make) {
    if (!made_ || buffers_ != buffers) {
      made_.emplace(make());
      buffers_ = buffers;
    }
    return *made_;
  }

 private:
  Buffers buffers_;
  std::optional<Made> made_;
};

/// Of hash, decode, encode, string and match.
std::span<const CaseClass> classes_of_bytes();
/// Of engines: scan_rules, tokens, join, dataflow.
std::span<const CaseClass> classes_of_engine_records();
/// Of the engines over arrays and graphs.
std::span<const CaseClass> array_engine_classes();

}  // namespace vyre::opspec
