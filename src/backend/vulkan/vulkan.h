// Vulkan devices: vulkan or vulkan:N.
//
// The loader is opened at run time; nothing of Vulkan is needed to build or to start vyre. A kernel becomes
// SPIR-V (lower/spirv), the driver makes code of it, and that is kept on disk under the digest of the
// program, the device and the driver. Buffers live in the device's own memory and travel through staging.
// What the device cannot do is B003 with the limit, the request and what is allowed; a device that is lost,
// or does not answer in time, is B011 and stays lost for this process.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "backend/backend.h"
#include "backend/floats.h"

namespace vyre::backend {

struct VulkanOptions {
  /// Among the devices in the order that the loader gives them. Not given: the first discrete GPU, else the
  /// first integrated or virtual one, else the first.
  std::optional<uint32_t> ordinal = std::nullopt;
  /// The loader's library. Empty: what VYRE_VULKAN_LIB names, else libvulkan.so.1.
  std::string library = {};
  /// The folder where pipelines are kept. Empty: VYRE_CACHE_DIR, else $XDG_CACHE_HOME/vyre, else
  /// ~/.cache/vyre, of each the folder vulkan. "none": nowhere. Verdicts of the probe are kept in it too.
  std::string cache = {};
  /// Threads that compile a batch; 0: as many as there are cores.
  unsigned threads = 0;
  /// How long a submission may take before the device counts as lost.
  std::chrono::milliseconds timeout = std::chrono::minutes(10);
  /// Validation layers, whose messages are errors (B012). VYRE_VULKAN_VALIDATE=1 does the same.
  bool validate = false;
  FloatForm floats = FloatForm::Auto;
};

/// Errors  B001 when there is no loader, no device, no such device, or one of them lacks Vulkan 1.2 or a
///         feature, with what is missing and how to get it.
/// Thread  a backend and its pipelines may be used by several threads, each pipeline by one at a time.
Result<std::unique_ptr<Backend>> make_vulkan(const VulkanOptions& options = {});

/// What stands after "vulkan:", an ordinal. Errors: B004.
Result<uint32_t> parse_vulkan_ordinal(std::string_view argument);

}  // namespace vyre::backend
