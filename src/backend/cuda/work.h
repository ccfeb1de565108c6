// Programs on a CUDA device, and what the device core asks of them: copies and launches in the device's
// stream.
#pragma once

#include <utility>
#include <vector>

#include "backend/cuda/device.h"
#include "lower/codegen/ptx.h"

namespace vyre::backend::cuda {

/// A program's kernel. `target`, `floats`: of the PTX that text() shows.
class Program final : public DeviceCode {
 public:
  Program(LoadedKernel kernel, lower::PtxTarget target, const lower::FloatPromises& floats)
      : kernel_(std::move(kernel)), target_(target), floats_(floats) {}
  const LoadedKernel& kernel() const { return kernel_; }
  Result<EmittedCode> text(const check::Checked& program) const override;

 private:
  const LoadedKernel kernel_;
  const lower::PtxTarget target_;
  const lower::FloatPromises floats_;
};

/// lower::kPtxTarget with these promises of floats.
lower::Target target_with(const lower::FloatPromises& floats);

DevicePointer address_of(const Bound& bound);
const LoadedKernel& kernel_of(const Launch& launch);

/// The arguments of a kernel: an address and a count for each buffer.
class Arguments {
 public:
  explicit Arguments(const Launch& launch);
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;
  /// Shape: a pointer to each argument.
  std::span<void*> pointers() { return pointers_; }

 private:
  std::vector<DevicePointer> addresses_;
  std::vector<uint32_t> counts_;
  std::vector<void*> pointers_;
};

}  // namespace vyre::backend::cuda
