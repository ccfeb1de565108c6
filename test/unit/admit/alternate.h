// Alternate implementations: other code for an operation that there is.
//
// A faster composition, or WGSL that was written by hand, may take the place of an operation's own
// composition once it is shown to be equal to it. One in the IR is proved equal for all inputs by a solver,
// or where no solver decides, run on all operands of 8 bits and a hundred thousand others. One in WGSL has no
// meaning here but what a device makes of it, so it is run there; without a device it is not admitted.
// Source: vyre-conform-spec, "Admission Gates"; semantics, "Laws and evidence".
#pragma once

#include <string>

#include "base/result.h"
#include "ops/operation.h"

namespace vyre::admit {

struct Alternate {
  std::string name;  // "by multiplication"
  /// In the IR: as Operation::compose. Or:
  ir::Ex (*compose)(ir::FunctionBuilder& f, std::span<const ir::Ex> parameters) = nullptr;
  /// In WGSL: a function `fn alternate(a: u32, b: u32) -> u32 { ... }` of as many words as the operation
  /// takes, with whatever it calls.
  std::string wgsl = {};
};

struct AlternateOptions {
  bool solver = true;               // of one in the IR: ask for a proof before running it
  std::string webgpu_library = {};  // of one in WGSL: as WebgpuOptions::library
};

/// The grade of the equality: "proved(z3 4.8.12)", "exhausted(u8) witnessed(100000, 7)", "device(SwiftShader
/// ...)". Errors  C014: the two differ, with the inputs and both values; it is not valid; or nothing here can
/// run it. Cost    a proof of up to 10 s, or 0.2 s to run it on the host.
Result<std::string> admit_alternate(const ops::Operation& operation, const Alternate& alternate,
                                    const AlternateOptions& options = {});

}  // namespace vyre::admit
