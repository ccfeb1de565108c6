// Recordings as one command buffer: recorded once, submitted again and again.
//
// Descriptors are written once, too. Between two commands stands a barrier only where the later one touches
// what the earlier one wrote, or writes what it read. Source: Vulkan specification, "Synchronization and
// Cache Control".
#pragma once

#include <memory>
#include <vector>

#include "backend/vulkan/device.h"

namespace vyre::backend::vulkan {

/// Shape: dispatches and Zero. Errors: B003 when the device has no memory for it, B011.
Result<std::unique_ptr<Recording>> record_commands(std::shared_ptr<Device> device,
                                                   std::vector<DeviceCommand> commands);

}  // namespace vyre::backend::vulkan
