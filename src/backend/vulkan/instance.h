// A Vulkan instance: the loader, the devices that it lists, and what validation layers say.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backend/vulkan/api.h"

namespace vyre::backend::vulkan {

/// Errors that validation layers report, until they are asked for. Thread: any.
class Messages {
 public:
  void add(std::string text);
  /// All that came since the last time, or nothing.
  std::vector<std::string> take();

 private:
  std::mutex mutex_;
  std::vector<std::string> texts_;
};

class Instance {
 public:
  /// Errors  B001 when there is no loader, no driver, or `validate` is wanted and there are no layers.
  static Result<std::shared_ptr<Instance>> open(const std::string& library, bool validate);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  const InstanceApi& api() const { return api_; }
  /// In the order of the loader; at least one. Errors: B001.
  Result<std::vector<VkPhysicalDevice>> devices() const;
  Messages& messages() { return messages_; }

 private:
  Instance() = default;
  Result<void> create(const GlobalApi& global, bool validate);

  InstanceApi api_;
  VkInstance handle_ = VK_NULL_HANDLE;
  Messages messages_;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  PFN_vkDestroyDebugUtilsMessengerEXT destroy_messenger_ = nullptr;
};

/// For tests: what validation layers said after the last caller, as of objects that outlive their
/// device. Empties itself.
Messages& late_messages();

}  // namespace vyre::backend::vulkan
