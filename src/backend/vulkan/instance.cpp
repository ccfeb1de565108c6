#include "backend/vulkan/instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace vyre::backend::vulkan {
namespace {

constexpr const char* kLayer = "VK_LAYER_KHRONOS_validation";

Diag no_device(const std::string& why) {
  return not_available(
      fmt::format("the loader finds no device: {}", why),
      "install the Vulkan driver of the GPU, or mesa-vulkan-drivers, which has one for CPUs; "
      "VK_ICD_FILENAMES, "
      "where it is set, must name a driver's .json file, and this user must be allowed to open the device");
}

bool has_layer(const GlobalApi& global) {
  uint32_t count = 0;
  if (global.EnumerateInstanceLayerProperties(&count, nullptr) != VK_SUCCESS) return false;
  std::vector<VkLayerProperties> layers(count);
  if (global.EnumerateInstanceLayerProperties(&count, layers.data()) != VK_SUCCESS) return false;
  return std::ranges::any_of(
      layers, [](const VkLayerProperties& layer) { return std::string_view(layer.layerName) == kLayer; });
}

VKAPI_ATTR VkBool32 VKAPI_CALL hear(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                    const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
  static_cast<Messages*>(user)->add(data->pMessage != nullptr ? data->pMessage : "an error without a text");
  return VK_FALSE;
}

}  // namespace

void Messages::add(std::string text) {
  const std::lock_guard lock(mutex_);
  texts_.push_back(std::move(text));
}

std::vector<std::string> Messages::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(texts_, {});
}

Messages& late_messages() {
  static Messages messages;
  return messages;
}

Result<std::shared_ptr<Instance>> Instance::open(const std::string& library, bool validate) {
  VYRE_TRY(global, open_loader(library));
  std::shared_ptr<Instance> instance(new Instance);
  VYRE_CHECK(instance->create(global, validate));
  return instance;
}

Result<void> Instance::create(const GlobalApi& global, bool validate) {
  const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                         .pApplicationName = "vyre",
                                         .pEngineName = "vyre",
                                         .apiVersion = kOldestVersion};
  VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                               .pApplicationInfo = &application};
  // A missing barrier is an error of ours as well.
  const VkValidationFeatureEnableEXT more[] = {VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
  const VkValidationFeaturesEXT features = {.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
                                            .enabledValidationFeatureCount = 1,
                                            .pEnabledValidationFeatures = more};
  const VkDebugUtilsMessengerCreateInfoEXT listen = {
      .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
      .pNext = &features,
      .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
      .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
      .pfnUserCallback = &hear,
      .pUserData = &messages_};
  const char* const extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  if (validate) {
    if (!has_layer(global)) {
      return std::unexpected(
          not_available(fmt::format("validation was asked for, and there is no {}", kLayer),
                        "install it (Debian: vulkan-validationlayers), or do without "
                        "VYRE_VULKAN_VALIDATE"));
    }
    info.pNext = &listen;
    info.enabledLayerCount = info.enabledExtensionCount = 1;
    info.ppEnabledLayerNames = &kLayer;
    info.ppEnabledExtensionNames = &extension;
  }
  if (const VkResult result = global.CreateInstance(&info, nullptr, &handle_); result != VK_SUCCESS) {
    handle_ = VK_NULL_HANDLE;
    return std::unexpected(no_device(describe(result)));
  }
  auto api = instance_api(global, handle_);
  if (!api) {
    const auto destroy =
        reinterpret_cast<PFN_vkDestroyInstance>(global.GetInstanceProcAddr(handle_, "vkDestroyInstance"));
    if (destroy != nullptr) destroy(std::exchange(handle_, VK_NULL_HANDLE), nullptr);
    return std::unexpected(std::move(api).error());
  }
  api_ = *api;
  if (!validate) return {};
  const auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
      global.GetInstanceProcAddr(handle_, "vkCreateDebugUtilsMessengerEXT"));
  destroy_messenger_ = reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
      global.GetInstanceProcAddr(handle_, "vkDestroyDebugUtilsMessengerEXT"));
  VkDebugUtilsMessengerCreateInfoEXT alone = listen;
  alone.pNext = nullptr;
  if (create == nullptr || destroy_messenger_ == nullptr ||
      create(handle_, &alone, nullptr, &messenger_) != VK_SUCCESS)
    return std::unexpected(not_available("validation was asked for, and the loader passes on no messages",
                                         "use a newer Vulkan loader, or do without VYRE_VULKAN_VALIDATE"));
  return {};
}

Instance::~Instance() {
  if (messenger_ != VK_NULL_HANDLE) destroy_messenger_(handle_, messenger_, nullptr);
  if (handle_ != VK_NULL_HANDLE && api_.DestroyInstance != nullptr) api_.DestroyInstance(handle_, nullptr);
  for (std::string& text : messages_.take()) late_messages().add(std::move(text));
}

Result<std::vector<VkPhysicalDevice>> Instance::devices() const {
  uint32_t count = 0;
  VkResult result = api_.EnumeratePhysicalDevices(handle_, &count, nullptr);
  std::vector<VkPhysicalDevice> out(count);
  if (result == VK_SUCCESS && count != 0) result = api_.EnumeratePhysicalDevices(handle_, &count, out.data());
  // A device may have come since it was counted; it is not missed.
  if (result != VK_SUCCESS && result != VK_INCOMPLETE) return std::unexpected(no_device(describe(result)));
  out.resize(count);
  if (out.empty()) return std::unexpected(no_device("no driver lists one"));
  return out;
}

}  // namespace vyre::backend::vulkan
