// Programs on a device, and its memory: what a CUDA backend hands out.
#pragma once

#include <memory>

#include "backend/backend.h"
#include "backend/cuda/device.h"
#include "lower/llvm/ptx.h"

namespace vyre::backend::cuda {

/// `target`, `floats`: of the PTX that Pipeline::code() shows.
std::unique_ptr<Pipeline> make_pipeline(const check::Checked& program, std::shared_ptr<Device> device,
                                        LoadedKernel kernel, lower::PtxTarget target,
                                        const lower::FloatPromises& floats);

/// lower::kPtxTarget with these promises of floats.
lower::Target target_with(const lower::FloatPromises& floats);

/// Errors: B003.
Result<std::unique_ptr<DeviceBuffer>> make_buffer(const std::shared_ptr<Device>& device, uint64_t bytes);

}  // namespace vyre::backend::cuda
