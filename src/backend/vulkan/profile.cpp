#include "backend/vulkan/profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "spec/limits.h"

namespace vyre::backend::vulkan {
namespace {

// VK_KHR_shader_float_controls2, which the headers of Debian 12 (1.3.239) do not have. Source: Vulkan
// registry.
constexpr const char* kFloatControls2Extension = "VK_KHR_shader_float_controls2";
struct FloatControls2Features {
  VkStructureType sType = VkStructureType(1000528000);
  void* pNext = nullptr;
  VkBool32 shaderFloatControls2 = VK_FALSE;
};

/// Everything that is asked of a device, in one chain: properties behind one another, features likewise.
struct Answers {
  VkPhysicalDeviceSubgroupSizeControlPropertiesEXT size_control = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES_EXT};
  VkPhysicalDeviceVulkan12Properties vulkan12 = {.sType =
                                                     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES};
  VkPhysicalDeviceVulkan11Properties vulkan11 = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, .pNext = &vulkan12};
  VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                            .pNext = &vulkan11};

  VkPhysicalDeviceSubgroupSizeControlFeaturesEXT can_control = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES_EXT};
  FloatControls2Features has_controls2;
  VkPhysicalDeviceVulkan12Features has12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  VkPhysicalDeviceVulkan11Features has11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                            .pNext = &has12};
  VkPhysicalDeviceFeatures2 has = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &has11};

  Answers() = default;
  Answers(const Answers&) = delete;  // the chain points into itself

  void ask(const InstanceApi& api, VkPhysicalDevice device, bool size_control_known, bool controls2_known) {
    if (size_control_known) {
      vulkan12.pNext = &size_control;
      has12.pNext = &can_control;
    }
    if (controls2_known) {
      has_controls2.pNext = has12.pNext;
      has12.pNext = &has_controls2;
    }
    api.GetPhysicalDeviceProperties2(device, &properties);
    api.GetPhysicalDeviceFeatures2(device, &has);
  }
};

bool has_extension(const InstanceApi& api, VkPhysicalDevice device, std::string_view name) {
  uint32_t count = 0;
  if (api.EnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr) != VK_SUCCESS) return false;
  std::vector<VkExtensionProperties> all(count);
  if (api.EnumerateDeviceExtensionProperties(device, nullptr, &count, all.data()) != VK_SUCCESS) return false;
  return std::ranges::any_of(all, [&](const VkExtensionProperties& e) { return e.extensionName == name; });
}

std::optional<uint32_t> compute_family(const InstanceApi& api, VkPhysicalDevice device) {
  uint32_t count = 0;
  api.GetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  api.GetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  for (uint32_t i = 0; i < count; ++i) {
    if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0 && families[i].queueCount != 0) return i;
  }
  return std::nullopt;
}

