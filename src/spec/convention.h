// Conventions: the versioned contract between a host and a program about which buffers there are.
//
// V1 is inputs (read), outputs (read_write) and parameters (uniform). V2 is V1 and one lookup table: a `read`
// buffer at a binding of its own, for hash tables and encoding maps. A host names the convention it follows
// and a backend the newest that it knows; the two are negotiated when a pipeline is built
// (backend::make_pipeline). New variants are added, none is changed. Source: ir-types, "Convention".
#pragma once

#include <cstdint>
#include <optional>

namespace vyre::spec {

struct Convention {
  uint32_t version = 1;
  std::optional<uint32_t> lookup_binding = std::nullopt;  // V2: the binding of the lookup table
  bool operator==(const Convention&) const = default;

  static constexpr Convention v1() { return {}; }
  static constexpr Convention v2(uint32_t lookup_binding) { return {2, lookup_binding}; }
};
inline constexpr uint32_t kLatestConvention = 2;

}  // namespace vyre::spec
