// NVIDIA GPUs through the CUDA driver: cuda or cuda:N.
//
// A kernel becomes PTX (lower/llvm/ptx), the driver makes machine code of it for the chip that it finds, and
// that is kept on disk under the digest of the program, the device and the driver, so the next process loads
// it at once. Buffers travel through pinned memory, in pieces, while the one before is on its way. What the
// device cannot do is B003 with the limit, the request and what is allowed; a device that is lost is B011,
// and stays lost for this process.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "backend/backend.h"
#include "backend/floats.h"

namespace vyre::backend {

struct CudaOptions {
  uint32_t ordinal = 0;
  /// The driver's library. Empty: what VYRE_CUDA_LIB names, else libcuda.so.1.
  std::string library = {};
  /// The folder where machine code is kept. Empty: VYRE_CACHE_DIR, else $XDG_CACHE_HOME/vyre, else
  /// ~/.cache/vyre, of each the folder cuda. "none": nowhere. Verdicts of the probe are kept in it too.
  std::string cache = {};
  /// Threads that compile a batch; 0: as many as there are cores.
  unsigned threads = 0;
  /// Of the driver's assembler, 0 to 4. Code of another level than 4 is not kept on disk.
  uint32_t optimisation = 4;
  FloatForm floats = FloatForm::Auto;
};

/// Errors  B001 when there is no driver, no such device, or one of them is too old, with what is missing.
/// Thread  a backend and its pipelines may be used by several threads, each pipeline by one at a time.
Result<std::unique_ptr<Backend>> make_cuda(const CudaOptions& options = {});

/// What stands after "cuda:", an ordinal. Errors: B004.
Result<uint32_t> parse_cuda_ordinal(std::string_view argument);

}  // namespace vyre::backend
