#include "faulty_vulkan.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "backend/vulkan/api.h"

namespace vyre::test {
namespace {

FaultyVulkan state;
std::mutex mutex;

PFN_vkGetInstanceProcAddr real_loader() {
  static const auto found = [] {
    void* const library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    return library == nullptr
               ? nullptr
               : reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
  }();
  return found;
}

/// Counts the call; the planted failure whose turn it is, or success.
VkResult enter(const char* name) {
  const std::lock_guard lock(mutex);
  ++state.calls[name];
  const auto planted = state.failures.find(name);
  if (planted == state.failures.end() || planted->second.after-- > 0) return VK_SUCCESS;
  const VkResult result = planted->second.result;
  state.failures.erase(planted);
  return result;
}

/// The structure of this type in a chain, or null.
template <typename T>
T* find(void* chain, VkStructureType type) {
  for (auto* at = static_cast<VkBaseOutStructure*>(chain); at != nullptr; at = at->pNext) {
    if (at->sType == type) return reinterpret_cast<T*>(at);
  }
  return nullptr;
}
template <typename T>
void change(void* chain, VkStructureType type, const std::function<void(T&)>& how) {
  T* const found = find<T>(chain, type);
  if (how && found != nullptr) how(*found);
}

void change_device(VkPhysicalDeviceProperties& p) {
  if (state.device_version) p.apiVersion = *state.device_version;
  if (state.device_type) p.deviceType = *state.device_type;
  if (state.change_limits) state.change_limits(p.limits);
}

// What some functions do beyond what the real ones do: after them, on their arguments.
template <typename Tag, typename... A>
VkResult lie(Tag, VkResult result, A...) {
  return result;
}
#define TAG(name)                               \
  struct name##Tag {                            \
    static constexpr const char* kName = #name; \
  };
VYRE_VULKAN_GLOBAL_FUNCTIONS(TAG)
VYRE_VULKAN_INSTANCE_FUNCTIONS(TAG)
VYRE_VULKAN_DEVICE_FUNCTIONS(TAG)
#undef TAG

VkResult lie(EnumerateInstanceVersionTag, VkResult result, uint32_t* version) {
  if (state.loader_version) *version = *state.loader_version;
  return result;
}
VkResult lie(EnumerateInstanceLayerPropertiesTag, VkResult result, uint32_t* count, VkLayerProperties*) {
  if (!state.has_layers) *count = 0;
  return result;
}
VkResult lie(EnumeratePhysicalDevicesTag, VkResult result, VkInstance, uint32_t* count,
             VkPhysicalDevice* devices) {
  if (!state.devices) return result;
  *count = *state.devices;
  if (devices != nullptr && *count > 0) std::fill_n(devices, *count, devices[0]);
  return VK_SUCCESS;
}
VkResult lie(GetPhysicalDevicePropertiesTag, VkResult result, VkPhysicalDevice,
             VkPhysicalDeviceProperties* p) {
  change_device(*p);
  return result;
}
VkResult lie(GetPhysicalDeviceProperties2Tag, VkResult result, VkPhysicalDevice,
             VkPhysicalDeviceProperties2* p) {
  change_device(p->properties);
  change(p, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, state.change_properties11);
  change(p, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES, state.change_properties12);
  change(p, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES_EXT, state.change_subgroups);
  return result;
}
VkResult lie(GetPhysicalDeviceFeatures2Tag, VkResult result, VkPhysicalDevice, VkPhysicalDeviceFeatures2* f) {
  change(f, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, state.change_features12);
  return result;
}
VkResult lie(GetPipelineCacheDataTag, VkResult result, VkDevice, VkPipelineCache, size_t* size, void* data) {
  if (!state.pipeline_data) return result;
  if (data != nullptr) std::memcpy(data, state.pipeline_data->data(), state.pipeline_data->size());
  *size = state.pipeline_data->size();
  return VK_SUCCESS;
}

/// VYRE_FAULTY_VULKAN_ABORTS: the number of an instruction; a module that has it ends the process, as a
/// driver does whose compiler gives up. For tests of whole programs, which cannot reach vyre_faulty_vulkan().
VkResult lie(CreateShaderModuleTag, VkResult result, VkDevice, const VkShaderModuleCreateInfo* info,
             const VkAllocationCallbacks*, VkShaderModule*) {
  const char* const named = std::getenv("VYRE_FAULTY_VULKAN_ABORTS");
  if (named == nullptr) return result;
  const unsigned long wanted = std::strtoul(named, nullptr, 10);
  const std::span<const uint32_t> words(info->pCode, info->codeSize / 4);
  for (size_t at = 5; at < words.size() && words[at] >> 16 != 0; at += words[at] >> 16) {
    if ((words[at] & 0xffff) == wanted) std::abort();
  }
  return result;
}

/// A function that stands before the real one.
template <typename Tag, typename F>
struct Hook;
template <typename Tag, typename R, typename... A>
struct Hook<Tag, R(VKAPI_PTR*)(A...)> {
  static inline R(VKAPI_PTR* real)(A...) = nullptr;
  static VKAPI_ATTR R VKAPI_CALL call(A... arguments) {
    const VkResult planted = enter(Tag::kName);
    if constexpr (std::is_same_v<R, VkResult>) {
      if (planted != VK_SUCCESS) return planted;
      return lie(Tag{}, real(arguments...), arguments...);
    } else if constexpr (std::is_void_v<R>) {
      real(arguments...);
      lie(Tag{}, VK_SUCCESS, arguments...);
    } else {
      return real(arguments...);
    }
  }
};

PFN_vkVoidFunction hooked(PFN_vkVoidFunction real, const std::string& name) {
  if (real == nullptr || name.size() < 2 || state.missing.contains(name.substr(2))) return nullptr;
#define HOOK(function)                                        \
  if (name == "vk" #function) {                               \
    using Here = Hook<function##Tag, PFN_vk##function>;       \
    Here::real = reinterpret_cast<PFN_vk##function>(real);    \
    return reinterpret_cast<PFN_vkVoidFunction>(&Here::call); \
  }
  VYRE_VULKAN_GLOBAL_FUNCTIONS(HOOK)
  VYRE_VULKAN_INSTANCE_FUNCTIONS(HOOK)
  VYRE_VULKAN_DEVICE_FUNCTIONS(HOOK)
#undef HOOK
  return real;
}

VKAPI_ATTR void VKAPI_CALL push_constants(VkCommandBuffer commands, VkPipelineLayout layout,
                                          VkShaderStageFlags stages, uint32_t offset, uint32_t size,
                                          const void* values) {
  if (std::exchange(state.mistake, false)) {
    // Of no bytes, which is never allowed, and which no driver minds.
    Hook<CmdPushConstantsTag, PFN_vkCmdPushConstants>::call(commands, layout, stages, offset, 0, values);
  }
  Hook<CmdPushConstantsTag, PFN_vkCmdPushConstants>::call(commands, layout, stages, offset, size, values);
}

VKAPI_ATTR VkResult VKAPI_CALL create_pipeline_cache(VkDevice device, const VkPipelineCacheCreateInfo* info,
                                                     const VkAllocationCallbacks* allocator,
                                                     VkPipelineCache* out) {
  state.pipeline_data_given.assign(static_cast<const char*>(info->pInitialData), info->initialDataSize);
  // What a test makes up is none of the driver's business.
  VkPipelineCacheCreateInfo honest = *info;
  if (state.pipeline_data) honest.initialDataSize = 0;
  return Hook<CreatePipelineCacheTag, PFN_vkCreatePipelineCache>::call(device, &honest, allocator, out);
}

PFN_vkGetDeviceProcAddr real_device_loader = nullptr;

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_function(VkDevice device, const char* name) {
  const PFN_vkVoidFunction function = hooked(real_device_loader(device, name), name);
  if (function == nullptr) return nullptr;
  if (std::string(name) == "vkCreatePipelineCache")
    return reinterpret_cast<PFN_vkVoidFunction>(&create_pipeline_cache);
  if (std::string(name) == "vkCmdPushConstants") return reinterpret_cast<PFN_vkVoidFunction>(&push_constants);
  return function;
}

}  // namespace

extern "C" {

FaultyVulkan* vyre_faulty_vulkan() { return &state; }

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance, const char* name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance, const char* name) {
  const PFN_vkGetInstanceProcAddr real = real_loader();
  if (real == nullptr) return nullptr;
  if (std::string(name) == "vkGetDeviceProcAddr") {
    real_device_loader = reinterpret_cast<PFN_vkGetDeviceProcAddr>(real(instance, name));
    return reinterpret_cast<PFN_vkVoidFunction>(&device_function);
  }
  return hooked(real(instance, name), name);
}

}  // extern "C"

}  // namespace vyre::test
