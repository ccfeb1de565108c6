// What one device is and can do, as far as vyre asks: nothing of it is changed by asking.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/vulkan/instance.h"
#include "lower/spirv/spirv.h"

namespace vyre::backend::vulkan {

struct Profile {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  std::string name;
  uint32_t version = 0;  // of Vulkan, that the device speaks
  VkPhysicalDeviceType type = VK_PHYSICAL_DEVICE_TYPE_OTHER;
  std::string driver;          // "llvmpipe, Mesa 22.3.6 (LLVM 15.0.6), conformance 1.3.1.1"
  std::string cache_identity;  // device, driver and pipelineCacheUUID: all that made code depends on
  lower::SpirvTarget target;
  /// The size of subgroups must be asked for, since a pipeline might get another one.
  bool must_require_size = false;
  uint32_t max_required_subgroups = 0;  // of a workgroup, when the size is asked for

  Limits limits;
  uint64_t max_allocation_bytes = 0;
  uint32_t max_bindings = 0;
  uint32_t max_push_bytes = 0;
  uint64_t heap_bytes = 0;  // of the largest that is the device's own
  VkPhysicalDeviceMemoryProperties memory = {};
  /// The device's memory is the host's: buffers are mapped, and there is no staging.
  bool shares_memory = false;
  uint32_t queue_family = 0;

  /// "llvmpipe (LLVM 15.0.6, 256 bits), Vulkan 1.3.230, 7 GiB"
  std::string description() const;
};

/// Errors  B001 when the device speaks no Vulkan 1.2 or has no queue for compute.
Result<Profile> ask_profile(const InstanceApi& api, VkPhysicalDevice device);

/// The device with this number; not given: the first discrete GPU, else the first integrated or virtual one,
/// else the first, of those that can be used.
/// Errors  B001 when there is no such device, or it cannot be used.
Result<Profile> choose_device(const Instance& instance, std::optional<uint32_t> ordinal);

/// Makes the device with the features that Profile::target names, and no others.
VkResult create_device(const InstanceApi& api, const Profile& profile, VkDevice* out);

}  // namespace vyre::backend::vulkan
