// Recordings as one command buffer: recorded once, submitted again and again.
//
// Descriptors are written once, too. Between two commands stands a barrier only where the later one touches
// what the earlier one wrote, or writes what it read. Source: Vulkan specification, "Synchronization and
// Cache Control".
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/vulkan/device.h"
#include "backend/vulkan/work.h"

namespace vyre::backend::vulkan {

/// A command over device memory, checked.
struct RecordedCommand {
  std::shared_ptr<Code> code;  // null: fill `bound` with zeros
  std::vector<Bound> bound;
  std::vector<bool> written;  // of each of them
  std::vector<uint32_t> counts;
  layout::Groups groups;
};

/// Errors: B003 when the device has no memory for it, B011.
Result<std::unique_ptr<Recording>> record_commands(const std::shared_ptr<Device>& device,
                                                   std::vector<RecordedCommand> commands);

}  // namespace vyre::backend::vulkan
