#include "lower/codegen/host_cpu.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace vyre::lower {
namespace {

/// Whether vectors of 512 bits, where there are any, cost no clock rate worth naming. LLVM prefers 256 bits
/// on all of Intel's server cores, for the sake of code with few vectors in it; a kernel is nothing but
/// vectors. The first generation does slow down. Source: Intel Optimization Reference Manual, "Power
/// management and Intel AVX-512".
bool runs_wide_vectors(std::string_view cpu) {
  constexpr std::array<std::string_view, 4> kFirst = {"skylake-avx512", "cascadelake", "cooperlake",
                                                      "cannonlake"};
  return std::ranges::find(kFirst, cpu) == kFirst.end();
}

HostCpu find_host() {
  HostCpu host{.name = llvm::sys::getHostCPUName().str(), .triple = llvm::sys::getProcessTriple()};
  host.architecture = llvm::Triple(host.triple).getArchName().str();
  const auto present = llvm::sys::getHostCPUFeatures();
  std::vector<std::string> features;
  for (const auto& feature : present) {
    // LLVM 19 cannot select the bitcast to half of a truth value where half is a type of registers.
    const bool used = feature.second && feature.first() != "avx512fp16";
    features.push_back((used ? "+" : "-") + feature.first().str());
  }
  if (present.lookup("avx512f") && runs_wide_vectors(host.name)) features.emplace_back("-prefer-256-bit");
  std::ranges::sort(features);
  for (const std::string& f : features) host.features += (host.features.empty() ? "" : ",") + f;
  const auto has = [&](const char* feature) { return present.lookup(feature); };
  host.vectors = has("avx512f") ? "AVX-512"
                 : has("avx2")  ? "AVX2"
                 : has("sse2")  ? "SSE2"
                 : has("neon")  ? "NEON"
                                : "no vectors";
  return host;
}

}  // namespace

const HostCpu& host_cpu() {
  static const HostCpu host = find_host();
  return host;
}

std::string llvm_version() { return LLVM_VERSION_STRING; }

}  // namespace vyre::lower
