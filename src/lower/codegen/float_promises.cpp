#include "lower/codegen/float_promises.h"

#include <algorithm>
#include <ranges>

#include "lower/codegen/host_cpu.h"

namespace vyre::lower {

FloatPromises cpu_promises(std::string_view architecture, const std::function<bool(std::string_view)>& has) {
  const bool x86 = architecture == "x86_64";
  FloatPromises out{.name = "ieee", .by_op = {}};
  if (!x86 && architecture != "aarch64") return kNoFloats;
  for (const FloatInstruction& row : kFloatInstructions) {
    out[row.op].given = !x86 || row.x86_64_feature.empty() || has(row.x86_64_feature);
  }
  return out;
}

const Target& host_target() {
  static const Target target = [] {
    const HostCpu& host = host_cpu();
    const auto has = [&](std::string_view feature) {
      // A list "+avx2,-avx512f,...".
      return std::ranges::any_of(std::views::split(std::string_view(host.features), ','), [&](auto&& part) {
        const std::string_view name(part.begin(), part.end());
        return name.starts_with('+') && name.substr(1) == feature;
      });
    };
    Target out = kLlvmTarget;
    out.floats = cpu_promises(host.architecture, has);
    return out;
  }();
  return target;
}

}  // namespace vyre::lower
