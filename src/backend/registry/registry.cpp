#include "backend/registry/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "backend/cuda/cuda.h"
#include "backend/native/native.h"
#include "backend/plugin/plugin.h"
#include "backend/vulkan/vulkan.h"
#include "backend/webgpu/webgpu.h"
#include "base/names.h"

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
  return make_native(
      {.threads = options.threads, .floats = options.floats, .keeps_code = options.keeps_code});
}

Result<std::unique_ptr<Backend>> open_cuda(std::string_view argument, const Options& options) {
  uint32_t ordinal = 0;
  if (!argument.empty()) {
    VYRE_TRY(parsed, parse_cuda_ordinal(argument));
    ordinal = parsed;
  }
  return make_cuda({.ordinal = ordinal, .threads = options.threads, .floats = options.floats});
}

Result<std::unique_ptr<Backend>> open_vulkan(std::string_view argument, const Options& options) {
  VulkanOptions vulkan = {.threads = options.threads, .floats = options.floats};
  if (!argument.empty()) {
    VYRE_TRY(parsed, parse_vulkan_ordinal(argument));
    vulkan.ordinal = parsed;
  }
  return make_vulkan(vulkan);
}

Result<std::unique_ptr<Backend>> open_webgpu(std::string_view argument, const Options& options) {
  return make_webgpu(
      {.library = std::string(argument), .threads = options.threads, .floats = options.floats});
}

constexpr Entry kEntries[] = {
    {"reference", "the evaluator that defines what programs mean; slow, one thread", &open_reference},
    {"native", "machine code of this CPU, through LLVM; all cores", &open_native},
    {"cuda", "NVIDIA GPUs, through the CUDA driver; cuda:N is device N", &open_cuda},
    {"vulkan", "GPUs of any vendor, through their Vulkan driver; vulkan:N is device N", &open_vulkan},
    {"webgpu", "WebGPU, through a library with webgpu.h's interface; webgpu:LIB is that library",
     &open_webgpu},
};

std::string names() {
  std::string out;
  for (const Entry& e : kEntries) out += (out.empty() ? "" : ", ") + std::string(e.name);
  return out;
}

/// A plugin may call itself anything but what vyre's own backends are called: certificates go by the name.
Result<std::unique_ptr<Backend>> open_other(std::string_view spec) {
  VYRE_TRY(plugin, open_plugin(spec));
  const std::string name = plugin->identity().name;
  if (std::ranges::find(kEntries, name, &Entry::name) == std::end(kEntries)) return std::move(plugin);
  return std::unexpected(
      make_diag(DiagCode::B013, Span::none(),
                fmt::format("'{}' calls itself '{}', as a backend of vyre's own does", spec, name),
                "give the plugin another name"));
}

}  // namespace

std::span<const Entry> all_backends() { return kEntries; }

Result<std::unique_ptr<Backend>> open(std::string_view spec, const Options& options) {
  // A name of vyre's own comes first: what stands after its colon may be a path, and a path may hold a colon.
  const size_t colon = spec.find(':');
  const std::string_view name = spec.substr(0, colon);
  const std::string_view argument = colon == spec.npos ? std::string_view{} : spec.substr(colon + 1);
  for (const Entry& e : kEntries) {
    if (e.name == name) return e.open(argument, options);
  }
  if (is_plugin(spec)) return open_other(spec);
  NearestName nearest(name);
  for (const Entry& e : kEntries) nearest.consider(e.name);
  return std::unexpected(
      make_diag(DiagCode::B004, Span::none(), fmt::format("unknown backend '{}'", spec),
                fmt::format("{}{}the backends of this build are: {}; a plugin goes by its path, with a / or "
                            ".so at its end",
                            nearest.found() ? nearest.help() : "", nearest.found() ? " " : "", names())));
}

}  // namespace vyre::backend
