// Programs on a device, and its memory: what a WebGPU backend hands out.
#pragma once

#include <memory>
#include <span>

#include "backend/backend.h"
#include "backend/webgpu/device.h"

namespace vyre::backend::webgpu {

std::unique_ptr<Pipeline> make_pipeline(const check::Checked& program, std::shared_ptr<Device> device,
                                        std::shared_ptr<Code> code);

/// Errors: B003.
Result<std::unique_ptr<DeviceBuffer>> make_buffer(const std::shared_ptr<Device>& device, uint64_t bytes);

/// Backend::run: all steps in as few submissions as they fit in, and one wait.
Result<void> run_steps(const std::shared_ptr<Device>& device, std::span<const Step> steps);

}  // namespace vyre::backend::webgpu
