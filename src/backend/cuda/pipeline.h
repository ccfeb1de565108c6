// Programs on a device, and its memory: what a CUDA backend hands out.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/cuda/device.h"
#include "backend/cuda/graph.h"
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

/// Commands over pipelines and buffers of this device, checked, for a graph. Errors: B012 for those of
/// another backend, and what layout::bind refuses.
Result<std::vector<GraphCommand>> graph_commands(const Device& device, std::span<const Command> commands);
/// One after the other, with one wait at the end.
Result<void> run_steps(const std::shared_ptr<Device>& device, std::span<const Step> steps);

}  // namespace vyre::backend::cuda
