// WebGPU's functions, found at run time: the library, and what its exports say of it.
#pragma once

#include <cstdint>
#include <string>

#include "backend/webgpu/abi.h"
#include "base/result.h"

namespace vyre::backend::webgpu {

#define VYRE_WEBGPU(function, result, parameters) result(*function) parameters = nullptr;
struct Api {
  VYRE_WEBGPU_FUNCTIONS(VYRE_WEBGPU)

  /// Dawn, or wgpu-native, by functions that only they export.
  enum class Maker : uint8_t { Dawn, WgpuNative, Other };
  /// Of WGPUInstanceDescriptor, by the function that came with it.
  enum class InstanceLayout : uint8_t { Unknown, Earlier, Later };
  Maker maker = Maker::Other;
  InstanceLayout instance = InstanceLayout::Unknown;
  std::string file;  // its name, without a folder
};
#undef VYRE_WEBGPU
const char* text(Api::Maker maker);

/// B001, as everything that is not there.
Diag not_available(std::string message, std::string help);

/// Opens the library of this name; without one, the library that VYRE_WEBGPU_LIB names; without that, the
/// first of the usual names that is beside the program in ../lib or in the loader's path. It stays open until
/// the process ends, since implementations do not survive being closed.
/// Errors  B001 when there is no library, or it lacks a function, naming what is missing.
Result<Api> open_library(const std::string& asked);

}  // namespace vyre::backend::webgpu
