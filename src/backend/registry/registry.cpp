#include "backend/registry/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "backend/native/native.h"

namespace vyre::backend {
namespace {

Result<std::unique_ptr<Backend>> takes_no_argument(std::string_view name, std::string_view argument) {
  return std::unexpected(make_diag(
      DiagCode::B004, Span::none(),
      fmt::format("backend '{0}' takes nothing after a colon, and '{0}:{1}' was asked for", name, argument),
      fmt::format("write {}", name)));
}

Result<std::unique_ptr<Backend>> open_reference(std::string_view argument, const Options& options) {
  if (!argument.empty()) return takes_no_argument("reference", argument);
  return make_reference(options.reference);
}

Result<std::unique_ptr<Backend>> open_native(std::string_view argument, const Options& options) {
  if (!argument.empty()) return takes_no_argument("native", argument);
  return make_native({.threads = options.threads});
}

constexpr Entry kEntries[] = {
    {"reference", "the evaluator that defines what programs mean; slow, one thread", &open_reference},
    {"native", "machine code of this CPU, through LLVM; all cores", &open_native},
};

/// Names that COMMANDS knows and this build does not have.
struct Absent {
  std::string_view name;
  std::string_view what;
};
constexpr Absent kAbsent[] = {
    {"cuda", "NVIDIA GPUs"},
    {"vulkan", "Vulkan devices"},
    {"webgpu", "WebGPU implementations"},
};

std::string names() {
  std::string out;
  for (const Entry& e : kEntries) out += (out.empty() ? "" : ", ") + std::string(e.name);
  return out;
}

}  // namespace

std::span<const Entry> all_backends() { return kEntries; }

Result<std::unique_ptr<Backend>> open(std::string_view spec, const Options& options) {
  const size_t colon = spec.find(':');
  const std::string_view name = spec.substr(0, colon);
  const std::string_view argument = colon == spec.npos ? std::string_view{} : spec.substr(colon + 1);
  // A path comes first: it may hold a colon.
  if (spec.find('/') != spec.npos || spec.ends_with(".so")) {
    return std::unexpected(make_diag(DiagCode::B001, Span::none(),
                                     fmt::format("'{}' looks like a plugin, and this build loads none", spec),
                                     fmt::format("the backends of this build are: {}", names())));
  }
  for (const Entry& e : kEntries) {
    if (e.name == name) return e.open(argument, options);
  }
  for (const Absent& a : kAbsent) {
    if (a.name != name) continue;
    return std::unexpected(make_diag(DiagCode::B001, Span::none(),
                                     fmt::format("backend '{}' ({}) is not in this build", name, a.what),
                                     fmt::format("the backends of this build are: {}", names())));
  }
  return std::unexpected(make_diag(DiagCode::B004, Span::none(), fmt::format("unknown backend '{}'", spec),
                                   fmt::format("the backends of this build are: {}", names())));
}

}  // namespace vyre::backend
