// Programs on a device, and its memory: what a Vulkan backend hands out.
#pragma once

#include <memory>
#include <span>

#include "backend/backend.h"
#include "backend/vulkan/device.h"
#include "lower/kernel.h"

namespace vyre::backend::vulkan {

/// `floats`: of the SPIR-V that Pipeline::code() shows. Errors: B003 when there is no memory for the word of
/// a watched program.
Result<std::unique_ptr<Pipeline>> make_pipeline(const check::Checked& program, std::shared_ptr<Device> device,
                                                std::shared_ptr<Code> code,
                                                const lower::FloatPromises& floats);

/// Errors: B003.
Result<std::unique_ptr<DeviceBuffer>> make_buffer(const std::shared_ptr<Device>& device, uint64_t bytes);

/// Backend::run: all steps in as few submissions as they fit in, and one wait.
Result<void> run_steps(const std::shared_ptr<Device>& device, std::span<const Step> steps);

/// Backend::record_batch: as one command buffer; null where a program is watched, so that each dispatch has
/// to be looked after.
Result<std::unique_ptr<Recording>> record(const std::shared_ptr<Device>& device,
                                          std::span<const Command> commands);

}  // namespace vyre::backend::vulkan
