// Vulkan's functions, found at run time.
//
// Neither building nor starting vyre needs a loader: libvulkan.so.1 is opened when a backend is made, and
// every function is asked for by name, through vkGetInstanceProcAddr and vkGetDeviceProcAddr, from the lists
// below. Only what the backend calls is in them; all of it is Vulkan 1.0 or 1.1, so a device that speaks 1.2
// has it. Source: Vulkan specification, chapter "Initialization", "Command Function Pointers".
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <string>

#include "base/result.h"

namespace vyre::backend::vulkan {

/// Functions of no instance.
#define VYRE_VULKAN_GLOBAL_FUNCTIONS(VYRE_VULKAN) \
  VYRE_VULKAN(EnumerateInstanceVersion)           \
  VYRE_VULKAN(EnumerateInstanceLayerProperties)   \
  VYRE_VULKAN(CreateInstance)

#define VYRE_VULKAN_INSTANCE_FUNCTIONS(VYRE_VULKAN)   \
  VYRE_VULKAN(DestroyInstance)                        \
  VYRE_VULKAN(EnumeratePhysicalDevices)               \
  VYRE_VULKAN(EnumerateDeviceExtensionProperties)     \
  VYRE_VULKAN(GetPhysicalDeviceProperties)            \
  VYRE_VULKAN(GetPhysicalDeviceProperties2)           \
  VYRE_VULKAN(GetPhysicalDeviceFeatures2)             \
  VYRE_VULKAN(GetPhysicalDeviceMemoryProperties)      \
  VYRE_VULKAN(GetPhysicalDeviceQueueFamilyProperties) \
  VYRE_VULKAN(CreateDevice)                           \
  VYRE_VULKAN(GetDeviceProcAddr)

#define VYRE_VULKAN_DEVICE_FUNCTIONS(VYRE_VULKAN) \
  VYRE_VULKAN(DestroyDevice)                      \
  VYRE_VULKAN(GetDeviceQueue)                     \
  VYRE_VULKAN(QueueSubmit)                        \
  VYRE_VULKAN(CreateFence)                        \
  VYRE_VULKAN(DestroyFence)                       \
  VYRE_VULKAN(ResetFences)                        \
  VYRE_VULKAN(WaitForFences)                      \
  VYRE_VULKAN(AllocateMemory)                     \
  VYRE_VULKAN(FreeMemory)                         \
  VYRE_VULKAN(MapMemory)                          \
  VYRE_VULKAN(CreateBuffer)                       \
  VYRE_VULKAN(DestroyBuffer)                      \
  VYRE_VULKAN(GetBufferMemoryRequirements)        \
  VYRE_VULKAN(BindBufferMemory)                   \
  VYRE_VULKAN(CreateCommandPool)                  \
  VYRE_VULKAN(DestroyCommandPool)                 \
  VYRE_VULKAN(AllocateCommandBuffers)             \
  VYRE_VULKAN(BeginCommandBuffer)                 \
  VYRE_VULKAN(EndCommandBuffer)                   \
  VYRE_VULKAN(CmdPipelineBarrier)                 \
  VYRE_VULKAN(CmdCopyBuffer)                      \
  VYRE_VULKAN(CmdFillBuffer)                      \
  VYRE_VULKAN(CmdBindPipeline)                    \
  VYRE_VULKAN(CmdBindDescriptorSets)              \
  VYRE_VULKAN(CmdPushConstants)                   \
  VYRE_VULKAN(CmdDispatch)                        \
  VYRE_VULKAN(CreateShaderModule)                 \
  VYRE_VULKAN(DestroyShaderModule)                \
  VYRE_VULKAN(CreateComputePipelines)             \
  VYRE_VULKAN(DestroyPipeline)                    \
  VYRE_VULKAN(CreatePipelineLayout)               \
  VYRE_VULKAN(DestroyPipelineLayout)              \
  VYRE_VULKAN(CreateDescriptorSetLayout)          \
  VYRE_VULKAN(DestroyDescriptorSetLayout)         \
  VYRE_VULKAN(CreateDescriptorPool)               \
  VYRE_VULKAN(DestroyDescriptorPool)              \
  VYRE_VULKAN(ResetDescriptorPool)                \
  VYRE_VULKAN(AllocateDescriptorSets)             \
  VYRE_VULKAN(UpdateDescriptorSets)               \
  VYRE_VULKAN(CreatePipelineCache)                \
  VYRE_VULKAN(DestroyPipelineCache)               \
  VYRE_VULKAN(GetPipelineCacheData)

#define VYRE_VULKAN(name) PFN_vk##name name = nullptr;
struct GlobalApi {
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
  VYRE_VULKAN_GLOBAL_FUNCTIONS(VYRE_VULKAN)
};
struct InstanceApi {
  VYRE_VULKAN_INSTANCE_FUNCTIONS(VYRE_VULKAN)
};
struct DeviceApi {
  VYRE_VULKAN_DEVICE_FUNCTIONS(VYRE_VULKAN)
};
#undef VYRE_VULKAN

/// The oldest version of instances and devices that is supported.
inline constexpr uint32_t kOldestVersion = VK_API_VERSION_1_2;

/// "1.3.230"
std::string version_text(uint32_t version);
/// "VK_ERROR_DEVICE_LOST"; "VkResult -1000" for one that has no name here.
std::string describe(VkResult result);

/// B001, as everything that is not there.
Diag not_available(std::string message, std::string help);

/// Opens the loader: of this file, or if that is empty of VYRE_VULKAN_LIB, or if there is none of
/// libvulkan.so.1. It stays open until the process ends, since drivers do not survive being closed.
/// Errors  B001 when there is no loader, or it knows no Vulkan 1.2.
Result<GlobalApi> open_loader(const std::string& library);
/// Errors  B001 naming a function that is missing.
Result<InstanceApi> instance_api(const GlobalApi& global, VkInstance instance);
Result<DeviceApi> device_api(const InstanceApi& api, VkDevice device);

}  // namespace vyre::backend::vulkan
