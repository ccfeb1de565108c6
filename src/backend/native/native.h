// The native backend: programs as machine code of this CPU, through LLVM; workgroups spread over cores with
// oneTBB.
#pragma once

#include <memory>

#include "backend/backend.h"
#include "backend/float_form.h"

namespace vyre::backend {

struct NativeOptions {
  /// 0: short pipeline, for programs that run once; 2: full.
  int optimisation = 2;
  /// 0: as many as there are cores.
  unsigned threads = 0;
  FloatForm floats = FloatForm::Auto;
  /// The folder where code and verdicts of the probe are kept. Empty: VYRE_CACHE_DIR, else
  /// $XDG_CACHE_HOME/vyre, else ~/.cache/vyre, of each the folders native and floats. "none": nowhere.
  std::string cache = {};
  /// Code of earlier processes is used, and this one's kept: where programs are run, not where code is
  /// judged.
  bool keeps_code = false;
};

/// Errors: none. That LLVM is not here, or writes no code for this CPU, compiling answers (B001).
Result<std::unique_ptr<Backend>> make_native(const NativeOptions& options = {});

}  // namespace vyre::backend