/// The modes of one width: the properties are called alike but for the number at their end.
#define VYRE_FLOAT_MODES(p, bits, has_type)                                                 \
  lower::VulkanFloatModes{.arithmetic = has_type,                                           \
                          .round_to_even = p.shaderRoundingModeRTEFloat##bits != 0,         \
                          .keep_special = p.shaderSignedZeroInfNanPreserveFloat##bits != 0, \
                          .keep_subnormals = p.shaderDenormPreserveFloat##bits != 0}

lower::VulkanFloats floats_of(const Answers& a) {
  return {.half = VYRE_FLOAT_MODES(a.vulkan12, 16, a.has12.shaderFloat16 != 0),
          .single = VYRE_FLOAT_MODES(a.vulkan12, 32, true),
          .wide = VYRE_FLOAT_MODES(a.vulkan12, 64, a.has.features.shaderFloat64 != 0),
          .independent = a.vulkan12.denormBehaviorIndependence == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL &&
                         a.vulkan12.roundingModeIndependence == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL,
          // Measured (docs/floats.md); the probe asks each device again.
          .fused = a.vulkan12.driverID == VK_DRIVER_ID_NVIDIA_PROPRIETARY,
          .keeps_unasked = a.vulkan12.driverID == VK_DRIVER_ID_NVIDIA_PROPRIETARY};
}
#undef VYRE_FLOAT_MODES

/// Operations of subgroups are only had where every subgroup is whole and of one size that is known here.
uint32_t certain_subgroup_size(const Answers& a) {
  constexpr VkSubgroupFeatureFlags kWanted = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT |
                                             VK_SUBGROUP_FEATURE_ARITHMETIC_BIT |
                                             VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
  const uint32_t size = a.vulkan11.subgroupSize;
  const bool has_all = (a.vulkan11.subgroupSupportedOperations & kWanted) == kWanted &&
                       (a.vulkan11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
  const bool whole = a.can_control.subgroupSizeControl != 0 && a.can_control.computeFullSubgroups != 0;
  const bool fixed = a.size_control.minSubgroupSize == a.size_control.maxSubgroupSize;
  const bool can_require = (a.size_control.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0 &&
                           a.size_control.minSubgroupSize <= size && size <= a.size_control.maxSubgroupSize;
  // Sizes are powers of two up to 128 for vyre: a ballot has 128 bits.
  return has_all && whole && (fixed || can_require) && size <= 128 ? size : 0;
}

uint64_t largest_own_heap(const VkPhysicalDeviceMemoryProperties& memory) {
  uint64_t out = 0;
  for (uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    if ((memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0)
      out = std::max<uint64_t>(out, memory.memoryHeaps[i].size);
  }
  return out;
}

void set_limits(const Answers& a, Profile& out) {
  const VkPhysicalDeviceLimits& limits = a.properties.properties.limits;
  out.max_allocation_bytes = a.vulkan11.maxMemoryAllocationSize;
  // A binding is rounded up to 16 bytes.
  const uint64_t range = limits.maxStorageBufferRange & ~uint64_t{15};
  out.limits = {.max_invocations_per_group =
                    std::min({limits.maxComputeWorkGroupInvocations, limits.maxComputeWorkGroupSize[0],
                              spec::kMaxInvocationsPerGroup}),
                .max_workgroup_bytes = limits.maxComputeSharedMemorySize,
                .workgroup_element_bytes = out.target.storage_16bit ? 4u : 1u,  // SpirvMemory
                .max_buffer_bytes = std::min(range, out.max_allocation_bytes),
                .subgroup_size = out.target.subgroup_size};
  out.max_bindings = std::min({limits.maxPerStageDescriptorStorageBuffers,
                               limits.maxDescriptorSetStorageBuffers, limits.maxPerStageResources});
  out.max_push_bytes = limits.maxPushConstantsSize;
}

/// Everything of the machine that made code depends on.
std::string cache_identity(const Answers& a) {
  const VkPhysicalDeviceProperties& p = a.properties.properties;
  const std::span<const uint8_t> uuid(p.pipelineCacheUUID), device(a.vulkan11.deviceUUID);
  return fmt::format("{}|{:x}:{:x}|{}|{} {}|{}|{:02x}|{:02x}", p.deviceName, p.vendorID, p.deviceID,
                     version_text(p.apiVersion), a.vulkan12.driverName, a.vulkan12.driverInfo,
                     p.driverVersion, fmt::join(uuid, ""), fmt::join(device, ""));
}

std::string driver_text(const Answers& a) {
  const VkConformanceVersion& c = a.vulkan12.conformanceVersion;
  return fmt::format("{}, {}, conformance {}.{}.{}.{}", a.vulkan12.driverName, a.vulkan12.driverInfo, c.major,
                     c.minor, c.subminor, c.patch);
}

/// The lower the better; of Profile::type.
int rank(VkPhysicalDeviceType type) {
  if (type == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU) return 0;
  return type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU || type == VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU ? 1
                                                                                                       : 2;
}

}  // namespace

std::string Profile::description() const {
  return fmt::format("{}, Vulkan {}, {:.0f} GiB", name, version_text(version),
                     double(heap_bytes) / double(1ull << 30));
}

Result<Profile> ask_profile(const InstanceApi& api, VkPhysicalDevice device) {
  VkPhysicalDeviceProperties first = {};
  api.GetPhysicalDeviceProperties(device, &first);
  Profile out = {
      .handle = device, .name = first.deviceName, .version = first.apiVersion, .type = first.deviceType};
  if (out.version < kOldestVersion) {
    return std::unexpected(not_available(
        fmt::format("{} speaks Vulkan {}, and {} is the oldest that is supported", out.name,
                    version_text(out.version), version_text(kOldestVersion)),
        "install a newer driver, choose another device with vulkan:N, or use --backend native"));
  }
  const auto family = compute_family(api, device);
  if (!family) {
    return std::unexpected(not_available(fmt::format("{} has no queue for compute", out.name),
                                         "choose another device with vulkan:N, or use --backend native"));
  }
  out.queue_family = *family;
  Answers a;
  a.ask(api, device, has_extension(api, device, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME),
        has_extension(api, device, kFloatControls2Extension));
  out.target = {.memory_model = a.has12.vulkanMemoryModel != 0 && a.has12.vulkanMemoryModelDeviceScope != 0,
                .storage_16bit = a.has11.storageBuffer16BitAccess != 0,
                .integers_64bit = a.has.features.shaderInt64 != 0,
                .subgroup_size = certain_subgroup_size(a),
                .workgroup_bytes = a.properties.properties.limits.maxComputeSharedMemorySize,
                .floats = floats_of(a),
                .float_controls2 = a.has_controls2.shaderFloatControls2 != 0,
                // llvmpipe ends all loops of an invocation together after 65,535 turns, and says nothing.
                .watch_loops = a.vulkan12.driverID == VK_DRIVER_ID_MESA_LLVMPIPE};
  out.must_require_size = a.size_control.minSubgroupSize != a.size_control.maxSubgroupSize;
  out.max_required_subgroups = a.size_control.maxComputeWorkgroupSubgroups;
  out.driver = driver_text(a);
  out.cache_identity = cache_identity(a);
  set_limits(a, out);
  api.GetPhysicalDeviceMemoryProperties(device, &out.memory);
  out.heap_bytes = largest_own_heap(out.memory);
  out.shares_memory =
      out.type == VK_PHYSICAL_DEVICE_TYPE_CPU || out.type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
  return out;
}

Result<Profile> choose_device(const Instance& instance, std::optional<uint32_t> ordinal) {
  VYRE_TRY(devices, instance.devices());
  if (ordinal) {
    if (*ordinal < devices.size()) return ask_profile(instance.api(), devices[*ordinal]);
    const size_t count = devices.size();
    return std::unexpected(not_available(
        fmt::format("vulkan:{} was asked for, and there {} {}", *ordinal, count == 1 ? "is" : "are", count),
        count == 1 ? "choose vulkan:0" : fmt::format("choose one of vulkan:0 to vulkan:{}", count - 1)));
  }
  Result<Profile> best = ask_profile(instance.api(), devices.front());
  for (size_t i = 1; i < devices.size(); ++i) {
    Result<Profile> other = ask_profile(instance.api(), devices[i]);
    if (other && (!best || rank(other->type) < rank(best->type))) best = std::move(other);
  }
  return best;
}

VkResult create_device(const InstanceApi& api, const Profile& profile, VkDevice* out) {
  const lower::SpirvTarget& target = profile.target;
  const bool subgroups = target.subgroup_size != 0;
  VkPhysicalDeviceSubgroupSizeControlFeaturesEXT control = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES_EXT,
      .subgroupSizeControl = true,
      .computeFullSubgroups = true};
  FloatControls2Features controls2 = {.pNext = subgroups ? &control : nullptr,
                                      .shaderFloatControls2 = VK_TRUE};
  VkPhysicalDeviceVulkan12Features features12 = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
      .pNext = target.float_controls2 ? &controls2 : controls2.pNext,
      .shaderFloat16 = target.floats.half.arithmetic,
      .vulkanMemoryModel = target.memory_model,
      .vulkanMemoryModelDeviceScope = target.memory_model};
  VkPhysicalDeviceVulkan11Features features11 = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
      .pNext = &features12,
      .storageBuffer16BitAccess = target.storage_16bit};
  VkPhysicalDeviceFeatures2 features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
      .pNext = &features11,
      .features = {.shaderFloat64 = target.floats.wide.arithmetic, .shaderInt64 = target.integers_64bit}};
  const float priority = 1;
  const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                         .queueFamilyIndex = profile.queue_family,
                                         .queueCount = 1,
                                         .pQueuePriorities = &priority};
  std::vector<const char*> extensions;
  if (subgroups) extensions.push_back(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
  if (target.float_controls2) extensions.push_back(kFloatControls2Extension);
  const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                   .pNext = &features,
                                   .queueCreateInfoCount = 1,
                                   .pQueueCreateInfos = &queue,
                                   .enabledExtensionCount = uint32_t(extensions.size()),
                                   .ppEnabledExtensionNames = extensions.data()};
  return api.CreateDevice(profile.handle, &info, nullptr, out);
}

}  // namespace vyre::backend::vulkan
