// A Vulkan loader with faults: what the tests of backend/vulkan open in the place of libvulkan.so.1.
//
// Every function is the real loader's and reaches a real device, so nothing that a driver does is imitated.
// What a machine of the tests cannot do by itself, such as losing its device or having fewer limits, a test
// plants here.
#pragma once

#include <vulkan/vulkan_core.h>

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace vyre::test {

struct PlantedFailure {
  VkResult result = VK_SUCCESS;
  int after = 0;  // so many calls succeed before
};

struct FaultyVulkan {
  // What the loader and its devices seem to be.
  std::optional<uint32_t> loader_version;
  std::optional<uint32_t> device_version;
  std::optional<VkPhysicalDeviceType> device_type;
  /// The number of devices: the real one, as often.
  std::optional<uint32_t> devices;
  bool has_layers = true;
  std::function<void(VkPhysicalDeviceLimits&)> change_limits;
  std::function<void(VkPhysicalDeviceVulkan11Properties&)> change_properties11;
  std::function<void(VkPhysicalDeviceVulkan12Properties&)> change_properties12;
  std::function<void(VkPhysicalDeviceVulkan12Features&)> change_features12;
  std::function<void(VkPhysicalDeviceSubgroupSizeControlPropertiesEXT&)> change_subgroups;
  /// Functions that are not found, without their "vk".
  std::set<std::string> missing;
  /// What fails, by function without its "vk", once.
  std::map<std::string, PlantedFailure> failures;
  /// What the driver gives to keep of a pipeline; a real one that keeps nothing says nothing.
  std::optional<std::string> pipeline_data;
  /// Push constants of no bytes come before the next ones: what validation must complain about.
  bool mistake = false;

  // What happened.
  std::map<std::string, int> calls;
  std::string pipeline_data_given;  // to the last pipeline cache that was made
};

/// The one of this library. Tests reset it by assigning.
extern "C" FaultyVulkan* vyre_faulty_vulkan();

}  // namespace vyre::test
