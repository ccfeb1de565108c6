// The JIT: compiles a batch of kernels by LLVM into executable memory of this process, and gives function
// pointers.
//
// The only place where the backend meets LLVM's loader. A batch of kernels becomes one module, one object
// file and one block of executable memory, which goes when the last user of the batch goes.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "lower/llvm/llvm.h"

namespace vyre::backend {

/// The code of one batch. Entries stay valid as long as it lives.
class Code {
 public:
  virtual ~Code() = default;
  /// By position in the batch; an error when LLVM refused this kernel.
  virtual const Result<lower::CpuEntry>& entry(size_t i) const = 0;
};

class Jit {
 public:
  virtual ~Jit() = default;
  /// Domain  level: as lower/llvm/codegen.h has it.
  /// Thread  any number of calls at once. Errors: L003 for the whole batch.
  virtual Result<std::shared_ptr<const Code>> compile(std::span<const lower::Kernel> kernels, int level) = 0;
};

/// Errors: B001 when LLVM cannot generate or load code here.
Result<std::shared_ptr<Jit>> make_jit();

}  // namespace vyre::backend
