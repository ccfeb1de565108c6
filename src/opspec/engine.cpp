#include "opspec/engine.h"

#include <algorithm>

namespace vyre::opspec {

std::span<const EngineSpec> engine_specs() {
  static const std::vector<EngineSpec> all = [] {
    std::vector<EngineSpec> out;
    for (const auto part : {array_engine_specs(), record_engine_specs()})
      out.insert(out.end(), part.begin(), part.end());
    std::ranges::sort(out, {}, &EngineSpec::id);
    return out;
  }();
  return all;
}

const EngineSpec* find_engine_spec(std::string_view id) {
  const auto found = std::ranges::lower_bound(engine_specs(), id, {}, &EngineSpec::id);
  return found != engine_specs().end() && found->id == id ? &*found : nullptr;
}

}  // namespace vyre::opspec
