#include "backend/vulkan/api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

namespace vyre::backend::vulkan {
namespace {

constexpr const char* kLibrary = "libvulkan.so.1";

std::string library_name(const std::string& asked) {
  if (!asked.empty()) return asked;
  const char* const named = std::getenv("VYRE_VULKAN_LIB");
  return named != nullptr && *named != '\0' ? named : kLibrary;
}

Diag no_function(const char* name) {
  return not_available(
      fmt::format("the loader or the driver has no function vk{}", name),
      "install a whole Vulkan loader (Debian: libvulkan1) and a driver of Vulkan 1.2 or newer");
}

Result<void> check_version(const GlobalApi& api) {
  // A loader of Vulkan 1.0 has no function that tells its version.
  uint32_t version = VK_API_VERSION_1_0;
  if (api.EnumerateInstanceVersion != nullptr) api.EnumerateInstanceVersion(&version);
  if (version >= kOldestVersion) return {};
  return std::unexpected(
      not_available(fmt::format("the loader knows Vulkan {}, and {} is the oldest that is supported",
                                version_text(version), version_text(kOldestVersion)),
                    "install a newer Vulkan loader (Debian: libvulkan1)"));
}

}  // namespace

std::string version_text(uint32_t version) {
  return fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
                     VK_API_VERSION_PATCH(version));
}

std::string describe(VkResult result) {
  static constexpr struct {
    VkResult result;
    const char* name;
  } kNames[] = {
#define VYRE_NAME(name) {name, #name}
      VYRE_NAME(VK_SUCCESS),
      VYRE_NAME(VK_NOT_READY),
      VYRE_NAME(VK_TIMEOUT),
      VYRE_NAME(VK_INCOMPLETE),
      VYRE_NAME(VK_ERROR_OUT_OF_HOST_MEMORY),
      VYRE_NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY),
      VYRE_NAME(VK_ERROR_INITIALIZATION_FAILED),
      VYRE_NAME(VK_ERROR_DEVICE_LOST),
      VYRE_NAME(VK_ERROR_MEMORY_MAP_FAILED),
      VYRE_NAME(VK_ERROR_LAYER_NOT_PRESENT),
      VYRE_NAME(VK_ERROR_EXTENSION_NOT_PRESENT),
      VYRE_NAME(VK_ERROR_FEATURE_NOT_PRESENT),
      VYRE_NAME(VK_ERROR_INCOMPATIBLE_DRIVER),
      VYRE_NAME(VK_ERROR_TOO_MANY_OBJECTS),
      VYRE_NAME(VK_ERROR_FRAGMENTED_POOL),
      VYRE_NAME(VK_ERROR_UNKNOWN),
      VYRE_NAME(VK_ERROR_OUT_OF_POOL_MEMORY),
      VYRE_NAME(VK_ERROR_INVALID_SHADER_NV),
#undef VYRE_NAME
  };
  for (const auto& known : kNames) {
    if (known.result == result) return known.name;
  }
  return fmt::format("VkResult {}", int(result));
}

Diag not_available(std::string message, std::string help) {
  return make_diag(DiagCode::B001, Span::none(), "vulkan: " + std::move(message), std::move(help));
}

Result<GlobalApi> open_loader(const std::string& library) {
  const std::string name = library_name(library);
  void* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  GlobalApi api;
  if (handle != nullptr)
    api.GetInstanceProcAddr =
        reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(handle, "vkGetInstanceProcAddr"));
  if (api.GetInstanceProcAddr == nullptr) {
    const char* const why = dlerror();
    return std::unexpected(
        not_available(fmt::format("there is no Vulkan loader here: {}", why != nullptr ? why : name.c_str()),
                      "install one (Debian: libvulkan1) and a driver, or let VYRE_VULKAN_LIB name its "
                      "libvulkan.so.1"));
  }
#define VYRE_VULKAN(name) \
  api.name = reinterpret_cast<PFN_vk##name>(api.GetInstanceProcAddr(nullptr, "vk" #name));
  VYRE_VULKAN_GLOBAL_FUNCTIONS(VYRE_VULKAN)
#undef VYRE_VULKAN
  VYRE_CHECK(check_version(api));
  if (api.CreateInstance == nullptr) return std::unexpected(no_function("CreateInstance"));
  if (api.EnumerateInstanceLayerProperties == nullptr)
    return std::unexpected(no_function("EnumerateInstanceLayerProperties"));
  return api;
}

Result<InstanceApi> instance_api(const GlobalApi& global, VkInstance instance) {
  InstanceApi api;
#define VYRE_VULKAN(name)                                                                      \
  api.name = reinterpret_cast<PFN_vk##name>(global.GetInstanceProcAddr(instance, "vk" #name)); \
  if (api.name == nullptr) return std::unexpected(no_function(#name));
  VYRE_VULKAN_INSTANCE_FUNCTIONS(VYRE_VULKAN)
#undef VYRE_VULKAN
  return api;
}

Result<DeviceApi> device_api(const InstanceApi& instance, VkDevice device) {
  DeviceApi api;
#define VYRE_VULKAN(name)                                                                    \
  api.name = reinterpret_cast<PFN_vk##name>(instance.GetDeviceProcAddr(device, "vk" #name)); \
  if (api.name == nullptr) return std::unexpected(no_function(#name));
  VYRE_VULKAN_DEVICE_FUNCTIONS(VYRE_VULKAN)
#undef VYRE_VULKAN
  return api;
}

}  // namespace vyre::backend::vulkan
