// WebGPU devices, through any shared library with the C interface of webgpu.h: webgpu or webgpu:LIB.
//
// The library is opened at run time: Dawn, wgpu-native or another. A kernel becomes WGSL without a float type
// (lower/wgsl), so its bytes are those of every other backend, whatever the implementation does to floats.
// Calls that answer later are awaited, with a timeout; errors of validation, memory and loss of the device
// are captured and become diagnostics that quote the implementation: what the device cannot do is B003 with
// the limit, a shader that is refused L003, a device that is lost or does not answer B011, which stays lost
// for this process. webgpu.h has no version that could be asked, and its structures changed over time: what
// is called here is what has been the same since the C interface took `WGPUStringView` (2025), and a library
// with an older interface is refused by what it exports (docs/adr/0028).
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "backend/backend.h"
#include "backend/float_form.h"

namespace vyre::backend {

struct WebgpuOptions {
  /// The shared library. Empty: what VYRE_WEBGPU_LIB names, else beside the program in ../lib, else by the
  /// loader's path, under the names that implementations are built with.
  std::string library = {};
  /// Threads that lower a batch; 0: as many as there are cores.
  unsigned threads = 0;
  /// How long an answer may take before the device counts as lost.
  std::chrono::milliseconds timeout = std::chrono::minutes(10);
  /// Native is refused: WebGPU promises no operator on floats.
  FloatForm floats = FloatForm::Auto;
};

/// Errors  B001 when there is no library, it lacks a function, there is no adapter or it gives no device,
/// with
///         what is missing, in the implementation's words where it has some, and how to get it.
/// Thread  a backend and its pipelines may be used by several threads, each pipeline by one at a time.
Result<std::unique_ptr<Backend>> make_webgpu(const WebgpuOptions& options = {});

}  // namespace vyre::backend
